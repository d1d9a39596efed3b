"""Everyday English: blinds, fans, vacuum cleaners, alarms, lists, and small talk."""

from typing import Any, Final

_BLINDS: Final = ["blind", "shade", "shutter", "curtain", "awning"]

THINGS: Final[dict[str, Any]] = {
    "HassToggle": [
        {
            "sentences": ["(toggle|flip) <a> {name}"],
            "requires_context": {
                "domain": [
                    "light",
                    "switch",
                    "fan",
                    "cover",
                    "input_boolean",
                    "media_player",
                ]
            },
        }
    ],
    "HassSetPosition": [
        {
            "sentences": [
                "(set|move|open|close|put|lower|raise) <a> {name} (to|at) "
                "{percent:position}<pct>",
                "(open|close) <a> {name} {percent:position}<pct>",
            ],
            "requires_context": {"domain": ["cover", "valve"]},
        },
        {
            "sentences": [
                "(open|close|set|put|lower|raise) <a> {name} "
                "(halfway|half way|half|[to] [the] middle) [(up|down|open)]",
                "half (open|close) <a> {name}",
            ],
            "requires_context": {"domain": ["cover", "valve"]},
            "slots": {"position": 50},
        },
        {
            "sentences": [
                "(set|move|open|close|put) [all] <a> <blinds> (to|at) "
                "{percent:position}<pct> [<in> {area}]",
                "(set|move|put) [all] <a> <blinds> <in> {area} (to|at) "
                "{percent:position}<pct>",
            ],
            "slots": {"domain": "cover", "device_class": _BLINDS},
        },
    ],
    "HassStopMoving": [
        {
            "sentences": ["(stop|halt|freeze) <a> {name}"],
            "requires_context": {"domain": ["cover", "valve"]},
        },
        {
            "sentences": ["(stop|halt) [all] <a> <blinds>"],
            "slots": {"domain": "cover", "device_class": _BLINDS},
        },
    ],
    "HassFanSetSpeed": [
        {
            "sentences": [
                "(set|turn|put) [(up|down)] <a> {name} [speed] (to|at) "
                "{percent:percentage}<pct>"
            ],
            "requires_context": {"domain": "fan"},
        },
        {
            "sentences": [
                "(set|turn|put) [(up|down)] <a> fan [speed] (to|at) "
                "{percent:percentage}<pct>"
            ],
            "slots": {"one": True},
        },
    ],
    "HassVacuumStart": [
        {
            "sentences": [
                "(run|send out|start up|turn on|activate) <a> {name}",
                "(let|make|have) <a> {name} (clean|vacuum) [up]",
            ],
            "requires_context": {"domain": "vacuum"},
        },
        {
            "sentences": [
                "(vacuum|clean) [<a>] (house|floor|floors|everything)",
                "(start|do some) (vacuuming|cleaning)",
                "(run|start|send out) <a> <vacuum>",
            ]
        },
    ],
    "HassVacuumReturnToBase": [
        {
            "sentences": [
                "(send|return|bring|take|dock) <a> {name} [back] "
                "[(to|into)] [(its|the|his)] [(home|base|dock|charger|station)]",
                "(stop|turn off|cancel) <a> {name}",
            ],
            "requires_context": {"domain": "vacuum"},
        },
        {
            "sentences": [
                "(send|return|bring|take|dock) <a> <vacuum> [back] "
                "[(to|into)] [(its|the|his)] [(home|base|dock|charger|station)]",
                "stop (<a> <vacuum>|vacuuming)",
            ],
        },
    ],
    "HassLawnMowerStartMowing": [
        {
            "sentences": ["(start|run|turn on) <a> {name}", "mow the (lawn|grass)"],
            "requires_context": {"domain": "lawn_mower"},
        }
    ],
    "HassLawnMowerDock": [
        {
            "sentences": ["(stop|dock|turn off) <a> {name}", "send <a> {name} home"],
            "requires_context": {"domain": "lawn_mower"},
        }
    ],
    "CaesarAlarm": [
        {
            "sentences": [
                "(arm|activate|set|turn on|switch on|enable) <alarm> [<away>]",
                "(arm|activate|set|turn on) <a> {name} [<away>]",
            ],
            "requires_context": {"domain": "alarm_control_panel"},
            "slots": {"service": "alarm_arm_away"},
        },
        {
            "sentences": ["(arm|activate|set|turn on|enable) <alarm> [<away>]"],
            "slots": {"service": "alarm_arm_away"},
        },
        {
            "sentences": ["(arm|set) (<alarm>|<a> {name}) <home_mode>"],
            "slots": {"service": "alarm_arm_home"},
        },
        {
            "sentences": ["(arm|set) (<alarm>|<a> {name}) <night_mode>"],
            "slots": {"service": "alarm_arm_night"},
        },
        {
            "sentences": ["(disarm|deactivate|turn off|switch off|disable) <alarm>"],
            "slots": {"service": "alarm_disarm"},
        },
        {
            "sentences": ["(disarm|deactivate|turn off|switch off|disable) <a> {name}"],
            "requires_context": {"domain": "alarm_control_panel"},
            "slots": {"service": "alarm_disarm"},
        },
    ],
    "HassListAddItem": [
        {
            "sentences": [
                "(add|put|write) {item_text:item} (to|on|onto) <a> {name} [list]",
                "we need {item_text:item} on <a> {name} [list]",
            ],
            "requires_context": {"domain": "todo"},
            "response": "item_added",
        }
    ],
    "HassListRemoveItem": [
        {
            "sentences": [
                "(remove|delete|take|scratch) {item_text:item} (from|off) <a> {name} "
                "[list]"
            ],
            "requires_context": {"domain": "todo"},
            "response": "item_deleted",
        }
    ],
    "HassListCompleteItem": [
        {
            "sentences": [
                "(check|tick|cross) off {item_text:item} (on|from) <a> {name} [list]",
                "(check|tick|cross) {item_text:item} off <a> {name} [list]",
            ],
            "requires_context": {"domain": "todo"},
            "response": "item_completed",
        }
    ],
    "CaesarWhichRoom": [
        {
            "sentences": [
                "(turn|switch|put) on [<a>] <light>",
                "(turn|switch|put) [<a>] <light> on",
                "[<a>] <light> on",
            ],
            "slots": {"deed": "HassTurnOn"},
        },
        {
            "sentences": [
                "(turn|switch|put) off [<a>] (light|lamp)",
                "(turn|switch|put) [<a>] (light|lamp) off",
                "[<a>] (light|lamp) off",
            ],
            "slots": {"deed": "HassTurnOff"},
        },
    ],
    "CaesarHelp": [
        {
            "sentences": [
                "(help|help me)",
                "what can (you|i) (do|say|ask) [for me] [you]",
                "how (do you|does this) work",
                "what are you able to do",
            ]
        }
    ],
    "CaesarThanks": [
        {"sentences": ["(thanks|thank you|thx|cheers) [(very|so) much|a lot]"]},
        {"sentences": ["(good|great|nice|perfect|well done) [job|work]"]},
    ],
    "CaesarPlanned": [
        {
            "sentences": [
                "what (did i|have i|have you|is|i have) (plan|planned) [for] [(later|today)]",
                "(what are|list|tell me) my (planned|delayed) commands",
            ]
        }
    ],
    "CaesarPlannedCancel": [
        {
            "sentences": [
                "(cancel|forget|stop|drop) (that|it) [again]",
            ],
            "slots": {"it": True},
        },
        {
            "sentences": [
                "(cancel|forget|stop|drop) (the|my|that) [last] (plan|planned command|delayed command)",
                "(cancel|forget|stop|drop) what i planned",
            ]
        },
        {
            "sentences": [
                "(cancel|forget|stop|drop) (all|everything) [that] i [have] planned",
                "(cancel|forget|stop|drop) all [of] [(the|my)] (plans|planned commands|delayed commands)",
            ],
            "slots": {"every": True},
        },
    ],
    "CaesarTimer": [{"sentences": ["(set|start|create) (a|the) timer"]}],
    "CaesarForget": [
        {
            "sentences": [
                "(forget|erase|delete) (this|our) (conversation|chat|talk)",
                "forget (what|everything|all [that]) (I|we) [have] [just] "
                "(said|talked about)",
            ]
        }
    ],
    "CaesarBye": [
        {
            "sentences": [
                "(good night|goodbye|good bye|bye|bye bye|see you|see you later)"
            ]
        }
    ],
    "CaesarCreator": [{"sentences": ["(who|what) are you", "what is your name"]}],
    "CaesarHello": [
        {
            "sentences": [
                "good (morning|afternoon|evening)",
                "(hello|hi|hey) [there]",
            ]
        }
    ],
}
