"""A rest ends early when what was missing is there again, and for one call only."""

from custom_components.caesar.policy.call import GenericToolCall
from custom_components.caesar.policy.reason import Code

from .test_circuit_breaker import LIGHT, SEARCH, House


def resting(*calls: GenericToolCall) -> House:
    """Return a house in which the web search, and more, rests."""
    house = House()
    for call in (SEARCH, *calls):
        assert [house.run(Code.NO_WORKER, call) for _ in range(3)] == [True] * 3
        assert not house.run(call=call)
    return house


def test_one_call_tries_at_once() -> None:
    """If it works, all do; if it fails, the rest begins anew."""
    house = resting()
    house.guard.try_again("web_search")
    assert house.run(Code.NO_WORKER, SEARCH)
    assert not house.run(call=SEARCH)
    house.guard.try_again("web_search")
    assert house.run(call=SEARCH)
    assert house.run(call=SEARCH)
    assert house.told()[-1] == ("half_open", "closed")


def test_a_probe_under_way_stays_the_only_one() -> None:
    """A worker that comes and goes meanwhile lets no second call in."""
    house = resting()
    house.guard.try_again("web_search")
    result, _ = house.admit(SEARCH)
    assert result.retry_after is None
    house.guard.try_again("web_search")
    assert not house.run(call=SEARCH)


def test_others_go_on_resting() -> None:
    """A worker's tool ends its own rest, not that of a domain that is called alike."""
    lights = GenericToolCall(tool="light")
    house = resting(lights)
    assert [house.run(Code.TIMEOUT) for _ in range(3)] == [True] * 3
    house.guard.try_again("light")
    assert house.run(call=lights)
    assert not house.run(call=SEARCH)
    assert not house.run(call=LIGHT)
    house.guard.try_again("never_heard_of")
