"""Everyday German that Home Assistant's own sentences lack."""

from typing import Any, Final

from .levels import LEVELS
from .media import MEDIA
from .questions import QUESTIONS
from .switching import SWITCHING
from .things import THINGS
from .why import PAST, WHY

SENTENCES: Final[dict[str, Any]] = {
    "language": "de",
    "intents": {
        intent: {"data": data}
        for part in (SWITCHING, LEVELS, MEDIA, THINGS, QUESTIONS, WHY)
        for intent, data in part.items()
    },
    "lists": {
        "percent": {"range": {"type": "percentage", "from": 0, "to": 100}},
        "degrees": {
            "range": {
                "type": "temperature",
                "from": 5,
                "to": 35,
                "fractions": "halves",
            }
        },
        "amount": {"range": {"from": 1, "to": 600}},
        "item_text": {"wildcard": True},
        "past": PAST,
        "command_text": {"wildcard": True},
        "unit": {
            "values": [
                {"in": "(Sekunde|Sekunden)", "out": "seconds"},
                {"in": "(Minute|Minuten)", "out": "minutes"},
                {"in": "(Stunde|Stunden)", "out": "hours"},
            ]
        },
        "particle": {"values": ["an", "ein", "aus", "ab", "auf", "zu"]},
        "when": {
            "values": [
                {"in": "heute [abend]", "out": "today"},
                {"in": "morgen", "out": "tomorrow"},
                {"in": "übermorgen", "out": "overmorrow"},
                {"in": "(diese|in dieser) Woche", "out": "week"},
                {"in": "am Wochenende", "out": "weekend"},
                {"in": "nächste Woche", "out": "next_week"},
            ]
        },
        "kind": {
            "values": [
                {"in": "(Ventilator|Lüfter)", "out": "fan"},
                {"in": "<vacuum>", "out": "vacuum"},
                {"in": "(Lautsprecher|Anlage|Radio)", "out": "media_player"},
                {"in": "(Rasenmäher|Mähroboter)", "out": "lawn_mower"},
                {"in": "Luftbefeuchter", "out": "humidifier"},
                {"in": "Sirene", "out": "siren"},
                {"in": "(Boiler|Warmwasserbereiter)", "out": "water_heater"},
            ]
        },
        "kinds": {
            "values": [
                {"in": "(Steckdosen|Schalter)", "out": "switch"},
                {"in": "(Ventilatoren|Lüfter)", "out": "fan"},
                {"in": "(Lautsprecher|Fernseher)", "out": "media_player"},
            ]
        },
        "share": {
            "values": [
                {"in": "(halb|die Hälfte|halbe Helligkeit|halbe Kraft)", "out": 50},
                {
                    "in": "(volle Helligkeit|ganz hell|Maximum|maximal|volle Kraft)",
                    "out": 100,
                },
                {"in": "(Minimum|minimal|ganz dunkel)", "out": 1},
                {"in": "ein Viertel", "out": 25},
            ]
        },
        "measure": {
            "values": [
                {"in": "(Temperatur|Raumtemperatur)", "out": "temperature"},
                {
                    "in": "(Luftfeuchtigkeit|Luftfeuchte|Feuchtigkeit)",
                    "out": "humidity",
                },
                {"in": "Helligkeit", "out": "illuminance"},
                {"in": "(CO2|CO2-Wert|Luftqualität)", "out": "carbon_dioxide"},
                {"in": "Luftdruck", "out": "atmospheric_pressure"},
            ]
        },
        "adjective": {
            "values": [
                {"in": "(warm|kalt|heiß|kühl)", "out": "temperature"},
                {"in": "(feucht|trocken)", "out": "humidity"},
                {"in": "hell", "out": "illuminance"},
            ]
        },
    },
    "expansion_rules": {
        "a": "[(der|die|das|den|dem|des|mein|meine|meinen|meinem|unser|unsere|unseren)]",
        "alarm": "<a> (Alarm|Alarmanlage|Alarmsystem)",
        "bit": "(ein bisschen|ein wenig|etwas|bisschen|noch|ein Stück)",
        "blinds": "(Rollo|Rollos|Rollladen|Rollläden|Rolladen|Rolläden|Jalousie"
        "|Jalousien|Vorhang|Vorhänge|Raffstore|Raffstores|Markise|Markisen)",
        "burns": "(brennt|brennen|leuchtet|leuchten)",
        "close": "(schließe|schließ|schliesse|schliess)",
        "deg": "[ ][(Grad|°|°C|Grad Celsius)]",
        "do": "(schalte|schalt|mach|mache|stell|stelle|macht)",
        "down": "(runter|herunter|zu|nach unten|ab)",
        "everywhere": "(überall|im [ganzen] Haus|in der [ganzen] Wohnung)",
        "garage": "(Garage|Garagentor)",
        "half": "(halb|zur Hälfte|auf die Hälfte|auf halb|in die Mitte)",
        "here": "(hier [drin]|in diesem (Raum|Zimmer)|im Haus)",
        "heat": "(Heizung|Temperatur|Thermostat|Klimaanlage)",
        "in": "(in der|in dem|im|in|am|an der|auf dem|auf der|auf|vom|von|der|des)",
        "light": "[(das|die)] (Licht|Lichter|Lampe|Lampen|Beleuchtung)",
        "lock": "(schließe|schließ|schliesse|schliess|sperr|sperre|verriegle"
        "|verriegele|verriegel)",
        "locked": "(abgeschlossen|zugeschlossen|abgesperrt|verriegelt|zugesperrt)",
        "media": "(Musik|Lied|Song|Wiedergabe|Film|Radio|Podcast)",
        "mode_home": "(zuhause|zu Hause|für zuhause|im Zuhause-Modus)",
        "mode_night": "(für die Nacht|auf Nacht|im Nachtmodus|nachts|Nacht)",
        "move": "(mach|mache|fahr|fahre|zieh|ziehe|lass|lasse|dreh|drehe)",
        "on": "[<in>]",
        "pct": "[ ][(Prozent|%|vom Maximum)]",
        "set": "(stell|stelle|setz|setze|mach|mache|änder|ändere|dreh|drehe|schalt"
        "|schalte|regel|regle|bring|bringe|fahr|fahre)",
        "track": "(Lied|Song|Titel|Track|Stück)",
        "unlock": "(entriegle|entriegele|entriegel|entsperr|entsperre|öffne)",
        "up": "(hoch|rauf|herauf|auf|nach oben)",
        "vacuum": "(Staubsauger|Saugroboter|Sauger|Roboter|Staubsaugerroboter)",
        "what_is": "(was ist|wie ist|wie hoch ist|wie lautet|was macht|wie steht|zeig mir"
        "|zeige mir|sag mir|nenn mir)",
    },
    "skip_words": [
        "bitte",
        "mal",
        "kurz",
        "jetzt",
        "sofort",
        "gerade",
        "noch",
        "eben",
        "doch",
        "wieder",
        "kannst du",
        "könntest du",
        "würdest du",
        "ich möchte",
        "hey caesar",
        "caesar",
        "für mich",
    ],
}
