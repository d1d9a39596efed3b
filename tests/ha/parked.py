"""What runs around parked turns in Home Assistant: a desk, a brain, a gate of tests."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
import json
import sqlite3
import time
from typing import Any

from homeassistant.core import HomeAssistant
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.adapters.parked import ParkedParts, ParkedTurns
from custom_components.caesar.adapters.report import TurnReport, call_json
from custom_components.caesar.adapters.users import Users
from custom_components.caesar.brain.checkpoint import Answers, Checkpoint
from custom_components.caesar.brain.loop import Brain, Finish, LoopEvent, TurnResult
from custom_components.caesar.brain.provider import Completed, StopReason, TextDelta
from custom_components.caesar.policy.call import ServiceCall
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import ApprovalTerms
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.sentinel.approvals import PendingApproval, Standing, Via
from custom_components.caesar.sentinel.noting import Noting
from custom_components.caesar.turn import Turn
from tests.core.brain.parking import ParkingGate, call
from tests.fakes.provider import ScriptedProvider, Step

CALLS = Completed(stop=StopReason.TOOL_USE)
ANSWER: Step = [TextDelta(text="All done."), Completed(stop=StopReason.END)]
SECRET = "unlock it for the old aunt"


def question(caller: Caller, approval_id: str, decision_id: str) -> PendingApproval:
    """Return a question that waits for an answer."""
    now = time.time()
    return PendingApproval(
        id=approval_id,
        decision_id=decision_id,
        request_id="r2",
        call=ServiceCall(domain="lock", service="unlock"),
        args_hash="hash",
        digest="digest",
        impact=Impact.DESTRUCTIVE,
        entry=True,
        entities=("lock.front_door",),
        terms=ApprovalTerms(),
        rule=None,
        why=Reason(code=Code.APPROVAL_NEEDED),
        caller=caller,
        session="agent-1|conv:1|user-1",
        language="en",
        created_at=now,
        expires_at=now + 900,
    )


class HeldDesk:
    """Holds questions as the real desk does, across restarts too."""

    def __init__(self) -> None:
        """Start with none."""
        self.questions: dict[str, PendingApproval] = {}
        self.withdrawn: list[str] = []
        self.noting = Noting()
        self._listeners: list[Callable[[PendingApproval], None]] = []

    def find(self, approval_id: str) -> PendingApproval | None:
        """Return a question."""
        return self.questions.get(approval_id)

    def pending(self) -> tuple[PendingApproval, ...]:
        """Return what waits."""
        return tuple(
            pending
            for pending in self.questions.values()
            if pending.standing is Standing.WAITING
        )

    def listen(self, callback: Callable[[PendingApproval], None]) -> Callable[[], None]:
        """Call back with every change."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    async def withdraw(self, approval_id: str) -> None:
        """Keep which was withdrawn."""
        self.withdrawn.append(approval_id)

    def put(self, approval_id: str, standing: Standing, via: Via = Via.PHONE) -> None:
        """Change how a question stands, and say so."""
        self.questions[approval_id] = pending = replace(
            self.questions[approval_id],
            standing=standing,
            decided_by="user-1",
            via=via,
        )
        for listener in [*self._listeners]:
            listener(pending)


class ShortAgent:
    """A brain whose reports are its results in short."""

    def __init__(self, brain: Brain) -> None:
        """Think with this brain."""
        self._brain = brain
        self.turns: list[Turn] = []

    async def async_resume(
        self, checkpoint: Checkpoint, turn: Turn, answers: Answers
    ) -> AsyncIterator[LoopEvent | TurnReport]:
        """Go on with a turn."""
        self.turns.append(turn)
        async for event in self._brain.resume(checkpoint, turn, answers):
            yield event
            if isinstance(event, TurnResult):
                yield self._report(turn, event)

    async def async_give_up(self, turn: Turn, finish: Finish) -> TurnReport:
        """Return the report of a turn that can't go on."""
        return self._report(turn, TurnResult(text="", finish=finish))

    def _report(self, turn: Turn, result: TurnResult) -> TurnReport:
        return TurnReport(
            decision_id=turn.decision_id,
            conversation_id=turn.caller.conversation_id or "",
            shown=result.text or result.finish.value,
            spoken=result.text,
            calls=tuple(call_json(outcome) for outcome in result.outcomes),
            finish=result.finish,
            outcomes=result.outcomes,
            parked=result.parked,
        )


@dataclass(slots=True)
class ParkedHouse:
    """What runs between two restarts, and what outlives them (`desk`, the file)."""

    hass: HomeAssistant
    caller: Caller
    desk: HeldDesk
    gate: ParkingGate = field(default_factory=ParkingGate)
    delivered: list[TurnReport] = field(default_factory=list)
    audit: HouseAuditLog = field(init=False)
    parked: ParkedTurns = field(init=False)
    brain: Brain = field(init=False)
    provider: ScriptedProvider = field(init=False)
    agents: dict[str, ShortAgent] = field(default_factory=dict)

    async def start(self, *steps: Step) -> None:
        """Build everything over what is on disk; the provider plays these steps."""
        self.audit = HouseAuditLog(self.hass)
        await self.audit.async_start()
        users = Users(self.hass)
        await users.async_start()
        self.parked = ParkedTurns(
            ParkedParts(
                hass=self.hass,
                desk=self.desk,
                audit=self.audit,
                users=users,
                agents=self.agents,
                deliver=self._deliver,
                spawn=lambda work, name: self.hass.async_create_background_task(
                    work, name
                ),
                clock=self.hass.loop.time,
                now=time.time,
            )
        )
        three: Step = [call(1), call(2), call(3), CALLS]
        self.provider = ScriptedProvider(steps or [three, ANSWER], name="model")
        self.brain = Brain(
            gate=self.gate,
            providers=[self.provider],
            clock=self.hass.loop.time,
            keeper=self.parked,
        )
        self.agents["agent-1"] = ShortAgent(self.brain)
        self.parked.async_start()
        await self.settle()

    async def stop(self) -> None:
        """Unload."""
        await self.parked.async_stop()
        await self.audit.async_stop()

    async def _deliver(self, pending: PendingApproval, report: TurnReport) -> None:
        self.delivered.append(report)

    async def settle(self) -> None:
        """Let everything that was begun come to its end."""
        for _ in range(3):
            while self.parked._tasks:
                await asyncio.wait([*self.parked._tasks])
            await self.hass.async_block_till_done(wait_background_tasks=True)

    async def park(self, decision_id: str = "decision-1") -> TurnResult:
        """Run a turn whose second call needs a person."""
        self.gate.parks = ["r2"]
        self.desk.questions["a-r2"] = question(self.caller, "a-r2", decision_id)
        turn = Turn(
            decision_id=decision_id,
            caller=self.caller,
            language="en",
            deadline=self.hass.loop.time() + 240,
            session="agent-1|conv:1|user-1",
        )
        events = [event async for event in self.brain.run(turn, SECRET)]
        result = events[-1]
        assert isinstance(result, TurnResult)
        return result

    async def rows(self) -> list[tuple[Any, ...]]:
        """Return what is kept."""
        return await self._read("SELECT * FROM tool_loop_checkpoints")

    async def trail(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the rows of the trail about parked turns."""
        found = await self._read(
            "SELECT event_type, payload FROM audit_log"
            " WHERE event_type LIKE 'loop.%' ORDER BY id"
        )
        return [(kind, json.loads(payload)) for kind, payload in found]

    async def change(self, statement: str, *values: Any) -> None:
        """Tamper with the file while CAESAR is not running."""
        await self._read(statement, *values)

    async def _read(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        def read() -> list[tuple[Any, ...]]:
            db = sqlite3.connect(self.audit.path)
            found = db.execute(statement, values).fetchall()
            db.commit()
            db.close()
            return found

        return await self.hass.async_add_executor_job(read)


@asynccontextmanager
async def running(
    hass: HomeAssistant, user: MockUser, *steps: Any, desk: HeldDesk | None = None
) -> AsyncIterator[ParkedHouse]:
    """Run a house in which this user asks."""
    house = ParkedHouse(
        hass=hass,
        caller=Caller(
            origin=Origin.CHAT,
            user_id=user.id,
            is_admin=True,
            agent_id="agent-1",
            conversation_id="1",
            context_id="context-1",
        ),
        desk=desk or HeldDesk(),
    )
    await house.start(*steps)
    try:
        yield house
    finally:
        await house.stop()


@asynccontextmanager
async def restarted(before: ParkedHouse, *steps: Any) -> AsyncIterator[ParkedHouse]:
    """Start a new house over what is on disk and what the desk knows."""
    house = ParkedHouse(hass=before.hass, caller=before.caller, desk=before.desk)
    await house.start(*(steps or [ANSWER]))
    try:
        yield house
    finally:
        await house.stop()


async def parked_then_stopped(hass: HomeAssistant, user: MockUser) -> ParkedHouse:
    """Return a house that was stopped while a turn waited."""
    async with running(hass, user) as house:
        assert (await house.park()).finish is Finish.PARKED
    return house
