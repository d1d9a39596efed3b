"""A home of any size with two agents for the same model: CAESAR and core's Anthropic.

In one Home Assistant inside this process. All lights, ten to an area, all shared with
Assist. The model's server is told by the environment, the one way that both read.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
import os
from pathlib import Path
import tempfile
import time
from types import MappingProxyType
from typing import Any, Final, override

from homeassistant import loader
from homeassistant.components import conversation, light
from homeassistant.components.conversation.chat_log import ChatLog, async_get_chat_log
from homeassistant.components.light import ColorMode, LightEntity
from homeassistant.config_entries import ConfigSubentryDataWithId
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import area_registry as ar, entity_registry as er
from homeassistant.helpers.chat_session import async_get_chat_session
from homeassistant.setup import async_setup_component
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_test_home_assistant,
)

import custom_components.caesar
from custom_components.caesar.const import AGENT_DEFAULTS, DOMAIN
from custom_components.caesar.sentinel import rate_limiter
from tests.fakes.messages_api import KEY, MODEL

ROOMS: Final = (
    *("Kitchen", "Living Room", "Bedroom", "Bathroom", "Hallway"),
    *("Office", "Garage", "Garden", "Attic", "Basement"),
)
KINDS: Final = (
    *("Ceiling", "Counter", "Reading Lamp", "Floor Lamp", "Spotlight"),
    *("Strip", "Window Lamp", "Shelf", "Nightlight", "Pendant"),
)
STARTER: Final = (
    Path(custom_components.caesar.__file__).parent / "starters" / "everyday.yaml"
)
_LIMITS: Final = """
sentinel:
  rate_limit_per_minute: 600
  daily_token_limit: 1000000000
"""
_WORKER: Final = "binary_sensor.caesar_s_own_worker_connection"
_WAIT_S: Final = 30.0
AGENTS: Final = {
    "CAESAR": "conversation.modelled",
    "core": "conversation.claude_conversation",
    "CAESAR, built in": "conversation.literal",
    "core, local": "conversation.home_assistant",
}


class Lamp(LightEntity):
    """A light that is on when it is told to be."""

    _attr_should_poll = False
    _attr_color_mode = ColorMode.ONOFF

    def __init__(self, number: int) -> None:
        """Take a place in the house."""
        room, kind = divmod(number, len(KINDS))
        self.area = area_name(room)
        self._attr_name = f"{self.area} {KINDS[kind]}"
        self._attr_unique_id = f"lamp-{number}"
        self._attr_is_on = False
        self._attr_supported_color_modes = {ColorMode.ONOFF}

    @override
    async def async_turn_on(self, **kwargs: Any) -> None:
        self._attr_is_on = True
        self.async_write_ha_state()

    @override
    async def async_turn_off(self, **kwargs: Any) -> None:
        self._attr_is_on = False
        self.async_write_ha_state()


def area_name(number: int) -> str:
    """Return the name of the area of that number."""
    floor, room = divmod(number, len(ROOMS))
    return ROOMS[room] + (f" {floor + 1}" if floor else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """An answer, and how long it and its first piece took, in seconds."""

    text: str
    seconds: float
    first: float | None


class Home:
    """The home, and a person in it."""

    def __init__(self, hass: HomeAssistant, lamps: list[Lamp], user_id: str) -> None:
        """Stand on a running Home Assistant."""
        self.hass = hass
        self.lamps = lamps
        self._user_id = user_id

    async def say(
        self, agent: str, text: str, conversation_id: str | None = None
    ) -> Heard:
        """Say something to an agent (a name of AGENTS), in a new conversation."""
        first: list[float] = []
        began = time.perf_counter()

        def noted(_: ChatLog, delta: dict[str, Any]) -> None:
            if not first and delta.get("content"):
                first.append(time.perf_counter() - began)

        # As the pipeline does it that speaks while a model still writes.
        with (
            async_get_chat_session(self.hass, conversation_id) as session,
            async_get_chat_log(self.hass, session, chat_log_delta_listener=noted),
        ):
            result = await conversation.async_converse(
                self.hass,
                text,
                session.conversation_id,
                Context(user_id=self._user_id),
                "en",
                agent_id=AGENTS[agent],
            )
        return Heard(
            text=result.response.speech["plain"]["speech"],
            seconds=time.perf_counter() - began,
            first=first[0] if first else None,
        )

    def lit(self) -> list[str]:
        """Return the lights that are on, and turn all of them off."""
        lit = [lamp for lamp in self.lamps if lamp.is_on]
        for lamp in lit:
            lamp._attr_is_on = False  # noqa: SLF001 without a turn
            lamp.async_write_ha_state()
        return [lamp.entity_id for lamp in lit]


@asynccontextmanager
async def home(count: int, url: str) -> AsyncIterator[Home]:
    """Build a home of so many lights whose model is at an address."""
    os.environ["ANTHROPIC_BASE_URL"] = url
    with tempfile.TemporaryDirectory() as folder:
        async with async_test_home_assistant(config_dir=folder) as hass:
            hass.data.pop(loader.DATA_CUSTOM_COMPONENTS, None)
            await hass.async_add_executor_job(_write_policy, Path(folder))
            for component in ("homeassistant", "conversation", "light"):
                assert await async_setup_component(hass, component, {})
            lamps = await _furnish(hass, count)
            owner = await hass.auth.async_create_user(
                "Owner", group_ids=["system-admin"]
            )
            await _set_up_core(hass)
            entry = await _set_up_caesar(hass)
            yield Home(hass, lamps, owner.id)
            await hass.config_entries.async_unload(entry.entry_id)
            await hass.async_stop(force=True)


def _write_policy(folder: Path) -> None:
    """Give the house the everyday policy, and as many turns as a bench needs.

    A minute's calls are counted for each person, too, which no policy changes.
    """
    setattr(rate_limiter, "WINDOW_S", 0.0)  # noqa: B010 a constant, which mypy guards
    path = folder / "caesar" / "policy.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(STARTER.read_text("utf-8") + _LIMITS, "utf-8")


async def _furnish(hass: HomeAssistant, count: int) -> list[Lamp]:
    lamps = [Lamp(number) for number in range(count)]
    await hass.data[light.DATA_COMPONENT].async_add_entities(lamps)
    areas, entities = ar.async_get(hass), er.async_get(hass)
    for lamp in lamps:
        area = areas.async_get_or_create(lamp.area)
        entities.async_update_entity(lamp.entity_id, area_id=area.id)
    await hass.async_block_till_done()
    return lamps


async def _set_up_core(hass: HomeAssistant) -> None:
    flow = await hass.config_entries.flow.async_init(
        "anthropic", context={"source": "user"}
    )
    made = await hass.config_entries.flow.async_configure(
        flow["flow_id"], {"api_key": KEY}
    )
    assert made["type"] == "create_entry", made
    await hass.async_block_till_done()


async def _set_up_caesar(hass: HomeAssistant) -> MockConfigEntry:
    entry = MockConfigEntry(
        domain=DOMAIN,
        title="CAESAR",
        data={
            "provider": "anthropic",
            "starter_policy": "everyday",
            "api_key": KEY,
            "model": MODEL,
        },
        subentries_data=[_agent("Modelled", "model"), _agent("Literal", "builtin")],
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    await _until_worker(hass)
    return entry


async def _until_worker(hass: HomeAssistant) -> None:
    """Wait for the process that serves the bundled tools: they are in the prompt."""
    async with asyncio.timeout(_WAIT_S):
        while (state := hass.states.get(_WORKER)) is None or state.state != "on":
            await asyncio.sleep(0.05)


def _agent(title: str, brain: str) -> ConfigSubentryDataWithId:
    return ConfigSubentryDataWithId(
        subentry_id=title.lower(),
        subentry_type="conversation",
        title=title,
        unique_id=None,
        data=MappingProxyType({**AGENT_DEFAULTS, "model": "", "brain": brain}),
    )
