"""What went wrong at an Ollama server, in our words.

Source: Ollama's docs/api.md and its server's answers: `{"error": "..."}` with a status,
or as a line of a stream that has already begun, and then without one.
"""

import re
from types import ModuleType
from typing import Final

import httpx

from ..brain.provider import ErrorKind, ProviderError

_KINDS: Final = {
    401: ErrorKind.AUTH,
    402: ErrorKind.QUOTA,
    403: ErrorKind.AUTH,
    408: ErrorKind.TIMEOUT,
    429: ErrorKind.RATE,
    503: ErrorKind.OVERLOADED,
    504: ErrorKind.TIMEOUT,
}
# The model's own output that Ollama could not make a call of.
_UNREADABLE: Final = re.compile(r"error parsing tool call", re.IGNORECASE)
_MONEY: Final = re.compile(r"usage limit|quota|subscription", re.IGNORECASE)
_NOT_PULLED: Final = re.compile(r"\bmodel\b.*\bnot found\b", re.IGNORECASE | re.DOTALL)
# What a refused request can go without: the parameter, and the words that refuse it.
_REFUSED: Final = (
    ("tools", re.compile(r"does not support tools", re.IGNORECASE)),
    ("think", re.compile(r"does not support thinking", re.IGNORECASE)),
    # It can think, but not that hard, or that little.
    (
        "think_level",
        re.compile(r"think value .* is not supported", re.IGNORECASE | re.DOTALL),
    ),
    (
        "attachments",
        re.compile(r"image input|does not support (images|vision)", re.IGNORECASE),
    ),
)
_LONGEST: Final = 300


def from_sdk(sdk: ModuleType, err: Exception, model: str) -> ProviderError:
    """Return our error for one of the SDK, of its HTTP client or of its parser.

    `model` is the one that was asked for.
    """
    if isinstance(err, sdk.ResponseError):
        return from_status(err.status_code, str(err.error), model)
    if isinstance(err, httpx.TimeoutException | TimeoutError):
        return ProviderError(ErrorKind.TIMEOUT, "No answer in time")
    if isinstance(
        err, ConnectionError | httpx.ConnectError | httpx.UnsupportedProtocol
    ):
        return ProviderError(ErrorKind.UNAVAILABLE, f"No connection ({err})"[:_LONGEST])
    return ProviderError(
        ErrorKind.CUT, f"The answer can't be read ({type(err).__name__})"
    )


def from_status(status: int, message: str, model: str) -> ProviderError:
    """Return our error for an error answer; a stream's error line has no status (-1)."""
    if status == 404 and _NOT_PULLED.search(message):
        return not_pulled(model)
    param = None
    if status == 400:
        refused = (name for name, words in _REFUSED if words.search(message))
        param = next(refused, None)
    kind = _KINDS.get(status)
    if kind is None:
        kind = ErrorKind.REJECTED if 300 <= status < 500 else ErrorKind.UNAVAILABLE
    if kind is ErrorKind.RATE and _MONEY.search(message):
        kind = ErrorKind.QUOTA
    if kind is ErrorKind.UNAVAILABLE and _UNREADABLE.search(message):
        kind = ErrorKind.CUT
    said = message if status < 0 else f"{status}: {message}"
    return ProviderError(kind, said[:_LONGEST], param=param)


def not_pulled(model: str) -> ProviderError:
    """Return the error for a model that the server doesn't have."""
    return ProviderError(
        ErrorKind.REJECTED,
        f"The model {model} isn't on the Ollama server; `ollama pull {model}` gets it",
        param="model",
    )
