"""The Ollama provider inside Home Assistant: the SDK, the list of models, the words."""

from collections.abc import AsyncIterator
import sys

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.model_sdk import load_sdk
from custom_components.caesar.brain.provider import (
    Completed,
    ErrorKind,
    ProviderError,
    TextDelta,
)
from custom_components.caesar.providers.ollama import (
    OllamaSettings,
    async_create_provider,
)
from custom_components.caesar.runtime_models import async_server_model
from tests.core.provider.rounds import request, run, spec
from tests.fakes.loop_guard import loop_guard
from tests.fakes.messages_script import Answer, Steps, Text, ToolUse
from tests.fakes.ollama_api import FakeOllama
from tests.fakes.ollama_rules import Model


@pytest.fixture
async def server(socket_enabled: None) -> AsyncIterator[FakeOllama]:
    """Run the fake Ollama."""
    async with FakeOllama() as fake:
        yield fake


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python load the SDK anew, as after a start."""
    for name in [name for name in sys.modules if name.split(".")[0] == "ollama"]:
        monkeypatch.delitem(sys.modules, name)


async def test_nothing_blocks_the_loop(
    hass: HomeAssistant, server: FakeOllama, fresh: None
) -> None:
    """From loading the SDK to the second round no file is read on the loop."""
    server.script = Steps(
        Answer(blocks=[Text(text="Hello"), ToolUse(name="get_state")]),
        Answer(blocks=[Text(text="Hello")]),
    )
    settings = OllamaSettings(url=server.url, model=server.model.name)
    with loop_guard():
        sdk = await load_sdk(hass, "ollama")
        provider = await async_create_provider(hass, sdk, settings)
        assert await provider.models() == (server.model.name,)
        await provider.check()
        for _ in range(2):
            events = await run(provider, request(tools=(spec("get_state"),)))
            assert events[0] == TextDelta(text="Hello")
            assert isinstance(events[-1], Completed)
        await provider.close()


async def test_model_without_tools_says_so_in_the_turns_language(
    hass: HomeAssistant, server: FakeOllama
) -> None:
    """The sentence is CAESAR's own, not the model's."""
    server.model = Model(tools=False)
    server.script = Steps(Answer(blocks=[Text(text="Hello")]))
    sdk = await load_sdk(hass, "ollama")
    settings = OllamaSettings(url=server.url, model=server.model.name)
    provider = await async_create_provider(hass, sdk, settings)
    said, hello, _ = await run(provider, request(tools=(spec("get_state"),)))
    await provider.close()
    assert isinstance(said, TextDelta)
    assert said.text.startswith("The model that I use can't work with tools")
    assert hello == TextDelta(text="Hello")


async def _models(hass: HomeAssistant, data: dict[str, str]) -> None:
    provider = await async_server_model(hass, "ollama", data)
    try:
        await provider.models()
    finally:
        await provider.close()


@pytest.mark.parametrize(
    ("url", "kind", "param"),
    [
        ("http://[", ErrorKind.REJECTED, "url"),
        ("{url}/elsewhere", ErrorKind.REJECTED, None),
        ("http://127.0.0.1:9", ErrorKind.UNAVAILABLE, None),
    ],
)
async def test_no_models_of_a_wrong_address(
    hass: HomeAssistant,
    server: FakeOllama,
    url: str,
    kind: ErrorKind,
    param: str | None,
) -> None:
    """Each wrong address is told as what it is."""
    data = {"url": url.replace("{url}", server.url)}
    with pytest.raises(ProviderError) as raised:
        await _models(hass, data)
    assert (raised.value.kind, raised.value.param) == (kind, param)
