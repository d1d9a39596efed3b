"""What the SDKs of Anthropic and OpenAI raise, in our words: one maker wrote both."""

from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from types import ModuleType

import httpx

from ..brain.provider import ErrorKind, ProviderError

type FromStatus = Callable[[int, object, Mapping[str, str], float], ProviderError]


def from_sdk(
    sdk: ModuleType, err: Exception, now: float, from_status: FromStatus
) -> ProviderError:
    """Return our error for one of the SDK, of its HTTP client or of its parser.

    `now` is the wall clock in seconds since the epoch, for a `retry-after` that names
    a date. `from_status` reads an error answer: status, body, headers and `now`.
    """
    if isinstance(err, sdk.APIStatusError):
        return from_status(err.status_code, err.body, err.response.headers, now)
    if isinstance(err, sdk.APITimeoutError | httpx.TimeoutException | TimeoutError):
        return ProviderError(ErrorKind.TIMEOUT, "No answer in time")
    if isinstance(err, sdk.APIConnectionError):
        return ProviderError(ErrorKind.UNAVAILABLE, f"No connection ({err.__cause__})")
    return ProviderError(
        ErrorKind.CUT, f"The answer can't be read ({type(err).__name__})"
    )


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds to wait: the header holds seconds or a date (RFC 9110)."""
    if not (value := headers.get("retry-after")):
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except ValueError:
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
