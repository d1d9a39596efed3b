"""Reads go the same way as changes: the policy is asked, and each leaves a row."""

from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code
from tests.fakes.parts import GateUnderTest

READS = """
version: 1
allowed_services: []
allowed_tools:
  - tool: get_state
    input: {entity_id: [light.hall]}
"""


async def test_a_read_is_decided_like_all_else() -> None:
    """What the policy does not grant is not read, and the refusal is on record."""
    house = GateUnderTest(policy_text=READS)

    refused = await house.read("light.kitchen")
    granted = await house.read("light.hall")

    assert refused.error is not None
    assert refused.error.code is Code.INPUT_NOT_ALLOWED
    assert granted.error is None
    assert len(house.executor.done) == 1
    assert house.trail.types() == ["tool.denied", "tool.intended", "tool.called"]


async def test_a_read_is_decided_by_the_policy_of_now() -> None:
    """One that was granted before the policy changed is granted no more."""
    house = GateUnderTest(policy_text=READS)
    assert (await house.read("light.hall")).error is None
    house.policy = load_policy(READS.replace("light.hall", "light.kitchen"))

    assert (await house.read("light.hall")).error is not None
    assert len(house.executor.done) == 1


async def test_a_read_without_an_intent_leaves_its_outcome() -> None:
    """It is answered although its intent can't be written; the row comes after it."""
    house = GateUnderTest()
    house.trail.down_for = "intend"

    outcome = await house.read("light.kitchen")

    assert outcome.error is None
    assert house.trail.types() == ["tool.called"]
    assert outcome.seq == 1


async def test_a_read_whose_intent_comes_late_leaves_one_row() -> None:
    """The trail concludes such an intent itself."""
    house = GateUnderTest()
    house.trail.down_for, house.trail.concludes = "intend", True

    assert (await house.read("light.kitchen")).error is None
    assert house.trail.types() == []
