"""Which bin goes out next? A tool of one's own in one file (docs/workers.md)."""

from datetime import date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from caesar_legion import Annotations, Task, TaskError, ToolSpec, Worker
from caesar_legion.environment import Environment

SPEC = ToolSpec(
    name="bin_days",
    title="Bin days",
    description="Tell which bin is collected next, and when.",
    input_schema={"type": "object", "additionalProperties": False},
    annotations=Annotations(read_only=True, destructive=False, open_world=False),
    sentences={
        "en": ("(which|what) bin goes out next", "when are the bins collected"),
        "de": ("welche Tonne muss als nächste raus", "wann wird der Müll geholt"),
    },
)
EN, DE = ("today", "tomorrow", "in {} days"), ("heute", "morgen", "in {} Tagen")


class BinDays(Worker):  # its settings name a file with lines like `2026-12-01 paper`
    tools = (SPEC,)

    def __init__(self, environment: Environment) -> None:
        self._file = Path(environment.section("bin_days").require("path"))

    async def handle(self, task: Task) -> dict[str, str]:
        today = datetime.now(ZoneInfo(task.hints.timezone)).date()
        lines = self._file.read_text(encoding="utf-8").splitlines()
        if not (coming := [line for line in lines if line[:10] >= str(today)]):
            raise TaskError("The list of bin days has come to its end.")
        day, _, what = min(coming).partition(" ")
        left = (date.fromisoformat(day) - today).days
        when = (DE if task.hints.language == "de" else EN)[min(left, 2)].format(left)
        return {"day": day, "bin": what, "say": f"{what}: {when}"}
