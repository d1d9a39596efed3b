"""What the calculator says of itself, and the shape of what it takes."""

from collections import defaultdict
from collections.abc import Iterable
import re
from typing import Final

from ...spec import Annotations, ToolSpec
from .arithmetic import FUNCTIONS
from .numerals import ENGLISH_NUMBERS
from .parser import MAX_LENGTH
from .tokens import PHRASES
from .unit_table import TABLE

MAX_UNIT_LENGTH: Final = 60

_LETTER: Final = "A-Za-zÄÖÜäöüßµμ"
_LARGE: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÜ")
_SIGNS: Final = " 0-9.,;:+*/%^()°²³√π×·÷'\"$€£¥−–→>-"
_WORD: Final = re.compile(f"[{_LETTER}]+")
_CONNECTORS: Final = "to into in as nach zu and und per pro"
_ENGLISH_NUMBER: Final = (
    "zero|one|two|ten|eleven|twelve|(thir|four|fif|six|seven|eigh|nine)(teen|ty)"
    "|twenty|forty|eighty|three|four|five|six|seven|eight|nine|hundred|thousand"
)
_GERMAN_NUMBER: Final = (
    "null|eins|zwei|zwo|drei|vier|fünf|sechs|sieben|acht|neun|elf|zwölf"
    "|[a-zäöüß]*(zehn|[zß]ig|hundert|tausend)[a-zäöüß]*"
)
# "a mile in km", but not "a mile": what that is asks for another kind of answer.
_FIRST_WORDS: Final = (
    f"(an?|eine?n?) [{_LETTER}]+ in(to)?|minus|negative|pi|tau|(the )?(square|cube) root|half"
    "|([Dd]ie )?((Quadrat|quadrat|Kubik|kubik)w|W|w)urzel|([Dd]ie )?[Hh]älfte"
    "|(eine?n? )?halbe[nrs]?|sine|cosine|tangent"
)


def _pattern() -> str:
    """Return a pattern that arithmetic and conversions fit, and ordinary talk does not.

    It begins with a digit, a sign, or a word that can begin one; after that each word
    must begin like one that the calculator knows. No text fits in two ways, so that no
    engine is slow, and only what all engines of regular expressions share is used.
    """
    functions = "|".join(sorted(FUNCTIONS))
    first = f"{_FIRST_WORDS}|{functions}|{_ENGLISH_NUMBER}|{_GERMAN_NUMBER}"
    words = _starts(_vocabulary())
    return f"^({first}|e)?([{_SIGNS}]({words})?)*$"


def _vocabulary() -> Iterable[str]:
    for phrase in PHRASES:
        yield from phrase
    yield from FUNCTIONS
    yield from ENGLISH_NUMBERS
    yield from (*_CONNECTORS.split(), "pi", "e", "tau", "null", "elf", "zwölf", "acht")
    yield from ("euro", "dollar", "usd", "neun", "drei")
    for line in TABLE.splitlines():
        if "|" in line:
            symbol, _, *names = line.split("|")
            yield from _WORD.findall(f"{symbol} {' '.join(names)}")


def _starts(words: Iterable[str]) -> str:
    """Return a pattern of words that share their first two letters with these."""
    seconds: defaultdict[str, set[str]] = defaultdict(set)
    for word in words:
        if letters := _WORD.match(word):
            seconds[letters[0][0].lower()].add(letters[0][1:2].lower())
    alone = "".join(_both(first) for first, found in seconds.items() if "" in found)
    starts = "|".join(
        f"[{_both(first)}][{''.join(map(_both, sorted(found - {''})))}]"
        for first, found in sorted(seconds.items())
        if found != {""}
    )
    return f"({starts})[{_LETTER}]*|[{alone}]"


def _both(letter: str) -> str:
    """Return a letter small and, where the pattern knows such, large."""
    large = letter.upper()
    return letter + large if large in _LARGE and large != letter else letter


EXPRESSION_PATTERN: Final = _pattern()
SPEC: Final = ToolSpec(
    name="calculator",
    title="Calculator",
    description=(
        "Works out arithmetic exactly and converts units. Takes + - * / // % **, "
        "brackets, pi, e, tau, sqrt, cbrt, log, log2, log10, exp, sin, cos, tan, asin, "
        "acos, atan, atan2, hypot, floor, ceil, abs, round and pow (angles in radians), "
        "percentages ('17% of 249', '249 + 19%') and 'amount unit to unit' "
        "('5 miles to km', '20 °C in °F'). No currencies, no variables."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "expression": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_LENGTH,
                "pattern": EXPRESSION_PATTERN,
            },
            "unit": {
                "type": "string",
                "description": "The unit wanted, if the expression doesn't name it.",
                "minLength": 1,
                "maxLength": MAX_UNIT_LENGTH,
                "pattern": f"^[{_LETTER}0-9°²³^/'\". ]+$",
            },
        },
        "required": ["expression"],
        "additionalProperties": False,
    },
    annotations=Annotations(
        read_only=True,
        destructive=False,
        idempotent=True,
        open_world=False,
        private_data=False,
        untrusted_result=False,
    ),
    timeout_s=2,
    max_reply_bytes=16_384,
    sentences={
        "en": (
            "(what is|how much is) {expression}",
            "what does {expression} (equal|make|come to)",
            "(please|can you|could you) (calculate|compute|work out) {expression}",
            "(calculate|compute) {expression} (please|for me)",
            "work out {expression}",
            "convert {expression} (to|into) {unit}",
            "how many {unit} (is|are|in|make) {expression}",
            "how many {unit} are [there] in {expression}",
        ),
        "de": (
            "(was|wieviel) (ist|sind|ergibt|macht|gibt) {expression}",
            "wie viel (ist|sind|ergibt|macht|gibt) {expression}",
            "(berechne|rechne) (mir|bitte|mal|mir bitte) {expression} [aus]",
            "rechne {expression} aus",
            "rechne {expression} in {unit} um",
            "wandle {expression} in {unit} um",
            "(wie viel|wie viele|wieviel|wieviele) {unit} (ist|sind|hat|haben) {expression}",
        ),
    },
)
