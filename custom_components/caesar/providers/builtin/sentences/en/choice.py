"""English answers to "which one do you mean?": "the left one", "number two", "both"."""

from typing import Final

from ..choice import ChoiceWords

CHOICE: Final = ChoiceWords(
    fillers=frozenset(
        (
            *("the", "a", "my", "our", "that", "this", "one", "ones", "of", "them"),
            *("in", "on", "at", "from", "please", "just", "only", "i", "mean", "meant"),
            *("i'd", "like", "take", "use", "it's", "its", "yes", "with", "to"),
        )
    ),
    number=frozenset(("number",)),
    ordinals={
        "first": 1,
        "second": 2,
        "third": 3,
        "fourth": 4,
        "fifth": 5,
        "sixth": 6,
        "1st": 1,
        "2nd": 2,
        "3rd": 3,
        "4th": 4,
        "5th": 5,
        "6th": 6,
    },
    cardinals={"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6},
    last=frozenset(("last",)),
    both=frozenset(("both",)),
    every=frozenset(("all", "everything")),
    endings=("'s", "s"),
    waits=frozenset(("a second", "one second", "at first", "at last")),
    lights=frozenset(("lamp", "light")),
    timer="set a timer for {}",
)
