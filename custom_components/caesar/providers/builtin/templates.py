"""The templates of tools' sentences: read within bounds, and spelt out.

The syntax is hassil's (https://github.com/OHF-Voice/hassil): `(a|b)` alternatives,
`[a]` may be left out, `{property}` any words. It comes from workers, so it is read
here and not by hassil, whose cost no bound holds: what is large, nested, or refers to
rules is refused before anything is spelt out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise, product
import re
from typing import Final

MAX_TEMPLATE: Final = 200
MAX_NESTING: Final = 5
MAX_SPELLINGS: Final = 256
MAX_WILDCARDS: Final = 3
MIN_FIXED_WORDS: Final = 2

_TOKEN: Final = re.compile(
    r"\{[a-zA-Z][a-zA-Z0-9_]{0,63}\}|[()\[\]|]|[^()\[\]|{}<>;\\]+"
)
_NOT_OFFERED: Final = re.compile(r"[<>;\\]|\{[^}]*[^a-zA-Z0-9_}][^}]*\}")
_CLOSES: Final = {"(": ")", "[": "]"}
_MARKS: Final = re.compile(r"[^\w\s]|_")


class Trouble(StrEnum):
    """Why a sentence is not heard; each has a text `sentence_<value>`."""

    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    BRACKETS = "brackets"
    NOT_OFFERED = "not_offered"
    TOO_LARGE = "too_large"
    FEW_WORDS = "few_words"
    WILDCARDS = "wildcards"
    GLUED = "glued"
    PROPERTY = "property"
    PROPERTY_TYPE = "property_type"
    REQUIRED = "required"
    EVERYDAY = "everyday"


class TemplateError(Exception):
    """A template that is refused, and why."""

    def __init__(self, trouble: Trouble, **values: str) -> None:
        """Keep the reason; `values` fill its text."""
        super().__init__(trouble.value)
        self.trouble: Final = trouble
        self.values: Final = values


@dataclass(frozen=True, slots=True)
class Wildcard:
    """Any words; `name` is a property of the tool's input."""

    name: str


type Part = str | Wildcard
type Spelling = tuple[Part, ...]


@dataclass(slots=True)
class _Row:
    """Items one after another."""

    items: list[str | Wildcard | _Choice]


@dataclass(slots=True)
class _Choice:
    """One of several rows."""

    rows: list[_Row]


def spell_out(template: str) -> tuple[Spelling, ...]:
    """Return every way to say a template. Raises TemplateError.

    Each is a row of fixed words, as `plain` writes them, and wildcards.
    """
    if len(template) > MAX_TEMPLATE:
        raise TemplateError(Trouble.TOO_LONG, limit=str(MAX_TEMPLATE))
    if _NOT_OFFERED.search(template):
        raise TemplateError(Trouble.NOT_OFFERED)
    row = _read(_tokens(template))
    if _count(row) > MAX_SPELLINGS:
        raise TemplateError(Trouble.TOO_LARGE, limit=str(MAX_SPELLINGS))
    found = dict.fromkeys(_words(items) for items in _spellings(row))
    for spelling in found:
        _check(spelling)
    return tuple(found)


def plain(word: str) -> str:
    """Return a word without marks and capitals, as it is compared."""
    return _MARKS.sub("", word).strip().casefold()


def _tokens(template: str) -> list[str]:
    tokens: list[str] = []
    at = 0
    while at < len(template):
        if (match := _TOKEN.match(template, at)) is None:
            raise TemplateError(Trouble.BRACKETS)
        tokens.append(match[0])
        at = match.end()
    return tokens


def _read(tokens: Sequence[str]) -> _Row:
    """Return what the tokens mean."""
    whole = _Choice([_Row([])])
    open_: list[tuple[str, _Choice]] = [("", whole)]
    for token in tokens:
        choice = open_[-1][1]
        if token in _CLOSES:
            inner = _Choice([_Row([])])
            choice.rows[-1].items.append(inner)
            open_.append((_CLOSES[token], inner))
            if len(open_) > MAX_NESTING + 1:
                raise TemplateError(Trouble.TOO_LARGE, limit=str(MAX_SPELLINGS))
        elif token in (")", "]"):
            if open_.pop()[0] != token:
                raise TemplateError(Trouble.BRACKETS)
            if token == "]":
                choice.rows.append(_Row([]))
        elif token == "|":
            choice.rows.append(_Row([]))
        elif token.startswith("{"):
            choice.rows[-1].items.append(Wildcard(token[1:-1]))
        else:
            choice.rows[-1].items.append(token)
    if len(open_) > 1:
        raise TemplateError(Trouble.BRACKETS)
    return whole.rows[0] if len(whole.rows) == 1 else _Row([whole])


def _count(row: _Row) -> int:
    """Return how many spellings there are, without making them."""
    number = 1
    for item in row.items:
        if isinstance(item, _Choice):
            number *= sum(map(_count, item.rows))
    return number


def _spellings(row: _Row) -> Iterator[tuple[str | Wildcard, ...]]:
    choices: list[list[tuple[str | Wildcard, ...]]] = [
        [each for inner in item.rows for each in _spellings(inner)]
        if isinstance(item, _Choice)
        else [(item,)]
        for item in row.items
    ]
    for chosen in product(*choices):
        yield tuple(item for part in chosen for item in part)


def _words(items: tuple[str | Wildcard, ...]) -> Spelling:
    """Return the words of a spelling: brackets may stand within a word."""
    parts: list[Part] = []
    glued = False
    text = ""
    for item in items:
        if isinstance(item, Wildcard):
            glued |= bool(plain(text[-1:])) or (not text and _ends_wild(parts))
            parts += _split(text)
            parts.append(item)
            text = ""
        else:
            glued |= not text and _ends_wild(parts) and bool(plain(item[:1]))
            text += item
    if glued:
        raise TemplateError(Trouble.GLUED)
    return (*parts, *_split(text))


def _ends_wild(parts: list[Part]) -> bool:
    return bool(parts) and isinstance(parts[-1], Wildcard)


def _split(text: str) -> list[str]:
    return [word for each in text.split() if (word := plain(each))]


def _check(spelling: Spelling) -> None:
    wild = [part for part in spelling if isinstance(part, Wildcard)]
    if len(spelling) - len(wild) < MIN_FIXED_WORDS:
        raise TemplateError(Trouble.FEW_WORDS, words=said(spelling))
    if len(wild) > MAX_WILDCARDS or len(set(wild)) < len(wild):
        raise TemplateError(Trouble.WILDCARDS, limit=str(MAX_WILDCARDS))
    pairs = pairwise(spelling)
    if any(isinstance(a, Wildcard) and isinstance(b, Wildcard) for a, b in pairs):
        raise TemplateError(Trouble.GLUED)


def said(spelling: Spelling) -> str:
    """Return a spelling as a text that a person can read."""
    return " ".join(
        f"{{{part.name}}}" if isinstance(part, Wildcard) else part for part in spelling
    )
