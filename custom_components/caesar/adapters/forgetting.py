"""Forgetting: what was said goes from memory, disk and index; the trail says so.

What the trail itself holds stays until its retention ends; docs/memory.md says what
that is.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from ..audit.event import AuditEvent, AuditEventType, AuditUnavailable
from ..legion.canonical import Json
from ..legion.spec import Annotations, ToolSpec
from ..policy.call import GenericToolCall, ToolCall
from ..policy.caller import Caller
from ..policy.decision import PolicyDecision
from ..policy.reason import Code
from ..sentinel.approvals import PendingApproval
from ..tool import ExecutorError, Tool
from ..turn import Turn
from .audit_log import HouseAuditLog
from .memory import HouseMemory
from .memory_rows import Scope
from .turns import session_key

FORGET: Final = ToolSpec(
    name="forget_conversation",
    title="Forget this conversation",
    description=(
        "Erase what has been said in this conversation, when the person asks for that."
    ),
    input_schema={"type": "object", "properties": {}, "additionalProperties": False},
    annotations=Annotations(
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
        private_data=False,
        untrusted_result=False,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How much that waited for a person was erased."""

    questions: int = 0
    checkpoints: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """How much was erased: remembered turns, questions, parked turns, later commands."""

    turns: int
    questions: int
    checkpoints: int
    planned: int

    def as_json(self) -> dict[str, Json]:
        """Return the counts, as the trail and the action's answer hold them."""
        return {
            "turns": self.turns,
            "questions": self.questions,
            "checkpoints": self.checkpoints,
            "planned": self.planned,
        }


type Covers = Callable[[PendingApproval], bool]
type ForgetWaiting = Callable[[Covers], Awaitable[Waiting]]
type ForgetPlanned = Callable[[str | None], Awaitable[int]]


class Forgetting:
    """Erases in one place all that is kept of a conversation, a user or everybody."""

    def __init__(
        self,
        memory: HouseMemory,
        audit: HouseAuditLog,
        revision: Callable[[], str],
        waiting: ForgetWaiting,
        planned: ForgetPlanned,
    ) -> None:
        """Erase from memory, by `waiting` what waits for a person's answer.

        By `planned` the commands for later go, of the user with an id or everybody's.
        """
        self._memory = memory
        self._audit = audit
        self._revision = revision
        self._waiting = waiting
        self._planned = planned

    async def forget(
        self, scope: Scope, caller: Caller | None, decision_id: str
    ) -> Erased:
        """Erase what `caller` wants erased; whether they may was asked before.

        Raises AuditUnavailable if the file can't be written: then not all is gone.
        """
        # Before the rest: a turn that goes on with an answer would be remembered after
        # it, and the log of the file is emptied there.
        waiting = await self._waiting(lambda pending: _covers(scope, pending))
        planned = 0
        if scope.session is None:
            # Who has one talk forgotten still wants the heater off in an hour.
            planned = await self._planned(scope.user_id)
        turns = await self._memory.forget(scope)
        erased = Erased(
            turns=turns,
            questions=waiting.questions,
            checkpoints=waiting.checkpoints,
            planned=planned,
        )
        await self._audit.record(
            AuditEvent(
                type=AuditEventType.MEMORY_ERASED,
                decision_id=decision_id,
                caller=caller,
                policy_rev=self._revision(),
                payload={
                    "scope": scope.name,
                    "of_user": scope.user_id,
                    **erased.as_json(),
                },
            )
        )
        return erased


class ForgetExecutor:
    """Carries out `forget_conversation`: the asker's own conversation, no other."""

    def __init__(self, forgetting: Forgetting) -> None:
        """Erase with this."""
        self._forgetting = forgetting

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Forget, and return the counts."""
        try:
            erased = await self._forgetting.forget(
                Scope(session=session_key(turn.caller)), turn.caller, turn.decision_id
            )
        except AuditUnavailable as err:
            raise ExecutorError(
                Code.AUDIT_UNAVAILABLE,
                "It could not be erased from the disk now.",
                retryable=True,
                maybe_done=True,
            ) from err
        return {"forgotten": True, **erased.as_json()}


def forget_tool(forgetting: Forgetting) -> Tool:
    """Return the tool that forgets the asker's own conversation."""
    return Tool(
        spec=FORGET,
        executor=ForgetExecutor(forgetting),
        to_call=lambda _: GenericToolCall(tool=FORGET.name, input={}),
    )


def _covers(scope: Scope, pending: PendingApproval) -> bool:
    if scope.session is not None:
        return pending.session == scope.session.text
    return scope.user_id is None or pending.caller.user_id == scope.user_id
