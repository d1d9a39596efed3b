"""Models on somebody's server, and CAESAR set up with them through its forms."""

from collections.abc import AsyncIterator
from typing import Any

from homeassistant.auth.models import User
from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntry,
    ConfigEntryState,
    ConfigFlowResult,
)
from homeassistant.core import Context, HomeAssistant
from homeassistant.setup import async_setup_component
import pytest

from custom_components.caesar.const import DOMAIN, SUBENTRY_CONVERSATION
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from tests.fakes.chat_completions_api import FakeChatApi
from tests.fakes.ollama_api import FakeOllama

ODD = "make it cosy over there, would you kindly"
KINDS = ["openai_compatible", "ollama"]
type Server = FakeChatApi | FakeOllama


@pytest.fixture
async def chat(socket_enabled: None) -> AsyncIterator[FakeChatApi]:
    """Run a server of OpenAI's API that wants a key."""
    async with FakeChatApi(models=["another-model"]) as api:
        yield api


@pytest.fixture
async def ollama(socket_enabled: None) -> AsyncIterator[FakeOllama]:
    """Run an Ollama server."""
    async with FakeOllama() as api:
        yield api


@pytest.fixture(autouse=True)
async def home_assistant(hass: HomeAssistant) -> None:
    """Set up what every Home Assistant has."""
    assert await async_setup_component(hass, "homeassistant", {})


async def begin(hass: HomeAssistant, provider: str) -> ConfigFlowResult:
    """Choose who thinks and return the next step."""
    shown = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_USER}
    )
    return await answer(hass, shown, provider=provider)


async def change(
    hass: HomeAssistant, entry: ConfigEntry, provider: str
) -> ConfigFlowResult:
    """Begin to change who thinks."""
    shown = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_RECONFIGURE, "entry_id": entry.entry_id}
    )
    return await answer(hass, shown, provider=provider)


async def answer(
    hass: HomeAssistant, shown: ConfigFlowResult, **fields: Any
) -> ConfigFlowResult:
    """Send a form and return what comes next, with everything settled."""
    result = await hass.config_entries.flow.async_configure(shown["flow_id"], fields)
    await hass.async_block_till_done()
    return result


async def set_up(hass: HomeAssistant, server: Server) -> ConfigEntry:
    """Set CAESAR up with a server's model, through the forms."""
    if isinstance(server, FakeChatApi):
        shown = await begin(hass, "openai_compatible")
        key = {"api_key": server.key} if server.key else {}
        shown = await answer(hass, shown, url=server.url, **key)
        model = server.model
    else:
        shown = await begin(hass, "ollama")
        shown = await answer(hass, shown, url=server.url)
        model = server.model.name
    assert shown["step_id"] == "model", shown
    shown = await answer(hass, shown, model=model)
    if shown["step_id"] == "policy":
        result = await answer(hass, shown, policy="everyday")
    else:
        result = await answer(hass, shown)
    if result["type"] == "form":
        result = await answer(hass, result, assistants=[])
    entry: ConfigEntry = result["result"]
    assert entry.state is ConfigEntryState.LOADED
    return entry


def fields_of(shown: Any) -> dict[str, Any]:
    """Return a form's fields by their names."""
    return {field.schema: field for field in shown["data_schema"].schema}


def options_of(shown: Any) -> list[str]:
    """Return the models that a form offers."""
    offered: list[str] = shown["data_schema"].schema["model"].config["options"]
    return offered


def agent_of(entry: ConfigEntry) -> dict[str, Any]:
    """Return the data of the first agent."""
    (agent,) = entry.get_subentries_of_type(SUBENTRY_CONVERSATION)
    return dict(agent.data)


async def ask(hass: HomeAssistant, user: User) -> dict[str, Any]:
    """Say something that only a model could understand."""
    response = await hass.services.async_call(
        DOMAIN,
        "ask",
        {"text": ODD, "language": "en"},
        blocking=True,
        context=Context(user_id=user.id),
        return_response=True,
    )
    assert response is not None
    return dict(response)
