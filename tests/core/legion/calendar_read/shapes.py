"""Calendar shapes that people and programs really make, and when they take place.

What is expected was worked out by hand from RFC 5545, in the wall time of Berlin, where
the clocks go back on 25 October 2026 at 3:00. Each shape has its own title.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

BERLIN = ZoneInfo("Europe/Berlin")
FIRST, LAST = date(2026, 10, 20), date(2026, 11, 4)
HOMES = ("Europe/Berlin", "America/Los_Angeles", "Pacific/Auckland", "Asia/Kathmandu")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """An object of a calendar.

    `timed` are start and end, in Berlin, of what takes place from FIRST to LAST
    somewhere on earth, `dates` first and last days, `floating` the wall time of
    whatever home.
    """

    name: str
    events: str
    zone: str = ""
    timed: Sequence[tuple[str, str]] = ()
    dates: Sequence[tuple[str, str]] = ()
    floating: Sequence[tuple[str, str]] = ()
    zone_rules: str = field(default="", repr=False)

    @property
    def text(self) -> str:
        """Return the object as iCalendar."""
        lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//shapes//EN"]
        lines += [line for line in self.zone_rules.strip().splitlines() if line]
        for number, event in enumerate(self.events.strip().split("\n---\n")):
            lines += ["BEGIN:VEVENT", f"UID:{self.name}", "DTSTAMP:20260101T000000Z"]
            if "SUMMARY" not in event:
                lines.append(f"SUMMARY:{self.name}")
            lines += [f"SEQUENCE:{number}", *event.strip().splitlines(), "END:VEVENT"]
        return "\r\n".join([*lines, "END:VCALENDAR", ""])

    def expected(self, home: str) -> list[tuple[str, str]]:
        """Return what takes place between FIRST and LAST for somebody at `home`."""
        zone = ZoneInfo(home)
        start = datetime.combine(FIRST, time(), tzinfo=zone)
        end = datetime.combine(LAST + timedelta(days=1), time(), tzinfo=zone)
        spans = [
            (_in(begin, BERLIN).astimezone(zone), _in(over, BERLIN).astimezone(zone))
            for begin, over in self.timed
        ]
        spans += [(_in(begin, zone), _in(over, zone)) for begin, over in self.floating]
        inside = [
            (begin.isoformat(), over.isoformat())
            for begin, over in spans
            if begin.astimezone(UTC) < end.astimezone(UTC)
            and over.astimezone(UTC) >= start.astimezone(UTC)
        ]
        return sorted([*inside, *self.dates])


def _in(text: str, zone: ZoneInfo) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def _zone(name: str, summer: str = "+0200", winter: str = "+0100") -> str:
    """Return the rules of a zone with Europe's changes, as Outlook writes them."""
    return f"""
BEGIN:VTIMEZONE
TZID:{name}
BEGIN:STANDARD
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:{summer}
TZOFFSETTO:{winter}
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:{winter}
TZOFFSETTO:{summer}
END:DAYLIGHT
END:VTIMEZONE
"""


_FIXED = """
BEGIN:VTIMEZONE
TZID:Village time
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:+0545
TZOFFSETTO:+0545
END:STANDARD
END:VTIMEZONE
"""

SHAPES: tuple[Shape, ...] = (
    Shape(
        name="weekly with exception and moved instance over the change",
        zone_rules=_zone("Europe/Berlin"),
        events="""
DTSTART;TZID=Europe/Berlin:20261012T090000
DTEND;TZID=Europe/Berlin:20261012T093000
RRULE:FREQ=WEEKLY;COUNT=6
EXDATE;TZID=Europe/Berlin:20261019T090000
---
RECURRENCE-ID;TZID=Europe/Berlin:20261026T090000
DTSTART;TZID=Europe/Berlin:20261026T140000
DTEND;TZID=Europe/Berlin:20261026T143000
""",
        timed=[
            ("2026-10-26T14:00", "2026-10-26T14:30"),
            ("2026-11-02T09:00", "2026-11-02T09:30"),
        ],
    ),
    Shape(
        name="daily over the change keeps its wall time",
        zone_rules=_zone("Europe/Berlin"),
        events="""
DTSTART;TZID=Europe/Berlin:20261024T073000
DURATION:PT15M
RRULE:FREQ=DAILY;COUNT=3
""",
        timed=[
            (f"2026-10-{day}T07:30{offset}", f"2026-10-{day}T07:45{offset}")
            for day, offset in ((24, "+02:00"), (25, "+01:00"), (26, "+01:00"))
        ],
    ),
    Shape(
        name="daily in a zone that changes on another day",
        events="""
DTSTART;TZID=America/New_York:20261024T080000
DTEND;TZID=America/New_York:20261024T090000
RRULE:FREQ=DAILY;COUNT=2
""",
        timed=[
            ("2026-10-24T14:00", "2026-10-24T15:00"),
            ("2026-10-25T13:00", "2026-10-25T14:00"),
        ],
    ),
    Shape(
        name="in the hour that comes twice",
        zone_rules=_zone("Europe/Berlin"),
        events="""
DTSTART;TZID=Europe/Berlin:20260927T023000
DURATION:PT10M
RRULE:FREQ=MONTHLY;BYDAY=-1SU
""",
        timed=[("2026-10-25T02:30+02:00", "2026-10-25T02:40+02:00")],
    ),
    Shape(
        name="three whole days",
        events="DTSTART;VALUE=DATE:20261024\nDTEND;VALUE=DATE:20261027",
        dates=[("2026-10-24", "2026-10-26")],
    ),
    Shape(
        name="whole day without an end",
        events="DTSTART;VALUE=DATE:20261029",
        dates=[("2026-10-29", "2026-10-29")],
    ),
    Shape(
        name="whole day that ends on its own day",
        events="DTSTART;VALUE=DATE:20261022\nDTEND;VALUE=DATE:20261022",
        dates=[("2026-10-22", "2026-10-22")],
    ),
    Shape(
        name="whole days every week with exceptions",
        events="""
DTSTART;VALUE=DATE:20261004
DTEND;VALUE=DATE:20261005
RRULE:FREQ=WEEKLY;BYDAY=SU,WE
EXDATE;VALUE=DATE:20261021,20261101
""",
        dates=[(day, day) for day in ("2026-10-25", "2026-10-28", "2026-11-04")],
    ),
    Shape(
        name="weekend with times over midnights",
        zone_rules=_zone("Europe/Berlin"),
        events="""
DTSTART;TZID=Europe/Berlin:20261023T180000
DTEND;TZID=Europe/Berlin:20261025T100000
""",
        timed=[("2026-10-23T18:00", "2026-10-25T10:00")],
    ),
    Shape(
        name="yearly since 1980",
        events="DTSTART;VALUE=DATE:19801031\nRRULE:FREQ=YEARLY",
        dates=[("2026-10-31", "2026-10-31")],
    ),
    Shape(
        name="birthday of an old person",
        events="DTSTART;VALUE=DATE:19311027\nRRULE:FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=27",
        dates=[("2026-10-27", "2026-10-27")],
    ),
    Shape(
        name="floating",
        events="DTSTART:20261025T080000\nDURATION:PT1H",
        floating=[("2026-10-25T08:00", "2026-10-25T09:00")],
    ),
    Shape(
        name="floating every day",
        events="DTSTART:20261020T231500\nDURATION:PT30M\nRRULE:FREQ=DAILY;COUNT=2",
        floating=[
            ("2026-10-20T23:15", "2026-10-20T23:45"),
            ("2026-10-21T23:15", "2026-10-21T23:45"),
        ],
    ),
    Shape(
        name="Outlook's zone with rules until UTC",
        zone_rules=_zone("W. Europe Standard Time"),
        events="""
DTSTART;TZID="W. Europe Standard Time":20261023T160000
DTEND;TZID="W. Europe Standard Time":20261023T170000
RRULE:FREQ=DAILY;UNTIL=20261027T150000Z
""",
        timed=[
            (f"2026-10-{day}T16:00", f"2026-10-{day}T17:00") for day in range(23, 28)
        ],
    ),
    Shape(
        name="Outlook's zone without rules",
        events="""
DTSTART;TZID="Pacific Standard Time":20261028T100000
DTEND;TZID="Pacific Standard Time":20261028T110000
""",
        timed=[("2026-10-28T18:00", "2026-10-28T19:00")],
    ),
    Shape(
        name="zone of its own",
        zone_rules=_FIXED,
        events="DTSTART;TZID=Village time:20261030T100000\nDURATION:PT45M",
        timed=[("2026-10-30T05:15", "2026-10-30T06:00")],
    ),
    Shape(
        name="late in UTC",
        events="DTSTART:20261026T233000Z\nDTEND:20261027T003000Z",
        timed=[("2026-10-27T00:30", "2026-10-27T01:30")],
    ),
    Shape(
        name="cancelled",
        events="DTSTART:20261028T090000Z\nDTEND:20261028T100000Z\nSTATUS:CANCELLED",
    ),
    Shape(
        name="one cancelled of three",
        events="""
DTSTART:20261027T060000Z
DTEND:20261027T070000Z
RRULE:FREQ=DAILY;COUNT=3
---
RECURRENCE-ID:20261028T060000Z
DTSTART:20261028T060000Z
DTEND:20261028T070000Z
STATUS:CANCELLED
""",
        timed=[
            ("2026-10-27T07:00", "2026-10-27T08:00"),
            ("2026-10-29T07:00", "2026-10-29T08:00"),
        ],
    ),
    Shape(
        name="dates of its own",
        events="""
DTSTART:20261021T120000Z
DURATION:PT20M
RDATE:20261023T120000Z,20261029T133000Z
""",
        timed=[
            ("2026-10-21T14:00", "2026-10-21T14:20"),
            ("2026-10-23T14:00", "2026-10-23T14:20"),
            ("2026-10-29T14:30", "2026-10-29T14:50"),
        ],
    ),
    Shape(
        name="last working day of the month",
        zone_rules=_zone("Europe/Berlin"),
        events="""
DTSTART;TZID=Europe/Berlin:20260130T160000
DTEND;TZID=Europe/Berlin:20260130T161500
RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1
""",
        timed=[("2026-10-30T16:00", "2026-10-30T16:15")],
    ),
    Shape(
        name="last day of the month",
        events="DTSTART;VALUE=DATE:20260131\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-1",
        dates=[("2026-10-31", "2026-10-31")],
    ),
    Shape(
        name="every second week on two days",
        events="""
DTSTART:20261005T170000Z
DTEND:20261005T180000Z
RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;WKST=MO
""",
        timed=[(f"{day}T18:00", f"{day}T19:00") for day in ("2026-11-02", "2026-11-04")]
        + [(f"{day}T19:00", f"{day}T20:00") for day in ("2026-10-19", "2026-10-21")],
    ),
    Shape(
        name="until a date",
        events="""
DTSTART;VALUE=DATE:20261021
RRULE:FREQ=DAILY;UNTIL=20261023
""",
        dates=[(day, day) for day in ("2026-10-21", "2026-10-22", "2026-10-23")],
    ),
    Shape(
        name="moved in from far away",
        events="""
DTSTART:20260904T100000Z
DTEND:20260904T110000Z
RRULE:FREQ=MONTHLY;COUNT=5
---
RECURRENCE-ID:20261204T100000Z
DTSTART:20261027T143000Z
DTEND:20261027T150000Z
""",
        timed=[
            ("2026-10-27T15:30", "2026-10-27T16:00"),
            ("2026-11-04T11:00", "2026-11-04T12:00"),
        ],
    ),
    Shape(
        name="moved by a day",
        events="""
DTSTART:20260904T150000Z
DTEND:20260904T160000Z
RRULE:FREQ=WEEKLY;COUNT=9
---
RECURRENCE-ID:20261030T150000Z
DTSTART:20261027T163000Z
DTEND:20261027T170000Z
""",
        timed=[
            ("2026-10-23T17:00", "2026-10-23T18:00"),
            ("2026-10-27T17:30", "2026-10-27T18:00"),
        ],
    ),
    Shape(
        name="moved out",
        events="""
DTSTART:20261021T043000Z
DTEND:20261021T050000Z
RRULE:FREQ=WEEKLY;COUNT=2
---
RECURRENCE-ID:20261028T043000Z
DTSTART:20261210T043000Z
DTEND:20261210T050000Z
""",
        timed=[("2026-10-21T06:30", "2026-10-21T07:00")],
    ),
    Shape(
        name="later from one day on",
        events="""
DTSTART:20261026T060000Z
DTEND:20261026T061500Z
RRULE:FREQ=DAILY;COUNT=4
---
RECURRENCE-ID;RANGE=THISANDFUTURE:20261028T060000Z
DTSTART:20261028T063000Z
DTEND:20261028T064500Z
""",
        timed=[
            ("2026-10-26T07:00", "2026-10-26T07:15"),
            ("2026-10-27T07:00", "2026-10-27T07:15"),
            ("2026-10-28T07:30", "2026-10-28T07:45"),
            ("2026-10-29T07:30", "2026-10-29T07:45"),
        ],
    ),
    Shape(
        name="invited to one of a series",
        events="""
RECURRENCE-ID:20261028T120000Z
DTSTART:20261028T123000Z
DTEND:20261028T130000Z
""",
        timed=[("2026-10-28T13:30", "2026-10-28T14:00")],
    ),
    Shape(
        name="a moment",
        events="DTSTART:20261029T100000Z",
        timed=[("2026-10-29T11:00", "2026-10-29T11:00")],
    ),
    Shape(
        name="a day and two hours",
        events="DTSTART:20261103T080000Z\nDURATION:P1DT2H",
        timed=[("2026-11-03T09:00", "2026-11-04T11:00")],
    ),
)
