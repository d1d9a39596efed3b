"""Results as people read and hear them, in English and German."""

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
import re
from typing import Final

from ...canonical import Json
from .arithmetic import Number
from .numerals import COMMA_LANGUAGES
from .units import Conversion, Unit

# A float is right to fifteen digits; nobody listens to more than six or twelve.
_DIGITS: Final = 15
_DIGITS_HEARD_EXACT: Final = 12
_DIGITS_HEARD_ROUNDED: Final = 6
_MAX_JSON: Final = (1 << 63) - 1
_LARGE: Final = Decimal("1e15")
_SMALL: Final = Decimal("1e-6")
# From five digits on a number is heard and read in groups of three.
_GROUPED: Final = Decimal(10_000)


@dataclass(frozen=True, slots=True)
class _Words:
    one: str
    many: str
    about: str
    shift: str
    group: str


# "17 Prozent von 249": many hundredths.
_SHARE: Final = re.compile(r"\s*\S+\s*(%|percent|prozent)\s+(of|von)\b", re.IGNORECASE)
_WORDS: Final = {
    "en": _Words("is", "is", "about", "times 10 to the power of", ","),
    "de": _Words("ist", "sind", "ungefähr", "mal 10 hoch", "."),
}


def uses_comma(language: str) -> bool:
    """Return whether a language writes decimals with a comma."""
    return _base(language) in COMMA_LANGUAGES


def json_value(number: Number) -> Json:
    """Return a number for JSON: digits as text where readers would lose some."""
    if isinstance(number, int):
        return number if abs(number) <= _MAX_JSON else str(number)
    if isinstance(number, Fraction):
        return float(number)
    return float(f"{number:.{_DIGITS}g}")


def written(number: Number, language: str) -> str:
    """Return a number in digits: a whole one in full, others to fifteen digits."""
    if isinstance(number, int):
        return str(number)
    return _digits(_rounded(number, _DIGITS), language)


def written_unit(number: Number, unit: Unit, language: str) -> str:
    """Return a number with its unit's symbol."""
    space = "" if unit.symbol == "°" else " "
    return f"{written(number, language)}{space}{unit.symbol}"


def say_result(expression: str, number: Number, language: str) -> str:
    """Return a sentence that says what an expression comes to."""
    words = _WORDS.get(_base(language))
    amount = _spoken(number, language)
    if words is None:
        return f"{_quiet(expression)} = {amount}"
    share = _SHARE.match(expression) is not None
    return f"{_quiet(expression)} {words.many if share else words.one} {amount}"


def say_conversion(done: Conversion, language: str) -> str:
    """Return a sentence that says what an amount is in another unit."""
    base = _base(language)
    words = _WORDS.get(base)
    amount = _spoken(done.value, language)
    if words is None:
        return f"{_quiet(done.amount)} = {amount} {done.target.symbol}"
    verb = words.one if done.given == 1 else words.many
    name = done.target.names[base][done.value != 1]
    return f"{_quiet(done.amount)} {verb} {amount} {name}"


def _spoken(number: Number, language: str) -> str:
    words = _WORDS.get(_base(language))
    full = _rounded(number, _DIGITS)
    exact = isinstance(number, float) or _fraction(full) == number
    heard = full
    if not exact or len(full.as_tuple().digits) > _DIGITS_HEARD_EXACT:
        whole = full.adjusted() + 1 if abs(full) < _LARGE else 0
        heard = _rounded(full, max(_DIGITS_HEARD_ROUNDED, whole))
        exact = exact and heard == full
    text = _digits(heard, language)
    if words is None:
        return text
    mantissa, _, shift = text.partition("e")
    if shift:
        text = f"{mantissa} {words.shift} {shift}"
    elif abs(heard) >= _GROUPED:
        text = _grouped(text, words.group)
    return text if exact else f"{words.about} {text}"


def _rounded(number: Number | Decimal, digits: int) -> Decimal:
    context = Context(prec=digits)
    if isinstance(number, Fraction):
        above, below = Decimal(number.numerator), Decimal(number.denominator)
        return context.divide(above, below).normalize(context)
    if isinstance(number, float):
        number = Decimal(f"{number:.{digits}g}")
    return context.create_decimal(number).normalize(context)


def _fraction(number: Decimal) -> Fraction:
    return Fraction(*number.as_integer_ratio())


def _digits(number: Decimal, language: str) -> str:
    if number and not _SMALL <= abs(number) < _LARGE:
        mantissa = number.scaleb(-number.adjusted()).normalize()
        text = f"{mantissa:f}e{number.adjusted()}"
    else:
        text = f"{number:f}"
    return text.replace(".", ",") if uses_comma(language) else text


def _grouped(text: str, mark: str) -> str:
    """Return digits with a mark before each three of the whole part."""
    whole = re.match(r"-?\d+", text)
    end = whole.end() if whole else 0
    return f"{int(text[:end]):,}".replace(",", mark) + text[end:] if end else text


def _quiet(text: str) -> str:
    return " ".join(text.split())


def _base(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()
