"""The Anthropic provider inside Home Assistant: the SDK, the HTTP client, the loop."""

from collections.abc import AsyncIterator
from pathlib import Path
import sys
from typing import Literal, cast

from homeassistant.core import HomeAssistant
from homeassistant.helpers.httpx_client import get_async_client
from homeassistant.requirements import MAX_INSTALL_FAILURES
from homeassistant.util import package
import pytest
from pytest_homeassistant_custom_component.common import MockModule, mock_integration

from custom_components.caesar.adapters.model_sdk import SdkUnavailable, load_sdk
from custom_components.caesar.brain.provider import Completed, TextDelta
from custom_components.caesar.providers.anthropic import (
    AnthropicSettings,
    async_create_provider,
)
from tests.core.provider.rounds import answers, request, run, spec
from tests.fakes.loop_guard import loop_guard
from tests.fakes.messages_api import KEY, FakeMessagesApi
from tests.fakes.messages_script import Answer, Text, ToolUse

PIN = "anthropic==0.125.0"


@pytest.fixture
async def api(
    socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[FakeMessagesApi]:
    """Run the fake API where the SDK finds it by the environment."""
    async with FakeMessagesApi() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python load the SDK anew, as after a start."""
    for name in [name for name in sys.modules if name.split(".")[0] == "anthropic"]:
        monkeypatch.delitem(sys.modules, name)


@pytest.fixture
def installs(monkeypatch: pytest.MonkeyPatch, fresh: None) -> list[str]:
    """Take the SDK away; note what would be installed, and let it fail."""
    asked: list[str] = []

    def install(requirement: str, **_: object) -> bool:
        asked.append(requirement)
        return False

    monkeypatch.setattr(package, "install_package", install)
    monkeypatch.setattr(package, "is_installed", lambda requirement: False)
    # None in sys.modules is Python's own way to say that there is no such module.
    monkeypatch.setitem(sys.modules, "anthropic", None)
    return asked


async def test_a_round_through_home_assistant(
    hass: HomeAssistant, api: FakeMessagesApi
) -> None:
    """SDK, HA's HTTP client and the environment's address work together."""
    sdk = await load_sdk(hass, "anthropic")
    provider = await async_create_provider(hass, sdk, AnthropicSettings(api_key=KEY))
    await provider.check()
    answers(api, Answer(blocks=[Text(text="Hello")]))
    first, end = await run(provider)
    assert first == TextDelta(text="Hello")
    assert isinstance(end, Completed)
    await provider.close()
    assert not get_async_client(hass).is_closed


async def test_nothing_blocks_the_loop(
    hass: HomeAssistant, api: FakeMessagesApi, fresh: None
) -> None:
    """From loading the SDK to the second round no file is read on the loop."""
    # Home Assistant makes it at its start, and reads the certificates for it.
    get_async_client(hass)
    tools = (spec("get_state"),)
    answers(
        api,
        Answer(blocks=[Text(text="Hello"), ToolUse(name="get_state")]),
        Answer(blocks=[Text(text="Hello")]),
    )
    with loop_guard():
        sdk = await load_sdk(hass, "anthropic")
        settings = AnthropicSettings(api_key=KEY)
        provider = await async_create_provider(hass, sdk, settings)
        await provider.check()
        for _ in range(2):
            assert await run(provider, request(tools=tools))


async def test_sdk_that_may_not_be_installed(
    hass: HomeAssistant, installs: list[str]
) -> None:
    """Told not to install anything, nothing is installed, and that is what is said."""
    hass.config.skip_pip = True
    with pytest.raises(SdkUnavailable) as raised:
        await load_sdk(hass, "anthropic")
    assert raised.value.reason == "sdk_missing"
    assert installs == []


async def test_sdk_that_cannot_be_installed(
    hass: HomeAssistant, installs: list[str]
) -> None:
    """Core's pin is asked for; Home Assistant doesn't try again before a restart."""
    hass.config.skip_pip = False
    for _ in range(2):
        with pytest.raises(SdkUnavailable) as raised:
            await load_sdk(hass, "anthropic")
        assert raised.value.reason == "sdk_failed"
    assert installs == [PIN] * MAX_INSTALL_FAILURES


async def test_sdk_that_breaks_at_import(
    hass: HomeAssistant,
    fresh: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A package that is there but can't run is a failure with a trace in the log."""
    broken = tmp_path / "anthropic"
    broken.mkdir()
    (broken / "__init__.py").write_text("raise OSError('wrong platform')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SdkUnavailable, match="wrong platform") as raised:
        await load_sdk(hass, "anthropic")
    assert raised.value.reason == "sdk_failed"
    assert "Can't load anthropic" in caplog.text


async def test_custom_integration_of_cores_name(
    hass: HomeAssistant, installs: list[str]
) -> None:
    """What somebody else's integration asks for is never installed for us."""
    hass.config.skip_pip = False
    partial = {"requirements": ["anthropic==99"]}
    module = MockModule("anthropic", partial_manifest=partial)
    mock_integration(hass, module, built_in=False)
    with pytest.raises(SdkUnavailable) as raised:
        await load_sdk(hass, "anthropic")
    assert raised.value.reason == "sdk_failed"
    assert installs == []


async def test_core_without_the_integration(hass: HomeAssistant) -> None:
    """A core that has lost the integration is told in the same way."""
    gone = cast("Literal['anthropic']", "no_such_integration")
    with pytest.raises(SdkUnavailable) as raised:
        await load_sdk(hass, gone)
    assert raised.value.reason == "sdk_failed"
