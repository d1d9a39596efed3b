"""Another agent uses CAESAR's tools over MCP: the protocol's own client, real tokens."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
import json
from typing import Any, Final

import httpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from house.client import Client
from house.moving_in import set_up_mcp_server
from proofs.crash_parts.findings import must
from proofs.house_parts.household import Household
from tests.fakes.phone import YES

from .forging import LIGHT as NIGHT, SATELLITE

OWN: Final = "/api/mcp/caesar"
ALL: Final = "/api/mcp"
DEVICE: Final = "io.home-assistant/device_id"
KITCHEN: Final = "light.kitchen_light"
READING: Final = "light.reading_light"
_HELLO: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "somebody", "version": "1"},
    },
}


async def prove_other_agents(house: Household) -> str:
    """Let an agent of the owner's do what it may, and forge what it can."""
    await set_up_mcp_server(house.owner)
    for entity_id in (KITCHEN, READING, NIGHT):
        await house.owner.request(
            "POST", "/api/services/light/turn_off", {"entity_id": entity_id}
        )
    said = [await _child_stays_out(house)]
    async with _session(house, house.owner, ALL) as session:
        names = [tool.name for tool in (await session.list_tools()).tools]
        must("caesar__caesar__get_state" in names, f"beside other APIs: {names}")
    async with _session(house, house.owner, OWN) as session:
        tools = (await session.list_tools()).tools
        said.append(f"the owner is shown {', '.join(tool.name for tool in tools)}")
        must(all(tool.name.startswith("caesar__") for tool in tools), "all are ours")
        said.append(await _reads(house, session))
        said.append(await _does(house, session))
        said.append(await _asks(house, session))
        said += await _forges(house, session)
    return "".join(f"\n  {line}" for line in said)


@asynccontextmanager
async def _session(
    house: Household, who: Client, path: str
) -> AsyncIterator[ClientSession]:
    async with (
        httpx.AsyncClient(headers=who.headers, timeout=60) as http,
        streamable_http_client(f"{house.site.base}{path}", http_client=http) as streams,
        ClientSession(streams[0], streams[1]) as session,
    ):
        await session.initialize()
        yield session


async def _child_stays_out(house: Household) -> str:
    """Knock with a token that is no administrator's: Home Assistant itself refuses."""
    headers = {**house.child.headers, "Accept": "application/json, text/event-stream"}
    for path in (OWN, ALL):
        async with house.site.session.post(
            f"{house.site.base}{path}", json=_HELLO, headers=headers
        ) as reply:
            must(reply.status == HTTPStatus.UNAUTHORIZED, f"{path}: {reply.status}")
    return f"the child's token: Home Assistant answers {HTTPStatus.UNAUTHORIZED:d}"


async def _reads(house: Household, session: ClientSession) -> str:
    answer = await _call(session, "list_areas", {})
    must("areas" in answer["result"], f"rooms are listed: {answer}")
    return f"list_areas: {await _came(house, answer, 'tool.called')}"


async def _does(house: Household, session: ClientSession) -> str:
    """Do what a rule allows to agents, whatever their models have read."""
    answer = await _turn_on(session, READING)
    must("error" not in answer, f"a rule says so: {answer}")
    must(await house.state(READING) == "on", "the reading light is on")
    return f"light.turn_on {READING}: {await _came(house, answer, 'service.called')}"


async def _asks(house: Household, session: ClientSession) -> str:
    """Ask for what the same user may do in a chat: on the phone first."""
    before = len(house.adult.pushed)
    asking = asyncio.ensure_future(_turn_on(session, KITCHEN))
    card = await house.adult.card("another assistant", after=before)
    must(await house.state(KITCHEN) == "off", "nothing is done before the yes")
    await house.adult.press(card, YES)
    answer = await asking
    must("error" not in answer, f"after a yes on the phone: {answer}")
    must(await house.state(KITCHEN) == "on", "the kitchen light is on")
    came = await _came(house, answer, "service.called")
    return f"light.turn_on {KITCHEN}: asked on the phone, yes; {came}"


async def _forges(house: Household, session: ClientSession) -> list[str]:
    """Name the satellite in every place there is for a name."""
    async with house.owner.socket() as socket:
        entry = await socket.command("config/entity_registry/get", entity_id=SATELLITE)
    device = str(entry["device_id"])
    before = len(house.effects())
    forged = {"device_id": device, "satellite_id": SATELLITE}
    ways: Mapping[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
        "the device in the request's meta": ({}, {DEVICE: device}),
        "the ids beside the arguments": (forged, None),
        "the ids in the service's data": ({"data": forged}, None),
        "the satellite as a caller": (
            {"caller": {"origin": "voice", "satellite_id": SATELLITE}},
            {DEVICE: device, "satellite_id": SATELLITE, "origin": "voice"},
        ),
    }
    said = []
    for way, (more, meta) in ways.items():
        answer = await _turn_on(session, NIGHT, more, meta)
        must("error" in answer, f"{way}: {answer}")
        event = "policy.denied"
        if answer["error"] == "invalid_input":
            event = "tool.invalid"
        said.append(f"forged, {way}: {await _came(house, answer, event)}")
    must(len(house.effects()) == before, "no forged name lights anything")
    must(await house.state(NIGHT) == "off", "the night light stays off")
    return said


async def _turn_on(
    session: ClientSession,
    entity_id: str,
    more: Mapping[str, Any] | None = None,
    meta: dict[str, Any] | None = None,
) -> dict[str, Any]:
    arguments = {
        "domain": "light",
        "service": "turn_on",
        "target": {"entity_id": entity_id},
        **(more or {}),
    }
    return await _call(session, "call_service", arguments, meta)


async def _call(
    session: ClientSession,
    tool: str,
    arguments: dict[str, Any],
    meta: dict[str, Any] | None = None,
) -> dict[str, Any]:
    result = await session.call_tool(f"caesar__{tool}", arguments, meta=meta)
    [content] = result.content
    must(content.type == "text", f"a text: {content}")
    answer = dict(json.loads(content.text)) if content.type == "text" else {}
    must(bool(result.isError) == ("error" in answer), f"an error is one: {result}")
    return answer


async def _came(house: Household, answer: Mapping[str, Any], event: str) -> str:
    """Return what the trail says of a call: always an agent of that user's."""
    rows = await house.rows(str(answer["decision_id"]))
    found = [row for row in rows if row["event_type"] == event]
    must(len(found) == 1, f"one row {event}: {[row['event_type'] for row in rows]}")
    caller = found[0]["caller"]
    must(caller["origin"] == "agent", f"an agent stays an agent: {caller}")
    must(caller["satellite_id"] is None, f"and is no satellite: {caller}")
    async with house.owner.socket() as socket:
        me = await socket.command("auth/current_user")
    must(caller["user_id"] == me["id"], f"it acts for the owner: {caller}")
    must("untrusted" in found[0]["taint"], f"nobody vouches for it: {found[0]}")
    return f"an agent of the owner's, {answer.get('error', 'done')}"
