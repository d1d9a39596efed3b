"""Reading JSON that somebody else wrote: each field once, by name, type and limit."""

from collections.abc import Iterable, Mapping
import math
import re
from typing import Final, Self

from .canonical import Json

# Joiners that scripts and emoji need; every other invisible character is refused.
_JOINERS: Final = dict.fromkeys(map(ord, "\u200c\u200d"))
# What Python calls printable and nobody sees: fillers, and selectors of variants (the
# one for emoji apart), of which a row can spell out any text. So can one of joiners.
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0e\uffa0"
    "\U000e0100-\U000e01ef]|[\u200c\u200d]{2}|\ufe0f{2}"
)


class FieldError(ValueError):
    """A field is missing or is not what it must be. The message begins with its path."""


def is_shown(text: str) -> bool:
    """Return whether a person sees every character of a text, joiners apart."""
    return text.translate(_JOINERS).isprintable() and not _UNSEEN.search(text)


class Fields:
    """An object whose fields are taken out one at a time. All raise FieldError."""

    def __init__(self, value: object, path: str = "") -> None:
        """Take an object found at `path`."""
        if not isinstance(value, (dict, Mapping)):
            raise FieldError(f"{path or 'the message'}: must be an object")
        self._left: dict[str, Json] = dict(value)
        self._path = path

    def path(self, key: str) -> str:
        """Return where a field is, for an error."""
        return f"{self._path}.{key}" if self._path else key

    def take(self, key: str) -> Json:
        """Take a field that must be there."""
        try:
            return self._left.pop(key)
        except KeyError:
            raise self.error(key, "is missing") from None

    def has(self, key: str) -> bool:
        """Tell whether a field is there and not null; a null one counts as taken."""
        if self._left.get(key) is None:
            self._left.pop(key, None)
            return False
        return True

    def text(
        self,
        key: str,
        longest: int,
        *,
        shape: re.Pattern[str] | None = None,
        lines: bool = False,
        empty: bool = False,
    ) -> str:
        """Take a text of at most `longest` characters without invisible ones.

        `shape` must match all of it; `lines` lets line ends through.
        """
        value = self.take(key)
        if not isinstance(value, str):
            raise self.error(key, "must be a text")
        self._check_text(key, value, longest, lines=lines, empty=empty)
        if shape is not None and not shape.fullmatch(value):
            raise self.error(key, f"must look like {shape.pattern}")
        return value

    def texts(self, key: str, longest: int, most: int) -> tuple[str, ...]:
        """Take a list of at most `most` texts."""
        value = self.take(key)
        if not isinstance(value, (list, tuple)) or len(value) > most:
            raise self.error(key, f"must be a list of at most {most} texts")
        for number, item in enumerate(value):
            at = f"{key}[{number}]"
            if not isinstance(item, str):
                raise self.error(at, "must be a text")
            self._check_text(at, item, longest, lines=False, empty=False)
        return tuple(map(str, value))

    def integer(self, key: str, low: int, high: int) -> int:
        """Take a whole number between `low` and `high`; JSON knows 5.0 as one."""
        value = self.take(key)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not int or not low <= value <= high:
            raise self.error(key, f"must be a whole number from {low} to {high}")
        return value

    def number(self, key: str, low: float, high: float) -> float:
        """Take a finite number between `low` and `high`."""
        value = self.take(key)
        if type(value) not in (int, float) or not isinstance(value, (int, float)):
            raise self.error(key, "must be a number")
        if not math.isfinite(value) or not low <= value <= high:
            raise self.error(key, f"must be from {low:g} to {high:g}")
        return float(value)

    def flag(self, key: str) -> bool:
        """Take true or false."""
        value = self.take(key)
        if not isinstance(value, bool):
            raise self.error(key, "must be true or false")
        return value

    def mapping(self, key: str) -> Mapping[str, Json]:
        """Take an object as it is."""
        value = self.take(key)
        if not isinstance(value, (dict, Mapping)):
            raise self.error(key, "must be an object")
        return value

    def fields(self, key: str) -> Self:
        """Take an object, to be read in turn."""
        return type(self)(self.take(key), self.path(key))

    def names(self) -> Iterable[str]:
        """Return the names that nobody has taken."""
        return tuple(self._left)

    def done(self) -> None:
        """Refuse what is left: a field that is not understood is not ignored."""
        if self._left:
            raise self.error(min(self._left)[:64], "is not known")

    def error(self, key: str, message: str) -> FieldError:
        """Return an error of a field."""
        return FieldError(f"{self.path(key)}: {message}")

    def _check_text(
        self, key: str, value: str, longest: int, *, lines: bool, empty: bool
    ) -> None:
        if len(value) > longest or not (value or empty):
            raise self.error(key, f"must have 1 to {longest} characters")
        if not is_shown(value.replace("\n", " ") if lines else value):
            raise self.error(key, "holds characters that can't be shown")
