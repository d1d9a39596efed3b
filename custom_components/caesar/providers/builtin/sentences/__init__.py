"""Everyday sentences that Home Assistant's own ones lack, per language.

The shape is hassil's (https://github.com/OHF-Voice/hassil). `{name}`, `{area}` and
`{floor}` are the house's own names; lists that are not defined here, such as the
colours, are Home Assistant's. Intents named `Caesar…` are understood here alone.
"""

from typing import Any, Final

from . import de, en

OWN_PREFIX: Final = "Caesar"

_LANGUAGES: Final[dict[str, dict[str, Any]]] = {
    "de": de.SENTENCES,
    "en": en.SENTENCES,
}


def sentences_of(language: str) -> dict[str, Any] | None:
    """Return the sentences of a base language such as "de"; None if there are none."""
    return _LANGUAGES.get(language)
