"""Everyday English that Home Assistant's own sentences lack."""

from typing import Any, Final

from .levels import LEVELS
from .media import MEDIA
from .questions import QUESTIONS
from .switching import SWITCHING
from .things import THINGS
from .why import PAST, WHY

_PERCENT: Final = {"range": {"type": "percentage", "from": 0, "to": 100}}

SENTENCES: Final[dict[str, Any]] = {
    "language": "en",
    "intents": {
        intent: {"data": data}
        for part in (SWITCHING, LEVELS, MEDIA, THINGS, QUESTIONS, WHY)
        for intent, data in part.items()
    },
    "lists": {
        "percent": _PERCENT,
        "degrees": {
            "range": {"type": "temperature", "from": 5, "to": 95, "fractions": "halves"}
        },
        "item_text": {"wildcard": True},
        "past": PAST,
        "when": {
            "values": [
                {"in": "today", "out": "today"},
                {"in": "tonight", "out": "today"},
                {"in": "tomorrow", "out": "tomorrow"},
                {"in": "the day after tomorrow", "out": "overmorrow"},
                {"in": "this week", "out": "week"},
                {"in": "(the|this) weekend", "out": "weekend"},
                {"in": "next week", "out": "next_week"},
            ]
        },
        "kind": {
            "values": [
                {"in": "(fan|ventilator)", "out": "fan"},
                {"in": "<vacuum>", "out": "vacuum"},
                {"in": "(speaker|stereo|radio|music player)", "out": "media_player"},
                {"in": "[lawn] mower", "out": "lawn_mower"},
                {"in": "humidifier", "out": "humidifier"},
                {"in": "siren", "out": "siren"},
                {"in": "(water heater|boiler)", "out": "water_heater"},
            ]
        },
        "kinds": {
            "values": [
                {"in": "(switches|sockets|plugs|outlets)", "out": "switch"},
                {"in": "fans", "out": "fan"},
                {"in": "(speakers|players|media players|tvs)", "out": "media_player"},
            ]
        },
        "share": {
            "values": [
                {"in": "half", "out": 50},
                {"in": "(full|maximum|max)", "out": 100},
                {"in": "(minimum|min|the lowest|lowest)", "out": 1},
                {"in": "(a quarter|one quarter)", "out": 25},
            ]
        },
        "measure": {
            "values": [
                {"in": "(temperature|temp)", "out": "temperature"},
                {"in": "[air] humidity", "out": "humidity"},
                {"in": "(brightness|illuminance)", "out": "illuminance"},
                {"in": "(co2|co two|carbon dioxide) [level]", "out": "carbon_dioxide"},
                {"in": "air quality", "out": "carbon_dioxide"},
                {"in": "[air] pressure", "out": "atmospheric_pressure"},
            ]
        },
        "adjective": {
            "values": [
                {"in": "(warm|cold|hot|cool)", "out": "temperature"},
                {"in": "(humid|damp|dry)", "out": "humidity"},
                {"in": "bright", "out": "illuminance"},
            ]
        },
    },
    "expansion_rules": {
        "a": "[(the|my|our|that|this)]",
        "alarm": "<a> (alarm|alarm system|burglar alarm|security system)",
        "away": "[(to|in|as)] [when] (away|we leave) [mode]",
        "bit": "([by] a (bit|little|touch)|slightly|a little bit|some|more)",
        "blinds": "(blind|blinds|shade|shades|shutter|shutters|curtain|curtains"
        "|roller blinds|rollers|window coverings)",
        "deg": "[ ][(degrees|degree|°|°C|degrees celsius|celsius)]",
        "everything": "(everything|all devices|all the devices|every device)",
        "everywhere": "(everywhere|[in|throughout] <a> [whole] (house|home|flat))",
        "garage": "(garage|garage door)",
        "heat": "(heating|heat|heater|thermostat|temperature|radiator|radiators)",
        "here": "([in] here|[in] (this|the) room)",
        "home_mode": "[(to|in|as|for)] [at] home [mode]",
        "in": "(in|on|at|of|across|throughout) [(the|my|our)]",
        "light": "(light|lights|lamp|lamps|lighting)",
        "media": "(music|song|movie|film|playback|radio|podcast|tv show|video)",
        "night_mode": "[(to|in|as|for)] [the] night [mode]",
        "now": "(now|right now|at the moment|currently)",
        "pct": "[ ][(%|percent|per cent)]",
        "vacuum": "(vacuum|vacuum cleaner|hoover|robot|robot vacuum|cleaning robot)",
        "what_is": "(what's|whats|what is|what are|tell me|show me|how is|how's)",
    },
    "skip_words": [
        "please",
        "can you",
        "could you",
        "would you",
        "will you",
        "for me",
        "just",
        "quickly",
        "hey caesar",
        "ok caesar",
        "caesar",
        "i want you to",
        "i'd like you to",
        "go ahead and",
        "again",
        "now",
        "right now",
        "at the moment",
    ],
}
