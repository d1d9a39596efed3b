"""A turn of a conversation as bytes and back, for the file in which it is kept. Pure."""

import json
from typing import Any, Final

from ..turn import PastCall, Taint
from .session import MAX_TEXT_BYTES, Exchange

FORMAT: Final = 1
MAX_CALLS: Final = 64


class NotAnExchange(ValueError):
    """Bytes that no turn of a conversation was made of."""


def to_bytes(exchange: Exchange) -> bytes:
    """Return a turn as bytes, each of its texts cut where nobody is shown more."""
    return json.dumps(
        {
            "format": FORMAT,
            "text": _cut(exchange.text),
            "answer": _cut(exchange.answer),
            "taint": sorted(exchange.taint),
            "carried": sorted(exchange.carried),
            "vouched": exchange.vouched,
            "question": exchange.question,
            "calls": [
                [call.tool, list(call.target), call.done, dict(call.data)]
                for call in exchange.last_calls[-MAX_CALLS:]
            ],
        },
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode(errors="replace")


def from_bytes(data: bytes) -> Exchange:
    """Return the turn that `to_bytes` made bytes of. Raises NotAnExchange."""
    try:
        value: dict[str, Any] = json.loads(data)
        if value["format"] != FORMAT:
            raise NotAnExchange("no turn of this format")
        return Exchange(
            text=str(value["text"]),
            answer=str(value["answer"]),
            taint=frozenset(Taint(each) for each in value["taint"]),
            carried=frozenset(Taint(each) for each in value["carried"]),
            # Only what is said to be a person's own words is that.
            vouched=value["vouched"] is True,
            question=_object(value.get("question")),
            last_calls=tuple(
                PastCall(
                    tool=str(tool),
                    target=tuple(str(each) for each in target),
                    done=done is True,
                    # Rows of before follow-ups were heard lack it.
                    data=dict(*data),
                )
                for tool, target, done, *data in value["calls"]
            ),
        )
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as err:
        raise NotAnExchange(str(err)[:200]) from err


def _object(value: object) -> dict[str, Any] | None:
    """Return what a turn asked; rows of before answers were heard lack it."""
    return value if isinstance(value, dict) else None


def _cut(text: str) -> str:
    """Return a text within the bound, as UTF-8 that is whole."""
    data = text.encode(errors="replace")
    if len(data) <= MAX_TEXT_BYTES:
        return data.decode()
    return data[:MAX_TEXT_BYTES].decode(errors="ignore")
