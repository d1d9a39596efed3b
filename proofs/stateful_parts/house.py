"""One process of CAESAR: the real gate, desk, guards, brain and stores over a file.

Left out is what needs Home Assistant itself, and `ParkedTurns`, which does: its place
takes `Parking`, over the same desk, brain and `ParkedStore`.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any

from custom_components.caesar.adapters.desk import HouseDeskTrail, PendingStore
from custom_components.caesar.adapters.parked_store import ParkedStore
from custom_components.caesar.brain.loop import Brain
from custom_components.caesar.gate import GateParts, ToolGate
from custom_components.caesar.legion.spec import Annotations
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.policy.home import ConditionResult
from custom_components.caesar.sentinel.allowances import Allowances
from custom_components.caesar.sentinel.approvals import (
    PendingApproval,
    Reached,
    Standing,
)
from custom_components.caesar.sentinel.capability import CapabilityGuard
from custom_components.caesar.sentinel.circuit_breaker import CircuitBreakerGuard
from custom_components.caesar.sentinel.dead_man import DeadManGuard
from custom_components.caesar.sentinel.desk import ApprovalDesk
from custom_components.caesar.sentinel.desk_parts import DeskParts
from custom_components.caesar.sentinel.rate_limiter import RateLimiterGuard
from custom_components.caesar.sentinel.scope import ScopeGuard
from custom_components.caesar.sentinel.sentinel import Sentinel
from custom_components.caesar.sentinel.taint import TaintGuard
from custom_components.caesar.turn import ToolScope, Turn
from tests.fakes.parts import FakeActivity, FakePermissions

from . import oracle
from .disk import Disk, Life, Switches
from .notebook import Asked, Running
from .things import Recorder, Things, Tools
from .town import FORBIDDEN, OWN_USER
from .turns import CountedGate, Ground, Model, Parking


class Conditions:
    """Judges `when` by the town's flags."""

    def __init__(self, house: House) -> None:
        """Look at the policy that the house has in force."""
        self._house = house

    def check(self, condition_id: str) -> ConditionResult:
        """Return whether the flag is on."""
        raw: Any = self._house.policy.conditions[condition_id]
        flag = raw[0]["entity_id"]
        return ConditionResult(met=self._house.town.flags[flag])


class Channel:
    """A phone that reaches the owner, or nobody."""

    def __init__(self) -> None:
        """Reach him."""
        self.reaches = True

    async def ask(self, pending: PendingApproval) -> Reached | None:
        """Ask."""
        return Reached(channel="phone", people=("Owner",)) if self.reaches else None

    async def settled(self, pending: PendingApproval) -> None:
        """Hear."""


class House:
    """One process, from its start to its death."""

    def __init__(self, ground: Ground, switches: Switches) -> None:
        """Build everything anew over the file."""
        self.town = ground.town
        self.policy = ground.policy
        self.life = Life()
        self.switches = switches
        self._ground = ground
        self._tasks: set[asyncio.Task[Any]] = set()
        self._numbers = iter(range(10**6))
        self.turns: dict[str, asyncio.Task[Any]] = {}
        clock = ground.loop.time
        self.disk = Disk(ground.file, self.life, switches, ground.now)
        self.allowances = Allowances(clock)
        self.channel = Channel()
        ground.notebook.running = Running()
        self.desk = self._build_desk()
        self.parking = Parking(self, ground, ParkedStore(self.disk))  # type: ignore[arg-type]  # the parts of the trail that it uses
        self.gate = CountedGate(self._build_gate(), ground.notebook)
        self.brain = Brain(
            gate=self.gate,
            providers=[Model(ground.script)],
            clock=clock,
            keeper=self.parking,
        )

    def start(self) -> None:
        """Read what an earlier process left."""
        loop = self._ground.loop
        self.desk.listen(self._heard)
        self.desk.listen(self.parking.decided)
        loop.run(self.desk.start())
        self._hear_late()
        loop.run(self.parking.start())

    def _hear_late(self) -> None:
        """Write down an answer that came to the disk just as the process died."""
        notebook = self._ground.notebook
        for asked in notebook.asked.values():
            pending = self.desk.find(asked.id)
            if pending and pending.standing is Standing.APPROVED and not asked.answered:
                notebook.answers(asked, True, self._ground.loop.time())
        notebook.answering = None

    def begin(self, turn: Turn) -> None:
        """Let a turn begin."""
        self.turns[turn.decision_id] = self.spawn(self._run(turn), turn.decision_id)
        self._ground.loop.settle()

    def bury(self) -> None:
        """End all tasks of a process that is dead; none can do anything any more."""
        self.life.dead = self.life.buried = True
        loop = self._ground.loop
        while waiting := [task for task in self._tasks if not task.done()]:
            for task in waiting:
                task.cancel()
            loop.settle()
        self.disk.close()

    def spawn[T](self, work: Coroutine[Any, Any, T], name: str) -> asyncio.Task[T]:
        """Run something of this process."""
        task = self._ground.loop.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _run(self, turn: Turn) -> None:
        async for _ in self.brain.run(turn, "words"):
            pass

    def _build_desk(self) -> ApprovalDesk:
        ground = self._ground
        desk = ApprovalDesk(
            DeskParts(
                store=PendingStore(self.disk),  # type: ignore[arg-type]  # the parts of the trail that it uses
                trail=HouseDeskTrail(self.disk, lambda: self.policy.revision),
                home=self.town.home,
                allowances=self.allowances,
                now=ground.now,
                clock=ground.loop.time,
                new_id=lambda: f"approval-{ground.number}-{next(self._numbers)}",
                ttl_s=lambda: self.policy.settings.approval_ttl_s,
                own_users=lambda: {OWN_USER},
                spawn=self.spawn,
                waiting_text=_say_nothing,
            )
        )
        desk.add_channel(self.channel)
        return desk

    def _build_gate(self) -> ToolGate:
        ground, clock = self._ground, self._ground.loop.time
        permissions = FakePermissions()
        permissions.forbidden = set(FORBIDDEN)
        recorder = Recorder(ground.notebook, clock)
        things = Things(self, ground.notebook, recorder, clock)
        tools = Tools(things)

        def annotations(tool: str) -> Annotations | None:
            known = tools.get(tool)
            return known.spec.annotations if known else None

        return ToolGate(
            GateParts(
                toolbox=tools,
                policy=lambda: self.policy,
                home=self.town.home,
                conditions=Conditions(self),
                sentinel=Sentinel(
                    [
                        CapabilityGuard(self.town.home, permissions),
                        CircuitBreakerGuard(
                            lambda: self.policy.settings, clock, lambda _: None
                        ),
                        RateLimiterGuard(
                            lambda: self.policy.settings, clock, lambda _: None
                        ),
                        DeadManGuard(clock),
                        ScopeGuard(self._automation_tools),
                        TaintGuard(annotations),
                        recorder,
                    ]
                ),
                approver=self.desk,
                audit=self.disk,
                activity=FakeActivity(),
                spawn=self.spawn,
                clock=clock,
                new_context_id=lambda: f"call-{ground.number}-{next(self._numbers)}",
                allowances=self.allowances,
            )
        )

    def _automation_tools(self) -> ToolScope:
        return ToolScope.POLICY if self.town.automations_act else ToolScope.READ

    def _heard(self, pending: PendingApproval) -> None:
        """Write down what the desk says has happened."""
        if self.life.dead:
            return
        notebook, now = self._ground.notebook, self._ground.loop.time()
        asked = notebook.asked.get(pending.id)
        if asked is None:
            if pending.standing is Standing.WAITING:
                self._asked(pending, now)
        elif pending.standing is Standing.EXECUTING:
            notebook.claims(asked, now)
        elif pending.standing in (Standing.APPROVED, Standing.DENIED):
            notebook.answers(asked, pending.standing is Standing.APPROVED, now)

    def _asked(self, pending: PendingApproval, now: float) -> None:
        ground, town = self._ground, self.town
        notebook, caller = ground.notebook, pending.caller
        _, raw = notebook.requests[pending.decision_id, pending.request_id]
        means = oracle.meaning(town, raw)
        if means is None:
            notebook.find("a question about what is no call", raw)
            return
        terms = oracle.terms(town, caller, raw, means)
        approvers = terms.approvers if terms else ()
        # In the conversation that asked, if it can answer there.
        said = caller.origin is Origin.VOICE or (
            caller.origin is Origin.CHAT
            and (caller.user_id in approvers if approvers else caller.is_admin)
        )
        notebook.asks(
            Asked(
                id=pending.id,
                turn=pending.decision_id,
                request=pending.request_id,
                caller=caller,
                session=pending.session,
                means=means,
                approvers=approvers,
                until=now + min(max(town.book.limits.ttl_s, 30), 86_400),
                said_at=now if said else None,
            )
        )


async def _say_nothing(pending: PendingApproval, reached: Sequence[Reached]) -> str:
    return ""
