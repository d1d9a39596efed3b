"""All languages say the same: the same keys, and the same placeholders in each text.

A further language has the spoken messages, all of them and nothing else.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from . import Problem
from ._json import Document, strings
from ._spoken import WHOLE, is_spoken
from ._translation import documents, placeholders


def check(root: Path) -> list[Problem]:
    """Return the differences of each language from English."""
    problems: list[Problem] = []
    english: Document | None = None
    for document in documents(root):
        if document.path.endswith("/en.json"):
            english = document
        elif (
            english is None
            or english.path.rpartition("/")[0] != (document.path.rpartition("/")[0])
        ):
            problems.append(document.problem([], "there is no en.json beside it"))
        else:
            problems.extend(_differences(english, document))
    return problems


def _differences(english: Document, other: Document) -> Iterator[Problem]:
    every, theirs = dict(strings(english.data)), dict(strings(other.data))
    ours = every if Path(other.path).stem in WHOLE else _spoken(every)
    for keys in ours.keys() - theirs.keys():
        yield other.problem(keys, "is missing")
    for keys in theirs.keys() - ours.keys():
        why = "is no spoken message" if keys in every else "is not in en.json"
        yield other.problem(keys, why)
    for keys in ours.keys() & theirs.keys():
        want, have = placeholders(ours[keys]), placeholders(theirs[keys])
        if want != have:
            yield other.problem(
                keys, f"must have the placeholders {sorted(want or ())}"
            )


def _spoken(texts: Mapping[tuple[str, ...], str]) -> dict[tuple[str, ...], str]:
    return {
        keys: text
        for keys, text in texts.items()
        if keys[0] == "exceptions" and is_spoken(keys[1])
    }
