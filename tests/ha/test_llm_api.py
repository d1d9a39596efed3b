"""CAESAR's tools in the hands of other conversation agents."""

import asyncio
import json
from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import llm
import probatio
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.adapters.agent_tools import Asker
from custom_components.caesar.llm_api import API_ID, _name, _parameters
from house.in_hass import async_build_house
from tests.ha.approvals import FRONT_DOOR, KITCHEN, say, settle, speech, until, waiting
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.other_agent import OtherAgent, adult, house, impatient, rows, told

__all__ = ["adult", "house", "impatient"]


async def test_tools_are_listed_as_home_assistant_wants(
    house: CaesarHouse, adult: OtherAgent
) -> None:
    """By their names and annotations, with schemas that come out as they went in."""
    api = await adult.api()
    assert [tool.name for tool in api.tools] == [
        "caesar__get_state",
        "caesar__find_entities",
        "caesar__list_areas",
        "caesar__why",
        "caesar__what_happened",
        "caesar__what_may_i",
        "caesar__call_service",
    ]
    assert {tool.integration for tool in api.tools} == {"caesar"}
    assert [tool.annotations.read_only for tool in api.tools] == [True] * 6 + [False]
    assert "light: turn_off, turn_on" in (api.tools[-1].description or "")
    assert "approval_needed" in api.api_prompt
    asker = Asker(
        platform="mcp_server", context=Context(user_id=house.user_id), language="en"
    )
    specs = await house.entry.runtime_data.agent_tools.async_offered(asker)
    for tool, spec in zip(api.tools, specs, strict=True):
        shown = probatio.to_openapi(tool.parameters, openapi_version="3.1.0")
        assert shown["properties"].keys() == spec.input_schema["properties"].keys()
        assert shown.get("required") == spec.input_schema.get("required")
    shown = probatio.to_openapi(api.tools[-1].parameters, openapi_version="3.1.0")
    assert shown["properties"]["domain"] == {"type": "string", "maxLength": 64}


async def test_beside_other_apis(house: CaesarHouse, adult: OtherAgent) -> None:
    """An agent that uses several APIs at once finds the tools, and can call them."""
    context = llm.LLMContext(
        platform="mcp_server",
        context=Context(user_id=house.user_id),
        language="en",
        assistant="conversation",
        device_id=None,
    )
    api = await llm.async_get_api(house.hass, ["assist", API_ID], context)
    result = told(
        await api.async_call_tool(llm.ToolInput("caesar__caesar__list_areas", {}))
    )
    assert not result.error
    assert "areas" in result.data["result"]


async def test_a_call_is_the_users_and_an_agents(
    house: CaesarHouse, adult: OtherAgent
) -> None:
    """Carried out as the user; the trail knows the agent and what it is worth."""
    result = await adult.act("light.turn_on", entity_id=KITCHEN)
    assert not result.error
    assert house.state(KITCHEN) == "on"
    found = await rows(house, result)
    assert [row["event_type"] for row in found] == [
        "tool.intended",
        "service.called",
        "chat.completed",
    ]
    for row in found:
        caller = row["caller"]
        assert (caller["origin"], caller["user_id"], caller["is_admin"]) == (
            "agent",
            house.user_id,
            True,
        )
        assert (caller["agent_id"], caller["conversation_id"]) == (
            "other_agents",
            "mcp_server",
        )
    assert json.loads(found[0]["taint"]) == ["untrusted"]


async def test_a_change_asks_and_waits_for_a_person(
    house: CaesarHouse, adult: OtherAgent, impatient: None
) -> None:
    """No rule vouches for another agent's words, so the owner must; here by action."""
    ended: list[Any] = []
    house.hass.bus.async_listen("caesar_turn_finished", ended.append)
    result = await adult.act("switch.turn_on", entity_id="switch.garden_pump")
    assert result.error
    assert result.data["error"] == "approval_needed"
    assert "caesar.approve" in result.data["error_text"]
    [pending] = waiting(house)
    assert pending.id not in json.dumps(result.data)
    assert house.state("sensor.caesar_pending_approvals") == "1"
    for words in ("yes", "Yes, do it", "approve"):
        for conversation in ("mcp_server", "chat"):
            await say(house, words, conversation_id=conversation)
    assert waiting(house) == (pending,)
    assert house.state("switch.garden_pump") == "off"
    await house.hass.services.async_call(
        "caesar",
        "approve",
        {"approval_id": pending.id},
        blocking=True,
        context=Context(user_id=house.user_id),
    )
    await until(house, lambda: bool(ended))
    assert house.state("switch.garden_pump") == "on"
    assert ended[0].data["decision_id"] == result.data["decision_id"]
    found = await rows(house, result)
    assert {row["caller"].get("origin", "agent") for row in found} == {"agent"}
    assert [row["event_type"] for row in found].count("service.called") == 1


async def test_a_yes_in_time_is_answered_at_once(
    house: CaesarHouse, adult: OtherAgent
) -> None:
    """An agent that is still waiting hears how it went."""
    asking = asyncio.ensure_future(adult.act("lock.unlock", entity_id=FRONT_DOOR))
    await until(house, lambda: bool(waiting(house)))
    await house.hass.services.async_call(
        "caesar",
        "approve",
        {"approval_id": waiting(house)[0].id},
        blocking=True,
        context=Context(user_id=house.user_id),
    )
    result = await asking
    assert not result.error
    assert house.state(FRONT_DOOR) == "unlocked"


async def test_a_yes_after_a_restart_still_counts(
    house: CaesarHouse, adult: OtherAgent, impatient: None
) -> None:
    """What waits is kept, and goes on as that agent's call of that user."""
    result = await adult.act("lock.unlock", entity_id=FRONT_DOOR)
    assert await house.hass.config_entries.async_reload(house.entry.entry_id)
    await settle(house)
    [pending] = waiting(house)
    await house.hass.services.async_call(
        "caesar",
        "approve",
        {"approval_id": pending.id},
        blocking=True,
        context=Context(user_id=house.user_id),
    )
    await until(house, lambda: house.state(FRONT_DOOR) == "unlocked")
    await settle(house)
    called = [
        row
        for row in await rows(house, result)
        if row["event_type"] == "service.called"
    ]
    assert [row["caller"]["origin"] for row in called] == ["agent"]


async def test_who_may_not_approve_needs_somebody_who_may(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """A child's agent asks nobody where no grown-up has a phone; nothing is left."""
    child = MockUser(name="Child", groups=[]).add_to_hass(hass)
    child.mock_policy({"entities": True})
    result = await OtherAgent(house, child.id).act("lock.unlock", entity_id=FRONT_DOOR)
    assert result.data["error"] == "no_approver"
    assert waiting(house) == ()


@pytest.mark.parametrize(
    "arguments",
    [
        {"entity_id": [float("nan")]},
        {"entity_id": ["\ud800"]},
        {"entity_id": [object()]},
        {"entity_id": ["light.x" * 4000]},
        {"entity_id": 7},
        {"everything": True},
    ],
    ids=["nan", "surrogate", "object", "long", "number", "unknown"],
)
async def test_bad_arguments_are_errors(
    adult: OtherAgent, arguments: dict[str, Any]
) -> None:
    """No exception, and no guess."""
    result = await adult.call("get_state", arguments)
    assert result.error
    assert result.data["error"] == "invalid_input"


async def test_only_what_is_listed_can_be_called(adult: OtherAgent) -> None:
    """A service by its own name is no tool of this API."""
    with pytest.raises(HomeAssistantError, match="not found"):
        await adult.call("light__turn_on", {"entity_id": KITCHEN})


async def test_it_goes_with_the_entry(house: CaesarHouse, adult: OtherAgent) -> None:
    """Gone when CAESAR is unloaded; a tool from before does nothing any more."""
    api = await adult.api()
    registered = next(a for a in llm.async_get_apis(house.hass) if a.id == API_ID)
    assert await house.hass.config_entries.async_unload(house.entry.entry_id)
    assert API_ID not in {each.id for each in llm.async_get_apis(house.hass)}
    with pytest.raises(HomeAssistantError) as err:
        await api.async_call_tool(llm.ToolInput("caesar__list_areas", {}))
    assert err.value.translation_key == "not_loaded"
    assert (await registered.async_get_api_instance(api.llm_context)).tools == []
    assert await house.hass.config_entries.async_setup(house.entry.entry_id)
    result = await api.async_call_tool(llm.ToolInput("caesar__list_areas", {}))
    assert not result.error


async def test_a_bad_policy_leaves_nothing(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """A file that can't be read at start denies other agents everything too."""
    await async_build_house(hass)
    house = await async_move_in(hass, hass_admin_user.id, "version: 1\nallowd: []\n")
    assert (await OtherAgent(house, house.user_id).api()).tools == []
    asker = Asker(
        platform="mcp_server", context=Context(user_id=house.user_id), language="en"
    )
    answer = await house.entry.runtime_data.agent_tools.async_use(
        asker, "list_areas", {}
    )
    assert answer.failed
    assert answer.data["error"] == "policy_denied"


async def test_the_room_of_nobody(house: CaesarHouse, adult: OtherAgent) -> None:
    """Where no device is named no room is; a request without a context is nobody's."""
    assert "used in the room" not in (await adult.api()).api_prompt
    tool = (await adult.api()).tools[2]
    result = await tool.async_call(
        house.hass,
        llm.ToolInput("caesar__list_areas", {}),
        llm.LLMContext(
            platform="x",
            context=None,
            language=None,
            assistant="conversation",
            device_id=None,
        ),
    )
    [row, *_] = await rows(house, told(result))
    assert (row["caller"]["origin"], row["caller"]["user_id"]) == ("agent", None)


def test_names_fit_where_models_take_them() -> None:
    """Sixty-four letters at most; two long names stay two."""
    long = [f"{'a' * 60}{end}" for end in ("one", "two")]
    names = {_name(each) for each in long}
    assert len(names) == 2
    assert all(len(name) == 64 and name.startswith("caesar__a") for name in names)
    assert _name("get_state") == "caesar__get_state"


def test_a_schema_that_cannot_be_shown(caplog: pytest.LogCaptureFixture) -> None:
    """Such a tool is left out, patterns are too, and no argument is none."""
    assert _parameters('{"type": 7}') is None
    assert "can't be shown" in caplog.text
    shown = _parameters(
        '{"type":"object","properties":{"q":{"type":"string","pattern":"(a+)+$"}}}'
    )
    assert shown is not None
    assert "(a+)+$" not in str(probatio.to_openapi(shown, openapi_version="3.1.0"))
    none = _parameters('{"type":"object"}')
    assert none is not None
    assert probatio.to_openapi(none, openapi_version="3.1.0")["properties"] == {}


async def test_words_in_a_chat_of_the_same_name(
    house: CaesarHouse, adult: OtherAgent, impatient: None
) -> None:
    """A chat that calls itself like the agent's session is another conversation."""
    await adult.act("lock.unlock", entity_id=FRONT_DOOR)
    answer = await say(house, "yes", conversation_id="mcp_server")
    assert "unlock" not in speech(answer).lower()
    assert house.state(FRONT_DOOR) == "locked"
