"""Ways past CAESAR: local handling and sentence triggers, compared with the policy."""

from datetime import timedelta
from typing import Any

from homeassistant.auth.models import User
from homeassistant.components.assist_pipeline.pipeline import KEY_ASSIST_PIPELINE
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.components.repairs import repairs_flow_manager
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.caesar.const import DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.loop_guard import loop_guard
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.test_repairs import begin

NOTHING = "version: 1\nallowed_services: []\n"
LIGHTS = "version: 1\nallowed_services: [light.turn_on, light.turn_off]\n"


@pytest.fixture
async def house(
    hass: HomeAssistant, hass_admin_user: User, request: pytest.FixtureRequest
) -> CaesarHouse:
    """Return CAESAR in the demo house; the parameter is the policy's text."""
    await async_build_house(hass)
    return await async_move_in(
        hass, hass_admin_user.id, getattr(request, "param", NOTHING)
    )


async def settle(hass: HomeAssistant) -> None:
    """Let the watch look."""
    await hass.async_block_till_done()
    async_fire_time_changed(hass, dt_util.utcnow() + timedelta(seconds=3))
    await hass.async_block_till_done()


async def assistant(
    hass: HomeAssistant, *, engine: str = "conversation.caesar", local: bool = True
) -> str:
    """Make a voice assistant; returns its id."""
    pipeline = await hass.data[KEY_ASSIST_PIPELINE].pipeline_store.async_create_item(
        {
            "name": "Kitchen voice",
            "language": "en",
            "conversation_engine": engine,
            "conversation_language": "en",
            "stt_engine": None,
            "stt_language": None,
            "tts_engine": None,
            "tts_language": None,
            "tts_voice": None,
            "wake_word_entity": None,
            "wake_word_id": None,
            "prefer_local_intents": local,
        }
    )
    return str(pipeline.id)


def local_issues(hass: HomeAssistant) -> list[ir.IssueEntry]:
    """Return the repairs about local handling."""
    return [
        issue
        for (domain, key), issue in ir.async_get(hass).issues.items()
        if domain == DOMAIN and key.startswith("assist_bypass_local")
    ]


def sentences(hass: HomeAssistant) -> ir.IssueEntry | None:
    """Return the repair about sentence triggers."""
    return ir.async_get(hass).async_get_issue(DOMAIN, "assist_bypass_sentences")


async def automations(hass: HomeAssistant, *configs: dict[str, Any]) -> None:
    """Set up automations beside those of the demo house."""
    listed = [
        {"id": f"a{number}", "alias": f"Automation {number}", **config}
        for number, config in enumerate(configs, 1)
    ]

    assert await async_setup_component(hass, "automation", {"automation": listed})
    await hass.async_block_till_done()


async def test_local_handling_goes_past(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """The gravest come first, with the assistant's name; lock and garage are there."""
    await settle(hass)
    assert local_issues(hass) == []
    pipeline_id = await assistant(hass)
    with loop_guard():
        await settle(hass)
    [found] = local_issues(hass)
    assert found.issue_id == f"assist_bypass_local_{pipeline_id}"
    placeholders = found.translation_placeholders
    assert placeholders is not None
    assert placeholders["assistant"] == "Kitchen voice"
    examples = placeholders["examples"].splitlines()
    assert "- Front door: lock.lock, lock.unlock" in examples
    assert "- Garage door: cover.open_cover, cover.close_cover" in examples
    assert placeholders["examples"].count("\n") == 4
    assert int(placeholders["count"]) > 10


async def test_not_where_caesar_is_not_asked_or_comes_first(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Another agent's assistant, or one without the setting, is no way past."""
    await assistant(hass, engine="conversation.home_assistant")
    await assistant(hass, local=False)
    await settle(hass)
    assert local_issues(hass) == []


async def choose(
    hass: HomeAssistant, flow: dict[str, Any], step: str
) -> dict[str, Any]:
    """Choose a line of a repair's menu."""
    manager = repairs_flow_manager(hass)
    assert manager is not None
    return dict(await manager.async_configure(flow["flow_id"], {"next_step_id": step}))


async def test_ignored_in_the_repair(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Home Assistant's dialog has no such button, so ours has."""
    pipeline_id = await assistant(hass)
    await settle(hass)
    [found] = local_issues(hass)
    result = await choose(hass, await begin(hass, found.issue_id), "ignore")
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "ignored")
    store = hass.data[KEY_ASSIST_PIPELINE].pipeline_store
    assert store.data[pipeline_id].prefer_local_intents
    [found] = local_issues(hass)
    assert found.dismissed_version is not None


async def test_gone_with_the_setting(hass: HomeAssistant, house: CaesarHouse) -> None:
    """The repair's own yes switches the setting off and nothing else."""
    pipeline_id = await assistant(hass)
    await settle(hass)
    [found] = local_issues(hass)
    store = hass.data[KEY_ASSIST_PIPELINE].pipeline_store
    before = store.data[pipeline_id].to_json()
    flow = await begin(hass, found.issue_id)
    assert flow["menu_options"] == ["confirm", "ignore"]
    assert flow["description_placeholders"]["assistant"] == "Kitchen voice"
    assert store.data[pipeline_id].prefer_local_intents
    assert (await choose(hass, flow, "confirm"))["type"] is FlowResultType.CREATE_ENTRY
    assert store.data[pipeline_id].to_json() == {
        **before,
        "prefer_local_intents": False,
    }
    await settle(hass)
    assert local_issues(hass) == []


async def test_gone_with_the_assistant(hass: HomeAssistant, house: CaesarHouse) -> None:
    """An assistant that was deleted needs no repair; an open one says so."""
    pipeline_id = await assistant(hass)
    await settle(hass)
    [found] = local_issues(hass)
    flow = await begin(hass, found.issue_id)
    await hass.data[KEY_ASSIST_PIPELINE].pipeline_store.async_delete_item(pipeline_id)
    result = await choose(hass, flow, "confirm")
    assert (result["type"], result["reason"]) == (
        FlowResultType.ABORT,
        "assistant_gone",
    )
    await settle(hass)
    assert local_issues(hass) == []


async def test_ignored_stays_ignored(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Over a reload of CAESAR too; it goes when it is no longer true."""
    pipeline_id = await assistant(hass)
    await settle(hass)
    [found] = local_issues(hass)
    ir.async_ignore_issue(hass, DOMAIN, found.issue_id, True)
    assert await hass.config_entries.async_reload(house.entry.entry_id)
    await settle(hass)
    [found] = local_issues(hass)
    assert found.active
    assert found.dismissed_version
    await hass.data[KEY_ASSIST_PIPELINE].pipeline_store.async_delete_item(pipeline_id)
    await settle(hass)
    assert local_issues(hass) == []


async def test_gone_with_the_exposure_and_back(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Judged is what is shared with Assist, and the policy of the moment."""
    await assistant(hass)
    policy_file = house.entry.runtime_data.policy_file
    exposed = [facts.entity_id for facts in house.entry.runtime_data.home.exposed()]
    for entity_id in exposed:
        async_expose_entity(
            hass, "conversation", entity_id, entity_id == "light.kitchen_light"
        )
    await settle(hass)
    [found] = local_issues(hass)
    assert found.translation_placeholders is not None
    assert found.translation_placeholders["count"] == "2"
    await policy_file.async_save(
        LIGHTS, expected_revision=policy_file.revision, by=house.user_id
    )
    await settle(hass)
    assert local_issues(hass) == []
    async_expose_entity(hass, "conversation", "lock.front_door", True)
    await settle(hass)
    [found] = local_issues(hass)
    assert found.translation_placeholders is not None
    assert "lock.unlock" in found.translation_placeholders["examples"]


async def test_sentence_triggers(hass: HomeAssistant, hass_admin_user: User) -> None:
    """What an automation with a sentence does is compared with the policy."""
    lamp = {"action": "light.turn_on", "target": {"entity_id": "light.kitchen_light"}}
    unlock = {"action": "lock.unlock", "target": {"entity_id": "lock.front_door"}}
    hidden = {"action": "{{ 'lock.unlock' }}"}

    def says(*words: str) -> dict[str, Any]:
        return {"trigger": "conversation", "command": list(words)}

    await automations(
        hass,
        {"triggers": [says("light up")], "actions": [lamp]},
        {"triggers": [says("open sesame", "let me in")], "actions": [lamp, unlock]},
        {"trigger": {"platform": "conversation", "command": "abracadabra"},
         "action": [hidden]},
        {"triggers": [{**says("never"), "enabled": False}], "actions": [unlock]},
        {"triggers": [{"trigger": "event", "event_type": "x"}], "actions": [unlock]},
        {"triggers": [says("switched off")], "actions": [unlock],
         "initial_state": False},
    )  # fmt: skip
    for component in ("homeassistant", "conversation", "assist_pipeline"):
        assert await async_setup_component(hass, component, {})
    hass.states.async_set("light.kitchen_light", "off")
    hass.states.async_set("lock.front_door", "locked")
    async_expose_entity(hass, "conversation", "light.kitchen_light", True)
    house = await async_move_in(hass, hass_admin_user.id, LIGHTS)
    await settle(hass)
    assert sentences(hass) is None
    await assistant(hass, local=False)
    await settle(hass)
    found = sentences(hass)
    assert found is not None
    placeholders = found.translation_placeholders
    assert placeholders is not None
    assert placeholders["count"] == "2"
    assert "Automation 2: “open sesame”" in placeholders["examples"]
    assert "Automation 3: “abracadabra”" in placeholders["examples"]
    assert placeholders["assistant"] == "Kitchen voice"
    assert await hass.config_entries.async_unload(house.entry.entry_id)
    assert sentences(hass) is None
