"""Numbers as people write and say them: "1,000", "3,5", "twenty-five", "fünfzehn"."""

from collections.abc import Sequence
from fractions import Fraction
import re
from typing import Final

from ...worker import TaskError
from . import refusals
from .arithmetic import too_large

# Languages that write a comma where English writes a point.
_COMMAS: Final = (
    "bg ca cs da de el es et fi fr hr hu id is it lt lv nb nl nn no pl pt ro ru sk sl sr "
    "sv tr uk"
)
COMMA_LANGUAGES: Final = frozenset(_COMMAS.split())
_MAX_SHIFT: Final = 400
_SHIFT: Final = re.compile(r"[+-]?\d+\Z", re.ASCII)


def _counted(words: str, first: int = 0, step: int = 1) -> dict[str, int]:
    return {word: step * at for at, word in enumerate(words.split(), first)}


_ENGLISH: Final = _counted(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen"
)
_ENGLISH_TENS: Final = _counted(
    "twenty thirty forty fifty sixty seventy eighty ninety", 2, 10
)
_ENGLISH_SCALES: Final = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
ENGLISH_NUMBERS: Final = frozenset((*_ENGLISH, *_ENGLISH_TENS, *_ENGLISH_SCALES))
_GERMAN: Final = _counted(
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn "
    "vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
) | {"eins": 1, "zwo": 2}
_GERMAN_TENS: Final = _counted(
    "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", 2, 10
) | {"dreissig": 30}


def read_number(text: str, *, comma: bool) -> int | Fraction:
    """Return what digits with points, commas and an exponent mean.

    `comma` says that the language writes decimals with a comma. A whole number without
    point or exponent is an int, all else a Fraction. Raises TaskError for a text that can
    be read in two ways.
    """
    digits, _, shift = text.lower().partition("e")
    whole, fraction = _parts(digits, comma=comma)
    if fraction is None and not shift:
        return int(whole)
    number = Fraction(int(whole + (fraction or "")), 10 ** len(fraction or ""))
    if not shift:
        return number
    if not _SHIFT.match(shift):
        raise _unclear(text)
    places = int(shift)
    if places > _MAX_SHIFT:
        too_large()
    if places < -_MAX_SHIFT:
        raise refusals.SMALL_NUMBER.error(text=text)
    return number * Fraction(10) ** places


def _parts(text: str, *, comma: bool) -> tuple[str, str | None]:
    point, group = (",", ".") if comma else (".", ",")
    whole, sign, fraction = text.partition(point)
    if point in fraction or group in fraction:
        raise _unclear(text)
    if group not in whole:
        return whole or "0", fraction if sign else None
    first, *groups = whole.split(group)
    grouped = 1 <= len(first) <= 3 and all(len(part) == 3 for part in groups)
    if comma and not sign and len(groups) == 1:
        # A model writes decimals with a point in any language.
        if not grouped or first == "0":
            return first or "0", groups[0]
        if not groups[0].endswith("0"):
            whole, decimal = f"{first}{groups[0]}", f"{first},{groups[0]}"
            raise refusals.TWO_WAYS.error(text=text, whole=whole, decimal=decimal)
    if not grouped or first.startswith("0"):
        raise _unclear(text)
    return first + "".join(groups), fraction if sign else None


def _unclear(text: str) -> TaskError:
    return refusals.NO_NUMBER.error(text=text)


def read_words(words: Sequence[str]) -> tuple[int, int] | None:
    """Return the number that the first words say, and how many words that took."""
    if (number := _german(words[0])) is not None:
        return number, 1
    return _english(words)


def _english(words: Sequence[str]) -> tuple[int, int] | None:
    total = group = taken = 0
    before = ""
    for at, word in enumerate(words):
        if word == "and":
            if before not in _ENGLISH_SCALES:
                break
        elif word in _ENGLISH_SCALES and group and _scales(word, before):
            scale = _ENGLISH_SCALES[word]
            if scale == 100 and group < 100:
                group *= 100
            elif total % (scale * 1000) == 0:
                total, group = total + group * scale, 0
            else:
                break
        elif (more := _english_step(word, before)) is not None:
            group += more
        else:
            break
        if word != "and":
            taken, before = at + 1, word
    return (total + group, taken) if taken else None


def _scales(word: str, before: str) -> bool:
    # "three hundred thousand", but not "three thousand hundred".
    return before not in _ENGLISH_SCALES or (before == "hundred" != word)


def _english_step(word: str, before: str) -> int | None:
    """Return what a word adds to those before it, None if it can't follow them."""
    if not before or before in _ENGLISH_SCALES:
        return _ENGLISH_TENS.get(word, _ENGLISH.get(word))
    ones = _ENGLISH.get(word, 0)
    return ones if before in _ENGLISH_TENS and 0 < ones < 10 else None


def _german(word: str) -> int | None:
    if (small := _german_below_hundred(word)) is not None:
        return small
    total = 0
    for name, scale in (("tausend", 1000), ("hundert", 100)):
        before, sign, after = word.partition(name)
        if not sign:
            continue
        count = _german(before) if before else 1
        if not count or (scale == 100 and count > 9) or count > 999:
            return None
        total, word = total + count * scale, after.removeprefix("und")
        if not word:
            return total
    rest = _german_below_hundred(word) if total else None
    return None if rest is None else total + rest


def _german_below_hundred(word: str) -> int | None:
    if word in _GERMAN_TENS:
        return _GERMAN_TENS[word]
    if word in _GERMAN:
        return _GERMAN[word]
    ones, sign, tens = word.partition("und")
    if sign and tens in _GERMAN_TENS and 0 < _GERMAN.get(ones, 0) < 10:
        return _GERMAN_TENS[tens] + _GERMAN[ones]
    return None
