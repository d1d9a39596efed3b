"""What a person means by "it", "the lamp too" or "in the bedroom as well".

The calls of the turn before say what that can be (`Turn.last`); what comes of it is an
ordinary call, judged by the gate like any other. Where it isn't clear, None: then the
sentence is heard as if nothing had been said before.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from homeassistant.const import ATTR_DEVICE_CLASS
from homeassistant.core import State
from homeassistant.helpers import entity_registry as er

from ...turn import PastCall
from .calls import ONE_WAY, SWITCHABLE, service_request, state_request, switch_requests
from .heard import Heard
from .match import Ask, find, shared, spoken_names, which
from .orders import act, step_climates
from .plan import Job, Kind, Request
from .questions import temperature

_OPENED: Final = frozenset(("cover", "valve"))
_LOCKED: Final = frozenset(("alarm_control_panel", "lock"))
# What "on" and "off" are said of, and do what they say. A lock isn't turned off.
_SWITCHED: Final = (
    SWITCHABLE - _OPENED - _LOCKED - ONE_WAY - {"automation", "remote", "script"}
)
_DEEDS: Final[dict[str, dict[str, str]]] = {
    "on": dict.fromkeys(_SWITCHED, "HassTurnOn"),
    "off": dict.fromkeys(_SWITCHED, "HassTurnOff"),
    "open": {**dict.fromkeys(_OPENED, "HassTurnOn"), "lock": "HassTurnOff"},
    "close": {**dict.fromkeys(_OPENED, "HassTurnOff"), "lock": "HassTurnOn"},
    "lock": {"lock": "HassTurnOn"},
    "unlock": {"lock": "HassTurnOff"},
}
_INTENTS: Final = {
    "turn_on": "HassTurnOn",
    "turn_off": "HassTurnOff",
    "toggle": "HassToggle",
}
# Services that are whole without data. Of others only the levels are known: to mute
# without saying whether is no call.
_WITHOUT_DATA: Final = frozenset(
    (
        *(*_INTENTS, "lock", "unlock", "volume_down", "volume_up"),
        *("close_cover", "open_cover", "stop_cover", "toggle_cover_tilt"),
        *("close_cover_tilt", "open_cover_tilt", "stop_cover_tilt"),
        *("close_valve", "open_valve", "stop_valve"),
        *("media_next_track", "media_pause", "media_play", "media_play_pause"),
        *("media_previous_track", "media_stop"),
    )
)
_REPEATED: Final = _SWITCHED | _OPENED | {"lock"}
# Of these a room may have several, and all of them are meant.
_TOGETHER: Final = frozenset(("climate", "cover", "light"))
_UNCLEAR: Final = ("brain_ambiguous", "brain_which_one")
_READ: Final = "get_state"


def follow_up(ask: Ask) -> Job | None:
    """Return what is to be done, or a question which one is meant; None if unclear."""
    resolve = _FOLLOW_UPS.get(ask.heard.intent)
    return resolve(ask, ask.last) if resolve and ask.last else None


def _switch(ask: Ask, last: Sequence[PastCall]) -> Job | None:
    """Turn it on or off, open or close it, lock or unlock it."""
    meant = _DEEDS[str(ask.heard.slots["deed"])]
    states = ask.chosen(_touched(ask, last, meant))
    if not states:
        return None
    intents = {meant[state.domain] for state in states}
    alone = ask.heard.slots.get("many") is not True
    open_ = ask.only is None and alone and not _as_one(states, last)
    if len(intents) > 1 or open_:
        return which(ask, states)
    intent = intents.pop()
    return act(_as(ask, intent, states), states, switch_requests(intent, states))


def _brighter(ask: Ask, last: Sequence[PastCall]) -> Job | None:
    """Make it brighter or darker."""
    states = ask.chosen(_touched(ask, last, ("light",)))
    if not states:
        return None
    if ask.only is None and not _as_one(states, last):
        return which(ask, states)
    step = ask.heard.slots["step"]
    data = {"brightness_step_pct": int(step)}
    request = service_request("light", "turn_on", _ids(states), data)
    return act(_as(ask, "CaesarLightStep", states), states, (request,))


def _warmer(ask: Ask, last: Sequence[PastCall]) -> Job | None:
    """Make it warmer or colder: there, if only a thermometer was asked."""
    states = ask.chosen(_touched(ask, last, ("climate",)))
    if not states:
        thermometers = [
            state
            for state in _touched(ask, last, ("sensor",))
            if state.attributes.get(ATTR_DEVICE_CLASS) == "temperature"
        ]
        states = tuple(
            state
            for area_id in _areas(ask, thermometers)
            for state in shared(ask, ("climate",), area_id=area_id)
        )
    if not states:
        return None
    if len(states) > 1 and ask.only is None and not _orders(last):
        return which(ask, states)
    ask = _as(ask, "CaesarClimateStep", states)
    return step_climates(ask, states, float(ask.heard.slots["step"]))


def _also(ask: Ask, last: Sequence[PastCall]) -> Job | None:
    """Do the same with something else; ask the same about it, if that was a question."""
    orders = _orders(last)
    if not orders:
        return _what_about(ask, last)
    if _differ(orders) or _was_a_step(last):
        return None
    if ask.heard.slots.get("there"):
        return _the_other_lamp(ask, orders)
    named = ask.heard.string("name") is not None
    found: list[State] = []
    for order in orders:
        domain = order.tool.partition(".")[0]
        domains = _alike(order) if named else (domain,)
        classes = None if named else _classes(ask, order)
        there = find(ask, domains, classes=classes)
        if isinstance(there, Job):
            if there.say in _UNCLEAR or not (named or len(orders) > 1):
                return there
            continue
        several = len(there.states) > 1 and ask.only is None
        if several and len(orders) == 1 and domain not in _TOGETHER:
            return which(ask, there.states)
        found += [state for state in there.states if state not in found]
    return _repeat(ask, orders, tuple(found))


def _the_other_lamp(ask: Ask, orders: Sequence[PastCall]) -> Job | None:
    """Do the same with "the lamp": the one more that there is in the room."""
    touched = _touched(ask, orders)
    areas = _areas(ask, touched) or (
        (ask.caller.area_id,) if ask.caller.area_id else ()
    )
    if len(areas) != 1:
        return None
    others = tuple(
        state
        for state in shared(ask, ("light",), area_id=areas[0])
        if state not in touched
    )
    if len(others) > 1 and ask.only is None:
        return which(ask, others)
    return _repeat(ask, orders, others)


def _repeat(
    ask: Ask, orders: Sequence[PastCall], states: tuple[State, ...]
) -> Job | None:
    """Return the same calls for other entities; None if they can't all have them."""
    requests: list[Request] = []
    rest = states
    for order in orders:
        domain, _, service = order.tool.partition(".")
        same = tuple(state for state in rest if state.domain == domain)
        if same:
            requests.append(service_request(domain, service, _ids(same), order.data))
            rest = tuple(state for state in rest if state.domain != domain)
    intent = _INTENTS.get(orders[0].tool.partition(".")[2], "")
    if rest and not intent:
        return None
    if rest:
        requests += switch_requests(intent, rest)
    if not requests:
        return None
    return act(_as(ask, intent, states), states, tuple(requests))


def _what_about(ask: Ask, last: Sequence[PastCall]) -> Job | None:
    """Ask the same about something else, if the turn before was nothing but a question."""
    if any(call.tool != _READ for call in last) or ask.heard.slots.get("there"):
        return None
    asked = _touched(ask, last)
    if not asked:
        return None
    if ask.heard.string("name") is not None:
        return _told(ask, None, None)
    classes = {state.attributes.get(ATTR_DEVICE_CLASS) for state in asked}
    domains = {state.domain for state in asked}
    if domains == {"climate"} or classes == {"temperature"}:
        return temperature(_as(ask, "HassClimateGetTemperature", asked))
    if len(domains) != 1 or len(classes) != 1:
        return None
    return _told(ask, domains, {str(one) for one in classes if one} or None)


def _told(ask: Ask, domains: set[str] | None, classes: set[str] | None) -> Job:
    """Return the job that tells how each entity is."""
    found = find(ask, domains, classes=classes)
    if isinstance(found, Job):
        return found
    return Job(
        kind=Kind.STATE,
        intent="HassGetState",
        response="values",
        requests=(state_request(found.ids),),
        texts=dict(ask.heard.texts),
        names=spoken_names(ask, found.states) if ask.heard.string("name") else {},
    )


def is_follow_up(heard: Heard) -> bool:
    """Return whether a sentence only means something after another one."""
    return heard.intent in _FOLLOW_UPS


def _touched(
    ask: Ask, calls: Iterable[PastCall], domains: Iterable[str] | None = None
) -> tuple[State, ...]:
    """Return the entities of earlier calls that are still there, each once."""
    wanted = None if domains is None else set(domains)
    ids = dict.fromkeys(each for call in calls for each in call.target)
    states = (ask.hass.states.get(entity_id) for entity_id in ids)
    return tuple(
        state
        for state in states
        if state and (wanted is None or state.domain in wanted)
    )


def _orders(last: Iterable[PastCall]) -> tuple[PastCall, ...]:
    """Return the service calls that may be repeated for something else."""
    return tuple(
        call
        for call in last
        if call.tool.partition(".")[0] in _REPEATED
        and (call.data or call.tool.partition(".")[2] in _WITHOUT_DATA)
    )


def _differ(orders: Sequence[PastCall]) -> bool:
    """Return whether these did more than one thing: then none of them is "the same"."""
    verbs = {order.tool.partition(".")[2] for order in orders}
    levels = {order.tool: order.data for order in orders}
    return len(verbs) > 1 or any(order.data != levels[order.tool] for order in orders)


def _was_a_step(last: Sequence[PastCall]) -> bool:
    """Return whether a level was read to be changed: elsewhere it would be another."""
    read = {each for call in last if call.tool == _READ for each in call.target}
    return any(
        order.data and read.intersection(order.target) for order in _orders(last)
    )


def _as_one(states: Sequence[State], last: Iterable[PastCall]) -> bool:
    """Return whether "it" can be all of these: one thing, or lights switched together."""
    if len(states) == 1:
        return True
    ids = set(_ids(states))
    return all(state.domain == "light" for state in states) and any(
        ids <= set(order.target) for order in _orders(last)
    )


def _alike(order: PastCall) -> tuple[str, ...]:
    """Return the domains of what an order can be repeated for."""
    domain, _, service = order.tool.partition(".")
    if service in _INTENTS and domain in _SWITCHED and not order.data:
        return tuple(sorted(_SWITCHED))
    return (domain,)


def _classes(ask: Ask, order: PastCall) -> set[str] | None:
    """Return the kinds of cover that an order was about: blinds are no garage doors."""
    classes = {
        state.attributes.get(ATTR_DEVICE_CLASS) for state in _touched(ask, (order,))
    }
    return {str(one) for one in classes if one} or None


def _areas(ask: Ask, states: Iterable[State]) -> tuple[str, ...]:
    registry = er.async_get(ask.hass)
    entries = (registry.async_get(state.entity_id) for state in states)
    areas = (
        er.async_get_effective_area_id(ask.hass, entry) for entry in entries if entry
    )
    return tuple(dict.fromkeys(area for area in areas if area))


def _ids(states: Iterable[State]) -> tuple[str, ...]:
    return tuple(state.entity_id for state in states)


def _as(ask: Ask, intent: str, states: Sequence[State]) -> Ask:
    """Return what was heard as the intent whose answer fits."""
    domains = {state.domain for state in states}
    spoken = domains.pop() if len(domains) == 1 else ""
    response = spoken if spoken in ("cover", "lock", "valve") else "default"
    return replace(ask, heard=replace(ask.heard, intent=intent, response=response))


_FOLLOW_UPS: Final[dict[str, Callable[[Ask, Sequence[PastCall]], Job | None]]] = {
    "CaesarAlso": _also,
    "CaesarItBrighter": _brighter,
    "CaesarItSwitch": _switch,
    "CaesarItWarmer": _warmer,
    "CaesarWhatAbout": _what_about,
}
