"""A turn at the satellite: said, and what came of it, by its own clock."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from proofs.crash_parts.findings import must

from .house import VOICE, Home, sound_of
from .programs import Told


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What was said and answered.

    Times are seconds after the end of the voice: when Home Assistant's VAD had heard
    that end, when the transcript was there, when the answer's text was, and when its
    first sound was. `thought` is how long the agent took.
    """

    sentence: str
    engine: str
    heard: str
    answer: str
    sound: Path
    vad: float
    transcript: float
    intent: float
    audio: float
    thought: float


async def turn(home: Home, sentence: str, pipeline: str = VOICE) -> Turn:
    """Say a sentence to the satellite. Raises Unproven if it isn't answered aloud."""
    ear = home.ear
    since = ear.hear(sound_of(home.sounds, sentence))
    last = await ear.next(("heard", "error"), since)
    await ear.next(("spoken",), since)
    must(last.kind == "heard", f"{sentence!r} is answered: {last.data}")
    run = {each["type"]: each for each in await home.last_run(pipeline)}
    first: dict[str, Told] = {}
    for told in ear.told[since:]:
        first.setdefault(told.kind, told)
    wanted = ("spoken", "voice-stopped", "transcript", "synthesize", "audio")
    missing = [kind for kind in wanted if kind not in first]
    must(not missing, f"{sentence!r} goes all the way: no {missing}")
    end, *after = (first[kind].at for kind in wanted)
    vad, transcript, intent, audio = (at - end for at in after)
    heard = str(first["transcript"].data["text"])
    must(heard == sentence, f"{sentence!r} is heard: {heard!r}")
    return Turn(
        sentence=sentence,
        engine=str(run["intent-start"]["data"]["engine"]),
        heard=heard,
        answer=str(first["synthesize"].data["text"]),
        sound=Path(last.data["path"]),
        vad=vad,
        transcript=transcript,
        intent=intent,
        audio=audio,
        thought=_seconds(run["intent-start"], run["intent-end"]),
    )


def _seconds(start: Mapping[str, Any], end: Mapping[str, Any]) -> float:
    began, ended = (
        datetime.fromisoformat(str(each["timestamp"])) for each in (start, end)
    )
    return (ended - began).total_seconds()
