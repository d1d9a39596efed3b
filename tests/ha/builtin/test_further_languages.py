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
from custom_components.caesar.wording import async_wording

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


@pytest.mark.parametrize("language", LANGUAGES)
async def test_sentences(talk: Talk, language: str) -> None:
    """Each asks for exactly this call, also shouted or without its question mark."""
    wrong = []
    for said, wanted in table(language):
        for text in (said, said.upper(), said.strip("¿? ？")):
            now = await talk.plan(text, language)
            asked = _TIMES.sub("", "; ".join(map(line_of, now.requests)))
            # A command for later is kept as it was said.
            if asked.removesuffix(" {}").casefold() != wanted.casefold():
                wrong.append(f"{text}\n  {asked}\n  {wanted}")
    assert not wrong, "\n".join(wrong)
    assert len([*table(language)]) >= 14


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_we_suggest_is_understood(talk: Talk, language: str) -> None:
    """Each sentence that an answer or a form gives as an example."""
    wording = await async_wording(talk.hass, language)
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
    examples.append(re.split("[:：]", timer)[-1].strip(" .。"))
    wrong = []
    for example in examples:
        now = await talk.plan(_QUOTED.sub("", example), language)
        if now.stop is StopReason.NOT_UNDERSTOOD:
            wrong.append(example)
    assert wrong == []


@pytest.mark.parametrize("language", sorted(FURTHER))
def test_each_period_has_words(language: str) -> None:
    """And a polite word changes nothing."""
    sentences = sentences_of(language)
    assert sentences is not None
    values = sentences["lists"]["past"]["values"]
    assert {each["out"] for each in values} == {*Period}
    filler = sentences["skip_words"][0]
    assert without_fillers(f"{filler} x", language).endswith("x")


@pytest.mark.parametrize("said", ["pourquoi pas ?", "perché no?", "почему?", "为什么"])
async def test_what_is_no_question_to_caesar(talk: Talk, said: str) -> None:
    """In French and Italian "why not?" is a yes; a bare "why?" may be about anything."""
    language = {"p": "fr", "п": "ru", "为": "zh-CN"}[said[0]]
    if said.startswith("perché"):
        language = "it"
    assert (await talk.plan(said, language)).stop is StopReason.NOT_UNDERSTOOD
