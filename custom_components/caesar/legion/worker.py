"""What a tool's author writes: a worker that says what it offers and does it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from .canonical import Json
from .messages import Hints
from .spec import ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One call for a worker: its input has already passed the tool's schema.

    `timeout_s` is how long the caller will wait, in seconds.
    """

    id: str
    tool: str
    input: Mapping[str, Json]
    decision_id: str = ""
    timeout_s: float = 5
    hints: Hints = field(default_factory=Hints)


class TaskError(Exception):
    """A task failed for a reason that the person may hear.

    `message` is plain English without secrets, `code` a single word. `texts` has the same
    message in other languages, by the first part of their tags ("de"): the reply bears
    that of the hints' language, or else `message`.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "tool_error",
        retryable: bool = False,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        """Keep what goes into the reply."""
        super().__init__(message)
        self.message = message
        self.code = code
        self.retryable = retryable
        self.texts: Mapping[str, str] = texts or {}

    def text(self, language: str) -> str:
        """Return the message in a language, given by its tag; else in English."""
        base = language.replace("_", "-").partition("-")[0].lower()
        return self.texts.get(base) or self.message


class Worker(ABC):
    """Offers tools. Subclass it, set `tools`, write `handle`.

    Several workers can live in one process, which has one identity. `messages` are what
    the house tells or asks beside the tools, as tasks too: input schemas by name, which
    is a tool's with `__` and more behind it. No house takes such a name for a tool.
    """

    tools: ClassVar[tuple[ToolSpec, ...]]
    messages: ClassVar[Mapping[str, Mapping[str, Json]]] = {}

    async def start(self) -> None:  # noqa: B027 many need nothing
        """Open what is needed; raises SettingsError if something is missing."""

    async def stop(self) -> None:  # noqa: B027 many need nothing
        """Close what `start` opened."""

    @abstractmethod
    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Do a task and return a JSON object.

        A text under `say`, in the language of the hints, is what a person hears when no
        model puts the result into words. Raises TaskError; anything else is answered
        as a fault of the worker.
        """
