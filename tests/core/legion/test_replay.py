"""Each request counts once, whatever the clock does."""

from hypothesis import given, strategies as st

from custom_components.caesar.legion.replay import ReplayCache, Seen
from custom_components.caesar.legion.signed import LIFE_S, SKEW_S, VALID_S, Proof


class Clock:
    """A wall clock: it can be set back."""

    def __init__(self, now: float = 1_796_000_000.0) -> None:
        """Start then."""
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def proof(nonce: str, key: str = "U") -> Proof:
    """Return what a request proved."""
    return Proof(key=key, created=0, expires=0, nonce=nonce)


def test_a_request_counts_once() -> None:
    """The second is a replay; another key's or another nonce is not."""
    cache = ReplayCache(clock=Clock())

    assert cache.admit(proof("a")) is Seen.NEW
    assert cache.admit(proof("a")) is Seen.REPLAYED
    assert cache.admit(proof("b")) is Seen.NEW
    assert cache.admit(proof("a", key="V")) is Seen.NEW


def test_it_remembers_as_long_as_a_signature_is_good() -> None:
    """And then forgets, so that there is room."""
    clock = Clock()
    cache = ReplayCache(clock=clock)
    cache.admit(proof("a"))

    clock.now += LIFE_S
    assert cache.admit(proof("a")) is Seen.REPLAYED
    clock.now += 2 * SKEW_S
    assert cache.admit(proof("b")) is Seen.NEW
    assert len(cache) == 1


def test_a_full_cache_admits_nothing() -> None:
    """It fails closed: not one request is let through that it could not remember."""
    clock = Clock()
    cache = ReplayCache(clock=clock, most=3)
    for nonce in "abc":
        assert cache.admit(proof(nonce)) is Seen.NEW

    assert cache.admit(proof("d")) is Seen.FULL
    assert cache.admit(proof("a")) is Seen.REPLAYED
    assert len(cache) == 3
    clock.now += LIFE_S + SKEW_S + 1
    assert cache.admit(proof("d")) is Seen.NEW


def test_a_clock_set_back_makes_old_requests_worthless() -> None:
    """What was forgotten could be in time again, so a new epoch is due."""
    clock = Clock()
    epochs: list[float] = []
    cache = ReplayCache(clock=clock, on_clock_back=lambda: epochs.append(clock.now))
    cache.admit(proof("a"))

    clock.now -= SKEW_S - 1
    cache.tick()
    assert epochs == []
    assert cache.admit(proof("a")) is Seen.REPLAYED
    clock.now -= 2
    cache.tick()
    assert epochs == [clock.now]
    cache.tick()
    assert len(epochs) == 1


@given(
    st.lists(
        st.tuples(
            st.floats(-300, 300, allow_nan=False), st.sampled_from(["send", "again"])
        ),
        max_size=40,
    )
)
def test_no_request_counts_twice(steps: list[tuple[float, str]]) -> None:
    """Under any clock: a request in time is new once in each epoch."""
    clock = Clock()
    epoch = 0

    def anew() -> None:
        nonlocal epoch
        epoch += 1

    cache = ReplayCache(clock=clock, on_clock_back=anew)
    # Nonce, when it was created by a clock up to a minute off, and its epoch.
    sent: list[tuple[str, float, int]] = []
    for moved, what in steps:
        clock.now += moved
        now = cache.tick()
        if what == "send":
            created = now + (SKEW_S if len(sent) % 2 else -SKEW_S)
            sent.append((f"n{len(sent)}", created, epoch))
            assert cache.admit(proof(sent[-1][0])) is Seen.NEW
            continue
        for nonce, created, of in sent:
            in_time = created - SKEW_S <= now <= created + VALID_S + SKEW_S
            if in_time and of == epoch:
                assert cache.admit(proof(nonce)) is Seen.REPLAYED
