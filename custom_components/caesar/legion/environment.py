"""The settings of a worker, read from its environment and nowhere else.

A name is `CAESAR_`, then a group, then keys, joined by two underscores; capitals do not
matter: `CAESAR_TOOLS__WEB_SEARCH__BRAVE_API_KEY`. A secret may stand in a file instead,
which `<NAME>_FILE` names. No value is ever shown in a message, a log or a repr.
"""

from collections.abc import Mapping, Set as AbstractSet
from difflib import get_close_matches
import json
import math
from pathlib import Path
from typing import Final, overload

from .keys import KeyTextError, public_bytes

PREFIX: Final = "CAESAR_"
SEPARATOR: Final = "__"
TOOLS: Final = "TOOLS"
LEGION: Final = "LEGION"
FILE_SUFFIX: Final = "_FILE"
SECRET_BYTES: Final = 65_536

# What the bundled tools and the server read, for a name that nobody asked for.
KNOWN: Final[Mapping[str, frozenset[str]]] = {
    f"{TOOLS}{SEPARATOR}CALCULATOR": frozenset(),
    f"{TOOLS}{SEPARATOR}WEB_SEARCH": frozenset(
        {
            "BACKEND",
            "SEARXNG_URL",
            "BRAVE_API_KEY",
            "TAVILY_API_KEY",
            "RESULT_LIMIT",
            "MAX_RESULT_LIMIT",
            "TIMEOUT_SECONDS",
        }
    ),
    f"{TOOLS}{SEPARATOR}CALENDAR": frozenset(
        {
            "CALDAV_URL",
            "USERNAME",
            "PASSWORD",
            "CALENDAR_NAMES",
            "DEFAULT_RANGE_DAYS",
            "DEFAULT_EVENT_LIMIT",
            "MAX_EVENT_LIMIT",
            "MAX_RANGE_DAYS",
        }
    ),
    f"{TOOLS}{SEPARATOR}RECALL": frozenset({"EMBEDDER", "URL", "MODEL", "KEY"}),
    LEGION: frozenset(
        {
            "WORKER_ID",
            "SEED",
            "SEED_PATH",
            "HA_PUBLIC_KEY",
            "LISTEN_HOST",
            "LISTEN_PORT",
            "TOOLS",
        }
    ),
}


class SettingsError(Exception):
    """A setting is missing or wrong; the message names it and says what to do."""


class Section:
    """The settings of one group; every method raises SettingsError on a bad value."""

    __slots__ = ("_asked", "_prefix", "_values")

    def __init__(self, prefix: str, values: Mapping[str, str], asked: set[str]) -> None:
        """Read from `values`, and note in `asked` which keys are of use."""
        self._prefix = prefix
        self._values = values
        self._asked = asked

    def __repr__(self) -> str:
        """Tell which group this is."""
        return f"<Section {self._prefix}*>"

    def variable(self, key: str) -> str:
        """Return the name of the variable, for messages."""
        return self._prefix + key.upper()

    @overload
    def text(self, key: str, default: str) -> str: ...
    @overload
    def text(self, key: str, default: None = None) -> str | None: ...
    def text(self, key: str, default: str | None = None) -> str | None:
        """Return a text without the space around it."""
        self._asked.add(key.upper())
        value = self._values.get(self.variable(key))
        return default if value is None else value.strip()

    @overload
    def number(self, key: str, default: int, low: int, high: int) -> int: ...
    @overload
    def number(self, key: str, default: float, low: float, high: float) -> float: ...
    def number(self, key: str, default: float, low: float, high: float) -> float:
        """Return a number from `low` to `high`, a whole one if the default is whole."""
        value = self.text(key)
        if value is None:
            return default
        whole = isinstance(default, int)
        try:
            number = int(value) if whole else float(value)
        except ValueError:
            number = math.nan
        if not low <= number <= high:
            kind = "whole number" if whole else "number"
            raise SettingsError(
                f"{self.variable(key)} must be a {kind} from {low} to {high}."
            )
        return number

    def names(self, key: str) -> tuple[str, ...]:
        """Return a JSON list of texts; without the setting an empty one."""
        value = self.text(key)
        if value is None:
            return ()
        try:
            names = json.loads(value)
        except (ValueError, RecursionError):
            names = None
        if not isinstance(names, list) or not all(
            isinstance(name, str) and name.strip() for name in names
        ):
            raise SettingsError(
                f'{self.variable(key)} must be a JSON list of texts, like ["One", "Two"].'
            )
        return tuple(name.strip() for name in names)

    def secret(self, key: str) -> str | None:
        """Return a secret, from the variable itself or the file that it names."""
        value = self.text(key)
        file = self.text(key + FILE_SUFFIX)
        self._asked.discard(key.upper() + FILE_SUFFIX)
        if file is None:
            return value
        variable = self.variable(key + FILE_SUFFIX)
        if value is not None:
            raise SettingsError(
                f"{self.variable(key)} and {variable} are both set; keep one."
            )
        return _contents(variable, Path(file))

    def require(self, key: str) -> str:
        """Return a secret or text that the tool cannot do without."""
        value = self.secret(key)
        if value is None:
            raise SettingsError(
                f"{self.variable(key)} is missing. Set it, or let"
                f" {self.variable(key + FILE_SUFFIX)} name a file that holds it."
            )
        return value


class Environment:
    """The `CAESAR_*` variables of a process; other variables are not kept."""

    __slots__ = ("_asked", "_values")

    def __init__(self, values: Mapping[str, str]) -> None:
        """Take `os.environ` or a dict; an empty value counts as not set.

        Raises SettingsError if two names differ in capitals only, and in value.
        """
        self._values: dict[str, str] = {}
        self._asked: dict[str, set[str]] = {}
        for name, value in values.items():
            key = name.upper()
            if not key.startswith(PREFIX) or not value.strip():
                continue
            if self._values.setdefault(key, value) != value:
                raise SettingsError(f"{key} is set twice; keep one of the spellings.")

    def __repr__(self) -> str:
        """Tell how many settings there are, never which or what."""
        return f"<Environment of {len(self._values)} settings>"

    def section(self, name: str) -> Section:
        """Return the settings of a tool; its group may be named otherwise than it."""
        return self._group(f"{TOOLS}{SEPARATOR}{name.upper()}")

    @property
    def legion(self) -> Section:
        """Return the settings of the worker itself: who it is, where it listens."""
        return self._group(LEGION)

    def unknown(self) -> list[str]:
        """Return a warning for each name that nobody reads, most often a slip.

        To be called when the tools have been made: what they asked for is known.
        """
        known = self._known()
        return [
            f"{name} is not a setting that anything here reads{_hint(name, known)}"
            for name in sorted(self._values)
            if SEPARATOR in name and name not in known
        ]

    def _group(self, group: str) -> Section:
        asked = self._asked.setdefault(group, set())
        return Section(f"{PREFIX}{group}{SEPARATOR}", self._values, asked)

    def _known(self) -> set[str]:
        keys: dict[str, set[str]] = {group: set(keys) for group, keys in KNOWN.items()}
        for group, asked in self._asked.items():
            keys.setdefault(group, set()).update(asked)
        return {
            f"{PREFIX}{group}{SEPARATOR}{key}{suffix}"
            for group, names in keys.items()
            for key in names
            for suffix in ("", FILE_SUFFIX)
        }


def checked_key(name: str, text: str) -> str:
    """Return the public key that a setting or option of that name gives.

    Raises SettingsError.
    """
    try:
        public_bytes(text)
    except KeyTextError as error:
        raise SettingsError(f"{name} is not a public key: {error}.") from None
    return text


def _hint(name: str, known: AbstractSet[str]) -> str:
    """Return what may have been meant: the slip is in the group or in the key."""
    group, _, key = name.rpartition(SEPARATOR)
    groups = {other.rpartition(SEPARATOR)[0] for other in known}
    if group in groups:
        near = get_close_matches(name, known, n=1, cutoff=0.8)
    else:
        near = [
            meant if meant in known else f"{other}{SEPARATOR}..."
            for other in get_close_matches(group, groups, n=1, cutoff=0.8)
            for meant in (f"{other}{SEPARATOR}{key}",)
        ]
    return f"; did you mean {near[0]}?" if near else "."


def _contents(variable: str, path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(SECRET_BYTES + 1)
        text = data.decode().strip()
    except OSError as error:
        raise SettingsError(
            f"The file that {variable} names cannot be read: {error.strerror}."
        ) from None
    except ValueError:
        text = ""
    if not text or len(data) > SECRET_BYTES:
        raise SettingsError(
            f"The file that {variable} names must hold the value as text, and only that."
        )
    return text
