"""Conversions: "5 miles in kilometres", "20 °C to °F", "5 ft 3 in in cm"."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
import re
from typing import Final

from ...worker import TaskError
from ..error_words import Both
from . import arithmetic, refusals
from .arithmetic import Number
from .parser import MAX_LENGTH, evaluate
from .unit_table import MONEY, OFFSETS, TABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit of a dimension.

    A value in the dimension's base is `(value + offset) * factor`. `names` holds
    singular and plural for each language.
    """

    symbol: str
    dimension: str
    factor: Fraction
    offset: Fraction
    names: dict[str, tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """A conversion as it was asked: `amount` as written, and what it comes to."""

    amount: str
    source: Unit
    given: Number
    target: Unit
    value: Number


_INTO: Final = re.compile(r"\s(?:to|into|in|as|nach|zu|->|→)\s", re.IGNORECASE)
_LAST_NUMBER: Final = re.compile(r"(?:\s(?:and|und))?\s+([\d.,]+)\s*\Z", re.ASCII)
_FIRST_NUMBER: Final = re.compile(r"\s*([\d.,]+)", re.ASCII)
_LONGEST_NAME: Final = 60


def convert(expression: str, unit: str | None, *, comma: bool) -> Conversion | None:
    """Return what a conversion comes to, or None if the expression is none.

    `unit` is the wanted unit where it stands apart. Raises TaskError for units that
    aren't known or don't measure the same.
    """
    if len(expression) > MAX_LENGTH:
        return None
    if unit is not None:
        return _convert(expression, unit, comma=comma)
    splits = [
        (expression[: match.start()], expression[match.end() :])
        for match in _ways(expression)
    ]
    for amount, wanted in splits:
        if units_called(wanted):
            return _convert(amount, wanted, comma=comma)
    for amount, wanted in splits:
        _no_money(wanted)
        if any(_endings(amount)):
            raise _unknown(wanted)
    if any(_endings(expression)):
        raise refusals.WHICH_UNIT.error(text=expression.strip()[:40])
    return None


def units_called(name: str) -> tuple[Unit, ...]:
    """Return the units that people call so; upper and lower case count where needed."""
    plain = " ".join(name.split()).removesuffix(".")
    if len(plain) > _LONGEST_NAME:
        return ()
    return _BY_NAME.get(plain) or _BY_LOWER_NAME.get(plain.lower(), ())


def _ways(expression: str) -> Iterator[re.Match[str]]:
    # "12 in in cm": the last that fits; they overlap, so each is looked for alone.
    at = len(expression)
    while at > 0:
        at -= 1
        if match := _INTO.match(expression, at):
            yield match


def _endings(amount: str) -> Iterator[tuple[str, tuple[Unit, ...]]]:
    """Yield each way to end an amount with a unit, the longest name first."""
    for at in range(max(1, len(amount) - _LONGEST_NAME), len(amount)):
        joined = amount[at - 1].isalpha() and amount[at].isalpha()
        if not joined and (found := units_called(amount[at:])):
            yield amount[:at], found


def _convert(amount: str, wanted: str, *, comma: bool) -> Conversion:
    targets = units_called(wanted)
    if not targets:
        _no_money(wanted)
        raise _unknown(wanted)
    ending = next(_endings(amount), None)
    if ending is None:
        _no_money(amount)
        raise refusals.NO_UNIT.error(text=amount.strip()[:40])
    number, sources = ending
    pairs = [
        (source, target)
        for source in sources
        for target in targets
        if source.dimension == target.dimension
    ]
    if not pairs:
        raise _not_alike(sources[0], targets[0])
    if len(pairs) > 1:
        raise refusals.SEVERAL_UNITS.error(
            amount=amount.strip()[:40], unit=wanted.strip()
        )
    source, target = pairs[0]
    given = _given(number, source, comma=comma)
    return Conversion(
        amount=amount.strip(),
        source=source,
        given=given,
        target=target,
        value=arithmetic.final(_between(given, source, target)),
    )


def _given(text: str, unit: Unit, *, comma: bool) -> Number:
    """Return an amount in its last unit, also of two parts as in "5 ft 3 in"."""
    first, last = _FIRST_NUMBER.match(text), _LAST_NUMBER.search(text)
    if first is not None and last is not None and first.end() < last.start():
        for larger in units_called(text[first.end() : last.start()]):
            if larger.dimension == unit.dimension and larger.factor > unit.factor:
                whole = evaluate(first[1], comma=comma)
                part = evaluate(last[1], comma=comma)
                return arithmetic.add(_between(whole, larger, unit), part)
    return evaluate(text, comma=comma)


def _between(value: Number, source: Unit, target: Unit) -> Number:
    base = arithmetic.multiply(arithmetic.add(value, source.offset), source.factor)
    if source.dimension == "temperature" and base < 0:
        raise refusals.BELOW_ZERO.error()
    return arithmetic.subtract(arithmetic.divide(base, target.factor), target.offset)


def _no_money(text: str) -> None:
    if any(word in MONEY for word in re.findall(r"[^\W\d]+|[$€£¥]", text.lower())):
        raise refusals.MONEY.error()


def _unknown(wanted: str) -> TaskError:
    return refusals.UNKNOWN_UNIT.error(text=wanted.strip()[:40])


def _not_alike(source: Unit, target: Unit) -> TaskError:
    def dimension(unit: Unit) -> Both:
        return Both(en=unit.dimension, de=refusals.DIMENSIONS[unit.dimension])

    def plural(unit: Unit) -> Both:
        return Both(en=unit.names["en"][1], de=unit.names["de"][1])

    return refusals.NOT_ALIKE.error(
        source=plural(source),
        one=dimension(source),
        target=plural(target),
        other=dimension(target),
    )


def _read_table() -> tuple[Unit, ...]:
    found: list[Unit] = []
    dimension = ""
    for line in TABLE.strip().splitlines():
        if "|" not in line:
            dimension = line
            continue
        symbol, size, english, german, _ = (part.strip() for part in line.split("|"))
        above, _, below = size.partition("/")
        names = {"en": _two(english), "de": _two(german)}
        found.append(
            Unit(
                symbol=symbol,
                dimension=dimension,
                factor=Fraction(above) / Fraction(below or 1),
                offset=Fraction(OFFSETS.get(symbol, 0)),
                names=names,
            )
        )
    return tuple(found)


def _two(names: str) -> tuple[str, str]:
    first, _, second = names.partition(", ")
    return first, second or first


def _spellings(line: str) -> Iterator[str]:
    symbol, _, *names = (part.strip() for part in line.split("|"))
    for name in [symbol, *(one for part in names for one in part.split(", ") if one)]:
        yield name
        yield name.replace("metre", "meter").replace("litre", "liter")
        yield name.replace("²", "^2").replace("³", "^3")
        yield name.replace("²", "2").replace("³", "3")
        yield name.replace("µ", "μ")
        yield name.replace(" hour", "-hour").replace("light year", "lightyear")
        if name.endswith(("meter", "liter")) or (
            name[0].isupper() and name.endswith(("e", "er", "el"))
        ):
            # The German dative: "in Metern", "in Meilen", "in Tagen".
            yield name + "n"


def _by_name(*, lower: bool) -> dict[str, tuple[Unit, ...]]:
    found: dict[str, tuple[Unit, ...]] = {}
    lines = [line for line in TABLE.strip().splitlines() if "|" in line]
    for unit, line in zip(UNITS, lines, strict=True):
        for name in _spellings(line):
            key = name.lower() if lower else name
            if unit not in found.get(key, ()):
                found[key] = (*found.get(key, ()), unit)
    return found


UNITS: Final = _read_table()
_BY_NAME: Final = _by_name(lower=False)
_BY_LOWER_NAME: Final = _by_name(lower=True)
