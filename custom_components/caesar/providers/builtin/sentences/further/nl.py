"""Dutch about CAESAR itself."""

from typing import Any, Final

from .about_caesar import Done, Words, about_caesar

SENTENCES: Final[dict[str, Any]] = about_caesar(
    "nl",
    Words(
        why=(
            "waarom (heb je|heb jij) (dat|dit|het) gedaan",
            "waarom (deed|doe) (je|jij) (dat|dit|het)",
            "waarom (heb je|heb jij) <a> {name} <did>",
        ),
        why_not=(
            "waarom niet",
            "waarom (heb je|heb jij) (dat|dit|het) niet gedaan",
            "waarom (deed|doe) (je|jij) (dat|dit|het) niet",
            "waarom (kan|kun|mag) (je|jij|ik) (dat|dit|het) niet [doen]",
            "waarom (kan|mag) (dat|dit|het) niet",
            "waarom (heb je|is) (dat|dit|het) geweigerd",
            "waarom (heb je|heb jij) <a> {name} niet <did>",
        ),
        done=(
            "wat (heb je|heb jij) [{past}] [voor mij] gedaan",
            "wat (heb je|heb jij) gedaan {past}",
            "wat (deed je|deed jij) [{past}]",
            "wat heb ik [je] [{past}] gevraagd",
        ),
        refused=(
            "wat (heb je|heb jij) [{past}] (geweigerd|niet gedaan)",
            "wat (is|werd) [{past}] geweigerd",
        ),
        who=(
            "wie heeft [{past}] <a> {name} <done>",
            "wie heeft <a> {name} [{past}] <done>",
        ),
        deeds=(
            Done(tool="lock.unlock", words="(ontgrendeld|van het slot gedaan)"),
            Done(tool="lock.lock", words="(vergrendeld|op slot gedaan)"),
            Done(tool="open", words="(geopend|opengedaan|open gedaan)"),
            Done(tool="close", words="(gesloten|dichtgedaan|dicht gedaan)"),
            Done(tool="turn_on", words="(aangezet|aangedaan|ingeschakeld)"),
            Done(tool="turn_off", words="(uitgezet|uitgedaan|uitgeschakeld)"),
        ),
        may=(
            "wat (mag|kan) ik <here> [allemaal] [doen]",
            "wat mag ik [allemaal] [doen]",
            "wat (mogen|kunnen) we <here> [allemaal] [doen]",
            "wat (mag|kan) ik <in> {area} [allemaal] [doen]",
            "wat mogen we [<in> {area}] [allemaal] [doen]",
        ),
        forget=(
            "(vergeet|wis) (dit|ons) gesprek",
            "vergeet [alles] wat (ik heb|we hebben) gezegd",
        ),
        planned=(
            "wat (heb ik|heb je|is er|staat er) [allemaal] gepland",
            "wat zijn mijn geplande opdrachten",
        ),
        cancel_it=("(annuleer|vergeet) dat",),
        cancel=("annuleer de [laatste] geplande opdracht",),
        cancel_all=(
            "annuleer alles wat (ik heb gepland|gepland is|gepland staat)",
            "annuleer alle geplande opdrachten",
        ),
        past={
            "today": "vandaag",
            "morning": "(vanochtend|vanmorgen)",
            "afternoon": "vanmiddag",
            "evening": "vanavond",
            "night": "(vannacht|afgelopen nacht)",
            "yesterday": "gisteren",
            "week": "(deze week|[de] afgelopen week)",
        },
        rules={
            "a": "[(de|het|mijn|onze)]",
            "did": "(aangezet|aangedaan|uitgezet|uitgedaan|ingeschakeld|uitgeschakeld"
            "|geopend|gesloten|vergrendeld|ontgrendeld|gestart|gestopt|gewijzigd"
            "|ingesteld)",
            "here": "(hier|in deze (kamer|ruimte))",
            "in": "(in|op|voor) [(de|het)]",
        },
        fillers=("alsjeblieft", "alstublieft", "eens", "caesar"),
    ),
)
