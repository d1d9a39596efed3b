"""Everyday German: questions about the house."""

from typing import Any, Final

_STATE: Final = [
    {
        "sentences": [
            "<what_is> <a> (Status|Zustand|Stand|Wert) (von|vom|des|der) <a> {name}[s]",
            "<what_is> [mit] <a> {name} [(los|gerade|eingestellt)]",
            "wie (voll|hoch|niedrig|warm|kalt|feucht|viel|stark|laut|hell|groß) "
            "(ist|sind) <a> {name}",
            "wie (steht es um|geht es) <a> {name}",
            "(Status|Zustand) [von] <a> {name}",
        ],
        "response": "one",
    },
    {
        "sentences": ["(ist|steht) <a> {name} [(offen|auf|zu|geschlossen)]"],
        "requires_context": {"domain": "lock"},
        "response": "one",
    },
    {
        "sentences": [
            "(habe|hab|hast|haben) (ich|du|wir) <a> {name} <locked>",
            "ist <a> {name} <locked>",
        ],
        "requires_context": {"domain": "lock"},
        "slots": {"state": "locked"},
        "response": "one_yesno",
    },
    {
        "sentences": [
            "(läuft|spielt) <a> {kind:domain}",
            "ist <a> {kind:domain} (an|aus|in Betrieb)",
            "<what_is> <a> {kind:domain}",
        ],
        "slots": {"one": True},
        "response": "one",
    },
    {
        "sentences": ["ist <alarm> (an|aus|scharf|unscharf|aktiv|eingeschaltet)"],
        "slots": {"domain": "alarm_control_panel", "one": True},
        "response": "one",
    },
    {
        "sentences": ["ist <a> {name} (an|aus|scharf|unscharf|aktiv)"],
        "requires_context": {"domain": "alarm_control_panel"},
        "response": "one",
    },
    {
        "sentences": [
            "(läuft|spielt) <a> {name}",
            "ist <a> {name} (an|aus|in Betrieb|eingeschaltet|ausgeschaltet)",
        ],
        "response": "one",
    },
    {
        "sentences": [
            "ist (alles|das Haus|überall) (abgeschlossen|zu|verriegelt|abgesperrt)",
            "sind [alle] [die] (Türen|Schlösser) (zu|<locked>)",
        ],
        "slots": {"domain": "lock", "state": "locked"},
        "response": "all",
    },
    {
        "sentences": [
            "(welche|was für) (Lichter|Lampen|Leuchten|Licht) <burns> [an]",
            "welches Licht (ist|<burns>) [an]",
            "wo (ist|<burns>) [das] [ein] Licht [an]",
            "welche (Lichter|Lampen) sind (eingeschaltet|angeschaltet)",
            "was ist alles an",
        ],
        "slots": {"domain": "light", "state": "on"},
        "response": "which",
    },
    {
        "sentences": [
            "<burns> [irgendwo] [ein] [das] (Licht|Lampe|Lichter|Lampen)",
            "(ist|sind|<burns>) [irgendwo] [ein] (Licht|Lichter|Lampen|eine Lampe) an",
            "(habe|hab) ich [irgendwo] [das] [ein] Licht (angelassen|brennen lassen)",
        ],
        "slots": {"domain": "light", "state": "on"},
        "response": "any",
    },
    {
        "sentences": [
            "<burns> <in> {area} [das] [ein] (Licht|Lampe|Lichter|Lampen) [an]",
            "<burns> [das] [ein] (Licht|Lichter|Lampen) <in> {area} [an]",
            "(ist|sind) <in> {area} [das] [ein] (Licht|Lichter|Lampen) an",
            "(ist|sind) [das] [ein] (Licht|Lichter|Lampen) <in> {area} an",
        ],
        "slots": {"domain": "light", "state": "on"},
        "response": "any",
    },
    {
        "sentences": [
            "(<burns>|ist|sind) <on> {floor} [das] [ein] (Licht|Lichter|Lampen) [an]",
            "(<burns>|ist|sind) (Licht|Lichter|Lampen) <on> {floor} [an]",
        ],
        "slots": {"domain": "light", "state": "on"},
        "response": "any",
    },
    {
        "sentences": ["welche (Lichter|Lampen) <burns> <in> {area}"],
        "slots": {"domain": "light", "state": "on"},
        "response": "which",
    },
    {
        "sentences": ["welche (Geräte|Schalter|Steckdosen) (sind|laufen) [an]"],
        "slots": {"domain": ["switch", "light", "fan", "media_player"], "state": "on"},
        "response": "which",
    },
    {
        "sentences": [
            "(ist|sind|steht|stehen|steht irgendwo) [irgendwo] [(noch|ein|das)] "
            "Fenster (offen|auf)",
            "(habe|hab) ich [irgendwo] [ein] Fenster (offen gelassen|aufgelassen)",
        ],
        "slots": {"domain": "cover", "device_class": "window", "state": "open"},
        "response": "any",
    },
    {
        "sentences": ["sind [alle] [die] Fenster (zu|geschlossen)"],
        "slots": {"domain": "cover", "device_class": "window", "state": "closed"},
        "response": "all",
    },
    {
        "sentences": ["welche (Lichter|Lampen) (<burns>|sind) <on> {floor} [an]"],
        "slots": {"domain": "light", "state": "on"},
        "response": "which",
    },
    {
        "sentences": [
            "was ist [alles] (<in> {area}|<on> {floor}) [noch] an",
            "welche Geräte sind (<in> {area}|<on> {floor}) an",
        ],
        "slots": {"domain": ["switch", "light", "fan", "media_player"], "state": "on"},
        "response": "which",
    },
    {
        "sentences": ["(ist|läuft) <a> <heat> [(an|aus)]"],
        "slots": {"domain": "climate"},
        "response": "values",
    },
    {
        "sentences": [
            "(ist|steht) [irgendwo] [noch] (etwas|was|irgendwas) (offen|auf)",
            "was ist [noch] (offen|auf)",
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
            "(gibt es|ist [da]) [eine] Bewegung <in> {area}",
            "(ist|bewegt sich) [da] (jemand|wer|etwas) <in> {area}",
        ],
        "slots": {
            "domain": "binary_sensor",
            "device_class": ["motion", "occupancy", "presence"],
            "state": "on",
        },
        "response": "any",
    },
    {
        "sentences": ["(brennt es|gibt es [einen] (Rauch|Feuer)|raucht es)"],
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
            "<what_is> <a> {measure:device_class} <in> {area}",
            "wie hoch ist <in> {area} <a> {measure:device_class}",
            "wie {adjective:device_class} ist [es] <in> {area}",
            "{measure:device_class} <in> {area}",
            "welche {measure:device_class} (ist|hat es|herrscht) <in> {area}",
            "wie {adjective:device_class} ist [es] <on> {floor}",
        ]
    },
    {
        "sentences": [
            "<what_is> <a> {measure:device_class} [hier]",
            "wie {adjective:device_class} ist es [(hier|drinnen|bei uns)]",
        ]
    },
    {
        "sentences": [
            "wie viel (Strom|Energie|Leistung|Watt) "
            "(verbrauchen|brauchen|ziehen|nutzen) wir",
            "wie viel (Strom|Energie) (wird verbraucht|fließt)",
            "<what_is> <a> (Stromverbrauch|Verbrauch|Leistung)",
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
                "wie (kalt|warm|heiß) (ist es|wird es) (draußen|außen)",
                "<what_is> <a> (Außentemperatur|Temperatur draußen)",
            ],
            "response": "outside_temp",
        }
    ],
    "HassClimateGetTemperature": [
        {
            "sentences": [
                "auf (wie viel Grad|welche Temperatur) (steht|ist) <a> <heat> <in> "
                "{area} [eingestellt]",
                "auf (wie viel Grad|welche Temperatur) (steht|ist) <in> {area} <a> "
                "<heat> [eingestellt]",
            ]
        },
        {
            "sentences": [
                "auf (wie viel Grad|welche Temperatur) (steht|ist) <a> {name} "
                "[eingestellt]"
            ],
            "requires_context": {"domain": "climate"},
        },
    ],
    "CaesarPlaying": [
        {
            "sentences": [
                "was (läuft|spielt) [im (Fernsehen|Radio)]",
                "(welches Lied|welcher Song|was für Musik) (läuft|ist das)",
            ]
        }
    ],
    "HassGetCurrentDate": [
        {
            "sentences": [
                "(welcher|welchen) (Tag|Wochentag) (ist|haben wir) [heute]",
                "der wievielte ist [heute]",
            ]
        }
    ],
    "HassGetCurrentTime": [
        {"sentences": ["(wie viel uhr|wieviel uhr|wie spät) [ist es|haben wir]"]}
    ],
    "CaesarListRead": [
        {
            "sentences": [
                "was (steht|ist|haben wir) (auf|in) <a> {name}",
                "(lies|lese|zeig|zeige|sag) [mir] <a> {name} [vor]",
                "was (brauchen wir|fehlt) (von|auf) <a> {name}",
            ],
            "requires_context": {"domain": "todo"},
        },
        {
            "sentences": [
                "was (brauchen wir|brauche ich|fehlt) "
                "[(vom Einkaufen|aus dem Supermarkt|vom Supermarkt)]",
                "was müssen wir [ein]kaufen",
            ]
        },
    ],
    "CaesarCalendar": [
        {
            "sentences": [
                "was (steht|ist|habe ich|haben wir) [{when}] (im|in|auf dem|in meinem) "
                "(Kalender|Terminkalender) [{when}]",
                "was (steht|liegt|ist) {when} (an|los|geplant)",
                "was (habe ich|haben wir) {when} [vor] [geplant]",
                "(habe ich|haben wir) [{when}] (etwas|was|Termine|einen Termin) "
                "[{when}] [(vor|geplant)]",
                "welche Termine (habe ich|haben wir|gibt es|stehen an) [{when}] [an]",
                "welche Termine stehen {when} an",
                "(Termine|Kalender) [(für|von)] {when}",
                "was (mache ich|machen wir) {when}",
            ]
        },
        {
            "sentences": [
                "(wann|was) ist (mein|der|unser) nächster Termin",
                "(wann|was) ist der nächste Termin",
                "wann (habe ich|haben wir) [(den|meinen)] nächsten Termin",
            ],
            "slots": {"when": "next"},
        },
        {
            "sentences": [
                "was (steht|ist) [{when}] (im|in|auf) <a> {name} [{when}]",
            ],
            "requires_context": {"domain": "calendar"},
        },
    ],
    "CaesarWhatIsThere": [
        {
            "sentences": [
                "welche (Lichter|Lampen|Leuchten) (gibt es|sind|haben wir) <in> {area}",
            ],
            "slots": {"domain": "light"},
        },
        {
            "sentences": [
                "(welche Geräte|was) (gibt es|ist|sind|haben wir) [alles] <in> {area}",
                "was kannst du <in> {area} (steuern|schalten)",
            ]
        },
    ],
    "CaesarRooms": [
        {
            "sentences": [
                "welche (Räume|Zimmer|Bereiche) (gibt es|kennst du|haben wir)",
            ]
        }
    ],
}
