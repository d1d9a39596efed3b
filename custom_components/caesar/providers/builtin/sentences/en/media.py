"""Everyday English: music and television."""

from typing import Any, Final

MEDIA: Final[dict[str, Any]] = {
    "HassMediaPause": [
        {
            "sentences": [
                "(pause|stop|turn off|switch off) [<a>] <media>",
                "(turn|switch) [<a>] <media> off",
                "(pause|stop playing|music off)",
            ]
        },
        {
            "sentences": ["(stop|pause) [playing] [on] <a> {name}"],
            "requires_context": {"domain": "media_player"},
        },
    ],
    "HassMediaUnpause": [
        {
            "sentences": [
                "(play|resume|continue|unpause) [<a>] <media>",
                "(resume|continue|keep playing|play)",
            ]
        },
        {
            "sentences": [
                "(play|continue) [<media>] [on] <a> {name}",
            ],
            "requires_context": {"domain": "media_player"},
        },
    ],
    "HassMediaNext": [
        {
            "sentences": [
                "(play|skip to) [<a>] next (song|track|one|title)",
                "[<a>] next (song|track|title)",
                "skip [(this|the) (song|track|one|title)]",
            ]
        },
        {
            "sentences": ["(skip|next (song|track)) [song] on <a> {name}"],
            "requires_context": {"domain": "media_player"},
        },
    ],
    "HassMediaPrevious": [
        {"sentences": ["[(play|go back to)] [<a>] (previous|last) (song|track|title)"]},
    ],
    "HassSetVolume": [
        {
            "sentences": [
                "(set|turn|put|change) [(up|down)] <a> volume (of|on|for) <a> {name} "
                "to {percent:volume_level}<pct>",
                "(set|turn|put|change) <a> {name} volume to {percent:volume_level}<pct>",
            ],
            "requires_context": {"domain": "media_player"},
        },
        {
            "sentences": [
                "[(set|turn|put)] [<a>] volume (to|at) {percent:volume_level}<pct>"
            ]
        },
    ],
    "HassSetVolumeRelative": [
        {
            "sentences": [
                "turn [<a>] (volume|music|sound) up [<bit>]",
                "turn up [<a>] (volume|music|sound) [<bit>]",
                "(louder|volume up)",
                "make (it|<a> music) [<bit>] louder",
            ],
            "slots": {"volume_step": "up"},
        },
        {
            "sentences": [
                "turn [<a>] (volume|music|sound) down [<bit>]",
                "turn down [<a>] (volume|music|sound) [<bit>]",
                "(quieter|volume down)",
                "make (it|<a> music) [<bit>] (quieter|softer)",
            ],
            "slots": {"volume_step": "down"},
        },
        {
            "sentences": [
                "turn (up <a> {name}|<a> {name} up) [<bit>]",
                "(turn|raise) <a> {name} volume up [<bit>]",
                "(turn up|raise|increase) <a> {name} volume [<bit>]",
                "make <a> {name} [<bit>] louder",
            ],
            "requires_context": {"domain": "media_player"},
            "slots": {"volume_step": "up"},
        },
        {
            "sentences": [
                "turn (down <a> {name}|<a> {name} down) [<bit>]",
                "(turn|lower) <a> {name} volume down [<bit>]",
                "(turn down|lower|decrease) <a> {name} volume [<bit>]",
                "make <a> {name} [<bit>] (quieter|softer)",
            ],
            "requires_context": {"domain": "media_player"},
            "slots": {"volume_step": "down"},
        },
    ],
}
