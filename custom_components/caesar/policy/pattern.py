"""Regular expressions whose cost can't explode.

A pattern is run as a set of states over the text, so a match costs at most (length
of the text) x (number of states), whatever the pattern. What needs memory of the
past (backreferences, lookaround) does not exist here and is refused when the policy
is loaded; the rest means what it means in Python's `re.fullmatch`.
Source: K. Thompson, Regular Expression Search Algorithm, CACM 11:6, 1968.
"""

from dataclasses import dataclass, field
import re
from typing import Final

MAX_LENGTH: Final = 200
MAX_STATES: Final = 500
MAX_TEXT: Final = 1000
MAX_NESTING: Final = 20
_SET_SIGNS: Final = re.compile(r"--|&&|~~|\|\|")
_BOUNDS: Final = re.compile(r"\{(\d{1,3})(?:(,)(\d{1,3})?)?\}")
_ESCAPES: Final = frozenset("dDwWsS")


class PatternError(Exception):
    """A pattern that is too long, too large, or uses what is not offered."""


@dataclass(frozen=True, slots=True)
class _One:
    """Reads one character."""

    char: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Row:
    """Parts one after another."""

    parts: tuple[_Part, ...]


@dataclass(frozen=True, slots=True)
class _Either:
    """One of several parts."""

    branches: tuple[_Part, ...]


@dataclass(frozen=True, slots=True)
class _Times:
    """A part repeated; `most` None means without end."""

    part: _Part
    least: int
    most: int | None


type _Part = _One | _Row | _Either | _Times


@dataclass(slots=True)
class _State:
    """Goes on for free to `free`, or over one character to `then`."""

    char: re.Pattern[str] | None = None
    then: int = -1
    free: list[int] = field(default_factory=list)


class SafePattern:
    """A pattern that must match a whole text. Raises PatternError for a bad one."""

    def __init__(
        self,
        source: str,
        *,
        max_length: int = MAX_LENGTH,
        max_states: int = MAX_STATES,
    ) -> None:
        """Compile the pattern."""
        if len(source) > max_length:
            raise PatternError(f"it is longer than {max_length} characters")
        self.source = source
        self._most = max_states
        self._states: list[_State] = []
        self._built = 0
        last = self._add()
        self._start = self._build(_Reader(source).read(), last)
        self._end = last

    @property
    def states(self) -> int:
        """Return what one character of a text can cost, in steps."""
        return len(self._states)

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches the whole of `text`.

        A text of more than MAX_TEXT characters never matches.
        """
        if len(text) > MAX_TEXT:
            return False
        now = self._close({self._start})
        for char in text:
            reached = {
                state.then
                for index in now
                if (state := self._states[index]).char is not None
                and state.char.fullmatch(char)
            }
            now = self._close(reached)
            if not now:
                return False
        return self._end in now

    def _close(self, reached: set[int]) -> set[int]:
        waiting = list(reached)
        while waiting:
            for index in self._states[waiting.pop()].free:
                if index not in reached:
                    reached.add(index)
                    waiting.append(index)
        return reached

    def _add(self) -> int:
        if len(self._states) >= self._most:
            raise PatternError("its repetitions are too large")
        self._states.append(_State())
        return len(self._states) - 1

    def _build(self, part: _Part, after: int) -> int:
        """Add the states of `part` that lead to `after`; return their entry."""
        # Empty groups add no state, however often they are repeated.
        self._built += 1
        if self._built > 4 * self._most:
            raise PatternError("its repetitions are too large")
        match part:
            case _One(char=char):
                entry = self._add()
                self._states[entry].char = char
                self._states[entry].then = after
                return entry
            case _Row(parts=parts):
                for each in reversed(parts):
                    after = self._build(each, after)
                return after
            case _Either(branches=branches):
                entry = self._add()
                self._states[entry].free = [self._build(b, after) for b in branches]
                return entry
            case _Times():
                return self._build_times(part, after)

    def _build_times(self, times: _Times, after: int) -> int:
        inner, least, most = times.part, times.least, times.most
        if most is None:
            loop = self._add()
            self._states[loop].free = [self._build(inner, loop), after]
            after = loop
        else:
            leave = after
            for _ in range(most - least):
                entry = self._add()
                self._states[entry].free = [self._build(inner, after), leave]
                after = entry
        for _ in range(least):
            after = self._build(inner, after)
        return after


class _Reader:
    """Reads the syntax, from left to right."""

    def __init__(self, source: str) -> None:
        # A whole text is matched anyway, so these two say nothing new.
        source = source.removeprefix("^")
        if source.endswith("$") and not source.endswith("\\$"):
            source = source[:-1]
        self._source = source
        self._at = 0

    def read(self) -> _Part:
        part = self._either(0)
        if self._at < len(self._source):
            raise PatternError("it closes a bracket that was not opened")
        return part

    def _peek(self) -> str:
        return self._source[self._at : self._at + 1]

    def _either(self, depth: int) -> _Part:
        if depth > MAX_NESTING:
            raise PatternError("its brackets are nested too deep")
        branches = [self._row(depth)]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._row(depth))
        return branches[0] if len(branches) == 1 else _Either(tuple(branches))

    def _row(self, depth: int) -> _Part:
        parts: list[_Part] = []
        while (char := self._peek()) and char not in "|)":
            parts.append(self._times(self._one(depth)))
        return _Row(tuple(parts))

    def _times(self, part: _Part) -> _Part:
        char = self._peek()
        bounds = _BOUNDS.match(self._source, self._at)
        if char and char in "*+?":
            self._at += 1
            part = _Times(part, int(char == "+"), 1 if char == "?" else None)
        elif bounds:
            self._at = bounds.end()
            least = int(bounds[1])
            most = least if bounds[2] is None else int(bounds[3]) if bounds[3] else None
            if most is not None and most < least:
                raise PatternError("a repetition ends before it begins")
            part = _Times(part, least, most)
        else:
            return part
        if (char := self._peek()) and char in "*+?{":
            raise PatternError("one repetition directly follows another")
        return part

    def _one(self, depth: int) -> _Part:
        char = self._peek()
        if char == "(":
            return self._group(depth)
        if char in "*+?{}^$":
            raise PatternError(f"{char} stands where it has no meaning")
        start = self._at
        if char == "[":
            self._skip_class()
        elif char == "\\":
            self._skip_escape()
        else:
            self._at += 1
        text = self._source[start : self._at]
        if char == "[" and (text.startswith("[[") or _SET_SIGNS.search(text)):
            # Python keeps these for sets, whose meaning may yet change.
            raise PatternError(f"{text} could be read in two ways; use backslashes")
        try:
            return _One(re.compile(text))
        except re.error as err:
            raise PatternError(f"{text} is not understood") from err

    def _group(self, depth: int) -> _Part:
        self._at += 1
        if self._peek() == "?":
            if not self._source.startswith("?:", self._at):
                raise PatternError("groups that begin with (? are not offered")
            self._at += 2
        part = self._either(depth + 1)
        if self._peek() != ")":
            raise PatternError("a bracket is not closed")
        self._at += 1
        return part

    def _skip_class(self) -> None:
        end = self._at + 1
        if self._source.startswith("^", end):
            end += 1
        first = True
        while first or not self._source.startswith("]", end):
            if self._source.startswith("\\", end):
                end += 1
            end += 1
            first = False
            if end >= len(self._source):
                raise PatternError("a [ is not closed")
        self._at = end + 1

    def _skip_escape(self) -> None:
        char = self._source[self._at + 1 : self._at + 2]
        if not char or (char.isalnum() and char not in _ESCAPES):
            raise PatternError(f"\\{char} is not offered")
        self._at += 2
