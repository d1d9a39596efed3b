"""Letting one refused call through, by an admin's hand."""

from ..policy.call import ToolCall, tool_id
from ..policy.caller import Caller
from ..policy.reason import Code
from .answering import may_allow_once
from .approvals import Answerer
from .desk_parts import Answer, DeskEvent, DeskParts


async def allow_once(
    parts: DeskParts, call: ToolCall, caller: Caller, by: Answerer
) -> Answer:
    """Let exactly this call of this asker through once, and note it in the trail."""
    code = Code.ALLOWED
    if not may_allow_once(by, own_users=parts.own_users()):
        code = Code.CALLER_NOT_COVERED
    elif not parts.allowances.add(call, caller):
        code = Code.RATE_LIMITED
    ok = code is Code.ALLOWED
    await parts.trail.note(
        DeskEvent.DECIDED if ok else DeskEvent.REJECTED,
        None,
        {
            "verdict": "allowed_once" if ok else "refused",
            "why": code.value,
            "tool": tool_id(call),
            "for": caller.as_json(),
            "decided_by": by.user_id,
            "via": by.via.value,
        },
    )
    return Answer(ok=ok, code=code)
