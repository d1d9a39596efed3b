"""A house that dials a peer which does as told."""

from typing import Any

import pytest

from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.errors import LegionError
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import DispatchRequest, WorkerReply
from tests.fakes.legion_peer import Asked, LegionPeer

HOUSE = Identity.generate()


def request(**changes: Any) -> DispatchRequest:
    """Return a dispatch."""
    values: dict[str, Any] = {
        "task_id": "task-1",
        "tool": "echo",
        "input": {},
        "decision_id": "d",
        "deadline_ms": 2_000,
        **changes,
    }
    return DispatchRequest(**values)


async def ask(
    client: HttpWorkerClient, peer: LegionPeer, **changes: Any
) -> WorkerReply:
    """Dispatch to the peer."""
    return await client.dispatch(
        peer.address, request(**changes), max_reply_bytes=4_096
    )


async def refused(
    client: HttpWorkerClient, peer: LegionPeer, **changes: Any
) -> LegionError:
    """Return why its answer is not believed."""
    with pytest.raises(LegionError) as caught:
        await ask(client, peer, **changes)
    return caught.value


async def hang_up(asked: Asked) -> bytes:
    """Close without a word."""
    asked.writer.close()
    return b""
