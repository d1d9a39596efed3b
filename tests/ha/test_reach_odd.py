"""Odd calls in a real house: what is pinned is what Home Assistant gets."""

from typing import Any, Final

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant, ServiceCall, SupportsResponse
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er
import orjson
import pytest

from custom_components.caesar.legion.canonical import canonical_json
from tests.ha.test_hostile import Arguments, call
from tests.ha.test_reach import ASKED, Attacked, attacked

__all__ = ["attacked"]

HALL: Final = "light.hall_light"
SURROGATE: Final = "\ud800"
PROBES: Final = """
version: 1
allowed_services:
  - {service: probe.answer, approval: never}
  - {service: probe.fail, approval: never}
  - light.turn_on
"""


def _deep(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value]
    return value


def _light(data: dict[Any, Any] | None = None, **target: Any) -> tuple[str, Arguments]:
    arguments = {"domain": "light", "service": "turn_on", "target": target}
    return "call_service", {**arguments, "data": data or {}}


async def test_odd_arguments_are_refused_on_record(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """Whatever JSON a model writes: nothing runs, and a row says why."""
    before = hass.states.get(HALL)
    tries = {
        "full-width dot": _light(entity_id="light．hall_light"),
        "zero width": _light(entity_id="light.hall_light\u200b"),
        "dotted capital i": _light(entity_id="LİGHT.HALL_LİGHT"),
        "right to left": _light(entity_id="\u202elight.hall_light"),
        "boolean": _light(entity_id=True),
        "number": _light(entity_id=[1]),
        "object": _light(entity_id={"entity_id": HALL}),
        "nested": _light(entity_id=[[HALL]]),
        "nothing": _light(entity_id="none"),
        "too many": _light(entity_id=[HALL] * 501),
        "deep": _light(entity_id=_deep(5_000)),
        "deep data": _light({"x": _deep(200_000)}, entity_id=HALL),
        "not a number": _light({"brightness": float("nan")}, entity_id=HALL),
        "infinite": _light({"brightness": float("inf")}, entity_id=HALL),
        "half a character": _light({SURROGATE: SURROGATE}, entity_id=HALL),
        "half an id": _light(entity_id=f"light.{SURROGATE}"),
        "half a tool": (f"{SURROGATE}__turn_on", {}),
        "half a read": ("find_entities", {"name": SURROGATE}),
        "endless number": _light({"brightness": 10**5_000}, entity_id=HALL),
        "wrong key": _light(Entity_ID=HALL),
        "wrong key in data": call("light.turn_on", None, ENTITY_ID=HALL),
        "wrong key by its own name": ("light__turn_on", {"Entity_Id": HALL}),
        "wrong key of a generic one": (
            "homeassistant__turn_on",
            {"Entity_ID": "lock.front_door"},
        ),
        "target in its own name": (
            "light__turn_on",
            {ATTR_ENTITY_ID: HALL, "target": {ATTR_ENTITY_ID: "lock.front_door"}},
        ),
        "dotted domain": ("light.turn_on__x", {ATTR_ENTITY_ID: HALL}),
        "no name": ("__turn_on", {}),
        "service with a space": call("light.turn on", {ATTR_ENTITY_ID: HALL}),
        "service with a dot": call("light.turn_on.x", {ATTR_ENTITY_ID: HALL}),
        "a longer dash": ("loc\u212a__unloc\u212a", {ATTR_ENTITY_ID: "lock.shed"}),
    }
    for name, attempt in tries.items():
        code = await attacked.code(*attempt)
        assert code != "allowed", name
        assert attacked.calls == [], name
        made = attacked.house.reports[-1]
        # What people, browsers and other programs get is JSON again.
        assert orjson.dumps(made.calls), name
        assert made.outcomes[0].error is not None, name
        assert made.outcomes[0].error.message.encode(), name
    assert hass.states.get(HALL) is before


async def test_what_is_pinned_is_what_home_assistant_gets(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """Every spelling that is allowed is sent as the entities that were decided."""
    entry = er.async_get(hass).async_get(HALL)
    assert entry is not None
    allowed = {
        "entity": _light(entity_id=HALL),
        "spaces that don't break": _light(entity_id=f"\u00a0{HALL}\u00a0"),
        "kelvin sign": _light(entity_id="light.\u212aitchen_light"),
        "registry id": _light(entity_id=entry.id),
        "twice": _light(entity_id=[HALL, HALL.upper(), entry.id]),
        "commas": _light(entity_id=f"{HALL},light.kitchen_light"),
        "area": _light(area_id="bedroom"),
        "floor and area": _light(floor_id="upstairs", area_id=["kitchen"]),
        "label": _light(label_id="cosy"),
        "group": _light(entity_id="light.garden_lights"),
        "data": call("light.turn_on", None, area_id="kitchen"),
        "own name": ("light__turn_on", {"area_id": "kitchen", "brightness": 9}),
        "shouted": ("LIGHT__TURN_ON", {ATTR_ENTITY_ID: HALL}),
        "generic": (
            "homeassistant__turn_on",
            {ATTR_ENTITY_ID: [HALL, "switch.kettle"]},
        ),
        "covers": call("cover.close_cover", {"area_id": "bedroom"}),
    }
    for name, attempt in allowed.items():
        code = await attacked.code(*attempt)
        assert code == "allowed", (name, code)
        outcome = attacked.house.reports[-1].outcomes[0]
        assert outcome.decision is not None
        pinned = outcome.decision.policy.pinned
        (_, sent), *below = attacked.calls
        assert tuple(sent[ATTR_ENTITY_ID]) == pinned == outcome.target, name
        assert not {"area_id", "floor_id", "label_id", "device_id"} & set(sent), name
        touched = {*outcome.decision.policy.touched, *pinned}
        for _, data in below:
            assert touched.issuperset(data[ATTR_ENTITY_ID]), (name, data)


@pytest.mark.parametrize("attacked", [PROBES], ids=["probes"], indirect=True)
async def test_odd_answers_of_services(hass: HomeAssistant, attacked: Attacked) -> None:
    """What a service answers or raises never loses the record of what it did."""
    answers: list[Any] = [
        {"nan": float("nan"), "inf": [float("-inf")]},
        {"half": SURROGATE, SURROGATE: 1},
        {"huge": 10**5_000, "object": object(), "set": {1}, 7: b"bytes"},
    ]
    errors: list[BaseException] = [
        HomeAssistantError("can't open /config/secrets.yaml of http://u:p@host:1/x"),
        KeyError(SURROGATE),
        RecursionError("deep"),
    ]

    async def answer(_: ServiceCall) -> Any:
        return answers.pop(0)

    async def fail(_: ServiceCall) -> Any:
        raise errors.pop(0)

    hass.services.async_register(
        "probe", "answer", answer, supports_response=SupportsResponse.OPTIONAL
    )
    hass.services.async_register("probe", "fail", fail)
    while answers:
        assert await attacked.code(*call("probe.answer")) == "allowed"
        report = attacked.house.reports[-1]
        [row] = await attacked.house.trail(report.decision_id)
        assert (row["verdict"], row["result"]) == ("go", "ok")
        assert canonical_json(report.outcomes[0].data).encode()
    while errors:
        assert await attacked.code(*call("probe.fail")) == "tool_error"
        report = attacked.house.reports[-1]
        [row] = await attacked.house.trail(report.decision_id)
        assert row["verdict"] == "go"
        assert row["result"] == "tool_error"
        error = report.outcomes[0].error
        assert error is not None
        assert "secrets" not in error.message
        assert "host" not in error.message


async def test_an_odd_state_is_still_told(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """An integration's NaN or broken text in a state breaks no read and no call."""
    state = hass.states.get(HALL)
    assert state is not None
    odd = {**state.attributes, "temperature": float("nan"), "source": SURROGATE}
    hass.states.async_set(HALL, "on", odd)
    assert await attacked.code("get_state", {ATTR_ENTITY_ID: [HALL]}) == "allowed"
    assert await attacked.code(*_light(entity_id=HALL)) == "allowed"


async def test_everyday_refuses_what_nobody_listed(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """Services that could do anything, speak, tell or break are out of reach."""
    hall = {ATTR_ENTITY_ID: HALL}
    tries = [
        call("homeassistant.update_entity", hall),
        call("homeassistant.reload_all"),
        call("homeassistant.stop"),
        call("homeassistant.reload_config_entry", {"device_id": "x"}),
        call("persistent_notification.create", None, message="hi"),
        call("notify.persistent_notification", None, message="hi"),
        call("system_log.write", None, message="hi"),
        call("logger.set_level", None, caesar="fatal"),
        call("recorder.purge", None, keep_days=0),
        call("python_script.x"),
        call("shell_command.x"),
        call("scene.create", None, scene_id="x", entities={HALL: "on"}),
        call("group.set", None, object_id="x", entities=[HALL]),
        call("group.remove", None, object_id="x"),
        call("tts.speak", {ATTR_ENTITY_ID: "tts.x"}, message="hi"),
        call("assist_satellite.announce", {ATTR_ENTITY_ID: HALL}, message="hi"),
        call("todo.remove_item", {ATTR_ENTITY_ID: "todo.shopping_list"}, item="x"),
        call("vacuum.send_command", {"area_id": "hall"}, command="x"),
        call("caesar.reload_policy"),
        call("climate.set_temperature", {"area_id": "bedroom"}, temperature=[20]),
        call("climate.set_temperature", {"area_id": "bedroom"}, temperature="20"),
        call("climate.set_temperature", {"area_id": "bedroom"}, temperature=True),
        call("climate.set_temperature", {"area_id": "bedroom"}, temperature=35),
        call("climate.set_temperature", {"area_id": "bedroom"}, Temperature=35),
        call("weather.get_forecasts", {ATTR_ENTITY_ID: "lock.cellar_door"}),
        call("light.turn_on", {ATTR_ENTITY_ID: "lock.front_door"}),
    ]
    for attempt in tries:
        code = await attacked.code(*attempt)
        assert code != "allowed", attempt
        assert attacked.calls == [], attempt


async def test_a_class_that_a_person_gave_counts(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """A blind that somebody made a gate, and one that moved, are judged as they are."""
    blind = "cover.bedroom_blind"
    toggle = call("cover.toggle", {ATTR_ENTITY_ID: blind})
    assert await attacked.code(*toggle) == "allowed"
    registry = er.async_get(hass)
    registry.async_update_entity(blind, device_class="gate")
    assert await attacked.code(*toggle) == ASKED
    room = call("cover.toggle", {"area_id": "bedroom"})
    assert await attacked.code(*room) == ASKED
    registry.async_update_entity(blind, device_class=None)
    assert await attacked.code(*room) == "allowed"
    registry.async_update_entity(blind, new_entity_id="cover.renamed")
    await hass.async_block_till_done()
    assert await attacked.code(*toggle) == "malformed_target"
    assert await attacked.code(*room) == "allowed"
