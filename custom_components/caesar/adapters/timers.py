"""Timers as tools, over Home Assistant's own timer manager.

Home Assistant has timers only as intents; a device (a voice satellite, a phone) has them
if it has registered a handler. Who asks reaches the timers of the own device and of its
room, no others. Home Assistant's `components/intent/timers.py` says how one is found.
"""

from collections.abc import Callable, Mapping
import re
from typing import Any, Final

from homeassistant.components.intent import async_device_supports_timers
from homeassistant.components.intent.const import TIMER_DATA
from homeassistant.components.intent.timers import TimerInfo, TimerManager
from homeassistant.core import HomeAssistant

from ..legion.canonical import Json
from ..policy.call import CallError, GenericToolCall, ToolCall
from ..policy.caller import Caller
from ..policy.decision import PolicyDecision
from ..policy.reason import Code, Reason
from ..tool import ExecutorError, Tool
from ..turn import Turn
from .timer_tools import (
    TIMER_CANCEL,
    TIMER_CHANGE,
    TIMER_START,
    TIMER_STATUS,
    TIMER_TOOLS,
    seconds_of,
)

# Nobody has more; a model that starts them without end must come to one.
MOST_OF_A_DEVICE: Final = 20

NO_DEVICE: Final = "timer_no_device"
NO_SUPPORT: Final = "no_timer_support"
NOT_FOUND: Final = "timer_not_found"
SEVERAL: Final = "multiple_timers_matched"
TOO_MANY: Final = "timer_too_many"

_ANY_START: Final = (None, None, None)
_UNITS: Final = ("hours", "minutes", "seconds")
# Another agent may have named a timer anything; a few plain words tell a model nothing.
_PLAIN_NAME: Final = re.compile(r"[\w'’-]{1,20}( [\w'’-]{1,20}){0,2}")
_MESSAGES: Final[Mapping[str, str]] = {
    NO_DEVICE: "Timers run on a device; this conversation belongs to none.",
    NO_SUPPORT: "This device has no timers.",
    NOT_FOUND: "There is no such timer on this device or in this room.",
    SEVERAL: "Several timers fit; say which one is meant.",
    TOO_MANY: "There are too many timers on this device.",
}


class TimerExecutor:
    """Carries out the four tools, for the device of who asks."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Use the timers of this Home Assistant."""
        self._hass = hass

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Do it; return what there is to say of the timer, or of all of them."""
        assert isinstance(call, GenericToolCall)
        device_id = self._device(turn.caller)
        manager: TimerManager = self._hass.data[TIMER_DATA]
        given = dict(call.input)
        match call.tool:
            case TIMER_START.name:
                return self._start(manager, device_id, given, turn.language)
            case TIMER_CANCEL.name:
                return _cancel(manager, turn.caller, given)
            case TIMER_STATUS.name:
                found = _fitting(manager, turn.caller, given)
                return {"timers": [_told(timer) for timer in found]}
            case _:
                return _change(manager, turn.caller, given)

    def _device(self, caller: Caller) -> str:
        if caller.device_id is None:
            raise _refusal(NO_DEVICE)
        if not async_device_supports_timers(self._hass, caller.device_id):
            raise _refusal(NO_SUPPORT)
        return caller.device_id

    def _start(
        self,
        manager: TimerManager,
        device_id: str,
        given: dict[str, Json],
        language: str,
    ) -> Json:
        own = [each for each in manager.timers.values() if each.device_id == device_id]
        if len(own) >= MOST_OF_A_DEVICE:
            raise _refusal(TOO_MANY)
        name = given.get("name")
        timer_id = manager.start_timer(
            device_id,
            _number(given, "hours"),
            _number(given, "minutes"),
            _number(given, "seconds"),
            language=language,
            name=str(name).strip() if name else None,
        )
        return {"timer": _told(manager.timers[timer_id])}


def has_timers(hass: HomeAssistant) -> bool:
    """Return whether any device of the house has timers."""
    manager: TimerManager | None = hass.data.get(TIMER_DATA)
    return manager is not None and bool(manager.handlers)


def timer_tools(hass: HomeAssistant) -> tuple[Tool, ...]:
    """Return the tools for timers."""
    executor = TimerExecutor(hass)
    return tuple(
        Tool(spec=spec, executor=executor, to_call=_to_call(spec.name))
        for spec in TIMER_TOOLS
    )


def _to_call(name: str) -> Callable[[Mapping[str, Json]], ToolCall]:
    def to_call(given: Mapping[str, Json]) -> ToolCall:
        moves = name == TIMER_CHANGE.name and given["action"] in ("add", "remove")
        if (name == TIMER_START.name or moves) and not seconds_of(given):
            raise CallError(
                Reason(code=Code.INVALID_INPUT, values={"key": "minutes", "value": "0"})
            )
        return GenericToolCall(tool=name, input=given)

    return to_call


def _cancel(manager: TimerManager, caller: Caller, given: dict[str, Json]) -> Json:
    if given.pop("all", False):
        found = _fitting(manager, caller, given)
    else:
        found = [_one(manager, caller, given)]
    for timer in found:
        manager.cancel_timer(timer.id)
    return {"canceled": len(found)}


def _change(manager: TimerManager, caller: Caller, given: dict[str, Json]) -> Json:
    action, seconds = given.pop("action"), seconds_of(given)
    active = {"pause": True, "resume": False}.get(str(action))
    timer = _one(manager, caller, given, active=active)
    match action:
        case "pause":
            manager.pause_timer(timer.id)
        case "resume":
            manager.unpause_timer(timer.id)
        case "add":
            manager.add_time(timer.id, seconds)
        case _:
            manager.remove_time(timer.id, seconds)
    return {"timer": _told(timer)}


def _one(
    manager: TimerManager,
    caller: Caller,
    given: Mapping[str, Json],
    *,
    active: bool | None = None,
) -> TimerInfo:
    """Return the one timer that is meant; of several, the only one of the device."""
    found = [
        timer
        for timer in _fitting(manager, caller, given)
        if active is None or timer.is_active is active
    ]
    if len(found) > 1:
        own = [timer for timer in found if timer.device_id == caller.device_id]
        found = own if len(own) == 1 else found
    if len(found) != 1:
        raise _refusal(SEVERAL if found else NOT_FOUND)
    return found[0]


def _fitting(
    manager: TimerManager, caller: Caller, given: Mapping[str, Json]
) -> list[TimerInfo]:
    """Return the timers of the asker's device and room that fit, the own ones first."""
    starts = tuple(_number(given, f"start_{unit}") for unit in _UNITS)
    name = str(given.get("name", "")).strip().casefold()
    found = [
        timer
        for timer in manager.timers.values()
        if not timer.conversation_command
        and _is_near(timer, caller)
        and (not name or timer.name_normalized == name)
        and starts in (_ANY_START, _start_of(timer))
    ]
    return sorted(found, key=lambda timer: timer.device_id != caller.device_id)


def _start_of(timer: TimerInfo) -> tuple[int | None, ...]:
    return timer.start_hours, timer.start_minutes, timer.start_seconds


def _is_near(timer: TimerInfo, caller: Caller) -> bool:
    return timer.device_id == caller.device_id or (
        caller.area_id is not None and timer.area_id == caller.area_id
    )


def _number(given: Mapping[str, Json], key: str) -> int | None:
    """Return a length as Home Assistant keeps it: none said is None, and so is 0."""
    value = given.get(key)
    return value if isinstance(value, int) and value else None


def _told(timer: TimerInfo) -> dict[str, Any]:
    """Return a timer in the words of Home Assistant's answer templates."""
    left = timer.seconds_left
    minutes, seconds = divmod(left, 60)
    hours, minutes = divmod(minutes, 60)
    name = (timer.name or "").strip()
    return {
        "name": name if _PLAIN_NAME.fullmatch(name) else "",
        "is_active": timer.is_active,
        "start_hours": timer.start_hours or 0,
        "start_minutes": timer.start_minutes or 0,
        "start_seconds": timer.start_seconds or 0,
        "hours_left": hours,
        "minutes_left": minutes,
        "seconds_left": seconds,
        "total_seconds_left": left,
    }


def _refusal(why: str) -> ExecutorError:
    code = (
        Code.CAPABILITY_DENIED if why in (NO_DEVICE, NO_SUPPORT) else Code.INVALID_INPUT
    )
    return ExecutorError(code, _MESSAGES[why], facts={"why": why})
