"""What there is to say of a worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from .worker_pins import Difference

# The registry's id of the worker that Home Assistant runs by itself.
LOCAL: Final = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStatus:
    """A worker as it is now.

    `id` is its subentry's, or `LOCAL`; `worker_id` what it calls itself. `tools` are
    those it serves now, `changed` those that differ from what was pinned, `more` those
    that it offers and nobody enrolled, `refused` those that it may not serve and why.
    `skew_s` is how far its clock is ahead, in seconds, where that keeps it away.
    """

    id: str
    worker_id: str | None
    name: str
    url: str
    public_key: str
    online: bool
    version: str | None = None
    tools: tuple[str, ...] = ()
    last_error: str | None = None
    last_seen: datetime | None = None
    skew_s: float | None = None
    changed: Mapping[str, Difference] = field(default_factory=dict)
    more: tuple[str, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
