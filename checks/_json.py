"""JSON files with the lines of their keys."""

from collections.abc import Iterator, Mapping, Sequence
import json
from pathlib import Path
import re
from typing import Any

from . import Problem
from ._files import relative


class Document:
    """A JSON file of the tree that can say where a key stands."""

    def __init__(self, root: Path, path: Path) -> None:
        """Read the file; what cannot be read becomes a problem and empty data."""
        self.path = relative(root, path)
        self.problems: list[Problem] = []
        self.data: Any = {}
        self._text = path.read_text(encoding="utf-8")
        try:
            self.data = json.loads(self._text, object_pairs_hook=self._unique)
        except ValueError as error:
            self.problems.append(
                Problem(
                    path=self.path,
                    line=getattr(error, "lineno", 1),
                    message=f"is not JSON: {error}",
                )
            )

    def problem(self, keys: Sequence[object], message: str) -> Problem:
        """Return a problem at the line of the key that `keys` lead to."""
        where = ".".join(str(key) for key in keys)
        return Problem(
            path=self.path,
            line=self._line(keys),
            message=f"{where}: {message}" if where else message,
        )

    def _line(self, keys: Sequence[object]) -> int:
        position = 0
        for key in keys:
            found = re.compile(rf"{re.escape(json.dumps(key))}\s*:").search(
                self._text, position
            )
            if found is None:
                break
            position = found.start() + 1
        return self._text.count("\n", 0, position) + 1

    def _unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            names = [name for name, _ in pairs]
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(f"keys given twice: {', '.join(twice)}")
        return result


def strings(
    data: object, keys: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every text below `data` with the keys that lead to it."""
    if isinstance(data, str):
        yield keys, data
    elif isinstance(data, Mapping):
        for key, value in data.items():
            yield from strings(value, (*keys, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from strings(value, (*keys, str(index)))
