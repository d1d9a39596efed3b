"""Rounds of the Chat Completions API that go wrong, and answers piece by piece."""

from typing import Any

import httpx

from custom_components.caesar.brain.provider import ProviderError, ProviderEvent
from tests.fakes.messages_script import Other

from .contract import ChatServer
from .rounds import fail, request, spec

TOOLS = (spec("get_state"), spec("list_areas"))


async def failed(
    server: ChatServer,
    http: httpx.AsyncClient,
    *,
    tools: bool = False,
    seen: list[ProviderEvent] | None = None,
    **settings: Any,
) -> ProviderError:
    """Run a round that must fail and return why."""
    round_ = request(tools=TOOLS if tools else ())
    return await fail(server.provider(http, **settings), seen, round_)


def pieces(*deltas: dict[str, Any]) -> list[Other]:
    """Return what a server sends, as it is."""
    return [Other(block={}, deltas=deltas)]


def call(index: int | None = 0, **fields: Any) -> dict[str, Any]:
    """Return a piece of a call."""
    function = {k: fields.pop(k) for k in ("name", "arguments") if k in fields}
    at = {} if index is None else {"index": index}
    return {"tool_calls": [{**at, "function": function, **fields}]}
