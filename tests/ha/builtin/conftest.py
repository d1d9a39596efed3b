"""The demo house with the built-in brain in it."""

from collections.abc import AsyncGenerator
from pathlib import Path

from homeassistant.core import HomeAssistant
import pytest

import custom_components.caesar
import custom_components.demo_house
from house.in_hass import async_build_house

from .talk import Talk

EVERYDAY = Path(custom_components.caesar.__file__).parent / "starters" / "everyday.yaml"


@pytest.fixture
async def talk(hass: HomeAssistant) -> AsyncGenerator[Talk]:
    """Return somebody to talk to the brain, under the everyday policy."""
    # The loop's debug mode makes recognition several times slower.
    hass.loop.set_debug(False)
    await async_build_house(hass)
    text = await hass.async_add_executor_job(EVERYDAY.read_text)
    somebody = Talk(hass, text)
    await somebody.async_start()
    yield somebody
    await somebody.async_stop()
