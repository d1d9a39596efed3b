"""Days and parts of days, as people name them."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from custom_components.caesar.brain.periods import Period, Span, period_of, span_of

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 12, 1, 14, 5, tzinfo=BERLIN)


@pytest.mark.parametrize(
    ("period", "since", "until"),
    [
        (Period.TODAY, "2026-12-01T00:00", "2026-12-02T00:00"),
        (Period.MORNING, "2026-12-01T04:00", "2026-12-01T12:00"),
        (Period.AFTERNOON, "2026-12-01T12:00", "2026-12-01T18:00"),
        (Period.EVENING, "2026-12-01T18:00", "2026-12-02T00:00"),
        (Period.NIGHT, "2026-11-30T22:00", "2026-12-01T06:00"),
        (Period.YESTERDAY, "2026-11-30T00:00", "2026-12-01T00:00"),
        (Period.WEEK, "2026-11-24T00:00", "2026-12-02T00:00"),
    ],
)
def test_when_a_period_is(period: Period, since: str, until: str) -> None:
    """By the clock on the wall; and each span is known by its name again."""
    span = span_of(period, NOW)
    assert span == Span(
        since=datetime.fromisoformat(since).replace(tzinfo=BERLIN),
        until=datetime.fromisoformat(until).replace(tzinfo=BERLIN),
    )
    assert period_of(span, NOW) is period


def test_a_span_without_a_name() -> None:
    """Nobody calls half an hour anything."""
    span = Span(since=NOW - timedelta(minutes=30), until=NOW)
    assert period_of(span, NOW) is None


def test_a_day_that_is_longer_than_others() -> None:
    """The day on which summer time ends has 25 hours, and is one day."""
    now = datetime(2026, 10, 25, 20, 0, tzinfo=BERLIN)
    span = span_of(Period.TODAY, now)
    assert span.until.timestamp() - span.since.timestamp() == 25 * 3600
