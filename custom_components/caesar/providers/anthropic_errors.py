"""What went wrong at Anthropic's API, in our words.

Source: the "Errors" and "Rate limits" pages of Anthropic's API documentation.
"""

from collections.abc import Mapping
import re

from ..brain.provider import ErrorKind, ProviderError
from .sdk_errors import retry_after

_KINDS_BY_TYPE = {
    "authentication_error": ErrorKind.AUTH,
    "permission_error": ErrorKind.AUTH,
    "billing_error": ErrorKind.QUOTA,
    "not_found_error": ErrorKind.REJECTED,
    "invalid_request_error": ErrorKind.REJECTED,
    "request_too_large": ErrorKind.REJECTED,
    "rate_limit_error": ErrorKind.RATE,
    "timeout_error": ErrorKind.TIMEOUT,
    "overloaded_error": ErrorKind.OVERLOADED,
    "api_error": ErrorKind.UNAVAILABLE,
}
_KINDS_BY_STATUS = {
    400: ErrorKind.REJECTED,
    401: ErrorKind.AUTH,
    402: ErrorKind.QUOTA,
    403: ErrorKind.AUTH,
    404: ErrorKind.REJECTED,
    408: ErrorKind.TIMEOUT,
    413: ErrorKind.REJECTED,
    422: ErrorKind.REJECTED,
    429: ErrorKind.RATE,
    504: ErrorKind.TIMEOUT,
    529: ErrorKind.OVERLOADED,
}
# An empty account answers 400 and a spend limit 400 or 429; only the words tell.
_MONEY = re.compile(
    r"credit balance|billing|spend(ing)? limit|usage limits?\b|purchase credits",
    re.IGNORECASE,
)
_PARAM = re.compile(
    r"[\"'`]?(?P<param>(?:model|messages|max_tokens|system|tools|tool_choice|thinking"
    r"|output_config|metadata|stream|temperature)(?:\.\w+)*)\b"
)
# What a model can't be told, it says in words of its own.
_WORDS = (
    (
        "thinking",
        re.compile(r"\b(adaptive|extended)? ?thinking\b.*not supported", re.IGNORECASE),
    ),
    (
        "output_config.effort",
        re.compile(r"effort parameter|config.effort", re.IGNORECASE),
    ),
    (
        "output_config.format",
        re.compile(r"output.(config|format)|structured.output", re.IGNORECASE),
    ),
)
_LONGEST = 300


def from_status(
    status: int, body: object, headers: Mapping[str, str], now: float
) -> ProviderError:
    """Return our error for an error answer, or for an error event in a stream (200)."""
    error = body.get("error") if isinstance(body, Mapping) else None
    error = error if isinstance(error, Mapping) else {}
    type_ = str(error.get("type", ""))
    message = str(error.get("message", ""))
    # The status is the API's own word; a proxy's or a stream's 200 has only the type.
    kind = _KINDS_BY_STATUS.get(status) or _KINDS_BY_TYPE.get(type_)
    if kind is None:
        kind = ErrorKind.UNAVAILABLE
    if kind in (ErrorKind.REJECTED, ErrorKind.RATE) and _is_about_money(error):
        kind = ErrorKind.QUOTA
    return ProviderError(
        kind,
        f"{status} {type_}: {message}"[:_LONGEST],
        retry_after=retry_after(headers, now),
        param=_param(message) if kind is ErrorKind.REJECTED else None,
    )


def _is_about_money(error: Mapping[str, object]) -> bool:
    """Return whether the account, not the request, is what the API refuses."""
    details = error.get("details")
    code = details.get("error_code") if isinstance(details, Mapping) else None
    return "spend_limit" in str(code) or bool(
        _MONEY.search(str(error.get("message", "")))
    )


def _param(message: str) -> str | None:
    """Return the parameter that a refusal begins with."""
    if match := _PARAM.match(message):
        return match["param"]
    return next((param for param, words in _WORDS if words.search(message)), None)
