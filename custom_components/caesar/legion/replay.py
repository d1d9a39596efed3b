"""Each signed request counts once."""

from collections import OrderedDict
from collections.abc import Callable
from enum import Enum, auto
import time
from typing import Final

from .signed import LIFE_S, SKEW_S, Proof

MAX_NONCES: Final = 50_000


class Seen(Enum):
    """Whether a request may count."""

    NEW = auto()
    REPLAYED = auto()
    FULL = auto()


class ReplayCache:
    """The nonces of all requests whose signatures are still in time.

    It fails closed: when it is full, nothing new counts. `on_clock_back` is called when
    the clock was set back so far that forgotten requests would be in time again; the
    owner must then make all older requests worthless, by a new epoch.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        on_clock_back: Callable[[], None] = lambda: None,
        most: int = MAX_NONCES,
    ) -> None:
        """Remember up to `most` nonces; `clock` gives Unix seconds."""
        self._clock = clock
        self._on_clock_back = on_clock_back
        self._most = most
        self._seen: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._latest = clock()

    def __len__(self) -> int:
        """Return how many are remembered."""
        return len(self._seen)

    def tick(self) -> float:
        """Return the time, after looking whether the clock was set back."""
        now = self._clock()
        if now < self._latest - SKEW_S:
            self._seen.clear()
            self._latest = now
            self._on_clock_back()
        self._latest = max(self._latest, now)
        while self._seen and next(iter(self._seen.values())) < self._latest:
            self._seen.popitem(last=False)
        return now

    def admit(self, proof: Proof) -> Seen:
        """Say whether a request may count, and remember it if so."""
        self.tick()
        once = (proof.key, proof.nonce)
        if once in self._seen:
            return Seen.REPLAYED
        if len(self._seen) >= self._most:
            return Seen.FULL
        # The clock may go back by the skew before that is noticed.
        self._seen[once] = self._latest + LIFE_S + SKEW_S
        return Seen.NEW
