"""The page's commands over the real websocket: for admins, and never a crash."""

from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.components import websocket_api
from homeassistant.components.homeassistant.exposed_entities import async_should_expose
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import device_registry as dr
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.typing import (
    MockHAClientWebSocket,
    WebSocketGenerator,
)

from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import WorkerAddress
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in

# One of each command, with what it must have.
MESSAGES: Final[dict[str, dict[str, Any]]] = {
    "caesar/waiting": {},
    "caesar/answer": {"approval_id": "nobody asked", "yes": True},
    "caesar/watch": {},
    "caesar/trail": {},
    "caesar/refused": {},
    "caesar/refused/rule": {"seq": 1, "grant": "allow"},
    "caesar/refused/once": {"seq": 1},
    "caesar/unshared": {},
    "caesar/unshared/share": {"entity_id": "light.path_light"},
    "caesar/policy": {},
    "caesar/policy/check": {"text": "version: 1"},
    "caesar/policy/simulate": {"text": "version: 1"},
    "caesar/policy/save": {"text": "version: 1", "revision": None},
    "caesar/policy/undo": {},
    "caesar/explain": {"tool": "lock.unlock"},
    "caesar/house": {},
}
FAILS: Final = {
    "caesar/answer": "unknown_approval",
    "caesar/refused/rule": "unknown_refusal",
    "caesar/refused/once": "unknown_refusal",
    "caesar/unshared/share": "unknown_refusal",
    "caesar/policy/save": "policy_file_changed",
    "caesar/policy/undo": "policy_nothing_kept",
}
LIGHT: Final = "light.kitchen_light"


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return the demo house with a websocket in front of it."""
    await async_build_house(hass)
    assert await async_setup_component(hass, "websocket_api", {})
    return await async_move_in(hass, hass_admin_user.id)


async def ask(
    client: MockHAClientWebSocket, name: str, **fields: Any
) -> dict[str, Any]:
    """Return the whole answer to a command."""
    await client.send_json_auto_id({"type": name, **fields})
    answer: dict[str, Any] = await client.receive_json()
    return answer


async def result(client: MockHAClientWebSocket, name: str, **fields: Any) -> Any:
    """Return the result of a command that must succeed."""
    answer = await ask(client, name, **fields)
    assert answer["success"], answer
    return answer["result"]


def test_every_command_is_among_these(hass: HomeAssistant, house: CaesarHouse) -> None:
    """A new one is tried by people who aren't admins, too."""
    known = hass.data[websocket_api.const.DOMAIN]
    assert {name for name in known if name.startswith("caesar/")} == set(MESSAGES)


async def test_only_admins(
    hass: HomeAssistant,
    house: CaesarHouse,
    hass_ws_client: WebSocketGenerator,
    hass_read_only_access_token: str,
) -> None:
    """Everybody else is refused by each command, and it says nothing of the house."""
    client = await hass_ws_client(hass, hass_read_only_access_token)
    for name, fields in MESSAGES.items():
        answer = await ask(client, name, **fields)
        assert answer["error"]["code"] == "unauthorized", name
        assert "result" not in answer


async def test_each_command_answers_or_says_why_not(
    hass: HomeAssistant, house: CaesarHouse, hass_ws_client: WebSocketGenerator
) -> None:
    """For an admin: a result, or an error of ours that the page can translate."""
    client = await hass_ws_client(hass)
    for name, fields in MESSAGES.items():
        answer = await ask(client, name, **fields)
        if name in FAILS:
            assert answer["error"]["translation_domain"] == "caesar", name
            assert answer["error"]["translation_key"] == FAILS[name], name
        else:
            assert answer["success"], answer
    await hass.config_entries.async_unload(house.entry.entry_id)
    for name, fields in MESSAGES.items():
        answer = await ask(client, name, **fields)
        assert answer["error"]["translation_key"] == "not_loaded", name


async def test_bad_messages_are_named(
    hass: HomeAssistant, house: CaesarHouse, hass_ws_client: WebSocketGenerator
) -> None:
    """What doesn't fit is refused before anything is looked at."""
    client = await hass_ws_client(hass)
    for name, fields in (
        ("caesar/trail", {"limit": 100_000}),
        ("caesar/trail", {"before": "1; DROP TABLE audit_log"}),
        ("caesar/trail", {"language": "../../secrets"}),
        ("caesar/answer", {"approval_id": "x"}),
        ("caesar/explain", {"tool": ""}),
        ("caesar/policy/check", {"text": "x" * 2_200_000}),
    ):
        answer = await ask(client, name, **fields)
        assert answer["error"]["code"] == "invalid_format", (name, fields)
    problems = await result(client, "caesar/policy/check", text="version: 1\nalow: []")
    assert problems["problems"][0]["line"] == 2


async def test_what_happened_is_told_and_paged(
    hass: HomeAssistant, house: CaesarHouse, hass_ws_client: WebSocketGenerator
) -> None:
    """Who, what, the rule with its line, and what came of it; newest first."""
    client = await hass_ws_client(hass)
    await house.obey("light__turn_on", {"entity_id": LIGHT})
    await house.obey("switch__turn_on", {"entity_id": "switch.nothing"})
    await house.obey("light__turn_on", {"entity_id": LIGHT}, Context(user_id=None))
    rows = await result(client, "caesar/trail", limit=50)
    assert [row["seq"] for row in rows] == sorted(
        (row["seq"] for row in rows), reverse=True
    )
    done = rows[-1]
    assert done["entities"] == ["Kitchen light"]
    assert done["action"] == "turn on Kitchen light"
    assert (done["verdict"], done["result"]) == ("go", "ok")
    assert done["line_now"] and done["line"] > 1
    text = (await result(client, "caesar/policy"))["text"]
    assert "light.turn_on" in text.splitlines()[done["line"] - 1]
    german = await result(client, "caesar/trail", language="de-CH", seq=done["seq"])
    assert german[0]["action"] == "Kitchen light einschalten"

    refused = await result(client, "caesar/trail", refused=True)
    assert {row["verdict"] for row in refused} == {"deny"}
    assert all(row["why"] for row in refused)
    assert await result(client, "caesar/trail", tool="switch") == [
        row for row in rows if "switch" in row["tool"]
    ]
    mine = await result(client, "caesar/trail", user_id=house.user_id)
    assert 0 < len(mine) < len(rows)
    first = await result(client, "caesar/trail", limit=1)
    rest = await result(client, "caesar/trail", before=first[0]["seq"])
    assert first + rest == rows


async def test_what_was_refused_says_what_a_rule_would_mean(
    hass: HomeAssistant, house: CaesarHouse, hass_ws_client: WebSocketGenerator
) -> None:
    """As the options say it: a door's rule asks, and what is allowed now is no refusal."""
    client = await hass_ws_client(hass)
    policy = (await result(client, "caesar/policy"))["text"]
    save = {"text": "version: 1\nallowed_services: []\n"}
    revision = (await result(client, "caesar/policy"))["revision"]
    saved = await result(client, "caesar/policy/save", revision=revision, **save)
    await house.obey("lock__unlock", {"entity_id": "lock.front_door"})
    await house.obey("light__turn_on", {"entity_id": LIGHT})
    light, lock = await result(client, "caesar/refused")
    assert "opens the house" in lock["note"]
    assert light["note"] == ""
    assert light["why"]
    await result(client, "caesar/policy/save", text=policy, revision=saved["revision"])
    light, lock = await result(client, "caesar/refused")
    assert "doesn't refuse it any more" in light["why"]
    assert light["note"] == ""


async def test_what_is_not_shared_can_be_shared(
    hass: HomeAssistant, house: CaesarHouse, hass_ws_client: WebSocketGenerator
) -> None:
    """What was asked for, by an admin, and nothing else."""
    hidden = "light.path_light"
    client = await hass_ws_client(hass)
    assert await result(client, "caesar/unshared") == []
    for _ in range(2):
        await house.obey("light__turn_on", {"entity_id": hidden})
    listed = await result(client, "caesar/unshared")
    assert listed == [{"entity_id": hidden, "name": "Path light", "count": 2}]
    other = await ask(client, "caesar/unshared/share", entity_id="lock.shed")
    assert other["error"]["translation_key"] == "unknown_refusal"
    assert await result(client, "caesar/unshared/share", entity_id=hidden) == {}
    assert async_should_expose(hass, "conversation", hidden)
    assert await result(client, "caesar/unshared") == []
    again = await ask(client, "caesar/unshared/share", entity_id=hidden)
    assert again["error"]["translation_key"] == "unknown_refusal"
    report = await house.obey("light__turn_on", {"entity_id": hidden})
    assert report.outcomes[0].executed


async def test_pages_leave_nothing_out(
    hass: HomeAssistant, house: CaesarHouse, hass_ws_client: WebSocketGenerator
) -> None:
    """Page by page the same rows come as at once, while others are written."""
    client = await hass_ws_client(hass)
    for _ in range(5):
        await house.obey("light__turn_on", {"entity_id": LIGHT})
    every = [row["seq"] for row in await result(client, "caesar/trail")]
    paged = [row["seq"] for row in await result(client, "caesar/trail", limit=2)]
    while len(paged) < len(every):
        await house.obey("light__turn_on", {"entity_id": LIGHT})
        page = await result(client, "caesar/trail", limit=2, before=paged[-1])
        paged += [row["seq"] for row in page]
    assert paged == every


async def test_it_is_told_when_something_happens(
    hass: HomeAssistant, house: CaesarHouse, hass_ws_client: WebSocketGenerator
) -> None:
    """An open page looks again; one that was closed is forgotten."""
    client = await hass_ws_client(hass)
    before = hass.bus.async_listeners()
    await result(client, "caesar/watch")
    await house.obey("light__turn_on", {"entity_id": LIGHT})
    event = await client.receive_json()
    assert event["event"] == {"changed": "trail"}
    await client.close()
    await hass.async_block_till_done()
    after = hass.bus.async_listeners()
    ours = {name for name in after if str(name).startswith("caesar_")}
    assert all(after[name] == before.get(name, 0) for name in ours)


@pytest.mark.parametrize(
    ("language", "name"),
    [("en", "CAESAR's own worker"), ("de", "CAESARs eigener Worker")],
)
async def test_the_local_worker_is_called_what_its_device_is(
    hass: HomeAssistant,
    house: CaesarHouse,
    hass_ws_client: WebSocketGenerator,
    language: str,
    name: str,
) -> None:
    """In the house's language."""
    hass.config.language = language
    house.entry.runtime_data.workers.async_set_local(
        "Local worker",
        WorkerAddress(
            url="http://127.0.0.1:9",
            public_key=Identity.generate().public_key,
        ),
    )
    shown = await result(await hass_ws_client(hass), "caesar/house")
    assert [each["name"] for each in shown["workers"]] == [name]


async def test_devices_lead_to_the_page(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Those of the house and of its agents, in Home Assistant's own list."""
    devices = dr.async_entries_for_config_entry(
        dr.async_get(hass), house.entry.entry_id
    )
    links = [each.configuration_url for each in devices if each.configuration_url]
    assert links == ["homeassistant://caesar/trail"] * 2
