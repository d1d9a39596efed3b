"""How a turn comes to wait for a person: kept first, then told."""

from collections.abc import Sequence
from dataclasses import replace

from ..flight import error_of
from ..policy.reason import Code, Reason
from ..turn import ToolOutcome
from .calls import Slot
from .chain import Course
from .checkpoint import Checkpoint, Keeper
from .result import Finish, TurnResult


async def park(course: Course, slots: Sequence[Slot], keeper: Keeper) -> TurnResult:
    """Keep the turn, and end it with the question. No text of a model after it."""
    progress = course.progress
    waiting = next(each for each in outcomes_of(slots) if each.parked is not None)
    kept = await keeper.keep(_checkpoint(course, slots, waiting))
    if not kept:
        lost = error_of(Reason(code=Code.AUDIT_UNAVAILABLE))
        for slot in slots:
            if slot.outcome is not None and slot.parked is not None:
                slot.outcome = replace(slot.outcome, parked=None, error=lost)
    progress.outcomes += outcomes_of(slots)
    return replace(
        progress.result(Finish.PARKED if kept else Finish.ABANDONED),
        text="",
        parked=waiting.parked if kept else None,
    )


def outcomes_of(slots: Sequence[Slot]) -> list[ToolOutcome]:
    """Return what has come of a round's calls so far."""
    return [slot.outcome for slot in slots if slot.outcome is not None]


def _checkpoint(
    course: Course, slots: Sequence[Slot], waiting: ToolOutcome
) -> Checkpoint:
    turn, progress = course.turn, course.progress
    return Checkpoint(
        decision_id=turn.decision_id,
        caller=turn.caller,
        language=turn.language,
        session=turn.session,
        tools=turn.tools,
        provider=progress.provider,
        brain=course.brain.key if course.brain is not None else "",
        model=progress.model,
        messages=tuple(course.messages),
        first=course.first,
        calls=tuple(slot.kept() for slot in slots),
        iteration=course.iteration,
        iterations=progress.iterations,
        usage=progress.usage,
        said=progress.text,
        taint=frozenset(turn.taint),
        carried=turn.carried,
        actions=turn.actions,
        planned=turn.planned,
        # What waits has not come of anything yet.
        seen={key: seen for key, seen in turn.seen.items() if not seen.parked},
        policy_rev=waiting.decision.policy.policy_rev if waiting.decision else "",
    )
