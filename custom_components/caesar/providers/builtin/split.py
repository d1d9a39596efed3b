"""Takes a sentence with several commands apart.

"Turn off the hall light and the kitchen light" has one verb for two things, so each
half is completed with what the other one says; "turn off the lights and lock the
front door" are two sentences. A half that is only a name is never taken as a command
of its own: Home Assistant reads a bare name as "turn it on".
"""

from collections.abc import Iterator
import re
from typing import Final

from hassil.util import remove_punctuation

_JOINTS: Final = {
    "en": re.compile(
        r"\s*,?\s+(?:and then|and also|and|then)\s+|\s*,\s+", re.IGNORECASE
    ),
    "de": re.compile(
        r"\s*,?\s+(?:und dann|und auch|und|dann)\s+|\s*,\s+", re.IGNORECASE
    ),
}
_ARTICLES: Final = frozenset(
    ("the", "my", "our", "der", "die", "das", "den", "dem", "im", "in", "on")
)
_LONGEST_NAME: Final = 7


def halves(
    text: str, language: str, names: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield the ways to read `text` as two sentences, the likeliest first.

    `language` is a base language such as "de", `names` are the known names in lower
    case. Each half may itself hold several commands.
    """
    joint = _JOINTS.get(language)
    if joint is None:
        return
    for match in joint.finditer(text):
        left, right = text[: match.start()].split(), text[match.end() :].split()
        first = _ends_with_name(left, names)
        second = _starts_with_name(right, names)
        if first and second:
            before, after = left[:-first], right[second:]
            yield (
                " ".join((*before, *left[-first:], *after)),
                " ".join((*before, *right[:second], *after)),
            )
        if left and right and first != len(left) and second != len(right):
            yield " ".join(left), " ".join(right)


def _ends_with_name(words: list[str], names: frozenset[str]) -> int:
    """Return how many of the last words are a name with its article; 0 for none."""
    for size in range(min(_LONGEST_NAME, len(words)), 0, -1):
        if _is_name(words[-size:], names):
            before = words[-size - 1].casefold() if size < len(words) else ""
            return size + 1 if before in _ARTICLES else size
    return 0


def _starts_with_name(words: list[str], names: frozenset[str]) -> int:
    """Return how many of the first words are a name with its article; 0 for none."""
    skip = 1 if words and words[0].casefold() in _ARTICLES else 0
    if skip and len(words) > 1 and words[1].casefold() in _ARTICLES:
        skip = 2
    for size in range(min(_LONGEST_NAME, len(words) - skip), 0, -1):
        if _is_name(words[skip : skip + size], names):
            return skip + size
    return 0


def _is_name(words: list[str], names: frozenset[str]) -> bool:
    return remove_punctuation(" ".join(words)).strip().casefold() in names
