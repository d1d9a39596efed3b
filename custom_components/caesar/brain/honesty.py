"""What a model's words must not hide: that nothing came of what it tried. Pure."""

from collections.abc import Iterable
from typing import Final

from ..policy.impact import HOUSE_TOOLS, INTENT_PREFIX
from ..policy.reason import Code
from ..repeats import is_read
from ..turn import ToolOutcome

# Of these nobody knows whether it happened, or still will.
_OPEN: Final = frozenset(
    {
        Code.ALREADY_DECIDED,
        Code.CANCELLED,
        Code.INTERRUPTED,
        Code.STILL_RUNNING,
        Code.TIMEOUT,
    }
)


def nothing_changed(outcomes: Iterable[ToolOutcome]) -> bool:
    """Return whether a turn tried to change something in the house and never did.

    False where nothing was tried: a turn that only reads is no failure. False as well
    where a single call may have happened.
    """
    tried = [outcome for outcome in outcomes if _is_change(outcome)]
    return bool(tried) and all(
        outcome.error is not None
        and not outcome.executed
        and outcome.parked is None
        and outcome.error.code not in _OPEN
        for outcome in tried
    )


def _is_change(outcome: ToolOutcome) -> bool:
    """Return whether a call was one on the house, and no read.

    What was never a call (no such tool, arguments that can't be read) is none. Of a
    worker's tool nobody knows what it would have changed.
    """
    if outcome.executed and not is_read(outcome):
        return True
    if outcome.decision is None or is_read(outcome):
        return False
    tool = outcome.tool
    return "." in tool or tool in HOUSE_TOOLS or tool.startswith(INTENT_PREFIX)
