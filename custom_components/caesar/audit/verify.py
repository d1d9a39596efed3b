"""The check of the chain: names the first row that is not what it was.

Reads next to the writer, in short steps, and gives way between rows, so that it may
run while the house does.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
import sqlite3
from typing import Final

from ..legion.canonical import Json
from .chain import GENESIS, HASHED, Anchor, Gone, Head, Link, Signer, row_hash
from .reading import heads, last_head, last_link, newest_anchor, reader

_STEP: Final = 2_000
_ROW: Final = (*HASHED, "id", "prev_hash", "row_hash")
_HASHED: Final = len(HASHED)


class Problem(StrEnum):
    """What is wrong with the trail."""

    CHANGED = "changed"
    GAP = "gap"
    CUT = "cut"
    REWRITTEN = "rewritten"
    FORGED_HEAD = "forged_head"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The result of a check.

    `first_bad` is the first row that is wrong or missing. `begins` says why the trail
    does not begin at row 1, `signed` up to which row a head vouches for it.
    """

    ok: bool
    rows: int
    whole: bool
    problem: Problem | None = None
    first_bad: int | None = None
    last: int = 0
    signed: int = 0
    begins: Gone | None = None

    def as_json(self) -> dict[str, Json]:
        """Return it for an action's response."""
        return {
            "ok": self.ok,
            "rows": self.rows,
            "whole": self.whole,
            "problem": self.problem.value if self.problem else None,
            "first_bad": self.first_bad,
            "last": self.last,
            "signed": self.signed,
            "begins": self.begins.value if self.begins else None,
        }


class _Wrong(Exception):
    def __init__(self, problem: Problem, seq: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.seq = seq


def verify(
    path: Path,
    signer: Signer,
    outside: Head | None,
    *,
    whole: bool = True,
    stop: Callable[[], bool] = lambda: False,
) -> Check:
    """Check the file; not whole means from its newest head on.

    `outside` is the newest head that is kept elsewhere. `stop` ends it early, with
    what was found so far. Raises nothing: a file that can't be read is a problem.
    """
    walk = _Walk(signer, outside, whole=whole)
    try:
        with reader(path) as db:
            walk.run(db, stop)
    except _Wrong as wrong:
        return walk.check(wrong.problem, wrong.seq)
    except sqlite3.Error, OSError, TypeError, ValueError:
        return walk.check(Problem.UNREADABLE, walk.at.seq + 1)
    return walk.check()


class _Walk:
    """Goes along the chain once, comparing it with the heads it passes."""

    def __init__(self, signer: Signer, outside: Head | None, *, whole: bool) -> None:
        self.at = Link()
        self._signer = signer
        self._outside = outside
        self._whole = whole
        self._rows = 0
        self._signed = 0
        self._last = 0
        self._begins: Gone | None = None
        self._headless = 0

    def check(self, problem: Problem | None = None, seq: int | None = None) -> Check:
        return Check(
            ok=problem is None,
            rows=self._rows,
            whole=self._whole,
            problem=problem,
            first_bad=seq,
            last=self._last,
            signed=self._signed,
            begins=self._begins,
        )

    def run(self, db: sqlite3.Connection, stop: Callable[[], bool]) -> None:
        last = last_link(db)
        self._last = last.seq if last else 0
        pending = self._begin(db, newest_anchor(db))
        self._signed = self.at.seq
        self._pass(pending)
        for row in self._chain(db, stop):
            self._row(row)
            self._pass(pending)
        if stop():
            return
        if pending:
            raise _Wrong(Problem.CUT, self.at.seq + 1)
        if self._headless:
            raise _Wrong(Problem.FORGED_HEAD, self._headless)

    def _begin(self, db: sqlite3.Connection, anchor: Anchor | None) -> deque[Head]:
        """Find where to begin; return the heads to compare, in the chain's order."""
        if anchor is not None:
            if not self._signer.made_anchor(anchor):
                raise _Wrong(Problem.REWRITTEN, anchor.link.seq)
            self.at, self._begins = anchor.link, anchor.kind
        newest = last_head(db)
        first = 0
        if not self._whole and newest and newest.link.seq > self.at.seq:
            # The row at the head is checked too: its hash must be the head's.
            first = newest.number
            self.at = _before(db, newest.link) or self.at
        found = list(heads(db, first))
        self._check_heads(found, anchor, first)
        if self._outside and self._signer.made_head(self._outside):
            newest_number = found[-1].number if found else anchor.head if anchor else 0
            if newest_number < self._outside.number:
                # It was on disk here before it was kept elsewhere. What became of
                # the rows says more, so they are judged first.
                self._headless = self._outside.link.seq
                found.append(self._outside)
            else:
                self._same_head(found)
        here = (head for head in found if head.link.seq >= self.at.seq)
        return deque(sorted(here, key=lambda head: head.link.seq))

    def _check_heads(
        self, found: list[Head], anchor: Anchor | None, first: int
    ) -> None:
        gone = anchor.head if anchor else 0
        before: Head | None = None
        for head in found:
            if not self._signer.made_head(head):
                raise _Wrong(Problem.FORGED_HEAD, head.link.seq)
            if before is None:
                in_place = first > 0 or head.number == gone + 1
                linked = head.number > 1 or head.prev_mac == GENESIS
            else:
                in_place = head.number == before.number + 1
                linked = head.prev_mac == before.mac
            if not in_place or not linked:
                raise _Wrong(Problem.FORGED_HEAD, head.link.seq)
            before = head

    def _same_head(self, found: list[Head]) -> None:
        outside = self._outside
        assert outside is not None
        for head in found:
            if head.number == outside.number and head.mac != outside.mac:
                raise _Wrong(Problem.REWRITTEN, outside.link.seq)

    def _chain(
        self, db: sqlite3.Connection, stop: Callable[[], bool]
    ) -> Iterator[tuple[Json, ...]]:
        """Yield the rows after `self.at`, letting go of the file now and then."""
        while not stop():
            found = db.execute(
                f"SELECT {', '.join(_ROW)} FROM audit_log"  # noqa: S608 - names of our own
                " WHERE chain_seq > ? ORDER BY chain_seq LIMIT ?",
                (self.at.seq, _STEP),
            )
            count = 0
            for row in found:
                count += 1
                yield row
            if count < _STEP:
                return

    def _row(self, row: tuple[Json, ...]) -> None:
        seq, number, prev, mine = row[0], *row[_HASHED:]
        expected = self.at.seq + 1
        if seq != expected:
            raise _Wrong(Problem.GAP, expected)
        values = dict(zip(HASHED, row[:_HASHED], strict=True))
        if number != seq or row_hash(str(prev), values) != mine:
            raise _Wrong(Problem.CHANGED, expected)
        if prev != self.at.row_hash:
            # This row is whole and remembers another one before it.
            raise _Wrong(Problem.CHANGED, max(self.at.seq, 1))
        self.at = Link(seq=expected, row_hash=str(mine))
        self._rows += 1
        self._last = max(self._last, expected)

    def _pass(self, pending: deque[Head]) -> None:
        """Compare the row just passed with the heads that speak of it."""
        while pending and pending[0].link.seq == self.at.seq:
            if pending.popleft().link.row_hash != self.at.row_hash:
                raise _Wrong(Problem.REWRITTEN, self._signed + 1)
            self._signed = self.at.seq


def _before(db: sqlite3.Connection, link: Link) -> Link | None:
    """Return the row before one, by what is stored; None if it is gone."""
    row = db.execute(
        "SELECT chain_seq, row_hash FROM audit_log WHERE chain_seq = ?",
        (link.seq - 1,),
    ).fetchone()
    return Link(seq=row[0], row_hash=row[1]) if row else None
