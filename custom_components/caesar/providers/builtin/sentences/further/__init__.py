"""Languages with sentences about CAESAR itself; Home Assistant has the everyday ones."""

from typing import Any, Final

from . import cs, es, fr, it, nl, pl, pt, ru, sv, zh

FURTHER: Final[dict[str, dict[str, Any]]] = {
    sentences["language"]: sentences
    for sentences in (
        cs.SENTENCES,
        es.SENTENCES,
        fr.SENTENCES,
        it.SENTENCES,
        nl.SENTENCES,
        pl.SENTENCES,
        pt.SENTENCES,
        ru.SENTENCES,
        sv.SENTENCES,
        zh.SENTENCES,
    )
}
