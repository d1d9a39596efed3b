"""Builds the same house inside a Home Assistant that runs in this process (tests)."""

from pathlib import Path
from typing import Any

from homeassistant.config_entries import SOURCE_USER, ConfigEntry, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util.yaml import load_yaml

from .seed import CONFIGURATION

# The same three files that configuration.yaml includes.
SAVED = ("scene", "script", "automation")


async def async_build_house(hass: HomeAssistant, **size: Any) -> ConfigEntry[Any]:
    """Set up Assist, scenes, scripts and automations, and build the demo house.

    `size` is what the form of demo_house takes: `generated`, `effects`. Returns the
    entry of the house. Needs phcc's fixture `enable_custom_integrations`, and an
    import of `custom_components.demo_house` before Home Assistant looks for it.
    """
    for component in ("homeassistant", "conversation", "assist_pipeline"):
        assert await async_setup_component(hass, component, {})
    for component in SAVED:
        path = CONFIGURATION / f"{component}s.yaml"
        saved = await hass.async_add_executor_job(_load, path)
        assert await async_setup_component(hass, component, {component: saved})
    result = await hass.config_entries.flow.async_init(
        "demo_house", context={"source": SOURCE_USER}, data=size
    )
    entry: ConfigEntry[Any] = result["result"]
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED
    return entry


def _load(path: Path) -> Any:
    return load_yaml(str(path))
