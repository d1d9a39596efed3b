"""Which files of a tree are ours."""

from collections.abc import Iterator
import os
from pathlib import Path
from typing import Final

# Folders that tools make, at any depth.
MADE: Final = frozenset({"__pycache__", "node_modules", "dist", "build"})
# Dotted folders that are ours; all others belong to tools.
DOTTED: Final = frozenset({".ci", ".github"})


def files(root: Path, *suffixes: str) -> Iterator[Path]:
    """Yield our files below `root` in a stable order, those with a suffix if given."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            name
            for name in folders
            if name not in MADE and (not name.startswith(".") or name in DOTTED)
        )
        for name in sorted(names):
            if not suffixes or name.endswith(suffixes):
                yield Path(folder, name)


def relative(root: Path, path: Path) -> str:
    """Return the path as it is shown: relative to the root, with slashes."""
    return path.relative_to(root).as_posix()
