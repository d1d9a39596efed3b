"""What the tool says of itself."""

from typing import Final

from ...spec import Annotations, ToolSpec
from .days import DAY_PATTERN

MAX_EVENTS: Final = 200
DEFAULT_EVENTS: Final = 20
MAX_RANGE_DAYS: Final = 365
DEFAULT_RANGE_DAYS: Final = 7

SPEC: Final = ToolSpec(
    name="calendar_read",
    title="Read calendars",
    description=(
        "Read the events of the household's calendars. Give either `day`, or `from` and"
        " `to`, or nothing for the next seven days. Times without an offset are local."
        " Answers in local time, sorted by start; of an all-day event `end` is its last"
        " day. `errors` names calendars that could not be read."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "day": {
                "type": "string",
                "maxLength": 40,
                "pattern": DAY_PATTERN,
                "description": (
                    "today, tomorrow, a weekday, this week, next week, this weekend,"
                    " this month, or a date as 2026-12-24"
                ),
            },
            "from": {
                "type": "string",
                "maxLength": 40,
                "description": "ISO 8601 date or time; default: now",
            },
            "to": {
                "type": "string",
                "maxLength": 40,
                "description": "ISO 8601 time, or a date, which is then included",
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": MAX_EVENTS},
        },
        "additionalProperties": False,
    },
    # It asks the one server that the owner named, and nothing of the input gets out:
    # a closed world. Anybody can send an invitation: its words are not to be trusted.
    annotations=Annotations(
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
        private_data=True,
        untrusted_result=True,
    ),
    timeout_s=15,
    sentences={
        "en": (
            "(what is|what's|whats) on (my|the|our) calendar",
            "(what is|what's|whats) on (my|the|our) calendar [on|for] {day}",
            "(what is|what's|whats) (planned|scheduled) [on|for] {day}",
            "(what|which) (appointments|events) (do I|do we) have [on|for] {day}",
            "(do I|do we) have (any|an) (appointment|appointments) [on|for] {day}",
            "(do I|do we) have (anything|something) [planned] [on|for] {day}",
            "is there (anything|something) on (my|the|our) calendar",
            "is there (anything|something) on (my|the|our) calendar [on|for] {day}",
            "is there (anything|something) [on|for] {day} on (my|the|our) calendar",
            "read (me|us) (my|the|our) calendar [on|for] {day}",
        ),
        "de": (
            "was (steht|ist) (in|auf) (meinem|dem|unserem) Kalender",
            "was (steht|ist) (in|auf) (meinem|dem|unserem) Kalender [am|für] {day}",
            "was (steht|ist) [am] {day} (in|auf) (meinem|dem|unserem) Kalender",
            "was (steht|ist) [am] {day} im Kalender",
            "was (steht|ist) im Kalender [am|für] {day}",
            "welche Termine (habe ich|haben wir) [am] {day}",
            "was (habe ich|haben wir) [am] {day} (für Termine|im Kalender|vor)",
            "(habe ich|hab ich|haben wir) [am] {day} (Termine|einen Termin)",
            "(habe ich|hab ich|haben wir) [am] {day} [schon] (etwas|was) vor",
            "was steht [am] {day} an",
            "steht [am] {day} [schon] (etwas|was) an",
            "steht (etwas|was) (in|auf) (meinem|dem|unserem) Kalender",
            "(steht|ist) [am] {day} (etwas|was) (in|auf) (meinem|dem|unserem) Kalender",
            "(steht|ist) [am] {day} (etwas|was) im Kalender",
            "(steht|ist) (etwas|was) [am] {day} (in|auf) (meinem|dem|unserem) Kalender",
            "(steht|ist) (in|auf) (meinem|dem|unserem) Kalender [am|für] {day} (etwas|was)",
        ),
    },
)
