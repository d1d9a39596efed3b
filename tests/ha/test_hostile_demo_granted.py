"""Beside the guarded demo devices: what is granted works, asked for and approved too.

A house in which everything is refused would pass the list of hostile inputs as well.
"""

from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from homeassistant.components.demo import lock as demo_lock, valve as demo_valve
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Context, HomeAssistant
import pytest

from tests.ha.approvals import approvals, until, waiting
from tests.ha.demo_platforms import ALARM, CODE, FRONT, GARAGE, LIGHT, Demo
from tests.ha.house import CaesarHouse
from tests.ha.test_hostile import call
from tests.ha.test_hostile_demo import NEIGHBOURS, another_policy, demo, house

__all__ = ["demo", "house"]

type Works = tuple[str, str | list[str], dict[str, Any], str, str]

UNDER_EVERYDAY: Final[list[Works]] = [
    ("light.turn_on", LIGHT, {}, LIGHT, "on"),
    ("light.turn_off", "light.good_lamps", {}, "light.kitchen_lights", "off"),
    ("cover.open_cover", "cover.kitchen_window", {}, "cover.kitchen_window", "open"),
    ("climate.set_hvac_mode", "climate.hvac", {"hvac_mode": "heat"}, "", "heat"),
    ("fan.turn_on", "fan.ceiling_fan", {}, "fan.ceiling_fan", "on"),
    ("humidifier.turn_off", "humidifier.hygrostat", {}, "humidifier.hygrostat", "off"),
    ("vacuum.start", "vacuum.demo_vacuum_0_ground_floor", {}, "", "cleaning"),
    ("lawn_mower.pause", "lawn_mower.mower_can_pause", {}, "", "paused"),
    ("media_player.media_pause", "media_player.walkman", {}, "", "paused"),
    ("switch.turn_on", "switch.plain_switch", {}, LIGHT, "on"),
    ("todo.add_item", "todo.shopping_list", {"item": "Milk"}, "", "1"),
    ("scene.turn_on", "scene.evening", {}, LIGHT, "on"),
    ("script.turn_on", "script.evening", {}, LIGHT, "on"),
    ("homeassistant.toggle", [LIGHT, "switch.ac"], {}, "switch.ac", "on"),
]
UNDER_NEIGHBOURS: Final[list[Works]] = [
    ("lock.lock", "lock.doors", {}, FRONT, "locked"),
    ("lock.unlock", "lock.openable_lock", {}, "", "unlocked"),
    ("cover.open_cover", "cover.kitchen_window", {}, "cover.kitchen_window", "open"),
    ("valve.close_valve", "valve.front_garden", {}, "", "closed"),
    ("valve.open_valve", "valve.front_garden", {}, "", "open"),
    ("button.press", "button.push", {}, "", "20"),
    ("light.turn_on", LIGHT, {}, LIGHT, "on"),
    ("homeassistant.turn_off", LIGHT, {}, LIGHT, "off"),
    ("scene.turn_on", "scene.evening", {}, LIGHT, "on"),
    ("scene.apply", [], {"entities": {LIGHT: "off"}}, LIGHT, "off"),
    ("script.evening", [], {}, LIGHT, "on"),
    ("switch.turn_on", "switch.ac", {}, "switch.ac", "on"),
    ("notify.send_message", "notify.mybox_personal_notifier", {"message": "x"}, "", ""),
]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let locks and valves take no time."""
    monkeypatch.setattr(demo_lock, "LOCK_UNLOCK_DELAY", 0)
    monkeypatch.setattr(demo_valve, "OPEN_CLOSE_DELAY", 0)


def is_so(house: CaesarHouse, entity_id: str, state: str) -> bool:
    """Return whether an entity is in a state."""
    return house.state(entity_id) == state


async def _all_work(house: CaesarHouse, calls: list[Works]) -> None:
    """Fail unless each call happens, and the entity (its own) gets into a state."""
    for service, entity_id, data, shown, state in calls:
        target = {ATTR_ENTITY_ID: entity_id} if entity_id else None
        report = await house.obey(*call(service, target, **data))
        await house.hass.async_block_till_done()
        [made] = report.calls
        assert (made["verdict"], made["outcome"]) == ("allow", "ok"), (service, made)
        [row] = await house.trail(report.decision_id)
        assert (row["verdict"], row["result"]) == ("go", "ok"), (service, row)
        if own := shown or (entity_id if isinstance(entity_id, str) else ""):
            assert house.state(own).startswith(state), (service, house.state(own))


async def test_what_is_granted_works(house: CaesarHouse, demo: Demo) -> None:
    """Under the everyday policy and under the one beside the guarded things."""
    await _all_work(house, UNDER_EVERYDAY)
    await another_policy(house, NEIGHBOURS)
    await _all_work(house, UNDER_NEIGHBOURS)
    assert house.state(FRONT) == "locked"
    assert house.state(GARAGE) == "closed"


async def test_what_is_approved_happens(house: CaesarHouse, demo: Demo) -> None:
    """What the list was refused for: a yes of the owner, once, and it is done."""
    owner = Context(user_id=house.user_id)
    disarm = {"code": CODE}
    for service, entity_id, data, state in (
        ("lock.unlock", FRONT, {}, "unlocked"),
        ("cover.open_cover", GARAGE, {}, "open"),
        ("alarm_control_panel.alarm_disarm", ALARM, disarm, "disarmed"),
    ):
        await house.obey(*call(service, {ATTR_ENTITY_ID: entity_id}, **data))
        [pending] = waiting(house)
        said = {"approval_id": pending.id}
        await house.hass.services.async_call(
            "caesar", "approve", said, blocking=True, context=owner
        )
        await until(house, partial(is_so, house, entity_id, state))
        assert waiting(house) == ()


async def test_what_is_said_to_the_built_in_brain(
    house: CaesarHouse, demo: Demo
) -> None:
    """HassTurnOff of a lock is an unlocking, and so is its plain word (item 1)."""
    demo.listen()
    tools = set()
    for text in (
        "unlock the front door",
        "turn off the basic lock",
        "open the garage door",
        "open the orchard",
        "activate welcome",
        "run let in",
        "press the door opener",
        "turn on the odd light",
    ):
        answer = await house.ask(text)
        for made in answer["calls"]:
            assert made["outcome"] == "none", (text, made)
            tools.add(made["tool"])
        for pending in waiting(house):
            await approvals(house).desk.withdraw(pending.id)
    assert [each for each in demo.calls if not each.startswith("caesar.")] == []
    assert demo.moved == []
    assert {"lock.unlock", "cover.open_cover", "scene.turn_on"} <= tools


MAKING: Final = """
version: 1
allowed_services:
  - {service: scene.create, approval: never}
  - scene.turn_on
  - {service: automation.trigger, approval: always}
"""


async def test_a_scene_made_first_and_activated_later(
    hass: HomeAssistant, house: CaesarHouse, demo: Demo
) -> None:
    """Making one is granted; what it does is looked at when it is activated (item 5)."""
    await another_policy(house, MAKING)
    activate = call("scene.turn_on", {ATTR_ENTITY_ID: "scene.mine"})
    for made in (
        {"entities": {LIGHT: "on"}},
        {"entities": {LIGHT: "on", FRONT: "unlocked"}},
        {"snapshot_entities": ["lock.kitchen_door"]},
    ):
        created = await house.obey(*call("scene.create", None, scene_id="mine", **made))
        assert created.calls[0]["outcome"] == "ok", made
        started = await house.obey(*activate)
        if len(made.get("entities", ())) == 1:
            assert started.calls[0]["outcome"] == "ok"
            assert house.state(LIGHT) == "on"
            demo.listen()
            continue
        assert started.calls[0]["verdict"] == "ask", made
        [pending] = waiting(house)
        await approvals(house).desk.withdraw(pending.id)
    assert [each for each in demo.calls if each != "scene.create"] == []
    assert house.state(FRONT) == "locked"


BLUEPRINT: Final = """
blueprint: {name: Comes home, domain: automation}
triggers: [{trigger: event, event_type: car}]
actions: [ACTION]
"""


async def test_a_blueprint_edited_after_the_question(
    hass: HomeAssistant, house: CaesarHouse, demo: Demo
) -> None:
    """The yes was for what it did then; now it would unlock (item 8)."""
    path = Path(hass.config.path("blueprints/automation/home.yaml"))

    def write(action: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BLUEPRINT.replace("ACTION", action))

    async def load() -> None:
        made = {"alias": "Comes home", "use_blueprint": {"path": "home.yaml"}}
        with patch(
            "homeassistant.config.load_yaml_config_file",
            return_value={"automation": [made]},
        ):
            await hass.services.async_call("automation", "reload", blocking=True)
        await hass.async_block_till_done()

    await hass.async_add_executor_job(
        write, f"{{action: light.turn_on, target: {{entity_id: {LIGHT}}}}}"
    )
    await load()
    async_expose_entity(hass, "conversation", "automation.comes_home", True)
    await another_policy(house, MAKING)
    trigger = call("automation.trigger", {ATTR_ENTITY_ID: "automation.comes_home"})
    asked = await house.obey(*trigger)
    assert asked.calls[0]["verdict"] == "ask"
    [pending] = waiting(house)
    await hass.async_add_executor_job(
        write, f"{{action: lock.unlock, target: {{entity_id: {FRONT}}}}}"
    )
    await load()
    demo.listen()
    await hass.services.async_call(
        "caesar",
        "approve",
        {"approval_id": pending.id},
        blocking=True,
        context=Context(user_id=house.user_id),
    )
    await until(house, lambda: pending not in waiting(house))
    await hass.async_block_till_done()
    assert not [each for each in demo.calls if each != "caesar.approve"]
    assert house.state(FRONT) == "locked"
    assert demo.events == []
