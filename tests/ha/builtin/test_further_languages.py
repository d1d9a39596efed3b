"""Languages beside English and German: what is said about CAESAR, and our examples.

The table is `sentences_further.txt`.
"""

from collections.abc import Iterator
from pathlib import Path
import re

import pytest

from custom_components.caesar.brain.periods import Period
from custom_components.caesar.brain.provider import StopReason
from custom_components.caesar.providers.builtin.sentences import (
    sentences_of,
    without_fillers,
)
from custom_components.caesar.providers.builtin.sentences.further import FURTHER
from custom_components.caesar.wording import Wording, async_wording

from .talk import Talk
from .test_sentences import line_of

# As a pipeline names them; translations and sentences have their own names.
LANGUAGES = ("cs", "es", "fr", "it", "nl", "pl", "pt-BR", "ru", "sv", "zh-CN")
_TIMES = re.compile(r'"(since|until)": "[^"]*"(, )?|, (?=})')
_QUOTED = re.compile('[“”„«»"]')


def table(language: str) -> Iterator[tuple[str, str]]:
    """Yield a language's sentences with what they should ask for."""
    path = Path(__file__).with_name("sentences_further.txt")
    for line in path.read_text(encoding="utf-8").splitlines():
        named, _, rest = line.partition(" | ")
        if named == language:
            said, _, wanted = rest.partition(" => ")
            yield said, wanted


async def test_sentences(talk: Talk) -> None:
    """Each asks for exactly this call, also shouted or without its question mark."""
    wrong = []
    for language in LANGUAGES:
        assert len([*table(language)]) >= 18
        for said, wanted in table(language):
            for text in (said, said.upper(), said.strip("¿? ？")):
                now = await talk.plan(text, language)
                asked = _TIMES.sub("", "; ".join(map(line_of, now.requests)))
                # A command for later is kept as it was said.
                if asked.removesuffix(" {}").casefold() != wanted.casefold():
                    wrong.append(f"{language} | {text}\n  {asked}\n  {wanted}")
    assert not wrong, "\n".join(wrong)


async def test_what_we_suggest_is_understood(talk: Talk) -> None:
    """Each sentence that an answer or a form gives as an example."""
    wrong = []
    for language in LANGUAGES:
        wording = await async_wording(talk.hass, language)
        for example in _examples(wording):
            now = await talk.plan(_QUOTED.sub("", example), language)
            if now.stop is StopReason.NOT_UNDERSTOOD:
                wrong.append(f"{language} | {example}")
    assert wrong == []


def _examples(wording: Wording) -> list[str]:
    named = {
        "cover": ("Bedroom blind", ""),
        "open": ("Bedroom blind", ""),
        "turn_on": ("Kitchen light", ""),
        "is_on": ("Kitchen light", ""),
        "temperature": ("Living room", "Living room"),
        "unlock": ("Front door", ""),
        "is_locked": ("Front door", ""),
        "which_lights": ("", ""),
        "time": ("", ""),
    }
    examples = [
        wording.text(f"{kind}_{key}", name=name, area=area)
        for key, (name, area) in named.items()
        for kind in ("brain_example", "try")
        if wording.has(f"{kind}_{key}")
    ]
    assert len(examples) == 13
    timer = wording.text("timer_how_long")
    return [*examples, re.split("[:：]", timer)[-1].strip(" .。")]


@pytest.mark.parametrize("language", sorted(FURTHER))
def test_each_period_has_words(language: str) -> None:
    """And a polite word changes nothing."""
    sentences = sentences_of(language)
    assert sentences is not None
    values = sentences["lists"]["past"]["values"]
    assert {each["out"] for each in values} == {*Period}
    filler = sentences["skip_words"][0]
    assert without_fillers(f"{filler} x", language).endswith("x")


async def test_what_is_no_question_to_caesar(talk: Talk) -> None:
    """In French and Italian "why not?" is a yes; a bare "why?" may be about anything."""
    for language, said in (
        ("fr", "pourquoi pas ?"),
        ("it", "perché no?"),
        ("ru", "почему?"),
        ("zh-CN", "为什么"),
    ):
        now = await talk.plan(said, language)
        assert now.stop is StopReason.NOT_UNDERSTOOD, said
