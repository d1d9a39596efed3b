"""The policy changes between a yes and the call: who may say yes now, and how."""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import ApprovalTerms
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.sentinel.approvals import Answerer, Via
from tests.fakes.gate_desk import House, house
from tests.fakes.parts import POLICY

from .test_gate_changes import Changed

__all__ = ["house"]

KID = ApprovalTerms(approvers=("kid",))
BOTH = ApprovalTerms(approvers=("admin", "kid"))
ADMINS = ApprovalTerms()
SHED = ApprovalTerms(pin="shed")
DOOR = ApprovalTerms(pin="door")


def user(user_id: str, *, is_admin: bool = False) -> Answerer:
    """Return somebody who answers in person."""
    return Answerer(via=Via.ACTION, user_id=user_id, is_admin=is_admin)


SATELLITE = Caller(
    origin=Origin.VOICE,
    satellite_id="assist_satellite.hall",
    agent_id="agent",
    context_id="context",
)
SPOKEN = Answerer(via=Via.VOICE, user_id=None, is_admin=False, session="session-1")


@pytest.mark.parametrize(
    ("before", "answerer", "after", "counts"),
    [
        # Who was named is nobody in particular to a rule that asks admins.
        (KID, user("kid"), ADMINS, False),
        (KID, user("kid"), ApprovalTerms(approvers=("admin",)), False),
        (KID, user("kid"), BOTH, True),
        # An admin's yes counts where a PIN would do, too.
        (ADMINS, user("admin", is_admin=True), DOOR, True),
        (ADMINS, user("admin", is_admin=True), KID, False),
        # One PIN is not another; a PIN is no yes of an admin's.
        (SHED, replace(SPOKEN, pin="shed"), DOOR, False),
        (SHED, replace(SPOKEN, pin="shed"), ADMINS, False),
        (SHED, replace(SPOKEN, pin="shed"), SHED, True),
    ],
)
async def test_a_yes_counts_on_the_terms_of_now(
    house: House,
    before: ApprovalTerms,
    answerer: Answerer,
    after: ApprovalTerms,
    counts: bool,
) -> None:
    """What the policy of this moment would not take is asked about anew."""
    policy: Any = load_policy(POLICY)
    house.gate.policy = Changed(policy, before)
    turn = house.turn()
    if answerer.via is Via.VOICE:
        turn.caller = SATELLITE
    approval_id = await house.park(turn)
    assert (await house.desk.desk.answer(approval_id, True, answerer)).ok
    house.gate.policy = Changed(policy, after)
    outcome = await house.resume(approval_id)
    assert (outcome.error is None) is counts
    assert house.door_opened == int(counts)
    assert (outcome.parked is None) is counts
