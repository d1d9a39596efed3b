"""A draft policy, run over what was asked for in the last days (`caesar.simulate`)."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..audit.dispatches import Dispatch, dispatches
from ..legion.canonical import canonical_json
from ..policy.decision import Policy
from ..policy.home import HomeView
from ..policy.replay import Judgement, call_of, caller_of, judge
from .audit_log import HouseAuditLog

MAX_ROWS: Final = 20_000
# Judging is work on the event loop: a few calls, then others get their turn.
_AT_A_TIME: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A call of the past that a draft would decide differently.

    `was` is the verdict on record, `before` what the policy in force would say today,
    `after` what the draft would; `depends` if a condition would decide.
    """

    seq: int
    created_at: str
    decision_id: str
    tool: str
    entities: tuple[str, ...]
    origin: str
    user_id: str | None
    was: str
    before: str
    after: str
    code: str
    rule: str | None
    line: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """What a draft would have decided: how much was looked at, and what differs.

    `changed` are calls that draft and policy in force decide differently, `differs`
    counts those that the draft decides differently than it was decided then,
    `unknown` those that can't be judged again (secrets starred out, rows cut short).
    `complete` is false if there were more calls than `MAX_ROWS`.
    """

    days: int
    rows: int
    changed: tuple[Change, ...]
    differs: int
    unknown: int
    complete: bool


class Simulator:
    """Judges the calls of the trail again."""

    def __init__(
        self,
        hass: HomeAssistant,
        audit: HouseAuditLog,
        policy: Callable[[], Policy],
        home: HomeView,
    ) -> None:
        """Read the calls of this trail; `policy` returns the one in force."""
        self._hass = hass
        self._audit = audit
        self._policy = policy
        self._home = home

    async def async_run(self, draft: Policy, days: int) -> Simulation:
        """Return what `draft` would decide of the last `days`. Raises sqlite3.Error."""
        since = dt_util.utcnow() - timedelta(days=days)
        rows = await self._hass.async_add_executor_job(
            dispatches, self._audit.path, since.strftime("%Y-%m-%d %H:%M:%S"), MAX_ROWS
        )
        in_force = self._policy()
        known: dict[str, tuple[Judgement, Judgement] | None] = {}
        changed: list[Change] = []
        differs = unknown = 0
        for row in rows:
            key = canonical_json(
                [row.tool, dict(row.arguments), {**row.caller, "context_id": ""}]
            )
            if key not in known:
                known[key] = self._judge(in_force, draft, row)
                if len(known) % _AT_A_TIME == 0:
                    await asyncio.sleep(0)
            if (judged := known[key]) is None:
                unknown += 1
                continue
            before, after = judged
            was = str(row.decision.get("policy_verdict", ""))
            differs += was != after.word
            if before.word != after.word:
                changed.append(_change(row, was, before, after))
        return Simulation(
            days=days,
            rows=len(rows),
            changed=tuple(changed),
            differs=differs,
            unknown=unknown,
            complete=len(rows) < MAX_ROWS,
        )

    def _judge(
        self, in_force: Policy, draft: Policy, row: Dispatch
    ) -> tuple[Judgement, Judgement] | None:
        call = call_of(row.tool, row.arguments, impact=row.decision.get("impact"))
        caller = caller_of(row.caller)
        if call is None or caller is None:
            return None
        return (
            judge(in_force, call, caller, self._home),
            judge(draft, call, caller, self._home),
        )


def _change(row: Dispatch, was: str, before: Judgement, after: Judgement) -> Change:
    return Change(
        seq=row.seq,
        created_at=row.created_at,
        decision_id=row.decision_id,
        tool=row.tool,
        entities=row.entities,
        origin=str(row.caller.get("origin", "")),
        user_id=row.caller.get("user_id"),
        was=was,
        before=before.word,
        after=after.word,
        code=after.reason.code.value,
        rule=after.rule,
        line=after.line,
    )
