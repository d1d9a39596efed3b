"""Everyday German: turning on and off, opening and closing, locking."""

from typing import Any, Final

_BLINDS: Final = ["blind", "shade", "shutter", "curtain", "awning"]
_ALL_IN_A_ROOM: Final = ["light", "switch", "fan", "media_player", "input_boolean"]
_LIGHTS: Final = {"domain": "light"}
_BLIND_SLOTS: Final = {"domain": "cover", "device_class": _BLINDS}
_SWITCHABLE: Final = [
    "light",
    "switch",
    "fan",
    "media_player",
    "input_boolean",
    "climate",
]

_ONE_KIND: Final = {"one": True}
_GARAGE: Final = {"domain": "cover", "device_class": "garage", "one": True}

_TURN_ON: Final = [
    {
        "sentences": [
            "<do> <a> {kind:domain} (an|ein)",
            "<a> {kind:domain} (an|einschalten|anmachen|starten)",
            "(starte|start) <a> {kind:domain}",
        ],
        "slots": _ONE_KIND,
    },
    {
        "sentences": [
            "<do> alle {kinds:domain} (an|ein)",
            "alle {kinds:domain} (an|einschalten)",
        ],
        "response": "all",
    },
    {
        "sentences": [
            "[<do>] alle (Lichter|Lampen) (an|ein)",
            "alle (Lichter|Lampen) (einschalten|anmachen)",
            "<do> überall [das] Licht (an|ein)",
            "<do> (alle Lichter|alle Lampen|<light>) <everywhere> (an|ein)",
        ],
        "slots": _LIGHTS,
        "response": "light_all",
    },
    {"sentences": ["(öffne|mach) <a> <garage> [auf]"], "slots": _GARAGE},
    {
        "sentences": ["<lock> <a> (Tür|Schloss) (ab|zu)", "(mach|mache) <a> Tür zu"],
        "slots": {"domain": "lock", "one": True},
        "response": "lock",
    },
    {
        "sentences": [
            "<do> <a> {name} (an|ein)",
            "<a> {name} (einschalten|anschalten|anmachen|anstellen)",
            "(knips|knipse|dreh|drehe) <a> {name} (an|auf)",
            "(starte|aktiviere|start) <a> {name}",
            "lass <a> {name} (an|laufen|leuchten)",
        ],
        "requires_context": {"domain": _SWITCHABLE},
        "response": "default",
    },
    {
        "sentences": [
            "(koch|koche|erhitz|erhitze) <a> {name}",
        ],
        "requires_context": {"domain": "switch"},
    },
    {
        "sentences": [
            "<lock> <a> {name} [(ab|zu)]",
            "<a> {name} (abschließen|abschliessen|zuschließen|verriegeln|absperren)",
            "(mach|mache) <a> {name} (zu|dicht)",
        ],
        "requires_context": {"domain": "lock"},
        "response": "lock",
    },
    {
        "sentences": [
            "<lock> [alle] <a> (Türen|Tür|Schlösser|Schloss) [(ab|zu)]",
            "<lock> (alles|das Haus|überall) [(ab|zu)]",
            "(mach|mache) [alle] <a> (Türen|Schlösser) (zu|dicht)",
            "(alle Türen|alles|das Haus) (abschließen|verriegeln|absperren)",
        ],
        "slots": {"domain": "lock"},
        "response": "lock",
    },
    {
        "sentences": [
            "(starte|aktiviere|spiel|spiele|mach|mache|stell|stelle) <a> [Szene] "
            "{name} [an]",
            "(schalt|schalte) [auf] <a> [Szene] {name} [(ein|an|um)]",
        ],
        "requires_context": {"domain": "scene"},
        "response": "scene",
    },
    {
        "sentences": [
            "(starte|start|führe|mach|mache|aktiviere) <a> [Skript] {name} [(aus|an)]",
            "<a> {name} (starten|ausführen)",
        ],
        "requires_context": {"domain": "script"},
        "response": "script",
    },
    {
        "sentences": ["(drück|drücke|betätige) <a> {name} [Taste]"],
        "requires_context": {"domain": ["button", "input_button"]},
    },
    {
        "sentences": ["(aktiviere|schalte) <a> [Automation] {name} [ein]"],
        "requires_context": {"domain": "automation"},
    },
    {
        "sentences": [
            "<move> <a> {name} (hoch|auf|rauf|herauf|nach oben)",
            "(öffne|zieh|ziehe|lüfte) <a> {name} [(hoch|auf|rauf)]",
            "<a> {name} (hoch|auf|rauf|hochfahren|hochziehen|öffnen|aufmachen)",
        ],
        "requires_context": {"domain": "cover"},
        "response": "cover",
    },
    {
        "sentences": [
            "<move> [alle] <a> <blinds> <up>",
            "öffne [alle] <a> <blinds>",
            "[alle] <a> <blinds> (<up>|hochfahren|hochziehen|öffnen|aufmachen)",
        ],
        "slots": _BLIND_SLOTS,
        "response": "cover",
    },
    {
        "sentences": [
            "<move> [alle] <a> <blinds> <in> {area} <up>",
            "<move> <in> {area} [alle] <a> <blinds> <up>",
            "öffne [alle] <a> <blinds> <in> {area}",
            "[alle] <a> <blinds> <in> {area} (<up>|hochfahren|öffnen|aufmachen)",
        ],
        "slots": _BLIND_SLOTS,
        "response": "cover",
    },
    {
        "sentences": [
            "<move> [alle] <a> <blinds> <on> {floor} <up>",
            "öffne [alle] <a> <blinds> <on> {floor}",
            "[alle] <a> <blinds> <on> {floor} (<up>|hochfahren|öffnen|aufmachen)",
        ],
        "slots": _BLIND_SLOTS,
        "response": "cover",
    },
    {
        "sentences": [
            "(mach|mache) [<in> {area}] Licht <in> {area}",
            "<do> <in> {area} <light> (an|ein)",
            "(erleuchte|erhelle) <in> {area}",
        ],
        "slots": _LIGHTS,
        "response": "lights_area",
    },
    {
        "sentences": [
            "<do> (<on> {floor} <light>|<light> <on> {floor}) (an|ein)",
            "(<on> {floor} <light>|<light> <on> {floor}) (an|einschalten|anmachen)",
        ],
        "slots": _LIGHTS,
        "response": "lights_floor",
    },
]

_TURN_OFF: Final = [
    {
        "sentences": [
            "<do> <a> {kind:domain} (aus|ab)",
            "<a> {kind:domain} (aus|ausschalten|ausmachen|stoppen)",
            "(stopp|stoppe) <a> {kind:domain}",
        ],
        "slots": _ONE_KIND,
    },
    {
        "sentences": [
            "<do> alle {kinds:domain} (aus|ab)",
            "alle {kinds:domain} (aus|ausschalten)",
        ],
        "response": "all",
    },
    {
        "sentences": ["<close> <a> <garage>", "(mach|mache) <a> <garage> zu"],
        "slots": _GARAGE,
    },
    {
        "sentences": [
            "<lock> <a> (Tür|Schloss) auf",
            "(mach|mache|öffne|entriegle) <a> Tür [auf]",
        ],
        "slots": {"domain": "lock", "one": True},
        "response": "lock",
    },
    {
        "sentences": [
            "<do> <a> {name} (aus|ab)",
            "<a> {name} (ausschalten|abschalten|ausmachen|ausstellen|abstellen)",
            "(knips|knipse|dreh|drehe) <a> {name} (aus|ab|zu)",
            "(stoppe|stopp|beende|deaktiviere) <a> {name}",
        ],
        "requires_context": {"domain": _SWITCHABLE},
        "response": "default",
    },
    {
        "sentences": [
            "<unlock> <a> {name}",
            "<lock> <a> {name} auf",
            "(mach|mache) <a> {name} auf",
            "<a> {name} (aufschließen|aufschliessen|aufsperren|entriegeln|öffnen)",
            "lass mich (durch|in) <a> {name} [rein]",
        ],
        "requires_context": {"domain": "lock"},
        "response": "lock",
    },
    {
        "sentences": [
            "<lock> [alle] <a> (Türen|Tür|Schlösser|Schloss) auf",
            "<unlock> [alle] <a> (Türen|Schlösser)",
            "(mach|mache) [alle] <a> (Türen|Schlösser) auf",
            "(alle Türen|alles) (aufschließen|entriegeln|aufsperren)",
        ],
        "slots": {"domain": "lock"},
        "response": "lock",
    },
    {
        "sentences": ["(deaktiviere|schalte) <a> [Automation] {name} [aus]"],
        "requires_context": {"domain": "automation"},
    },
    {
        "sentences": [
            "<move> <a> {name} (runter|zu|herunter|nach unten)",
            "<close> <a> {name}",
            "(lass|lasse|zieh|ziehe) <a> {name} (runter|herunter|zu)",
            "<a> {name} (runter|zu|runterfahren|schließen|zumachen)",
        ],
        "requires_context": {"domain": "cover"},
        "response": "cover",
    },
    {
        "sentences": [
            "<move> [alle] <a> <blinds> <down>",
            "<close> [alle] <a> <blinds>",
            "[alle] <a> <blinds> (<down>|runterfahren|schließen|zumachen)",
        ],
        "slots": _BLIND_SLOTS,
        "response": "cover",
    },
    {
        "sentences": [
            "<move> [alle] <a> <blinds> <in> {area} <down>",
            "<move> <in> {area} [alle] <a> <blinds> <down>",
            "<close> [alle] <a> <blinds> <in> {area}",
            "[alle] <a> <blinds> <in> {area} (<down>|runterfahren|schließen|zumachen)",
        ],
        "slots": _BLIND_SLOTS,
        "response": "cover",
    },
    {
        "sentences": [
            "<move> [alle] <a> <blinds> <on> {floor} <down>",
            "<close> [alle] <a> <blinds> <on> {floor}",
            "[alle] <a> <blinds> <on> {floor} (<down>|runterfahren|schließen|zumachen)",
        ],
        "slots": _BLIND_SLOTS,
        "response": "cover",
    },
    {
        "sentences": [
            "<do> [alle] [die] (Lichter|Lampen) (aus|ab)",
            "[alle] [die] (Lichter|Lampen) (aus|ausschalten|ausmachen)",
            "<do> überall [das] Licht aus",
            "<do> (alle Lichter|alle Lampen|<light>) <everywhere> (aus|ab)",
            "<light> <everywhere> (aus|ausschalten|ausmachen)",
        ],
        "slots": _LIGHTS,
        "response": "light_all",
    },
    {
        "sentences": ["<do> <in> {area} <light> (aus|ab)"],
        "slots": _LIGHTS,
        "response": "lights_area",
    },
    {
        "sentences": [
            "<do> (<on> {floor} <light>|<light> <on> {floor}) (aus|ab)",
            "(<on> {floor} <light>|<light> <on> {floor}) (aus|ausschalten|ausmachen)",
        ],
        "slots": _LIGHTS,
        "response": "lights_floor",
    },
    {
        "sentences": ["<do> alles (aus|ab)", "alles (aus|ausschalten|ausmachen)"],
        "slots": {"domain": _ALL_IN_A_ROOM},
        "response": "all",
    },
    {
        "sentences": [
            "<do> <in> {area} alles (aus|ab)",
            "<do> alles <in> {area} (aus|ab)",
            "alles <in> {area} (aus|ausschalten|ausmachen)",
            "<in> {area} alles (aus|ausschalten|ausmachen)",
        ],
        "slots": {"domain": _ALL_IN_A_ROOM},
        "response": "all",
    },
    {
        "sentences": [
            "<do> (<on> {floor} alles|alles <on> {floor}) (aus|ab)",
            "(alles <on> {floor}|<on> {floor} alles) (aus|ausschalten|ausmachen)",
        ],
        "slots": {"domain": _ALL_IN_A_ROOM},
        "response": "all",
    },
]

SWITCHING: Final[dict[str, Any]] = {
    "HassTurnOn": _TURN_ON,
    "HassTurnOff": _TURN_OFF,
}
