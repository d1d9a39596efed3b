"""The seam between a turn and whoever asks people: questions, answers, and no ids.

A turn ends with a question; the next message of its conversation may be the answer.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from homeassistant.core import Context

from ..brain.loop import LoopEvent
from ..policy.caller import Caller
from ..sentinel.approvals import PendingApproval

if TYPE_CHECKING:
    from .report import TurnReport


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerHeard:
    """A message was an answer; `cover` takes its place wherever it is kept."""

    cover: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a turn that waits for a person ends with.

    `again` says that the answer is expected in this conversation, as its next message.
    `expires_at` in unix seconds.
    """

    text: str
    again: bool
    expires_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The message was an answer that counts: the parked turn goes on."""

    pending: PendingApproval
    yes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The message was meant as an answer, and this is said to it.

    `again` says that the question is still the last thing said.
    """

    text: str
    again: bool = False


class Asking(Protocol):
    """Asks people, and hears what they answer in a conversation."""

    async def hear(
        self,
        text: str,
        caller: Caller,
        context: Context,
        *,
        session: str,
        language: str,
    ) -> Answered | Said | None:
        """Return what a message answers; None if it is no answer."""

    async def question(self, approval_id: str) -> Question | None:
        """Return what is said to whoever asked for something that must wait."""

    def asked(self, approval_id: str) -> None:
        """Note that its question was the last thing said in its conversation."""

    def said(self, session: str) -> None:
        """Note that something else was said: a question there has had its moment."""

    def resume(self, approval_id: str) -> AsyncIterator[LoopEvent | TurnReport]:
        """Follow the parked turn that goes on with an answer; empty if none does."""

    async def cover(self, language: str) -> str:
        """Return what stands in Home Assistant's log in the place of an answer."""

    async def noted(self, answered: Answered) -> str:
        """Return what is said to an answer when no turn goes on with it here."""
