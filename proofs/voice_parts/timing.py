"""How long a spoken turn takes, against Home Assistant's own agent in the same run."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from proofs.crash_parts.findings import must

from .house import CAESAR, FORMER, LOCAL, VOICE, Home
from .turns import Turn, turn

LIGHT: Final = "light.kitchen_light"
_PARTS: Final = (
    ("end of speech to HA's VAD", "vad"),
    ("end of speech to transcript", "transcript"),
    ("end of speech to the answer's text", "intent"),
    ("end of speech to first sound", "audio"),
    ("of it the agent", "thought"),
)
# What it took Home Assistant to hear the end is no agent's.
_OWN: Final = "transcript to first sound"


async def both(
    home: Home, sentence: str, times: int, ours: Sequence[Turn] = ()
) -> dict[str, list[Turn]]:
    """Say one sentence to both agents by turns, so often each; the light is off before.

    `ours` are turns of CAESAR's with this sentence that count already.
    """
    turns: dict[str, list[Turn]] = {FORMER: [], CAESAR: list(ours)}
    pipelines = {FORMER: LOCAL, CAESAR: VOICE}
    while len(turns[agent := min(turns, key=lambda each: len(turns[each]))]) < times:
        await home.serve("light.turn_off", entity_id=LIGHT)
        await home.choose(pipelines[agent])
        said = await turn(home, sentence, pipelines[agent])
        must(said.engine == agent, f"{pipelines[agent]} is answered by {said.engine}")
        must(await home.state(LIGHT) == "on", f"{agent} turns the light on")
        turns[agent].append(said)
    spoken = {each.answer.rstrip(".") for said in turns.values() for each in said}
    must(len(spoken) == 1, f"both answer alike: {spoken}")
    return turns


def as_table(turns: dict[str, list[Turn]]) -> list[str]:
    """Return the times as lines of a table, in milliseconds."""
    ours, theirs = turns[CAESAR], turns[FORMER]
    lines = [
        f"| milliseconds, n={len(ours)} each | CAESAR p50 | worst "
        "| Home Assistant p50 | worst |",
        "|---|---|---|---|---|",
    ]
    for title, part in _PARTS:
        lines.append(
            _line(title, *([getattr(t, part) for t in s] for s in (ours, theirs)))
        )
    lines.append(
        _line(_OWN, *([t.audio - t.transcript for t in s] for s in (ours, theirs)))
    )
    return lines


def share_of_vad(turns: Sequence[Turn]) -> int:
    """Return how much of the time to the first sound is Home Assistant's VAD, in %."""
    return round(100 * median(each.vad / each.audio for each in turns))


def _line(title: str, *columns: Sequence[float]) -> str:
    cells = (
        f"{1000 * value:.0f}" for each in columns for value in (median(each), max(each))
    )
    return f"| {title} | {' | '.join(cells)} |"
