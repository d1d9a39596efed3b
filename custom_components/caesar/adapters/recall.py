"""Carries out the recall tools: a worker says which rows, the house says what is in them.

Nothing of an answer is shown if any of it is a lie: a row of somebody else's, one that
was never fed, one twice, more than asked for, a score that is none.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
import math
from typing import Final, Protocol

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..audit.event import AuditUnavailable
from ..legion.canonical import Json
from ..policy.call import GenericToolCall, ToolCall
from ..policy.decision import PolicyDecision
from ..policy.reason import Code
from ..tool import Carried, ExecutorError
from ..turn import Turn
from ..wording import Wording, async_wording
from .recall_feed import RecallFeed
from .recall_rows import Owners, Recalled, Source
from .worker_registry import Serving, WorkerRegistry

DEFAULT_EVENTS: Final = 10
DEFAULT_RESULTS: Final = 5


class Send(Protocol):
    """Sends the house's own message of a call to a worker that serves its tool."""

    async def __call__(
        self,
        call: GenericToolCall,
        decision: PolicyDecision,
        turn: Turn,
        message: str,
        given: Callable[[Serving], Mapping[str, Json]],
    ) -> Carried:
        """Return what it answered. Raises ExecutorError."""


class RecallExecutor:
    """Implements the gate's Executor for one recall tool."""

    def __init__(
        self,
        hass: HomeAssistant,
        send: Send,
        registry: WorkerRegistry,
        feed: RecallFeed,
        source: Source,
        owners: Owners,
    ) -> None:
        """Ask with `send`, read from `source`."""
        self._hass = hass
        self._send = send
        self._registry = registry
        self._feed = feed
        self._source = source
        self._owners = owners

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Carried:
        """Return what the asker may recall. Raises ExecutorError."""
        assert isinstance(call, GenericToolCall)
        spoken = call.tool == "semantic_recall"
        limit = call.input.get("limit", DEFAULT_RESULTS if spoken else DEFAULT_EVENTS)
        assert isinstance(limit, int)
        owners = self._owners.of(turn.caller)
        given: dict[str, Json] = {"owners": sorted(owners), "limit": limit}
        if spoken:
            given["query"] = call.input["query"]
        elif (kind := call.input.get("event_type")) is not None:
            given["kind"] = kind
        asked = run = ""

        def message(serving: Serving) -> Mapping[str, Json]:
            nonlocal asked, run
            asked = serving.address.public_key
            run, _ = self._feed.run_of(asked)
            return given | {"run": run or "-"}

        carried = await self._send(call, decision, turn, f"{call.tool}__find", message)
        answer = carried.data
        assert isinstance(answer, Mapping)
        # More may have been fed meanwhile, or all anew.
        now, last = self._feed.run_of(asked)
        fed = answer.get("fed") is True
        if not fed and now == run:
            self._feed.async_lost(asked)
        if not fed or now != run:
            raise ExecutorError(
                Code.NO_WORKER,
                "What was said is still being gathered. Ask again in a minute.",
                retryable=True,
                facts=carried.facts,
            )
        hits = _hits(answer.get("hits"), limit, last)
        rows = await self._rows(hits)
        if any(row.owner not in owners for row in rows.values()):
            hits = None
        if hits is None:
            self._deceived(call.tool, asked, turn)
            raise ExecutorError(
                Code.TOOL_ERROR,
                "The helper's answer can't be trusted; nothing of it is used.",
                facts=carried.facts,
            )
        found = [_shown(rows[id_], score, spoken) for id_, score in hits if id_ in rows]
        data: dict[str, Json] = {
            "results" if spoken else "events": found,
            "count": len(found),
        }
        if spoken:
            by = "meaning" if answer.get("found_by") == "meaning" else "words"
            data["found_by"] = by
        wording = await async_wording(self._hass, turn.language)
        data["say"] = _say(wording, found, by_words=data.get("found_by") == "words")
        return Carried(data=data, facts=carried.facts)

    async def _rows(
        self, hits: list[tuple[int, float]] | None
    ) -> Mapping[int, Recalled]:
        if not hits:
            return {}
        try:
            return await self._source.read([id_ for id_, _ in hits])
        except AuditUnavailable as err:
            raise ExecutorError(
                Code.AUDIT_UNAVAILABLE, "The memory can't be read.", retryable=True
            ) from err

    def _deceived(self, tool: str, public_key: str, turn: Turn) -> None:
        for serving in self._registry.well(tool):
            if serving.address.public_key == public_key:
                self._registry.async_deceived(serving.id, "recall", turn.decision_id)


def _hits(given: Json, limit: int, last: int) -> list[tuple[int, float]] | None:
    """Return ids and scores; None if they are not what an honest worker answers."""
    if not isinstance(given, list) or len(given) > limit:
        return None
    hits: list[tuple[int, float]] = []
    for each in given:
        match each:
            case [int(id_), int() | float() as score]:
                pass
            case _:
                return None
        if type(id_) is not int or not 0 < id_ <= last:
            return None
        if isinstance(score, bool) or not math.isfinite(score) or not 0 <= score <= 1:
            return None
        hits.append((id_, float(score)))
    return hits if len({id_ for id_, _ in hits}) == len(hits) else None


def _shown(row: Recalled, score: float, spoken: bool) -> dict[str, Json]:
    """Return a row as a brain reads it (SPEC K-12, K-13)."""
    if not spoken:
        return {"id": row.id, **row.shown}
    return {"memory_id": row.id, "distance": round(1 - score, 4), **row.shown}


def _say(wording: Wording, found: list[dict[str, Json]], *, by_words: bool) -> str:
    """Return the first one in words, for a brain that has none of its own.

    That it was looked for by words alone is said too: other words may find more.
    """
    how = "_by_words" if by_words else ""
    for each in found:
        payload = each.get("payload")
        if isinstance(payload, Mapping) and payload.get("question"):
            return wording.text(
                f"recall_found{how}",
                when=wording.moment(_local(str(each.get("ts", ""))), dt_util.now()),
                said=str(payload["question"]),
                reply=str(payload.get("reply")),
            )
    return wording.text(f"recall_nothing{how}")


def _local(ts: str) -> datetime:
    """Return a time of a row, in UTC, as the house's clocks showed it."""
    at = datetime.fromisoformat(ts)
    return dt_util.as_local(at if at.tzinfo else at.replace(tzinfo=UTC))
