"""The ten conversations: what is said, what a model makes of it, what must come of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from homeassistant.util import dt as dt_util

from tests.fakes.messages_script import Answer, Block, Steps, Text, ToolUse

LIGHT: Final = "light.kitchen_light"
LOCK: Final = "lock.front_door"
GARAGE: Final = "cover.garage_door"
CALENDAR: Final = "calendar.family_calendar"
AT_FIRST: Final = {LIGHT: "off", LOCK: "locked", GARAGE: "closed"}
POLICY: Final = """
version: 1
allowed_services:
  - light.turn_on
  - light.turn_off
  - calendar.get_events
  - service: lock.unlock
    approval: always
allowed_tools: [calculator, calendar_read, web_search]
"""
type Call = tuple[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a person says; what a model makes of it: calls of one round, then words."""

    text: str
    calls: tuple[Call, ...] = ()
    words: str = "Very well."

    def script(self, thought: Block) -> Steps:
        """Return what the model's server answers; `thought` comes before its calls."""
        calls = [ToolUse(name=name, input=given) for name, given in self.calls]
        last = Answer(blocks=[Text(text=self.words)])
        return Steps(*([Answer(blocks=[thought, *calls]), last] if calls else [last]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One of the ten.

    `trail` are its rows in short (type, tool, what came of it), `states` what has
    changed in the house.
    """

    name: str
    said: tuple[Said, ...]
    trail: Sequence[tuple[str, ...]]
    states: dict[str, str] = field(default_factory=dict)


def service(name: str, entity_id: str, **data: Any) -> Call:
    """Return a call of a service of Home Assistant."""
    domain, action = name.split(".")
    target = {"entity_id": [entity_id]}
    given = {"domain": domain, "service": action, "target": target, "data": data}
    return "call_service", given


def done(tool: str) -> list[tuple[str, ...]]:
    """Return the rows of a call that was carried out."""
    kind = "service.called" if "." in tool else "tool.called"
    return [("tool.intended", tool), (kind, tool, "ok")]


END: Final = ("chat.completed", "text")
ON: Final = Said(
    text="turn on the kitchen light",
    calls=(service("light.turn_on", LIGHT),),
    words="The kitchen light is on.",
)

IS_IT_ON: Final = Said(
    text="is the kitchen light on",
    calls=(("get_state", {"entity_id": [LIGHT]}),),
    words="I have looked.",
)


def _calendar() -> tuple[Call, ...]:
    """Return the two calls that read a day: of the house's calendars, and the worker's."""
    start = dt_util.start_of_local_day() + timedelta(days=1)
    day = (start.isoformat(), (start + timedelta(days=1)).isoformat())
    asked = dict(zip(("start_date_time", "end_date_time"), day, strict=True))
    return (
        service("calendar.get_events", CALENDAR, **asked),
        ("calendar_read", dict(zip(("from", "to"), day, strict=True))),
    )


def conversations() -> tuple[Conversation, ...]:
    """Return the ten, in the order in which they are held; dates are those of today."""
    return (*_plain(), *_refused(), *_tools(), *_remembered())


def _plain() -> tuple[Conversation, ...]:
    return (
        Conversation(
            name="lights",
            said=(ON,),
            trail=[*done("light.turn_on"), END],
            states={LIGHT: "on"},
        ),
        Conversation(
            name="question",
            said=(IS_IT_ON,),
            trail=[*done("get_state"), END],
        ),
    )


def _refused() -> tuple[Conversation, ...]:
    garage = Said(
        text="open the garage door",
        calls=(service("cover.open_cover", GARAGE),),
        words="The policy doesn't allow that, so the garage door stays closed.",
    )
    unlock = Said(text="unlock the front door", calls=(service("lock.unlock", LOCK),))
    return (
        Conversation(
            name="denial",
            said=(garage,),
            trail=[("policy.denied", "cover.open_cover", "not_listed"), END],
        ),
        Conversation(
            name="approval",
            said=(unlock, Said(text="yes", words="The front door is unlocked.")),
            trail=[
                ("approval.requested", "lock.unlock"),
                ("policy.denied", "lock.unlock", "approval_needed"),
                ("loop.checkpointed",),
                ("chat.completed", "parked"),
                ("approval.decided", "lock.unlock"),
                ("loop.resumed",),
                *done("lock.unlock"),
                END,
            ],
            states={LOCK: "unlocked"},
        ),
        Conversation(
            name="error",
            said=(
                Said(
                    text="what is 1 divided by 0",
                    calls=(("calculator", {"expression": "1 divided by 0"}),),
                    words="Nothing can be divided by zero.",
                ),
            ),
            trail=[
                ("tool.intended", "calculator"),
                ("tool.called", "calculator", "tool_error"),
                END,
            ],
        ),
    )


def _tools() -> tuple[Conversation, ...]:
    sum_ = Said(
        text="what is 17 percent of 249",
        calls=(("calculator", {"expression": "17 percent of 249"}),),
        words="It is 42.33.",
    )
    day = Said(
        text="what is on my calendar tomorrow?",
        calls=_calendar(),
        words="Choir, at nine.",
    )
    search = Said(
        text="search the web for the boiling point of ethanol",
        calls=(("web_search", {"query": "the boiling point of ethanol"}),),
        words="It boils at 78.37 °C.",
    )
    return (
        Conversation(name="calculator", said=(sum_,), trail=[*done("calculator"), END]),
        Conversation(
            name="calendar",
            said=(day,),
            trail=[*done("calendar.get_events"), *done("calendar_read"), END],
        ),
        Conversation(name="search", said=(search,), trail=[*done("web_search"), END]),
    )


def _remembered() -> tuple[Conversation, ...]:
    off = Said(
        text="turn it off",
        calls=(service("light.turn_off", LIGHT),),
        words="The kitchen light is off.",
    )
    forget = Said(
        text="forget this conversation",
        calls=(("forget_conversation", {}),),
        words="I have forgotten it.",
    )
    return (
        Conversation(
            name="follow-up",
            said=(ON, off),
            trail=[*done("light.turn_on"), END, *done("light.turn_off"), END],
        ),
        Conversation(
            name="forget",
            said=(ON, forget, IS_IT_ON),
            trail=[
                *done("light.turn_on"),
                END,
                ("tool.intended", "forget_conversation"),
                ("memory.erased",),
                ("tool.called", "forget_conversation", "ok"),
                END,
                *done("get_state"),
                END,
            ],
            states={LIGHT: "on"},
        ),
    )
