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


CALLS = (
    service("light.turn_on", "light.kitchen"),
    service("light.turn_on", {"area_id": "kitchen"}, {"brightness_pct": 3}),
    service("lock.unlock", "lock.front_door"),
    tool("get_state", entity_id=["light.kitchen"]),
)


def test_cost_is_that_of_the_rules_concerned() -> None:
    """Ten thousand other rules cost nothing, in a house never seen and in a known."""
    few, many = _big(1), _big(9_999)
    for call in CALLS:
        decide(few, call)
        home, same = demo_house(), demo_house()
        first = _calls_made(partial(decide, few, call, home))
        assert first == _calls_made(partial(decide, many, call, same))
        assert 0 < first < 700
        again = _calls_made(partial(decide, few, call, home))
        assert again == _calls_made(partial(decide, many, call, same))
        assert 0 < again < 80


def test_cost_does_not_grow_with_rules_of_the_same_service() -> None:
    """Nor do ten thousand rules for other entities of the very same service."""
    few, many = (_crowded(count) for count in (20, 9_999))
    for call in CALLS[:2]:
        decide(few, call)
        home, same = demo_house(), demo_house()
        first = _calls_made(partial(decide, few, call, home))
        assert first == _calls_made(partial(decide, many, call, same))
        assert decide(many, call, same).verdict.value == "allow"


def _crowded(count: int) -> LoadedPolicy:
    rules = [
        f"  - {{service: light.turn_on, target: {{entity_id: light.other_{number},"
        f" area_id: other_{number}, label_id: other_{number}}}}}"
        for number in range(count)
    ]
    own = "  - {service: light.turn_on, target: {area_id: [kitchen]}}"
    return policy_of("\n".join(["allowed_services:", *rules, own]))
