"""The list of hostile inputs, items 11 and 12: who asks, and past whom it is asked."""

from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.components import conversation
from homeassistant.components.assist_pipeline.pipeline import KEY_ASSIST_PIPELINE
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import entity_registry as er, issue_registry as ir, llm
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.const import DOMAIN
from tests.ha.approvals import waiting
from tests.ha.demo_platforms import FRONT, LIGHT, UNSHOWN, Demo
from tests.ha.house import CaesarHouse
from tests.ha.test_bypass import settle as let_it_look
from tests.ha.test_hostile_demo import another_policy, demo, house

__all__ = ["demo", "house"]

# A satellite in the entrance may switch the plug; Adult alone may unlock.
FAMILY: Final = """
version: 1
allowed_services:
  - service: lock.unlock
    for: {user: [Adult]}
    approval: never
  - service: light.turn_on
    for: {area: [Entrance]}
  - service: light.turn_off
    for: {origin: [automation]}
"""


@pytest.fixture
async def satellite(hass: HomeAssistant, demo: Demo) -> er.RegistryEntry:
    """Return a satellite in the entrance, on a device of `kitchen_sink`."""
    strip = er.async_get(hass).async_get(UNSHOWN)
    assert strip is not None
    return er.async_get(hass).async_get_or_create(
        "assist_satellite", "kitchen_sink", "ear", device_id=strip.device_id
    )


async def told(
    hass: HomeAssistant, text: str, context: Context, **more: Any
) -> dict[str, Any]:
    """Say something to CAESAR as Assist, REST or the websocket do."""
    result = await conversation.async_converse(
        hass, text, None, context, "en", agent_id="conversation.caesar", **more
    )
    await hass.async_block_till_done()
    spoken: dict[str, Any] = result.response.speech["plain"]["extra_data"]
    return spoken


async def test_item_11_forged_identities(
    hass: HomeAssistant,
    house: CaesarHouse,
    demo: Demo,
    satellite: er.RegistryEntry,
    hass_admin_user: User,
) -> None:
    """What anybody can send makes nobody somebody else."""
    hass_admin_user.name = "Adult"
    await another_policy(house, FAMILY)
    child = MockUser(id="kid", name="Kid").add_to_hass(hass)
    guest = Context(user_id=MockUser(id="guest", name="Guest").add_to_hass(hass).id)
    kid = Context(user_id=child.id)
    forged = {"satellite_id": satellite.entity_id, "device_id": satellite.device_id}
    made_up = {"satellite_id": "assist_satellite.made_up", "device_id": "made up"}
    unlock, light = "unlock the front door", "turn on the bed light"
    demo.listen()
    for text, context, more in (
        (unlock, Context(), {"satellite_id": satellite.entity_id}),
        (unlock, Context(), {"device_id": satellite.device_id}),
        (unlock, Context(), made_up),
        (unlock, Context(parent_id=Context(user_id=house.user_id).id), {}),
        (unlock, kid, forged),
        (unlock, guest, {}),
        (unlock, Context(user_id="made up"), forged),
        (light, kid, forged),
        (light, kid, {"device_id": satellite.device_id}),
        (light, Context(user_id=house.user_id), forged),
        (light, Context(), made_up),
        (light, Context(), {"device_id": satellite.device_id}),
    ):
        said = await told(hass, text, context, **more)
        [row] = await house.trail(said["decision_id"])
        assert row["verdict"] == "deny", (text, context.user_id, more, row)
        assert row["verdict_reason"], row
    assert demo.calls == []
    assert demo.moved == []
    assert waiting(house) == ()
    await told(hass, light, Context(), satellite_id=satellite.entity_id)
    assert house.state(LIGHT) == "on"
    await told(hass, unlock, Context(user_id=house.user_id))
    assert demo.calls == ["light.turn_on", "lock.unlock"]


async def test_item_11_other_ways_in(
    hass: HomeAssistant, house: CaesarHouse, demo: Demo, satellite: er.RegistryEntry
) -> None:
    """An automation, a script that a guest starts, another agent or MCP for a child."""
    await another_policy(house, FAMILY.replace("user: [Adult]", "admin: true"))
    guest = MockUser(id="guest", name="Guest", is_owner=False).add_to_hass(hass)
    demo.listen()
    for context in (
        Context(),
        Context(user_id=guest.id),
        Context(user_id=guest.id, parent_id=Context(user_id=house.user_id).id),
        Context(user_id=house.entry.runtime_data.users.acting_id("automation", None)),
    ):
        answer = await house.ask("unlock the front door", context=context)
        assert [made["outcome"] for made in answer["calls"]] == ["none"], context
    started = Context(user_id=guest.id)
    await hass.services.async_call(
        "script", "by_asking", blocking=True, context=started
    )
    assert demo.calls[-2:] == ["script.by_asking", "caesar.ask"]
    demo.forget()
    api = await llm.async_get_api(
        hass,
        DOMAIN,
        llm.LLMContext(
            platform="mcp_server",
            context=Context(user_id=guest.id),
            language="en",
            assistant="conversation",
            device_id=satellite.device_id,
        ),
    )
    offered = {tool.name for tool in api.tools}
    for tool, arguments in (
        ("lock__unlock", {"entity_id": FRONT}),
        ("light__turn_on", {"entity_id": LIGHT}),
    ):
        domain, _, service = tool.partition("__")
        given = {"domain": domain, "service": service, "target": arguments}
        for name in (tool, "call_service"):
            used = llm.ToolInput(tool_name=name, tool_args=given)
            if name not in offered:
                with pytest.raises(HomeAssistantError, match="not found"):
                    await api.async_call_tool(used)
                continue
            result = await api.async_call_tool(used)
            assert "error" in str(result), (name, result)
    demo.assert_still("another agent")


async def test_item_12_past_caesar(
    hass: HomeAssistant, house: CaesarHouse, demo: Demo
) -> None:
    """Commands that Assist handles before it asks CAESAR: a repair names the doors."""
    await let_it_look(hass)
    store = hass.data[KEY_ASSIST_PIPELINE].pipeline_store
    shared = dict.fromkeys(
        (
            "stt_engine",
            "stt_language",
            "tts_engine",
            "tts_language",
            "tts_voice",
            "wake_word_entity",
            "wake_word_id",
        )
    )
    made = await store.async_create_item(
        {
            "name": "Hall",
            "language": "en",
            "conversation_engine": "conversation.caesar",
            "conversation_language": "en",
            "prefer_local_intents": True,
            **shared,
        }
    )
    await let_it_look(hass)
    issue = ir.async_get(hass).async_get_issue(DOMAIN, f"assist_bypass_local_{made.id}")
    assert issue is not None
    assert issue.translation_placeholders is not None
    examples = issue.translation_placeholders["examples"]
    assert "Another basic lock: lock.lock, lock.unlock" in examples
    assert int(issue.translation_placeholders["count"]) > 10
