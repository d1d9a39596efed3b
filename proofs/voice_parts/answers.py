"""The answers as sound: what the satellite's loudspeaker has kept is recognised again."""

from array import array
from dataclasses import dataclass
from pathlib import Path
import re
from typing import Final

from proofs.crash_parts.findings import must
from tests.fakes.room import AUDIBLE, RATE, audible_s, read_wav

from .programs import listener, recognise

# Never said, and close to what is.
DECOYS: Final = (
    "turned on the lights",
    "timer set for ten seconds",
    "timer set for two minutes",
    "command will be executed in ten seconds",
    "as planned turned on the light",
    "the cat is hungry",
)
# espeak-ng says a letter in between 40 and 110 ms at the rate that is set.
_LETTER_S: Final = (0.04, 0.11)
_DIGIT: Final = re.compile(r"\d")
_WORDS: Final = re.compile(r"[a-z']+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What Home Assistant gave to be spoken, and where what was heard is."""

    text: str
    sound: Path


async def must_be_heard(python: str, folder: Path, answers: list[Answer]) -> str:
    """Return how the answers were checked. Raises Unproven if one isn't what it is.

    One with digits is spoken in words that are not written there: its length and
    loudness must fit.
    """
    plain = [each for each in answers if not _DIGIT.search(each.text)]
    words = sorted({_words(each.text) for each in plain} | set(DECOYS))
    async with listener(python, folder, words) as port:
        for each in plain:
            heard = await recognise(port, each.sound)
            must(heard == _words(each.text), f"{each.text!r} is heard: {heard!r}")
    for each in answers:
        _must_be_a_voice(each)
    return (
        f"{len(plain)} of {len(answers)} recognised word by word among {len(words)} "
        f"sentences, all of fitting length and loudness"
    )


def _must_be_a_voice(answer: Answer) -> None:
    sound = read_wav(answer.sound)
    first, last = audible_s(sound)
    least, most = (len(answer.text) * each for each in _LETTER_S)
    must(least < last - first < most, f"{answer.text!r} takes {last - first:.1f} s")
    loud = _loudness(sound[int(first * RATE) : int(last * RATE)])
    must(loud > AUDIBLE, f"{answer.text!r} is loud: {loud:.0f}")


def _loudness(sound: array[int]) -> float:
    """Return the root of the mean square."""
    return float((sum(each * each for each in sound) / max(1, len(sound))) ** 0.5)


def _words(text: str) -> str:
    return " ".join(_WORDS.findall(text.lower()))
