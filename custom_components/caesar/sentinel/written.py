"""A question as JSON and back, so that what is kept is exactly what was asked."""

from collections.abc import Mapping
from typing import Any

from ..legion.canonical import Json
from ..policy.call import GenericToolCall, ServiceCall, Target, ToolCall, args_hash
from ..policy.caller import Caller, Origin
from ..policy.decision import ApprovalTerms, RuleRef
from ..policy.impact import Impact
from ..policy.reason import Code, Reason
from .approvals import PendingApproval, Standing, Via


class NotAQuestion(ValueError):
    """What was read is no question, or not the one that was written."""


def to_json(pending: PendingApproval) -> dict[str, Json]:
    """Return a question as JSON."""
    rule = pending.rule
    return {
        "id": pending.id,
        "decision_id": pending.decision_id,
        "request_id": pending.request_id,
        "call": call_to_json(pending.call),
        "args_hash": pending.args_hash,
        "digest": pending.digest,
        "impact": pending.impact.name,
        "entry": pending.entry,
        "entities": list(pending.entities),
        "inside": list(pending.inside),
        "approvers": list(pending.terms.approvers),
        "pin": pending.terms.pin,
        "rule": {"name": rule.name, "line": rule.line} if rule else None,
        "why": {"code": pending.why.code.value, "values": dict(pending.why.values)},
        "caller": pending.caller.as_json(),
        "session": pending.session,
        "language": pending.language,
        "created_at": pending.created_at,
        "expires_at": pending.expires_at,
        "standing": pending.standing.value,
        "decided_by": pending.decided_by,
        "via": pending.via.value if pending.via else None,
        "decided_at": pending.decided_at,
    }


def from_json(raw: Mapping[str, Any]) -> PendingApproval:
    """Return the question that was written; raises NotAQuestion.

    Its hash is computed anew from its call: no other call can stand under it.
    """
    try:
        pending = PendingApproval(
            id=raw["id"],
            decision_id=raw["decision_id"],
            request_id=raw["request_id"],
            call=call_from_json(raw["call"]),
            args_hash=raw["args_hash"],
            digest=raw["digest"],
            impact=Impact[raw["impact"]],
            entry=raw["entry"],
            entities=tuple(raw["entities"]),
            inside=tuple(raw["inside"]),
            terms=ApprovalTerms(approvers=tuple(raw["approvers"]), pin=raw["pin"]),
            rule=RuleRef(**raw["rule"]) if raw["rule"] else None,
            why=Reason(code=Code(raw["why"]["code"]), values=raw["why"]["values"]),
            caller=_caller(raw["caller"]),
            session=raw["session"],
            language=raw["language"],
            created_at=float(raw["created_at"]),
            expires_at=float(raw["expires_at"]),
            standing=Standing(raw["standing"]),
            decided_by=raw["decided_by"],
            via=Via(raw["via"]) if raw["via"] else None,
            decided_at=raw["decided_at"],
        )
    except (KeyError, TypeError, ValueError) as err:
        raise NotAQuestion(f"{type(err).__name__}: {err}") from err
    if args_hash(pending.call) != pending.args_hash:
        raise NotAQuestion("its call is not the one that was asked about")
    return pending


def call_to_json(call: ToolCall) -> dict[str, Json]:
    """Return a call as JSON."""
    if isinstance(call, GenericToolCall):
        return {"tool": call.tool, "input": dict(call.input), "reads": call.reads}
    return {
        "domain": call.domain,
        "service": call.service,
        "target": call.target.as_json(),
        "data": dict(call.data),
    }


def call_from_json(raw: Mapping[str, Any]) -> ToolCall:
    """Return the call that was written; raises KeyError and TypeError."""
    if "tool" in raw:
        # Rows from before there were workers don't say it.
        said = raw.get("reads")
        reads = said if isinstance(said, bool) else None
        return GenericToolCall(tool=raw["tool"], input=raw["input"], reads=reads)
    target = {key: tuple(ids) for key, ids in raw["target"].items()}
    return ServiceCall(
        domain=raw["domain"],
        service=raw["service"],
        target=Target(**target),
        data=raw["data"],
    )


def _caller(raw: Mapping[str, Any]) -> Caller:
    return Caller(**{**raw, "origin": Origin(raw["origin"])})
