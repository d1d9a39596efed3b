"""Voice assistants follow CAESAR's agents, whether its entry starts or not."""

from homeassistant.config_entries import (
    ConfigEntryState,
    ConfigFlowResult,
    ConfigSubentry,
)
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.caesar.adapters import policy_file
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.assistants import (
    CAESAR,
    HOME,
    another,
    broken,
    change,
    first,
    had,
    set_up,
    store,
    to_the_assistants,
)


@pytest.fixture(autouse=True)
async def _house(hass: HomeAssistant) -> None:
    """Build the demo house, with Assist and its first voice assistant."""
    await async_build_house(hass)


async def set_up_for(hass: HomeAssistant, *ids: str) -> ConfigFlowResult:
    """Set CAESAR up with these assistants ticked."""
    shown = await to_the_assistants(hass)
    return await hass.config_entries.flow.async_configure(
        shown["flow_id"], {"assistants": list(ids)}
    )


async def test_entry_that_does_not_start(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody would answer: the assistants stay as they are, and the owner is told."""
    monkeypatch.setattr(policy_file.PolicyFile, "async_start", broken)
    result = await set_up_for(hass, first(hass).id)
    assert result["description"] == "not_started"
    assert had(hass, first(hass).id) == (HOME, False)


async def test_entry_that_starts_later(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was chosen is given when somebody is there to answer, and only once."""
    taken = await another(hass, "Bath")
    with monkeypatch.context() as patch:
        patch.setattr(policy_file.PolicyFile, "async_start", broken)
        result = await set_up_for(hass, first(hass).id, taken)
        entry = result["result"]
        assert not await hass.config_entries.async_reload(entry.entry_id)
    await change(hass, taken, conversation_engine="conversation.else")
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED
    assert had(hass, first(hass).id) == (CAESAR, False)
    assert had(hass, taken) == ("conversation.else", False)
    assert list(entry.options) == ["assistants"]

    await change(hass, first(hass).id, conversation_engine=HOME)
    assert await hass.config_entries.async_reload(entry.entry_id)
    assert had(hass, first(hass).id) == (HOME, False)


async def test_entry_that_never_started(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removed, it leaves the assistants as they were."""
    monkeypatch.setattr(policy_file.PolicyFile, "async_start", broken)
    result = await set_up_for(hass, first(hass).id)
    await hass.config_entries.async_remove(result["result"].entry_id)
    assert had(hass, first(hass).id) == (HOME, False)


@pytest.mark.parametrize("loaded", [True, False])
async def test_agent_is_renamed(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch, *, loaded: bool
) -> None:
    """Its assistants go on with it, and back at the end; also if it doesn't run."""
    other = await another(hass, "Bath", conversation_engine="conversation.else")
    entry = (await set_up(hass, [first(hass).id]))["result"]
    if not loaded:
        monkeypatch.setattr(policy_file.PolicyFile, "async_start", broken)
        assert not await hass.config_entries.async_reload(entry.entry_id)
    er.async_get(hass).async_update_entity(CAESAR, new_entity_id="conversation.butler")
    await hass.async_block_till_done()
    assert had(hass, first(hass).id) == ("conversation.butler", False)
    assert had(hass, other) == ("conversation.else", False)
    await hass.config_entries.async_remove(entry.entry_id)
    assert had(hass, first(hass).id) == (HOME, False)


async def test_former_agent_is_renamed(hass: HomeAssistant) -> None:
    """It is given back under the name that it has now."""
    owner = MockConfigEntry(domain="other")
    owner.add_to_hass(hass)
    registry = er.async_get(hass)
    registered = registry.async_get_or_create(
        "conversation", "other", "1", config_entry=owner
    )
    bath = await another(hass, "Bath", conversation_engine=registered.entity_id)
    entry = (await set_up(hass, [bath]))["result"]
    registry.async_update_entity(registered.entity_id, new_entity_id=f"{CAESAR}_not")
    await hass.async_block_till_done()
    assert had(hass, bath) == (CAESAR, False)
    await hass.config_entries.async_remove(entry.entry_id)
    assert had(hass, bath) == (f"{CAESAR}_not", False)


async def test_agent_is_removed(hass: HomeAssistant) -> None:
    """The first one left answers for its assistants; after the last, who did before."""
    lost = await another(hass, "Bath", prefer_local_intents=True)
    entry = (await set_up(hass, [first(hass).id, lost]))["result"]
    [agent] = entry.get_subentries_of_type("conversation")
    second = ConfigSubentry(
        data=agent.data,
        subentry_type="conversation",
        title="Butler",
        unique_id=None,
    )
    hass.config_entries.async_add_subentry(entry, second)
    await hass.async_block_till_done()
    await change(hass, first(hass).id, conversation_engine="conversation.butler")
    hass.config_entries.async_remove_subentry(entry, agent.subentry_id)
    await hass.async_block_till_done()
    assert had(hass, first(hass).id) == ("conversation.butler", False)
    assert had(hass, lost) == ("conversation.butler", False)
    hass.config_entries.async_remove_subentry(entry, second.subentry_id)
    await hass.async_block_till_done()
    assert had(hass, first(hass).id) == (HOME, False)
    assert had(hass, lost) == (HOME, True)


async def test_what_a_newer_version_kept(hass: HomeAssistant) -> None:
    """Removed by an older one, nothing is left without an agent."""
    entry = (await set_up(hass, [first(hass).id]))["result"]
    hass.config_entries.async_update_entry(
        entry, options={"assistants": {first(hass).id: {"shape": "new"}}}
    )
    await hass.async_block_till_done()
    await hass.config_entries.async_remove(entry.entry_id)
    assert had(hass, first(hass).id) == (HOME, False)


@pytest.mark.parametrize("deleted", [True, False])
async def test_assistant_changes_while_others_are_given_back(
    hass: HomeAssistant, *, deleted: bool
) -> None:
    """One deleted, or given to another agent, holds up no other and stays so."""
    changed, last = await another(hass, "Bath"), await another(hass, "Cellar")
    entry = (await set_up(hass, [first(hass).id, changed, last]))["result"]
    once = [changed]

    async def meanwhile(_change: str, _item: str, _config: object) -> None:
        if not once:
            return
        once.clear()
        if deleted:
            await store(hass).async_delete_item(changed)
        else:
            await change(hass, changed, conversation_engine="conversation.else")

    store(hass).async_add_listener(meanwhile)
    await hass.config_entries.async_remove(entry.entry_id)
    assert not once
    assert had(hass, first(hass).id) == (HOME, False)
    assert had(hass, last) == (HOME, False)
    if deleted:
        assert changed not in store(hass).data
    else:
        assert had(hass, changed) == ("conversation.else", False)
