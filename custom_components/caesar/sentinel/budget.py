"""The tokens of a day: what each agent has used since midnight UTC (SPEC H)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

# The share of a limit from which its owner is warned (SPEC H).
WARN_AT: Final = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """What an agent has used of its day, when that is worth telling."""

    agent_id: str
    day: str
    used: int
    limit: int

    @property
    def share(self) -> float:
        """Return what part of the limit is used; 1 and above is all of it."""
        return self.used / self.limit if self.limit else 1.0


class Budget:
    """Counts in memory; a call that is under way is never cut off.

    Nothing is refused before the limit is reached: calls that were let in together
    may pass it by what they cost.
    """

    def __init__(
        self,
        limit: Callable[[str], int | None],
        clock: Callable[[], float],
        on_used_up: Callable[[Quota], None],
        on_nearly: Callable[[Quota], None] = lambda _: None,
    ) -> None:
        """Ask `limit` for an agent's tokens a day; the clock is in unix seconds.

        `on_used_up` hears it once a day and agent; so does `on_nearly`, with the
        call that reaches `WARN_AT` of the limit but not all of it.
        """
        self._limit = limit
        self._clock = clock
        self._on_used_up = on_used_up
        self._on_nearly = on_nearly
        self._used: dict[tuple[str, str], int] = {}
        self._told: set[tuple[str, str]] = set()
        self._warned: set[tuple[str, str]] = set()

    def load(self, day: str, used: Mapping[str, int]) -> None:
        """Add what was used on a day before this run, by agent."""
        for agent_id, tokens in used.items():
            key = (agent_id, day)
            self._used[key] = self._used.get(key, 0) + tokens
            limit = self._limit(agent_id)
            if limit is not None and tokens >= limit * WARN_AT:
                # The run that used it has warned of it.
                self._warned.add(key)

    def day(self) -> str:
        """Return today, in UTC, as `2026-11-30`."""
        return datetime.fromtimestamp(self._clock(), UTC).date().isoformat()

    def used(self, agent_id: str, day: str) -> int:
        """Return what an agent has used on a day."""
        return self._used.get((agent_id, day), 0)

    def room(self, agent_id: str) -> str | None:
        """Return the day to book one more call on; None when it is used up."""
        day, limit = self.day(), self._limit(agent_id)
        used = self.used(agent_id, day)
        if limit is None or used < limit:
            return day
        if (agent_id, day) not in self._told:
            self._told.add((agent_id, day))
            self._on_used_up(Quota(agent_id=agent_id, day=day, used=used, limit=limit))
        return None

    def spend(self, agent_id: str, day: str, tokens: int) -> None:
        """Book what a call has cost, on the day on which it began."""
        self._used[agent_id, day] = self._used.get((agent_id, day), 0) + tokens
        self._warn(agent_id, day)
        # A call can begin yesterday; nothing older is asked for again.
        oldest = min(day, self.day())
        self._used = {key: used for key, used in self._used.items() if key[1] >= oldest}
        self._told = {key for key in self._told if key[1] >= oldest}
        self._warned = {key for key in self._warned if key[1] >= oldest}

    def _warn(self, agent_id: str, day: str) -> None:
        key, limit = (agent_id, day), self._limit(agent_id)
        used = self._used[key]
        if limit is None or key in self._warned or day != self.day():
            return
        if limit * WARN_AT <= used < limit:
            self._warned.add(key)
            self._on_nearly(Quota(agent_id=agent_id, day=day, used=used, limit=limit))
