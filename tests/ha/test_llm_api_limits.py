"""How far other conversation agents get with CAESAR's tools, and no further."""

import asyncio
import itertools
import json
from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er, llm
import pytest

from custom_components.caesar.adapters import agent_tools
from tests.ha.approvals import FRONT_DOOR, KITCHEN, SATELLITE, settle
from tests.ha.house import CaesarHouse
from tests.ha.other_agent import OtherAgent, adult, house, rows, told

__all__ = ["adult", "house"]

NIGHT = "light.night_light"
PLAYER = "media_player.music_box"


async def test_a_device_only_says_which_room_is_meant(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Whatever device an agent names, nothing is done that the satellite may do."""
    entry = er.async_get(hass).async_get(SATELLITE)
    assert entry is not None
    for user_id in (house.user_id, None):
        agent = OtherAgent(house, user_id, device_id=entry.device_id)
        assert "Children's room" in (await agent.api()).api_prompt
        result = await agent.act("light.turn_on", entity_id=NIGHT)
        assert result.data["error"] == "caller_not_covered"
        [row] = [
            row
            for row in await rows(house, result)
            if row["event_type"] == "policy.denied"
        ]
        assert row["caller"]["origin"] == "agent"
        assert row["caller"]["satellite_id"] is None
    assert house.state(NIGHT) == "off"
    unknown = OtherAgent(house, house.user_id, device_id="x" * 5000)
    assert "room" not in (await unknown.api()).api_prompt
    assert dr.async_get(hass).async_get("x" * 5000) is None


async def test_ids_in_the_arguments_are_fields_like_any(
    house: CaesarHouse, adult: OtherAgent
) -> None:
    """Who asks can't be written into a call."""
    entry = er.async_get(house.hass).async_get(SATELLITE)
    assert entry is not None
    ways: tuple[dict[str, Any], ...] = (
        {"device_id": entry.device_id},
        {"satellite_id": SATELLITE},
        {"context": {"user_id": None}},
        {"caller": {"origin": "voice"}},
    )
    for forged in ways:
        arguments: dict[str, Any] = {
            "domain": "light",
            "service": "turn_on",
            "target": {"entity_id": NIGHT},
            **forged,
        }
        result = await adult.call("call_service", arguments)
        assert result.data["error"] == "invalid_input"
        arguments = {
            "domain": "light",
            "service": "turn_on",
            "target": {"entity_id": NIGHT},
            "data": forged,
        }
        result = await adult.call("call_service", arguments)
        assert result.error
    assert house.state(NIGHT) == "off"


async def test_nobody_in_particular_has_an_automations_limits(
    house: CaesarHouse,
) -> None:
    """Without a user it looks things up; and it is no automation, where that is more."""
    agent = OtherAgent(house, None)
    read = await agent.call("get_state", {"entity_id": [KITCHEN]})
    assert not read.error
    result = await agent.act("light.turn_on", entity_id=KITCHEN)
    assert result.data["error"] == "caller_not_covered"
    louder = await agent.act(
        "media_player.volume_set", entity_id=PLAYER, volume_level=0.5
    )
    assert louder.data["error"] == "caller_not_covered"
    assert house.state(KITCHEN) == "off"


async def test_nobody_in_particular_stops_after_twenty_changes(
    house: CaesarHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the owner lets automations act: no user, no end; a user's calls are none."""
    monkeypatch.setattr(agent_tools, "REPEAT_S", 0.0)
    house.hass.config_entries.async_update_entry(
        house.entry, options={"automation_tools": "policy"}
    )
    await house.hass.async_block_till_done()
    await settle(house)
    agent = OtherAgent(house, None)
    names = itertools.cycle(("light.turn_on", "light.turn_off"))
    for number in range(20):
        result = await agent.act(next(names), entity_id=KITCHEN)
        assert not result.error, (number, result.data)
    await OtherAgent(house, house.user_id).call("list_areas", {})
    result = await agent.act(next(names), entity_id=KITCHEN)
    assert result.data["error"] == "rate_limited"
    assert result.data["retry_after"] > 0


async def test_permissions_of_the_user_hold(
    house: CaesarHouse, hass_read_only_user: User
) -> None:
    """Who may only look in Home Assistant may only look here; the inactive nothing."""
    agent = OtherAgent(house, hass_read_only_user.id)
    assert not (await agent.call("get_state", {"entity_id": [KITCHEN]})).error
    result = await agent.act("light.turn_on", entity_id=KITCHEN)
    assert result.data["error"] == "capability_denied"
    await house.hass.auth.async_update_user(hass_read_only_user, is_active=False)
    result = await agent.call("get_state", {"entity_id": [KITCHEN]})
    assert result.error
    result = await OtherAgent(house, "nobody").call(
        "get_state", {"entity_id": [KITCHEN]}
    )
    assert result.error


async def test_caesar_is_no_agent_of_its_own(
    house: CaesarHouse, adult: OtherAgent
) -> None:
    """What CAESAR has started gets no tools, and a call of it is refused on record."""
    mine = Context(user_id=house.user_id)
    house.assistant._house.contexts.add(mine.id)
    child = Context(user_id=house.user_id, parent_id=mine.id)
    for context in (mine, child):
        assert (await adult.api(context)).tools == []
        api = await adult.api()
        api.llm_context.context = context
        arguments = {
            "domain": "light",
            "service": "turn_on",
            "target": {"entity_id": KITCHEN},
        }
        result = told(
            await api.async_call_tool(llm.ToolInput("caesar__call_service", arguments))
        )
        assert result.data["error"] == "caller_not_covered"
        types = {row["event_type"] for row in await rows(house, result)}
        assert "tool.invalid" in types
    assert house.state(KITCHEN) == "off"


async def test_what_was_private_stays_so_for_the_agent(
    house: CaesarHouse, adult: OtherAgent
) -> None:
    """A lock's state taints the calls that follow, of this user and this agent only."""

    async def taint(agent: OtherAgent) -> list[str]:
        result = await agent.call("list_areas", {})
        return list(json.loads((await rows(house, result))[0]["taint"]))

    assert await taint(adult) == ["untrusted"]
    assert not (await adult.call("get_state", {"entity_id": [FRONT_DOOR]})).error
    assert await taint(adult) == ["private", "untrusted"]
    other = OtherAgent(house, house.user_id, platform="ollama")
    assert await taint(other) == ["untrusted"]
    now = house.hass.loop.time()
    later = now + agent_tools.PRIVATE_S + 60
    tools = house.entry.runtime_data.agent_tools
    session = tools._sessions["mcp_server", house.user_id]
    assert now < session.private_until <= later
    session.private_until = now
    assert await taint(adult) == ["untrusted"]


async def test_a_loop_is_stopped(
    house: CaesarHouse, adult: OtherAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same change again at once is none; what is read is read anew."""
    changes: list[Any] = []
    house.hass.bus.async_listen(
        "call_service",
        lambda event: (
            changes.append(event) if event.data["domain"] == "light" else None
        ),
    )
    both = await asyncio.gather(
        *(adult.act("light.turn_on", entity_id=KITCHEN) for _ in range(2))
    )
    third = await adult.act("light.turn_on", entity_id=KITCHEN)
    assert sorted(str(each.data.get("error")) for each in both) == [
        "None",
        "repeated_call",
    ]
    assert third.data["error"] == "repeated_call"
    assert len(changes) == 1
    for wanted in ("on", "off"):
        read = await adult.call("get_state", {"entity_id": [KITCHEN]})
        assert read.data["result"]["entities"][0]["state"] == wanted
        await house.hass.services.async_call(
            "light", "turn_off", {"entity_id": KITCHEN}, blocking=True
        )
    monkeypatch.setattr(agent_tools, "REPEAT_S", 0.0)
    assert not (await adult.act("light.turn_on", entity_id=KITCHEN)).error


async def test_a_flood_is_stopped(house: CaesarHouse, adult: OtherAgent) -> None:
    """After thirty calls in a minute, with the seconds until there is room."""
    for _ in range(30):
        assert not (await adult.call("list_areas", {})).error
    result = await adult.call("list_areas", {})
    assert result.data["error"] == "rate_limited"
    assert 0 < result.data["retry_after"] <= 60
