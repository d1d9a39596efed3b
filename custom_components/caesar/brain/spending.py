"""What the models were used for: calls, tokens and costs by agent, model and time. Pure.

Times are quarters of an hour in UTC, such as `2026-11-30T17:45`: a day or a month of
any time zone is a whole number of them.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from typing import Final

from .provider import Usage

MINUTES: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What some calls took.

    `cost` is in the house's currency; `priced` counts the calls whose price is known,
    `estimated` those whose tokens are not.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    estimated: int = 0
    priced: int = 0
    cost: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        """Return both together."""
        return Spent(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_tokens=self.cache_read_tokens + other.cache_read_tokens,
            cache_write_tokens=self.cache_write_tokens + other.cache_write_tokens,
            estimated=self.estimated + other.estimated,
            priced=self.priced + other.priced,
            cost=self.cost + other.cost,
        )

    @property
    def tokens(self) -> int:
        """Return all tokens."""
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_read_tokens
            + self.cache_write_tokens
        )

    @property
    def cached_share(self) -> float | None:
        """Return how much of what was sent came out of a cache; None without any."""
        sent = self.input_tokens + self.cache_read_tokens + self.cache_write_tokens
        return self.cache_read_tokens / sent if sent else None

    @property
    def values(self) -> tuple[float, ...]:
        """Return all numbers in the order of the fields."""
        return astuple(self)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """Where a number belongs."""

    agent_id: str
    model: str
    quarter: str


def spent_of(usage: Usage, *, estimated: bool, cost: float | None) -> Spent:
    """Return what one call took; `cost` is None where no price is known."""
    return Spent(
        calls=1,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        estimated=int(estimated),
        priced=int(cost is not None),
        cost=cost or 0.0,
    )


def quarter_of(moment: datetime) -> str:
    """Return the quarter of an hour that holds a moment with a time zone."""
    at = moment.astimezone(UTC)
    return at.replace(minute=at.minute - at.minute % MINUTES).strftime("%Y-%m-%dT%H:%M")


class Spending:
    """Adds up. What was before this run is loaded once, and counts as well."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._spent: dict[Place, Spent] = {}

    def load(self, before: Mapping[Place, Spent]) -> None:
        """Add what was used before this run."""
        for place, spent in before.items():
            self.add(place, spent)

    def add(self, place: Place, spent: Spent) -> None:
        """Count a call."""
        self._spent[place] = self._spent.get(place, Spent()) + spent

    def at(self, place: Place) -> Spent:
        """Return what was used at one place."""
        return self._spent.get(place, Spent())

    def since(self, agent_id: str, quarter: str) -> Spent:
        """Return what an agent has used from a quarter of an hour on."""
        return sum(
            (
                spent
                for place, spent in self._spent.items()
                if place.agent_id == agent_id and place.quarter >= quarter
            ),
            start=Spent(),
        )

    def forget_before(self, quarter: str) -> None:
        """Drop what nobody asks for any more; the file keeps it longer."""
        self._spent = {
            place: spent
            for place, spent in self._spent.items()
            if place.quarter >= quarter
        }
