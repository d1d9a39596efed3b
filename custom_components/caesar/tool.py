"""What a tool is to the gate: what it says of itself, and what carries it out."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from .legion.canonical import Json
from .legion.spec import ToolSpec
from .policy.call import ToolCall
from .policy.decision import PolicyDecision
from .policy.reason import Code
from .turn import Turn


class ExecutorError(Exception):
    """A tool failed. `maybe_done` says that the effect may have happened."""

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        retryable: bool = False,
        maybe_done: bool = False,
    ) -> None:
        """Keep what the outcome needs; `message` is English and holds no secret."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.retryable = retryable
        self.maybe_done = maybe_done


class Executor(Protocol):
    """Carries out one kind of tool. Raises only ExecutorError."""

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Do it, and return what there is to know afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool the gate can reach: what it says of itself, and what carries it out.

    `to_call` turns checked arguments into a call; it raises CallError.
    """

    spec: ToolSpec
    executor: Executor
    to_call: Callable[[Mapping[str, Json]], ToolCall]


class Toolbox(Protocol):
    """All tools that exist now."""

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name."""

    def all(self) -> Iterable[Tool]:
        """Return all tools that may be offered to a brain."""
