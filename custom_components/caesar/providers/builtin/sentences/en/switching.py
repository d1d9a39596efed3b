"""Everyday English: turning on and off, opening and closing, locking."""

from typing import Any, Final

_BLINDS: Final = ["blind", "shade", "shutter", "curtain", "awning"]
_ALL_IN_A_ROOM: Final = ["light", "switch", "fan", "media_player", "input_boolean"]
_LIGHTS: Final = {"domain": "light"}

_ONE_KIND: Final = {"one": True}
_GARAGE: Final = {"domain": "cover", "device_class": "garage", "one": True}

_TURN_ON: Final = [
    {
        "sentences": [
            "(turn|switch|put) on <a> {kind:domain}",
            "(turn|switch|put) <a> {kind:domain} on",
            "start <a> {kind:domain}",
        ],
        "slots": _ONE_KIND,
    },
    {
        "sentences": [
            "(turn|switch) on all <a> {kinds:domain}",
            "(turn|switch) all <a> {kinds:domain} on",
        ]
    },
    {
        "sentences": [
            "[(turn|switch)] on (all|every) <a> <light> [<everywhere>]",
            "[(turn|switch)] (all|every) <a> <light> on [<everywhere>]",
            "(turn|switch) (on <a> <light>|<a> <light> on) <everywhere>",
        ],
        "slots": _LIGHTS,
        "response": "light_all",
    },
    {
        "sentences": ["put (<a> {name} on|on <a> {name})"],
        "requires_context": {
            "domain": ["light", "switch", "fan", "media_player", "input_boolean"]
        },
    },
    {"sentences": ["(open|raise) [up] <a> <garage>"], "slots": _GARAGE},
    {
        "sentences": ["(lock|close|shut) [up] <a> (door|lock)"],
        "slots": {"domain": "lock", "one": True},
        "response": "lock",
    },
    {
        "sentences": ["open [up] <a> {name}", "unlock <a> {name} [door] [up]"],
        "requires_context": {"domain": "cover"},
        "response": "cover",
    },
    {
        "sentences": [
            "lock [up] <a> {name} [up]",
            "(bolt|secure|close|shut) <a> {name}",
        ],
        "requires_context": {"domain": "lock"},
        "response": "lock",
    },
    {
        "sentences": [
            "lock [up] [(all|every)] <a> (door|doors|lock|locks) [up]",
            "lock [up] (everything|the house|the place|the home) [up]",
            "lock up",
        ],
        "slots": {"domain": "lock"},
        "response": "lock",
    },
    {
        "sentences": ["(start|run|power on|fire up|put on|enable) <a> {name}"],
        "requires_context": {
            "domain": ["light", "switch", "fan", "media_player", "input_boolean"]
        },
    },
    {"sentences": ["(boil|heat) <a> {name}"], "requires_context": {"domain": "switch"}},
    {
        "sentences": ["(play|do|set|run|start|enable) <a> {name} [(scene|mode)]"],
        "requires_context": {"domain": "scene"},
        "response": "scene",
    },
    {
        "sentences": ["(do|execute|trigger) <a> {name} [(script|routine)]"],
        "requires_context": {"domain": "script"},
        "response": "script",
    },
    {
        "sentences": ["(press|push|ring) <a> {name} [button]"],
        "requires_context": {"domain": ["button", "input_button"]},
    },
    {
        "sentences": ["(enable|activate|turn on) <a> {name} [automation]"],
        "requires_context": {"domain": "automation"},
    },
    {
        "sentences": [
            "(open|raise|lift) [up] [(all|every)] <a> <blinds> [up]",
            "[all] <a> <blinds> (up|open)",
            "(pull|roll|bring|put|move) [all] <a> <blinds> up",
            "(pull|roll|bring|put|move) up [all] <a> <blinds>",
        ],
        "slots": {"domain": "cover", "device_class": _BLINDS},
        "response": "cover",
    },
    {
        "sentences": [
            "(open|raise|lift) [up] [all] <a> <blinds> [up] <in> {area}",
            "(open|raise|lift) [up] [all] <a> {area} <blinds> [up]",
        ],
        "slots": {"domain": "cover", "device_class": _BLINDS},
        "response": "cover",
    },
    {
        "sentences": ["(open|raise|lift) [up] [all] <a> <blinds> [up] [<in>] {floor}"],
        "slots": {"domain": "cover", "device_class": _BLINDS},
        "response": "cover",
    },
    {
        "sentences": ["(pull|roll|bring|put|move) (up <a> {name}|<a> {name} up)"],
        "requires_context": {"domain": "cover"},
        "response": "cover",
    },
    {
        "sentences": ["[turn] [all] [<a>] <light> on [<in>] {floor}"],
        "slots": _LIGHTS,
        "response": "lights_floor",
    },
    {
        "sentences": ["light up <a> {area}", "put [on] <a> <light> [on] <in> {area}"],
        "slots": _LIGHTS,
        "response": "lights_area",
    },
]

_TURN_OFF: Final = [
    {
        "sentences": ["(turn|switch|shut) (off <a> <heat>|<a> <heat> off) <in> {area}"],
        "slots": {"domain": "climate"},
    },
    {
        "sentences": [
            "(turn|switch|put) off <a> {kind:domain}",
            "(turn|switch|put) <a> {kind:domain} off",
            "stop <a> {kind:domain}",
        ],
        "slots": _ONE_KIND,
    },
    {
        "sentences": [
            "(turn|switch) off all <a> {kinds:domain}",
            "(turn|switch) all <a> {kinds:domain} off",
        ]
    },
    {
        "sentences": ["put (<a> {name} off|off <a> {name})"],
        "requires_context": {
            "domain": ["light", "switch", "fan", "media_player", "input_boolean"]
        },
    },
    {"sentences": ["(close|shut|lower) <a> <garage>"], "slots": _GARAGE},
    {
        "sentences": ["(unlock|open) [up] <a> (door|lock)"],
        "slots": {"domain": "lock", "one": True},
        "response": "lock",
    },
    {
        "sentences": [
            "(turn|switch|shut) (off <a> {area}|<a> {area} off)",
            "(turn|switch|put) out <a> <light> <in> {area}",
        ],
        "slots": _LIGHTS,
        "response": "lights_area",
    },
    {
        "sentences": [
            "(open|unbolt) <a> {name}",
            "unlock <a> {name} door",
            "let me (in|into|in through) <a> {name}",
        ],
        "requires_context": {"domain": "lock"},
        "response": "lock",
    },
    {
        "sentences": [
            "(unlock|open) [(all|every)] <a> (doors|lock|locks)",
            "(unlock|open) [up] (everything|the house)",
            "unlock (all|every) <a> door",
        ],
        "slots": {"domain": "lock"},
        "response": "lock",
    },
    {
        "sentences": ["(stop|power off|shut off|shut down|kill|disable) <a> {name}"],
        "requires_context": {"domain": ["light", "switch", "fan", "input_boolean"]},
    },
    {
        "sentences": ["(shut off|shut down|disable) <a> {name}"],
        "requires_context": {"domain": ["media_player", "climate"]},
    },
    {
        "sentences": ["(disable|deactivate|turn off) <a> {name} [automation]"],
        "requires_context": {"domain": "automation"},
    },
    {
        "sentences": [
            "(close|lower|shut) [down] [(all|every)] <a> <blinds> [down]",
            "[all] <a> <blinds> (down|closed)",
            "(pull|roll|bring|put|move) [all] <a> <blinds> down",
            "(pull|roll|bring|put|move) down [all] <a> <blinds>",
        ],
        "slots": {"domain": "cover", "device_class": _BLINDS},
        "response": "cover",
    },
    {
        "sentences": [
            "(close|lower|shut) [down] [all] <a> <blinds> [down] <in> {area}",
            "(close|lower|shut) [down] [all] <a> {area} <blinds> [down]",
        ],
        "slots": {"domain": "cover", "device_class": _BLINDS},
        "response": "cover",
    },
    {
        "sentences": [
            "(close|lower|shut) [down] [all] <a> <blinds> [down] [<in>] {floor}"
        ],
        "slots": {"domain": "cover", "device_class": _BLINDS},
        "response": "cover",
    },
    {
        "sentences": ["(pull|roll|bring|put|move) (down <a> {name}|<a> {name} down)"],
        "requires_context": {"domain": "cover"},
        "response": "cover",
    },
    {
        "sentences": [
            "(turn|switch|shut) off [<a>] (lights|lamps)",
            "(turn|switch|shut) [<a>] (lights|lamps) off",
            "[all] [<a>] (lights|lamps) (off|out) [<everywhere>]",
            "kill [all] [<a>] (lights|lamps)",
            "(turn|switch|shut) off [all] [<a>] <light> <everywhere>",
            "(turn|switch|put) out [all] [<a>] (lights|lamps)",
        ],
        "slots": _LIGHTS,
        "response": "light_all",
    },
    {
        "sentences": ["[turn] [all] [<a>] <light> (off|out) [<in>] {floor}"],
        "slots": _LIGHTS,
        "response": "lights_floor",
    },
    {
        "sentences": [
            "(turn|switch|shut) <everything> off",
            "<everything> off",
            "all off",
        ],
        "slots": {"domain": _ALL_IN_A_ROOM},
    },
    {
        "sentences": ["(turn|switch|shut) off <everything>"],
        "slots": {"domain": _ALL_IN_A_ROOM},
    },
    {
        "sentences": [
            "(turn|switch|shut) off <everything> <in> {area}",
            "(turn|switch|shut) <everything> off <in> {area}",
            "(turn|switch|shut) <everything> <in> {area} off",
        ],
        "slots": {"domain": _ALL_IN_A_ROOM},
    },
    {
        "sentences": ["(turn|switch|shut) off <everything> [<in>] {floor}"],
        "slots": {"domain": _ALL_IN_A_ROOM},
    },
]

SWITCHING: Final[dict[str, Any]] = {
    "HassTurnOn": _TURN_ON,
    "HassTurnOff": _TURN_OFF,
}
