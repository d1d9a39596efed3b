"""Parked turns through the real gate: every yes is judged anew when it is used."""

from dataclasses import replace

import pytest

from custom_components.caesar.brain.checkpoint import Answered, Answers, turn_of
from custom_components.caesar.brain.loop import Brain, Finish
from custom_components.caesar.brain.provider import Completed, StopReason, TextDelta
from custom_components.caesar.policy.call import ServiceCall, args_hash, service_call
from custom_components.caesar.policy.decision import decision_digest
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.turn import (
    ApprovalResult,
    ApprovalState,
    ApprovedCall,
    ToolRequest,
)
from tests.fakes.parts import GateUnderTest
from tests.fakes.provider import ScriptedProvider, Step

from .parking import Ended, MemoryKeeper, ended, run

CALLS = Completed(stop=StopReason.TOOL_USE)
ANSWER: Step = [TextDelta(text="It is open."), Completed(stop=StopReason.END)]
UNLOCK = ToolRequest(
    id="r1",
    name="call_service",
    arguments={
        "domain": "lock",
        "service": "unlock",
        "target": {"entity_id": "lock.shed"},
    },
)
LIGHT = ToolRequest(
    id="r2",
    name="call_service",
    arguments={
        "domain": "light",
        "service": "turn_on",
        "target": {"entity_id": "light.hall"},
    },
)
DONE = [("lock", "unlock"), ("light", "turn_on")]


def _parked(approval_id: str = "a-1") -> ApprovalResult:
    return ApprovalResult(
        state=ApprovalState.PARKED,
        reason=Reason(code=Code.APPROVAL_NEEDED),
        approval_id=approval_id,
    )


class World:
    """A gate and a turn that waits at its first call."""

    def __init__(self) -> None:
        """Build it over the real gate."""
        self.gate = GateUnderTest()
        self.gate.approver.result = _parked()
        self.keeper = MemoryKeeper()
        self.provider = ScriptedProvider([[UNLOCK, LIGHT, CALLS], ANSWER])

    @property
    def brain(self) -> Brain:
        """Return a brain that knows nothing of what was before."""
        return Brain(
            gate=self.gate.gate,
            providers=[self.provider],
            clock=self.gate.clock,
            keeper=self.keeper,
        )

    async def park(self) -> Answers:
        """Park; return the yes that a person would give to what they were shown."""
        result = (await run(self.brain, self.gate.turn())).result
        assert (result.finish, result.parked) == (Finish.PARKED, "a-1")
        assert self.gate.executor.done == []
        decision = result.outcomes[0].decision
        assert decision is not None
        call = service_call("lock", "unlock", {"entity_id": "lock.shed"}, None)
        approved = ApprovedCall(
            approval_id="a-1",
            args_hash=args_hash(call),
            digest=decision_digest(decision.policy),
            decided_by="user-1",
            via="phone",
        )
        return {"a-1": Answered(code=Code.ALLOWED, approved=approved)}

    async def resume(self, answers: Answers) -> Ended:
        """Go on after a restart."""
        kept = self.keeper.last()
        turn = turn_of(kept, kept.caller, self.gate.clock() + 240)
        return await ended(
            [event async for event in self.brain.resume(kept, turn, answers)]
        )

    def done(self) -> list[tuple[str, str]]:
        """Return the services that were called."""
        calls = [call for call, *_ in self.gate.executor.done]
        return [
            (call.domain, call.service)
            for call in calls
            if isinstance(call, ServiceCall)
        ]


async def test_a_yes_does_it_once() -> None:
    """What was shown is what is done, then the rest, then the answer."""
    world = World()
    result = (await world.resume(await world.park())).result
    assert world.done() == DONE
    assert (result.finish, result.text) == (Finish.TEXT, "It is open.")
    assert world.gate.approver.claimed == ["a-1"]


async def test_a_checkpoint_from_a_copy_of_the_file_does_nothing_more() -> None:
    """The yes is used up, whatever is resumed a second time."""
    world = World()
    answers = await world.park()
    await world.resume(answers)
    world.provider.requests.clear()
    result = (await world.resume(answers)).result
    assert world.done().count(("lock", "unlock")) == 1
    assert result.outcomes[0].error is not None
    assert result.outcomes[0].error.code is Code.ALREADY_DECIDED


async def test_a_policy_that_was_tightened_wins() -> None:
    """An old yes is no rule (E-4)."""
    world = World()
    answers = await world.park()
    world.gate.policy = load_policy("version: 1\nallowed_services: [light.turn_on]\n")
    result = (await world.resume(answers)).result
    assert world.done() == [("light", "turn_on")]
    assert result.outcomes[0].error is not None
    assert result.outcomes[0].error.code is Code.NOT_LISTED


async def test_what_it_would_do_has_changed() -> None:
    """A yes to something else asks again; nothing is done meanwhile."""
    world = World()
    answers = await world.park()
    approved = answers["a-1"].approved
    assert approved is not None
    world.gate.approver.result = _parked("a-2")
    other = Answered(code=Code.ALLOWED, approved=replace(approved, digest="another"))
    result = (await world.resume({"a-1": other})).result
    assert (result.finish, result.parked) == (Finish.PARKED, "a-2")
    assert world.done() == []
    assert world.keeper.last().approval_ids == ("a-2",)


async def test_other_arguments_are_refused() -> None:
    """A yes to other arguments is no yes, and not asked again either."""
    world = World()
    answers = await world.park()
    approved = answers["a-1"].approved
    assert approved is not None
    other = Answered(code=Code.ALLOWED, approved=replace(approved, args_hash="other"))
    result = (await world.resume({"a-1": other})).result
    assert world.done() == [("light", "turn_on")]
    assert result.outcomes[0].error is not None
    assert result.outcomes[0].error.code is Code.APPROVAL_DENIED
    assert world.gate.approver.claimed == []


@pytest.mark.parametrize("code", [Code.APPROVAL_DENIED, Code.APPROVAL_EXPIRED])
async def test_no_yes_no_effect(code: Code) -> None:
    """The gate isn't even asked."""
    world = World()
    await world.park()
    await world.resume({"a-1": Answered(code=code)})
    assert ("lock", "unlock") not in world.done()
