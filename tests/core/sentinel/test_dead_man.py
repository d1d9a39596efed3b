"""An automation that changes the house on and on with nobody about is stopped."""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.policy.call import ToolCall, service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.capability import PASS
from custom_components.caesar.sentinel.dead_man import MAX_SESSIONS, DeadManGuard
from custom_components.caesar.turn import GuardResult, ToolOutcome, Turn
from tests.fakes.clock import FakeClock

from .test_capability import decision

CALL = service_call("light", "turn_on", None, None)
CHANGE = decision(impact=Impact.REVERSIBLE)
READ = decision(impact=Impact.READ)


def new() -> ToolCall:
    """Return a call that is no other, if equal to it."""
    return replace(CALL)


def turn(
    origin: Origin = Origin.AUTOMATION, conversation: str = "evening", **more: Any
) -> Turn:
    """Return a turn of an automation's conversation."""
    caller = Caller(
        origin=origin,
        agent_id="agent",
        conversation_id=conversation,
        context_id="c",
        **more,
    )
    return Turn(decision_id="d", caller=caller, language="en", deadline=1)


@pytest.fixture
def clock() -> FakeClock:
    """Return a clock."""
    return FakeClock()


@pytest.fixture
def guard(clock: FakeClock) -> DeadManGuard:
    """Return a guard whose automation has made its twenty changes, one a minute."""
    guard = DeadManGuard(clock)
    for _ in range(20):
        clock.advance(60)
        assert guard.check(new(), CHANGE, turn()) == PASS
        assert guard.admit(new(), CHANGE, turn()) == PASS
    return guard


def refused(result: GuardResult) -> bool:
    """Return whether the guard stops the automation; the reason is the right one."""
    if result == PASS:
        return False
    assert result.verdict is Verdict.DENY
    assert result.reason.code is Code.RATE_LIMITED
    assert result.reason.values["why"] == "dead_man"
    return True


def test_the_twenty_first_change_is_refused(guard: DeadManGuard) -> None:
    """Wherever it is asked, and with the time to wait."""
    for result in (
        guard.check(new(), CHANGE, turn()),
        guard.admit(new(), CHANGE, turn()),
    ):
        assert refused(result)
        assert result.retry_after == 600


def test_a_change_that_was_let_in_stands(clock: FakeClock) -> None:
    """Looked at again while it runs, the twentieth is not refused for itself."""
    guard = DeadManGuard(clock)
    for _ in range(20):
        own = new()
        guard.admit(own, CHANGE, turn())
    assert guard.check(own, CHANGE, turn()) == PASS
    assert refused(guard.check(new(), CHANGE, turn()))


def test_reads_go_on_and_do_not_count(clock: FakeClock) -> None:
    """Only changes are counted, and only changes are refused."""
    guard = DeadManGuard(clock)
    for _ in range(50):
        assert guard.admit(new(), READ, turn()) == PASS
    for _ in range(20):
        assert guard.admit(new(), CHANGE, turn()) == PASS
    assert refused(guard.admit(new(), CHANGE, turn()))
    assert guard.admit(new(), READ, turn()) == PASS


def test_others_are_not_held_by_it(guard: DeadManGuard) -> None:
    """Another conversation of an automation, and every person."""
    assert guard.check(new(), CHANGE, turn(conversation="morning")) == PASS
    for origin in set(Origin) - {Origin.AUTOMATION, Origin.AGENT}:
        for _ in range(25):
            assert guard.admit(new(), CHANGE, turn(origin, "other")) == PASS
    for _ in range(25):
        agent = turn(Origin.AGENT, "other", user_id="user-1")
        assert guard.admit(new(), CHANGE, agent) == PASS


def test_an_agent_that_names_no_user_is_held_by_it(clock: FakeClock) -> None:
    """Nobody is known to be there; and an agent that names one is no person either."""
    guard = DeadManGuard(clock)
    for _ in range(20):
        assert guard.admit(new(), CHANGE, turn(Origin.AGENT)) == PASS
    guard.heard(turn(Origin.AGENT, user_id="user-1").caller)
    assert refused(guard.admit(new(), CHANGE, turn(Origin.AGENT)))


@pytest.mark.parametrize("origin", [Origin.CHAT, Origin.VOICE])
def test_a_person_in_that_conversation_ends_the_row(
    guard: DeadManGuard, origin: Origin
) -> None:
    """By saying anything there; not by saying it elsewhere."""
    guard.heard(turn(origin, "elsewhere").caller)
    assert refused(guard.check(new(), CHANGE, turn()))
    guard.heard(turn(origin, user_id="user-1").caller)
    assert guard.admit(new(), CHANGE, turn()) == PASS


def test_an_automation_is_no_person(guard: DeadManGuard) -> None:
    """It can't end its own row."""
    guard.heard(turn().caller)
    assert refused(guard.admit(new(), CHANGE, turn()))


def test_a_persons_call_ends_the_row(guard: DeadManGuard) -> None:
    """Also a read."""
    guard.admit(new(), READ, turn(Origin.CHAT))
    assert guard.admit(new(), CHANGE, turn()) == PASS


def test_ten_quiet_minutes_end_the_row(guard: DeadManGuard, clock: FakeClock) -> None:
    """To the second; being refused in between does not prolong them."""
    clock.advance(599)
    assert refused(guard.admit(new(), CHANGE, turn()))
    clock.advance(1)
    assert guard.admit(new(), CHANGE, turn()) == PASS
    for _ in range(19):
        assert guard.admit(new(), CHANGE, turn()) == PASS
    assert refused(guard.admit(new(), CHANGE, turn()))


def test_an_hourly_automation_is_no_runaway(clock: FakeClock) -> None:
    """However long it lives."""
    guard = DeadManGuard(clock)
    for _ in range(100):
        clock.advance(3600)
        assert guard.admit(new(), CHANGE, turn()) == PASS


def test_what_came_of_a_change_does_not_matter(guard: DeadManGuard) -> None:
    """A failed change was one."""
    guard.report(ToolOutcome(request_id="r", tool="light.turn_on"))
    assert refused(guard.check(new(), CHANGE, turn()))


def test_memory_is_bounded(clock: FakeClock) -> None:
    """The oldest conversations are forgotten."""
    guard = DeadManGuard(clock)
    for number in range(MAX_SESSIONS + 50):
        guard.admit(new(), CHANGE, turn(conversation=f"c{number}"))
    assert len(guard._runs) == MAX_SESSIONS


def test_a_house_of_many_automations_stops_the_next_one_too(clock: FakeClock) -> None:
    """The oldest rows are forgotten, never the one that is being counted."""
    guard = DeadManGuard(clock)
    for number in range(MAX_SESSIONS):
        assert guard.admit(new(), CHANGE, turn(conversation=f"c{number}")) == PASS
    for _ in range(20):
        assert guard.admit(new(), CHANGE, turn()) == PASS
    assert refused(guard.admit(new(), CHANGE, turn()))
    assert len(guard._runs) == MAX_SESSIONS


def test_what_passes_a_look_is_let_in(clock: FakeClock) -> None:
    """The twentieth call itself, looked at again; another one neither."""
    guard = DeadManGuard(clock)
    last = new()
    for _ in range(19):
        guard.admit(new(), CHANGE, turn())
    assert guard.admit(last, CHANGE, turn()) == PASS
    for call, passes in ((last, True), (new(), False)):
        assert refused(guard.check(call, CHANGE, turn())) is not passes
        assert refused(guard.admit(call, CHANGE, turn())) is not passes
