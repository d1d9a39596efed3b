"""Italian about CAESAR itself."""

from typing import Any, Final

from .about_caesar import Done, Words, about_caesar

SENTENCES: Final[dict[str, Any]] = about_caesar(
    "it",
    Words(
        why=(
            "perché (l'hai|lo hai) fatto",
            "perché hai fatto (questo|quello|ciò)",
            "perché lo fai",
            "perché hai <did> <a>{name}",
        ),
        why_not=(
            "perché non (l'hai|lo hai) fatto",
            "perché non hai fatto (questo|quello|ciò)",
            "perché non (puoi|posso) [(farlo|fare questo|fare quello)]",
            "perché (l'hai|lo hai|hai) rifiutato [(questo|quello)]",
            "perché (non è permesso|è vietato|è stato rifiutato)",
            "perché non hai <did> <a>{name}",
        ),
        done=(
            "<what> hai fatto [per me] [{past}]",
            "<what> ti ho chiesto [di fare] [{past}]",
        ),
        refused=(
            "<what> hai rifiutato [di fare] [{past}]",
            "<what> non hai fatto [{past}]",
        ),
        who=("chi ha <done> <a>{name} [{past}]",),
        deeds=(
            Done(tool="lock.unlock", words="sbloccato"),
            Done(tool="lock.lock", words="bloccato"),
            Done(tool="open", words="aperto"),
            Done(tool="close", words="chiuso"),
            Done(tool="turn_on", words="acceso"),
            Done(tool="turn_off", words="spento"),
        ),
        may=(
            "<what> (posso|possiamo|si può) fare [<here>]",
            "<what> (posso|possiamo|si può) fare <in>{area}",
            "<what> (mi è|è) permesso [fare] [<here>]",
        ),
        forget=(
            "(dimentica|cancella) (questa|la nostra) (conversazione|chat)",
            "dimentica [tutto] quello che (ho|abbiamo) detto",
        ),
        planned=(
            "<what> (ho|hai|è) programmato",
            "quali sono i [miei] comandi programmati",
        ),
        cancel_it=("(annulla|cancella) (questo|quello)", "annullalo"),
        cancel=("(annulla|cancella) (l'ultimo comando|il comando) programmato",),
        cancel_all=(
            "(annulla|cancella) tutto quello che ho programmato",
            "(annulla|cancella) tutti i comandi programmati",
        ),
        past={
            "today": "oggi",
            "morning": "(stamattina|questa mattina)",
            "afternoon": "(questo pomeriggio|oggi pomeriggio)",
            "evening": "(stasera|questa sera)",
            "night": "(stanotte|questa notte|la notte scorsa)",
            "yesterday": "ieri",
            "week": "(questa settimana|nell'ultima settimana|negli ultimi giorni)",
        },
        rules={
            "a": "[((il|lo|la|i|gli|le|mio|mia) |l')]",
            "did": "(acceso|spento|aperto|chiuso|bloccato|sbloccato|avviato|fermato"
            "|cambiato|impostato)",
            "here": "(qui|in questa stanza)",
            "in": "((in|nel|nella|nello|nei|nelle|per il|per la|per) |nell')",
            "what": "(cosa|che cosa|che)",
        },
        fillers=("per favore", "dimmi", "caesar"),
    ),
)
