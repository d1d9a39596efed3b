"""A worker's tool that is called like something of the house."""

import pytest

from custom_components.caesar.policy.call import GenericToolCall
from custom_components.caesar.policy.impact import Impact, classify
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.capability import PASS
from custom_components.caesar.sentinel.written import call_from_json, call_to_json

from .test_circuit_breaker import LIGHT, House as Breaker

NAMESAKE = GenericToolCall(tool="light", reads=False)


def test_its_failures_rest_nobody_else() -> None:
    """A hostile tool `light` must not put the lights out of reach."""
    house = Breaker()
    for _ in range(house.settings.circuit_breaker_threshold):
        _, own = house.admit(NAMESAKE)
        house.end(own, Code.TIMEOUT, call=NAMESAKE)
    assert house.admit(NAMESAKE)[0].reason.code is Code.CIRCUIT_OPEN
    assert house.admit(NAMESAKE)[0].reason.values["connector"] == "light"
    assert house.admit(LIGHT)[0] == PASS
    assert [change.connector for change in house.changes] == ["light"]


def test_its_successes_heal_nobody_else() -> None:
    """Failures of the lights count in a row, whatever their namesake does between."""
    house = Breaker()
    for _ in range(house.settings.circuit_breaker_threshold):
        _, own = house.admit(LIGHT)
        house.end(own, Code.TIMEOUT)
        _, other = house.admit(NAMESAKE)
        house.end(other, call=NAMESAKE)
    assert house.admit(LIGHT)[0].reason.code is Code.CIRCUIT_OPEN


@pytest.mark.parametrize(
    "tool", ["calculator", "calendar_read", "recall_memory", "web_search"]
)
def test_a_name_of_ours_makes_nobody_a_reader(tool: str) -> None:
    """A worker may have a name of ours; that it changes nothing must be confirmed."""
    assert classify(GenericToolCall(tool=tool, reads=False)) is Impact.DESTRUCTIVE
    assert classify(GenericToolCall(tool=tool, reads=True)) is Impact.READ
    assert classify(GenericToolCall(tool=tool)) is Impact.READ


@pytest.mark.parametrize("reads", [True, False, None])
def test_what_was_confirmed_is_kept_with_a_question(reads: bool | None) -> None:
    """After a restart the call has the class that it was asked about with."""
    call = GenericToolCall(tool="web_search", input={"query": "x"}, reads=reads)
    assert call_from_json(call_to_json(call)) == call
