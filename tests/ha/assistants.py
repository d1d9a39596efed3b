"""The voice assistants of the demo house, and a set-up that asks for them."""

from typing import Any, Final

from homeassistant.components.assist_pipeline.pipeline import (
    KEY_ASSIST_PIPELINE,
    Pipeline,
)
from homeassistant.config_entries import SOURCE_USER
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType

from custom_components.caesar.const import DOMAIN

CAESAR: Final = "conversation.caesar"
HOME: Final = "conversation.home_assistant"


def store(hass: HomeAssistant) -> Any:
    """Return Assist's store of voice assistants."""
    return hass.data[KEY_ASSIST_PIPELINE].pipeline_store


def first(hass: HomeAssistant) -> Pipeline:
    """Return the preferred voice assistant."""
    found: Pipeline = store(hass).data[store(hass).async_get_preferred_item()]
    return found


async def change(hass: HomeAssistant, pipeline_id: str, **settings: Any) -> None:
    """Change an assistant as its owner does in Home Assistant's own page."""
    known = store(hass).data[pipeline_id].to_json()
    del known["id"]
    await store(hass).async_update_item(pipeline_id, known | settings)


async def another(hass: HomeAssistant, name: str, **settings: Any) -> str:
    """Make a further voice assistant; returns its id."""
    known = first(hass).to_json()
    del known["id"]
    created = await store(hass).async_create_item({**known, "name": name, **settings})
    return str(created.id)


def had(hass: HomeAssistant, pipeline_id: str) -> tuple[str, bool]:
    """Return an assistant's agent, and whether it handles commands locally."""
    pipeline = store(hass).data[pipeline_id]
    return pipeline.conversation_engine, pipeline.prefer_local_intents


async def broken(_self: object) -> None:
    """Fail, in the place of something that the set-up needs."""
    raise OSError


async def to_the_assistants(hass: HomeAssistant, policy: str = "everyday") -> Any:
    """Go through the set-up until it asks for the voice assistants."""
    flow = hass.config_entries.flow
    shown = await flow.async_init(DOMAIN, context={"source": SOURCE_USER})
    shown = await flow.async_configure(shown["flow_id"], {"provider": "builtin"})
    shown = await flow.async_configure(shown["flow_id"], {"policy": policy})
    assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "assistants")
    return shown


async def set_up(
    hass: HomeAssistant, chosen: list[str], policy: str = "everyday"
) -> Any:
    """Go through the set-up; return its result, whose description the owner sees."""
    shown = await to_the_assistants(hass, policy)
    result = await hass.config_entries.flow.async_configure(
        shown["flow_id"], {"assistants": chosen}
    )
    await hass.async_block_till_done()
    assert result["type"] is FlowResultType.CREATE_ENTRY
    return result
