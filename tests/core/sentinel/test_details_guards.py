"""Small things of the guards that nothing else would notice (found by mutation)."""

from typing import Any

import pytest

from custom_components.caesar.policy.call import service_call
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.capability import PASS
from custom_components.caesar.sentinel.circuit_breaker import (
    BreakerChange,
    BreakerState,
    connector_of,
    group_of,
)
from custom_components.caesar.sentinel.sentinel import Sentinel
from custom_components.caesar.turn import GuardResult

from .test_capability import decision
from .test_circuit_breaker import TURN, House

CALL = service_call("light", "turn_on", None, None)


class Listener:
    """A guard that keeps what it is asked."""

    def __init__(self) -> None:
        """Start with nothing asked."""
        self.asked: list[tuple[Any, ...]] = []

    def check(self, *asked: Any) -> GuardResult:
        """Keep it."""
        self.asked.append(("check", *asked))
        return PASS

    def admit(self, *asked: Any) -> GuardResult:
        """Keep it."""
        self.asked.append(("admit", *asked))
        return PASS

    def report(self, *asked: Any) -> None:
        """Keep it."""
        self.asked.append(("report", *asked))


def test_every_guard_is_asked_about_the_very_call() -> None:
    """With its decision and its turn."""
    guards = [Listener(), Listener()]
    own = decision(impact=Impact.REVERSIBLE)
    sentinel = Sentinel(guards)
    sentinel.check(CALL, own, TURN)
    sentinel.admit(CALL, own, TURN)
    for guard in guards:
        assert guard.asked == [
            ("check", CALL, own, TURN),
            ("admit", CALL, own, TURN),
        ]


def test_every_change_of_a_breaker_is_told_whole() -> None:
    """Of which connector, from what to what, after how many failures, how long."""
    house = House()
    light, shut, trial, well = (
        "light",
        BreakerState.OPEN,
        BreakerState.HALF_OPEN,
        BreakerState.CLOSED,
    )
    for _ in range(3):
        _, own = house.admit()
        house.end(own, Code.TIMEOUT)
    for code in (Code.TIMEOUT, None):
        house.clock.advance(300)
        _, own = house.admit()
        house.end(own, code)
    told = [
        (each.connector, each.before, each.after, each.failures, each.rests_s)
        for each in house.changes
    ]
    assert isinstance(house.changes[0], BreakerChange)
    assert told == [
        (light, well, shut, 3, 300),
        (light, shut, trial, 3, None),
        (light, trial, shut, 4, 300),
        (light, shut, trial, 4, None),
        (light, trial, well, 4, None),
    ]


@pytest.mark.parametrize(
    ("tool", "connector", "group"),
    [
        ("light.turn_on", "light", "light"),
        ("light.turn_off", "light", "light"),
        ("web_search", "web_search", "tool web_search"),
        ("light", "light", "tool light"),
    ],
)
def test_a_tool_that_is_called_like_a_domain_stands_apart(
    tool: str, connector: str, group: str
) -> None:
    """Its failures are its own; people read the same word for both."""
    assert (connector_of(tool), group_of(tool)) == (connector, group)
    assert connector_of(group) == connector
