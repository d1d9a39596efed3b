"""What went wrong at a server of the Chat Completions API, in our words.

Source: the "Error codes" page of OpenAI's API documentation, and "Errors" of
OpenRouter's. vLLM, llama.cpp and LocalAI answer in the same shape, FastAPI's servers
with a `detail`.
"""

from collections.abc import Mapping
import json
import re
from typing import Final

from ..brain.provider import ErrorKind, ProviderError
from .sdk_errors import retry_after

_KINDS_BY_STATUS: Final = {
    400: ErrorKind.REJECTED,
    401: ErrorKind.AUTH,
    402: ErrorKind.QUOTA,
    403: ErrorKind.AUTH,
    404: ErrorKind.REJECTED,
    405: ErrorKind.REJECTED,
    408: ErrorKind.TIMEOUT,
    413: ErrorKind.REJECTED,
    422: ErrorKind.REJECTED,
    429: ErrorKind.RATE,
    # llama.cpp and vLLM say so while they load the model.
    503: ErrorKind.OVERLOADED,
    504: ErrorKind.TIMEOUT,
    529: ErrorKind.OVERLOADED,
}
_KINDS_BY_CODE: Final = {
    "insufficient_quota": ErrorKind.QUOTA,
    "billing_hard_limit_reached": ErrorKind.QUOTA,
    "billing_not_active": ErrorKind.QUOTA,
    "invalid_api_key": ErrorKind.AUTH,
    "rate_limit_exceeded": ErrorKind.RATE,
    "rate_limit_error": ErrorKind.RATE,
    "context_length_exceeded": ErrorKind.REJECTED,
    "invalid_request_error": ErrorKind.REJECTED,
    "model_not_found": ErrorKind.REJECTED,
    "overloaded_error": ErrorKind.OVERLOADED,
    "server_error": ErrorKind.UNAVAILABLE,
}
# A 403 for what was said is no wrong key.
_MODERATED: Final = re.compile(r"moderation|flagged", re.IGNORECASE)
_MONEY: Final = re.compile(
    r"exceeded your current quota|insufficient (credits|balance)|purchase (more )?cred",
    re.IGNORECASE,
)
# What only the request, the model or the server's options can mend, whatever the status.
_UNFIT: Final = re.compile(
    r"--jinja|enable-auto-tool-choice|support tool|grammar|context (size|length|window)"
    r"|mmproj|image input",
    re.IGNORECASE,
)
# The words of OpenAI, OpenRouter, llama.cpp and vLLM for a model that can't see.
_BLIND: Final = re.compile(
    r"image_url|image input|mmproj|multimodal|image\(s\)|support (images?|file)",
    re.IGNORECASE,
)
_PARAM: Final = re.compile(
    r"\b(max_completion_tokens|max_tokens|temperature|tool_choice"
    r"|parallel_tool_calls|stream_options|response_format|reasoning_effort|reasoning_content|reasoning|extra_content)\b"
)
# The model's own output that a server could not make a call of: llama.cpp, Groq.
_GARBLED: Final = re.compile(
    r"tool_use_failed|failed to parse (tool call|input)|failed to call a function",
    re.IGNORECASE,
)
_LONGEST: Final = 300


def from_status(
    status: int, body: object, headers: Mapping[str, str], now: float
) -> ProviderError:
    """Return our error for an error answer, or for an error in a stream (200).

    The SDK hands over what is under `error`, or the whole body where there is none.
    """
    error = body if isinstance(body, Mapping) else {}
    code, type_ = error.get("code"), str(error.get("type") or "")
    message = str(error.get("message") or error.get("detail") or body or "")
    if status < 400 and isinstance(code, int):
        # OpenRouter says there what the status would have been.
        status = code
    kind = _KINDS_BY_STATUS.get(status)
    named = _KINDS_BY_CODE.get(str(code)) or _KINDS_BY_CODE.get(type_)
    if kind is None:
        kind = (named if status < 500 else None) or ErrorKind.UNAVAILABLE
    if kind is ErrorKind.UNAVAILABLE and _UNFIT.search(message):
        kind = ErrorKind.REJECTED
    if kind in (ErrorKind.RATE, ErrorKind.REJECTED) and (
        named is ErrorKind.QUOTA or _MONEY.search(message)
    ):
        kind = ErrorKind.QUOTA
    if kind is ErrorKind.AUTH and status == 403 and _MODERATED.search(message):
        kind = ErrorKind.REJECTED
    if kind in (ErrorKind.UNAVAILABLE, ErrorKind.REJECTED) and (
        _GARBLED.search(f"{code} {message}")
    ):
        kind = ErrorKind.CUT
    return ProviderError(
        kind,
        f"{status} {code or type_}: {message}"[:_LONGEST],
        retry_after=retry_after(headers, now),
        param=_param(error, message) if kind is ErrorKind.REJECTED else None,
    )


def _param(error: Mapping[str, object], message: str) -> str | None:
    """Return the parameter that was refused: the named one, else the one spoken of."""
    if isinstance(param := error.get("param"), str) and param:
        return "attachments" if _BLIND.search(message) else param
    if _BLIND.search(message):
        return "attachments"
    if str(error.get("code")) == "model_not_found":
        return "model"
    loc = error.get("detail")
    text = message if loc is None else json.dumps(loc, default=str)
    match = _PARAM.search(text)
    return match[1] if match else None
