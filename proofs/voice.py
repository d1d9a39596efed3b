"""A satellite speaks and is answered: heard, decided, done, told, and as fast as before.

Usage: script/prove voice [--small]

A real Home Assistant and real programs beside it: pocketsphinx hears and espeak-ng
speaks over Wyoming, and a satellite in the hall is added by Home Assistant's own form. Its
turns have no user. Its microphone hears another voice say the sentences, at the pace of
speech; what its loudspeaker gets is recognised again. CAESAR is set up by its forms and
takes the voice assistant. A light, a lock, a timer, a command for later, an own
sentence, "why did you do that": each with its row in the trail. Then the same sentence
by the same satellite, by turns to CAESAR and to Home Assistant's own agent, timed (ten
each; `--small`: two, CAESAR's first turn among them, and with a VAD that waits
less). Last, CAESAR is removed, and the
former agent answers.

It is told in `.cache/voice.md`.
"""

import argparse
import asyncio
from pathlib import Path
import sys
from typing import Final

from house.seed import ROOT
from proofs.crash_parts.findings import must, prove_all
from proofs.voice_parts import timing, trail
from proofs.voice_parts.answers import Answer, must_be_heard
from proofs.voice_parts.house import CAESAR, FORMER, RULE, VAD, VOICE, Home, home
from proofs.voice_parts.programs import said_in, speech_python
from proofs.voice_parts.turns import Turn, turn

TOLD: Final = ROOT / ".cache" / "voice.md"
ON: Final = "turn on the kitchen light"
UNLOCK: Final = "unlock the front door"
TIMER: Final = "set a timer for two seconds"
LATER: Final = "turn off the kitchen light in two seconds"
CAT: Final = "feed the hungry cat"
WHY: Final = "why did you do that"
SENTENCES: Final = [ON, UNLOCK, TIMER, LATER, CAT, WHY]
LIGHT: Final = timing.LIGHT
LOCK: Final = "lock.front_door"
FED: Final = "input_boolean.cat_fed"


def prove_voice(folder: Path, small: bool) -> str:
    """Prove it in a real house; return what was seen."""
    return asyncio.run(_prove(folder, small))


async def _prove(folder: Path, small: bool) -> str:
    python = await speech_python()
    async with home(folder, python, SENTENCES, RULE) as house:
        if small:
            await house.serve(
                "select.select_option", entity_id=VAD, option="aggressive"
            )
        turns, later = await _story(house)
        before = turns[:1] if small else []
        timed = await timing.both(house, ON, 2 if small else 10, before)
        again = len(timed[CAESAR]) - len(before)
        expected = [*trail.STORY, *[trail.TURNED_ON] * again]
        refused = [] if small else [await _judged_anew(house)]
        expected += trail.REVOKED if refused else []
        rows = await trail.must_be_told(house, expected)
        after = await _given_back(house)
        must(trail.rows_of(house)[-1] == rows[-1], "the trail stays as it was")
    answers = [Answer(text=each.answer, sound=each.sound) for each in (*turns, after)]
    answers += [later, *refused]
    heard = await must_be_heard(python, house.sounds, answers)
    lines = [
        *("", "| said | answered |", "|---|---|"),
        *(f"| {each.sentence} | {each.answer} |" for each in turns),
        f"| (two seconds later) | {later.text} |",
        *(f"| (the same, its rule taken away) | {each.text} |" for each in refused),
        f"| {after.sentence} (CAESAR removed) | {after.answer} |",
        *("", *trail.as_table(rows[: len(trail.STORY)])),
        *("", *timing.as_table(timed)),
    ]
    text = "\n".join(lines)
    TOLD.parent.mkdir(exist_ok=True)
    TOLD.write_text(f"# Voice\n{text}\n", encoding="utf-8")
    vad = timing.share_of_vad(timed[CAESAR])
    return (
        f"{len(turns)} turns by a satellite heard, decided, done and answered aloud, "
        f"each a row of voice in the trail, whose chain verifies; {heard}; {vad} % of "
        "the time to the first sound is Home Assistant's VAD; after removal "
        f"{after.engine} answers\n{text}\n"
    )


async def _story(house: Home) -> tuple[list[Turn], Answer]:
    """Say all of it; return the turns, and what was announced later."""
    must(await house.state(LIGHT) == "off", "the light is off")
    light = await _asked(house, ON, "Turned on the light")
    must(await house.state(LIGHT) == "on", "the light is on")

    door = await _asked(house, UNLOCK, "there is nobody I can ask")
    must(await house.state(LOCK) == "locked", "the lock doesn't move")

    start = len(house.ear.told)
    timer = await _asked(house, TIMER, "Timer set for two seconds")
    started = await house.ear.next(("timer-started",), start)
    must(started.data["total_seconds"] == 2, f"it is of two seconds: {started.data}")

    of_plan = len(house.ear.told)
    plan = await _asked(house, LATER, "in two seconds")
    must(await house.state(LIGHT) == "on", "it isn't done yet")
    later = await _announced(house, of_plan)
    must(await house.state(LIGHT) == "off", "it is done when it is due")
    must(later.text.startswith("As planned"), f"it is told: {later.text}")

    cat = await _asked(house, CAT, "The cat is happy")
    must(await house.state(FED) == "on", "the cat is fed")
    why = await _asked(house, WHY, "your own sentence “feed the cat”")
    must("The policy allows that. It was done." in why.answer, why.answer)

    finished = await house.ear.next(("timer-finished",), start)
    took = finished.at - started.at
    must(1.5 < took < 4, f"the timer rings when it should: after {took:.1f} s")
    return [light, door, timer, plan, cat, why], later


async def _judged_anew(house: Home) -> Answer:
    """Plan a command, and take its rule away before it is due."""
    since = len(house.ear.told)
    await _asked(house, LATER, "in two seconds")
    await house.revoke("  - light.turn_off\n")
    later = await _announced(house, since)
    must(await house.state(LIGHT) == "on", "what isn't allowed any more isn't done")
    must("allow" in later.text, f"why not is told: {later.text}")
    return later


async def _announced(house: Home, since: int) -> Answer:
    """Return what is told when a command is due that was planned since then."""
    at_once = await house.ear.next(("heard",), since)
    told = await house.ear.next(("heard",), house.ear.told.index(at_once) + 1)
    return Answer(text=said_in(house.sounds)[-1], sound=Path(told.data["path"]))


async def _asked(house: Home, sentence: str, answer: str) -> Turn:
    said = await turn(house, sentence)
    must(said.engine == CAESAR, f"{sentence!r} goes through CAESAR: {said.engine}")
    must(answer in said.answer, f"{sentence!r} is answered {answer!r}: {said.answer}")
    return said


async def _given_back(house: Home) -> Turn:
    """Remove CAESAR; return the next turn, which its former agent must answer."""
    await house.serve("light.turn_off", entity_id=LIGHT)
    await house.remove_caesar()
    after = await turn(house, ON, VOICE)
    must(after.engine == FORMER, f"the former agent answers: {after.engine}")
    must(await house.state(LIGHT) == "on", "and does what was asked")
    return after


def main() -> int:
    """Run the proof; return 1 if a promise did not hold."""
    parser = argparse.ArgumentParser(prog="script/prove voice")
    parser.add_argument("--small", action="store_true")
    small: bool = parser.parse_args().small
    good = prove_all("voice", [("voice", lambda folder: prove_voice(folder, small))])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
