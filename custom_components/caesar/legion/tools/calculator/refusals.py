"""What the calculator says when it can't do something, in English and German."""

from typing import Final

from ..error_words import Both, ErrorWords

EXPRESSION: Final = Both(en="The expression", de="Der Ausdruck")
UNIT: Final = Both(en="The unit", de="Die Einheit")
# The accusative that follows "ein Maß für".
DIMENSIONS: Final = {
    "length": "die Länge",
    "area": "die Fläche",
    "volume": "das Volumen",
    "mass": "die Masse",
    "temperature": "die Temperatur",
    "speed": "die Geschwindigkeit",
    "duration": "die Dauer",
    "energy": "die Energie",
    "power": "die Leistung",
    "pressure": "den Druck",
    "data": "die Datenmenge",
    "angle": "den Winkel",
    "frequency": "die Frequenz",
}


def _not_understood(en: str, de: str) -> ErrorWords:
    return ErrorWords(code="not_understood", en=en, de=de)


def _undefined(en: str, de: str) -> ErrorWords:
    return ErrorWords(code="undefined", en=en, de=de)


def _too_large(en: str, de: str) -> ErrorWords:
    return ErrorWords(code="too_large", en=en, de=de)


def _unclear(en: str, de: str) -> ErrorWords:
    return ErrorWords(code="unclear", en=en, de=de)


def _unit(en: str, de: str) -> ErrorWords:
    return ErrorWords(code="unit", en=en, de=de)


MISSING: Final = _not_understood("{what} is missing.", "{what} fehlt.")
TOO_LONG: Final = _too_large(
    "{what} is longer than {most} characters.",
    "{what} ist länger als {most} Zeichen.",
)
RESULT_TOO_LARGE: Final = _too_large(
    "The result is too large.", "Das Ergebnis ist zu groß."
)
RESULT_TOO_SMALL: Final = _undefined(
    "The result is too small.", "Das Ergebnis ist zu klein."
)
NOT_REAL: Final = _undefined(
    "The result is not a real number.", "Das Ergebnis ist keine reelle Zahl."
)
NOT_A_NUMBER: Final = _undefined(
    "The result is not a number.", "Das Ergebnis ist keine Zahl."
)
NO_ANSWER: Final = _undefined(
    "There is no real number that this comes to.",
    "Dabei kommt keine reelle Zahl heraus.",
)
DIVIDED_BY_ZERO: Final = _undefined(
    "Nothing can be divided by zero.", "Durch null kann man nicht teilen."
)
ZERO_TO_NEGATIVE: Final = _undefined(
    "Zero can't be raised to a negative power: that divides by zero.",
    "Null hoch eine negative Zahl geht nicht: Das wäre geteilt durch null.",
)
POW_OF_THREE: Final = _undefined(
    "pow with three values needs whole numbers.",
    "pow braucht bei drei Werten ganze Zahlen.",
)
NO_INVERSE: Final = _undefined(
    "{base} has no inverse for the divisor {divisor}.",
    "{base} hat kein Inverses für den Teiler {divisor}.",
)
ROUND_TO_WHOLE: Final = _undefined(
    "round needs a whole number of decimals.",
    "round braucht eine ganze Zahl von Nachkommastellen.",
)
ROUND_TO_MANY: Final = _undefined(
    "round takes {most} decimals at most.",
    "round rundet auf höchstens {most} Nachkommastellen.",
)
ROOT_OF_NEGATIVE: Final = _undefined(
    "A negative number has no real square root.",
    "Eine negative Zahl hat keine reelle Quadratwurzel.",
)
NO_TANGENT: Final = _undefined(
    "The tangent has no value there.", "Der Tangens hat dort keinen Wert."
)
NO_LOGARITHM: Final = _undefined(
    "Only positive numbers have a logarithm.",
    "Nur positive Zahlen haben einen Logarithmus.",
)
LOGARITHM_TO_ONE: Final = _undefined(
    "There is no logarithm to the base 1.",
    "Zur Basis 1 gibt es keinen Logarithmus.",
)
EXPONENT: Final = _too_large(
    "An exponent can be {most} at most.", "Ein Exponent darf höchstens {most} sein."
)
SMALL_NUMBER: Final = _undefined(
    "{text} is too small a number.", "{text} ist eine zu kleine Zahl."
)
TWO_WAYS: Final = _unclear(
    "{text} can be read in two ways: write {whole} or {decimal}.",
    "{text} kann zweierlei heißen: Schreib {whole} oder {decimal}.",
)
NO_NUMBER: Final = _unclear(
    "{text} is not a number that I can read: decimals take one point, or in German "
    "one comma.",
    "{text} ist keine Zahl, die ich lesen kann: Nachkommastellen stehen nach einem "
    "Komma, auf Englisch nach einem Punkt.",
)
NOTHING: Final = _not_understood(
    "There is nothing to calculate.", "Da gibt es nichts zu rechnen."
)
UNEXPECTED: Final = _not_understood(
    "I don't expect {text!r} there.", "„{text}“ passt dort nicht hin."
)
TOO_DEEP: Final = _too_large(
    "The expression is nested more than {most} deep.",
    "Der Ausdruck ist mehr als {most}-fach verschachtelt.",
)
PERCENT_OR_REST: Final = _not_understood(
    "I can't tell whether the % before {text!r} is a percentage or a remainder: write "
    "percent or mod.",
    "Ich weiß nicht, ob das % vor „{text}“ Prozent oder ein Rest sein soll: Schreib "
    "Prozent oder mod.",
)
NO_OPERATOR: Final = _not_understood(
    "An operator is missing before {text!r}.",
    "Vor „{text}“ fehlt ein Rechenzeichen.",
)
NO_NUMBER_AT_END: Final = _not_understood(
    "A number is missing at the end.", "Am Ende fehlt eine Zahl."
)
NO_NUMBER_BEFORE: Final = _not_understood(
    "A number is missing before {text!r}.", "Vor „{text}“ fehlt eine Zahl."
)
VALUES: Final = _not_understood(
    "{name} takes {values}, not {given}.", "{name} nimmt {values}, nicht {given}."
)
NOT_CLOSED: Final = _not_understood(
    "A closing bracket is missing.", "Es fehlt eine schließende Klammer."
)
SIGN: Final = _not_understood(
    "I can't calculate with the sign {text!r}.",
    "Mit dem Zeichen „{text}“ kann ich nicht rechnen.",
)
WORD: Final = _not_understood(
    "I can't calculate with the word {text!r}.",
    "Mit dem Wort „{text}“ kann ich nicht rechnen.",
)
WORD_THERE: Final = _not_understood(
    "I can't calculate with the word {text!r} there.",
    "Mit dem Wort „{text}“ an dieser Stelle kann ich nicht rechnen.",
)
WHICH_UNIT: Final = _unit(
    "Which unit do you want {text!r} in?",
    "In welcher Einheit willst du „{text}“ haben?",
)
NO_UNIT: Final = _unit(
    "I don't know the unit of {text!r}.",
    "Die Einheit von „{text}“ kenne ich nicht.",
)
UNKNOWN_UNIT: Final = _unit(
    "I don't know the unit {text!r}.", "Die Einheit „{text}“ kenne ich nicht."
)
NOT_ALIKE: Final = _unit(
    "{source} measure {one}, but {target} measure {other}.",
    "{source} sind ein Maß für {one}, {target} aber für {other}.",
)
SEVERAL_UNITS: Final = _unclear(
    "{amount!r} in {unit!r} can mean several units: write their names out.",
    "„{amount}“ in „{unit}“ kann mehrere Einheiten meinen: Schreib ihre Namen aus.",
)
BELOW_ZERO: Final = _undefined(
    "That is below absolute zero.", "Das liegt unter dem absoluten Nullpunkt."
)
MONEY: Final = _unit(
    "I don't convert money: that needs today's exchange rates.",
    "Geld rechne ich nicht um: Dafür braucht es die Wechselkurse von heute.",
)
