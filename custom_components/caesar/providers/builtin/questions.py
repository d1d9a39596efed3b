"""Questions: from what was heard to the reads to ask for."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from homeassistant.core import State
from homeassistant.helpers import area_registry as ar, intent
from homeassistant.util import dt as dt_util

from ...legion.canonical import Json
from .calls import service_request, state_request
from .match import Ask, Found, find, shared, spoken_names
from .orders import todo_list
from .plan import Job, Kind, Request, say

_ONE_BY_ONE: Final = ("default", "one", "one_yesno", "where")
# What a cover calls open, a contact sensor calls on.
_CONTACT_STATES: Final = {"open": "on", "closed": "off"}
_CONTACT_CLASSES: Final = {
    "door": ("door",),
    "garage": ("garage_door",),
    "gate": ("opening",),
    "window": ("window",),
}
_PRESENCE: Final = ("motion", "occupancy", "presence")
_OUTSIDE: Final = ("outdoor", "outside", "außen", "aussen", "draußen", "draussen")


def state(ask: Ask) -> Job:
    """Answer which, whether any, whether all, how many, or what one is."""
    found = find(ask)
    if isinstance(found, Job) and ask.heard.strings("device_class") == ("occupancy",):
        # Rooms rarely have a sensor for people, but often one for motion.
        slots = {**ask.heard.slots, "device_class": _PRESENCE}
        found = find(replace(ask, heard=replace(ask.heard, slots=slots)))
    wanted = ask.heard.strings("state")
    contacts = _contacts(ask)
    if isinstance(found, Job):
        if not contacts:
            return found
        found = Found(states=())
    if contacts:
        wanted = (*wanted, *(_CONTACT_STATES.get(state, state) for state in wanted))
        found = Found(states=(*found.states, *contacts), area_ids=found.area_ids)
    return Job(
        kind=Kind.STATE,
        intent=ask.heard.intent,
        response=ask.heard.response,
        requests=(_read(ask, found, wanted),),
        texts=dict(ask.heard.texts),
        wanted=wanted,
        names=spoken_names(ask, found.states) if ask.heard.string("name") else {},
    )


def _read(ask: Ask, found: Found, wanted: tuple[str, ...]) -> Request:
    """Return the smallest read: what matches is enough unless all are asked about."""
    heard = ask.heard
    alone = wanted[0] if len(wanted) == 1 else None
    if alone is None or heard.response in (*_ONE_BY_ONE, "all"):
        return state_request(found.ids)
    domains = heard.strings("domain")
    narrow = any(heard.string(slot) for slot in ("name", "floor", "device_class"))
    if narrow or len(domains) != 1 or len(found.area_ids) > 1:
        return state_request(found.ids, alone)
    arguments: dict[str, Json] = {"domain": domains[0], "state": alone}
    if found.area_ids:
        arguments["area_id"] = found.area_ids[0]
    return Request(tool="get_state", arguments=arguments, entities=found.ids)


def _contacts(ask: Ask) -> tuple[State, ...]:
    """Return the contact sensors that a question about covers means as well."""
    heard = ask.heard
    if heard.strings("domain") != ("cover",) or heard.string("name"):
        return ()
    classes = [
        contact
        for cover in heard.strings("device_class")
        for contact in _CONTACT_CLASSES.get(cover, ())
    ]
    if not classes:
        return ()
    result = intent.async_match_targets(
        ask.hass,
        intent.MatchTargetsConstraints(
            domains=("binary_sensor",),
            device_classes=classes,
            area_name=heard.string("area"),
            floor_name=heard.string("floor"),
            assistant="conversation",
        ),
    )
    return tuple(sorted(result.states, key=lambda state: state.entity_id))


def temperature(ask: Ask) -> Job:
    """Answer how warm it is: the room's own sensor, a thermostat, any sensor."""
    heard = ask.heard
    if heard.string("name"):
        return _values(ask, find(ask, ("climate", "sensor")))
    if area_name := heard.string("area"):
        registry = ar.async_get(ask.hass)
        for area in intent.find_areas(area_name, registry):
            chosen = area.temperature_entity_id
            if chosen and (known := ask.hass.states.get(chosen)):
                return _values(ask, Found(states=(known,)))
    found = find(ask, ("climate",))
    if isinstance(found, Found):
        return _values(ask, found)
    return _values(ask, find(ask, ("sensor",), classes=("temperature",)))


def measure(ask: Ask) -> Job:
    """Answer how humid, bright or warm it is."""
    if ask.heard.strings("device_class") == ("temperature",):
        found = find(ask, ("sensor",))
        if isinstance(found, Job):
            return _values(ask, _climate(ask))
        return _values(ask, found)
    return _values(ask, find(ask, ("sensor",)))


def _climate(ask: Ask) -> Found | Job:
    area = ask.heard.string("area")
    states = shared(ask, ("climate",), area_id=area)
    return Found(states=states) if states else say("brain_nothing_shared")


def weather(ask: Ask) -> Job:
    """Answer from a weather entity, else from a sensor that is outside."""
    if states := shared(ask, ("weather",)):
        return Job(
            kind=Kind.STATE,
            intent=ask.heard.intent,
            response=ask.heard.response,
            requests=(state_request((states[0].entity_id,)),),
            texts=dict(ask.heard.texts),
        )
    sensors = shared(ask, ("sensor",), classes=("temperature",))
    outside = tuple(
        sensor
        for sensor in sensors
        if any(
            word in f"{sensor.entity_id} {sensor.name}".casefold() for word in _OUTSIDE
        )
    )
    if not outside:
        return say("brain_no_weather")
    return _values(ask, Found(states=outside))


def _values(ask: Ask, found: Found | Job) -> Job:
    """Return a job that tells the value of each entity with its name."""
    if isinstance(found, Job):
        return found
    return Job(
        kind=Kind.STATE,
        intent=ask.heard.intent,
        response="values",
        requests=(state_request(found.ids),),
        texts=dict(ask.heard.texts),
        names=spoken_names(ask, found.states) if ask.heard.string("name") else {},
    )


def list_items(ask: Ask) -> Job:
    """Read a to-do list."""
    found = todo_list(ask)
    if isinstance(found, Job):
        return found
    request = service_request(
        "todo", "get_items", found.ids, {"status": ["needs_action"]}
    )
    return Job(
        kind=Kind.ITEMS,
        intent=ask.heard.intent,
        requests=(request,),
        names=spoken_names(ask, found.states),
    )


def events(ask: Ask) -> Job:
    """Read the calendars for a stretch of days: Home Assistant's, and a tool's.

    A tool that isn't allowed yet is asked only where there is nothing else: then its
    refusal says what to add.
    """
    tool = ask.calendar
    if ask.heard.string("name"):
        found = find(ask, ("calendar",))
        if isinstance(found, Job):
            return found
        states, tool = found.states, None
    else:
        states = shared(ask, ("calendar",))
    if states and tool and not tool.granted:
        tool = None
    if not states and not tool:
        return say("brain_no_calendar")
    start, end = _days(ask.heard.string("when"), dt_util.now())
    first, last = start.isoformat(), end.isoformat()
    requests: list[Request] = []
    if states:
        ids = tuple(state.entity_id for state in states)
        data: dict[str, Json] = {"start_date_time": first, "end_date_time": last}
        requests.append(service_request("calendar", "get_events", ids, data))
    if tool:
        arguments: dict[str, Json] = {"from": first, "to": last}
        requests.append(Request(tool=tool.name, arguments=arguments))
    return Job(
        kind=Kind.EVENTS,
        intent=ask.heard.intent,
        response=_how_told(ask.heard.string("when"), end - start),
        requests=tuple(requests),
        names=spoken_names(ask, states),
    )


def _how_told(when: str | None, span: timedelta) -> str:
    if when == "next":
        return when
    return "day" if span <= timedelta(days=1, hours=1) else "days"


def playing(ask: Ask) -> Job:
    """Answer what is playing."""
    states = shared(ask, ("media_player",))
    if not states:
        return say("brain_nothing_shared")
    arguments: dict[str, Json] = {"domain": "media_player", "state": "playing"}
    return Job(
        kind=Kind.STATE,
        intent=ask.heard.intent,
        response="values",
        requests=(Request(tool="get_state", arguments=arguments),),
        wanted=("playing",),
    )


def _days(when: str | None, now: datetime) -> tuple[datetime, datetime]:
    today = dt_util.start_of_local_day(now)
    to_monday = 7 - today.weekday()
    first, last = {
        "today": (0, 1),
        "tomorrow": (1, 2),
        "overmorrow": (2, 3),
        "week": (0, to_monday),
        "weekend": (max(to_monday - 2, 0), to_monday),
        "next": (0, 31),
        "next_week": (to_monday, to_monday + 7),
    }.get(when or "", (0, 7))
    start = dt_util.start_of_local_day(today + timedelta(days=first, hours=2))
    end = dt_util.start_of_local_day(today + timedelta(days=last, hours=2))
    return max(start, now.replace(microsecond=0)), end


def what_is_there(ask: Ask) -> Job:
    """List what is in a room."""
    areas = list(
        intent.find_areas(ask.heard.string("area") or "", ar.async_get(ask.hass))
    )
    if not areas:
        return say("brain_unknown_area", area=ask.heard.texts.get("area", ""))
    arguments: dict[str, Json] = {"area_id": areas[0].id}
    if domain := ask.heard.string("domain"):
        arguments["domain"] = domain
    return Job(
        kind=Kind.NAMES,
        intent=ask.heard.intent,
        requests=(Request(tool="find_entities", arguments=arguments),),
        texts={"place": areas[0].name},
    )


def rooms(ask: Ask) -> Job:
    """List the rooms."""
    return Job(
        kind=Kind.NAMES,
        intent=ask.heard.intent,
        requests=(Request(tool="list_areas", arguments={}),),
    )


QUESTIONS: Final[dict[str, Callable[[Ask], Job]]] = {
    "CaesarCalendar": events,
    "CaesarListRead": list_items,
    "CaesarMeasure": measure,
    "CaesarPlaying": playing,
    "CaesarRooms": rooms,
    "CaesarWhatIsThere": what_is_there,
    "HassClimateGetTemperature": temperature,
    "HassGetState": state,
    "HassGetWeather": weather,
}
