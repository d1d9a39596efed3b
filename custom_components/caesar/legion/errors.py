"""What can go wrong between Home Assistant and a worker."""

from enum import StrEnum
from typing import Final


class LegionCode(StrEnum):
    """Why a message got no good answer."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    REFUSED = "refused"
    BUSY = "busy"
    STOPPING = "stopping"
    NO_CAPABILITY = "no_capability"
    TOO_LARGE = "too_large"
    BAD_REQUEST = "bad_request"
    BAD_REPLY = "bad_reply"
    BAD_SIGNATURE = "bad_signature"
    CLOCK = "clock"


class LegionError(Exception):
    """A message to a worker failed.

    `accepted` says that the worker may have begun: only a failure before that may go
    to another worker. `skew_s` is how far its clock is ahead of ours, in seconds, where
    that is the reason.
    """

    def __init__(
        self,
        code: LegionCode,
        message: str,
        *,
        accepted: bool,
        skew_s: float | None = None,
    ) -> None:
        """Keep what the other side of the seam needs; `message` holds no secret."""
        super().__init__(message)
        self.code: Final = code
        self.message: Final = message
        self.accepted: Final = accepted
        self.skew_s: Final = skew_s
