"""What must be true of a cell, whatever the fault."""

from collections.abc import Iterator
from dataclasses import dataclass
import re
from typing import Final

from .cases import DONE, TOLD, Fault
from .house import Cell

BUILTIN: Final = "builtin"

# Read aloud: no markup, no JSON, no trace, no vendor's English of errors.
_UNSPEAKABLE: Final = re.compile(r"[{}<>\[\]]|Traceback|Error\b|_")
_LONGEST: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of the table; `issues` and `asked_again` are what was open after it."""

    vendor: str
    fault: Fault
    chained: bool
    by_voice: bool = False
    cell: Cell
    issues: set[str]
    asked_again: bool

    @property
    def failed(self) -> bool:
        """Return whether the fault makes the brain fail, so that another is asked."""
        return self.vendor not in self.fault.own

    def line(self) -> str:
        """Return the line."""
        summary = self.cell.summary
        trail = [summary["finish"]]
        if summary["error"]:
            trail.append(summary["error"])
        if told := [each["error"] for each in summary["fallbacks"]]:
            trail.append(f"failed: {', '.join(told)}")
        trail += self.cell.outcomes
        heard = self.cell.heard.replace("|", "/").replace("\n", " ")
        second = "yes" if self.chained else "no"
        by = "voice" if self.by_voice else "screen"
        return (
            f"| {self.vendor} | {self.fault.name} | {second} | {by} | {heard}"
            f" | {self.cell.effects} | {'; '.join(trail)} |"
        )


def judge(row: Row) -> Iterator[str]:
    """Yield what is wrong with a cell."""
    for problem in _problems(row):
        yield f"{row.line()} {problem}"


def _problems(row: Row) -> Iterator[str]:
    cell, fault = row.cell, row.fault
    if not cell.heard.strip():
        yield "is silent"
    if _UNSPEAKABLE.search(cell.heard) or len(cell.heard) > _LONGEST:
        yield "can't be read aloud"
    if cell.effects > 1:
        yield "did it twice"
    if len([each for each in cell.outcomes if each == "service.called"]) > 1:
        yield "the trail has it twice"
    if not row.failed:
        yield from _answered(row)
    elif row.chained:
        yield from _taken_over(row)
    else:
        yield from _explained(row)
    if fault.name == "401" and not row.asked_again:
        yield "nobody is asked for a new key"
    quota = "model_quota_own" in row.issues
    if fault.name == "no credit" and not quota:
        yield "no repair about the account"
    if not row.failed and quota:
        yield "the repair stays though the model answers"


def _answered(row: Row) -> Iterator[str]:
    """Check a brain that copes with it alone."""
    if row.cell.effects or row.cell.summary["fallbacks"]:
        yield "another brain was asked, or something was done"
    if row.fault.name != "refusal" and row.cell.heard != TOLD:
        yield "its answer is not what was heard"


def _taken_over(row: Row) -> Iterator[str]:
    """Check the second brain: it ends the turn as if nothing had happened."""
    cell = row.cell
    if row.vendor == BUILTIN:
        # The model gets what was done, and has nothing to do itself.
        if cell.heard != TOLD or cell.effects != row.fault.calls:
            yield "the model didn't end what the built-in brain began"
        return
    if cell.heard != DONE or cell.error:
        yield "the second brain's answer is not what was heard"
    if cell.effects != 1:
        yield "it was not done once"
    if len(cell.summary["fallbacks"]) != 1 or cell.summary["error"]:
        yield "the trail doesn't say that one failed and one answered"


def _explained(row: Row) -> Iterator[str]:
    """Check the words where nobody else can answer."""
    cell = row.cell
    if cell.effects != row.fault.calls:
        yield "a half round did something"
    if row.fault.calls and "turned on Kitchen" not in cell.heard:
        yield "what was done isn't said"
    if row.fault.name == "empty answer":
        return
    if cell.summary["finish"] == "timeout" and row.vendor == BUILTIN:
        return
    if not cell.error or cell.summary["finish"] != "provider_error":
        yield "the failure is no failure"
    if [each["error"] for each in cell.summary["fallbacks"]] != [cell.summary["error"]]:
        yield "the trail doesn't say why"
