"""What CAESAR may do, as a form and as text."""

from dataclasses import replace

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
import pytest

from custom_components.caesar.const import StarterPolicy
from tests.fakes.tools import BUS

from .dialog import (
    EVERYDAY,
    LIGHT,
    NOTHING,
    STARTERS,
    Options,
    change_by_hand,
    file_of,
    loaded_rows,
    on_disk,
    verdict,
)


class TestForm:
    """The rows."""

    async def test_everyday_as_it_is(self, options: Options) -> None:
        """The rows stand as the file says; sent as they are, nothing changes."""
        await options.menu("form")
        rows = options.rows()
        assert rows["lights"] == "allow"
        assert (rows["doors"], rows["locks"], rows["alarm"]) == ("ask", "ask", "ask")
        assert rows["tools"] == "allow"
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
        assert (
            r"light\.turn\_on light\.kitchen\_light" in options.placeholders["changed"]
        )
        assert "now allowed, then refused" in options.placeholders["changed"]
        assert await on_disk(options) == EVERYDAY

        await options.send()
        assert options.shown["type"] == "create_entry"
        assert "  - light.turn_on" not in await on_disk(options)
        assert await verdict(options, "light.turn_on", entity_id=LIGHT) == "not_listed"
        row = (await loaded_rows(options))[-1]
        assert (row["how"], row["by"]) == ("save", options.house.user_id)

    async def test_tools_of_workers_that_are_not_listed(
        self, options: Options, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """They belong to no row, so the form says which there are."""
        workers = options.house.entry.runtime_data.workers
        other = replace(BUS, name="calculator")
        monkeypatch.setattr(workers, "tools", lambda: (BUS, other))
        await options.menu("form")
        [line] = options.placeholders["notes"].splitlines()
        assert "refused: bus_times." in line

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

    @pytest.mark.parametrize(
        "options",
        [
            "version: 1\nallowed_services:\n  - light.turn_on\n  - button.press\n"
            "bot:\n  tool_policy:\n    deny: [lock__*]\n"
            "sentinel:\n  approval_scope: mutating\n"
        ],
        indirect=True,
    )
    async def test_what_the_rows_do_not_say(self, options: Options) -> None:
        """It stands above them."""
        await options.menu("form")
        notes = options.placeholders["notes"].splitlines()
        assert len(notes) == 4
        assert "in part only: Lights" in notes[0]
        assert "by a pattern, whatever is chosen here: Locks" in notes[1]
        assert notes[2].endswith("none of these rows: 1.")
        assert "before every change" in notes[3]

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

    async def test_a_group_with_a_door_in_it_is_a_door(self, options: Options) -> None:
        """Blinds without doors: neither the garage nor the group that moves it."""
        await options.menu("form")
        await options.send(**options.rows() | {"doors": "off"})
        await options.send()
        text = await on_disk(options)
        assert "cover.living_room_blind" in text
        assert "cover.garage_door" not in text
        assert "cover.evening_covers" not in text
        for cover in ("cover.garage_door", "cover.evening_covers"):
            code = await verdict(options, "cover.open_cover", cover)
            assert code == "target_not_covered"
        code = await verdict(options, "cover.open_cover", "cover.living_room_blind")
        assert code == "done"
        await options.menu("form")
        rows = options.rows()
        assert (rows["blinds"], rows["doors"]) == ("allow", "off")

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
        assert options.shown["errors"] == {"text": "policy_invalid_text"}
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
        assert options.shown["errors"] == {"text": "policy_invalid_text"}

        await options.send(text=EVERYDAY)
        assert options.shown["errors"] == {"base": "no_change"}

    async def test_what_has_no_effect_is_said(self, options: Options) -> None:
        """It loads, and is surely not what was meant."""
        await options.menu("text")
        await options.send(text=NOTHING.replace("[]", "[caesar.approve]"))
        assert "Line 2 has no effect" in options.placeholders["changed"]

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
    await options.send(**rows | {"tools": "ask"})
    assert options.shown["step_id"] == "changes", options.shown
    await options.send()
    assert options.shown["type"] == "create_entry"
    await options.menu("form")
    assert options.rows() == rows | {"tools": "ask"}
    answer = await options.house.ask(
        "is the kitchen light on?", context=Context(user_id=options.house.user_id)
    )
    assert answer["calls"] == [] or answer["calls"][0]["outcome"] == "ok"
