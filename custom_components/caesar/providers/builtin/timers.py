"""From an intent about timers and later commands to a call of the house's own tools."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from homeassistant.helpers import area_registry as ar

from ...legion.canonical import Json
from ...policy.impact import INTENT_PREFIX
from .heard import Heard
from .match import Ask
from .plan import Job, Kind, Request, say
from .sentences import OWN_PREFIX

PLAN_COMMAND: Final = "plan_command"
COMMAND: Final = "conversation_command"
START_TIMER: Final = "HassStartTimer"
CANCEL: Final = "CaesarPlannedCancel"
_UNITS: Final = ("hours", "minutes", "seconds")
_MAX_NAME: Final = 40
_MAX_VALUE: Final = 255


def start(ask: Ask) -> Job:
    """Start a timer, or plan the command that the sentence holds."""
    length = _numbers(ask, _UNITS)
    if command := (ask.heard.string(COMMAND) or "").strip():
        return _job(ask, PLAN_COMMAND, {"command": command, **length})
    return _job(ask, "timer_start", {**length, **_name(ask)})


def delayed(ask: Ask) -> Job:
    """Plan a command in a form of words that Home Assistant's sentences lack."""
    heard = ask.heard
    words = (heard.string("command_text"), heard.string("particle"))
    unit = heard.string("unit") or "minutes"
    length: dict[str, Json] = {unit: int(heard.slots["amount"])}
    command = " ".join(word.strip() for word in words if word)
    return replace(
        _job(ask, PLAN_COMMAND, {"command": command, **length}),
        intent=START_TIMER,
        response="command",
        texts={unit: heard.texts["amount"]},
    )


def cancel(ask: Ask) -> Job:
    """Cancel the timer that is meant."""
    return _near(ask, "timer_cancel", _which(ask))


def cancel_all(ask: Ask) -> Job:
    """Cancel all timers of the device and room."""
    return _near(ask, "timer_cancel", {"all": True})


def status(ask: Ask) -> Job:
    """Ask what time is left."""
    return _near(ask, "timer_status", _which(ask))


def _changing(action: str) -> Callable[[Ask], Job]:
    def change(ask: Ask) -> Job:
        arguments = {"action": action, **_numbers(ask, _UNITS), **_which(ask)}
        return _near(ask, "timer_change", arguments)

    return change


def _planned(ask: Ask) -> Job:
    return _job(ask, "planned_commands", {})


def _cancel_planned(ask: Ask) -> Job:
    every: dict[str, Json] = {"all": True} if ask.heard.slots.get("every") else {}
    return _job(ask, "cancel_planned", every)


def is_never_mind(heard: Heard) -> bool:
    """Return whether "cancel that", after a question, means that question."""
    return heard.intent == CANCEL and heard.slots.get("it") is True


def custom_intent(ask: Ask) -> Job | None:
    """Call an intent that the owner has added; None if it is none of these."""
    name = ask.heard.intent
    tool = f"{INTENT_PREFIX}{name}"
    if name.startswith(("Hass", OWN_PREFIX)) or not ask.is_tool(tool):
        return None
    slots = {key: _slot(value) for key, value in ask.heard.slots.items()}
    return _job(ask, tool, slots)


def _slot(value: object) -> Json:
    """Return a slot's value as JSON; a whole number of a list of numbers as one."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, (int, float)) else str(value)[:_MAX_VALUE]


def _near(ask: Ask, tool: str, arguments: Mapping[str, Json]) -> Job:
    """Return the job, unless the sentence means the timers of another room."""
    name = ask.heard.string("area")
    if name is not None:
        areas = ar.async_get(ask.hass)
        area = areas.async_get_area(name) or areas.async_get_area_by_name(name)
        if area is None or area.id != ask.caller.area_id:
            return say("timer_other_room")
    return _job(ask, tool, arguments)


def _job(ask: Ask, tool: str, arguments: Mapping[str, Json]) -> Job:
    return Job(
        kind=Kind.HOUSE,
        intent=ask.heard.intent,
        response=ask.heard.response,
        requests=(Request(tool=tool, arguments=arguments),),
        texts=dict(ask.heard.texts),
    )


def _which(ask: Ask) -> dict[str, Json]:
    starts = tuple(f"start_{unit}" for unit in _UNITS)
    return {**_numbers(ask, starts), **_name(ask)}


def _name(ask: Ask) -> dict[str, Json]:
    name = (ask.heard.string("name") or "").strip()[:_MAX_NAME]
    return {"name": name} if name else {}


def _numbers(ask: Ask, keys: tuple[str, ...]) -> dict[str, Json]:
    slots = ask.heard.slots
    return {key: int(slots[key]) for key in keys if key in slots}


TIMERS: Final[Mapping[str, Callable[[Ask], Job]]] = {
    "CaesarDelayed": delayed,
    "CaesarPlanned": _planned,
    CANCEL: _cancel_planned,
    "HassCancelAllTimers": cancel_all,
    "HassCancelTimer": cancel,
    "HassDecreaseTimer": _changing("remove"),
    "HassIncreaseTimer": _changing("add"),
    "HassPauseTimer": _changing("pause"),
    START_TIMER: start,
    "HassTimerStatus": status,
    "HassUnpauseTimer": _changing("resume"),
}
