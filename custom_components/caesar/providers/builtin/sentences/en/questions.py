"""Everyday English: questions about the house."""

from typing import Any, Final

_LIGHTS: Final = {"domain": "light"}

_STATE: Final = [
    {
        "sentences": [
            "[<what_is>] <a> (status|state|condition|reading|level) (of|for|on) <a> "
            "{name}",
            "<what_is> <a> {name} [(doing|set to|at|like)] [right now]",
            "<what_is> <a> {name} (status|state|reading|level)",
            "how (full|high|low|warm|cold|hot|humid|much|strong|bright|loud) is <a> "
            "{name}",
            "(how is|how's) <a> {name}",
            "what (state|position|mode) is <a> {name} in",
        ],
        "response": "one",
    },
    {
        "sentences": ["is <a> {name} [(open|closed|shut)]"],
        "requires_context": {"domain": "lock"},
        "response": "one",
    },
    {
        "sentences": [
            "(has|is) <a> {name} [been] locked",
            "(did|have) (i|you|we) (lock|locked) <a> {name}",
        ],
        "requires_context": {"domain": "lock"},
        "slots": {"state": "locked"},
        "response": "one_yesno",
    },
    {
        "sentences": [
            "is <a> {kind:domain} (on|off|running|playing|working)",
            "<what_is> <a> {kind:domain} [doing]",
        ],
        "slots": {"one": True},
        "response": "one",
    },
    {
        "sentences": ["is <alarm> (on|off|armed|disarmed|set|active)"],
        "slots": {"domain": "alarm_control_panel", "one": True},
        "response": "one",
    },
    {
        "sentences": ["is <a> {name} (armed|disarmed|set)"],
        "requires_context": {"domain": "alarm_control_panel"},
        "response": "one",
    },
    {
        "sentences": ["is <a> {name} [still] (on|off|playing|running|active|working)"],
        "response": "one",
    },
    {
        "sentences": [
            "(is|are) [(all|every)] [of] <a> (door|doors|lock|locks) locked",
            "is (everything|the house|the place) locked [up]",
        ],
        "slots": {"domain": "lock", "state": "locked"},
        "response": "all",
    },
    {
        "sentences": ["(is|are) (any|there any) <light> [still] on [<in>] {floor}"],
        "slots": {"domain": "light", "state": "on"},
        "response": "any",
    },
    {
        "sentences": [
            "(is|are) there [(a|any)] <light> [still] on",
            "is any <light> [still] on",
            "did i leave [any] [<a>] <light> on",
        ],
        "slots": {"domain": "light", "state": "on"},
        "response": "any",
    },
    {
        "sentences": [
            "(is|are) [there] [(a|any)] <a> <light> [still] on <in> {area}",
            "(is|are) [any] <a> <light> <in> {area} [still] on",
            "(is|are) [any] <a> {area} <light> [still] on",
        ],
        "slots": {"domain": "light", "state": "on"},
        "response": "any",
    },
    {
        "sentences": [
            "(which|what) <light> [(is|are)] [still] (on|lit|burning)",
            "show me [all] [<a>] <light> that are on",
        ],
        "slots": {"domain": "light", "state": "on"},
        "response": "which",
    },
    {
        "sentences": ["(which|what) [(switches|devices|plugs)] (is|are) on"],
        "slots": {"domain": ["switch", "light", "fan", "media_player"], "state": "on"},
        "response": "which",
    },
    {
        "sentences": [
            "(what|which devices) (is|are) [still] on (<in> {area}|[<in>] {floor})",
            "(what's|whats) [still] on (<in> {area}|[<in>] {floor})",
        ],
        "slots": {"domain": ["switch", "light", "fan", "media_player"], "state": "on"},
        "response": "which",
    },
    {
        "sentences": ["is <a> <heat> (on|off|running)"],
        "slots": {"domain": "climate"},
        "response": "values",
    },
    {
        "sentences": [
            "(which|what) [(doors|locks)] (is|are) not locked",
            "what is unlocked",
        ],
        "slots": {"domain": "lock", "state": "unlocked"},
        "response": "which",
    },
    {
        "sentences": [
            "(is|are) [there] [any] [of] [<a>] (window|windows) [still] open",
            "(is|are) there [any] open (window|windows)",
            "did i leave [any|a] (window|windows) open",
        ],
        "slots": {"domain": "cover", "device_class": "window", "state": "open"},
        "response": "any",
    },
    {
        "sentences": [
            "is (anything|something) [still] (open|unlocked)",
            "what is [still] open",
        ],
        "slots": {
            "domain": "cover",
            "device_class": ["window", "door", "garage", "gate"],
            "state": "open",
        },
        "response": "which",
    },
    {
        "sentences": [
            "is there [any] (motion|movement) [<in>] {area}",
            "is [there] (anyone|anybody|somebody|someone) <in> {area}",
        ],
        "slots": {
            "domain": "binary_sensor",
            "device_class": ["motion", "occupancy", "presence"],
            "state": "on",
        },
        "response": "any",
    },
    {
        "sentences": [
            "is there [any] (smoke|a fire|fire)",
            "does (anything|something) burn",
        ],
        "slots": {
            "domain": "binary_sensor",
            "device_class": ["smoke", "heat", "gas"],
            "state": "on",
        },
        "response": "any",
    },
]

_MEASURE: Final = [
    {
        "sentences": [
            "<what_is> <a> {measure:device_class} [like] <in> {area}",
            "is it {adjective:device_class} <in> {area}",
            "<what_is> <a> {area} {measure:device_class}",
            "how {adjective:device_class} is (it|the air) <in> {area}",
            "how {adjective:device_class} is <a> {area}",
            "[<a>] {measure:device_class} <in> {area}",
            "what {measure:device_class} is it <in> {area}",
            "how {adjective:device_class} is it [<in>] {floor}",
            "<what_is> <a> {measure:device_class} [<in>] {floor}",
        ]
    },
    {
        "sentences": [
            "<what_is> <a> {measure:device_class} [<here>]",
            "how {adjective:device_class} is (it|the air) [<here>]",
            "how {adjective:device_class} is it inside",
        ]
    },
    {
        "sentences": [
            "how much (power|electricity|energy) "
            "(are we using|do we use|is being used|is used) [<now>]",
            "<what_is> <a> (power|electricity) (use|usage|consumption) [<now>]",
        ],
        "slots": {"device_class": "power"},
    },
]

QUESTIONS: Final[dict[str, Any]] = {
    "HassGetState": _STATE,
    "CaesarMeasure": _MEASURE,
    "HassGetWeather": [
        {
            "sentences": [
                "how (cold|warm|hot|cool) is it outside [<now>]",
                "<what_is> <a> (temperature outside|outside temperature)",
            ],
            "response": "outside_temp",
        },
        {"sentences": ["(how is|how's) <a> weather [(today|outside|now)]"]},
    ],
    "HassGetCurrentDate": [
        {
            "sentences": [
                "(what|which) (day|date) is (it|today) [today]",
                "<what_is> today",
            ]
        }
    ],
    "HassGetCurrentTime": [
        {
            "sentences": [
                "(do you have|have you got|tell me|what is) the time [<now>]",
                "how late is it",
            ]
        }
    ],
    "CaesarListRead": [
        {
            "sentences": [
                "(what is|what's|whats|what do we have) (on|in) <a> {name} [list]",
                "(read|show|tell) [me] <a> {name} [list]",
                "what (do we need|do i need|is left) (on|from) <a> {name} [list]",
            ],
            "requires_context": {"domain": "todo"},
        },
        {
            "sentences": [
                "what do (we|i) need [to buy] [from the (shop|store|supermarket)]",
                "what is on <a> (shopping|grocery) list",
            ]
        },
    ],
    "CaesarPlaying": [
        {
            "sentences": [
                "(what is|what's) [(currently|now)] playing [<now>]",
                "(what song|which song|what music) is (this|playing) [<now>]",
            ]
        }
    ],
    "CaesarCalendar": [
        {
            "sentences": [
                "(what is|what's|whats) (on|in) [<a>] (calendar|agenda|schedule) "
                "[[for] {when}]",
                "(what is|what's|whats) (on|up|planned) [for] {when}",
                "[<a>] (calendar|agenda|schedule) [for] {when}",
                "(do i|do we) have [any] "
                "(anything|appointments|something|plans|events) [planned] "
                "[[for] {when}]",
                "(what|which) (appointments|events|plans) "
                "(do i have|do we have|are there) [[for] {when}]",
                "what (am i|are we) doing {when}",
            ]
        },
        {
            "sentences": [
                "(what is|what's|when is|when's) [(my|the|our)] next "
                "(appointment|event|meeting)"
            ],
            "slots": {"when": "next"},
        },
        {
            "sentences": [
                "(show|read) [me] [<a>] (calendar|agenda|schedule) [[for] {when}]",
            ]
        },
        {
            "sentences": [
                "(what is|what's|whats) (on|in) <a> {name} [[for] {when}]",
                "(what is|what's|whats) {when} (on|in) <a> {name}",
            ],
            "requires_context": {"domain": "calendar"},
        },
    ],
    "CaesarWhatIsThere": [
        {
            "sentences": [
                "(what|which) <light> (are|do we have) [there] <in> {area}",
                "(list|show [me]) [all] [<a>] <light> <in> {area}",
            ],
            "slots": _LIGHTS,
        },
        {
            "sentences": [
                "(what|which) (devices|things|entities) (are|do we have) [there] <in> "
                "{area}",
                "what is [there] <in> {area}",
                "what can (you|i) control <in> {area}",
            ]
        },
    ],
    "CaesarRooms": [
        {
            "sentences": [
                "(what|which) (rooms|areas) (are there|do you know|do we have|exist)",
                "list [all] [<a>] (rooms|areas)",
            ]
        }
    ],
}
