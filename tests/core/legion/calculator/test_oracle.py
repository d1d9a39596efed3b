"""Against oracles: Python's own evaluation, exact fractions, Home Assistant's units."""

from fractions import Fraction
import math

from homeassistant.util import unit_conversion
from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.legion.tools.calculator.numerals import read_words
from custom_components.caesar.legion.tools.calculator.units import UNITS, Unit, convert
from custom_components.caesar.legion.tools.calculator.worker import calculate
from tests.core.legion.calculator.asking import outcome

CONVERTERS = {
    "length": unit_conversion.DistanceConverter,
    "area": unit_conversion.AreaConverter,
    "volume": unit_conversion.VolumeConverter,
    "mass": unit_conversion.MassConverter,
    "temperature": unit_conversion.TemperatureConverter,
    "speed": unit_conversion.SpeedConverter,
    "duration": unit_conversion.DurationConverter,
    "energy": unit_conversion.EnergyConverter,
    "power": unit_conversion.PowerConverter,
    "pressure": unit_conversion.PressureConverter,
    "data": unit_conversion.InformationConverter,
    "frequency": unit_conversion.FrequencyConverter,
}
# What Home Assistant writes otherwise.
SPELLINGS = {"µg": "μg", "µs": "μs", "wk": "w", "fl oz": "fl. oz."}
PAIRS = [
    (source.symbol, target.symbol, converter)
    for dimension, converter in CONVERTERS.items()
    for source in UNITS
    for target in UNITS
    if source.dimension == target.dimension == dimension
    and SPELLINGS.get(source.symbol, source.symbol) in converter.VALID_UNITS
    and SPELLINGS.get(target.symbol, target.symbol) in converter.VALID_UNITS
]

_INTEGERS = st.integers(0, 10**12).map(str)
_DECIMALS = st.decimals(0, 10**6, places=3).map(lambda number: f"{number:f}")


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    sign = st.sampled_from(["+", "-", "*", "/", "//"])
    return st.one_of(
        st.tuples(inner, sign, inner).map(" ".join),
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"-({text})"),
        st.tuples(inner, st.integers(0, 5)).map(lambda two: f"({two[0]})**{two[1]}"),
        st.tuples(inner, st.integers(1, 999)).map(
            lambda two: f"({two[0]}) % ({two[1]})"
        ),
    )


def _oracle(expression: str) -> Fraction:
    # What the strategies below make is digits, signs and brackets, nothing else.
    exact = "".join(
        f"Fraction('{part}')" if part[0].isdigit() else part
        for part in _split_numbers(expression)
    )
    return Fraction(eval(exact, {"Fraction": Fraction}))  # noqa: S307 our own grammar


def _split_numbers(expression: str) -> list[str]:
    parts = [""]
    for letter in expression:
        number = letter.isdigit() or letter == "."
        if parts[-1] and (parts[-1][-1].isdigit() or parts[-1][-1] == ".") == number:
            parts[-1] += letter
        else:
            parts.append(letter)
    return [part for part in parts if part]


@settings(max_examples=300, deadline=None)
@given(st.recursive(st.one_of(_INTEGERS, _DECIMALS), _combined, max_leaves=8))
def test_arithmetic_is_exact(expression: str) -> None:
    """Fractions, worked out by Python itself, come to the same."""
    if len(expression) > 256:
        return
    value, code = outcome(expression)
    try:
        expected = _oracle(expression)
    except ZeroDivisionError:
        assert code in ("undefined", "too_large")
        return
    if code is not None:
        size = expected.numerator.bit_length() + expected.denominator.bit_length()
        assert code == "too_large"
        assert size > 500
        return
    if isinstance(value, float):
        assert value == float(expected)
    else:
        assert isinstance(value, (int, str))
        assert int(value) == expected


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["sqrt", "cbrt", "exp", "log", "log2", "log10", "sin", "cos"]),
    st.decimals("0.001", 700, places=3),
)
def test_functions_agree_with_the_math_module(name: str, number: object) -> None:
    """To the fifteen digits that a float is good for."""
    value = calculate(f"{name}({number})")["value"]
    assert isinstance(value, (int, float))
    expected = getattr(math, name)(float(str(number)))
    assert math.isclose(value, expected, rel_tol=1e-13, abs_tol=1e-14)


@pytest.mark.parametrize(
    "pair", PAIRS, ids=[f"{source} {target}" for source, target, _ in PAIRS]
)
def test_units_agree_with_home_assistant(
    pair: tuple[str, str, type[unit_conversion.BaseUnitConverter]],
) -> None:
    """Its converters round some constants, in the ninth digit at worst."""
    source, target, converter = pair
    done = calculate(f"300 {source} in {target}")
    assert isinstance(done["value"], (int, float))
    expected = converter.convert(
        300, SPELLINGS.get(source, source), SPELLINGS.get(target, target)
    )
    assert math.isclose(done["value"], expected, rel_tol=1e-6)


def test_enough_units_meet_the_oracle() -> None:
    """Else a changed spelling would empty the comparison unnoticed."""
    assert len(PAIRS) > 500


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.symbol)
def test_each_unit_is_known_by_its_names(unit: Unit) -> None:
    """From each other unit of its dimension, in both languages, and exactly back."""
    others = [other for other in UNITS if other.dimension == unit.dimension]
    for other in others:
        if other is unit:
            continue
        for name in {unit.symbol, *unit.names["en"], *unit.names["de"]}:
            done = calculate(f"700 {other.symbol}", unit=name)
            assert done["unit"] == unit.symbol
        there = convert(f"700 {other.symbol}", unit.symbol, comma=False)
        assert there is not None
        back = convert(f"{there.value} {unit.symbol}", other.symbol, comma=False)
        assert back is not None
        assert math.isclose(back.value, 700, rel_tol=1e-12)


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety"
ONES, TENS = _ONES.split(), _TENS.split()


def _english(number: int) -> list[str]:
    for scale, word in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= scale:
            rest = _english(number % scale) if number % scale else []
            return [*_english(number // scale), word, *rest]
    if number < 20:
        return [ONES[number]]
    return [TENS[number // 10], *([ONES[number % 10]] if number % 10 else [])]


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 999_999_999))
def test_every_english_number_is_understood(number: int) -> None:
    """As it is said, word by word."""
    words = _english(number)
    assert read_words(words) == (number, len(words))
    assert calculate(" ".join(words))["value"] == number
