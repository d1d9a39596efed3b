"""What was refused lately, and what an admin may make of it.

Only opened by an admin, never pushed to anybody: a hostile model chooses what is
refused. What may be made of a refusal is judged by the policy of this moment.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..audit.dispatches import Dispatch, dispatch, dispatches
from ..legion.canonical import Json, canonical_json
from ..policy.call import ServiceCall, ToolCall, args_hash
from ..policy.caller import Caller
from ..policy.decision import ApprovalTerms, PolicyDecision, Verdict
from ..policy.directory import Directory
from ..policy.engine import LoadedPolicy
from ..policy.home import NoConditions
from ..policy.narrow import (
    Grant,
    NoRule,
    NoRuleError,
    add_rule,
    can_grow,
    grants_of,
    narrow,
    why_no_rule,
)
from ..policy.replay import call_of, caller_of
from ..sentinel.allowances import can_be_allowed
from ..sentinel.answering import is_entry
from ..sentinel.approvals import Answerer, PendingApproval
from ..sentinel.desk import ApprovalDesk
from ..sentinel.desk_parts import Answer
from .audit_log import HouseAuditLog
from .home import HomeAssistantHome
from .policy_file import PolicyFile

DAYS: Final = 7
MAX_LISTED: Final = 50
_MAX_ROWS: Final = 2000
_CUT: Final = "[cut]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A call that the policy refused; `count` times, last at `when`.

    `decision` is what the policy in force says of it now. `entry` is what opens the
    house, `grows` what could be made to do so. `grants` are the rules that may be made
    of it, `why_not` says why there is none. `once` tells whether it may be let through
    once.
    """

    seq: int
    when: datetime
    count: int
    call: ToolCall
    caller: Caller
    decision: PolicyDecision
    entry: bool
    grows: bool
    grants: tuple[Grant, ...]
    why_not: NoRule | None
    once: bool

    def as_question(self) -> PendingApproval:
        """Return the call as the words for questions are made of; nobody is asked."""
        decision = self.decision
        return PendingApproval(
            id="",
            decision_id="",
            request_id="",
            call=self.call,
            args_hash=args_hash(self.call),
            digest="",
            impact=decision.impact,
            entry=self.entry,
            entities=decision.pinned or _named(self.call),
            terms=ApprovalTerms(),
            rule=None,
            why=decision.reason,
            caller=self.caller,
            session="",
            language="",
            created_at=0.0,
            expires_at=0.0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDraft:
    """A text of the policy with a rule for a refusal.

    `revision` is of the text it was made from. `verdict` is what the draft says of the
    refused call; `any_data` that the call had no values, so that the rule allows any.
    """

    text: str
    before: str
    revision: str
    verdict: Verdict
    any_data: bool


async def async_refusals(hass: HomeAssistant, audit: HouseAuditLog) -> list[Dispatch]:
    """Return the rows of the last week's refusals, newest first; not too many.

    Raises sqlite3.Error.
    """
    since = (dt_util.utcnow() - timedelta(days=DAYS)).strftime("%Y-%m-%d %H:%M:%S")
    return await hass.async_add_executor_job(
        lambda: dispatches(audit.path, since, _MAX_ROWS, refused=True)
    )


class RefusedCalls:
    """Reads the refusals of the trail, and turns one into a rule or an allowance."""

    def __init__(
        self,
        hass: HomeAssistant,
        audit: HouseAuditLog,
        policy_file: PolicyFile,
        home: HomeAssistantHome,
        desk: ApprovalDesk,
    ) -> None:
        """Stand on the parts of a house that is loaded."""
        self._hass = hass
        self._audit = audit
        self._policy_file = policy_file
        self._home = home
        self._desk = desk

    async def async_recent(self) -> tuple[Refused, ...]:
        """Return the last week's refusals, newest first, each call once.

        Raises sqlite3.Error.
        """
        rows = await async_refusals(self._hass, self._audit)
        found: dict[str, Refused | None] = {}
        for row in rows:
            key = canonical_json([row.tool, dict(row.arguments), _asker(row)])
            if key not in found:
                if len(found) == MAX_LISTED:
                    break
                found[key] = self._refused(row)
                # Each is judged anew, which is work on the loop.
                await asyncio.sleep(0)
            elif (known := found[key]) is not None:
                found[key] = replace(known, count=known.count + 1)
        return tuple(filter(None, found.values()))

    async def async_find(self, seq: int) -> Refused | None:
        """Return one refusal by its row, as it is listed; None if it is no call.

        It may have been refused again since it was shown: then a newer row is listed.
        Raises sqlite3.Error.
        """
        for each in await self.async_recent():
            if each.seq == seq:
                return each
        row = await self._hass.async_add_executor_job(dispatch, self._audit.path, seq)
        return self._refused(row) if row else None

    async def async_draft(
        self, refused: Refused, grant: Grant, directory: Directory
    ) -> RuleDraft:
        """Return the policy with the narrowest rule for a refusal.

        Raises NoRuleError, UneditableText, PolicyError, UnreadablePolicyFile.
        """
        source = await self._policy_file.async_text()
        policy = await self._policy_file.async_check(source.text)
        decision = self._judged(policy, refused)
        rule = narrow(
            refused.call,
            refused.caller,
            decision,
            grant,
            directory,
            guarded=is_entry(refused.call, decision, self._home)
            or can_grow(refused.call, decision, self._home),
        )
        note = f"From a refusal of {refused.when.strftime('%Y-%m-%d')}"
        text = await self._hass.async_add_executor_job(
            lambda: add_rule(source.text, policy, rule, note).text
        )
        after = self._judged(await self._policy_file.async_check(text), refused)
        if after.verdict is Verdict.DENY:
            # Something else refuses it too; a rule that does nothing is none.
            raise NoRuleError(NoRule.NOT_ENOUGH)
        return RuleDraft(
            text=text,
            before=source.text,
            revision=source.revision,
            verdict=after.verdict,
            any_data=rule.any_data,
        )

    async def async_allow_once(self, refused: Refused, by: Answerer) -> Answer:
        """Let exactly this call of this asker through once in the next minutes."""
        return await self._desk.allow_once(refused.call, refused.caller, by)

    def _judged(self, policy: LoadedPolicy, refused: Refused) -> PolicyDecision:
        return policy.evaluate(refused.call, refused.caller, self._home, NoConditions())

    def _refused(self, row: Dispatch) -> Refused | None:
        """Return a row's refusal; None if it wasn't the policy's, or is not all there."""
        if row.decision.get("policy_verdict") != Verdict.DENY.value:
            return None
        call = call_of(row.tool, row.arguments, impact=row.decision.get("impact"))
        caller = caller_of(row.caller)
        if call is None or caller is None or _CUT in canonical_json(row.arguments):
            return None
        decision = self._policy_file.policy.evaluate(
            call, caller, self._home, self._policy_file.conditions
        )
        entry = is_entry(call, decision, self._home)
        grows = can_grow(call, decision, self._home)
        when = dt_util.parse_datetime(row.created_at.replace(" ", "T") + "+00:00")
        return Refused(
            seq=row.seq,
            when=dt_util.as_local(when) if when else dt_util.now(),
            count=1,
            call=call,
            caller=caller,
            decision=decision,
            entry=entry,
            grows=grows,
            grants=grants_of(decision, guarded=entry or grows),
            why_not=why_no_rule(decision),
            once=can_be_allowed(call, decision),
        )


def _asker(row: Dispatch) -> dict[str, Json]:
    """Return who asked, whichever conversation it was in."""
    return {
        key: value
        for key, value in row.caller.items()
        if key not in ("context_id", "conversation_id")
    }


def _named(call: ToolCall) -> tuple[str, ...]:
    return call.target.entity_id if isinstance(call, ServiceCall) else ()
