"""The messages of the Legion protocol, version 1 (docs/legion-protocol.md)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from .canonical import Json
from .spec import ToolSpec

PROTOCOL: Final = 1
CAPABILITY_PREFIX: Final = "tool."


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerAddress:
    """Where a worker is, and whose signature its answers must bear.

    `url` is its base, without a path; `public_key` is in NKEY text form ("U...").
    """

    url: str
    public_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What helps a worker to answer, and binds it to nothing.

    `timezone` is a name of the tz database, `domain_allowlist` the hosts that the
    policy lets through (None: all).
    """

    language: str = "en"
    timezone: str = "UTC"
    domain_allowlist: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchRequest:
    """One tool call, sent to one worker. `deadline_ms` counts from its arrival."""

    task_id: str
    tool: str
    input: Mapping[str, Json]
    decision_id: str
    deadline_ms: int
    attempt: int = 1
    hints: Hints = field(default_factory=Hints)

    @property
    def capability(self) -> str:
        """Return what the worker must be allowed to serve."""
        return CAPABILITY_PREFIX + self.tool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerReply:
    """What came of a dispatch: a result, or an error in words.

    `code` and `retryable` go with an error; `duration_ms` is the worker's own time.
    """

    task_id: str
    worker_id: str
    success: bool
    result: Mapping[str, Json] | None = None
    error: str | None = None
    code: str | None = None
    retryable: bool = False
    duration_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerHealth:
    """A worker's answer to a hello: who it is, what it offers, how it is.

    `epoch` changes at every start of the process and goes with each dispatch;
    `server_time` is its clock in Unix seconds.
    """

    worker_id: str
    version: str
    epoch: str
    tools: tuple[ToolSpec, ...]
    server_time: float
    started_at: float
    inflight: int = 0
    last_error: str | None = None
    protocol: int = PROTOCOL


class WorkerClient(Protocol):
    """Home Assistant's side of the wire."""

    async def dispatch(
        self, worker: WorkerAddress, request: DispatchRequest, *, max_reply_bytes: int
    ) -> WorkerReply:
        """Have a worker do one task. Raises LegionError."""

    async def health(self, worker: WorkerAddress) -> WorkerHealth:
        """Say hello, and return what the worker says of itself. Raises LegionError."""

    async def goodbye(self, worker: WorkerAddress, reason: str) -> None:
        """Tell a worker that it is not needed any more. Raises LegionError."""
