"""The options, each step over HTTP as the frontend takes them, in the demo house."""

from dataclasses import dataclass
import json
from pathlib import Path
import sqlite3
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from custom_components.caesar.adapters.policy_file import PolicyFile
from custom_components.caesar.const import StarterPolicy
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.loop_guard import loop_guard
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.test_hostile import call

URL: Final = "/api/config/config_entries/options/flow"
STARTERS: Final = Path("custom_components/caesar/starters")
EVERYDAY: Final = (STARTERS / "everyday.yaml").read_text()
NOTHING: Final = "version: 1\nallowed_services: []\n"
LIGHT: Final = "light.kitchen_light"


@dataclass(slots=True, kw_only=True)
class Options:
    """The options dialog of one person."""

    house: CaesarHouse
    client: Any
    shown: dict[str, Any]

    async def menu(self, step: str) -> dict[str, Any]:
        """Open the options and choose a line of the menu."""
        self.shown = await self._post(URL, {"handler": self.house.entry.entry_id})
        assert (self.shown["type"], self.shown["step_id"]) == ("menu", "init")
        assert step in self.shown["menu_options"]
        return await self.send(next_step_id=step)

    async def send(self, **fields: Any) -> dict[str, Any]:
        """Send a form; return what comes next."""
        self.shown = await self._post(f"{URL}/{self.shown['flow_id']}", fields)
        return self.shown

    async def _post(self, url: str, data: dict[str, Any]) -> dict[str, Any]:
        with loop_guard():
            response = await self.client.post(url, json=data)
            assert response.status == 200, await response.text()
            shown: dict[str, Any] = await response.json()
        await self.house.hass.async_block_till_done()
        return shown

    @property
    def placeholders(self) -> dict[str, str]:
        """Return what fills the texts in."""
        found: dict[str, str] = self.shown["description_placeholders"]
        return found

    def field(self, name: str) -> dict[str, Any]:
        """Return a field of the form that is shown."""
        return next(each for each in self.shown["data_schema"] if each["name"] == name)

    def fields(self) -> list[str]:
        """Return the names of the form's fields."""
        return [each["name"] for each in self.shown["data_schema"]]

    def options_of(self, name: str) -> list[str]:
        """Return what can be chosen in a field."""
        options = self.field(name)["selector"]["select"]["options"]
        return [each["value"] if isinstance(each, dict) else each for each in options]

    def rows(self) -> dict[str, str]:
        """Return how the rows of the form stand."""
        return {
            each["name"]: each["default"]
            for each in self.shown["data_schema"]
            if "default" in each
        }


@pytest.fixture
async def options(
    hass: HomeAssistant,
    hass_admin_user: User,
    hass_client: ClientSessionGenerator,
    request: pytest.FixtureRequest,
) -> Options:
    """Return the options of CAESAR in the demo house; the parameter is the policy."""
    await async_build_house(hass)
    assert await async_setup_component(hass, "config", {})
    house = await async_move_in(
        hass, hass_admin_user.id, getattr(request, "param", EVERYDAY)
    )
    return Options(house=house, client=await hass_client(), shown={})


def file_of(options: Options) -> PolicyFile:
    """Return the policy file."""
    policy_file: PolicyFile = options.house.entry.runtime_data.policy_file
    return policy_file


async def on_disk(options: Options) -> str:
    """Return the file's text."""
    path = Path(options.house.hass.config.path("caesar", "policy.yaml"))
    return (await options.house.hass.async_add_executor_job(path.read_bytes)).decode()


async def change_by_hand(options: Options, text: str) -> None:
    """Change the file behind CAESAR's back."""
    path = Path(options.house.hass.config.path("caesar", "policy.yaml"))
    await options.house.hass.async_add_executor_job(path.write_text, text)


async def loaded_rows(options: Options) -> list[dict[str, Any]]:
    """Return what the trail says of policies that came into force."""

    def read() -> list[dict[str, Any]]:
        uri = f"file:{options.house.database}?mode=ro"
        with sqlite3.connect(uri, uri=True) as db:
            rows = db.execute(
                "SELECT payload FROM audit_log WHERE event_type = 'policy.loaded'"
                " ORDER BY id"
            ).fetchall()
        db.close()
        return [json.loads(payload) for (payload,) in rows]

    return await options.house.hass.async_add_executor_job(read)


async def verdict(options: Options, service: str, entity_id: str, **data: Any) -> str:
    """Have a model ask for something as the admin; return the code of what came."""
    name, arguments = call(service, {"entity_id": entity_id}, **data)
    report = await options.house.obey(name, arguments)
    error = report.outcomes[-1].error
    return error.code.value if error else "done"


class TestForm:
    """The rows."""

    async def test_everyday_as_it_is(self, options: Options) -> None:
        """The rows stand as the file says; sent as they are, nothing changes."""
        await options.menu("form")
        rows = options.rows()
        assert rows["lights"] == "allow"
        assert (rows["doors"], rows["locks"], rows["alarm"]) == ("ask", "ask", "ask")
        assert rows["tools"] == "off"
        assert options.placeholders["notes"] == ""
        await options.send(**rows)
        assert options.shown["errors"] == {"base": "no_change"}
        assert await on_disk(options) == EVERYDAY

    async def test_a_row_is_changed(self, options: Options) -> None:
        """Its lines are shown before; saved, they hold, and the trail says who."""
        assert await verdict(options, "light.turn_on", entity_id=LIGHT) == "done"
        await options.menu("form")
        await options.send(**options.rows() | {"lights": "off"})
        assert options.shown["step_id"] == "changes"
        lines = options.placeholders["lines"].splitlines()
        assert lines[1:-1] == [
            "-   - light.turn_on",
            "-   - light.turn_off",
            "-   - light.toggle",
        ]
        assert "`light.turn_on` light.kitchen_light" in options.placeholders["changed"]
        assert "allowed, then refused" in options.placeholders["changed"]
        assert await on_disk(options) == EVERYDAY

        await options.send()
        assert options.shown["type"] == "create_entry"
        assert "light.turn_on" not in await on_disk(options)
        assert await verdict(options, "light.turn_on", entity_id=LIGHT) == "not_listed"
        row = (await loaded_rows(options))[-1]
        assert (row["how"], row["by"]) == ("save", options.house.user_id)

    async def test_rooms_and_persons(
        self, options: Options, hass: HomeAssistant, hass_admin_user: User
    ) -> None:
        """A row is kept to a room and a person, who is named in the file."""
        adult = await hass.auth.async_create_user("Adult")
        await options.menu("form")
        await options.send(**options.rows(), limit=["lights", "lists"])
        assert options.shown["step_id"] == "row"
        assert options.placeholders == {"row": "Lights"}
        await options.send(areas=["kitchen"], persons=[adult.id])
        assert options.placeholders == {"row": "Timers and lists"}
        assert options.fields() == ["persons"]
        await options.send(persons=[])
        assert options.shown["step_id"] == "changes"
        await options.send()
        text = await on_disk(options)
        assert (
            "  - service: light.turn_on\n    target: {area_id: [kitchen]}\n"
            '    for: {user: ["Adult"]}\n'
        ) in text
        await options.menu("form")
        assert "Lights" in options.placeholders["notes"]

    @pytest.mark.parametrize(
        "options",
        [
            "version: 1\nallowed_services:\n  - service: lock.unlock\n"
            "    approval: always\n    max_entities: 1\n"
        ],
        indirect=True,
    )
    async def test_by_hand(self, options: Options) -> None:
        """What the form can't say is counted, and stays."""
        before = await on_disk(options)
        await options.menu("form")
        assert options.rows()["locks"] == "by_hand"
        assert "Locks (1)" in options.placeholders["notes"]
        await options.send(**options.rows() | {"lights": "ask"})
        await options.send()
        assert (await on_disk(options)).startswith(before)
        assert await verdict(options, "light.turn_on", entity_id=LIGHT) == (
            "approval_needed"
        )

    @pytest.mark.parametrize(
        "options",
        ["version: 1\nallowed_services: [light.turn_on]\n"],
        indirect=True,
    )
    async def test_what_the_form_can_not_write(self, options: Options) -> None:
        """It says why, and what was chosen is still there."""
        await options.menu("form")
        await options.send(**options.rows() | {"lights": "ask", "media": "allow"})
        assert options.shown["errors"] == {"base": "uneditable"}
        assert options.placeholders["line"] == "2"
        suggested = options.field("media")["description"]["suggested_value"]
        assert suggested == "allow"

    @pytest.mark.parametrize("options", ["version: 2\n"], indirect=True)
    async def test_a_bad_file(self, options: Options) -> None:
        """It can't be a form; as text it can be mended."""
        await options.menu("form")
        assert options.shown["type"] == "abort"
        assert options.shown["reason"] == "policy_unreadable"
        await options.menu("text")
        await options.send(text=NOTHING)
        await options.send()
        assert options.shown["type"] == "create_entry"
        assert file_of(options).loaded is not None

    async def test_a_file_changed_on_the_disk(self, options: Options) -> None:
        """It is not shown as something that could be saved."""
        await change_by_hand(options, NOTHING)
        for step in ("form", "text"):
            await options.menu(step)
            assert options.shown["reason"] == "policy_changed"

    async def test_a_file_changed_meanwhile(self, options: Options) -> None:
        """It is not overwritten; the draft is still there."""
        await options.menu("form")
        await options.send(**options.rows() | {"lights": "off"})
        await change_by_hand(options, NOTHING)
        await options.send()
        assert options.shown["errors"] == {"base": "policy_changed"}
        assert "light.turn_on" in options.placeholders["lines"]
        assert await on_disk(options) == NOTHING


class TestText:
    """The policy as text."""

    async def test_a_mistake_keeps_what_was_typed(self, options: Options) -> None:
        """With its line; nothing is lost, nothing is saved."""
        await options.menu("text")
        assert options.field("text")["description"]["suggested_value"] == EVERYDAY
        typed = EVERYDAY.replace("- light.turn_on", "- light_turn_on")
        await options.send(text=typed)
        assert options.shown["errors"] == {"text": "policy_invalid"}
        line = typed.splitlines().index("  - light_turn_on") + 1
        assert options.placeholders["line"] == str(line)
        assert options.placeholders["excerpt"] == "- light_turn_on"
        assert options.field("text")["description"]["suggested_value"] == typed
        assert await on_disk(options) == EVERYDAY

        # A condition that only Home Assistant can judge is judged too.
        typed = NOTHING.replace(
            "[]",
            "\n  - service: light.turn_on\n"
            "    when: {condition: state, entity_id: not an id, state: x}",
        )
        await options.send(text=typed)
        assert options.shown["errors"] == {"text": "policy_invalid"}

        await options.send(text=EVERYDAY)
        assert options.shown["errors"] == {"base": "no_change"}

    async def test_saved_and_undone(self, options: Options) -> None:
        """The difference is shown both ways; the trail says who undid it."""
        await options.menu("undo")
        assert options.shown["reason"] == "policy_nothing_kept"
        await options.menu("text")
        await options.send(text=NOTHING)
        assert "+ allowed_services: []" in options.placeholders["lines"]
        assert "would have been decided differently" in options.placeholders["changed"]
        await options.send()
        assert await on_disk(options) == NOTHING

        await options.menu("undo")
        assert "- allowed_services: []" in options.placeholders["lines"]
        await options.send()
        assert options.shown["type"] == "create_entry"
        assert await on_disk(options) == EVERYDAY
        row = (await loaded_rows(options))[-1]
        assert (row["how"], row["by"]) == ("undo", options.house.user_id)

    @pytest.mark.parametrize(
        "options", ["version: 1\r\nallowed_services: []\r\n"], indirect=True
    )
    async def test_line_ends_stay(self, options: Options) -> None:
        """A browser's text has one kind only."""
        await options.menu("text")
        await options.send(text="# mine\nversion: 1\nallowed_services: []\n")
        await options.send()
        assert await on_disk(options) == (
            "# mine\r\nversion: 1\r\nallowed_services: []\r\n"
        )

    async def test_undo_after_a_change_by_hand(self, options: Options) -> None:
        """Nobody's work is overwritten."""
        await options.menu("text")
        await options.send(text=NOTHING)
        await options.send()
        await options.menu("undo")
        await change_by_hand(options, EVERYDAY + "# by hand\n")
        await options.send()
        assert options.shown["errors"] == {"base": "policy_changed"}


class TestRefused:
    """From a no to a rule."""

    async def refuse(self, options: Options, *, times: int = 1) -> None:
        """Have a model be refused."""
        for _ in range(times):
            code = await verdict(
                options, "light.turn_on", entity_id=LIGHT, brightness_pct=40
            )
            assert code == "not_listed"

    async def test_nothing(self, options: Options) -> None:
        """Says so."""
        await options.menu("refused")
        assert options.shown["reason"] == "nothing_refused"

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_a_rule(self, options: Options) -> None:
        """Shown as the lines to be added; saved, it lets exactly this through."""
        await self.refuse(options, times=2)
        await options.menu("refused")
        (seq,) = options.options_of("refusal")
        await options.send(refusal=seq)
        assert options.shown["step_id"] == "refusal"
        assert "Kitchen light" in options.placeholders["action"]
        assert options.placeholders["count"] == "2"
        assert options.options_of("decision") == ["once", "ask", "allow", "keep"]
        await options.send(decision="allow")
        assert options.shown["step_id"] == "changes"
        lines = options.placeholders["lines"]
        assert "+   - service: light.turn_on" in lines
        assert "2× `light.turn_on`" in options.placeholders["changed"]
        assert "nobody is asked" in options.placeholders["note"]
        assert await on_disk(options) == NOTHING

        await options.send()
        assert options.shown["type"] == "create_entry"
        text = await on_disk(options)
        assert "target: {entity_id: [light.kitchen_light]}" in text
        assert "data: {brightness_pct: 40}" in text
        asked = {"entity_id": LIGHT, "brightness_pct": 40}
        assert await verdict(options, "light.turn_on", **asked) == "done"
        asked["brightness_pct"] = 41
        assert await verdict(options, "light.turn_on", **asked) == "data_not_allowed"
        row = (await loaded_rows(options))[-1]
        assert (row["how"], row["by"], row["denial"]) == (
            "rule",
            options.house.user_id,
            int(seq),
        )
        await options.menu("undo")
        await options.send()
        assert await on_disk(options) == NOTHING

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_once(self, options: Options) -> None:
        """Once, for this call; the file stays as it is."""
        await self.refuse(options)
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        await options.send(decision="once")
        assert options.shown["reason"] == "allowed_once"
        asked = {"entity_id": LIGHT, "brightness_pct": 40}
        assert await verdict(options, "light.turn_on", **asked) == "done"
        assert await verdict(options, "light.turn_on", **asked) == "not_listed"
        assert await on_disk(options) == NOTHING

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_keep(self, options: Options) -> None:
        """Nothing changes, and the list is there again."""
        await self.refuse(options)
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        await options.send(decision="keep")
        assert options.shown["step_id"] == "refused"
        assert await on_disk(options) == NOTHING

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_a_lock_is_asked_about(self, options: Options) -> None:
        """Always allow is not offered; a rule asks."""
        code = await verdict(options, "lock.unlock", entity_id="lock.front_door")
        assert code == "not_listed"
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        assert "allow" not in options.options_of("decision")
        assert options.placeholders["note"]
        await options.send(decision="ask")
        assert "+     approval: always" in options.placeholders["lines"]
        assert "any" in options.placeholders["note"]
        await options.send()
        code = await verdict(options, "lock.unlock", entity_id="lock.front_door")
        assert code == "approval_needed"

    @pytest.mark.parametrize(
        "options",
        [
            NOTHING
            + 'bot:\n  tool_policy:\n    deny: ["light__*", "shell_command__*"]\n'
        ],
        indirect=True,
    )
    async def test_what_is_ruled_out_stays_so(self, options: Options) -> None:
        """Neither a rule nor once."""
        code = await verdict(options, "light.turn_on", entity_id=LIGHT)
        assert code == "policy_denied"
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        assert options.options_of("decision") == ["keep"]
        assert "on purpose" in options.placeholders["note"]

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_values_that_no_rule_can_hold(self, options: Options) -> None:
        """It says so, and nothing is saved."""
        asked: dict[str, Any] = {"entity_id": LIGHT, "rgb_color": [255, 0, 0]}
        await verdict(options, "light.turn_on", **asked)
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        await options.send(decision="allow")
        assert options.shown["errors"] == {"base": "no_rule"}
        assert "values" in options.placeholders["problem"]
        assert await on_disk(options) == NOTHING

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_allowed_meanwhile(self, options: Options) -> None:
        """What the policy has learned in between is not offered again."""
        await self.refuse(options)
        await file_of(options).async_save(
            EVERYDAY, expected_revision=file_of(options).revision, by=None
        )
        await options.menu("refused")
        await options.send(refusal=options.options_of("refusal")[0])
        assert options.options_of("decision") == ["keep"]

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_a_hundred_refusals_tell_no_phone(
        self, options: Options, hass: HomeAssistant
    ) -> None:
        """A hostile model chooses what is refused; nothing is pushed to anybody."""
        calls = async_capture_events(hass, "call_service")
        for number in range(100):
            await verdict(options, "light.turn_on", LIGHT, brightness_pct=number)
        told = [each for each in calls if each.data["domain"] == "notify"]
        assert told == []
        await options.menu("refused")
        assert 0 < len(options.options_of("refusal")) <= 50

    @pytest.mark.parametrize("options", [NOTHING], indirect=True)
    async def test_only_for_admins(
        self,
        options: Options,
        hass: HomeAssistant,
        hass_read_only_access_token: str,
        hass_client: ClientSessionGenerator,
    ) -> None:
        """Another user does not even see the menu."""
        client = await hass_client(hass_read_only_access_token)
        response = await client.post(
            URL, json={"handler": options.house.entry.entry_id}
        )
        assert response.status == 401


class TestHouse:
    """PINs, phones, automations."""

    async def test_pins(self, options: Options) -> None:
        """Set, not shown, not removed while a rule names it."""
        pins = options.house.entry.runtime_data.approvals.pins
        await options.menu("pins")
        await options.send()
        assert options.shown["errors"] == {"base": "no_change"}
        await options.send(name="Front door", pin="12")
        assert options.shown["errors"] == {"pin": "invalid_pin"}
        name = options.field("name")["description"]["suggested_value"]
        assert name == "Front door"
        assert "12" not in json.dumps(options.field("pin"))
        await options.send(name="Front door", pin="1234")
        assert options.shown["type"] == "create_entry"
        assert pins.names() == ("Front door",)
        assert await pins.async_verify("Front door", "1234")

        rule = (
            "version: 1\nallowed_services:\n  - service: lock.unlock\n"
            "    approval: always\n    pin: Front door\n"
        )
        await options.menu("text")
        await options.send(text=rule)
        await options.send()
        await options.menu("pins")
        assert options.placeholders == {"pins": "Front door"}
        await options.send(remove=["Front door"])
        assert options.shown["errors"] == {"remove": "pin_in_use"}
        await options.menu("undo")
        await options.send()
        await options.menu("pins")
        await options.send(remove=["Front door"])
        assert options.shown["type"] == "create_entry"
        assert pins.names() == ()

    async def test_automations(self, options: Options) -> None:
        """Kept as an option; the others stay."""
        await options.menu("automations")
        assert options.field("automation_tools")["default"] == "read"
        await options.send(automation_tools="none")
        assert options.house.entry.options == {"automation_tools": "none"}
        await options.menu("automations")
        assert options.field("automation_tools")["default"] == "none"

    async def test_no_phone(self, options: Options) -> None:
        """A person without the app is told apart from one with it."""
        await options.menu("phone")
        assert options.field("person")["default"] == options.house.user_id
        await options.send(person=options.house.user_id)
        assert options.shown["errors"] == {"base": "no_phone"}

    async def test_not_loaded(self, options: Options, hass: HomeAssistant) -> None:
        """A house that isn't there has no options."""
        entry = options.house.entry
        assert await hass.config_entries.async_unload(entry.entry_id)
        response = await options.client.post(URL, json={"handler": entry.entry_id})
        shown = await response.json()
        assert (shown["type"], shown["reason"]) == ("abort", "not_loaded")


@pytest.mark.parametrize(
    "options",
    [(STARTERS / f"{each}.yaml").read_text() for each in StarterPolicy],
    ids=list(StarterPolicy),
    indirect=True,
)
async def test_every_starter_in_a_house(options: Options, hass: HomeAssistant) -> None:
    """It loads, its rows are shown, and a change of a row can be saved."""
    assert file_of(options).loaded is not None
    await options.menu("form")
    rows = options.rows()
    await options.send(**rows | {"tools": "allow"})
    assert options.shown["step_id"] == "changes", options.shown
    await options.send()
    assert options.shown["type"] == "create_entry"
    await options.menu("form")
    assert options.rows() == rows | {"tools": "allow"}
    answer = await options.house.ask(
        "is the kitchen light on?", context=Context(user_id=options.house.user_id)
    )
    assert answer["calls"] == [] or answer["calls"][0]["outcome"] == "ok"
