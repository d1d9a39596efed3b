"""What keeps failing rests, and exactly one call tries whether it is well again."""

from dataclasses import dataclass, field, replace

from hypothesis import given, settings as examples, strategies as st
import pytest

from custom_components.caesar.policy.call import (
    GenericToolCall,
    ToolCall,
    service_call,
    tool_id,
)
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.policy.settings import PolicySettings
from custom_components.caesar.sentinel.capability import PASS
from custom_components.caesar.sentinel.circuit_breaker import (
    BreakerChange,
    CircuitBreakerGuard,
)
from custom_components.caesar.turn import (
    ApprovalResult,
    ApprovalState,
    GuardResult,
    ToolDecision,
    ToolError,
    ToolOutcome,
)
from tests.fakes.clock import FakeClock

from .test_capability import decision, turn

LIGHT = service_call("light", "turn_on", None, None)
LIGHT_OFF = service_call("light", "turn_off", None, None)
SEARCH = GenericToolCall(tool="web_search")
TURN = turn()


@dataclass(slots=True)
class House:
    """A breaker, its clock, and calls of several turns."""

    settings: PolicySettings = field(default_factory=PolicySettings)
    clock: FakeClock = field(default_factory=FakeClock)
    changes: list[BreakerChange] = field(default_factory=list)
    guard: CircuitBreakerGuard = field(init=False)

    def __post_init__(self) -> None:
        """Build the guard."""
        self.guard = CircuitBreakerGuard(
            lambda: self.settings, self.clock, self.changes.append
        )

    def admit(self, call: ToolCall = LIGHT) -> tuple[GuardResult, PolicyDecision]:
        """Let a call in that has a decision of its own."""
        own = decision()
        return self.guard.admit(replace(call), own, TURN), own

    def end(
        self,
        own: PolicyDecision,
        code: Code | None = None,
        *,
        call: ToolCall = LIGHT,
        executed: bool = True,
        guard: GuardResult = PASS,
        approval: ApprovalResult | None = None,
    ) -> None:
        """Say what came of a call."""
        allowed = guard.verdict is Verdict.ALLOW and approval is None
        self.guard.report(
            ToolOutcome(
                request_id="r",
                tool=tool_id(call),
                executed=executed,
                error=ToolError(code=code, message="") if code else None,
                decision=ToolDecision(
                    policy=own,
                    guard=guard,
                    approval=approval,
                    verdict=Verdict.ALLOW if allowed else Verdict.DENY,
                ),
            )
        )

    def run(
        self, code: Code | None = None, call: ToolCall = LIGHT, *, executed: bool = True
    ) -> bool:
        """Run a call to its end; False if it was refused."""
        result, own = self.admit(call)
        if result.verdict is not Verdict.ALLOW:
            self.end(own, result.reason.code, call=call, executed=False, guard=result)
            return False
        self.end(own, code, call=call, executed=executed)
        return True

    def told(self) -> list[tuple[str, str]]:
        """Return the changes so far."""
        return [(change.before.value, change.after.value) for change in self.changes]


@pytest.fixture
def house() -> House:
    """Return a breaker that nothing has failed under."""
    return House()


@pytest.fixture
def open_house(house: House) -> House:
    """Return a breaker that has just opened for lights."""
    for _ in range(3):
        assert house.run(Code.TOOL_ERROR)
    return house


@pytest.mark.parametrize("code", [Code.TOOL_ERROR, Code.TIMEOUT, Code.NO_WORKER])
def test_three_failures_open_it(house: House, code: Code) -> None:
    """The fourth call is refused, with the time to wait; others run."""
    assert [house.run(code) for _ in range(3)] == [True] * 3
    result = house.guard.check(LIGHT_OFF, decision(), TURN)
    assert result == GuardResult(
        verdict=Verdict.DENY,
        reason=Reason(
            code=Code.CIRCUIT_OPEN, values={"connector": "light", "seconds": "300"}
        ),
        retry_after=300.0,
    )
    assert house.guard.check(SEARCH, decision(), TURN) == PASS
    assert house.changes == [
        replace(house.changes[0], connector="light", failures=3, rests_s=300)
    ]
    assert house.told() == [("closed", "open")]


def test_a_tool_has_a_breaker_of_its_own(house: House) -> None:
    """A worker's tool is a connector by its id."""
    for _ in range(3):
        house.run(Code.TIMEOUT, SEARCH)
    assert not house.run(call=SEARCH)
    assert house.run(call=GenericToolCall(tool="calculator"))


def test_a_success_forgets_failures(house: House) -> None:
    """Only failures in a row count."""
    for _ in range(5):
        house.run(Code.TOOL_ERROR)
        house.run(Code.TOOL_ERROR)
        house.run()
    assert house.changes == []


@pytest.mark.parametrize(
    ("code", "executed"),
    [
        (Code.INVALID_INPUT, False),
        (Code.INVALID_INPUT, True),
        (Code.CAPABILITY_DENIED, False),
        (Code.INTERRUPTED, True),
        # Nothing ran: the house changed, or an entity isn't there now.
        (Code.TOOL_ERROR, False),
    ],
)
def test_what_is_no_failure(house: House, code: Code, executed: bool) -> None:
    """Bad input and refusals neither count nor forgive."""
    house.run(Code.TOOL_ERROR)
    house.run(Code.TOOL_ERROR)
    for _ in range(5):
        assert house.run(code, executed=executed)
    assert house.changes == []
    house.run(Code.TOOL_ERROR)
    assert house.told() == [("closed", "open")]


def test_a_persons_no_is_no_failure(house: House) -> None:
    """Nor is a guard's."""
    no = ApprovalResult(
        state=ApprovalState.DENIED, reason=Reason(code=Code.APPROVAL_DENIED)
    )
    busy = GuardResult(verdict=Verdict.DENY, reason=Reason(code=Code.TIMEOUT))
    for _ in range(5):
        house.end(decision(), Code.TIMEOUT, executed=False, guard=busy)
        house.end(decision(), Code.NO_WORKER, executed=False, guard=busy)
        house.end(decision(), Code.TIMEOUT, executed=True, approval=no)
    assert house.changes == []


def test_window_edge_of_the_rest(open_house: House) -> None:
    """Refused to the last moment, tried at it."""
    open_house.clock.advance(299.5)
    result = open_house.guard.check(LIGHT, decision(), TURN)
    assert result.retry_after == pytest.approx(0.5)
    assert result.reason.values["seconds"] == "1"
    open_house.clock.advance(0.5)
    assert open_house.guard.check(LIGHT, decision(), TURN) == PASS


def test_looking_takes_no_place(open_house: House) -> None:
    """However often it is checked, the probe is still there to be taken."""
    open_house.clock.advance(300)
    for _ in range(10):
        assert open_house.guard.check(LIGHT, decision(), TURN) == PASS
    assert open_house.told() == [("closed", "open")]
    assert open_house.run()


def test_two_half_open_probes(open_house: House) -> None:
    """While one call tries, no other gets in, and its refusal frees no place."""
    open_house.clock.advance(300)
    first, own = open_house.admit()
    assert first == PASS
    for _ in range(3):
        # Refused, and reported as refused: the place stays taken.
        assert not open_house.run()
    result = open_house.guard.check(LIGHT, decision(), TURN)
    assert result.retry_after == 10
    open_house.end(own)
    assert open_house.told() == [
        ("closed", "open"),
        ("open", "half_open"),
        ("half_open", "closed"),
    ]
    assert open_house.run()


def test_a_probe_that_was_let_in_stands(open_house: House) -> None:
    """Looked at again while it runs, it is not refused for its own place."""
    open_house.clock.advance(300)
    own = replace(LIGHT)
    assert open_house.guard.admit(own, decision(), TURN) == PASS
    assert open_house.guard.check(own, decision(), TURN) == PASS
    equal = open_house.guard.check(replace(LIGHT), decision(), TURN)
    assert equal.verdict is Verdict.DENY


def test_a_late_call_is_no_probe(open_house: House) -> None:
    """A call from before the rest that ends now says nothing and frees nothing."""
    early = decision()
    open_house.end(early)
    assert not open_house.run()
    open_house.clock.advance(300)
    _, own = open_house.admit()
    open_house.end(early)
    open_house.end(early, Code.TOOL_ERROR)
    assert not open_house.run()
    open_house.end(own)
    assert open_house.run()


def test_a_failed_probe_opens_it_again(open_house: House) -> None:
    """For a whole rest more; one failure is enough."""
    open_house.clock.advance(300)
    assert open_house.run(Code.TIMEOUT)
    assert open_house.told()[-1] == ("half_open", "open")
    open_house.clock.advance(299)
    assert not open_house.run()
    open_house.clock.advance(1)
    assert open_house.run()
    assert open_house.told()[-1] == ("half_open", "closed")


@pytest.mark.parametrize("code", [Code.AUDIT_UNAVAILABLE, Code.RATE_LIMITED])
def test_a_probe_that_never_ran_gives_its_place_back(
    open_house: House, code: Code
) -> None:
    """Whatever came of it: the next call is the probe."""
    open_house.clock.advance(300)
    refused = GuardResult(verdict=Verdict.DENY, reason=Reason(code=code))
    for _ in range(3):
        result, own = open_house.admit()
        assert result == PASS
        open_house.end(own, code, executed=False, guard=refused)
    assert open_house.told()[-1] == ("open", "half_open")
    assert open_house.run()
    assert open_house.told()[-1] == ("half_open", "closed")


def test_a_probe_that_hangs_is_given_up(open_house: House) -> None:
    """After another rest one more call may try; the lost one says nothing then."""
    open_house.clock.advance(300)
    _, lost = open_house.admit()
    open_house.clock.advance(299)
    assert not open_house.run()
    open_house.clock.advance(1)
    result, own = open_house.admit()
    assert result == PASS
    open_house.end(lost)
    assert not open_house.run()
    open_house.end(own, Code.TOOL_ERROR)
    assert open_house.told()[-1] == ("half_open", "open")


def test_settings_change_on_reload(house: House) -> None:
    """Those of the moment count."""
    house.run(Code.TOOL_ERROR)
    house.settings = PolicySettings(
        circuit_breaker_threshold=2, circuit_breaker_cooldown_s=7
    )
    house.run(Code.TOOL_ERROR)
    assert house.told() == [("closed", "open")]
    assert house.guard.check(LIGHT, decision(), TURN).retry_after == 7


@examples(max_examples=200, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.just("admit"),
            st.tuples(st.just("end"), st.integers(0, 5), st.sampled_from("ofn")),
            st.tuples(st.just("wait"), st.integers(1, 400)),
        ),
        max_size=60,
    )
)
def test_never_more_than_one_probe_a_rest(steps: list[object]) -> None:
    """Whatever the order of calls, ends and time: no two get in during one rest.

    Unless the first of them ended in between.
    """
    house = House()
    running: list[PolicyDecision] = []
    probe: tuple[PolicyDecision, float] | None = None
    for step in steps:
        if step == "admit":
            shut = house.told() and house.told()[-1][1] != "closed"
            result, own = house.admit()
            if result.verdict is not Verdict.ALLOW:
                house.end(own, result.reason.code, executed=False, guard=result)
                continue
            running.append(own)
            if shut:
                assert probe is None or house.clock() - probe[1] >= 300
                probe = (own, house.clock())
        elif isinstance(step, tuple) and step[0] == "end" and running:
            own = running.pop(step[1] % len(running))
            code = {"o": None, "f": Code.TOOL_ERROR, "n": Code.INVALID_INPUT}[step[2]]
            house.end(own, code)
            if probe is not None and probe[0] is own:
                probe = None
        elif isinstance(step, tuple) and step[0] == "wait":
            house.clock.advance(step[1])
