"""A day's tokens, by agent and UTC day."""

from datetime import UTC, datetime

import pytest

from custom_components.caesar.sentinel.budget import Budget, Quota
from tests.fakes.clock import FakeClock

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC).timestamp()


class House:
    """A budget with a clock, a limit, and ears."""

    def __init__(self) -> None:
        """Begin at noon with a limit of 100."""
        self.clock = FakeClock(NOON)
        self.limits: dict[str, int | None] = {"a": 100}
        self.told: list[Quota] = []
        self.nearly: list[Quota] = []
        self.budget = Budget(
            self.limits.get, self.clock, self.told.append, self.nearly.append
        )


@pytest.fixture
def house() -> House:
    """Return a budget of which nothing is used."""
    return House()


def test_refused_once_the_limit_is_reached(house: House) -> None:
    """Not before it, whatever the next call may cost."""
    assert house.budget.room("a") == "2026-11-30"
    house.budget.spend("a", "2026-11-30", 99)
    assert house.budget.room("a") == "2026-11-30"
    assert house.told == []
    house.budget.spend("a", "2026-11-30", 1)
    assert house.budget.room("a") is None
    assert house.budget.room("a") is None
    assert house.told == [Quota(agent_id="a", day="2026-11-30", used=100, limit=100)]


def test_agents_have_budgets_of_their_own(house: House) -> None:
    """And without a limit it only counts."""
    house.budget.spend("a", "2026-11-30", 500)
    house.budget.spend("b", "2026-11-30", 500)
    assert house.budget.room("a") is None
    assert house.budget.room("b") == "2026-11-30"
    assert house.budget.used("b", "2026-11-30") == 500


def test_the_day_ends_at_midnight_utc(house: House) -> None:
    """To the second; and being used up is told once for each day."""
    house.budget.spend("a", "2026-11-30", 100)
    house.clock.advance(12 * 3600 - 1)
    assert house.budget.room("a") is None
    house.clock.advance(1)
    assert house.budget.room("a") == "2026-12-01"
    house.budget.spend("a", "2026-12-01", 100)
    assert house.budget.room("a") is None
    assert [quota.day for quota in house.told] == ["2026-11-30", "2026-12-01"]


def test_a_call_is_booked_on_the_day_on_which_it_began(house: House) -> None:
    """Also when it ends on the next."""
    day = house.budget.room("a")
    assert day is not None
    house.clock.advance(13 * 3600)
    house.budget.spend("a", day, 100)
    assert house.budget.used("a", "2026-11-30") == 100
    assert house.budget.room("a") == "2026-12-01"
    house.clock.advance(48 * 3600)
    house.budget.spend("a", "2026-12-03", 1)
    assert set(house.budget._used) == {("a", "2026-12-03")}


def test_what_was_used_before_a_restart_counts(house: House) -> None:
    """Together with what was used since."""
    house.budget.spend("a", "2026-11-30", 10)
    house.budget.load("2026-11-30", {"a": 90, "b": 1})
    assert house.budget.used("a", "2026-11-30") == 100
    assert house.budget.room("a") is None


def test_the_limit_of_the_moment_counts(house: House) -> None:
    """Raised, lowered, or nothing at all."""
    house.budget.spend("a", "2026-11-30", 50)
    house.limits["a"] = 50
    assert house.budget.room("a") is None
    house.limits["a"] = None
    assert house.budget.room("a") is not None
    house.limits["a"] = 0
    assert house.budget.room("a") is None


def test_a_warning_at_four_fifths(house: House) -> None:
    """Once a day and agent, by the call that reaches it; not without a limit."""
    house.budget.spend("a", "2026-11-30", 79)
    house.budget.spend("b", "2026-11-30", 10**9)
    assert house.nearly == []
    house.budget.spend("a", "2026-11-30", 1)
    house.budget.spend("a", "2026-11-30", 5)
    assert [(quota.used, quota.share) for quota in house.nearly] == [(80, 0.8)]
    house.clock.advance(24 * 3600)
    house.budget.spend("a", "2026-12-01", 90)
    assert [quota.day for quota in house.nearly] == ["2026-11-30", "2026-12-01"]


def test_no_warning_of_what_is_past(house: House) -> None:
    """Neither of a limit passed in one go, nor again after a restart, nor late."""
    house.budget.spend("a", "2026-11-30", 100)
    house.limits["b"] = house.limits["c"] = 100
    house.budget.load("2026-11-30", {"b": 85})
    house.budget.spend("b", "2026-11-30", 1)
    house.clock.advance(12 * 3600)
    house.budget.spend("c", "2026-11-30", 90)
    assert house.nearly == []
