"""Everyday German: blinds, fans, vacuum cleaners, alarms, lists, and small talk."""

from typing import Any, Final

_BLINDS: Final = ["blind", "shade", "shutter", "curtain", "awning"]

THINGS: Final[dict[str, Any]] = {
    "HassToggle": [
        {
            "sentences": ["(schalte|schalt) <a> {name} um", "<a> {name} umschalten"],
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
                "(<set>|<move>|öffne|schließe|schließ|schliesse) <a> {name} "
                "[(auf|zu)] {percent:position}<pct> "
                "[(ein|auf|zu|hoch|runter)]",
                "<a> {name} (auf|zu) {percent:position}<pct>",
            ],
            "requires_context": {"domain": ["cover", "valve"]},
        },
        {
            "sentences": [
                "(<set>|<move>|öffne|schließe|schließ|schliesse) <a> {name} "
                "<half> [(auf|zu|hoch|runter|herunter)]",
                "<a> {name} <half> [(auf|zu|hoch|runter|herunter|öffnen|schließen)]",
            ],
            "requires_context": {"domain": ["cover", "valve"]},
            "slots": {"position": 50},
        },
        {
            "sentences": [
                "(<set>|<move>) [alle] <a> <blinds> [<in> {area}] auf "
                "{percent:position}<pct>",
            ],
            "slots": {"domain": "cover", "device_class": _BLINDS},
        },
    ],
    "HassStopMoving": [
        {
            "sentences": [
                "(stopp|stoppe|halte|halt) <a> {name} [an]",
                "<a> {name} (stopp|stoppen|anhalten)",
            ],
            "requires_context": {"domain": ["cover", "valve"]},
        },
        {
            "sentences": ["(stopp|stoppe|halte|halt) [alle] <a> <blinds> [an]"],
            "slots": {"domain": "cover", "device_class": _BLINDS},
        },
    ],
    "HassFanSetSpeed": [
        {
            "sentences": [
                "<set> <a> {name} auf {percent:percentage}<pct> [ein]",
                "<a> {name} auf {percent:percentage}<pct>",
            ],
            "requires_context": {"domain": "fan"},
        },
        {
            "sentences": [
                "<set> <a> (Ventilator|Lüfter) auf {percent:percentage}<pct> [ein]"
            ],
            "slots": {"one": True},
        },
    ],
    "HassVacuumStart": [
        {
            "sentences": [
                "<do> <a> {name} an",
                "(starte|start|aktiviere) <a> {name}",
                "lass <a> {name} (saugen|putzen|reinigen|laufen|los)",
                "schick <a> {name} los",
            ],
            "requires_context": {"domain": "vacuum"},
        },
        {
            "sentences": [
                "(saug|sauge|putz|putze|wisch|wische) "
                "[(durch|die Wohnung|das Haus|überall|den Boden)]",
                "(staubsaugen|Staub saugen)",
            ]
        },
    ],
    "HassVacuumReturnToBase": [
        {
            "sentences": [
                "(schick|schicke|fahr|fahre) <a> {name} [wieder] "
                "(zurück|heim|nach Hause|zur Basis|zur Station|zur Ladestation)",
                "(stopp|stoppe|beende|<do>) <a> {name} [aus]",
                "<a> {name} (zurück|heim|nach Hause|aus|stopp)",
            ],
            "requires_context": {"domain": "vacuum"},
        },
        {
            "sentences": [
                "(schick|schicke) <a> <vacuum> [wieder] "
                "(zurück|heim|nach Hause|zur Basis|zur Station)",
                "<a> <vacuum> (zurück|heim|nach Hause)",
            ]
        },
    ],
    "CaesarAlarm": [
        {
            "sentences": [
                "(schalte|schalt|stell|stelle|mach|mache) (<alarm>|<a> {name}) "
                "(scharf|an|ein)",
                "(<alarm>|<a> {name}) (scharf|an|ein) [schalten|stellen]",
                "(aktiviere|schärfe) (<alarm>|<a> {name})",
                "(<alarm>|<a> {name}) (aktivieren|einschalten|schärfen)",
            ],
            "requires_context": {"domain": "alarm_control_panel"},
            "slots": {"service": "alarm_arm_away"},
        },
        {
            "sentences": [
                "(schalte|stell|stelle|mach|mache) <alarm> (scharf|an|ein)",
                "<alarm> (scharf|an) [schalten|stellen]",
                "(aktiviere|schärfe) <alarm>",
            ],
            "slots": {"service": "alarm_arm_away"},
        },
        {
            "sentences": [
                "(schalte|stell|stelle|mach|mache) (<alarm>|<a> {name}) <mode_night> "
                "[(scharf|ein|an)]",
                "(aktiviere|schärfe) (<alarm>|<a> {name}) <mode_night>",
                "(<alarm>|<a> {name}) <mode_night> [(scharf|an|ein)] "
                "[(schalten|stellen)]",
            ],
            "slots": {"service": "alarm_arm_night"},
        },
        {
            "sentences": [
                "(schalte|stell|stelle|mach|mache) (<alarm>|<a> {name}) <mode_home> "
                "[(scharf|ein|an)]",
                "(aktiviere|schärfe) (<alarm>|<a> {name}) <mode_home>",
            ],
            "slots": {"service": "alarm_arm_home"},
        },
        {
            "sentences": [
                "(schalte|stell|stelle|mach|mache) <alarm> (unscharf|aus|ab)",
                "(entschärfe|entschärf|deaktiviere) <alarm>",
                "<alarm> (unscharf|aus|ab) [schalten|stellen]",
                "<alarm> (entschärfen|deaktivieren|ausschalten|abschalten)",
            ],
            "slots": {"service": "alarm_disarm"},
        },
        {
            "sentences": [
                "(schalte|stell|stelle|mach|mache) <a> {name} (unscharf|aus|ab)",
                "(entschärfe|entschärf|deaktiviere) <a> {name}",
                "<a> {name} (unscharf|aus|ab) [schalten|stellen]",
                "<a> {name} (entschärfen|deaktivieren|ausschalten|abschalten)",
            ],
            "requires_context": {"domain": "alarm_control_panel"},
            "slots": {"service": "alarm_disarm"},
        },
    ],
    "HassListAddItem": [
        {
            "sentences": [
                "(setz|setze|schreib|schreibe|pack|packe|tu|tue|nimm) {item_text:item} "
                "auf <a> {name}",
                "(füge|füg) {item_text:item} (zu|zur|zum) <a> {name} hinzu",
                "{item_text:item} auf <a> {name} (setzen|schreiben|packen)",
            ],
            "requires_context": {"domain": "todo"},
            "response": "item_added",
        }
    ],
    "HassListRemoveItem": [
        {
            "sentences": [
                "(streich|streiche|lösch|lösche|entferne|nimm) {item_text:item} "
                "(von|aus) <a> {name}"
            ],
            "requires_context": {"domain": "todo"},
            "response": "item_deleted",
        }
    ],
    "HassListCompleteItem": [
        {
            "sentences": [
                "(hake|hak) {item_text:item} (auf|von|in) <a> {name} ab",
            ],
            "requires_context": {"domain": "todo"},
            "response": "item_completed",
        }
    ],
    "CaesarWhichRoom": [
        {
            "sentences": [
                "<do> <light> (an|ein)",
                "<light> (an|ein)",
                "<light> (anmachen|einschalten|anschalten)",
            ],
            "slots": {"deed": "HassTurnOn"},
        },
        {
            "sentences": [
                "<do> <light> (aus|ab)",
                "<light> aus",
                "<light> (ausmachen|ausschalten)",
            ],
            "slots": {"deed": "HassTurnOff"},
        },
    ],
    "CaesarDelayed": [
        {
            "sentences": [
                "{command_text} in {amount} {unit}",
                "{command_text} in {amount} {unit} {particle}",
                "in {amount} {unit} {command_text}",
            ]
        }
    ],
    "CaesarPlanned": [
        {
            "sentences": [
                "was (habe ich|hab ich|hast du|ist) [(heute|noch)] [alles] geplant",
                "(nenne|nenn|zeig|zeige) [mir] meine geplanten Befehle",
            ]
        }
    ],
    "CaesarPlannedCancel": [
        {
            "sentences": [
                "(brich|breche) das [wieder] ab",
                "vergiss (das|es) [wieder]",
                "(streiche|streich|lösche|lösch) das",
            ],
            "slots": {"it": True},
        },
        {
            "sentences": [
                "(streiche|streich|lösche|lösch) (den [letzten] geplanten Befehl|meinen Plan)",
            ]
        },
        {
            "sentences": [
                "(streiche|streich|lösche|lösch|vergiss) (alles was ich geplant habe|alle geplanten Befehle|alles Geplante)",
            ],
            "slots": {"every": True},
        },
    ],
    "CaesarHelp": [
        {
            "sentences": [
                "(hilfe|hilf mir)",
                "was (kannst du|kann ich [dich]|kann man [dich]) "
                "[(alles|so|mir)] [(tun|machen|sagen|fragen)]",
                "wie (funktioniert das|funktionierst du|geht das)",
            ]
        }
    ],
    "CaesarThanks": [
        {
            "sentences": [
                "(danke|dankeschön|danke schön|vielen dank|merci|danke dir)",
                "(super|toll|prima|sehr gut|gut gemacht|perfekt)",
            ]
        }
    ],
    "CaesarTimer": [
        {"sentences": ["(stell|stelle|starte|setz|setze) (einen|den) (Timer|Wecker)"]}
    ],
    "CaesarForget": [
        {
            "sentences": [
                "(vergiss|lösch|lösche) (unser|dieses|das) Gespräch",
                "(vergiss|lösch|lösche) (unsere|diese|die) (Unterhaltung|Konversation)",
                "vergiss [alles] was (ich|wir) [(gerade|eben)] "
                "(gesagt|besprochen) (habe|haben)",
            ]
        }
    ],
    "CaesarBye": [
        {
            "sentences": [
                "(gute nacht|tschüss|tschüs|auf wiedersehen|bis bald|bis später|ciao)"
            ]
        }
    ],
    "CaesarCreator": [{"sentences": ["(wer|was) bist du", "wie heißt du"]}],
    "CaesarHello": [
        {
            "sentences": [
                "(guten morgen|guten tag|guten abend|moin|servus|grüß gott|grüezi)",
                "(hallo|hi|hey) [du]",
            ]
        }
    ],
}
