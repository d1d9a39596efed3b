"""What is worked out in the child: bounded, whatever an invitation says."""

from datetime import datetime, time, timedelta
import json
from time import process_time
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from custom_components.caesar.legion.child import run_killable
from custom_components.caesar.legion.tools.calendar_read import expand as expand_module
from custom_components.caesar.legion.tools.calendar_read.expand import expand
from tests.core.legion.calendar_read.bombs import BOMBS
from tests.core.legion.calendar_read.places import titles
from tests.core.legion.calendar_read.shapes import FIRST, LAST, SHAPES, Shape

PLAIN = next(shape for shape in SHAPES if shape.name == "late in UTC")


def argument(
    *calendars: list[str], home: str = "Europe/Berlin", limit: int = 200
) -> bytes:
    """Return what the child is asked."""
    zone = ZoneInfo(home)
    start = datetime.combine(FIRST, time(), tzinfo=zone)
    end = datetime.combine(LAST + timedelta(days=1), time(), tzinfo=zone)
    return json.dumps(
        {
            "zone": home,
            "start": start.isoformat(),
            "end": end.isoformat(),
            "limit": limit,
            "calendars": calendars,
        }
    ).encode()


def reports(*calendars: list[str], **how: Any) -> list[dict[str, Any]]:
    """Work it out here."""
    found: list[dict[str, Any]] = json.loads(expand(argument(*calendars, **how)))[
        "calendars"
    ]
    return found


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name)
def test_bomb(bomb: Shape) -> None:
    """It is left out and counted; what lies beside it is found."""
    before = process_time()
    (report,) = reports([bomb.text, PLAIN.text])
    assert process_time() - before < 2
    assert titles(report) == [PLAIN.name]
    assert (report["heavy"], report["broken"]) == (1, 0)


def test_many_bombs_have_their_time_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dozen that are only seen while they run take no longer than the child may."""
    monkeypatch.setattr(expand_module, "ALL_S", 0.8)
    never = next(bomb for bomb in BOMBS if "never" in bomb.name)
    before = process_time()
    first, second = reports([never.text] * 12, [PLAIN.text])
    assert process_time() - before < 2
    assert first["heavy"] == 12
    assert titles(second) == [PLAIN.name]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "BEGIN:VCALENDAR",
        "hello",
        PLAIN.text.replace("DTSTART:20261026T233000Z", "DTSTART:nonsense"),
        PLAIN.text.replace("DTSTART:20261026T233000Z", "X-NOTHING:1"),
        PLAIN.text.replace("VERSION:2.0", "CALSCALE:MAYAN"),
    ],
)
def test_broken_object(text: str) -> None:
    """It is counted, and the next one is read."""
    (report,) = reports([text, PLAIN.text])
    assert titles(report) == [PLAIN.name]
    assert (report["heavy"], report["broken"]) == (0, 1)


def test_no_events_in_an_object() -> None:
    """A calendar may hold what is no event; that is no fault."""
    (report,) = reports([PLAIN.text.replace("VEVENT", "VJOURNAL")])
    assert report == {"events": [], "total": 0, "heavy": 0, "broken": 0}


def test_end_before_start() -> None:
    """Such an event has a beginning, and that is told."""
    (report,) = reports(
        [PLAIN.text.replace("DTEND:20261027T003000Z", "DTEND:20251027T003000Z")]
    )
    (event,) = report["events"]
    assert event["start"] == event["end"] == "2026-10-27T00:30:00+01:00"


def test_the_same_event_twice_is_one() -> None:
    """Some servers answer an object twice."""
    (report,) = reports([PLAIN.text, PLAIN.text])
    assert report["total"] == 1


def test_texts_are_one_line_and_bounded() -> None:
    """Control characters and line ends go, and what is too long is cut."""
    lines = (
        "SUMMARY:a\\n\x07b\u202ec" + "x" * 900,
        "LOCATION:y\\n" + "z" * 500,
        "DESCRIPTION:" + "w" * 5000,
    )
    hostile = PLAIN.text.replace("SUMMARY:late in UTC", "\r\n".join(lines))
    (report,) = reports([hostile])
    (event,) = report["events"]
    assert event["title"].startswith("a b c")
    assert len(event["title"]) == 200
    assert event["title"].endswith("…")
    assert len(event["location"]) == 120
    assert len(event["description"]) == 200


def test_limit_keeps_the_first_and_counts_all() -> None:
    """What is cut is the end, after sorting."""
    everything = reports([shape.text for shape in SHAPES])[0]
    (some,) = reports([shape.text for shape in SHAPES], limit=4)
    assert some["events"] == everything["events"][:4]
    assert some["total"] == everything["total"] == len(everything["events"])


async def test_in_a_real_child() -> None:
    """The child says what is said here."""
    texts = [shape.text for shape in SHAPES]
    answer = await run_killable(
        "tools.calendar_read.expand:expand",
        argument(texts),
        timeout_s=10,
        memory_bytes=536_870_912,
    )
    assert json.loads(answer) == json.loads(expand(argument(texts)))
