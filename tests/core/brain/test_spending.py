"""What models were used for, added up; and what it cost."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from custom_components.caesar.brain.prices import Prices, prices_of
from custom_components.caesar.brain.provider import Usage
from custom_components.caesar.brain.spending import (
    Place,
    Spending,
    Spent,
    quarter_of,
    spent_of,
)

USAGE = Usage(
    input_tokens=1_000, output_tokens=200, cache_read_tokens=500, cache_write_tokens=100
)


def place(quarter: str, agent: str = "a", model: str = "m") -> Place:
    """Return a place of an agent."""
    return Place(agent_id=agent, model=model, quarter=quarter)


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        (None, None),
        ({}, None),
        ({"input": "3"}, None),
        ({"input": -1, "output": float("nan"), "cache_read": True}, None),
        ({"input": 3}, None),
        ({"output": 15, "cache_read": 1}, None),
        ({"input": 3, "output": "15"}, None),
        (
            {"input": 3, "output": 0, "other": 1},
            Prices(input_tokens=3, cache_read_tokens=3, cache_write_tokens=3),
        ),
        (
            {"input": 3, "output": 15, "cache_read": 0},
            Prices(input_tokens=3, output_tokens=15, cache_write_tokens=3),
        ),
        (
            {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75},
            Prices(
                input_tokens=3,
                output_tokens=15,
                cache_read_tokens=0.3,
                cache_write_tokens=3.75,
            ),
        ),
    ],
)
def test_prices_are_what_was_typed(
    kept: dict[str, Any] | None, expected: Prices | None
) -> None:
    """Without any there is no cost; a cache without a price costs as input."""
    assert prices_of(kept) == expected


def test_a_cost() -> None:
    """Each kind of tokens at its price, for a million of them."""
    prices = Prices(
        input_tokens=3, output_tokens=15, cache_read_tokens=0.3, cache_write_tokens=3.75
    )
    expected = 0.003 + 0.003 + 0.00015 + 0.000375
    assert prices.cost(USAGE) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("moment", "quarter"),
    [
        (datetime(2026, 11, 30, 17, 59, 59, tzinfo=UTC), "2026-11-30T17:45"),
        (datetime(2026, 11, 30, 18, 0, tzinfo=UTC), "2026-11-30T18:00"),
        (
            datetime(
                2026, 12, 1, 0, 0, tzinfo=timezone(timedelta(hours=5, minutes=45))
            ),
            "2026-11-30T18:15",
        ),
    ],
)
def test_a_day_of_any_zone_begins_with_a_quarter(
    moment: datetime, quarter: str
) -> None:
    """Kathmandu's too."""
    assert quarter_of(moment) == quarter


def test_it_adds_up_by_agent_and_time() -> None:
    """Other agents and earlier quarters don't count."""
    spending = Spending()
    known = spent_of(USAGE, estimated=False, cost=0.5)
    unknown = spent_of(USAGE, estimated=True, cost=None)
    spending.load({place("2026-11-30T17:30"): known})
    spending.add(place("2026-11-30T17:45"), known)
    spending.add(place("2026-11-30T17:45"), unknown)
    spending.add(place("2026-11-30T18:00", model="n"), known)
    spending.add(place("2026-11-30T18:00", agent="b"), known)
    assert spending.since("a", "2026-11-30T17:45") == Spent(
        calls=3,
        input_tokens=3_000,
        output_tokens=600,
        cache_read_tokens=1_500,
        cache_write_tokens=300,
        estimated=1,
        priced=2,
        cost=1.0,
    )
    assert spending.since("a", "2026-11-30T17:45").tokens == 5_400
    assert spending.since("a", "2026-12-01T00:00") == Spent()
    assert spending.at(place("2026-11-30T17:30")) == known
    spending.forget_before("2026-11-30T17:45")
    assert spending.at(place("2026-11-30T17:30")) == Spent()
    assert spending.since("b", "2026-11-30T00:00").calls == 1


def test_the_share_of_the_cache() -> None:
    """Of all that was sent; without anything sent there is none."""
    assert Spent(output_tokens=5).cached_share is None
    assert (
        Spent(input_tokens=50, cache_read_tokens=25, cache_write_tokens=25).cached_share
        == 0.25
    )
