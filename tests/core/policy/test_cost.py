"""What a decision costs does not depend on rules that do not concern the call."""

from collections.abc import Callable
from functools import partial
import sys
from types import FrameType

from custom_components.caesar.policy.engine import LoadedPolicy

from .house import decide, demo_house, policy_of, service, tool


def _big(count: int) -> LoadedPolicy:
    rules = [
        f"  - {{service: vendor_{number}.do, target: {{area_id: [kitchen]}},"
        " data: {x: {min: 1}}}"
        for number in range(count)
    ]
    own = "  - {service: light.turn_on, target: {area_id: [kitchen]}}"
    return policy_of("\n".join(["allowed_services:", *rules, own]))


def _calls_made(work: Callable[[], object]) -> int:
    """Return how many Python functions run, builtin ones too."""
    count = 0

    def count_one(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(count_one)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_cost_is_that_of_the_rules_concerned() -> None:
    """Ten thousand other rules cost nothing, and all of it is a few hundred steps."""
    home = demo_house()
    few, many = _big(1), _big(9_999)
    for call in (
        service("light.turn_on", "light.kitchen"),
        service("light.turn_on", {"area_id": "kitchen"}, {"brightness_pct": 3}),
        service("lock.unlock", "lock.front_door"),
        tool("get_state", entity_id=["light.kitchen"]),
    ):
        decide(few, call, home)
        cost = _calls_made(partial(decide, few, call, home))
        assert cost == _calls_made(partial(decide, many, call, home))
        assert 0 < cost < 700
