"""Commands: from what was heard to the calls to ask for."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from homeassistant.components.vacuum import VacuumEntityFeature
from homeassistant.const import ATTR_SUPPORTED_FEATURES
from homeassistant.core import State
from homeassistant.helpers import area_registry as ar, intent
from homeassistant.util import color as color_util

from ...legion.canonical import Json
from .calls import ONE_WAY, SWITCHABLE, service_request, state_request, switch_requests
from .match import Ask, Found, find, shared, spoken_names, which
from .plan import Follow, Job, Kind, Request, say

_ONE_DOMAIN_ANSWERS: Final = ("cover", "lock", "scene", "script", "valve")
_WARMER: Final = Follow(
    domain="climate",
    service="set_temperature",
    attribute="temperature",
    delta=1,
    low=5,
    high=35,
)
_LIST_WORDS: Final = ("shopping", "grocer", "einkauf", "besorgung")


def act(ask: Ask, states: tuple[State, ...], requests: tuple[Request, ...]) -> Job:
    """Return a job whose answer tells what came of the calls."""
    return Job(
        kind=Kind.ACT,
        intent=ask.heard.intent,
        response=ask.heard.response,
        requests=requests,
        texts=dict(ask.heard.texts),
        names=spoken_names(ask, states),
    )


def switch(ask: Ask) -> Job:
    """Turn on, turn off, toggle: whatever that is for each domain."""
    response = ask.heard.response
    domains = {response} if response in _ONE_DOMAIN_ANSWERS else SWITCHABLE
    found = find(ask, domains)
    if isinstance(found, Job):
        return found
    states = found.states
    if ask.heard.intent != "HassTurnOn":
        states = tuple(state for state in states if state.domain not in ONE_WAY)
        if not states:
            return say("brain_cannot_turn_off")
    return act(ask, states, switch_requests(ask.heard.intent, states))


def _one_service(domain: str, service: str, **fields: str) -> Callable[[Ask], Job]:
    """Return a resolver for one service; `fields` maps its data to slots."""

    def resolve(ask: Ask) -> Job:
        found = find(ask, (domain,))
        if isinstance(found, Job):
            return found
        data = {field: _number(ask, slot) for field, slot in fields.items()}
        request = service_request(domain, service, found.ids, data)
        return act(ask, found.states, (request,))

    return resolve


def _number(ask: Ask, slot: str) -> Json:
    value = ask.heard.slots[slot]
    if isinstance(value, int | float):
        return int(value) if float(value).is_integer() else float(value)
    return str(value)


def light_set(ask: Ask) -> Job:
    """Set brightness, colour or colour temperature."""
    found = find(ask, ("light",))
    if isinstance(found, Job):
        return found
    data: dict[str, Json] = {}
    if "brightness" in ask.heard.slots:
        data["brightness_pct"] = _number(ask, "brightness")
    if "temperature" in ask.heard.slots:
        data["color_temp_kelvin"] = _number(ask, "temperature")
    if color := ask.heard.string("color"):
        try:
            data["rgb_color"] = list(color_util.color_name_to_rgb(color))
        except ValueError:
            return say("brain_unknown_colour", color=ask.heard.texts["color"])
    if not data:
        return say("brain_nothing_shared")
    request = service_request("light", "turn_on", found.ids, data)
    return act(ask, found.states, (request,))


def light_step(ask: Ask) -> Job:
    """Make lights brighter or darker by a step."""
    found = find(ask, ("light",))
    if isinstance(found, Job):
        return found
    data = {"brightness_step_pct": _number(ask, "step")}
    request = service_request("light", "turn_on", found.ids, data)
    return act(ask, found.states, (request,))


def climate_set(ask: Ask) -> Job:
    """Set a target temperature; without a room only if there is one thermostat."""
    found = _thermostats(ask)
    if isinstance(found, Job):
        return found
    data = {"temperature": _number(ask, "temperature")}
    request = service_request("climate", "set_temperature", found.ids, data)
    return act(ask, found.states, (request,))


def climate_step(ask: Ask) -> Job:
    """Make it warmer or colder: read the target first, then set it."""
    found = _thermostats(ask)
    if isinstance(found, Job):
        return found
    return step_climates(ask, found.states, float(ask.heard.slots["step"]))


def step_climates(ask: Ask, states: tuple[State, ...], up: float) -> Job:
    """Read what these are set to first, then set them warmer or colder."""
    ids = tuple(state.entity_id for state in states)
    return Job(
        kind=Kind.FOLLOW,
        intent=ask.heard.intent,
        requests=(state_request(ids),),
        texts=dict(ask.heard.texts),
        names=spoken_names(ask, states),
        follow=replace(_WARMER, delta=up * _WARMER.delta),
    )


def _thermostats(ask: Ask) -> Found | Job:
    if any(ask.heard.string(slot) for slot in ("name", "area", "floor")):
        return find(ask, ("climate",))
    states = shared(ask, ("climate",), area_id=ask.caller.area_id)
    states = states or shared(ask, ("climate",))
    if len(states) > 1 and ask.only is None:
        return which(ask, states)
    return Found(states=states) if states else say("brain_nothing_shared")


def position(ask: Ask) -> Job:
    """Set how far covers and valves are open."""
    found = find(ask, ("cover", "valve"))
    if isinstance(found, Job):
        return found
    data = {"position": _number(ask, "position")}
    return act(
        ask,
        found.states,
        _by_domain(
            found.states,
            {"cover": "set_cover_position", "valve": "set_valve_position"},
            data,
        ),
    )


def stop_moving(ask: Ask) -> Job:
    """Stop covers and valves."""
    found = find(ask, ("cover", "valve"))
    if isinstance(found, Job):
        return found
    services = {"cover": "stop_cover", "valve": "stop_valve"}
    return act(ask, found.states, _by_domain(found.states, services))


def _by_domain(
    states: tuple[State, ...],
    services: Mapping[str, str],
    data: Mapping[str, Json] | None = None,
) -> tuple[Request, ...]:
    return tuple(
        service_request(domain, service, ids, data)
        for domain, service in services.items()
        if (ids := tuple(s.entity_id for s in states if s.domain == domain))
    )


def alarm(ask: Ask) -> Job:
    """Arm or disarm the alarm."""
    domain = "alarm_control_panel"
    found = find(ask, (domain,))
    if isinstance(found, Job):
        return found
    if len(found.states) > 1 and ask.only is None:
        return which(ask, found.states)
    service = str(ask.heard.slots["service"])
    return act(ask, found.states, (service_request(domain, service, found.ids),))


def vacuum_start(ask: Ask) -> Job:
    """Start a vacuum cleaner; a floor does not choose between cleaners."""
    if ask.heard.string("name"):
        return _one_service("vacuum", "start")(ask)
    states = shared(ask, ("vacuum",))
    if not states:
        return say("brain_nothing_shared")
    ids = tuple(state.entity_id for state in states)
    return act(ask, states, (service_request("vacuum", "start", ids),))


def vacuum_area(ask: Ask) -> Job:
    """Clean one room, with the cleaners that can."""
    areas = list(
        intent.find_areas(ask.heard.string("area") or "", ar.async_get(ask.hass))
    )
    if not areas:
        return say("brain_unknown_area", area=ask.heard.texts.get("area", ""))
    name = ask.heard.string("name")
    states = tuple(
        state
        for state in shared(ask, ("vacuum",))
        if not name or state.name.casefold() == name.casefold()
    )
    if not states:
        return say("brain_nothing_shared")
    able = tuple(
        state
        for state in states
        if state.attributes.get(ATTR_SUPPORTED_FEATURES, 0)
        & VacuumEntityFeature.CLEAN_AREA
    )
    if not able:
        return say("brain_no_room_cleaning", name=states[0].name)
    ids = tuple(state.entity_id for state in able)
    data: dict[str, Json] = {"cleaning_area_id": [area.id for area in areas]}
    return act(ask, able, (service_request("vacuum", "clean_area", ids, data),))


def list_change(ask: Ask) -> Job:
    """Add, check off or remove an item of a to-do list."""
    found = todo_list(ask)
    if isinstance(found, Job):
        return found
    item = (ask.heard.string("item") or "").strip()
    if "AddItem" in ask.heard.intent:
        request = service_request("todo", "add_item", found.ids, {"item": item})
    elif "CompleteItem" in ask.heard.intent:
        data: dict[str, Json] = {"item": item, "status": "completed"}
        request = service_request("todo", "update_item", found.ids, data)
    else:
        request = service_request("todo", "remove_item", found.ids, {"item": [item]})
    return act(ask, found.states, (request,))


def todo_list(ask: Ask) -> Found | Job:
    """Return the list that is named; the shopping list if none is."""
    if ask.heard.string("name"):
        return find(ask, ("todo",))
    states = shared(ask, ("todo",))
    shopping = tuple(
        state
        for state in states
        if any(
            word in f"{state.entity_id} {state.name}".casefold() for word in _LIST_WORDS
        )
    )
    chosen = shopping or states
    if not chosen:
        return say("brain_nothing_shared")
    if len(chosen) > 1 and ask.only is None:
        return which(ask, chosen)
    return Found(states=chosen)


def broadcast(ask: Ask) -> Job:
    """Say something through all satellites but the one that was spoken to."""
    domain = "assist_satellite"
    states = shared(ask, (domain,)) or tuple(ask.hass.states.async_all(domain))
    others = tuple(s for s in states if s.entity_id != ask.caller.satellite_id)
    if not others:
        return say("broadcast_nowhere")
    ids = tuple(state.entity_id for state in others)
    data = {"message": (ask.heard.string("message") or "").strip()}
    return act(ask, others, (service_request(domain, "announce", ids, data),))


ORDERS: Final[dict[str, Callable[[Ask], Job]]] = {
    "CaesarAlarm": alarm,
    "CaesarClimateStep": climate_step,
    "CaesarLightStep": light_step,
    "HassBroadcast": broadcast,
    "HassClimateSetFanMode": _one_service(
        "climate", "set_fan_mode", fan_mode="fan_mode"
    ),
    "HassClimateSetTemperature": climate_set,
    "HassFanSetSpeed": _one_service("fan", "set_percentage", percentage="percentage"),
    "HassHumidifierMode": _one_service("humidifier", "set_mode", mode="mode"),
    "HassHumidifierSetpoint": _one_service(
        "humidifier", "set_humidity", humidity="humidity"
    ),
    "HassLawnMowerDock": _one_service("lawn_mower", "dock"),
    "HassLawnMowerStartMowing": _one_service("lawn_mower", "start_mowing"),
    "HassLightSet": light_set,
    "HassListAddItem": list_change,
    "HassListCompleteItem": list_change,
    "HassListRemoveItem": list_change,
    "HassSetPosition": position,
    "HassShoppingListAddItem": list_change,
    "HassShoppingListCompleteItem": list_change,
    "HassStopMoving": stop_moving,
    "HassToggle": switch,
    "HassTurnOff": switch,
    "HassTurnOn": switch,
    "HassVacuumCleanArea": vacuum_area,
    "HassVacuumReturnToBase": _one_service("vacuum", "return_to_base"),
    "HassVacuumStart": vacuum_start,
}
