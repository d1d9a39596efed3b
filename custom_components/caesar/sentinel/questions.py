"""How a call becomes a question, and how many questions are too many. Pure."""

from collections.abc import Collection, Iterable
from typing import Final

from ..policy.call import args_hash, tool_id
from ..policy.caller import Origin
from ..policy.decision import ApprovalTerms, Verdict, decision_digest
from ..policy.home import HomeView
from ..policy.reason import Code, Reason
from ..turn import ApprovalResult, ApprovalState, Turn
from .answering import asker_may_answer, asker_of, is_entry, opens, same_asker
from .approvals import PendingApproval, Standing
from .guard import ApprovalRequest

PER_HOUR: Final = 6
PER_HOUR_ALONE: Final = 20
WAITING_AT_ONCE: Final = 3
WAITING_ALONE: Final = 10
WAITING_IN_ALL: Final = 20
MIN_TTL_S: Final = 30.0
MAX_TTL_S: Final = 86_400.0
_HOUR_S: Final = 3600.0
_NO: Final = frozenset({Standing.DENIED, Standing.EXPIRED})


def draft(
    asked: ApprovalRequest, home: HomeView, *, new_id: str, now: float, ttl_s: float
) -> PendingApproval:
    """Return the question that a call is: all of it facts, none of it a model's prose.

    `now` is in seconds since 1970, `ttl_s` how long it waits for an answer.
    """
    decision, turn, guard = asked.decision, asked.turn, asked.guard
    why = decision.reason
    if decision.verdict is Verdict.ALLOW and guard is not None:
        why = guard.reason
    entities = _first_what_opens(decision.pinned or decision.named_in_data, home)
    return PendingApproval(
        id=new_id,
        decision_id=turn.decision_id,
        request_id=asked.request.id,
        call=asked.call,
        args_hash=args_hash(asked.call),
        digest=decision_digest(decision),
        impact=decision.impact,
        entry=is_entry(asked.call, decision, home),
        entities=entities,
        inside=_first_what_opens(set(decision.touched).difference(entities), home),
        terms=decision.approval or ApprovalTerms(),
        rule=decision.rule,
        why=why,
        caller=turn.caller,
        session=turn.session or turn.decision_id,
        language=turn.language,
        created_at=now,
        expires_at=now + min(max(ttl_s, MIN_TTL_S), MAX_TTL_S),
    )


def _first_what_opens(ids: Iterable[str], home: HomeView) -> tuple[str, ...]:
    """Return ids in an order in which a long text loses none that matters."""
    return tuple(sorted(ids, key=lambda each: (not opens(each, home), each)))


def is_same(one: PendingApproval, other: PendingApproval) -> bool:
    """Return whether a yes to one question is, word for word, a yes to the other."""
    return (
        one.session == other.session
        and one.args_hash == other.args_hash
        and one.digest == other.digest
        and one.terms == other.terms
        and same_asker(one.caller, other.caller)
    )


def no_in_turn(
    known: Iterable[PendingApproval], turn: Turn, tool: str
) -> PendingApproval | None:
    """Return the no that this turn has already had for this tool."""
    return next(
        (
            pending
            for pending in known
            if pending.decision_id == turn.decision_id
            and pending.standing in _NO
            and tool_id(pending.call) == tool
        ),
        None,
    )


def too_many(known: Iterable[PendingApproval], new: PendingApproval) -> bool:
    """Return whether people have been asked enough.

    By one conversation, by one asker in all of theirs, or by all. Who answers their own
    questions disturbs nobody else, and may have more of them in all.
    """
    known = tuple(known)
    waiting = [pending for pending in known if pending.standing is Standing.WAITING]
    asker = asker_of(new.caller)
    mine = [pending for pending in known if asker_of(pending.caller) == asker]
    same = [pending for pending in mine if pending.session == new.session]
    alone = new.caller.origin is Origin.CHAT and asker_may_answer(new, own_users=())
    return (
        len(waiting) >= WAITING_IN_ALL
        or _enough(same, new, WAITING_AT_ONCE, PER_HOUR)
        or (
            _enough(mine, new, WAITING_ALONE, PER_HOUR_ALONE)
            if alone
            else _enough(mine, new, WAITING_AT_ONCE, PER_HOUR)
        )
    )


def _enough(
    asked: Collection[PendingApproval], new: PendingApproval, at_once: int, hourly: int
) -> bool:
    waiting = sum(pending.standing is Standing.WAITING for pending in asked)
    lately = sum(new.created_at - pending.created_at < _HOUR_S for pending in asked)
    return waiting >= at_once or lately >= hourly


def result_of(pending: PendingApproval) -> ApprovalResult:
    """Return how a question stands, as the gate hears it."""
    state, code = {
        Standing.WAITING: (ApprovalState.PARKED, Code.APPROVAL_NEEDED),
        Standing.APPROVED: (ApprovalState.APPROVED, Code.ALLOWED),
        Standing.DENIED: (ApprovalState.DENIED, Code.APPROVAL_DENIED),
        Standing.EXPIRED: (ApprovalState.EXPIRED, Code.APPROVAL_EXPIRED),
    }.get(pending.standing, (ApprovalState.DENIED, Code.ALREADY_DECIDED))
    return ApprovalResult(
        state=state,
        reason=Reason(code=code, values={"tool": tool_id(pending.call)}),
        decided_by=pending.decided_by,
        via=pending.via.value if pending.via else None,
        approval_id=pending.id,
    )


def refused(code: Code, tool: str) -> ApprovalResult:
    """Return a no that no person gave."""
    nobody = code is Code.NO_APPROVER
    state = ApprovalState.NO_APPROVER if nobody else ApprovalState.DENIED
    return ApprovalResult(state=state, reason=Reason(code=code, values={"tool": tool}))
