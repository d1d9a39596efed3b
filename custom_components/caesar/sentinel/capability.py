"""The first guard: what the assistant and the user may reach at all."""

from enum import StrEnum
from typing import Final, Protocol

from ..policy.call import GenericToolCall, ServiceCall, ToolCall, tool_id
from ..policy.decision import PolicyDecision, Verdict
from ..policy.home import HomeView
from ..policy.impact import CORE_READS, Impact
from ..policy.reason import Code, Reason
from ..turn import GuardResult, ToolOutcome, Turn

PASS = GuardResult(verdict=Verdict.ALLOW, reason=Reason(code=Code.ALLOWED))


class Permissions(Protocol):
    """What Home Assistant itself would let a user do, and which services exist."""

    def has_service(self, domain: str, service: str) -> bool:
        """Return whether the service is registered now."""

    def may_control(self, user_id: str, entity_id: str) -> bool:
        """Return whether the user may control the entity."""

    def may_read(self, user_id: str, entity_id: str) -> bool:
        """Return whether the user may read the entity."""


class ToolStanding(StrEnum):
    """Whether the workers of this house may carry out a tool, and can now.

    `CHANGED` waits for a person to look at what the worker says now, `UNKNOWN` is a
    tool of no worker.
    """

    SERVED = "served"
    AWAY = "away"
    CHANGED = "changed"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Workers(Protocol):
    """What there is to know of the tools of workers."""

    def standing(self, tool: str) -> ToolStanding:
        """Return how things are with a tool."""


_HELD: Final = {
    ToolStanding.CHANGED: "tool_changed",
    ToolStanding.REFUSED: "tool_refused",
}


class CapabilityGuard:
    """Refuses what isn't shared with the assistant, forbidden to the user, or absent.

    Exposure is asked of what was named, in the target or in any field of the data: a
    group covers its members, which a helper usually hides. Permission is asked of
    everything that would be touched.
    """

    def __init__(
        self,
        home: HomeView,
        permissions: Permissions,
        workers: Workers | None = None,
    ) -> None:
        """Look at the house through these; without `workers` there are none."""
        self._home = home
        self._permissions = permissions
        self._workers = workers

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Return a refusal with `why`: no_service, not_exposed, no_permission ..."""
        user_id = turn.caller.user_id
        if isinstance(call, GenericToolCall):
            if call.tool not in CORE_READS and self._workers is not None:
                standing = self._workers.standing(call.tool)
                if (refusal := _of_worker(call.tool, standing, decision)) is not None:
                    return refusal
            return self._check_read(_named_in(call), user_id)
        if not self._permissions.has_service(call.domain, call.service):
            return _refuse("no_service", tool_id(call))
        named = decision.pinned or self._service_entity(call)
        for entity_id in (*named, *decision.named_in_data):
            facts = self._home.entity(entity_id)
            if facts is None or not facts.exposed:
                return _refuse("not_exposed", entity_id)
        if user_id is None:
            return PASS
        for entity_id in (*named, *decision.touched):
            if not self._permissions.may_control(user_id, entity_id):
                return _refuse("no_permission", entity_id)
        # A service may do anything with these; of a read it can only tell.
        reads = decision.impact is Impact.READ
        may = self._permissions.may_read if reads else self._permissions.may_control
        for entity_id in decision.named_in_data:
            if not may(user_id, entity_id):
                return _refuse("no_permission", entity_id)
        return PASS

    def admit(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Count nothing."""
        return PASS

    def report(self, outcome: ToolOutcome) -> None:
        """Learn nothing: capability depends on the present only."""

    def _check_read(self, named: tuple[str, ...], user_id: str | None) -> GuardResult:
        for entity_id in named:
            facts = self._home.entity(entity_id)
            if facts is None:
                continue
            if not facts.exposed:
                return _refuse("not_exposed", facts.entity_id)
            if user_id and not self._permissions.may_read(user_id, facts.entity_id):
                return _refuse("no_permission", facts.entity_id)
        return PASS

    def _service_entity(self, call: ServiceCall) -> tuple[str, ...]:
        """Return the script behind a service of its own name."""
        entity_id = tool_id(call)
        return (entity_id,) if self._home.entity(entity_id) else ()


def _of_worker(
    tool: str, standing: ToolStanding, decision: PolicyDecision
) -> GuardResult | None:
    """Return why a tool of a worker may not be called; None if it may be tried.

    One that is away is tried all the same, so that the circuit breaker hears of it; but
    nobody is asked to approve what can't be done.
    """
    if (why := _HELD.get(standing)) is not None:
        return _refuse(why, tool)
    if standing is ToolStanding.AWAY and decision.verdict is Verdict.ASK:
        return GuardResult(
            verdict=Verdict.DENY,
            reason=Reason(code=Code.NO_WORKER, values={"tool": tool}),
        )
    return None


def _named_in(call: GenericToolCall) -> tuple[str, ...]:
    ids = call.input.get("entity_id")
    if isinstance(ids, str):
        return (ids,)
    if isinstance(ids, (list, tuple)):
        return tuple(item for item in ids if isinstance(item, str))
    return ()


def _refuse(why: str, entity: str) -> GuardResult:
    return GuardResult(
        verdict=Verdict.DENY,
        reason=Reason(
            code=Code.CAPABILITY_DENIED, values={"why": why, "entity": entity}
        ),
    )
