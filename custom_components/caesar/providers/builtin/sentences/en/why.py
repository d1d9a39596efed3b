"""Everyday English: why, what was done, what may be done."""

from typing import Any, Final

_DEEDS: Final = (
    ("unlocked", "lock.unlock"),
    ("locked [up]", "lock.lock"),
    ("opened", "open"),
    ("(closed|shut)", "close"),
    ("(turned|switched) on", "turn_on"),
    ("(turned|switched) off", "turn_off"),
)

WHY: Final[dict[str, Any]] = {
    "CaesarWhy": [
        {
            "sentences": [
                "why did you do (that|this|it|so)",
                "why have you done (that|this|it)",
                "(what was|what's) the reason for that",
                "explain [to me] (what you just did|why you did that)",
                "why did you (turn|switch) (on|off) <a> {name}",
                "why did you (turn|switch) <a> {name} (on|off)",
                "why did you (open|close|shut|lock|unlock|start|stop|set|change) "
                "<a> {name}",
                "why have you (opened|closed|locked|unlocked|started|stopped) "
                "<a> {name}",
            ]
        }
    ],
    "CaesarWhyNot": [
        {
            "sentences": [
                "why not",
                "why (can't|cannot|can not|couldn't|didn't|did not|won't|don't) you "
                "[do (that|this|it)]",
                "why (can't|cannot|may|mayn't) i [not] do (that|this|it)",
                "why was (that|this|it) (refused|denied|not allowed|not done)",
                "why did you (refuse|deny) [(that|this|it)]",
                "why (is|isn't) (that|this|it) (not allowed|allowed|forbidden)",
                "why am i not allowed to do (that|this|it)",
                "why (can't|didn't|won't) you (turn|switch) (on|off) <a> {name}",
                "why (can't|didn't|won't) you (turn|switch) <a> {name} (on|off)",
                "why (can't|didn't|won't) you (open|close|lock|unlock|start|stop) "
                "<a> {name}",
            ]
        }
    ],
    "CaesarHappened": [
        {
            "sentences": [
                "what (did you do|have you done|have you been doing) [{past}]",
                "what did you do for me [{past}]",
                "what did (i|we) ask you [to do] [{past}]",
                "tell me what you (did|have done) [{past}]",
            ]
        },
        {
            "sentences": [
                "what did you (refuse|deny) [to do] [{past}]",
                "what (was|have you) (refused|denied) [{past}]",
                "what (did|could) you not do [{past}]",
                "what (didn't|couldn't) you do [{past}]",
            ],
            "slots": {"refused": True},
        },
        *(
            {
                "sentences": [
                    f"who {said} <a> {{name}} [{{past}}]",
                    f"who has {said} <a> {{name}} [{{past}}]",
                ],
                "slots": {"deed": tool, "who": True},
            }
            for said, tool in _DEEDS
        ),
        *(
            {
                "sentences": [f"who [has] {said} <a> [front] door [{{past}}]"],
                "slots": {"deed": tool, "who": True},
            }
            for said, tool in _DEEDS[:2]
        ),
    ],
    "CaesarMayI": [
        {
            "sentences": [
                "what (may|can) (i|we) do [<here>]",
                "what may you do [<here>]",
                "what (am i|are we|are you) allowed to do [<here>]",
                "what (may|can) (i|we) do <in> {area}",
                "what may you do <in> {area}",
                "what (am i|are we|are you) allowed to do <in> {area}",
                "what do i need [a] permission for [<here>]",
            ]
        }
    ],
}

PAST: Final[dict[str, Any]] = {
    "values": [
        {"in": "today", "out": "today"},
        {"in": "this morning", "out": "morning"},
        {"in": "this afternoon", "out": "afternoon"},
        {"in": "(this evening|tonight)", "out": "evening"},
        {"in": "[(during|in)] (last|the) night", "out": "night"},
        {"in": "yesterday", "out": "yesterday"},
        {"in": "(this week|[in] the last (week|seven days))", "out": "week"},
    ]
}
