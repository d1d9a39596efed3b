"""English that means what the turn before was about: "turn it off", "the lamp too".

Heard only where there is such a turn. None of these may be a whole sentence of its own:
a name alone, "stop it", "again".
"""

from functools import partial
from typing import Any, Final

from ..deeds import deed_of

_ONE: Final = "(it|that|this)"
_MANY: Final = (
    "(them|those|these|(them|these|those) all|[them] both|both of them|all of them)"
)
_ON: Final = {"deed": "on"}
_OFF: Final = {"deed": "off"}
_deed: Final = partial(deed_of, _ONE, _MANY)
_DEEDS: Final = [
    *_deed(
        "on",
        "(turn|switch|put) <it> [back] on <again>",
        "(turn|switch) [back] on <it> <again>",
    ),
    *_deed(
        "off",
        "(turn|switch|shut|put) <it> [back] (off|out) <again>",
        "(turn|switch|shut) [back] off <it> <again>",
    ),
    *_deed("open", "open <it> [up] <again>", "(raise|lift) <it> [up] <again>"),
    *_deed("close", "(close|shut|lower) <it> [up|down] <again>"),
    *_deed("lock", "lock <it> [up] <again>"),
    *_deed("unlock", "unlock <it> <again>"),
]

FOLLOW_UPS: Final[dict[str, Any]] = {
    "language": "en",
    "intents": {
        "CaesarItSwitch": {"data": _DEEDS},
        "CaesarItBrighter": {
            "data": [
                {
                    "sentences": [
                        "[(make|turn) <it>] [<bit>] brighter [still] <again>",
                        "brighten <it> [up] [<bit>] <again>",
                        "turn <it> up [<bit>] <again>",
                    ],
                    "slots": {"step": 20},
                },
                {
                    "sentences": [
                        "[(make|turn) <it>] [<bit>] (darker|dimmer|less bright) "
                        "[still] <again>",
                        "dim <it> [down] [<bit>] <again>",
                        "turn <it> down [<bit>] <again>",
                    ],
                    "slots": {"step": -20},
                },
            ]
        },
        "CaesarItWarmer": {
            "data": [
                {
                    "sentences": [
                        "[(make|turn) <it>] [<bit>] (warmer|hotter) [still] <again>",
                    ],
                    "slots": {"step": 1},
                },
                {
                    "sentences": [
                        "[(make|turn) <it>] [<bit>] (colder|cooler) [still] <again>",
                    ],
                    "slots": {"step": -1},
                },
            ]
        },
        "CaesarAlso": {
            "data": [
                {
                    "sentences": [
                        "[and] [also] <a> {name} <too>",
                        "[and] also <a> {name}",
                        "and <a> {name}",
                        "[and] the same (for|with|to) <a> {name}",
                    ]
                },
                {
                    "sentences": [
                        "[and] [also] [<in>] <a> {area} <too>",
                        "[and] also [<in>] <a> {area}",
                        "and [<in>] <a> {area}",
                        "[and] the same (for|with|to|in) <a> {area}",
                    ]
                },
                {
                    "sentences": [
                        "[and] [also] [<in>] <a> {floor} <too>",
                        "[and] also [<in>] <a> {floor}",
                        "and [<in>] <a> {floor}",
                        "[and] the same [(for|with|on)] <a> {floor}",
                    ]
                },
                {
                    "sentences": [
                        "[and] [also] <a> <light> <too>",
                        "[and] also <a> <light>",
                        "and <a> <light>",
                    ],
                    "slots": {"domain": "light", "there": True},
                },
            ]
        },
        "CaesarWhatAbout": {
            "data": [
                {
                    "sentences": ["[and] (what|how) about [<in>] <a> {name}"],
                },
                {
                    "sentences": [
                        "[and] (what|how) about [<in>] <a> ({area}|{floor})",
                        "[and] how is it <in> <a> {area}",
                    ],
                },
            ]
        },
    },
    "lists": {},
    "expansion_rules": {
        "a": "[(the|my|our|that|this)]",
        "again": "[(again|back|as before)]",
        "bit": "([by] a (bit|little|touch)|slightly|a little bit|some|even|still)",
        "in": "(in|on|at)",
        "it": "(it|that|this|them|those|these)",
        "light": "(light|lights|lamp|lamps)",
        "too": "(too|as well|also)",
    },
    "skip_words": ["please", "can you", "could you", "just", "now", "okay", "ok"],
}
