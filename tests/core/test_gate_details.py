"""Small things of the gate that nothing else would notice (found by mutation)."""

from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import ApprovalState, ToolRequest
from tests.fakes.gate_desk import FRONT_DOOR, House, house as _house
from tests.fakes.parts import GateUnderTest

house = _house


async def test_what_is_no_call_stands_under_the_policy_of_now() -> None:
    """Its row says under which revision it was refused."""
    under = GateUnderTest()
    request = ToolRequest(id="r", name="call_service", arguments=None, raw="{")
    outcome = await under.gate.dispatch(request, under.turn())
    [(seq, _, event)] = under.trail.rows
    assert event.policy_rev == under.policy.revision
    assert outcome.seq == seq


async def test_what_is_no_call_is_refused_without_a_trail() -> None:
    """There is no row to point at then."""
    under = GateUnderTest()
    under.trail.down = True
    request = ToolRequest(id="r", name="no_such_tool", arguments={})
    outcome = await under.gate.dispatch(request, under.turn())
    assert outcome.error is not None
    assert (outcome.error.code, outcome.seq) == (Code.UNKNOWN_TOOL, None)


async def test_the_trail_says_who_approved_and_how(house: House) -> None:
    """In the decision of the call that was carried out."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    outcome = await house.resume(approval_id)
    assert outcome.decision is not None
    approval = outcome.decision.approval
    assert approval is not None
    assert approval.state is ApprovalState.APPROVED
    assert (approval.decided_by, approval.via, approval.approval_id) == (
        "admin",
        "action",
        approval_id,
    )


async def test_a_yes_for_something_else_names_the_tool(house: House) -> None:
    """The refusal says of which tool it is."""
    approval_id = await house.park(house.turn())
    await house.approve(approval_id)
    outcome = await house.resume(approval_id, FRONT_DOOR, {"code": "1"})
    assert outcome.decision is not None
    reason = outcome.decision.reason
    assert reason.code is Code.APPROVAL_DENIED
    assert reason.values == {"tool": "lock.unlock"}
