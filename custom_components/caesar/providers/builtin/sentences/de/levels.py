"""Everyday German: how bright, how warm."""

from typing import Any, Final

_LIGHT_SET: Final = [
    {
        "sentences": [
            "<set> <a> {name} auf {percent:brightness}<pct> [(ein|runter|hoch|herunter)]",
            "(dimme|dimm) <a> {name} [(auf|um)] {percent:brightness}<pct> [(runter|hoch)]",
            "<a> {name} auf {percent:brightness}<pct> (dimmen|stellen|setzen|einstellen)",
        ],
        "requires_context": {"domain": "light"},
        "response": "brightness",
    },
    {
        "sentences": [
            "(<set>|dimme|dimm) [alle] <light> <in> {area} auf "
            "{percent:brightness}<pct> [ein]",
            "(<set>|dimme|dimm) <in> {area} <light> auf {percent:brightness}<pct> [ein]",
            "<light> <in> {area} [auf] {percent:brightness}<pct> "
            "[(dimmen|stellen|einstellen)]",
        ],
        "response": "brightness",
    },
    {
        "sentences": ["(<set>|dimme|dimm) <light> auf {percent:brightness}<pct> [ein]"],
        "requires_context": {"area": {"slot": True}},
        "response": "brightness",
    },
    {
        "sentences": [
            "(<set>|dimme|dimm) <a> {name} (auf|in) {share:brightness}",
            "<a> {name} auf {share:brightness} [(stellen|dimmen)]",
        ],
        "requires_context": {"domain": "light"},
        "response": "brightness",
    },
    {
        "sentences": [
            "<set> <a> {name} [auf] {color_temperature_names:temperature}",
        ],
        "requires_context": {"domain": "light"},
        "response": "temperature",
    },
    {
        "sentences": [
            "<set> <a> {name} [(auf|in)] {color} [ein]",
            "(färb|färbe) <a> {name} {color} [ein]",
        ],
        "requires_context": {"domain": "light"},
        "response": "color",
    },
    {
        "sentences": [
            "<set> <light> <in> {area} [auf] {color} [ein]",
            "<set> <in> {area} <light> [auf] {color} [ein]",
        ],
        "response": "color",
    },
]

_LIGHT_STEP: Final = [
    {
        "sentences": [
            "<set> <a> {name} [<bit>] heller",
            "<a> {name} [<bit>] heller [machen|stellen]",
            "(dreh|drehe) <a> {name} [<bit>] (hoch|auf)",
            "(erhöhe|steigere) <a> Helligkeit [(von|des|der)] <a> {name}",
        ],
        "requires_context": {"domain": "light"},
        "slots": {"step": 20},
    },
    {
        "sentences": [
            "<set> <a> {name} [<bit>] (dunkler|gedimmter)",
            "<a> {name} [<bit>] dunkler [machen|stellen]",
            "(dimme|dimm) <a> {name} [<bit>]",
            "<a> {name} [<bit>] (dimmen|runterdimmen)",
            "(dreh|drehe) <a> {name} [<bit>] (runter|herunter)",
            "(senke|verringere|reduziere) <a> Helligkeit [(von|des|der)] <a> {name}",
        ],
        "requires_context": {"domain": "light"},
        "slots": {"step": -20},
    },
    {
        "sentences": [
            "<set> (es|<light>) <in> {area} [<bit>] heller",
            "<set> <in> {area} (es|<light>) [<bit>] heller",
        ],
        "slots": {"step": 20},
    },
    {
        "sentences": [
            "<set> (es|<light>) <in> {area} [<bit>] dunkler",
            "<set> <in> {area} (es|<light>) [<bit>] dunkler",
            "(dimme|dimm) <light> <in> {area} [<bit>]",
            "<light> <in> {area} [<bit>] dimmen",
        ],
        "slots": {"step": -20},
    },
    {
        "sentences": [
            "<set> (es|<light>) [<bit>] heller",
            "es ist [mir] zu dunkel [hier]",
        ],
        "requires_context": {"area": {"slot": True}},
        "slots": {"step": 20},
    },
    {
        "sentences": [
            "<set> (es|<light>) [<bit>] dunkler",
            "(dimme|dimm) <light> [<bit>]",
            "es ist [mir] zu hell [hier]",
        ],
        "requires_context": {"area": {"slot": True}},
        "slots": {"step": -20},
    },
]

_CLIMATE_SET: Final = [
    {
        "sentences": [
            "<set> <a> {name} auf {degrees:temperature}<deg> [(ein|hoch|runter)]",
            "(heiz|heize) <a> {name} auf {degrees:temperature}<deg> [auf]",
            "<a> {name} auf {degrees:temperature}<deg> [(stellen|einstellen|setzen)]",
        ],
        "requires_context": {"domain": "climate"},
    },
    {
        "sentences": [
            "<set> <a> <heat> auf {degrees:temperature}<deg> [(ein|hoch|runter)]",
            "<a> <heat> auf {degrees:temperature}<deg>",
        ],
    },
    {"sentences": ["<set> <a> {area} auf {degrees:temperature} (Grad|°|°C) [ein]"]},
]

_CLIMATE_STEP: Final = [
    {
        "sentences": [
            "<set> es [<bit>] wärmer",
            "(dreh|drehe) <a> <heat> [<bit>] (auf|hoch|höher)",
            "<set> <a> <heat> [<bit>] (höher|wärmer|hoch)",
            "(es|mir) ist [(es|mir|uns)] zu kalt [hier]",
            "mir ist kalt",
            "[<bit>] wärmer",
        ],
        "slots": {"step": 1},
    },
    {
        "sentences": [
            "<set> es [<bit>] (kälter|kühler)",
            "(dreh|drehe) <a> <heat> [<bit>] (runter|herunter|ab|zurück|niedriger)",
            "<set> <a> <heat> [<bit>] (niedriger|kälter|kühler|runter)",
            "(es|mir) ist [(es|mir|uns)] zu (warm|heiß) [hier]",
            "[<bit>] kälter",
        ],
        "slots": {"step": -1},
    },
    {
        "sentences": [
            "<set> (es <in> {area}|<in> {area} es) [<bit>] wärmer",
            "(dreh|drehe) <a> <heat> <in> {area} [<bit>] (auf|hoch|höher)",
            "<set> <a> <heat> <in> {area} [<bit>] (höher|wärmer|hoch)",
            "(es ist|mir ist [es]) <in> {area} zu kalt",
            "(es ist|mir ist [es]) zu kalt <in> {area}",
        ],
        "slots": {"step": 1},
    },
    {
        "sentences": [
            "<set> (es <in> {area}|<in> {area} es) [<bit>] (kälter|kühler)",
            "(dreh|drehe) <a> <heat> <in> {area} [<bit>] (runter|ab|zurück|niedriger)",
            "<set> <a> <heat> <in> {area} [<bit>] (niedriger|kälter|kühler|runter)",
            "(es ist|mir ist [es]) <in> {area} zu (warm|heiß)",
            "(es ist|mir ist [es]) zu (warm|heiß) <in> {area}",
        ],
        "slots": {"step": -1},
    },
    {
        "sentences": ["(<set>|dreh|drehe) <a> {name} [<bit>] (wärmer|höher|hoch|auf)"],
        "requires_context": {"domain": "climate"},
        "slots": {"step": 1},
    },
    {
        "sentences": [
            "(<set>|dreh|drehe) <a> {name} [<bit>] (kälter|kühler|niedriger|runter)"
        ],
        "requires_context": {"domain": "climate"},
        "slots": {"step": -1},
    },
]

LEVELS: Final[dict[str, Any]] = {
    "HassLightSet": _LIGHT_SET,
    "CaesarLightStep": _LIGHT_STEP,
    "HassClimateSetTemperature": _CLIMATE_SET,
    "CaesarClimateStep": _CLIMATE_STEP,
}
