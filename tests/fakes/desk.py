"""An approval desk with everything around it in reach of a test."""

import asyncio
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import ToolCall, service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.home import NoConditions, StaticHome
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.sentinel.allowances import Allowances
from custom_components.caesar.sentinel.approvals import (
    Answerer,
    Facts,
    PendingApproval,
    Reached,
    Standing,
    Via,
)
from custom_components.caesar.sentinel.desk import ApprovalDesk
from custom_components.caesar.sentinel.desk_parts import DeskEvent, DeskParts
from custom_components.caesar.sentinel.guard import ApprovalRequest
from custom_components.caesar.sentinel.ledger import StoreUnavailable
from custom_components.caesar.sentinel.written import from_json, to_json
from custom_components.caesar.turn import ApprovalResult, ToolRequest, Turn

from .clock import FakeClock
from .parts import small_home

ADMIN = Answerer(via=Via.ACTION, user_id="admin", is_admin=True)
CHILD = Answerer(via=Via.ACTION, user_id="child", is_admin=False)

POLICY = """
version: 1
allowed_services:
  - service: light.turn_on
    approval: always
  - lock.unlock
allowed_tools: []
"""


class MemoryStore:
    """An ApprovalStore whose rows outlive a desk; `down` makes it unavailable."""

    def __init__(self) -> None:
        """Start empty and well."""
        self.rows: dict[str, dict[str, Json]] = {}
        self.down = False
        self.slow = 0

    async def add(self, pending: PendingApproval) -> None:
        """Keep a question as JSON, as the real one does."""
        await self._disk()
        assert pending.id not in self.rows
        self.rows[pending.id] = to_json(pending)

    async def change(self, pending: PendingApproval, expected: Standing) -> bool:
        """Compare and set."""
        await self._disk()
        row = self.rows.get(pending.id)
        if row is None or row["standing"] != expected.value:
            return False
        self.rows[pending.id] = to_json(pending)
        return True

    async def load(self) -> tuple[PendingApproval, ...]:
        """Return all rows."""
        await self._disk()
        return tuple(from_json(row) for row in self.rows.values())

    async def forget(self, ids: Collection[str]) -> None:
        """Remove rows."""
        await self._disk()
        for approval_id in ids:
            self.rows.pop(approval_id, None)

    def standing(self, approval_id: str) -> str:
        """Return what the disk says."""
        return str(self.rows[approval_id]["standing"])

    async def _disk(self) -> None:
        for _ in range(self.slow):
            await asyncio.sleep(0)
        if self.down:
            raise StoreUnavailable("down")


class FakeDeskTrail:
    """Keeps the desk's rows."""

    def __init__(self) -> None:
        """Start empty."""
        self.rows: list[tuple[DeskEvent, PendingApproval | None, Facts]] = []

    async def note(
        self, event: DeskEvent, pending: PendingApproval | None, more: Facts
    ) -> None:
        """Keep one."""
        self.rows.append((event, pending, more))

    def types(self) -> list[str]:
        """Return the types of all rows, in order."""
        return [event.value.removeprefix("approval.") for event, _, _ in self.rows]


class FakeChannel:
    """Reaches somebody or nobody, and keeps what it was told."""

    def __init__(self, *people: str) -> None:
        """Reach these people; none means nobody."""
        self.people = people
        self.asked: list[PendingApproval] = []
        self.told: list[Standing] = []
        self.error: Exception | None = None

    async def ask(self, pending: PendingApproval) -> Reached | None:
        """Ask."""
        self.asked.append(pending)
        if self.error is not None:
            raise self.error
        return Reached(channel="phone", people=self.people) if self.people else None

    async def settled(self, pending: PendingApproval) -> None:
        """Hear."""
        self.told.append(pending.standing)


@dataclass(slots=True)
class DeskUnderTest:
    """A desk, its file, its channel, and a policy that decides what is asked."""

    policy_text: str = POLICY
    people: tuple[str, ...] = ("Alex",)
    store: MemoryStore = field(default_factory=MemoryStore)
    clock: FakeClock = field(default_factory=FakeClock)
    now: FakeClock = field(default_factory=lambda: FakeClock(1_700_000_000.0))
    trail: FakeDeskTrail = field(default_factory=FakeDeskTrail)
    home: StaticHome = field(default_factory=small_home)
    own: set[str] = field(default_factory=lambda: {"caesar-voice"})
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    channel: FakeChannel = field(init=False)
    allowances: Allowances = field(init=False)
    desk: ApprovalDesk = field(init=False)

    def __post_init__(self) -> None:
        """Build the desk."""
        self.channel = FakeChannel(*self.people)
        self.allowances = Allowances(self.clock)
        self.restart()

    def restart(self) -> None:
        """Build a new desk over the same file, as after a crash."""
        self.desk = ApprovalDesk(
            DeskParts(
                store=self.store,
                trail=self.trail,
                home=self.home,
                allowances=self.allowances,
                now=self.now,
                clock=self.clock,
                new_id=self._new_id,
                ttl_s=lambda: 900,
                own_users=lambda: self.own,
                spawn=self.spawn,
                waiting_text=self._waiting_text,
            )
        )
        self.desk.add_channel(self.channel)

    def turn(self, decision_id: str = "turn-1", **more: Any) -> Turn:
        """Return a turn of a child in a chat, unless told otherwise."""
        deadline = self.clock() + more.pop("seconds", 240)
        session, say = more.pop("session", "session-1"), more.pop("say", None)
        more.setdefault("user_id", "child")
        if more.get("origin") in (Origin.VOICE, Origin.AUTOMATION):
            more["user_id"] = None
        return Turn(
            decision_id=decision_id,
            caller=Caller(
                origin=more.pop("origin", Origin.CHAT),
                agent_id="agent-1",
                context_id="context-1",
                **more,
            ),
            language="en",
            deadline=deadline,
            session=session,
            say=say,
        )

    def decide(self, call: ToolCall, turn: Turn) -> PolicyDecision:
        """Return what the policy says."""
        policy = load_policy(self.policy_text)
        decision = policy.evaluate(call, turn.caller, self.home, NoConditions())
        assert decision.verdict is Verdict.ASK, decision
        return decision

    def asks(
        self,
        turn: Turn | None = None,
        service: str = "lock.unlock",
        entity_id: str = "lock.front_door",
        **data: Json,
    ) -> ApprovalRequest:
        """Return a call for which a person must be asked."""
        turn = turn or self.turn()
        domain, _, name = service.partition(".")
        call = service_call(domain, name, {"entity_id": entity_id}, data)
        return ApprovalRequest(
            request=ToolRequest(id="request-1", name="call_service", arguments={}),
            call=call,
            decision=self.decide(call, turn),
            guard=None,
            turn=turn,
        )

    async def park(self, turn: Turn | None = None, **asks: Any) -> str:
        """Ask, with no time to wait; return the id of the question."""
        turn = turn or self.turn(seconds=0)
        result = await self.desk.request(self.asks(turn, **asks))
        assert result.approval_id is not None, result
        return result.approval_id

    async def wait_for_question(
        self, asked: ApprovalRequest
    ) -> tuple[asyncio.Task[ApprovalResult], str]:
        """Ask in a task; return it and the question's id when it waits."""
        before = {pending.id for pending in self.desk.pending()}
        task = asyncio.create_task(self.desk.request(asked))
        async with asyncio.timeout(5):
            while True:
                await asyncio.sleep(0)
                for pending in self.desk.pending():
                    if pending.id not in before and self.trail.types():
                        return task, pending.id

    async def claim(self, approval_id: str, **other: Any) -> bool:
        """Claim an approval for the call that it was given for, but for `other`."""
        pending = self.desk.find(approval_id)
        assert pending is not None
        return await self.desk.claim(
            approval_id,
            args_hash=other.get("args_hash", pending.args_hash),
            digest=other.get("digest", pending.digest),
            caller=other.get("caller", pending.caller),
        )

    def spawn(self, coro: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Run something in the background."""
        task = asyncio.create_task(coro, name=name)
        self.tasks.append(task)
        return task

    async def settle(self) -> None:
        """Let everything in the background end."""
        async with asyncio.timeout(5):
            while tasks := [
                task
                for task in self.tasks
                if not task.done() and task.get_name() != "caesar approvals"
            ]:
                await asyncio.wait(tasks)

    def _new_id(self) -> str:
        self.numbers.append(len(self.numbers) + 1)
        return f"approval-{len(self.numbers)}"

    async def _waiting_text(
        self, pending: PendingApproval, reached: Sequence[Reached]
    ) -> str:
        names = [name for each in reached for name in each.people]
        return f"Asking {', '.join(names)}."
