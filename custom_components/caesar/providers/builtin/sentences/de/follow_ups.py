"""German that means what the turn before was about: "mach es aus", "die Lampe auch".

Heard only where there is such a turn. None of these may be a whole sentence of its own:
a name alone, "noch mal", "hör auf".
"""

from functools import partial
from typing import Any, Final

from ..deeds import deed_of

_ONE: Final = "(es|das|ihn)"
_MANY: Final = "(sie [alle]|die|beide)"
_deed: Final = partial(deed_of, _ONE, _MANY)
_DEEDS: Final = [
    *_deed("on", "<do> <it> <again> (an|ein) <again>"),
    *_deed("off", "<do> <it> <again> aus <again>"),
    *_deed(
        "open",
        "(mach|mache|fahr|fahre|zieh|ziehe) <it> <again> (auf|hoch) <again>",
        "öffne <it> <again>",
    ),
    *_deed(
        "close",
        "(mach|mache|fahr|fahre|zieh|ziehe) <it> <again> (zu|runter) <again>",
        "<close> <it> <again>",
    ),
    *_deed(
        "lock",
        "(<close>|sperr|sperre) <it> <again> (ab|zu) <again>",
        "(verriegle|verriegele) <it> <again>",
    ),
    *_deed(
        "unlock",
        "(<close>|sperr|sperre) <it> <again> auf <again>",
        "(entriegle|entriegele|entsperr|entsperre) <it> <again>",
    ),
]

FOLLOW_UPS: Final[dict[str, Any]] = {
    "language": "de",
    "intents": {
        "CaesarItSwitch": {"data": _DEEDS},
        "CaesarItBrighter": {
            "data": [
                {
                    "sentences": ["[<do> <it>] <again> [<bit>] heller <again>"],
                    "slots": {"step": 20},
                },
                {
                    "sentences": [
                        "[<do> <it>] <again> [<bit>] dunkler <again>",
                        "(dimm|dimme) <it> <again> [<bit>] [runter]",
                    ],
                    "slots": {"step": -20},
                },
            ]
        },
        "CaesarItWarmer": {
            "data": [
                {
                    "sentences": ["[<do> <it>] <again> [<bit>] wärmer <again>"],
                    "slots": {"step": 1},
                },
                {
                    "sentences": [
                        "[<do> <it>] <again> [<bit>] (kälter|kühler) <again>"
                    ],
                    "slots": {"step": -1},
                },
            ]
        },
        "CaesarAlso": {
            "data": [
                {
                    "sentences": [
                        "[und] [<do>] <a> {name} <too>",
                        "[und] <too> <a> {name}",
                        "und <a> {name}",
                        "[und] (dasselbe|das gleiche) (mit|für|bei) <a> {name}",
                    ]
                },
                {
                    "sentences": [
                        "[und] [<in>] <a> {area} <too>",
                        "[und] <too> [<in>] <a> {area}",
                        "und [<in>] <a> {area}",
                        "[und] (dasselbe|das gleiche) (mit|für|<in>) <a> {area}",
                    ]
                },
                {
                    "sentences": [
                        "[und] [<in>] <a> {floor} <too>",
                        "[und] <too> [<in>] <a> {floor}",
                        "und [<in>] <a> {floor}",
                        "[und] (dasselbe|das gleiche) [(mit|für|<in>)] <a> {floor}",
                    ]
                },
                {
                    "sentences": [
                        "[und] <a> <light> <too>",
                        "[und] <too> <a> <light>",
                        "und <a> <light>",
                    ],
                    "slots": {"domain": "light", "there": True},
                },
            ]
        },
        "CaesarWhatAbout": {
            "data": [
                {
                    "sentences": [
                        "[und] was ist (mit|<in>) <a> {name}",
                        "[und] wie (ist|sieht) es (mit|bei) <a> {name} [aus]",
                    ],
                },
                {
                    "sentences": [
                        "[und] was ist (mit|<in>) <a> ({area}|{floor})",
                        "[und] wie (ist|sieht) es [(mit|<in>)] <a> ({area}|{floor}) [aus]",
                    ],
                },
            ]
        },
    },
    "lists": {},
    "expansion_rules": {
        "a": "[(der|die|das|den|dem|mein|meine|meinen|meinem|unser|unsere|unseren)]",
        "again": "[(wieder|noch mal|nochmal|noch einmal)]",
        "bit": "(ein bisschen|ein wenig|etwas|bisschen|noch [etwas]|ein Stück)",
        "close": "(schließe|schließ|schliesse|schliess)",
        "do": "(schalte|schalt|mach|mache|stell|stelle|dreh|drehe)",
        "in": "(in der|in dem|im|in|am|an der|auf dem|auf der|auf)",
        "it": "(es|das|ihn|sie|die)",
        "light": "(Licht|Lichter|Lampe|Lampen)",
        "too": "(auch [noch]|ebenfalls|genauso)",
    },
    "skip_words": ["bitte", "mal", "jetzt", "kannst du", "könntest du", "doch", "eben"],
}
