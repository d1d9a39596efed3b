"""What runs turns in the proof's house: the model, the gate's door, parked turns."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from custom_components.caesar.adapters.parked_store import ParkedStore
from custom_components.caesar.audit.checkpoints import RowState
from custom_components.caesar.brain.checkpoint import (
    Answered,
    Checkpoint,
    answered,
    turn_of,
)
from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    ProviderEvent,
    ProviderTraits,
    StopReason,
    ToolChoice,
)
from custom_components.caesar.gate import ToolGate
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.approvals import PendingApproval, Standing
from custom_components.caesar.turn import ToolOutcome, ToolRequest, Turn

from .clockwork import Clockwork
from .notebook import Notebook
from .things import REQUEST
from .town import Town

if TYPE_CHECKING:
    from .house import House

type Script = Mapping[str, Sequence[Sequence[ToolRequest]]]
TURN_S: Final = 60.0
_ENDED: Final = frozenset({Standing.APPROVED, Standing.DENIED, Standing.EXPIRED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a process finds when it starts, and leaves when it ends."""

    town: Town
    notebook: Notebook
    loop: Clockwork
    file: Path
    script: Script
    policy: LoadedPolicy
    number: int

    def now(self) -> float:
        """Return seconds since 1970."""
        return self.loop.time() + 1_700_000_000


class Model:
    """Writes what the proof wrote down for each turn, whatever it is told."""

    name = "model"
    traits = ProviderTraits()

    def __init__(self, script: Script) -> None:
        """Take the rounds of all turns, by the turns' ids."""
        self._script = script

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Write the next round's calls."""
        rounds = self._script[request.turn.decision_id]
        number = sum(isinstance(each, AssistantMessage) for each in request.messages)
        calls: Sequence[ToolRequest] = ()
        if number < len(rounds) and request.tool_choice is ToolChoice.AUTO:
            calls = rounds[number]
        for call in calls:
            yield call
        yield Completed(stop=StopReason.TOOL_USE if calls else StopReason.END)

    async def check(self) -> None:
        """Work."""

    async def close(self) -> None:
        """Hold nothing."""


class CountedGate:
    """The gate, and how many dispatches went into it and came out."""

    def __init__(self, gate: ToolGate, notebook: Notebook) -> None:
        """Stand before the real one."""
        self._gate = gate
        self._notebook = notebook
        self.offered = gate.offered
        self.is_read = gate.is_read

    async def dispatch(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        """Count a call in and out."""
        # The caller runs each dispatch in a task, and so in a context, of its own.
        REQUEST.set(request.id)
        self._notebook.started[turn.decision_id] += 1
        try:
            outcome = await self._gate.dispatch(request, turn)
        except asyncio.CancelledError:
            self._notebook.cancelled[turn.decision_id] += 1
            raise
        if outcome.error is None or outcome.error.code is not Code.STILL_RUNNING:
            # Else its intent may be on its way to the disk yet.
            self._notebook.finished[turn.decision_id] += 1
        return outcome

    async def skip(self, request: ToolRequest, turn: Turn, code: Code) -> ToolOutcome:
        """Count it too: it has its row."""
        self._notebook.started[turn.decision_id] += 1
        try:
            outcome = await self._gate.skip(request, turn, code)
        except asyncio.CancelledError:
            self._notebook.cancelled[turn.decision_id] += 1
            raise
        self._notebook.finished[turn.decision_id] += 1
        return outcome


class Parking:
    """Keeps parked turns and goes on with them: `Keeper`, as `ParkedTurns` is one."""

    def __init__(self, house: House, ground: Ground, store: ParkedStore) -> None:
        """Stand on the house's brain and desk."""
        self._house = house
        self._ground = ground
        self._store = store
        self._waiting: dict[str, str] = {}

    async def start(self) -> None:
        """Take over what an earlier process has kept."""
        for kept in await self._store.load() or ():
            pending = self._house.desk.find(kept.approval_id)
            if pending is None or kept.state is RowState.RESUMING:
                await self._store.forget(kept.decision_id, kept.approval_id)
                continue
            self._waiting[kept.approval_id] = kept.decision_id
            self.decided(pending)

    async def keep(self, checkpoint: Checkpoint) -> bool:
        """Put a turn on the disk."""
        approval_id = checkpoint.approval_ids[0]
        desk = self._house.desk
        pending = desk.find(approval_id)
        if pending is None:
            return False
        kept = replace(
            checkpoint, created_at=self._ground.now(), expires_at=pending.expires_at
        )
        if not await self._store.put(kept, approval_id):
            await desk.withdraw(approval_id)
            return False
        self._waiting[approval_id] = checkpoint.decision_id
        self.decided(desk.find(approval_id) or pending)
        self._ground.notebook.counts["parked turns"] += 1
        return True

    def decided(self, pending: PendingApproval) -> None:
        """Go on with a turn whose question is answered."""
        if self._house.life.dead or pending.standing not in _ENDED:
            return
        if (decision_id := self._waiting.pop(pending.id, None)) is not None:
            self._house.turns[decision_id] = self._house.spawn(
                self._go_on(decision_id, pending), decision_id
            )

    async def _go_on(self, decision_id: str, pending: PendingApproval) -> None:
        checkpoint, _ = await self._store.take(decision_id, pending.id)
        if checkpoint is None:
            await self._house.desk.withdraw(pending.id)
            return
        self._ground.notebook.counts["resumed turns"] += 1
        turn = turn_of(checkpoint, checkpoint.caller, self._ground.loop.time() + TURN_S)
        async for _ in self._house.brain.resume(
            checkpoint, turn, self._answers(checkpoint)
        ):
            pass
        await self._store.forget(decision_id, pending.id)

    def _answers(self, checkpoint: Checkpoint) -> dict[str, Answered]:
        found = {each: self._house.desk.find(each) for each in checkpoint.approval_ids}
        return {
            each: answered(pending)
            for each, pending in found.items()
            if pending is not None and pending.standing is not Standing.WAITING
        }
