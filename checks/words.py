"""Words that must not stand in any file: they are past, put off, or of one machine."""

from collections.abc import Mapping
from pathlib import Path
import re
from typing import Final

from . import Problem
from ._files import files, relative

# Pattern -> why not.
WORDS: Final[Mapping[str, str]] = {
    r"(?i)\bpraetor": "the old name of the gate's forebear",
    r"(?<!Platform\.)\b(TODO|FIXME|XXX|HACK)\b": "what is left for later is an issue",
    r"(?<![\w.$}/~-])/(root|home/[a-z]\w*|Users/\w+)/": ("a path of one machine"),
    r"(?i)pragma:\s*no\s*(cover|branch)": "coverage has no exclusions",
}
SUFFIXES: Final = (
    *(".cfg", ".css", ".html", ".ini", ".js", ".json", ".md", ".py", ".sh", ".svg"),
    *(".toml", ".ts", ".txt", ".yaml", ".yml"),
)
# Programs have no suffix.
FOLDERS: Final = frozenset({".ci", "script"})
# They hold the words in order to look for them.
EXEMPT: Final = frozenset({"checks/words.py", "tests/test_checks.py"})


def check(root: Path) -> list[Problem]:
    """Return each line that holds one of the words."""
    patterns = {re.compile(word): why for word, why in WORDS.items()}
    return [
        Problem(path=name, line=number, message=f"{found.group().strip()!r}: {why}")
        for path in files(root)
        if (name := relative(root, path)) not in EXEMPT
        and (path.suffix in SUFFIXES or path.parent.name in FOLDERS)
        for number, line in enumerate(
            path.read_text(encoding="utf-8", errors="replace").splitlines(), 1
        )
        for pattern, why in patterns.items()
        if (found := pattern.search(line))
    ]
