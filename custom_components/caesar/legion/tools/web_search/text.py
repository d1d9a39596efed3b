"""Makes foreign text plain: no markup, nothing invisible, bounded."""

from html.parser import HTMLParser
from typing import Final
import unicodedata

from ...canonical import Json

# What is looked at of a field; far more than is kept of it.
MAX_RAW: Final = 4_000
# Markup can be hidden in the text of markup: `&lt;b&gt;`.
MAX_PASSES: Final = 6
_UNSPOKEN: Final = frozenset({"script", "style", "template", "noscript"})
_BREAKING: Final = frozenset({"br", "div", "li", "p", "td", "tr"})


class _Words(HTMLParser):
    """Keeps the words of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self._unspoken = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where text is not for people."""
        if tag in _UNSPOKEN:
            self._unspoken += 1
        elif tag in _BREAKING:
            self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """Note where it is again."""
        if tag in _UNSPOKEN:
            self._unspoken = max(0, self._unspoken - 1)
        elif tag in _BREAKING:
            self.words.append(" ")

    def handle_data(self, data: str) -> None:
        """Keep text."""
        if not self._unspoken:
            self.words.append(data)


def plain(value: Json, longest: int) -> str:
    """Return the words of a text or piece of HTML, at most `longest` characters.

    Anything but a text is empty. Control and format characters go, as they can hide
    words from the person that the model still reads.
    """
    if not isinstance(value, str):
        return ""
    text = value[:MAX_RAW]
    for _ in range(MAX_PASSES):
        before, text = text, _without_markup(text)
        if text == before:
            break
    return shortened(visible(text), longest)


def visible(text: str) -> str:
    """Return a text in one line, without characters that nobody can see."""
    spaced = "".join(" " if character.isspace() else character for character in text)
    seen = "".join(
        character
        for character in spaced
        if not unicodedata.category(character).startswith("C")
        and not _is_selector(character)
    )
    return " ".join(seen.split())


def shortened(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters, cut between words if it can be."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    whole, space, _ = cut.rpartition(" ")
    return f"{whole if space and len(whole) > longest // 2 else cut}…"


def _is_selector(character: str) -> bool:
    """Return whether it is a variation selector, which can carry any bytes unseen."""
    return (
        "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
    )


def _without_markup(text: str) -> str:
    if "<" not in text and "&" not in text:
        return text
    words = _Words()
    words.feed(text)
    words.close()
    return "".join(words.words)
