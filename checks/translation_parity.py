"""All languages say the same: the same keys, and the same placeholders in each text."""

from collections.abc import Iterator
from pathlib import Path

from . import Problem
from ._json import Document, strings
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
    ours, theirs = dict(strings(english.data)), dict(strings(other.data))
    for keys in ours.keys() - theirs.keys():
        yield other.problem(keys, "is missing")
    for keys in theirs.keys() - ours.keys():
        yield other.problem(keys, "is not in en.json")
    for keys in ours.keys() & theirs.keys():
        want, have = placeholders(ours[keys]), placeholders(theirs[keys])
        if want != have:
            yield other.problem(
                keys, f"must have the placeholders {sorted(want or ())}"
            )
