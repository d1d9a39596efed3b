"""Everyday German: music and television."""

from typing import Any, Final

_PLAYER: Final = {"domain": "media_player"}

MEDIA: Final[dict[str, Any]] = {
    "HassMediaPause": [
        {
            "sentences": [
                "(pausiere|stopp|stoppe|halte|unterbrich) [<a>] <media> [an]",
                "[<media>] (Pause|anhalten|pausieren|stoppen|stopp)",
                "(mach|mache) [mal] Pause",
                "[<do>] [<a>] (Musik|Wiedergabe|Radio) (aus|ab)",
                "[<a>] (Musik|Wiedergabe|Radio) (ausschalten|ausmachen)",
            ]
        },
        {
            "sentences": [
                "(pausiere|stopp|stoppe|halte|unterbrich) <a> {name} [an]",
                "<a> {name} (pausieren|anhalten|stoppen)",
            ],
            "requires_context": _PLAYER,
        },
    ],
    "HassMediaUnpause": [
        {
            "sentences": [
                "[<a>] <media> (weiter|fortsetzen|weiterspielen|abspielen|an)",
                "(spiel|spiele) [<a>] <media> [(weiter|ab)]",
                "(setz|setze) [<a>] <media> fort",
                "(weiter|weiterspielen|fortsetzen)",
                "(mach|mache) [<a>] <media> (an|weiter)",
            ]
        },
        {
            "sentences": [
                "(spiel|spiele|setz|setze) [<media>] [(auf|mit)] <a> {name} "
                "[(weiter|ab|fort)]",
                "<a> {name} (weiter|fortsetzen|weiterspielen)",
            ],
            "requires_context": _PLAYER,
        },
    ],
    "HassMediaNext": [
        {
            "sentences": [
                "[(spiel|spiele)] [(das|den)] (nächste|nächstes|nächsten|nächster) "
                "<track> [ab]",
                "(überspring|überspringe) [(das|den|dieses|diesen)] [<track>]",
                "[(ein|einen)] <track> weiter",
            ]
        }
    ],
    "HassMediaPrevious": [
        {
            "sentences": [
                "[(spiel|spiele)] [(das|den)] "
                "(vorherige|vorheriges|vorherigen|letzte|letztes|letzten) <track> [ab]",
                "[(ein|einen)] <track> zurück",
            ]
        }
    ],
    "HassSetVolume": [
        {
            "sentences": [
                "<set> [die] Lautstärke (von|vom|des|der|am|an) <a> {name}[s] auf "
                "{percent:volume_level}<pct> [ein]",
                "<set> <a> {name} auf {percent:volume_level}<pct> [Lautstärke] [ein]",
                "<a> {name} auf {percent:volume_level}<pct> [Lautstärke]",
            ],
            "requires_context": _PLAYER,
        },
        {
            "sentences": [
                "[<set>] [die] Lautstärke auf {percent:volume_level}<pct> [ein]"
            ]
        },
    ],
    "HassSetVolumeRelative": [
        {
            "sentences": [
                "[(mach|mache|dreh|drehe|stell|stelle)] [(es|<a> <media>|den Ton)] "
                "[<bit>] (lauter|hoch)",
                "(dreh|drehe) [<a>] (Lautstärke|Musik|Ton) [<bit>] (auf|hoch)",
            ],
            "slots": {"volume_step": "up"},
        },
        {
            "sentences": [
                "[(mach|mache|dreh|drehe|stell|stelle)] [(es|<a> <media>|den Ton)] "
                "[<bit>] leiser",
                "(dreh|drehe) [<a>] (Lautstärke|Musik|Ton) [<bit>] (runter|herunter|ab)",
            ],
            "slots": {"volume_step": "down"},
        },
        {
            "sentences": [
                "(mach|mache|dreh|drehe|stell|stelle) <a> {name} [<bit>] (lauter|auf)",
                "<a> {name} [<bit>] lauter",
            ],
            "requires_context": _PLAYER,
            "slots": {"volume_step": "up"},
        },
        {
            "sentences": [
                "(mach|mache|dreh|drehe|stell|stelle) <a> {name} [<bit>] leiser",
                "<a> {name} [<bit>] leiser",
            ],
            "requires_context": _PLAYER,
            "slots": {"volume_step": "down"},
        },
    ],
    "HassMediaPlayerMute": [
        {
            "sentences": [
                "(<set>|schalte|schalt) <a> {name} (stumm|auf stumm)",
                "<a> {name} stumm [schalten]",
            ],
            "requires_context": _PLAYER,
        }
    ],
    "HassMediaPlayerUnmute": [
        {
            "sentences": ["<do> <a> {name} [den] Ton an", "<a> {name} Ton an"],
            "requires_context": _PLAYER,
        }
    ],
}
