"""icons.json has Material Design icons only, for things that have a name."""

from collections.abc import Iterator
from pathlib import Path
import re
from typing import Final

from . import Problem
from ._files import files
from ._json import Document, strings

ICON: Final = re.compile(r"mdi:[a-z0-9]+(-[a-z0-9]+)*")
SECTIONS: Final = frozenset(
    {"conditions", "config", "config_subentries", "entity", "entity_component"}
    | {"issues", "options", "services", "triggers"}
)


def check(root: Path) -> list[Problem]:
    """Return the icons that the frontend would not show."""
    return [
        problem
        for path in files(root, "icons.json")
        if path.parent.parent.name == "custom_components"
        for problem in _check(root, path)
    ]


def _check(root: Path, path: Path) -> Iterator[Problem]:
    document = Document(root, path)
    yield from document.problems
    if document.problems or not isinstance(document.data, dict):
        return
    for section in document.data:
        if section not in SECTIONS:
            yield document.problem([section], "is not a section of icons.json")
    for keys, icon in strings(document.data):
        if not ICON.fullmatch(icon):
            yield document.problem(keys, f"{icon} is not an mdi: icon")
    translations = path.parent / "translations" / "en.json"
    named = (
        Document(root, translations).data.get("entity", {})
        if translations.exists()
        else {}
    )
    for platform, entities in document.data.get("entity", {}).items():
        for key, icons in entities.items():
            if key not in named.get(platform, {}):
                yield document.problem(
                    ["entity", platform, key], "has no name in translations/en.json"
                )
            for state, icon in icons.get("state", {}).items():
                if icon == icons.get("default"):
                    yield document.problem(
                        ["entity", platform, key, "state", state],
                        "is the default icon again",
                    )
