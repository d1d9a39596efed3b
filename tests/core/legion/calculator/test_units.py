"""Conversions: exact, in words of two languages, and honest where they can't be."""

from fractions import Fraction

import pytest

from custom_components.caesar.legion.tools.calculator.units import UNITS
from tests.core.legion.calculator.asking import ask, refusal


def test_there_are_units_for_a_household() -> None:
    """About 120 in 12 dimensions were asked for; no symbol means two of them."""
    assert len(UNITS) >= 120
    assert len({unit.dimension for unit in UNITS}) >= 12
    assert len({unit.symbol for unit in UNITS}) == len(UNITS)
    assert all(isinstance(unit.factor, Fraction) for unit in UNITS)


@pytest.mark.parametrize(
    ("expression", "language", "value", "unit", "say"),
    [
        ("5 miles in kilometres", "en", 8.04672, "km", "5 miles is 8.04672 kilometres"),
        ("5 miles to kilometers", "en", 8.04672, "km", "5 miles is 8.04672 kilometres"),
        (
            "5 Meilen in Kilometern",
            "de",
            8.04672,
            "km",
            "5 Meilen sind 8,04672 Kilometer",
        ),
        ("3 Meilen in Fuß", "de", 15840, "ft", "3 Meilen sind 15.840 Fuß"),
        ("1 Meile in km", "de", 1.609344, "km", "1 Meile ist 1,609344 Kilometer"),
        ("1 inch in cm", "en", 2.54, "cm", "1 inch is 2.54 centimetres"),
        ("2.54 cm in inches", "en", 1, "in", "2.54 cm is 1 inch"),
        ("12 in in cm", "en", 30.48, "cm", "12 in is 30.48 centimetres"),
        ("5 ft 3 in in cm", "en", 160.02, "cm", "5 ft 3 in is 160.02 centimetres"),
        ("5 feet and 3 inches to m", "en", 1.6002, "m", None),
        ("2 Stunden und 30 Minuten in Sekunden", "de", 9000, "s", None),
        ("half a mile in km", "en", 0.804672, "km", None),
        ("a mile in km", "en", 1.609344, "km", None),
        ("eine halbe Stunde in Minuten", "de", 30, "min", None),
        ("(3+4)*2 kg in g", "en", 14000, "g", None),
        ("1/2 cup in ml", "en", 118.29411825, "mL", None),
        ("twenty five yards in metres", "en", 22.86, "m", None),
        (
            "100 F in C",
            "en",
            37.77777777777778,
            "°C",
            "100 F is about 37.7778 degrees Celsius",
        ),
        ("20 Grad in Fahrenheit", "de", 68, "°F", "20 Grad sind 68 Grad Fahrenheit"),
        ("-40 °C to °F", "en", -40, "°F", None),
        ("0 kelvin in celsius", "en", -273.15, "°C", None),
        ("90 degrees in gon", "en", 100, "gon", None),
        ("3 Pfund in Kilogramm", "de", 1.5, "kg", "3 Pfund sind 1,5 Kilogramm"),
        ("3 pounds in kg", "en", 1.36077711, "kg", None),
        ("3 MW in kW", "en", 3000, "kW", None),
        ("3000 mW in W", "en", 3, "W", None),
        ("1 GiB in MB", "en", 1073.741824, "MB", None),
        ("8 Mbit -> MB", "en", 1, "MB", None),
        ("80 km/h in m/s", "en", 22.22222222222222, "m/s", None),
        ("100 m^2 in ha", "en", 0.01, "ha", None),
        ("5km in m", "en", 5000, "m", None),
        ("3,5 km in m", "de", 3500, "m", None),
        ("5 km in miles", "fr", 3.1068559611866697, "mi", "5 km = 3,10686 mi"),
        ("90° in turns", "en", 0.25, "turn", "90° is 0.25 turns"),
    ],
)
async def test_conversions(
    expression: str, language: str, value: float, unit: str, say: str | None
) -> None:
    """What is said names the unit in the language of the hints."""
    answer = await ask(expression, language=language)
    assert (answer["value"], answer["unit"]) == (value, unit)
    assert say is None or answer["say"] == say


async def test_the_unit_can_stand_apart() -> None:
    """So that "how many feet are 3 miles" can be asked."""
    answer = await ask("3 miles", unit="feet")
    assert (answer["value"], answer["text"]) == (15840, "15840 ft")
    assert answer["say"] == "3 miles is 15,840 feet"
    turned = await ask("1 turn", unit="degrees")
    assert turned["text"] == "360°"


@pytest.mark.parametrize(
    ("expression", "code", "words"),
    [
        ("5 euro in dollars", "unit", "exchange rates"),
        ("$5 in €", "unit", "exchange rates"),
        ("5 miles in dollars", "unit", "exchange rates"),
        ("5 dollars in km", "unit", "exchange rates"),
        ("5 miles in parsecs", "unit", "the unit 'parsecs'"),
        ("5 bananas in km", "unit", "the unit of '5 bananas'"),
        (
            "5 miles in litres",
            "unit",
            "miles measure length, but litres measure volume",
        ),
        ("3 mw in kW", "unclear", "several units"),
        ("-300 °C in K", "undefined", "below absolute zero"),
        ("5 miles", "unit", "Which unit do you want '5 miles' in?"),
        ("1e300 ly in nm", "too_large", "too large"),
        ("(2+ km in m", "not_understood", "missing"),
        ("km in m", "unit", "the unit of 'km'"),
        ("5 bananas 3 in in cm", "not_understood", "bananas"),
        ("5 kg 3 in in cm", "not_understood", "'kg'"),
    ],
)
async def test_what_cannot_be_converted(expression: str, code: str, words: str) -> None:
    """Each refusal says which part is the trouble."""
    err = await refusal(expression)
    assert err.code == code
    assert words in err.message
