"""Who may answer a question, as pure rules (DESIGN 7).

Nothing here knows a text: only who answers, by which way, and what was asked.
"""

from collections.abc import Collection
from typing import Final

from ..policy.call import ServiceCall, ToolCall, tool_id
from ..policy.caller import Caller, Origin
from ..policy.decision import PolicyDecision
from ..policy.home import HomeView
from ..policy.impact import ENTRY_CLASSES, Impact
from .approvals import Answerer, PendingApproval, Via

# How long after the question was said a bare spoken yes still belongs to it, seconds.
VOICE_ANSWER_S: Final = 25.0

_SPOKEN: Final = frozenset({Via.CHAT, Via.VOICE})
_ENTRY_DOMAINS: Final = frozenset({"alarm_control_panel", "lock", "valve"})


def may_approve(
    pending: PendingApproval,
    answerer: Answerer,
    *,
    own_users: Collection[str],
    said_ago: float | None,
) -> bool:
    """Return whether this yes would count.

    `own_users` are CAESAR's own, which never count. `said_ago` are the seconds since
    the question was last said in its conversation; None if it wasn't in this run.
    """
    if answerer.user_id in own_users:
        return False
    if answerer.via in _SPOKEN and answerer.session != pending.session:
        return False
    if answerer.user_id is not None:
        return is_approver(pending, answerer.user_id, is_admin=answerer.is_admin)
    if answerer.via is not Via.VOICE or pending.caller.origin is not Origin.VOICE:
        return False
    if pending.terms.pin is not None:
        # A rule that wants its PIN is never met by a bare yes.
        return answerer.pin == pending.terms.pin
    return (
        takes_bare_yes(pending) and said_ago is not None and said_ago <= VOICE_ANSWER_S
    )


def may_refuse(
    pending: PendingApproval, answerer: Answerer, *, own_users: Collection[str]
) -> bool:
    """Return whether this no counts: an approver's, or of the session that asked."""
    if answerer.user_id in own_users:
        return False
    if answerer.via in _SPOKEN:
        return answerer.session == pending.session
    return answerer.user_id is not None and (
        answerer.user_id == pending.caller.user_id
        or is_approver(pending, answerer.user_id, is_admin=answerer.is_admin)
    )


def may_allow_once(answerer: Answerer, *, own_users: Collection[str]) -> bool:
    """Return whether they may let a refused call through once: an admin, by hand."""
    return (
        answerer.is_admin
        and answerer.user_id is not None
        and answerer.user_id not in own_users
        and answerer.via not in _SPOKEN
    )


def is_approver(pending: PendingApproval, user_id: str, *, is_admin: bool) -> bool:
    """Return whether a user is among those whom the rule names, else an admin."""
    if pending.terms.approvers:
        return user_id in pending.terms.approvers
    return is_admin


def takes_bare_yes(pending: PendingApproval) -> bool:
    """Return whether a yes that nobody vouches for may count at all.

    Never where the rule says who answers, nor for what opens the house.
    """
    return (
        pending.impact is Impact.REVERSIBLE
        and not pending.entry
        and not pending.terms.approvers
        and pending.terms.pin is None
    )


def asker_may_answer(pending: PendingApproval, *, own_users: Collection[str]) -> bool:
    """Return whether the conversation that asked can answer its own question."""
    caller = pending.caller
    if caller.origin is Origin.CHAT:
        return (
            caller.user_id is not None
            and caller.user_id not in own_users
            and is_approver(pending, caller.user_id, is_admin=caller.is_admin)
        )
    if caller.origin is Origin.VOICE and caller.user_id is None:
        return pending.terms.pin is not None or takes_bare_yes(pending)
    return False


def asker_of(caller: Caller) -> str:
    """Return whose limits count: the same in all conversations, and with all agents.

    Anybody may open a new conversation, and name it as they like.
    """
    if caller.user_id is not None:
        return f"user|{caller.user_id}"
    if caller.origin is Origin.VOICE:
        return f"satellite|{caller.satellite_id}"
    return f"{caller.origin}|{caller.agent_id}"


def same_asker(one: Caller, other: Caller) -> bool:
    """Return whether two turns are of the same user, satellite or automation."""
    return (one.origin, one.user_id, one.satellite_id, one.agent_id) == (
        other.origin,
        other.user_id,
        other.satellite_id,
        other.agent_id,
    )


def is_entry(call: ToolCall, decision: PolicyDecision, home: HomeView) -> bool:
    """Return whether a call reaches a lock, an alarm, or a door, gate or garage.

    What is not known counts as one.
    """
    if tool_id(call).partition(".")[0] in _ENTRY_DOMAINS:
        return True
    reached = {*decision.pinned, *decision.touched, *decision.named_in_data}
    if not reached:
        return isinstance(call, ServiceCall) and bool(call.target)
    return any(opens(entity_id, home) for entity_id in reached)


def opens(entity_id: str, home: HomeView) -> bool:
    """Return whether this is a lock, an alarm, a door, gate or garage, or unknown."""
    facts = home.entity(entity_id)
    return (
        facts is None
        or facts.domain in _ENTRY_DOMAINS
        or (facts.domain == "cover" and facts.device_class in ENTRY_CLASSES)
    )
