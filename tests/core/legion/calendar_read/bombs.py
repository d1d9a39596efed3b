"""Events that repeat too often to be worked out."""

from tests.core.legion.calendar_read.shapes import Shape

# Each would keep whoever works it out busy for ever, or nearly: most servers too, so
# these are for our own part.
BOMBS: tuple[Shape, ...] = (
    Shape(
        name="every second",
        events="DTSTART:20260101T000000Z\nDURATION:PT1S\nRRULE:FREQ=SECONDLY",
    ),
    Shape(
        name="every minute since long ago",
        events="DTSTART:19700101T000000Z\nDURATION:PT1S\nRRULE:FREQ=MINUTELY",
    ),
    Shape(
        name="every hour since long ago",
        events="DTSTART:19700101T000000Z\nDURATION:PT1S\nRRULE:FREQ=HOURLY",
    ),
    Shape(
        name="every second of a yearly day",
        events="DTSTART:19700101T000000Z\nDURATION:PT1S\nRRULE:FREQ=DAILY;"
        f"BYHOUR={','.join(map(str, range(24)))};"
        f"BYMINUTE={','.join(map(str, range(60)))};"
        f"BYSECOND={','.join(map(str, range(60)))}",
    ),
    Shape(
        name="on a day that never comes",
        events="DTSTART:20260101T000000Z\nDURATION:PT1S\n"
        "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
    ),
)

# Servers survive this one. It begins where the question does: Radicale answers at once.
SERVED_BOMB = Shape(
    name="every second for a while",
    events="DTSTART:20261020T000000Z\nDURATION:PT1S\nRRULE:FREQ=SECONDLY;COUNT=3000",
)
