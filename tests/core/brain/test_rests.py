"""How long a model is left alone after a failure."""

import pytest

from custom_components.caesar.brain.chain import Link, Rest, awake
from custom_components.caesar.brain.provider import ErrorKind, ProviderError
from tests.fakes.provider import ScriptedProvider


@pytest.mark.parametrize(
    ("errors", "rests"),
    [
        ([ErrorKind.AUTH] * 2, 300),
        ([ErrorKind.QUOTA], 60),
        ([ErrorKind.QUOTA] * 9, 900),
        ([ErrorKind.RATE] * 2, 20),
        ([ErrorKind.TIMEOUT, ErrorKind.RATE], 10),
        ([ErrorKind.CUT], 0),
        ([ErrorKind.REJECTED], 0),
    ],
)
def test_rests(errors: list[ErrorKind], rests: float) -> None:
    """Seconds to minutes, longer each time, and never for what won't last."""
    rest = Rest()
    for kind in errors:
        rest.failed(ProviderError(kind), 1000)
    assert max(rest.until, 1000) == 1000 + rests
    assert rest.kind(1000 + rests) is None
    assert rest.kind(999 + rests) is (errors[-1] if rests else None)
    rest.answered()
    assert rest.kind(1000) is None


def test_what_a_server_asks_for_is_kept_to_within_reason() -> None:
    """`retry-after` makes a rest longer, not endless; a missing model is no slip."""
    rest = Rest()
    rest.failed(ProviderError(ErrorKind.RATE, retry_after=90), 0)
    assert rest.until == 90
    rest.failed(ProviderError(ErrorKind.RATE, retry_after=1e9), 0)
    assert rest.until == 900
    rest.failed(ProviderError(ErrorKind.REJECTED, param="model"), 0)
    assert rest.until == 60


def test_a_local_brain_never_rests() -> None:
    """A fault of it says nothing about its next turn."""
    provider = ScriptedProvider([], local=True)
    mine = Link(provider=provider, key="builtin")
    mine.failed(ProviderError(ErrorKind.UNAVAILABLE), 0)
    mine.answered()
    assert awake([mine], 1) == ((mine,), ())
