"""What the rows of one dispatch hold (SPEC 7.1; ADR-0028 of the founding papers)."""

from dataclasses import replace
import hashlib

from .audit.event import AuditEvent, AuditEventType
from .legion.canonical import Json, canonical_json
from .policy.call import GenericToolCall, ServiceCall, ToolCall, arguments, tool_id
from .policy.decision import PolicyDecision
from .policy.impact import Impact, of_the_house
from .policy.reason import Reason
from .result_filter import Filtered
from .turn import ToolDecision, ToolOutcome, ToolRequest, Turn


def intent_event(
    call: ToolCall, decision: ToolDecision, turn: Turn, context_id: str
) -> AuditEvent:
    """Return the row that is written before an effect."""
    return _event(
        AuditEventType.TOOL_INTENDED,
        call,
        decision,
        turn,
        {"context_id": context_id},
        durable=decision.policy.impact is not Impact.READ,
    )


def outcome_event(
    call: ToolCall,
    decision: ToolDecision,
    turn: Turn,
    outcome: ToolOutcome,
    size: int,
    seconds: float,
) -> AuditEvent:
    """Return the row that says what came of an intent.

    The result itself isn't kept: only its size in bytes and its SHA-256.
    """
    result: dict[str, Json] = {"ok": outcome.error is None}
    if outcome.error is not None:
        result["error"] = outcome.error.code.value
        result["message"] = outcome.error.message
    return _event(
        AuditEventType.SERVICE_CALLED
        if isinstance(call, ServiceCall)
        else AuditEventType.TOOL_CALLED,
        call,
        decision,
        turn,
        {
            "outcome": result,
            "bytes": size,
            "sha256": hashlib.sha256(canonical_json(outcome.data).encode()).hexdigest(),
            "truncated": outcome.truncated,
            "duration_ms": round(seconds * 1000),
            **outcome.facts,
        },
    )


def denied_event(
    call: ToolCall, decision: ToolDecision, turn: Turn, outcome: ToolOutcome
) -> AuditEvent:
    """Return the row of a refusal."""
    return _event(
        AuditEventType.POLICY_DENIED
        if isinstance(call, ServiceCall)
        else AuditEventType.TOOL_DENIED,
        call,
        decision,
        turn,
        {
            "outcome": {
                "ok": False,
                "error": outcome.error.code.value if outcome.error else None,
            }
        },
    )


def repeated_event(call: ToolCall, outcome: ToolOutcome, turn: Turn) -> AuditEvent:
    """Return the row of a read that has its first result again; `repeats` is its row."""
    decision = outcome.decision
    assert decision is not None  # only a call that was judged can be a read
    event = outcome_event(call, decision, turn, outcome, 0, 0)
    return replace(event, payload={**event.payload, "repeats": outcome.seq})


def filtered_event(
    call: ToolCall, decision: ToolDecision, turn: Turn, filtered: Filtered
) -> AuditEvent:
    """Return the row which says what a rule kept from a result."""
    return _event(
        AuditEventType.TOOL_RESULT_FILTERED,
        call,
        decision,
        turn,
        {"dropped": filtered.dropped, "hosts": list(filtered.hosts)},
    )


def invalid_event(
    request: ToolRequest, reason: Reason, turn: Turn, policy_rev: str
) -> AuditEvent:
    """Return the row of a request that never became a call."""
    return AuditEvent(
        type=AuditEventType.TOOL_INVALID,
        decision_id=turn.decision_id,
        caller=turn.caller,
        policy_rev=policy_rev,
        payload={
            "tool": request.name[:64],
            "connector": "home",
            "action": request.name[:64],
            "input": dict(request.arguments)
            if request.arguments is not None
            else {"raw": request.raw},
            "decision": {
                "allowed": False,
                "verdict": "deny",
                "code": reason.code.value,
                "values": dict(reason.values),
                "rule": None,
            },
            "outcome": {"ok": False, "error": reason.code.value},
            "taint": sorted(turn.taint),
        },
    )


def _event(
    type_: AuditEventType,
    call: ToolCall,
    decision: ToolDecision,
    turn: Turn,
    more: dict[str, Json],
    *,
    durable: bool = False,
) -> AuditEvent:
    return AuditEvent(
        type=type_,
        decision_id=turn.decision_id,
        caller=turn.caller,
        policy_rev=decision.policy.policy_rev,
        payload={
            "tool": tool_id(call),
            "input": arguments(call),
            "decision": decision.as_json(),
            **_where(call, decision.policy),
            "taint": sorted(turn.taint),
            **more,
        },
        durable=durable,
    )


def _where(call: ToolCall, decision: PolicyDecision) -> dict[str, Json]:
    """Return connector and action, and for a service what it names and touches."""
    if isinstance(call, GenericToolCall):
        return {
            "connector": "home" if of_the_house(call.tool) else "legion",
            "action": call.tool,
        }
    return {
        "connector": call.domain,
        "action": call.service,
        "domain": call.domain,
        "service": call.service,
        "target": call.target.as_json(),
        "data": dict(call.data),
        "pinned": list(decision.pinned),
        "touched": list(decision.touched),
        "named_in_data": list(decision.named_in_data),
        "left_out": decision.left_out,
    }
