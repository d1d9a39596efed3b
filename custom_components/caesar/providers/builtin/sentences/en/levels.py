"""Everyday English: how bright, how warm."""

from typing import Any, Final

_LIGHT_SET: Final = [
    {
        "sentences": [
            "(dim|brighten|bring|turn|set|put|lower|raise|reduce|increase) "
            "[(down|up)] <a> {name} [brightness] [(down|up)] "
            "(to|at) {percent:brightness}<pct>",
            "<a> {name} (to|at) {percent:brightness}<pct>",
        ],
        "requires_context": {"domain": "light"},
        "response": "brightness",
    },
    {
        "sentences": [
            "(dim|brighten|bring|turn|set|put) [(down|up)] [all] <a> <light> "
            "<in> {area} (to|at) {percent:brightness}<pct>",
            "(dim|brighten|bring|turn|set|put) [(down|up)] [all] <a> {area} [<light>] "
            "(to|at) {percent:brightness}<pct>",
        ],
        "response": "brightness",
    },
    {
        "sentences": [
            "(dim|brighten|set|turn|put) <a> {name} [brightness] (to|at) "
            "{share:brightness} [brightness]",
            "<a> {name} (to|at) {share:brightness} [brightness]",
        ],
        "requires_context": {"domain": "light"},
        "response": "brightness",
    },
    {
        "sentences": [
            "(dim|brighten|set) [all] <a> <light> (to|at) {percent:brightness}<pct>"
        ],
        "requires_context": {"area": {"slot": True}},
        "response": "brightness",
    },
    {
        "sentences": [
            "(set|make|turn|change|switch) <a> {name} [to] "
            "{color_temperature_names:temperature}"
        ],
        "requires_context": {"domain": "light"},
        "response": "temperature",
    },
    {
        "sentences": [
            "(make|turn|color|colour|paint|change) [all] <a> <light> <in> {area} [to] "
            "{color}",
            "(color|colour|paint|change|switch) <a> {name} [to] {color}",
        ],
        "response": "color",
    },
]

_LIGHT_STEP: Final = [
    {
        "sentences": [
            "(brighten|turn up) <a> {name} [<bit>]",
            "(increase|raise) <a> brightness of <a> {name} [<bit>]",
            "(make|turn) <a> {name} [<bit>] (brighter|up) [<bit>]",
        ],
        "requires_context": {"domain": "light"},
        "slots": {"step": 20},
    },
    {
        "sentences": [
            "(dim|turn down|lower) <a> {name} [<bit>]",
            "(decrease|lower|reduce) <a> brightness of <a> {name} [<bit>]",
            "(make|turn) <a> {name} [<bit>] (darker|dimmer|down) [<bit>]",
        ],
        "requires_context": {"domain": "light"},
        "slots": {"step": -20},
    },
    {
        "sentences": [
            "(brighten|turn up) <a> <light> <in> {area} [<bit>]",
            "make (it|<a> <light>) [<bit>] brighter <in> {area}",
        ],
        "slots": {"step": 20},
    },
    {
        "sentences": [
            "(dim|turn down) <a> <light> <in> {area} [<bit>]",
            "make (it|<a> <light>) [<bit>] (darker|dimmer) <in> {area}",
        ],
        "slots": {"step": -20},
    },
    {
        "sentences": [
            "make (it|<a> <light>) [<bit>] brighter [<here>]",
            "brighten <a> <light> [<bit>]",
            "it's too dark [<here>]",
        ],
        "requires_context": {"area": {"slot": True}},
        "slots": {"step": 20},
    },
    {
        "sentences": [
            "make (it|<a> <light>) [<bit>] (darker|dimmer) [<here>]",
            "dim <a> <light> [<bit>]",
            "it's too bright [<here>]",
        ],
        "requires_context": {"area": {"slot": True}},
        "slots": {"step": -20},
    },
]

_CLIMATE_STEP: Final = [
    {
        "sentences": [
            "make it [<bit>] (warmer|hotter) [<here>] [<bit>]",
            "(turn|crank) up <a> <heat> [<bit>]",
            "(turn|crank) <a> <heat> up [<bit>]",
            "(it's|it is|i'm|i am) too (cold|chilly) [<here>]",
            "(i'm|i am) (cold|freezing)",
        ],
        "slots": {"step": 1},
    },
    {
        "sentences": [
            "make it [<bit>] (colder|cooler) [<here>] [<bit>]",
            "turn down <a> <heat> [<bit>]",
            "turn <a> <heat> down [<bit>]",
            "(it's|it is|i'm|i am) too (hot|warm) [<here>]",
        ],
        "slots": {"step": -1},
    },
    {
        "sentences": [
            "make (it|<a> {area}) [<bit>] (warmer|hotter)",
            "make it [<bit>] (warmer|hotter) <in> {area}",
            "turn up <a> ({area} <heat>|<heat> <in> {area}) [<bit>]",
            "(it's|it is) too cold <in> {area}",
            "turn <a> <heat> up <in> {area} [<bit>]",
        ],
        "slots": {"step": 1},
    },
    {
        "sentences": [
            "make <a> {area} [<bit>] (colder|cooler)",
            "make it [<bit>] (colder|cooler) <in> {area}",
            "turn down <a> ({area} <heat>|<heat> <in> {area}) [<bit>]",
            "(it's|it is) too (hot|warm) <in> {area}",
            "turn <a> <heat> down <in> {area} [<bit>]",
        ],
        "slots": {"step": -1},
    },
    {
        "sentences": ["turn (up <a> {name}|<a> {name} up) [<bit>]"],
        "requires_context": {"domain": "climate"},
        "slots": {"step": 1},
    },
    {
        "sentences": ["turn (down <a> {name}|<a> {name} down) [<bit>]"],
        "requires_context": {"domain": "climate"},
        "slots": {"step": -1},
    },
]

_CLIMATE_SET: Final = [
    {
        "sentences": [
            "(set|turn|put|change) [(up|down)] <a> <heat> (to|at) "
            "{degrees:temperature}<deg>",
            "(heat|cool) [it] [(up|down)] to {degrees:temperature}<deg>",
        ]
    },
    {
        "sentences": [
            "(heat|cool) [(up|down)] <a> {area} to {degrees:temperature}<deg>",
            "(set|put|turn) <a> {area} to {degrees:temperature} (degrees|°|°C|celsius)",
            "(set|turn|put|change) <a> (<heat> <in> {area}|{area} <heat>) (to|at) "
            "{degrees:temperature}<deg>",
        ]
    },
]

LEVELS: Final[dict[str, Any]] = {
    "HassLightSet": _LIGHT_SET,
    "CaesarLightStep": _LIGHT_STEP,
    "HassClimateSetTemperature": _CLIMATE_SET,
    "CaesarClimateStep": _CLIMATE_STEP,
}
