"""An expression as tokens: signs and the words of two languages become one alphabet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum, auto
from fractions import Fraction
import re
from typing import Final

from ..error_words import Both
from . import refusals
from .arithmetic import CONSTANTS, FUNCTIONS, Number
from .numerals import read_number, read_words


class Kind(StrEnum):
    """What a token is to the parser; a word is none yet."""

    WORD = auto()
    NUMBER = auto()
    FUNCTION = auto()
    OPERATOR = auto()
    PERCENT = auto()
    POINT = auto()
    OF = auto()
    OPEN = auto()
    CLOSE = auto()
    COMMA = auto()
    END = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A part of an expression.

    `text` is its sign or name, `value` what a number is, `apart` whether a space follows.
    """

    kind: Kind
    text: str
    value: Number | None = None
    apart: bool = False


_SIGNS: Final = str.maketrans(
    {"×": "*", "·": "*", "∙": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", ":": "/"}
    | {"√": " sqrt ", "π": " pi ", "²": "^2", "³": "^3", "\u00a0": " ", "\u202f": " "}
)
_WORD_OR_SIGN: Final = r"|(atan2|log10|log2|[a-zäöüß]+)|(\*\*|//|[-+*/^%(),;])"
_SHIFT: Final = r"(?:e[+-]?\d+)?"
_PART: Final = re.compile(rf"([.,]?\d+(?:[.,]\d+)*{_SHIFT}){_WORD_OR_SIGN}", re.ASCII)
# Between the brackets of a function that takes several values a comma parts them.
_PART_OF_LIST: Final = re.compile(
    rf"(\d+(?:\.\d+)?{_SHIFT}|\.\d+{_SHIFT}){_WORD_OR_SIGN}", re.ASCII
)
# The hyphen in a number word is no minus.
_HYPHEN: Final = re.compile(r"\b([a-z]{3,5}ty)-([a-z]{3,5})\b")
_KINDS: Final = {
    "(": Kind.OPEN,
    ")": Kind.CLOSE,
    ",": Kind.COMMA,
    ";": Kind.COMMA,
    "percent": Kind.PERCENT,
    "point": Kind.POINT,
    "of": Kind.OF,
}
PHRASES: Final = {
    tuple(phrase.split()): meaning
    for meaning, phrases in {
        "": "the, die",
        "+": "plus",
        "-": "minus, negative",
        "*": "times, multiplied by, x, mal, multipliziert mit",
        "/": "divided by, over, geteilt durch, dividiert durch, durch",
        "mod": "mod, modulo",
        "**": "to the power of, raised to, raised to the power of, hoch",
        "** 2": "squared, zum quadrat, im quadrat",
        "** 3": "cubed",
        "percent": "percent, per cent, prozent",
        "point": "point, komma",
        "of": "of, von, vom, aus",
        "half": "half, half a, half an, hälfte, halbe, halber, halbes, halben, "
        "eine halbe, ein halber, ein halbes, einen halben",
        "1": "a, an, eine, einen",
        "100": "a hundred, hundred",
        "1000": "a thousand, thousand",
        "sqrt": "square root, wurzel, quadratwurzel",
        "cbrt": "cube root, dritte wurzel, kubikwurzel",
        "sin": "sine, sinus",
        "cos": "cosine, kosinus, cosinus",
        "tan": "tangent, tangens",
    }.items()
    for phrase in phrases.split(", ")
}
_LONGEST: Final = max(map(len, PHRASES))
_MOST_NUMBER_WORDS: Final = 16


def tokens(text: str, *, comma: bool) -> list[Token]:
    """Return the tokens of an expression, the last of kind END.

    `comma` says that the language writes decimals with a comma. Raises TaskError for
    what isn't arithmetic.
    """
    plain = _HYPHEN.sub(r"\1 \2", text.translate(_SIGNS).lower())
    parts = list(_parts(plain, comma=comma))
    made = _decimals(list(_meant(parts)))
    return [*made, Token(kind=Kind.END, text="")]


def _parts(text: str, *, comma: bool) -> Iterator[Token]:
    at, before = 0, ""
    lists: list[bool] = []
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        in_list = bool(lists) and lists[-1]
        match = (_PART_OF_LIST if in_list else _PART).match(text, at)
        if match is None:
            raise refusals.SIGN.error(text=text[at])
        at, piece = match.end(), match[0]
        apart = at < len(text) and text[at].isspace()
        if match[1]:
            value = read_number(piece, comma=comma and not in_list)
            yield Token(kind=Kind.NUMBER, text=piece, value=value, apart=apart)
        elif match[2]:
            yield Token(kind=Kind.WORD, text=piece, apart=apart)
        else:
            if piece == "(":
                lists.append(_takes_a_list(before, comma=comma))
            elif piece == ")" and lists:
                lists.pop()
            yield replace(_symbol(piece), apart=apart)
        before = piece


def _takes_a_list(name: str, *, comma: bool) -> bool:
    # One value alone has no comma beside it, so that it can hold a decimal one.
    return name in FUNCTIONS and (not comma or FUNCTIONS[name][2] > 1)


def _meant(parts: Sequence[Token]) -> Iterator[Token]:
    at = 0
    while at < len(parts):
        if parts[at].kind is not Kind.WORD:
            yield parts[at]
            at += 1
            continue
        words: list[str] = []
        for part in parts[at : at + _MOST_NUMBER_WORDS]:
            if part.kind is not Kind.WORD:
                break
            words.append(part.text)
        made, taken = _said(words)
        yield from made
        at += taken


def _said(words: list[str]) -> tuple[list[Token], int]:
    """Return the tokens that the first words mean, and how many words that took."""
    for length in range(min(_LONGEST, len(words)), 0, -1):
        if (meaning := PHRASES.get(tuple(words[:length]))) is not None:
            return [_symbol(symbol) for symbol in meaning.split()], length
    if (said := read_words(words)) is not None:
        number, taken = said
        return [Token(kind=Kind.NUMBER, text=str(number), value=number)], taken
    return [_symbol(words[0])], 1


def _symbol(text: str) -> Token:
    if text in FUNCTIONS:
        return Token(kind=Kind.FUNCTION, text=text)
    if text in CONSTANTS:
        return Token(kind=Kind.NUMBER, text=text, value=CONSTANTS[text])
    if text == "half":
        return Token(kind=Kind.NUMBER, text=text, value=Fraction(1, 2))
    if text.isdigit():
        return Token(kind=Kind.NUMBER, text=text, value=int(text))
    if text.isalpha() and text != "mod" and text not in _KINDS:
        raise refusals.WORD.error(text=text[:40])
    text = "**" if text == "^" else text
    return Token(kind=_KINDS.get(text, Kind.OPERATOR), text=text)


def _decimals(found: list[Token]) -> Iterator[Token]:
    """Join what is said as "three point one four"."""
    at = 0
    while at < len(found):
        token = found[at]
        at += 1
        if at < len(found) and found[at].kind is Kind.POINT:
            end = at + 1
            while end < len(found) and found[end].text.isdigit():
                end += 1
            digits = "".join(part.text for part in found[at + 1 : end])
            if isinstance(token.value, int) and digits:
                value = token.value + Fraction(int(digits), 10 ** len(digits))
                token = replace(token, text=f"{token.text}.{digits}", value=value)
                at = end
        if token.kind is Kind.POINT:
            raise refusals.WORD_THERE.error(text=Both(en="point", de="Komma"))
        yield token
