"""What CAESAR's trail says of the satellite's turns, as its page shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from custom_components.caesar.audit.page import Filter, TrailRow, trail_page
from proofs.crash_parts.findings import must

from .house import AREA, SATELLITE, TOOL, Home

DATABASE: Final = "caesar/caesar.db"
FEEDER: Final = "who feeds the cat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A row: which tool, by which rule, decided how, and what came of it."""

    tool: str
    rule: str | None
    verdict: str = "go"
    result: str = "ok"


TURNED_ON: Final = Expected(tool="light.turn_on", rule="light.turn_on#1")
STORY: Final = (
    TURNED_ON,
    Expected(tool="lock.unlock", rule="lock.unlock#1", verdict="deny", result="none"),
    Expected(tool="timer_start", rule="timer_start#1"),
    Expected(tool="plan_command", rule="plan_command#1"),
    Expected(tool="light.turn_off", rule="light.turn_off#1"),
    Expected(tool=TOOL, rule=FEEDER),
    Expected(tool="why", rule=None),
)
# A command for later whose rule is gone when it is due.
REVOKED: Final = (
    Expected(tool="plan_command", rule="plan_command#1"),
    Expected(tool="light.turn_off", rule=None, verdict="deny", result="none"),
)


def rows_of(home: Home) -> list[TrailRow]:
    """Return all rows of the trail, oldest first."""
    return trail_page(home.config / DATABASE, Filter())[::-1]


async def must_be_told(home: Home, expected: Sequence[Expected]) -> list[TrailRow]:
    """Return the rows. Raises Unproven unless there is one for each turn, and it's so."""
    rows = rows_of(home)
    told = [
        Expected(
            tool=row.tool,
            rule=row.decision["rule"],
            verdict=row.verdict,
            result=row.result,
        )
        for row in rows
    ]
    must(told == list(expected), f"the trail has a row for each: {told}")
    callers = {
        tuple(
            (key, row.caller[key])
            for key in ("origin", "satellite_id", "area_id", "user_id", "is_admin")
        )
        for row in rows
    }
    voice = (
        ("origin", "voice"),
        ("satellite_id", SATELLITE),
        ("area_id", AREA.lower()),
        ("user_id", None),
        ("is_admin", False),
    )
    must(callers == {voice}, f"all are of the satellite in its room: {callers}")
    devices = {row.caller["device_id"] for row in rows}
    must(len(devices) == 1 and None not in devices, f"of one device: {devices}")
    turns = {row.decision_id for row in rows}
    must(len(turns) == len(rows), "each was judged in a turn of its own")
    check = await home.owner.action("caesar.verify_audit", {})
    must(check["ok"] is True, f"the chain verifies: {check}")
    return rows


def as_table(rows: Sequence[TrailRow]) -> list[str]:
    """Return the rows as lines of a table."""
    lines = ["| who | where | tool | rule | line | decided | came of it |"]
    lines.append("|---|---|---|---|---|---|---|")
    for row in rows:
        rule, line = row.decision["rule"] or "", row.decision["line"] or ""
        who = f"{row.caller['origin']}, {row.caller['satellite_id']}"
        lines.append(
            f"| {who} | {row.caller['area_id']} | {row.tool} | {rule} | {line}"
            f" | {row.verdict} ({row.decision['code']}) | {row.result} |"
        )
    return lines
