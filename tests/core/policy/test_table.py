"""The decision table of the specification, every cell.

Its columns are files, its rows are calls. Where the design overrules the table, or says
it more exactly, the row says so.
"""

from typing import Final

import pytest

from custom_components.caesar.policy.call import CallError, ToolCall
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.home import NoConditions, StaticHome
from custom_components.caesar.sentinel.capability import CapabilityGuard
from custom_components.caesar.turn import Turn
from tests.fakes.parts import FakePermissions

from .house import SEED, decide, facts, home_of, policy_of, service, tool

_SEED: Final = SEED.removeprefix("version: 1\n")
COLUMNS: Final = {
    "no file": "",
    "writes_with_approval": "bot: {tool_policy: {writes_with_approval: true}}",
    "explicit": 'bot: {tool_policy: {allow: ["light__*", calculator]}}',
    "seed": _SEED,
    "services only": "allowed_services: [light.turn_on]",
    "both empty": "allowed_services: []\nallowed_tools: []",
    "seed, allow and deny": _SEED
    + 'bot: {tool_policy: {allow: [calculator, light__turn_on], deny: ["lock__*"]}}',
    "seed, deny": f"{_SEED}bot: {{tool_policy: {{deny: [web_search]}}}}",
    "seed, unlisted": f"{_SEED}unlisted: ask",
}

INV: Final = "hidden"
NOT_LISTED: Final = "not_listed"
SHOWN: Final = "not_listed shown"
OUTSIDE: Final = "target_not_covered shown"
NO_TARGET: Final = "target_required shown"
UNSHARED: Final = "capability_denied shown"
FILTERED: Final = "allow filtered"
HOST: Final = "domain_not_allowed shown"
LIST_NEVER: Final = (NOT_LISTED, NOT_LISTED, NOT_LISTED)

ROWS: Final[dict[str, tuple[ToolCall, tuple[str, ...]]]] = {
    "live context": (
        tool("get_state"),
        ("allow", "allow", INV, "allow", "allow", "allow", INV, "allow", "allow"),
    ),
    "forecast": (
        service("weather.get_forecasts", "weather.home"),
        ("allow", "allow", INV, *LIST_NEVER, INV, NOT_LISTED, "allow"),
    ),
    "light on": (
        service("light.turn_on", "light.kitchen"),
        (INV, "ask", "allow", "allow", "allow", NOT_LISTED, "allow", "allow", "allow"),
    ),
    "light off": (
        service("light.turn_off", "light.kitchen"),
        (
            *(INV, "ask", "allow", "allow"),
            *(NOT_LISTED, NOT_LISTED, INV, "allow", "allow"),
        ),
    ),
    "other light off": (
        service("light.turn_off", "light.bedroom"),
        (
            *(INV, "ask", "allow", OUTSIDE),
            *(NOT_LISTED, NOT_LISTED, INV, OUTSIDE, OUTSIDE),
        ),
    ),
    "light off by its area": (
        service("light.turn_off", {"area_id": "kitchen"}),
        (
            *(INV, "ask", "allow", "allow"),
            *(NOT_LISTED, NOT_LISTED, INV, "allow", "allow"),
        ),
    ),
    "light off and another area": (
        service("light.turn_off", {"entity_id": "light.kitchen", "area_id": "bedroom"}),
        (
            *(INV, "ask", "allow", OUTSIDE),
            *(NOT_LISTED, NOT_LISTED, INV, OUTSIDE, OUTSIDE),
        ),
    ),
    "light off without target": (
        service("light.turn_off"),
        (
            *(INV, "invalid_input shown", "invalid_input shown", NO_TARGET),
            *(NOT_LISTED, NOT_LISTED, INV, NO_TARGET, NO_TARGET),
        ),
    ),
    # That it isn't shared is the sentinel's word.
    "not shared": (
        service("light.turn_on", "light.secret"),
        (
            *(INV, UNSHARED, UNSHARED, UNSHARED),
            *(UNSHARED, NOT_LISTED, UNSHARED, UNSHARED, UNSHARED),
        ),
    ),
    "lock": (
        service("lock.unlock", "lock.front_door"),
        (INV, "ask", INV, *LIST_NEVER, "policy_denied", NOT_LISTED, "ask"),
    ),
    "code": (
        service("shell_command.x"),
        (INV, "ask", INV, *LIST_NEVER, INV, NOT_LISTED, "ask"),
    ),
    "own action": (service("caesar.approve"), ("policy_denied",) * 9),
    "calculator": (
        tool("calculator", expression="1+1"),
        (
            *("allow", "allow", "allow", "allow"),
            *(SHOWN, SHOWN, "allow", "allow", "allow"),
        ),
    ),
    "search": (
        tool("web_search", query="x"),
        ("allow", "allow", INV, FILTERED, SHOWN, SHOWN, INV, INV, FILTERED),
    ),
    "search of a host": (
        tool("web_search", query="x", domain="evil.example"),
        ("allow", "allow", INV, HOST, SHOWN, SHOWN, INV, INV, HOST),
    ),
    "calendar": (
        tool("calendar_read"),
        ("allow", "allow", INV, SHOWN, SHOWN, SHOWN, INV, SHOWN, "allow"),
    ),
    "recall": (
        tool("recall_memory"),
        ("allow", "allow", INV, SHOWN, "allow", SHOWN, INV, SHOWN, "allow"),
    ),
    # Not in the table: a tool nobody knows is destructive, and shown where it could
    # be added (X8).
    "somebody's tool": (
        tool("frobnicate"),
        (INV, "ask", INV, SHOWN, SHOWN, SHOWN, INV, SHOWN, "ask"),
    ),
}


def _house() -> StaticHome:
    return home_of(
        facts("light.kitchen", area_id="kitchen"),
        facts("light.bedroom", area_id="bedroom"),
        facts("light.secret", area_id="bedroom", exposed=False),
        facts("lock.front_door", area_id="hall"),
        facts("weather.home"),
    )


def _turn() -> Turn:
    caller = Caller(origin=Origin.CHAT, user_id="u", agent_id="a", context_id="c")
    return Turn(decision_id="d", caller=caller, language="en", deadline=0)


def _answer(policy: str, call: ToolCall) -> str:
    """Return what policy and capability guard say, in the words of the table."""
    home, turn = _house(), _turn()
    decision = policy_of(policy).evaluate(call, turn.caller, home, NoConditions())
    code = decision.reason.code
    verdict = decision.verdict
    if verdict is not Verdict.DENY:
        assert decision.visible
        guard = CapabilityGuard(home, FakePermissions()).check(call, decision, turn)
        if guard.verdict is Verdict.DENY:
            code, verdict = guard.reason.code, guard.verdict
    if verdict is Verdict.DENY:
        return f"{code.value} shown" if decision.visible else code.value
    hosts = decision.result_filter
    if hosts is None:
        return verdict.value
    assert hosts.domain_allowlist == ("en.wikipedia.org", "search.example.com")
    return f"{verdict.value} filtered"


@pytest.mark.parametrize("column", range(len(COLUMNS)), ids=list(COLUMNS))
@pytest.mark.parametrize("row", ROWS)
def test_cell(row: str, column: int) -> None:
    """Each cell holds; what the table calls invisible is denied and not shown."""
    call, cells = ROWS[row]
    assert len(cells) == len(COLUMNS)
    got = _answer(list(COLUMNS.values())[column], call)
    if cells[column] == INV:
        assert got in ("not_listed", "policy_denied")
    else:
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
    """Targets that can be read in two ways are no call, whatever the policy.

    The table's column with patterns calls them invisible: here they never get as far.
    """
    with pytest.raises(CallError) as caught:
        service("light.turn_off", target, data)
    assert caught.value.reason.code.value == "malformed_target"


WORKED: Final = """
allowed_services:
  - light.turn_on
  - service: light.turn_off
    target:
      entity_id: [light.kitchen]
  - service: light.turn_off
    target: {label_id: [safe_to_switch]}
  - service: climate.set_temperature
    target: {area_id: [living_room]}
    data: {temperature: {min: 16, max: 23}, hvac_mode: [heat, "off"]}
  - service: lock.unlock
    name: front-door
    target: {entity_id: [lock.front]}
    approval: always
  - service: weather.get_forecasts
allowed_tools:
  - tool: calculator
  - tool: web_search
    input:
      domain_allowlist:
        - en.wikipedia.org
        - search.example.com
  - tool: calendar_read
    input: {limit: {max: 50}}
  - recall_memory
bot:
  context_window: 50
  persona: {name: SupportBot}
  tool_policy:
    allow: []
    deny: ["*__execute", "*__delete_*"]
    max_iterations: 5
    writes_with_approval: false
sentinel: {daily_token_limit: 200000}
"""


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (service("light.turn_on", "light.strip"), "allow"),
        (service("light.turn_off", "light.kitchen"), "allow"),
        (service("light.turn_off", "light.strip"), "allow"),
        (
            service("light.turn_off", {"entity_id": ["light.kitchen", "light.strip"]}),
            "target_not_covered",
        ),
        (
            service(
                "climate.set_temperature",
                {"area_id": "living_room"},
                {"temperature": 21},
            ),
            "allow",
        ),
        (
            service("climate.set_temperature", "climate.living", {"temperature": 30}),
            "data_not_allowed",
        ),
        (
            service("climate.set_temperature", "climate.living", {"hvac_mode": "cool"}),
            "data_not_allowed",
        ),
        (service("lock.unlock", "lock.front"), "ask"),
        (service("lock.lock", "lock.front"), "not_listed"),
        (service("switch.execute"), "policy_denied"),
        (service("todo.delete_list"), "policy_denied"),
        (tool("calendar_read", limit=50), "allow"),
        (tool("calendar_read", limit=100), "input_not_allowed"),
        (tool("calendar_read"), "input_not_allowed"),
        (tool("recall_memory"), "allow"),
        (tool("semantic_recall"), "not_listed"),
    ],
)
def test_worked_example(call: ToolCall, answer: str) -> None:
    """The specification's example, with both founding documents' blocks in it."""
    home = home_of(
        facts("light.kitchen"),
        facts("light.strip", labels={"safe_to_switch"}),
        facts("climate.living", area_id="living_room"),
        facts("lock.front"),
    )
    decision = decide(WORKED, call, home)
    denied = decision.verdict is Verdict.DENY
    assert (decision.reason.code if denied else decision.verdict).value == answer
