"""What earlier versions of CAESAR left of a house, as it was kept.

Each file in `fixtures/` is what one version wrote, never touched again: the folder
`caesar`, the parts of `.storage` that are CAESAR's, and the entry.
"""

from dataclasses import dataclass
import json
from pathlib import Path
from typing import Any, Final
import zipfile

FIXTURES: Final = Path(__file__).parent / "fixtures"
FIRST: Final = "0.1.0-schema-9.zip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What an earlier version left: its entry, its storage, and the owner's id."""

    entry: dict[str, Any]
    storage: dict[str, Any]
    owner: str


def unpack(name: str, folder: Path) -> Left:
    """Put a house's files into a configuration folder; return the rest."""
    with zipfile.ZipFile(FIXTURES / name) as kept:
        for each in kept.namelist():
            if each.startswith("caesar/"):
                kept.extract(each, folder)
        return Left(
            entry=json.loads(kept.read("entry.json")),
            storage=json.loads(kept.read("storage.json")),
            owner=kept.read("owner.txt").decode(),
        )
