"""So many calls a minute and no more; who is refused hears at once when to come back."""

from dataclasses import dataclass, field, replace

from hypothesis import given, settings as examples, strategies as st
import pytest

from custom_components.caesar.policy.call import GenericToolCall, ToolCall, service_call
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.policy.settings import PolicySettings
from custom_components.caesar.sentinel.capability import PASS
from custom_components.caesar.sentinel.rate_limiter import (
    MAX_WINDOWS,
    RateLimiterGuard,
    Throttled,
)
from custom_components.caesar.turn import GuardResult, ToolOutcome, Turn
from tests.fakes.clock import FakeClock

from .test_capability import decision, turn

LIGHT = service_call("light", "turn_on", None, None)
LIGHT_OFF = service_call("light", "turn_off", None, None)
COVER = service_call("cover", "open_cover", None, None)


def session(name: str) -> Turn:
    """Return a turn of a conversation of somebody's own."""
    own = turn(user_id=name)
    own.session = name
    return own


@dataclass(slots=True)
class House:
    """A limiter, its clock, and what it said."""

    limit: int = 60
    clock: FakeClock = field(default_factory=FakeClock)
    told: list[Throttled] = field(default_factory=list)
    guard: RateLimiterGuard = field(init=False)

    def __post_init__(self) -> None:
        """Build the guard."""
        self.guard = RateLimiterGuard(
            lambda: PolicySettings(rate_limit_per_minute=self.limit),
            self.clock,
            self.told.append,
        )

    def run(self, call: ToolCall = LIGHT, name: str = "s") -> GuardResult:
        """Let a call in that is a new one, if there is room."""
        return self.guard.admit(replace(call), decision(), session(name))


@pytest.fixture
def house() -> House:
    """Return a limiter that has seen nothing."""
    return House()


def test_sixty_a_minute_for_a_connector(house: House) -> None:
    """Of all sessions together; another connector has room of its own."""
    for number in range(60):
        assert house.run(LIGHT if number % 2 else LIGHT_OFF, f"s{number % 3}") == PASS
    refused = house.run(name="another")
    assert refused == GuardResult(
        verdict=Verdict.DENY,
        reason=Reason(
            code=Code.RATE_LIMITED,
            values={"connector": "light", "limit": "60", "seconds": "60"},
        ),
        retry_after=60.0,
    )
    assert house.run(COVER, "another") == PASS
    assert house.run(GenericToolCall(tool="get_state"), "another") == PASS


def test_thirty_a_minute_for_a_session(house: House) -> None:
    """Of all connectors together; another session has room of its own."""
    for number in range(30):
        assert house.run(LIGHT if number % 2 else COVER) == PASS
    refused = house.run(GenericToolCall(tool="get_state"))
    assert refused.verdict is Verdict.DENY
    assert refused.reason.code is Code.RATE_LIMITED
    assert dict(refused.reason.values) == {
        "session": "this conversation",
        "limit": "30",
        "seconds": "60",
    }
    assert house.run(name="other") == PASS


def test_window_edges(house: House) -> None:
    """A call leaves the window 60 seconds after it was made, not before."""
    house.limit = 2
    assert house.run() == PASS
    house.clock.advance(20)
    assert house.run() == PASS
    house.clock.advance(39.5)
    refused = house.run()
    assert refused.retry_after == pytest.approx(0.5)
    assert refused.reason.values["seconds"] == "1"
    house.clock.advance(0.5)
    assert house.run() == PASS
    again = house.run()
    assert again.retry_after == pytest.approx(20)


def test_looking_counts_nothing(house: House) -> None:
    """Nor does a call that was refused."""
    house.limit = 1
    for _ in range(5):
        assert house.guard.check(LIGHT, decision(), session("s")) == PASS
    assert house.run() == PASS
    for _ in range(5):
        assert house.run().verdict is Verdict.DENY
    house.clock.advance(60)
    assert house.run() == PASS


def test_a_refused_call_takes_room_in_neither_window(house: House) -> None:
    """The session isn't charged for what its connector had no room for."""
    house.limit = 1
    assert house.run(name="first") == PASS
    for _ in range(40):
        assert house.run(name="second").verdict is Verdict.DENY
    assert house.run(COVER, "second") == PASS


def test_what_came_of_a_call_changes_nothing(house: House) -> None:
    """A failed call was a call."""
    house.limit = 1
    house.run()
    house.guard.report(ToolOutcome(request_id="r", tool="light.turn_on"))
    assert house.run().verdict is Verdict.DENY


def test_only_the_first_refusal_is_news(house: House) -> None:
    """Who calls on and on can't fill the trail with it."""
    house.limit = 1
    house.run()
    house.clock.advance(10)
    for _ in range(20):
        house.run()
    [told] = house.told
    assert (told.connector, told.limit, told.retry_after) == ("light", 1, 50)
    assert told.decision_id == "d"
    assert told.caller.user_id == "s"
    house.clock.advance(50)
    house.run()
    house.run()
    assert len(house.told) == 2


def test_a_sessions_refusal_names_no_connector(house: House) -> None:
    """The event says that the session's limit was reached."""
    for _ in range(31):
        house.run()
    assert [told.connector for told in house.told] == [None]


def test_the_limit_changes_on_reload(house: House) -> None:
    """Down and up, at once."""
    for _ in range(10):
        house.run()
    house.limit = 5
    assert house.run().verdict is Verdict.DENY
    house.limit = 12
    assert house.run() == PASS


def test_a_lower_limit_counts_the_newest_calls(house: House) -> None:
    """Room comes when few enough of them are left, not when the oldest goes."""
    for _ in range(4):
        house.run()
        house.clock.advance(10)
    house.limit = 2
    assert house.run().retry_after == pytest.approx(40)
    house.clock.advance(39)
    assert house.run().verdict is Verdict.DENY
    house.clock.advance(1)
    assert house.run() == PASS


def test_a_call_that_was_let_in_stands(house: House) -> None:
    """Looked at again while it runs, it is not refused for its own place."""
    house.limit = 1
    own = replace(LIGHT)
    assert house.guard.admit(own, decision(), session("s")) == PASS
    assert house.guard.check(own, decision(), session("s")) == PASS
    equal = replace(LIGHT)
    assert house.guard.check(equal, decision(), session("s")).verdict is Verdict.DENY


def test_no_limit_of_zero_lets_anything_through(house: House) -> None:
    """A limit that allows nothing allows nothing."""
    house.run()
    house.clock.advance(30)
    house.limit = 0
    assert house.run().retry_after == 60


def test_a_call_of_long_ago_has_no_room_of_its_own(house: House) -> None:
    """Only the calls that count now are known again."""
    house.limit = 1
    first = replace(LIGHT)
    assert house.guard.admit(first, decision(), session("s")) == PASS
    assert house.guard.check(first, decision(), session("s")) == PASS
    house.clock.advance(60)
    assert house.run() == PASS
    again = house.guard.check(first, decision(), session("s"))
    assert again.verdict is Verdict.DENY


@pytest.mark.parametrize(
    ("origin", "user_id", "shared"),
    [
        (Origin.CHAT, "user-1", True),
        (Origin.VOICE, None, True),
        (Origin.VOICE, "user-1", True),
        (Origin.AUTOMATION, None, False),
        (Origin.AUTOMATION, "user-1", True),
        (Origin.AGENT, None, False),
    ],
)
def test_whose_conversations_are_one(
    house: House, origin: Origin, user_id: str | None, shared: bool
) -> None:
    """A person's, and a satellite's; an automation's each stand for themselves."""

    def run(conversation: str) -> GuardResult:
        own = turn(user_id, origin)
        own.session = conversation
        return house.guard.admit(replace(LIGHT), decision(), own)

    for _ in range(30):
        assert run("first") == PASS
    assert run("first").verdict is Verdict.DENY
    assert (run("second").verdict is Verdict.DENY) is shared


def test_sessions_are_forgotten(house: House) -> None:
    """What lies a minute back takes no memory; nor do more sessions than there are."""
    house.limit = 10_000
    for number in range(MAX_WINDOWS * 2):
        house.run(name=f"s{number}")
    assert len(house.guard._windows) == MAX_WINDOWS
    house.clock.advance(60)
    house.run(name="new")
    assert set(house.guard._windows) == {
        ("connector", "light"),
        ("session", "user|new"),
    }


@examples(max_examples=150, deadline=None)
@given(
    st.integers(1, 4),
    st.lists(st.floats(0, 45, allow_nan=False), min_size=1, max_size=40),
)
def test_never_more_than_the_limit_in_any_minute(
    limit: int, pauses: list[float]
) -> None:
    """And whoever waits as long as they are told gets in."""
    house = House(limit=limit)
    made: list[float] = []
    for pause in pauses:
        house.clock.advance(pause)
        result = house.run()
        if result.verdict is Verdict.DENY:
            assert result.retry_after is not None
            assert 0 < result.retry_after <= 60
            house.clock.advance(result.retry_after + 1e-6)
            assert house.run() == PASS
        made.append(house.clock())
        assert sum(house.clock() - at < 60 for at in made) <= limit
