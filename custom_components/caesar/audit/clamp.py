"""What may enter the trail: secrets out first, then everything within bounds.

Pure, and never raises: whatever a model, a tool or another integration hands over
becomes JSON of at most 64 KiB. The limits are those of the issue (SR-008, I-3, I-4).
"""

from collections.abc import Iterator, Mapping, Sequence, Set as AbstractSet
from functools import lru_cache
from itertools import islice
import json
import math
import re
from typing import Final

from ..legion.canonical import Json

MAX_TEXT: Final = 16_384
MAX_ITEMS: Final = 200
MAX_DEPTH: Final = 8
MAX_PAYLOAD_BYTES: Final = 65_536

MASK: Final = "***"
_CUT: Final = " [cut]"
_MORE: Final = "[more left out]"
_DEEP: Final = "[too deep]"
_UNREADABLE: Final = "[unreadable]"

# Room for the marks themselves: one a level at most, each under 100 bytes.
_RESERVE: Final = 2_048
_MAX_NAME: Final = 512
_MAX_INTEGER_BITS: Final = 1_024

# Every dispatch row needs these (ADR-0028 of the founding papers), so nothing else
# may take their room. The figure is the most a key may take, in bytes.
_FIRST: Final[Mapping[str, int]] = {
    "tool": 4_096,
    "connector": 4_096,
    "action": 4_096,
    "domain": 4_096,
    "service": 4_096,
    "outcome": 8_192,
    "decision": 12_288,
    "input": 16_384,
}

_PARTS: Final = (
    "key",
    "secret",
    "token",
    "password",
    "passwd",
    "passcode",
    "credential",
)
_NAMES: Final = frozenset(
    {
        "passphrase",
        "code",
        "pin",
        "pincode",
        "pin_code",
        "usercode",
        "user_code",
        "authorization",
    }
)
# `"code": "1234"`, `code=1234`: secrets inside a text, such as arguments that were no
# JSON. A value that never ends is taken to the end.
_PAIR = re.compile(
    r"(?<![\w-])(?P<name>[\w-]{1,64})(?P<between>[\"']?\s{0,8}[:=]\s{0,8})"
    r"(?P<value>\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?|[^\s,;&}\]]+)",
    re.DOTALL,
)

# Without one of these there is no name of a secret in a text. The shortest will do.
_HINTS: Final = tuple(
    word
    for word in (*_PARTS, *sorted(_NAMES))
    if not any(other != word and other in word for other in (*_PARTS, *sorted(_NAMES)))
)
# Most texts of a row are short and need nothing: no pair, no escaping, one byte each.
_PLAIN: Final = re.compile(r"[ !#-9;<>-\[\]-~]{0,256}")

_NOTHING: Final[frozenset[str]] = frozenset()
# Words of the trail's own that look like names of secrets.
_OWN_WORDS: Final = frozenset({"code", "key", "key_fp"})
_OWN_PARTS: Final = frozenset({"decision", "outcome"})


@lru_cache(maxsize=1_024)
def is_secret(name: str) -> bool:
    """Return whether a value under this key must not be kept."""
    plain = name[:MAX_TEXT].strip().lower()
    return plain in _NAMES or any(part in plain for part in _PARTS)


def redact(value: Json) -> Json:
    """Return `value` with everything under a secret's name replaced by `***`.

    Also looks into texts that hold such pairs. Never raises; what is nested deeper
    than any tool's result is left out.
    """
    return _redact(value, 64)


def clean_payload(payload: Mapping[str, object]) -> tuple[dict[str, Json], bool]:
    """Return a payload as the trail keeps it, and whether anything was cut.

    The canonical JSON of the result has at most `MAX_PAYLOAD_BYTES` bytes of UTF-8,
    and the work is bounded by that too, whatever is handed over.
    """
    try:
        clamper = _Clamper(MAX_PAYLOAD_BYTES - _RESERVE)
        return clamper.payload(payload), clamper.cut
    except Exception as err:  # noqa: BLE001 - a foreign object may raise anything
        return {"unreadable": type(err).__name__}, True


def _redact(value: Json, depth: int) -> Json:
    if isinstance(value, str):
        return _redact_text(value)
    if not isinstance(value, (Mapping, list, tuple)):
        return value
    if depth <= 0:
        return _DEEP
    if isinstance(value, Mapping):
        return {
            key: MASK if _is_hidden(key, value, _NOTHING) else _redact(item, depth - 1)
            for key, item in value.items()
        }
    return [_redact(item, depth - 1) for item in value]


def _is_hidden(name: str, within: Mapping[str, object], own: frozenset[str]) -> bool:
    """Return whether the value under this name is a secret."""
    if name not in own and is_secret(name):
        return True
    # A reason's values name the key they speak of: {"key": "code", "value": "1234"}.
    named = within.get("key") if name == "value" else None
    return isinstance(named, str) and is_secret(named.rpartition(".")[2])


def _redact_text(text: str) -> str:
    if ":" not in text and "=" not in text:
        return text

    def mask(match: re.Match[str]) -> str:
        if not is_secret(match["name"]):
            return match[0]
        quote = match["value"][0] if match["value"][0] in "\"'" else ""
        return f"{match['name']}{match['between']}{quote}{MASK}{quote}"

    # Cut first: a pattern over a text without bounds would be work without bounds,
    # and a secret that is cut off is still recognised by its name.
    text = text[:MAX_TEXT]
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return text
    return _PAIR.sub(mask, text)


class _Clamper:
    """Copies a value into bounds; `left` is what remains, in bytes of JSON."""

    def __init__(self, left: int) -> None:
        self.left = left
        self.cut = False

    def payload(self, payload: Mapping[str, object]) -> dict[str, Json]:
        """Return the payload, the indispensable keys first."""
        cleaned: dict[str, Json] = {}
        for key, most in _FIRST.items():
            if key in payload:
                cleaned[key] = self._within(most, key, payload[key])
        rest = {key: item for key, item in payload.items() if key not in _FIRST}
        room = MAX_ITEMS - len(cleaned)
        for key, item in self._items(rest, room):
            said = _name(key)
            name = _free(self._text(said), cleaned)
            # Counts of tokens are no tokens.
            hidden = _is_hidden(said, payload, _OWN_WORDS) and not _is_number(item)
            cleaned[name] = self._value(MASK if hidden else item, 1, _NOTHING)
        return cleaned

    def _within(self, most: int, key: str, item: object) -> Json:
        allowed = min(self.left, most)
        kept, self.left = self.left - allowed, allowed
        self._pay(len(key) + 4)
        if isinstance(item, str) and key != "input" and len(item) > _MAX_NAME:
            item = self._short(item, _MAX_NAME)
        value = self._value(item, 1, _OWN_WORDS if key in _OWN_PARTS else _NOTHING)
        self.left += kept
        return value

    def _value(self, value: object, depth: int, own: frozenset[str]) -> Json:
        """Return one value; `depth` counts the containers around it."""
        if isinstance(value, str):
            return self._text(value)
        if value is None or isinstance(value, bool):
            self._pay(5)
            return value
        if isinstance(value, (int, float)):
            return self._number(value)
        # The built-in ones first: asking the abstract ones costs ten times as much.
        if isinstance(
            value, (dict, list, tuple, Mapping, Sequence, AbstractSet)
        ) and not isinstance(value, (bytes, bytearray, memoryview)):
            return self._container(value, depth, own)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._text(f"[{len(value)} bytes]")
        try:
            return self._text(str(value))
        except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
            return self._text(_UNREADABLE)

    def _container(self, value: object, depth: int, own: frozenset[str]) -> Json:
        if depth >= MAX_DEPTH:
            self.cut = True
            return self._text(_DEEP)
        self._pay(2)
        if isinstance(value, (dict, Mapping)):
            cleaned: dict[str, Json] = {}
            for key, item in self._items(value, MAX_ITEMS):
                self._pay(2)
                said = _name(key)
                name = _free(self._text(said), cleaned)
                hidden = _is_hidden(said, value, own)
                cleaned[name] = self._value(MASK if hidden else item, depth + 1, own)
            return cleaned
        items: list[Json] = []
        assert isinstance(value, (list, tuple, Sequence, AbstractSet))
        for item in islice(value, MAX_ITEMS):
            if self.left <= 0 or (
                len(items) == MAX_ITEMS - 1 and len(value) > MAX_ITEMS
            ):
                self.cut = True
                items.append(_MORE)
                break
            self._pay(1)
            items.append(self._value(item, depth + 1, own))
        return items

    def _items(
        self, value: Mapping[str, object], most: int
    ) -> Iterator[tuple[str, object]]:
        """Yield what there is room for, and a mark in the place of the rest."""
        for count, (key, item) in enumerate(value.items(), 1):
            if self.left <= 0 or (count == most and len(value) > most):
                self.cut = True
                yield _MORE, True
                return
            yield key, item

    def _text(self, value: str) -> str:
        said = str.__str__(value)
        if _PLAIN.fullmatch(said) and (cost := len(said) + 2) <= self.left:
            self._pay(cost)
            return said
        text = _redact_text(said)
        if not text.isascii():
            # A lone surrogate has no UTF-8.
            text = text.encode(errors="replace").decode()
        # What looks like a pair was cut already, without a mark.
        if max(len(said), len(text)) > MAX_TEXT:
            text = self._short(text, MAX_TEXT)
        cost = _json_bytes(text)
        if cost > self.left:
            # A character takes at most six bytes of JSON (a control character).
            text = self._short(text, max(self.left, 0) // 6 + len(_CUT))
            cost = _json_bytes(text)
        self._pay(cost)
        return text

    def _short(self, text: str, most: int) -> str:
        self.cut = True
        return text[: most - len(_CUT)] + _CUT

    def _number(self, value: float) -> Json:
        if isinstance(value, int):
            if value.bit_length() > _MAX_INTEGER_BITS:
                self.cut = True
                return self._text("[number too large]")
            number: Json = int(value)
        elif math.isfinite(value):
            number = float(value)
        else:
            return self._text(str(float(value)))
        self._pay(len(str(number)))
        return number

    def _pay(self, cost: int) -> None:
        self.left -= cost


def _json_bytes(text: str) -> int:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return len(text) + 2
    return len(json.dumps(text, ensure_ascii=False).encode())


def _name(key: object) -> str:
    try:
        return str(key)
    except Exception:  # noqa: BLE001 - a foreign __str__ may raise anything
        return _UNREADABLE


def _free(name: str, taken: Mapping[str, object]) -> str:
    """Return a name that is not taken: two keys may have become the same text."""
    if name not in taken:
        return name
    base = name[: MAX_TEXT - 8]
    return next(
        candidate
        for number in range(2, len(taken) + 3)
        if (candidate := f"{base}~{number}") not in taken
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))
