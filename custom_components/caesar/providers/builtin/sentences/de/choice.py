"""German answers to "Was davon meinst du?": "die linke", "Nummer zwei", "beide"."""

from typing import Final

from ..choice import ChoiceWords

CHOICE: Final = ChoiceWords(
    fillers=frozenset(
        (
            *("der", "die", "das", "den", "dem", "ein", "eine", "einen", "mein"),
            *("meine", "meinen", "unser", "unsere", "ich", "meinte", "nehme", "nimm"),
            *("in", "im", "am", "auf", "bei", "von", "vom", "bitte", "mal", "nur"),
            *("doch", "eben", "ja", "davon", "mit", "sie", "es", "ihn", "für"),
        )
    ),
    number=frozenset(("nummer", "nr")),
    # Without their endings, as `stem` leaves them.
    ordinals={"erst": 1, "zweit": 2, "dritt": 3, "viert": 4, "fünft": 5, "sechst": 6},
    cardinals={
        "eins": 1,
        "zwei": 2,
        "zwo": 2,
        "drei": 3,
        "vier": 4,
        "fünf": 5,
        "sechs": 6,
    },
    last=frozenset(("letzt",)),
    both=frozenset(("beid",)),
    every=frozenset(("all", "sämtlich")),
    waits=frozenset(("erst mal", "erst eben", "doch erst")),
    lights=frozenset(("lamp", "licht")),
    timer="stelle einen Timer auf {}",
    endings=("en", "er", "es", "em", "e", "n", "s"),
)
