"""From a refusal to a rule: the narrowest one that would have let the call through.

These entities, these values, this caller, and nothing else. What runs code or can't be
allowed at all, and what a pattern forbids, never becomes a rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
import math
from typing import Final

from ..legion.canonical import Json
from .actions import CONTENT_DOMAINS
from .call import GenericToolCall, ServiceCall, ToolCall, tool_id
from .caller import Caller, Origin
from .decision import PolicyDecision, Verdict
from .directory import Directory, NameKind
from .edit import Edit, add_entry
from .engine import LoadedPolicy
from .home import HomeView
from .impact import CORE_READS, Impact, own_script
from .inputs import READERS
from .modes import ALLOWED_SERVICES, ALLOWED_TOOLS
from .opening import with_list
from .reason import Code
from .who import WITH_USER


class Grant(StrEnum):
    """What an admin may make of a refusal: a rule that asks, or one that doesn't."""

    ASK = "ask"
    ALLOW = "allow"


class NoRule(StrEnum):
    """Why a refusal can't become a rule."""

    ALLOWED_NOW = "allowed_now"
    RUNS_CODE = "runs_code"
    RULED_OUT = "ruled_out"
    NO_CALL = "no_call"
    NOTHING_THERE = "nothing_there"
    VALUES = "values"
    CALLER_GONE = "caller_gone"
    NOT_ENOUGH = "not_enough"


class NoRuleError(Exception):
    """There is no rule for a refusal; `why` says why not."""

    def __init__(self, why: NoRule) -> None:
        """Keep the reason."""
        super().__init__(why.value)
        self.why = why


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An entry for one of the lists.

    `any_data` says that the call had no values, so that the entry allows any.
    """

    listed: str
    entry: Mapping[str, Json]
    any_data: bool


# What a rule could have granted.
_MENDABLE: Final = frozenset(
    {
        Code.NOT_LISTED,
        Code.TARGET_REQUIRED,
        Code.TARGET_NOT_COVERED,
        Code.DATA_NOT_ALLOWED,
        Code.INPUT_NOT_ALLOWED,
        Code.CALLER_NOT_COVERED,
        Code.CONDITION_NOT_MET,
    }
)
_READ_KEYS: Final = ("area_id", "domain", "entity_id")


def why_no_rule(decision: PolicyDecision) -> NoRule | None:
    """Return why what the policy says of a call now can't be mended by a rule."""
    if decision.verdict is not Verdict.DENY:
        return NoRule.ALLOWED_NOW
    if decision.impact >= Impact.LOCKED:
        return NoRule.RUNS_CODE
    if decision.reason.code is Code.POLICY_DENIED:
        return NoRule.RULED_OUT
    return None if decision.reason.code in _MENDABLE else NoRule.NO_CALL


def can_grow(call: ToolCall, decision: PolicyDecision, home: HomeView) -> bool:
    """Return whether what a destructive call reaches is written down elsewhere.

    A script, a scene, a group can hold a lock tomorrow, and a rule that never asks
    would open it.
    """
    if decision.impact < Impact.DESTRUCTIVE or not isinstance(call, ServiceCall):
        return False
    name = own_script(call)
    reached = [*map(home.entity, {*decision.pinned, *decision.named_in_data})]
    if name is not None:
        reached.append(home.script(name))
    return any(
        facts is None
        or facts.members
        or facts.contents
        or facts.domain in CONTENT_DOMAINS
        for facts in reached
    )


def grants_of(decision: PolicyDecision, *, guarded: bool) -> tuple[Grant, ...]:
    """Return what may be made of a refusal.

    `guarded` is a lock, an alarm, a door, and whatever can grow into one. These are
    asked about every time, whatever an admin would like in passing.
    """
    if why_no_rule(decision) is not None:
        return ()
    return (Grant.ASK,) if guarded else (Grant.ASK, Grant.ALLOW)


def narrow(
    call: ToolCall,
    caller: Caller,
    decision: PolicyDecision,
    grant: Grant,
    directory: Directory,
    *,
    guarded: bool,
) -> Rule:
    """Return the narrowest rule for a refused call. Raises NoRuleError.

    `decision` is what the policy says of it now, `directory` names the caller.
    """
    if why := why_no_rule(decision):
        raise NoRuleError(why)
    if grant not in grants_of(decision, guarded=guarded):
        raise NoRuleError(NoRule.NOT_ENOUGH)
    if isinstance(call, ServiceCall):
        listed, bounds = ALLOWED_SERVICES, _bounds(call, decision)
        any_data = not call.data
    else:
        listed, bounds = ALLOWED_TOOLS, _input(call)
        any_data = not bounds
    word = "service" if listed == ALLOWED_SERVICES else "tool"
    return Rule(
        listed=listed,
        entry={
            word: tool_id(call),
            **bounds,
            "for": _who(caller, directory),
            **_approval(grant, decision),
        },
        any_data=any_data,
    )


def add_rule(text: str, policy: LoadedPolicy, rule: Rule, note: str) -> Edit:
    """Return the text with the rule at its place, `note` above it.

    `policy` is what the text means now. Raises UneditableText.
    """
    begun = with_list(text, policy, rule.listed)
    return add_entry(begun, rule.listed, rule.entry, note)


def _bounds(call: ServiceCall, decision: PolicyDecision) -> dict[str, Json]:
    bounds: dict[str, Json] = {}
    if call.target:
        if not decision.pinned:
            raise NoRuleError(NoRule.NOTHING_THERE)
        bounds["target"] = {"entity_id": list(decision.pinned)}
    if call.data:
        bounds["data"] = {key: _plain(value) for key, value in call.data.items()}
    return bounds


def _input(call: GenericToolCall) -> dict[str, Json]:
    """Return the `input` of a tool's call; fields that no rule can bound are an end."""
    given: dict[str, Json] = {}
    for key, value in call.input.items():
        if call.tool in CORE_READS:
            given[key] = _ids(key, value)
        else:
            given[key] = _plain(value)
    if not given:
        return {}
    if call.tool not in READERS:
        # Nobody can read such a block, so a rule with it would allow nothing.
        raise NoRuleError(NoRule.VALUES)
    return {"input": given}


def _ids(key: str, value: Json) -> Json:
    items = value if isinstance(value, (list, tuple)) else [value]
    if key not in _READ_KEYS or not items:
        raise NoRuleError(NoRule.VALUES)
    ids: list[Json] = [each for each in items if isinstance(each, str)]
    if len(ids) != len(items):
        raise NoRuleError(NoRule.VALUES)
    return ids


def _plain(value: Json) -> Json:
    """Return a value that a rule can name; lists and blocks it can't."""
    if isinstance(value, float) and not math.isfinite(value):
        raise NoRuleError(NoRule.VALUES)
    if not isinstance(value, (str, int, float)) or value == "":
        raise NoRuleError(NoRule.VALUES)
    return value


def _who(caller: Caller, directory: Directory) -> dict[str, Json]:
    """Return whom the rule is for: exactly who asked, by the same way."""
    if caller.user_id is not None and caller.origin in WITH_USER:
        user = _word(directory, NameKind.USER, caller.user_id)
        return {"user": [user], "origin": [caller.origin.value]}
    if caller.origin is Origin.VOICE:
        if caller.device_id is None:
            raise NoRuleError(NoRule.CALLER_GONE)
        return {"device": [_word(directory, NameKind.DEVICE, caller.device_id)]}
    if caller.user_id is not None:
        raise NoRuleError(NoRule.CALLER_GONE)
    agent = _word(directory, NameKind.AGENT, caller.agent_id)
    return {"agent": [agent], "origin": [caller.origin.value]}


def _word(directory: Directory, kind: NameKind, known: str) -> str:
    """Return the name of somebody, or the id where the name is nobody's own."""
    named = directory.find(kind, known)
    if len(named) != 1 or named[0].id != known:
        raise NoRuleError(NoRule.CALLER_GONE)
    name = named[0].name
    return name if directory.find(kind, name) == named else known


def _approval(grant: Grant, decision: PolicyDecision) -> dict[str, Json]:
    if grant is Grant.ASK:
        return {"approval": "always"}
    # What can't be taken back would ask all the same, unless the rule says not to.
    return {"approval": "never"} if decision.impact >= Impact.DESTRUCTIVE else {}
