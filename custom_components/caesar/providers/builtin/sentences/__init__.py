"""Everyday sentences that Home Assistant's own ones lack, per language.

The shape is hassil's (https://github.com/OHF-Voice/hassil). `{name}`, `{area}` and
`{floor}` are the house's own names; lists that are not defined here, such as the
colours, are Home Assistant's. Intents named `Caesar…` are understood here alone.
English and German are whole; of other languages there is what is said about CAESAR.
"""

import re
from typing import Any, Final

from . import de, en
from .choice import ChoiceWords
from .de.choice import CHOICE as DE_CHOICE
from .de.follow_ups import FOLLOW_UPS as DE_FOLLOW_UPS
from .en.choice import CHOICE as EN_CHOICE
from .en.follow_ups import FOLLOW_UPS as EN_FOLLOW_UPS
from .further import FURTHER
from .further.choices import CHOICES

OWN_PREFIX: Final = "Caesar"

_LANGUAGES: Final[dict[str, dict[str, Any]]] = {
    **FURTHER,
    "de": de.SENTENCES,
    "en": en.SENTENCES,
}
_FOLLOW_UPS: Final[dict[str, dict[str, Any]]] = {
    "de": DE_FOLLOW_UPS,
    "en": EN_FOLLOW_UPS,
}
# Names and rooms are understood in any language.
_NO_WORDS: Final = ChoiceWords()
_CHOICES: Final = {**CHOICES, "de": DE_CHOICE, "en": EN_CHOICE}


def sentences_of(language: str) -> dict[str, Any] | None:
    """Return the sentences of a base language such as "de"; None if there are none."""
    return _LANGUAGES.get(language)


def follow_ups_of(language: str) -> dict[str, Any] | None:
    """Return a base language's sentences about the turn before; None without any."""
    return _FOLLOW_UPS.get(language)


def choice_words(language: str) -> ChoiceWords:
    """Return the words in which somebody says which one is meant."""
    return _CHOICES.get(language, _NO_WORDS)


def without_fillers(text: str, language: str) -> str:
    """Return a sentence without "now", "just" and the like, which change nothing."""
    if (sentences := _LANGUAGES.get(language)) is None:
        return text
    words = sorted(sentences["skip_words"], key=len, reverse=True)
    fillers = "|".join(map(re.escape, words))
    return " ".join(
        re.sub(rf"\b(?:{fillers})\b", " ", text, flags=re.IGNORECASE).split()
    )
