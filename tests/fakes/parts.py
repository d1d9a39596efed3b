"""Fakes at the gate's seams: a trail in memory, tools that record, a person who answers.

They follow the Protocols in `gate.py`, `sentinel/guard.py` and `audit/event.py`.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any

from custom_components.caesar.audit.event import AuditEvent, AuditRow, AuditUnavailable
from custom_components.caesar.gate import GateParts, ToolGate
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.spec import Annotations, ToolSpec
from custom_components.caesar.policy.call import GenericToolCall, ToolCall, service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision
from custom_components.caesar.policy.home import EntityFacts, NoConditions, StaticHome
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.sentinel.allowances import Allowances
from custom_components.caesar.sentinel.capability import CapabilityGuard
from custom_components.caesar.sentinel.guard import ApprovalRequest, Approver, Guard
from custom_components.caesar.sentinel.scope import ScopeGuard
from custom_components.caesar.sentinel.sentinel import Sentinel
from custom_components.caesar.tool import Tool
from custom_components.caesar.turn import (
    ApprovalResult,
    ApprovalState,
    ToolDecision,
    ToolOutcome,
    ToolRequest,
    ToolScope,
    Turn,
)

from .clock import FakeClock

POLICY = """
version: 1
allowed_services:
  - light.turn_on
  - service: lock.unlock
    name: doors
  - service: lock.lock
    approval: never
allowed_tools: []
"""


def facts(entity_id: str, **more: Any) -> EntityFacts:
    """Return an exposed entity."""
    more.setdefault("exposed", True)
    return EntityFacts(
        entity_id=entity_id,
        name=entity_id.partition(".")[2].replace("_", " "),
        domain=entity_id.partition(".")[0],
        **more,
    )


def small_home() -> StaticHome:
    """Return a house of two lights, two locks and one thing that isn't shared."""
    known = [
        facts("light.kitchen", area_id="kitchen"),
        facts("light.hall", area_id="hall"),
        facts("light.attic", area_id="attic", exposed=False),
        facts("lock.front_door", area_id="hall"),
        facts("lock.shed", area_id="garden"),
    ]
    return StaticHome(facts={entity.entity_id: entity for entity in known})


class FakeTrail:
    """An AuditLog that keeps events in a list; `down` makes it unavailable."""

    def __init__(self) -> None:
        """Start empty and well."""
        self.rows: list[tuple[int, int | None, AuditEvent]] = []
        self.down = False
        self.down_for: str | None = None
        self.concludes = False

    async def intend(self, event: AuditEvent) -> AuditRow:
        """Keep an intent."""
        return self._add(event, None, "intend")

    async def conclude(self, intent_seq: int, event: AuditEvent) -> AuditRow:
        """Keep an outcome."""
        return self._add(event, intent_seq, "conclude")

    async def record(self, event: AuditEvent) -> AuditRow:
        """Keep an event."""
        return self._add(event, None, "record")

    def types(self) -> list[str]:
        """Return the types of all rows, in order."""
        return [event.type.value for _, _, event in self.rows]

    def _add(self, event: AuditEvent, intent: int | None, verb: str) -> AuditRow:
        if self.down or self.down_for == verb:
            raise AuditUnavailable(concluded=self.concludes)
        seq = len(self.rows) + 1
        self.rows.append((seq, intent, event))
        return AuditRow(seq=seq, row_hash=f"{seq:064x}")


class FakeExecutor:
    """Records what it carries out; `gate` holds it until set, `error` is raised."""

    def __init__(self, trail: FakeTrail) -> None:
        """Look at the trail at the moment of each effect."""
        self._trail = trail
        self.done: list[tuple[ToolCall, tuple[str, ...], str]] = []
        self.rows_before: list[list[str]] = []
        self.error: Exception | None = None
        self.gate: asyncio.Event | None = None
        self.data: Json = {"entities": []}
        self.running = 0
        self.most_at_once = 0

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Do it."""
        self.rows_before.append(self._trail.types())
        self.running += 1
        self.most_at_once = max(self.most_at_once, self.running)
        try:
            if self.gate is not None:
                await self.gate.wait()
            if self.error is not None:
                raise self.error
            self.done.append((call, decision.pinned, context_id))
        finally:
            self.running -= 1
        return self.data


class FakeToolbox:
    """`call_service` and one read."""

    def __init__(self, executor: FakeExecutor, timeout_s: float = 5) -> None:
        """Offer tools that this executor carries out."""
        schema: dict[str, Json] = {
            "type": "object",
            "properties": {
                "domain": {"type": "string"},
                "service": {"type": "string"},
                "target": {"type": "object", "additionalProperties": True},
                "data": {"type": "object", "additionalProperties": True},
            },
            "required": ["domain", "service"],
            "additionalProperties": False,
        }
        read = ToolSpec(
            name="get_state",
            title="State",
            description="Read.",
            input_schema={
                "type": "object",
                "properties": {
                    "entity_id": {"type": "array", "items": {"type": "string"}}
                },
                "additionalProperties": False,
            },
            annotations=Annotations(read_only=True),
            timeout_s=timeout_s,
        )
        self._tools = {
            "call_service": Tool(
                spec=ToolSpec(
                    name="call_service",
                    title="Call",
                    description="Act.",
                    input_schema=schema,
                    timeout_s=timeout_s,
                ),
                executor=executor,
                to_call=lambda args: service_call(
                    str(args["domain"]),
                    str(args["service"]),
                    args.get("target"),  # type: ignore[arg-type]  # the schema says so
                    args.get("data"),  # type: ignore[arg-type]  # the schema says so
                ),
            ),
            "get_state": Tool(
                spec=read,
                executor=executor,
                to_call=lambda args: GenericToolCall(tool="get_state", input=args),
            ),
        }

    def get(self, name: str) -> Tool | None:
        """Return a tool."""
        return self._tools.get(name)

    def all(self) -> Iterable[Tool]:
        """Return both."""
        return self._tools.values()


class FakePermissions:
    """Every service exists and every user may everything, but for what is listed."""

    def __init__(self) -> None:
        """Start with nothing listed."""
        self.missing: set[str] = set()
        self.forbidden: set[tuple[str, str]] = set()

    def has_service(self, domain: str, service: str) -> bool:
        """Return whether the service exists."""
        return f"{domain}.{service}" not in self.missing

    def may_control(self, user_id: str, entity_id: str) -> bool:
        """Return whether the user may control it."""
        return (user_id, entity_id) not in self.forbidden

    def may_read(self, user_id: str, entity_id: str) -> bool:
        """Return whether the user may read it."""
        return (user_id, entity_id) not in self.forbidden


class FakeApprover:
    """Answers every question the same way, and keeps the questions."""

    def __init__(self) -> None:
        """Start as a house with nobody to ask."""
        self.asked: list[ToolCall] = []
        self.claimed: list[str] = []
        self.closed: list[tuple[str, ToolOutcome]] = []
        self.result = ApprovalResult(
            state=ApprovalState.NO_APPROVER, reason=Reason(code=Code.NO_APPROVER)
        )

    async def request(self, asked: ApprovalRequest) -> ApprovalResult:
        """Answer."""
        self.asked.append(asked.call)
        return self.result

    async def claim(
        self, approval_id: str, *, args_hash: str, digest: str, caller: Caller
    ) -> bool:
        """Let each approval be used once."""
        if approval_id in self.claimed:
            return False
        self.claimed.append(approval_id)
        return True

    async def close(self, approval_id: str, outcome: ToolOutcome) -> None:
        """Keep what came of it."""
        self.closed.append((approval_id, outcome))


class FakeActivity:
    """Keeps what people would read."""

    def __init__(self) -> None:
        """Start with nothing told."""
        self.told: list[tuple[str, ToolCall]] = []
        self.context_ids: list[str] = []

    def intended(
        self,
        call: ToolCall,
        decision: ToolDecision,
        turn: Turn,
        row: AuditRow,
        context_id: str,
    ) -> None:
        """Keep an intent."""
        self.told.append(("intended", call))
        self.context_ids.append(context_id)

    def failed(
        self, call: ToolCall, outcome: ToolOutcome, turn: Turn, context_id: str
    ) -> None:
        """Keep a failure."""
        self.told.append(("failed", call))

    def denied(
        self, call: ToolCall, outcome: ToolOutcome, turn: Turn, row: AuditRow | None
    ) -> None:
        """Keep a refusal."""
        self.told.append(("denied", call))


@dataclass(slots=True)
class GateUnderTest:
    """A gate with everything around it in reach of a test."""

    policy_text: str = POLICY
    timeout_s: float = 5
    clock: FakeClock = field(default_factory=FakeClock)
    trail: FakeTrail = field(default_factory=FakeTrail)
    permissions: FakePermissions = field(default_factory=FakePermissions)
    approver: FakeApprover = field(default_factory=FakeApprover)
    activity: FakeActivity = field(default_factory=FakeActivity)
    home: StaticHome = field(default_factory=small_home)
    tasks: list[asyncio.Task[ToolOutcome]] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    desk: Approver | None = None
    allowances: Allowances | None = None
    executor: FakeExecutor = field(init=False)
    gate: ToolGate = field(init=False)
    policy: Any = field(init=False)

    def __post_init__(self) -> None:
        """Build the gate."""
        self.executor = FakeExecutor(self.trail)
        self.policy = load_policy(self.policy_text)
        numbers = iter(range(1, 10_000))
        self.gate = ToolGate(
            GateParts(
                toolbox=FakeToolbox(self.executor, self.timeout_s),
                policy=lambda: self.policy,
                home=self.home,
                conditions=NoConditions(),
                sentinel=Sentinel(
                    [
                        CapabilityGuard(self.home, self.permissions),
                        ScopeGuard(lambda: ToolScope.READ),
                        *self.guards,
                    ]
                ),
                approver=self.desk or self.approver,
                audit=self.trail,
                activity=self.activity,
                spawn=self._spawn,
                clock=self.clock,
                new_context_id=lambda: f"context-{next(numbers)}",
                allowances=self.allowances,
            )
        )

    def turn(self, **caller: Any) -> Turn:
        """Return a turn of a user in a chat."""
        caller.setdefault("user_id", "user-1")
        return Turn(
            decision_id="decision-1",
            caller=Caller(
                origin=caller.pop("origin", Origin.CHAT),
                agent_id="agent-1",
                context_id="turn-context",
                **caller,
            ),
            language="en",
            deadline=self.clock() + 240,
        )

    async def service(
        self,
        service: str,
        target: dict[str, Json] | None = None,
        data: dict[str, Json] | None = None,
        *,
        turn: Turn | None = None,
    ) -> ToolOutcome:
        """Dispatch a `call_service`."""
        domain, _, name = service.partition(".")
        arguments: dict[str, Json] = {"domain": domain, "service": name}
        if target is not None:
            arguments["target"] = target
        if data is not None:
            arguments["data"] = data
        return await self.gate.dispatch(
            ToolRequest(id="request-1", name="call_service", arguments=arguments),
            turn or self.turn(),
        )

    async def read(self, *entity_ids: str, turn: Turn | None = None) -> ToolOutcome:
        """Dispatch a `get_state`."""
        return await self.gate.dispatch(
            ToolRequest(
                id="request-1",
                name="get_state",
                arguments={"entity_id": list(entity_ids)},
            ),
            turn or self.turn(),
        )

    async def until_running(self, calls: int = 1) -> None:
        """Wait until so many calls are inside the executor; fails after 5 s."""
        async with asyncio.timeout(5):
            while self.executor.running < calls:
                await asyncio.sleep(0)

    def _spawn(
        self, coro: Coroutine[Any, Any, ToolOutcome], name: str
    ) -> asyncio.Task[ToolOutcome]:
        task = asyncio.create_task(coro, name=name)
        self.tasks.append(task)
        return task
