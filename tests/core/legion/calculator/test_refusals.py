"""What the calculator says when it can't: in English, and to a German in German."""

import re

import pytest

from custom_components.caesar.legion.tools.calculator import refusals
from custom_components.caesar.legion.tools.calculator.arithmetic import checked
from custom_components.caesar.legion.tools.calculator.units import UNITS
from custom_components.caesar.legion.tools.error_words import ErrorWords
from custom_components.caesar.legion.worker import TaskError
from tests.core.legion.calculator.asking import refusal

SAID = (
    ("", "The expression is missing.", "Der Ausdruck fehlt."),
    (
        "1" + "+1" * 128,
        "The expression is longer than 256 characters.",
        "Der Ausdruck ist länger als 256 Zeichen.",
    ),
    (
        "9**9**9",
        "An exponent can be 10000 at most.",
        "Ein Exponent darf höchstens 10000 sein.",
    ),
    ("10**308*10.0**308", "The result is too large.", "Das Ergebnis ist zu groß."),
    ("1e-300*1e-300", "The result is too small.", "Das Ergebnis ist zu klein."),
    (
        "(-8)**0.5",
        "The result is not a real number.",
        "Das Ergebnis ist keine reelle Zahl.",
    ),
    (
        "asin(2)",
        "There is no real number that this comes to.",
        "Dabei kommt keine reelle Zahl heraus.",
    ),
    (
        "1 geteilt durch 0",
        "Nothing can be divided by zero.",
        "Durch null kann man nicht teilen.",
    ),
    (
        "0**-1",
        "Zero can't be raised to a negative power: that divides by zero.",
        "Null hoch eine negative Zahl geht nicht: Das wäre geteilt durch null.",
    ),
    (
        "pow(2, 0.5, 3)",
        "pow with three values needs whole numbers.",
        "pow braucht bei drei Werten ganze Zahlen.",
    ),
    (
        "pow(2, -1, 4)",
        "2 has no inverse for the divisor 4.",
        "2 hat kein Inverses für den Teiler 4.",
    ),
    (
        "round(1, 0.5)",
        "round needs a whole number of decimals.",
        "round braucht eine ganze Zahl von Nachkommastellen.",
    ),
    (
        "round(1, 301)",
        "round takes 300 decimals at most.",
        "round rundet auf höchstens 300 Nachkommastellen.",
    ),
    (
        "sqrt(-1)",
        "A negative number has no real square root.",
        "Eine negative Zahl hat keine reelle Quadratwurzel.",
    ),
    (
        "tan(pi/2)",
        "The tangent has no value there.",
        "Der Tangens hat dort keinen Wert.",
    ),
    (
        "log(0)",
        "Only positive numbers have a logarithm.",
        "Nur positive Zahlen haben einen Logarithmus.",
    ),
    (
        "log(8, 1)",
        "There is no logarithm to the base 1.",
        "Zur Basis 1 gibt es keinen Logarithmus.",
    ),
    (
        "1e-500",
        "1e-500 is too small a number.",
        "1e-500 ist eine zu kleine Zahl.",
    ),
    (
        "1.234",
        "1.234 can be read in two ways: write 1234 or 1,234.",
        "1.234 kann zweierlei heißen: Schreib 1234 oder 1,234.",
    ),
    (
        "1,2,3",
        "1,2,3 is not a number that I can read: decimals take one point, or in German"
        " one comma.",
        "1,2,3 ist keine Zahl, die ich lesen kann: Nachkommastellen stehen nach einem"
        " Komma, auf Englisch nach einem Punkt.",
    ),
    ("die", "There is nothing to calculate.", "Da gibt es nichts zu rechnen."),
    ("2+3)", "I don't expect ')' there.", "„)“ passt dort nicht hin."),
    (
        "(" * 51 + "1",
        "The expression is nested more than 50 deep.",
        "Der Ausdruck ist mehr als 50-fach verschachtelt.",
    ),
    (
        "5 % -3",
        "I can't tell whether the % before '-' is a percentage or a remainder: write"
        " percent or mod.",
        "Ich weiß nicht, ob das % vor „-“ Prozent oder ein Rest sein soll: Schreib"
        " Prozent oder mod.",
    ),
    ("2 3", "An operator is missing before '3'.", "Vor „3“ fehlt ein Rechenzeichen."),
    ("2+", "A number is missing at the end.", "Am Ende fehlt eine Zahl."),
    ("*2", "A number is missing before '*'.", "Vor „*“ fehlt eine Zahl."),
    ("sqrt()", "sqrt takes 1 value, not 0.", "sqrt nimmt 1 Wert, nicht 0."),
    ("atan2(1)", "atan2 takes 2 values, not 1.", "atan2 nimmt 2 Werte, nicht 1."),
    ("pow(1)", "pow takes 2 to 3 values, not 1.", "pow nimmt 2 bis 3 Werte, nicht 1."),
    ("(2+3", "A closing bracket is missing.", "Es fehlt eine schließende Klammer."),
    (
        "2 ? 3",
        "I can't calculate with the sign '?'.",
        "Mit dem Zeichen „?“ kann ich nicht rechnen.",
    ),
    (
        "2 plus bananen",
        "I can't calculate with the word 'bananen'.",
        "Mit dem Wort „bananen“ kann ich nicht rechnen.",
    ),
    (
        "2 komma",
        "I can't calculate with the word 'point' there.",
        "Mit dem Wort „Komma“ an dieser Stelle kann ich nicht rechnen.",
    ),
    (
        "5 Meilen",
        "Which unit do you want '5 Meilen' in?",
        "In welcher Einheit willst du „5 Meilen“ haben?",
    ),
    (
        "5 Bananen in km",
        "I don't know the unit of '5 Bananen'.",
        "Die Einheit von „5 Bananen“ kenne ich nicht.",
    ),
    (
        "5 Meilen in Parsec",
        "I don't know the unit 'Parsec'.",
        "Die Einheit „Parsec“ kenne ich nicht.",
    ),
    (
        "5 Meilen in Liter",
        "miles measure length, but litres measure volume.",
        "Meilen sind ein Maß für die Länge, Liter aber für das Volumen.",
    ),
    (
        "3 mw in kW",
        "'3 mw' in 'kW' can mean several units: write their names out.",
        "„3 mw“ in „kW“ kann mehrere Einheiten meinen: Schreib ihre Namen aus.",
    ),
    (
        "-300 °C in K",
        "That is below absolute zero.",
        "Das liegt unter dem absoluten Nullpunkt.",
    ),
    (
        "5 Euro in Dollar",
        "I don't convert money: that needs today's exchange rates.",
        "Geld rechne ich nicht um: Dafür braucht es die Wechselkurse von heute.",
    ),
)


@pytest.mark.parametrize(
    ("expression", "english", "german"), SAID, ids=[row[1][:30] for row in SAID]
)
async def test_each_is_told_in_both_languages(
    expression: str, english: str, german: str
) -> None:
    """The same reason, in the words of who asked."""
    error = await refusal(expression, language="de-AT")
    assert (error.text("en"), error.text("de-AT")) == (english, german)


async def test_the_unit_is_called_one() -> None:
    """It stands apart from the expression."""
    error = await refusal("5 km", language="de", unit="m" * 61)
    assert error.message == "The unit is longer than 60 characters."
    assert error.text("de") == "Die Einheit ist länger als 60 Zeichen."


def test_what_is_no_number() -> None:
    """No expression that is known ends so; should one, it is said."""
    with pytest.raises(TaskError) as caught:
        checked(float("nan"))
    assert caught.value.text("de") == "Das Ergebnis ist keine Zahl."


def test_the_table_is_whole() -> None:
    """Each reason of the calculator is told above, and each dimension has its name."""
    for name, words in vars(refusals).items():
        if isinstance(words, ErrorWords) and words is not refusals.NOT_A_NUMBER:
            pattern = re.sub(r"\\\{[a-z]+(!r)?\\\}", ".+", re.escape(words.de))
            assert any(re.fullmatch(pattern, german) for _, _, german in SAID), name
    assert {unit.dimension for unit in UNITS} == set(refusals.DIMENSIONS)
