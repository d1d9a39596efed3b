"""How a turn ends: its report in words, and its summary in the trail."""

from collections.abc import Awaitable
import logging

from ..audit.event import AuditEvent, AuditEventType, AuditUnavailable
from ..brain.honesty import nothing_changed
from ..brain.loop import TurnResult
from ..brain.reply import show
from ..brain.speech import spoken
from ..result import plain
from ..turn import Turn
from ..wording import async_wording
from .agent_house import House
from .report import TurnReport, call_json
from .words import BROKEN, BUILTIN

_LOGGER = logging.getLogger(__name__)


async def async_report(
    house: House, turn: Turn, asked: str, result: TurnResult
) -> TurnReport:
    """Return how a turn ended that began with `asked`, in words."""
    text = str(plain(result.text))
    question, words = None, ""
    if result.parked is not None:
        question = await house.asking.question(result.parked)
    if question is not None:
        text = question.text
    elif not text or result.finish in BROKEN:
        words = await house.words.for_result(turn, asked, result)
    elif result.provider != BUILTIN and nothing_changed(result.outcomes):
        # A model may have claimed anything; the built-in brain speaks from facts.
        wording = await async_wording(house.hass, turn.language)
        words = wording.text("turn_unchanged")
    text = f"{text}\n\n{words}".strip()
    goes_on = house.listening.goes_on(turn, result.outcomes, wanted=result.again)
    return TurnReport(
        decision_id=turn.decision_id,
        conversation_id=turn.caller.conversation_id or "",
        shown=show(text),
        spoken=spoken(text),
        calls=tuple(call_json(outcome) for outcome in result.outcomes),
        finish=result.finish,
        outcomes=result.outcomes,
        parked=result.parked,
        expires_at=question.expires_at if question else None,
        again=goes_on if question is None else question.again,
        closing=show(words),
    )


async def async_record(
    house: House,
    turn: Turn,
    result: TurnResult,
    seconds: float,
    keeping: Awaitable[int | None] | None = None,
) -> None:
    """Keep what is remembered of a turn, and write its summary: counts, never words.

    `keeping` is what keeps it, and returns the row's id; None for a turn that isn't
    remembered.
    """
    memory_id = await keeping if keeping is not None else None
    event = AuditEvent(
        type=AuditEventType.CHAT_COMPLETED,
        decision_id=turn.decision_id,
        caller=turn.caller,
        policy_rev=house.policy().revision,
        payload={
            "provider": result.provider,
            "model": result.model,
            "input_tokens": result.usage.input_tokens,
            "output_tokens": result.usage.output_tokens,
            "cache_read_tokens": result.usage.cache_read_tokens,
            "cache_write_tokens": result.usage.cache_write_tokens,
            "iterations": result.iterations,
            "tools": [outcome.tool for outcome in result.outcomes],
            "duration_ms": round(seconds * 1000),
            "finish": result.finish.value,
            "memory_id": memory_id,
            "error": result.error.value if result.error else None,
            "fallbacks": [
                {
                    "provider": each.provider,
                    "model": each.model,
                    "error": each.kind.value,
                    "rested": each.rested,
                }
                for each in result.fallbacks
            ],
        },
    )
    try:
        await house.audit.record(event)
    except AuditUnavailable:
        _LOGGER.warning("The summary of a turn could not be written to the trail")
