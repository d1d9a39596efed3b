"""The decision table of the founding documents, cell by cell.

Columns: a file that lists nothing, ADR-0028's example, services only, empty lists.
"""

from typing import Final

import pytest

from custom_components.caesar.policy.call import CallError

from .house import SEED, decide, policy_of, service, tool

COLUMNS: Final = {
    "nothing": "",
    "seed": SEED.removeprefix("version: 1\n"),
    "services_only": "allowed_services: [light.turn_on]",
    "both_empty": "allowed_services: []\nallowed_tools: []",
}
HIDDEN, SHOWN = "hidden", "shown"

ROWS: Final = {
    "core read": (tool("get_state"), "allow", "allow", "allow", "allow"),
    "read service": (
        service("weather.get_forecasts", "weather.home"),
        "allow",
        "not_listed hidden",
        "not_listed hidden",
        "not_listed hidden",
    ),
    "light on": (
        service("light.turn_on", "light.kitchen"),
        "not_listed hidden",
        "allow",
        "allow",
        "not_listed hidden",
    ),
    "light off": (
        service("light.turn_off", "light.kitchen"),
        "not_listed hidden",
        "allow",
        "not_listed hidden",
        "not_listed hidden",
    ),
    "other light off": (
        service("light.turn_off", "light.bedroom"),
        "not_listed hidden",
        "target_not_covered shown",
        "not_listed hidden",
        "not_listed hidden",
    ),
    "area with another light": (
        service("light.turn_off", {"area_id": "kitchen"}),
        "not_listed hidden",
        "target_not_covered shown",
        "not_listed hidden",
        "not_listed hidden",
    ),
    "allowed light and another area": (
        service("light.turn_off", {"entity_id": "light.kitchen", "area_id": "bedroom"}),
        "not_listed hidden",
        "target_not_covered shown",
        "not_listed hidden",
        "not_listed hidden",
    ),
    "no target": (
        service("light.turn_off"),
        "not_listed hidden",
        "target_required shown",
        "not_listed hidden",
        "not_listed hidden",
    ),
    # That it isn't shared is the sentinel's word, not the policy's.
    "not shared": (
        service("light.turn_on", "light.secret"),
        "not_listed hidden",
        "allow",
        "allow",
        "not_listed hidden",
    ),
    "lock": (
        service("lock.unlock", "lock.front_door"),
        "not_listed hidden",
        "not_listed hidden",
        "not_listed hidden",
        "not_listed hidden",
    ),
    "code": (
        service("shell_command.x"),
        "not_listed hidden",
        "not_listed hidden",
        "not_listed hidden",
        "not_listed hidden",
    ),
    "own action": (
        service("caesar.approve"),
        "policy_denied hidden",
        "policy_denied hidden",
        "policy_denied hidden",
        "policy_denied hidden",
    ),
    "calculator": (
        tool("calculator", expression="1+1"),
        "allow",
        "allow",
        "not_listed shown",
        "not_listed shown",
    ),
    # Its constraint can't be read before web search exists, so it grants nothing.
    "web search": (
        tool("web_search", query="x"),
        "allow",
        "input_not_allowed shown",
        "not_listed shown",
        "not_listed shown",
    ),
    "calendar": (
        tool("calendar_read"),
        "allow",
        "not_listed shown",
        "not_listed shown",
        "not_listed shown",
    ),
    "recall": (
        tool("recall_memory"),
        "allow",
        "not_listed shown",
        "allow",
        "not_listed shown",
    ),
    "somebody's tool": (
        tool("frobnicate"),
        "not_listed hidden",
        "not_listed shown",
        "not_listed shown",
        "not_listed shown",
    ),
}


@pytest.mark.parametrize("column", range(len(COLUMNS)), ids=list(COLUMNS))
@pytest.mark.parametrize("row", ROWS)
def test_cell(row: str, column: int) -> None:
    """Each cell holds."""
    call, *cells = ROWS[row]
    decision = decide(policy_of(list(COLUMNS.values())[column]), call)
    got = decision.verdict.value
    if got == "deny":
        shown = SHOWN if decision.visible else HIDDEN
        got = f"{decision.reason.code.value} {shown}"
    else:
        assert decision.visible
    assert got == cells[column]


def test_area_of_one_allowed_light_is_pinned() -> None:
    """An area that resolves inside the rule is allowed, and pinned to its entities."""
    rule = (
        "allowed_services: [{service: light.turn_off,"
        " target: {entity_id: [light.kitchen, light.counter]}}]"
    )
    decision = decide(rule, service("light.turn_off", {"area_id": "kitchen"}))
    assert decision.verdict.value == "allow"
    assert decision.pinned == ("light.counter", "light.kitchen")


@pytest.mark.parametrize(
    ("target", "data"),
    [
        ({"entity_id": "light.kitchen"}, {"entity_id": "all"}),
        ({"entity_id": []}, None),
        ({"entity_id": [{}]}, None),
        ({"entity_id": "none"}, None),
        ({"entity_ids": ["light.kitchen"]}, None),
    ],
)
def test_no_single_reading(target: dict, data: dict | None) -> None:  # type: ignore[type-arg]  # what models send
    """Targets that can be read in two ways are no call, whatever the policy."""
    with pytest.raises(CallError) as caught:
        service("light.turn_off", target, data)
    assert caught.value.reason.code.value == "malformed_target"
