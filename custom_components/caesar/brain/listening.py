"""Whether a person may answer at once: a flag that a brain sets, never a sign in a text.

A model sets it by a mark at the very end of its answer; a question mark does nothing.
Pure.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
import re
from typing import Final

from ..legion.canonical import Json
from ..turn import Taint, ToolOutcome, Turn

# Nobody types this by chance. Models write it in letters of either size.
MARK: Final = "[[caesar:listen]]"
_MARK: Final = re.compile(re.escape(MARK), re.IGNORECASE | re.ASCII)
# What has come so far of a mark that was cut off is no text.
_HALF: Final = "[[c"
MAX_IN_A_ROW: Final = 3
_MAX_SESSIONS: Final = 256


class MarkCutter:
    """Takes the marks out of a streamed text; the cuts between pieces change nothing.

    One within the text is cut as well, and becomes the blank it stood for: what is
    left of two that stand in each other must not be a third.
    """

    def __init__(self) -> None:
        """Start with nothing held back."""
        self._held = ""
        self._after: str | None = None

    @property
    def at_end(self) -> bool:
        """Return whether a whole mark is the last that came, but for blanks."""
        return self._after is not None and not self._held

    def feed(self, text: str) -> str:
        """Return what is text for certain."""
        self._held += text
        said = []
        while (mark := _MARK.search(self._held)) is not None:
            said.append(self._text(self._held[: mark.start()]))
            self._held = self._held[mark.end() :]
            self._after = self._after or ""
        keep = _begun(self._held)
        said.append(self._text(self._held[: len(self._held) - keep]))
        self._held = self._held[len(self._held) - keep :]
        return "".join(said)

    def rest(self) -> str:
        """Return what was held back, at the end of the answer."""
        held, self._held = self._held, ""
        return "" if held.lower().startswith(_HALF) else self._text(held)

    def _text(self, text: str) -> str:
        if self._after is None or not text:
            return text
        blanks = self._after + text[: len(text) - len(text.lstrip())]
        if not (words := text.lstrip()):
            self._after = blanks
            return ""
        self._after = None
        return (blanks or " ") + words


class Listening:
    """Grants the flag, some times in a row for each conversation."""

    def __init__(self) -> None:
        """Start with conversations that nobody has prolonged."""
        self._rows: OrderedDict[str, int] = OrderedDict()

    def goes_on(
        self, turn: Turn, outcomes: Iterable[ToolOutcome], *, wanted: bool
    ) -> bool:
        """Return whether a person is listened to again after this turn.

        Not if a stranger's text may have set the flag: one that a model has read, or
        one that holds the mark itself. After some times in a row without a tool call
        a microphone closes.
        """
        outcomes = tuple(outcomes)
        if not wanted or Taint.UNTRUSTED in turn.taint:
            self._rows.pop(turn.session, None)
            return False
        called = any(outcome.executed for outcome in outcomes)
        before = 0 if called else self._rows.pop(turn.session, 0)
        if before >= MAX_IN_A_ROW or any(_holds_mark(o.data) for o in outcomes):
            return False
        self._rows[turn.session] = before + 1
        self._rows.move_to_end(turn.session)
        while len(self._rows) > _MAX_SESSIONS:
            self._rows.popitem(last=False)
        return True


def _begun(text: str) -> int:
    """Return how many of the last letters may be the beginning of a mark."""
    for size in range(min(len(text), len(MARK) - 1), 0, -1):
        if MARK.startswith(text[-size:].lower()):
            return size
    return 0


def _holds_mark(data: Json) -> bool:
    """Return whether a mark is in any text of a result, however deep."""
    left: list[object] = [data]
    while left:
        match left.pop():
            case str(text):
                if _MARK.search(text):
                    return True
            case list() | tuple() as items:
                left += items
            case Mapping() as fields:
                left += [*fields.keys(), *fields.values()]
    return False
