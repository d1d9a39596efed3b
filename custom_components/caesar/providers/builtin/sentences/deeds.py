"""Sentences that tell what to do with "it" or "them", as follow-ups read them."""

from typing import Any


def deed_of(one: str, many: str, deed: str, *sentences: str) -> list[dict[str, Any]]:
    """Return sentences whose `<it>` is the word for one thing, or for several."""
    return [
        {
            "sentences": [text.replace("<it>", words) for text in sentences],
            "slots": {"deed": deed, "many": several},
        }
        for words, several in ((one, False), (many, True))
    ]
