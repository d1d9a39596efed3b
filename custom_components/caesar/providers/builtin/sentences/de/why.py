"""Everyday German: why, what was done, what may be done."""

from typing import Any, Final

_DEEDS: Final = (
    ("(aufgeschlossen|entriegelt|aufgesperrt)", "lock.unlock"),
    ("(abgeschlossen|zugeschlossen|verriegelt|abgesperrt|zugesperrt)", "lock.lock"),
    ("(geöffnet|aufgemacht|hochgefahren)", "open"),
    ("(geschlossen|zugemacht|heruntergefahren|runtergefahren)", "close"),
    ("(eingeschaltet|angemacht|angeschaltet)", "turn_on"),
    ("(ausgeschaltet|ausgemacht|abgeschaltet)", "turn_off"),
)
_DONE: Final = "|".join(said.strip("()") for said, _ in _DEEDS)

WHY: Final[dict[str, Any]] = {
    "CaesarWhy": [
        {
            "sentences": [
                "(warum|wieso|weshalb) hast du (das|dies|so was|so etwas) "
                "(gemacht|getan)",
                "(warum|wieso|weshalb) (machst|tust) du (das|so was|so etwas)",
                "was war der Grund dafür",
                "erklär mir warum du das (gemacht|getan) hast",
                f"(warum|wieso|weshalb) hast du <a> {{name}} ({_DONE})",
            ]
        }
    ],
    "CaesarWhyNot": [
        {
            "sentences": [
                "(warum|wieso|weshalb) nicht",
                "(warum|wieso|weshalb) (geht|ging) das nicht",
                "(warum|wieso|weshalb) hast du das nicht (gemacht|getan)",
                "(warum|wieso|weshalb) (machst|tust) du das nicht",
                "(warum|wieso|weshalb) (darfst|kannst) du das nicht [(machen|tun)]",
                "(warum|wieso|weshalb) (darf|kann) ich das nicht [(machen|tun)]",
                "(warum|wieso|weshalb) (wurde|hast du) das "
                "(abgelehnt|verweigert|nicht erlaubt)",
                "(warum|wieso|weshalb) ist das (nicht erlaubt|verboten)",
                f"(warum|wieso|weshalb) hast du <a> {{name}} nicht ({_DONE})",
            ]
        }
    ],
    "CaesarHappened": [
        {
            "sentences": [
                "was hast du [{past}] [(alles|für mich)] (gemacht|getan)",
                "was hast du [alles] {past} (gemacht|getan)",
                "was habe ich [{past}] (von dir verlangt|dich gebeten)",
            ]
        },
        {
            "sentences": [
                "was hast du [{past}] [alles] "
                "(abgelehnt|verweigert|nicht gemacht|nicht getan)",
                "was wurde [{past}] [alles] (abgelehnt|verweigert)",
            ],
            "slots": {"refused": True},
        },
        *(
            {
                "sentences": [f"wer hat [{{past}}] <a> {{name}} [{{past}}] {said}"],
                "slots": {"deed": tool, "who": True},
            }
            for said, tool in _DEEDS
        ),
        *(
            {
                "sentences": [f"wer hat [{{past}}] <a> [Haus]tür [{{past}}] {said}"],
                "slots": {"deed": tool, "who": True},
            }
            for said, tool in _DEEDS[:2]
        ),
    ],
    "CaesarMayI": [
        {
            "sentences": [
                "was (darf|kann) (ich|man) [<here>] [(alles|so)] [(machen|tun)]",
                "was dürfen wir [<here>] [alles] [(machen|tun)]",
                "was darfst du [<here>] [alles] [(machen|tun)]",
                "was (darf|kann) (ich|man) <in> {area} [alles] [(machen|tun)]",
                "was dürfen wir <in> {area} [alles] [(machen|tun)]",
                "was darfst du <in> {area} [alles] [(machen|tun)]",
                "was ist [mir] [<here>] [alles] erlaubt",
            ]
        }
    ],
}

PAST: Final[dict[str, Any]] = {
    "values": [
        {"in": "heute", "out": "today"},
        {"in": "heute (morgen|früh|vormittag)", "out": "morning"},
        {"in": "heute (mittag|nachmittag)", "out": "afternoon"},
        {"in": "heute abend", "out": "evening"},
        {"in": "(heute|letzte|in der) nacht", "out": "night"},
        {"in": "gestern", "out": "yesterday"},
        {"in": "(diese Woche|in der letzten Woche|in dieser Woche)", "out": "week"},
    ]
}
