"""Arithmetic comes out right where floats and naive calculators do not (SPEC K-1, K-2)."""

import json

import pytest

from tests.core.legion.calculator.asking import ask, refusal


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2+2", 4),
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("-2**2", -4),
        ("2**-1", 0.5),
        ("2**3**2", 512),
        ("2^10", 1024),
        ("7//2", 3),
        ("-7//2", -4),
        ("-7 mod 3", 2),
        ("17 % 5", 2),
        ("10 : 4", 2.5),
        ("6 × 7 − 2 ÷ 1", 40),
        ("3² + 4³", 73),
        ("√16", 4),
        ("0.1+0.2", 0.3),
        ("1/3*3", 1),
        ("9007199254740993", 9007199254740993),
        ("9007199254740993 + 2 - 2", 9007199254740993),
        ("4/2", 2),
        ("2.5*2", 5),
        (".5 + .25", 0.75),
        ("1e3 + 1", 1001),
        ("1,000,000 + 1", 1000001),
        ("round(2.345, 2)", 2.35),
        ("round(2.5)", 3),
        ("round(-2.5)", -3),
        ("round(1234, -2)", 1200),
        ("round(sqrt(2), 3)", 1.414),
        ("pow(2,3)", 8),
        ("pow(2,3,5)", 3),
        ("pow(3,-1,7)", 5),
        ("abs(-3.5)", 3.5),
        ("floor(-0.5)", -1),
        ("ceil(2.1)", 3),
        ("sqrt(2.25)", 1.5),
        ("sqrt(10**400) / 10**199", 10),
        ("cbrt(-27)", -3),
        ("log2(8)", 3),
        ("log10(1000)", 3),
        ("log(1000, 10)", 3),
        ("log(e)", 1),
        ("exp(0)", 1),
        ("hypot(3, 4)", 5),
        ("hypot(1, 2, 2)", 3),
        ("atan2(0, 1)", 0),
        ("sin(pi)", 0),
        ("cos(tau)", 1),
        ("sin pi + 1", 1),
        ("asin(1) * 2 - pi", 0),
        ("acos(1) + atan(0)", 0),
        ("tan(0)", 0),
        ("0**0", 1),
        ("1**10000", 1),
        ("4 ** 0.5", 2),
        ("2 ** 3.0", 8),
        ("1.5 ** 2", 2.25),
        ("0.5 ** -2", 4),
        ("sqrt(2) ** 2", 2),
    ],
)
async def test_arithmetic(expression: str, value: float) -> None:
    """Each comes to exactly this."""
    assert (await ask(expression))["value"] == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("17% of 249", 42.33),
        ("17 percent of 249", 42.33),
        ("17 per cent of 249 plus 3", 45.33),
        ("249 + 19%", 296.31),
        ("200 - 10%", 180),
        ("200 - -10%", 220),
        ("249 + 19% of 100", 268),
        ("50% * 50%", 0.25),
        ("10%", 0.1),
        ("100% - 3", -2),
        ("(10+5)% of 200", 30),
        ("100 + 10% + 10%", 121),
    ],
)
async def test_percentages(expression: str, value: float) -> None:
    """A percentage is of what follows "of", or of what it is added to."""
    assert (await ask(expression))["value"] == value


@pytest.mark.parametrize("expression", ["17 % -3", "17%-3", "5 %+2"])
async def test_a_percent_sign_that_can_mean_two_things_is_not_guessed(
    expression: str,
) -> None:
    """Python reads a remainder there, people a percentage."""
    assert "write percent or mod" in (await refusal(expression)).message


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("two plus two", 4),
        ("five times six", 30),
        ("twenty-five plus one", 26),
        ("twenty five minus pi - -pi", 25),
        ("one hundred and five times two thousand", 210000),
        ("two million three hundred thousand and one", 2300001),
        ("twenty five hundred", 2500),
        ("a hundred divided by four", 25),
        ("three point one four times two", 6.28),
        ("3 point 5 plus 1", 4.5),
        ("square root of 16", 4),
        ("the square root of 16 plus 9", 13),
        ("cube root of 27", 3),
        ("5 squared", 25),
        ("2 cubed", 8),
        ("2 to the power of 10", 1024),
        ("2 raised to 3", 8),
        ("100 over 8", 12.5),
        ("7 multiplied by 6", 42),
        ("negative 5 plus 3", -2),
        ("17 modulo 5", 2),
        ("half of 10", 5),
        ("5 x 3", 15),
        ("sine of 0", 0),
        ("pi-pi", 0),
    ],
)
async def test_english_words(expression: str, value: float) -> None:
    """What people say is what they mean."""
    assert (await ask(expression))["value"] == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("17 Prozent von 249", 42.33),
        ("249 plus 19 Prozent", 296.31),
        ("3,5 mal 2", 7),
        ("1.000 mal 3", 3000),
        ("1.000.000,5 + 1", 1000001.5),
        ("0.125 * 2", 0.25),
        ("2.5 * 2", 5),
        ("1234.567", 1234.567),
        ("fünfundzwanzig hoch 2", 625),
        ("zweihundertfünfzig minus eins", 249),
        ("zweitausendfünfhundert plus tausendeins", 3501),
        ("hundert geteilt durch vier", 25),
        ("Zwölf durch drei", 4),
        ("die Wurzel aus 16", 4),
        ("Quadratwurzel von 2,25", 1.5),
        ("wurzel(2,25)", 1.5),
        ("sqrt(2,25)", 1.5),
        ("hypot(3, 4)", 5),
        ("hypot(3; 4)", 5),
        ("dritte Wurzel aus 27", 3),
        ("5 zum Quadrat", 25),
        ("die Hälfte von 7", 3.5),
        ("drei Komma fünf mal zwei", 7),
        ("3 Komma 1 4 mal 2", 6.28),
        ("siebenhundertneunundneunzigtausenddreihundertzwölf", 799312),
    ],
)
async def test_german_words(expression: str, value: float) -> None:
    """A comma is a comma, and compound numbers are one word."""
    assert (await ask(expression, language="de-CH"))["value"] == value


@pytest.mark.parametrize(
    ("expression", "language"),
    [
        ("2.345 + 1", "de"),
        ("12.345 + 1", "fr"),
        ("3,5 + 1", "en"),
        ("1,00 + 1", "en"),
        ("1.2.3", "en"),
        ("1,2,3", "de"),
        ("1.00.000,5", "de"),
        ("0,123 + 1", "en"),
        (",5", "en"),
    ],
)
async def test_a_number_that_can_be_read_in_two_ways_is_not_guessed(
    expression: str, language: str
) -> None:
    """A wrong factor of a thousand is worse than a question."""
    assert (await refusal(expression, language=language)).code == "unclear"


@pytest.mark.parametrize(
    ("expression", "code", "words"),
    [
        ("(-8)**0.5", "undefined", "not a real number"),
        ("(-8)**(1/3)", "undefined", "not a real number"),
        ("sqrt(-1)", "undefined", "no real square root"),
        ("1/0", "undefined", "divided by zero"),
        ("1//0", "undefined", "divided by zero"),
        ("1 mod 0", "undefined", "divided by zero"),
        ("pow(2,3,0)", "undefined", "divided by zero"),
        ("0**-1", "undefined", "divides by zero"),
        ("1e999", "too_large", "too large"),
        ("1e308*10", "too_large", "too large"),
        ("1e999-1e999", "too_large", "too large"),
        ("1e9999999999", "too_large", "too large"),
        ("1e-999999999", "undefined", "too small"),
        ("1e-300*1e-300", "undefined", "too small"),
        ("exp(1000)", "too_large", "too large"),
        ("10**1000", "too_large", "too large"),
        ("2**10001", "too_large", "10000 at most"),
        ("pow(2,10001,7)", "too_large", "10000 at most"),
        ("3**4095", "too_large", "too large"),
        ("10**400 * 1.0", "too_large", "too large"),
        ("10**400 + sqrt(2)", "too_large", "too large"),
        ("log(0)", "undefined", "logarithm"),
        ("log(8, 1)", "undefined", "base 1"),
        ("log(8, -2)", "undefined", "logarithm"),
        ("log2(-1)", "undefined", "logarithm"),
        ("asin(2)", "undefined", "no real number"),
        ("tan(pi/2)", "undefined", "tangent"),
        ("pow(2, 0.5, 3)", "undefined", "whole numbers"),
        ("pow(2, -1, 4)", "undefined", "no inverse"),
        ("round(1, 0.5)", "undefined", "whole number of decimals"),
        ("round(1, 1000000)", "undefined", "300 decimals"),
        ("sqrt()", "not_understood", "sqrt takes 1 value, not 0"),
        ("sqrt(1,2)", "not_understood", "sqrt takes 1 value, not 2"),
        ("pow(1,2,3,4)", "not_understood", "pow takes 2 to 3 values, not 4"),
        ("2 3", "not_understood", "operator is missing before '3'"),
        ("2(3)", "not_understood", "operator is missing"),
        ("(2+3", "not_understood", "closing bracket"),
        ("2+3)", "not_understood", "don't expect ')'"),
        ("2+", "not_understood", "missing at the end"),
        ("*2", "not_understood", "missing before '*'"),
        ("2 plus bananas", "not_understood", "the word 'bananas'"),
        ("2 point", "not_understood", "'point'"),
        ("five twenty", "not_understood", "operator is missing"),
        ("three thousand hundred", "not_understood", "operator is missing"),
        ("2 $ 3", "not_understood", "the sign '$'"),
        ("the", "not_understood", "nothing to calculate"),
    ],
)
async def test_refusals_name_what_is_wrong(
    expression: str, code: str, words: str
) -> None:
    """Nothing is answered with null, and nothing with Python's own words."""
    err = await refusal(expression)
    assert (err.code, err.retryable) == (code, False)
    assert words in err.message


async def test_the_input_is_not_taken_on_trust() -> None:
    """A worker may be asked by others than CAESAR."""
    for wrong in (None, 5, True, ["1"], "", " \n"):
        assert (await refusal(wrong)).code == "not_understood"
    assert (await refusal("1+1", unit=5)).code == "not_understood"
    assert (await refusal("5 km", unit="m" * 61)).code == "too_large"
    assert (await refusal("1" + "+1" * 128)).code == "too_large"
    assert (await ask("1" + "+1" * 127))["value"] == 128


async def test_numbers_beyond_64_bits_keep_every_digit() -> None:
    """JSON readers round them or fail, so that they are digits in a text."""
    largest = await ask("2**63 - 1")
    assert largest["value"] == 9223372036854775807
    beyond = await ask("2**63")
    assert (beyond["value"], beyond["text"]) == ("9223372036854775808",) * 2
    assert len(str((await ask("10**999"))["value"])) == 1000
    assert json.loads(json.dumps(await ask("-2**100")))["value"] == str(-(2**100))


@pytest.mark.parametrize(
    ("expression", "language", "text", "say"),
    [
        ("17 percent of 249", "en", "42.33", "17 percent of 249 is 42.33"),
        (" 17  Prozent von 249 ", "de", "42,33", "17 Prozent von 249 sind 42,33"),
        ("1/3", "en", "0.333333333333333", "1/3 is about 0.333333"),
        ("2/3", "de", "0,666666666666667", "2/3 ist ungefähr 0,666667"),
        ("sqrt(2)", "en", "1.4142135623731", "sqrt(2) is about 1.41421"),
        ("sin(pi/2)", "en", "1", "sin(pi/2) is 1"),
        ("1/8", "en", "0.125", "1/8 is 0.125"),
        ("1234567.89*1", "en", "1234567.89", "1234567.89*1 is 1,234,567.89"),
        ("8/7*10**8", "en", "114285714.285714", "8/7*10**8 is about 114,285,714"),
        ("-5*3168,5", "de", "-15842,5", "-5*3168,5 ist -15.842,5"),
        ("1234567,891*1", "de", "1234567,891", "1234567,891*1 ist 1.234.567,891"),
        ("9999.12345*1", "en", "9999.12345", "9999.12345*1 is 9999.12345"),
        ("10**4", "en", "10000", "10**4 is 10,000"),
        ("10**14", "de", "1" + "0" * 14, "10**14 ist 100.000.000.000.000"),
        ("12345,5*2", "fr", "24691", "12345,5*2 = 24691"),
        ("1e20*3", "en", "3" + "0" * 20, "1e20*3 is 3 times 10 to the power of 20"),
        (
            "2**100",
            "de",
            "1267650600228229401496703205376",
            "2**100 ist ungefähr 1,26765 mal 10 hoch 30",
        ),
        ("1.5e-20", "en", "1.5e-20", "1.5e-20 is 1.5 times 10 to the power of -20"),
        ("1,5 * 2,5", "fr", "3,75", "1,5 * 2,5 = 3,75"),
        ("1/3", "ja", "0.333333333333333", "1/3 = 0.333333"),
    ],
)
async def test_what_is_read_and_said(
    expression: str, language: str, text: str, say: str
) -> None:
    """Nobody listens to fifteen decimals; "about" says that there are more."""
    answer = await ask(expression, language=language)
    assert answer["expression"] == expression
    assert (answer["text"], answer["say"]) == (text, say)
