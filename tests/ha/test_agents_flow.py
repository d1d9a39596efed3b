"""Agents: added and changed as subentries."""

from types import MappingProxyType
from typing import Any

from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntry,
    ConfigEntryState,
    ConfigSubentry,
    SubentryFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType, InvalidData
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.caesar.const import AGENT_DEFAULTS, DOMAIN, SUBENTRY_CONVERSATION
from custom_components.caesar.flows.agent import first_agent

FORM = {
    "name": "Butler",
    "brain": "model",
    "model": "claude-opus-5",
    "prompt": "Keep it short.",
    "persona": {
        "persona_name": "Gaius",
        "persona_tone": "dry",
        "speakable": True,
    },
    "limits": {"max_iterations": 7, "max_tokens": 2048},
}
KEPT = {
    "brain": "model",
    "model": "claude-opus-5",
    "prompt": "Keep it short.",
    "persona_name": "Gaius",
    "persona_tone": "dry",
    "speakable": True,
    "max_iterations": 7,
    "max_tokens": 2048,
}


async def house(hass: HomeAssistant, provider: str) -> ConfigEntry:
    """Return a house that is set up, with its first agent."""
    assert await async_setup_component(hass, "homeassistant", {})
    key = {"api_key": "sk-ant-test"} if provider == "anthropic" else {}
    entry = MockConfigEntry(
        domain=DOMAIN,
        title="CAESAR",
        data={"provider": provider, "starter_policy": "everyday", **key},
        subentries_data=[first_agent()],
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    return entry


@pytest.fixture
async def with_model(hass: HomeAssistant) -> ConfigEntry:
    """A house whose model is Claude; nothing here asks it anything."""
    return await house(hass, "anthropic")


@pytest.fixture
async def without_model(hass: HomeAssistant) -> ConfigEntry:
    """A house with the built-in brain only."""
    return await house(hass, "builtin")


async def add(hass: HomeAssistant, entry: ConfigEntry) -> SubentryFlowResult:
    """Begin to add an agent."""
    return await hass.config_entries.subentries.async_init(
        (entry.entry_id, SUBENTRY_CONVERSATION), context={"source": SOURCE_USER}
    )


async def change(
    hass: HomeAssistant, entry: ConfigEntry, subentry_id: str
) -> SubentryFlowResult:
    """Begin to change an agent."""
    return await hass.config_entries.subentries.async_init(
        (entry.entry_id, SUBENTRY_CONVERSATION),
        context={"source": SOURCE_RECONFIGURE, "subentry_id": subentry_id},
    )


async def answer(
    hass: HomeAssistant, shown: SubentryFlowResult, fields: dict[str, Any]
) -> SubentryFlowResult:
    """Send a form and return what comes next, with everything settled."""
    result = await hass.config_entries.subentries.async_configure(
        shown["flow_id"], fields
    )
    await hass.async_block_till_done()
    return result


def shown_values(shown: SubentryFlowResult) -> dict[str, Any]:
    """Return what the form holds when it opens, as the frontend would send it."""
    values: dict[str, Any] = {}
    schema = shown["data_schema"]
    assert schema is not None
    for field, kind in schema.schema.items():
        if hasattr(kind, "options"):
            values[field.schema] = {
                inner.schema: inner.description["suggested_value"]
                for inner in kind.schema.schema
                if (inner.description or {}).get("suggested_value") is not None
            }
        else:
            values[field.schema] = field.description["suggested_value"]
    return values


async def test_add(hass: HomeAssistant, with_model: ConfigEntry) -> None:
    """A new agent gets an entity, and is kept flat."""
    shown = await add(hass, with_model)
    assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "agent")
    result = await answer(hass, shown, FORM)

    assert result["type"] is FlowResultType.CREATE_ENTRY
    (agent,) = [
        agent for agent in with_model.subentries.values() if agent.title == "Butler"
    ]
    assert agent.data == KEPT
    assert with_model.state is ConfigEntryState.LOADED
    assert hass.states.get("conversation.butler") is not None


async def test_form_opens_with_the_defaults(
    hass: HomeAssistant, with_model: ConfigEntry
) -> None:
    """Naming it is all that must be done."""
    shown = await add(hass, with_model)
    result = await answer(hass, shown, shown_values(shown) | {"name": "Butler"})
    assert result["data"] == AGENT_DEFAULTS


async def test_change(hass: HomeAssistant, with_model: ConfigEntry) -> None:
    """The form opens with what is set; a field that is emptied is empty."""
    (agent,) = with_model.subentries.values()
    shown = await change(hass, with_model, agent.subentry_id)
    assert shown["step_id"] == "agent"
    assert shown_values(shown)["name"] == "CAESAR"
    result = await answer(hass, shown, FORM)
    assert (result["type"], result["reason"]) == (
        FlowResultType.ABORT,
        "reconfigure_successful",
    )
    agent = with_model.subentries[agent.subentry_id]
    assert agent.title == "Butler"
    assert agent.data == KEPT

    shown = await change(hass, with_model, agent.subentry_id)
    assert shown_values(shown) == FORM
    emptied = {key: value for key, value in FORM.items() if key != "prompt"}
    await answer(hass, shown, emptied | {"persona": {"persona_tone": "dry"}})
    agent = with_model.subentries[agent.subentry_id]
    assert agent.data == KEPT | {"prompt": "", "persona_name": ""}
    assert with_model.state is ConfigEntryState.LOADED


@pytest.mark.parametrize(
    ("wrong", "errors"),
    [
        ({"name": "  "}, {"name": "name_empty"}),
        ({"name": " caesar "}, {"name": "name_taken"}),
        ({"model": " "}, {"model": "model_empty"}),
        ({"prompt": "x" * 10_001}, {"prompt": "prompt_too_long"}),
    ],
)
async def test_mistakes(
    hass: HomeAssistant,
    with_model: ConfigEntry,
    wrong: dict[str, str],
    errors: dict[str, str],
) -> None:
    """The form says what is wrong and keeps what was typed."""
    shown = await add(hass, with_model)
    shown = await answer(hass, shown, FORM | wrong)
    assert (shown["type"], shown["errors"]) == (FlowResultType.FORM, errors)
    assert shown_values(shown)["persona"] == FORM["persona"]
    result = await answer(hass, shown, FORM)
    assert result["type"] is FlowResultType.CREATE_ENTRY


@pytest.mark.parametrize(
    "wrong",
    [
        {"brain": "somebody"},
        {"persona": {"persona_name": "Gaius", "persona_tone": "shouting"}},
        {"limits": {"max_iterations": 0, "max_tokens": 1024}},
        {"limits": {"max_iterations": 26, "max_tokens": 1024}},
        {"limits": {"max_iterations": 5, "max_tokens": 255}},
        {"limits": {"max_iterations": 5, "max_tokens": 8193}},
        {
            "limits": {
                "max_iterations": 5,
                "max_tokens": 1024,
                "daily_token_limit": 999,
            }
        },
    ],
)
async def test_out_of_bounds(
    hass: HomeAssistant, with_model: ConfigEntry, wrong: dict[str, Any]
) -> None:
    """What the form can't hold is refused."""
    shown = await add(hass, with_model)
    with pytest.raises(InvalidData):
        await answer(hass, shown, FORM | wrong)


async def test_own_name_is_not_taken(
    hass: HomeAssistant, with_model: ConfigEntry
) -> None:
    """An agent may keep its name, but not take another one's."""
    shown = await add(hass, with_model)
    await answer(hass, shown, FORM)
    (agent,) = [
        agent for agent in with_model.subentries.values() if agent.title == "Butler"
    ]
    shown = await change(hass, with_model, agent.subentry_id)
    shown = await answer(hass, shown, FORM | {"name": "Caesar"})
    assert shown["errors"] == {"name": "name_taken"}
    result = await answer(hass, shown, FORM)
    assert result["reason"] == "reconfigure_successful"


async def test_names_of_other_things(
    hass: HomeAssistant, with_model: ConfigEntry
) -> None:
    """A worker, or the settings of a tool, take no name away from an agent."""
    hass.config_entries.async_add_subentry(
        with_model,
        ConfigSubentry(
            data=MappingProxyType({"backend": "searxng", "url": "http://127.0.0.1:1"}),
            subentry_type="web_search",
            title="Butler",
            unique_id=None,
        ),
    )
    await hass.async_block_till_done()
    shown = await add(hass, with_model)
    result = await answer(hass, shown, FORM)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_without_a_model(hass: HomeAssistant, without_model: ConfigEntry) -> None:
    """There is only a name to give; what a model would need is there for later."""
    shown = await add(hass, without_model)
    assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "agent_builtin")
    result = await answer(hass, shown, {"name": "Butler"})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert (result["title"], result["data"]) == ("Butler", AGENT_DEFAULTS)


async def test_renaming_keeps_what_a_model_needs(
    hass: HomeAssistant, without_model: ConfigEntry
) -> None:
    """Settings made with a model outlive a time without one."""
    (agent,) = without_model.subentries.values()
    hass.config_entries.async_update_subentry(without_model, agent, data=KEPT)
    await hass.async_block_till_done()
    shown = await change(hass, without_model, agent.subentry_id)
    await answer(hass, shown, {"name": "Butler"})
    agent = without_model.subentries[agent.subentry_id]
    assert agent.title == "Butler"
    assert agent.data == KEPT


async def test_not_while_caesar_is_off(
    hass: HomeAssistant, with_model: ConfigEntry
) -> None:
    """An entry that isn't running says so."""
    await hass.config_entries.async_unload(with_model.entry_id)
    result = await add(hass, with_model)
    assert (result["type"], result["reason"]) == (
        FlowResultType.ABORT,
        "entry_not_loaded",
    )


async def test_tokens_a_day(hass: HomeAssistant, with_model: ConfigEntry) -> None:
    """Kept where somebody set them, gone once emptied; the policy's limit is shown."""
    shown = await add(hass, with_model)
    assert shown["description_placeholders"] == {"policy_limit": "–"}
    limits = {"max_iterations": 7, "max_tokens": 2048}
    await answer(hass, shown, FORM | {"limits": {**limits, "daily_token_limit": 5000}})
    (agent,) = [
        agent for agent in with_model.subentries.values() if agent.title == "Butler"
    ]
    assert agent.data == {**KEPT, "daily_token_limit": 5000}
    shown = await change(hass, with_model, agent.subentry_id)
    assert shown_values(shown)["limits"] == {**limits, "daily_token_limit": 5000}
    await answer(hass, shown, FORM)
    assert with_model.subentries[agent.subentry_id].data == KEPT
