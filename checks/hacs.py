"""What HACS asks of a repository, as far as files can show it.

https://www.hacs.xyz/docs/publish/integration/
"""

from collections.abc import Iterator
from pathlib import Path
import re
from typing import Final

from . import PACKAGE, Problem
from ._json import Document

KEYS: Final = frozenset(
    {"content_in_root", "country", "filename", "hacs", "hide_default_branch"}
    | {"homeassistant", "name", "persistent_directory", "render_readme", "zip_release"}
)
FLAGS: Final = frozenset(
    {"content_in_root", "hide_default_branch", "render_readme", "zip_release"}
)
PNG: Final = b"\x89PNG\r\n\x1a\n"


def check(root: Path) -> list[Problem]:
    """Return what HACS would refuse."""
    return [*_settings(root), *_files(root)]


def _settings(root: Path) -> Iterator[Problem]:
    path = root / "hacs.json"
    if not path.exists():
        return
    document = Document(root, path)
    yield from document.problems
    data = document.data
    if document.problems or not isinstance(data, dict):
        return
    for key in sorted(data.keys() - KEYS):
        yield document.problem([key], "is not a key of hacs.json")
    if not isinstance(data.get("name"), str) or not data["name"]:
        yield document.problem([], "name is missing")
    for key in sorted(FLAGS & data.keys()):
        if not isinstance(data[key], bool):
            yield document.problem([key], "must be true or false")
    least = data.get("homeassistant", "0.0.0")
    if not isinstance(least, str) or not re.fullmatch(r"\d+\.\d+\.\d+(b\d+)?", least):
        yield document.problem(["homeassistant"], "must be a version of Home Assistant")
    if data.get("zip_release") and "filename" not in data:
        yield document.problem(["zip_release"], "needs filename")


def _files(root: Path) -> Iterator[Problem]:
    if not (root / "hacs.json").exists():
        return
    for name in ("README.md", "LICENSE"):
        if not (root / name).exists():
            yield Problem(path=name, line=1, message="is missing")
    icon = root / PACKAGE / "brand" / "icon.png"
    if not icon.exists():
        yield Problem(
            path=f"{PACKAGE}/brand/icon.png", line=1, message="the icon is missing"
        )
    elif icon.read_bytes()[:8] != PNG:
        yield Problem(
            path=f"{PACKAGE}/brand/icon.png", line=1, message="is not a PNG image"
        )
