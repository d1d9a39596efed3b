"""What a call is judged by, and how long a person's yes counts for it."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from custom_components.caesar.gate import ToolGate
from custom_components.caesar.judging import Judge
from custom_components.caesar.legion.spec import Annotations, ToolSpec
from custom_components.caesar.policy.call import (
    GenericToolCall,
    args_hash,
    service_call,
)
from custom_components.caesar.policy.decision import ApprovalTerms, Verdict
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.tool import Tool
from custom_components.caesar.turn import (
    ApprovalResult,
    ApprovalState,
    ApprovedCall,
    Taint,
    ToolRequest,
)
from tests.fakes.gate_desk import FRONT_DOOR, KITCHEN, House, house, join
from tests.fakes.parts import POLICY, GateUnderTest

from .test_gate_admission import YES
from .test_gate_changes import NOTHING, Changed

__all__ = ["house"]

# The same rules under another revision.
LATER = f"{POLICY}# later\n"


@dataclass(frozen=True)
class Box:
    """A toolbox of these tools."""

    tools: tuple[Tool, ...]

    def get(self, name: str) -> Tool | None:
        """Return a tool."""
        return next((tool for tool in self.tools if tool.spec.name == name), None)

    def all(self) -> Iterable[Tool]:
        """Return all."""
        return self.tools


def tool(gate: GateUnderTest, name: str, *, enrolled: bool, **annotated: bool) -> Tool:
    """Return a tool that takes nothing."""
    return Tool(
        spec=ToolSpec(
            name=name,
            title=name,
            description=name,
            input_schema={"type": "object", "additionalProperties": False},
            annotations=Annotations(**annotated),
        ),
        executor=gate.executor,
        to_call=lambda given: GenericToolCall(tool=name, input=given),
        enrolled=enrolled,
    )


def with_tools(gate: GateUnderTest, *tools: Tool) -> ToolGate:
    """Return the same gate with these tools."""
    return ToolGate(replace(gate.gate._parts, toolbox=Box(tools)))


async def in_the_queue() -> None:
    """Let a call come as far as it can without its turn."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_it_is_decided_for_who_asks_in_the_house_of_now() -> None:
    """Policy and conditions are asked about this very turn."""
    gate = GateUnderTest()
    policy, asked = gate.policy, []

    class Asked:
        revision = policy.revision

        def evaluate(self, *what: Any) -> Any:
            asked.append(what)
            return policy.evaluate(*what)

    gate.policy = Asked()
    turn = gate.turn()
    assert (await gate.service("light.turn_on", KITCHEN, turn=turn)).error is None
    parts = gate.gate._parts
    assert asked
    for _, caller, home, conditions in asked:
        assert caller is turn.caller
        assert home is gate.home
        assert conditions is parts.conditions


@pytest.mark.parametrize(
    ("service", "entity_id", "verdict"),
    [
        ("light.turn_on", "light.kitchen", Verdict.ALLOW),
        ("light.turn_on", "light.attic", Verdict.DENY),
        ("light.turn_off", "light.kitchen", Verdict.DENY),
        # What a person would have to be asked about is allowed by nobody yet.
        ("lock.unlock", "lock.front_door", Verdict.DENY),
    ],
)
def test_a_look_asks_nobody(service: str, entity_id: str, verdict: Verdict) -> None:
    """Policy and sentinel alone: what they both allow is allowed, and nothing else."""
    gate = GateUnderTest()
    domain, _, name = service.partition(".")
    call = service_call(domain, name, {"entity_id": entity_id}, None)
    request = ToolRequest(id="r", name="call_service", arguments={})
    flight = Judge(gate.gate._parts).look(
        request, tool(gate, "call_service", enrolled=False), call, gate.turn()
    )
    assert flight.decision.verdict is verdict
    assert gate.approver.asked == []


async def test_what_waited_is_judged_by_the_policy_of_then(house: House) -> None:
    """One that grants it no more refuses it, in its own words."""
    gate = house.gate
    gate.executor.gate = asyncio.Event()
    first = asyncio.create_task(gate.service("light.turn_on", KITCHEN))
    await gate.until_running()
    second = asyncio.create_task(gate.service("light.turn_on", KITCHEN))
    await in_the_queue()
    gate.policy = load_policy(NOTHING)
    gate.executor.gate.set()
    assert (await first).error is None
    outcome = await second
    assert outcome.error is not None
    assert outcome.error.code is Code.NOT_LISTED
    assert len(gate.executor.done) == 1


async def test_what_waited_is_carried_out_under_another_revision(house: House) -> None:
    """Where it grants the same, the call goes on; so does a yes that was given."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    gate = house.gate
    gate.executor.gate = asyncio.Event()
    light = asyncio.create_task(gate.service("light.turn_on", KITCHEN))
    await gate.until_running()
    resumed = asyncio.create_task(house.resume(approval_id))
    await in_the_queue()
    gate.policy = load_policy(LATER)
    gate.executor.gate.set()
    assert (await light).error is None
    outcome = await resumed
    assert outcome.error is None
    assert outcome.decision is not None
    assert outcome.decision.policy.policy_rev == gate.policy.revision
    assert house.desk.store.standing(approval_id) == "done"
    assert len(house.desk.channel.asked) == 1


async def test_a_yes_that_counts_no_more_is_closed_as_unused() -> None:
    """Before somebody is asked anew; what was asked for is not done by then."""
    gate = GateUnderTest()
    turn = gate.turn()
    call = service_call("lock", "unlock", FRONT_DOOR, None)
    turn.approved["request-1"] = ApprovedCall(
        approval_id="approval-1",
        args_hash=args_hash(call),
        digest="of another house",
        decided_by="admin",
        via="phone",
    )
    await gate.service("lock.unlock", FRONT_DOOR, turn=turn)
    told = [
        (approval_id, outcome.request_id, outcome.error and outcome.error.code)
        for approval_id, outcome in gate.approver.closed
    ]
    assert told == [
        ("approval-1", "request-1", Code.APPROVAL_NEEDED),
        ("approval-1", "request-1", Code.NO_APPROVER),
    ]


async def test_every_yes_is_closed_where_the_house_never_rests() -> None:
    """Also the last, which was for a house that is gone."""
    gate = GateUnderTest()
    ask = gate.approver.request
    given: list[str] = []

    async def request(asked: Any) -> ApprovalResult:
        await ask(asked)
        member = f"lock.number_{len(given)}"
        shed = gate.home.facts["lock.shed"]
        gate.home.facts[member] = replace(shed, entity_id=member)
        join(gate, member)
        given.append(f"approval-{len(given) + 1}")
        return replace(YES, approval_id=given[-1])

    gate.approver.request = request  # type: ignore[method-assign]  # the house moves
    await gate.service("lock.unlock", FRONT_DOOR)
    assert given == ["approval-1", "approval-2", "approval-3"]
    assert [approval_id for approval_id, _ in gate.approver.closed] == given


async def test_a_yes_on_the_spot_is_told_with_its_way() -> None:
    """By whom, how, and which it was."""
    gate = GateUnderTest()
    gate.approver.result = YES
    outcome = await gate.service("lock.unlock", FRONT_DOOR)
    assert outcome.decision is not None
    assert outcome.decision.approval == YES


async def test_a_spoken_pin_on_the_spot_counts_for_its_own_terms() -> None:
    """Nobody in particular gave it; it was taken under the rule that stands now."""
    gate = GateUnderTest()
    gate.policy = Changed(load_policy(POLICY), ApprovalTerms(pin="front"))
    gate.approver.result = replace(YES, decided_by=None, via="voice")
    outcome = await gate.service("lock.unlock", FRONT_DOOR)
    assert outcome.error is None
    assert len(gate.approver.asked) == 1


ANYBODY = ApprovalTerms()
ADULT = ApprovalTerms(approvers=("adult",))


@pytest.mark.parametrize(
    ("by", "before", "after", "counts"),
    [
        ("admin", ANYBODY, ANYBODY, True),
        # Admins are asked, whatever else has changed.
        ("admin", ANYBODY, ApprovalTerms(pin="back"), True),
        ("admin", ANYBODY, ADULT, False),
        ("adult", ADULT, ApprovalTerms(approvers=("adult", "admin")), True),
        # Named before, and no admin that anybody knows of.
        ("adult", ADULT, ANYBODY, False),
        # A PIN is nobody's name.
        (None, ApprovalTerms(pin="front"), ApprovalTerms(pin="front"), True),
        (None, ApprovalTerms(pin="front"), ApprovalTerms(pin="back"), False),
        (None, ApprovalTerms(pin="front"), ANYBODY, False),
    ],
)
async def test_a_yes_counts_while_its_giver_would_be_asked(
    house: House,
    by: str | None,
    before: ApprovalTerms,
    after: ApprovalTerms,
    counts: bool,
) -> None:
    """The rule of now would take it from them; else somebody is asked anew."""
    policy = load_policy(POLICY)
    house.gate.policy = Changed(policy, before)
    approval_id = await house.park(house.turn())
    if by == "adult":
        await house.approve_as("adult", approval_id)
    else:
        await house.approve(approval_id)
    house.gate.policy = Changed(policy, after)
    outcome = await house.resume(approval_id, decided_by=by)
    assert (outcome.error is None) is counts
    assert (outcome.parked is None) is counts
    assert house.door_opened == int(counts)


async def test_a_no_with_a_number_is_a_no() -> None:
    """Only what is parked waits; the number of its question makes no other a wait."""
    gate = GateUnderTest()
    for state, code in (
        (ApprovalState.DENIED, Code.APPROVAL_DENIED),
        (ApprovalState.EXPIRED, Code.APPROVAL_EXPIRED),
    ):
        gate.approver.result = ApprovalResult(
            state=state, reason=Reason(code=code), approval_id="approval-1"
        )
        outcome = await gate.service("lock.unlock", FRONT_DOOR)
        assert outcome.parked is None
        assert outcome.decision is not None
        assert outcome.decision.verdict is Verdict.DENY


async def test_what_is_parked_without_a_number_is_a_no() -> None:
    """Nobody could ever answer it."""
    gate = GateUnderTest()
    gate.approver.result = ApprovalResult(
        state=ApprovalState.PARKED, reason=Reason(code=Code.APPROVAL_NEEDED)
    )
    outcome = await gate.service("lock.unlock", FRONT_DOOR)
    assert outcome.decision is not None
    assert outcome.decision.verdict is Verdict.DENY


def test_what_was_enrolled_is_shown_where_a_rule_could_be_added() -> None:
    """So that its first call tells the owner; all else is shown where a rule grants."""
    gate = GateUnderTest()
    own = with_tools(
        gate,
        tool(gate, "bus_times", enrolled=True),
        tool(gate, "mail_send", enrolled=False),
        tool(gate, "caesar.approve", enrolled=True),
        tool(gate, "call_service", enrolled=False),
    )
    names = [spec.name for spec in own.offered(gate.turn())]
    assert names == ["bus_times", "call_service"]


async def test_a_tools_own_word_says_what_its_result_does() -> None:
    """One that a person vouched for brings no untrusted text into the turn."""
    gate = GateUnderTest(
        policy_text=POLICY.replace(
            "allowed_tools: []", "allowed_tools: [calculator, web_search]"
        )
    )
    own = with_tools(
        gate,
        tool(
            gate,
            "calculator",
            enrolled=True,
            read_only=True,
            private_data=False,
            untrusted_result=False,
        ),
        tool(gate, "web_search", enrolled=True, read_only=True, private_data=False),
    )
    found = {}
    for name in ("calculator", "web_search"):
        request = ToolRequest(id=name, name=name, arguments={})
        turn = gate.turn()
        gate.approver.result = replace(YES, approval_id=name)
        outcome = await own.dispatch(request, turn)
        assert outcome.error is None, outcome
        found[name] = outcome.taint
    assert found == {
        "calculator": frozenset(),
        "web_search": frozenset({Taint.UNTRUSTED}),
    }
