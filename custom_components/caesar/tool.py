"""What a tool is to the gate: what it says of itself, and what carries it out."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
import json
from typing import Any, Final, Protocol

import probatio

from .legion.canonical import Json, canonical_json
from .legion.spec import ToolSpec
from .policy.call import CallError, ToolCall
from .policy.decision import PolicyDecision
from .policy.reason import Code, Reason
from .turn import ToolRequest, Turn

# What its worker checks alone: patterns of which nobody knows what they cost, and
# references, with which a short schema has more branches than there are atoms.
_UNBOUNDED: Final = frozenset(
    {
        "$dynamicRef",
        "$recursiveRef",
        "$ref",
        "format",
        "pattern",
        "patternProperties",
    }
)
# Bytes of a foreign schema times bytes of the arguments: what checking costs grows
# with that. The most takes about a third of a second.
MAX_WORK: Final = 20_000_000
# Their keys are names that somebody chose, not words of JSON Schema.
_BY_NAME: Final = frozenset({"$defs", "definitions", "dependentSchemas", "properties"})


class ExecutorError(Exception):
    """A tool failed. `maybe_done` says that the effect may have happened."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        retryable: bool = False,
        maybe_done: bool = False,
        facts: Mapping[str, Json] | None = None,
    ) -> None:
        """Keep what the outcome needs; `message` is English and holds no secret.

        `facts` are those of `Carried`.
        """
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.maybe_done = maybe_done
        self.facts = facts or {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A result with what the trail should know of how it came about.

    `facts` (a worker's id, a task's id) are no part of what a brain reads.
    """

    data: Json
    facts: Mapping[str, Json] = field(default_factory=dict)


class Executor(Protocol):
    """Carries out one kind of tool. Raises only ExecutorError."""

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json | Carried:
        """Do it, and return what there is to know afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool the gate can reach: what it says of itself, and what carries it out.

    `to_call` turns checked arguments into a call; it raises CallError. A tool that is
    `enrolled` was added to the house by a person: a brain sees it even while the policy
    does not list it, so that its first call tells the owner what to add.
    """

    spec: ToolSpec
    executor: Executor
    to_call: Callable[[Mapping[str, Json]], ToolCall]
    enrolled: bool = False


class Toolbox(Protocol):
    """All tools that exist now."""

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name."""

    def all(self) -> Iterable[Tool]:
        """Return all tools that may be offered to a brain."""


def resolve(toolbox: Toolbox, request: ToolRequest) -> tuple[Tool, ToolCall]:
    """Return a request's tool, and the call that its arguments mean.

    They must be JSON with one canonical text, because that is what is hashed, kept
    and approved, and fit the tool's schema. Raises CallError.
    """
    tool = toolbox.get(request.name)
    if tool is None:
        raise CallError(
            Reason(code=Code.UNKNOWN_TOOL, values={"tool": request.name[:64]})
        )
    if request.arguments is None:
        raise _invalid("arguments", request.raw[:100])
    try:
        given = canonical_json(request.arguments).encode()
    except (ValueError, TypeError, RecursionError) as err:
        raise _invalid("arguments", str(err)[:100]) from err
    wanted = canonical_json(tool.spec.input_schema)
    if tool.enrolled and len(wanted) * len(given) > MAX_WORK:
        raise _invalid("arguments", "they are too long")
    try:
        checked = _compiled(wanted, tool.enrolled)(dict(request.arguments))
    except probatio.Invalid as err:
        key = ".".join(str(part) for part in err.path) or "arguments"
        raise _invalid(key, str(err)[:200]) from err
    return tool, tool.to_call(checked)


@lru_cache(maxsize=256)
def _compiled(schema: str, foreign: bool) -> probatio.Schema:
    """Return the validator of a schema; compiling one takes over a millisecond.

    A `foreign` schema is a worker's: of what nobody knows the cost, its worker checks
    alone. It takes no field that it doesn't name, or a rule that bounds a field could
    be met with one that the worker never looks at.
    """
    read = json.loads(schema)
    if foreign:
        read = {**without_patterns(read), "additionalProperties": False}
    return probatio.from_json_schema(read)


def without_patterns(schema: Any) -> Any:
    """Return a JSON schema whose texts may be any, and that refers to nothing."""
    if isinstance(schema, list):
        return [without_patterns(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: without_patterns(each) for name, each in value.items()}
        if key in _BY_NAME and isinstance(value, dict)
        else without_patterns(value)
        for key, value in schema.items()
        if key not in _UNBOUNDED
    }


def _invalid(key: str, value: str) -> CallError:
    return CallError(
        Reason(code=Code.INVALID_INPUT, values={"key": key, "value": value})
    )
