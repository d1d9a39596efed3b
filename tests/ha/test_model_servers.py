"""Models on somebody's server: set up in the UI, refused, changed, moved."""

import sys
from typing import Any

from homeassistant.config_entries import SOURCE_USER, ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.caesar.const import SUBENTRY_CONVERSATION
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from tests.fakes.chat_completions_api import KEY, MODEL, FakeChatApi
from tests.fakes.messages_api import KEY as CLAUDE_KEY, FakeMessagesApi
from tests.fakes.messages_script import Failure
from tests.fakes.ollama_api import FakeOllama
from tests.ha.model_servers import (
    KINDS,
    agent_of,
    answer,
    begin,
    change,
    chat,
    fields_of,
    home_assistant,
    ollama,
    options_of,
    set_up,
)

__all__ = ["chat", "home_assistant", "ollama"]


class TestSetUp:
    """The forms."""

    async def test_openai(self, hass: HomeAssistant, chat: FakeChatApi) -> None:
        """Address and key are tried, the server's models offered, the choice kept."""
        shown = await begin(hass, "openai_compatible")
        assert (shown["type"], shown["step_id"]) == (
            FlowResultType.FORM,
            "openai_compatible",
        )
        origin = chat.url.removesuffix("/v1").removeprefix("http://")
        shown = await answer(hass, shown, url=f" {origin}/ ", api_key=f"{KEY}\n")
        assert shown["step_id"] == "model"
        assert options_of(shown) == ["another-model", MODEL]
        shown = await answer(hass, shown, model=" ")
        assert shown["errors"] == {"model": "model_empty"}
        shown = await answer(hass, shown, model=" typed-model ")
        result = await answer(hass, shown, policy="read_only")
        entry = result["result"]
        assert entry.data == {
            "provider": "openai_compatible",
            "url": chat.url,
            "api_key": KEY,
            "model": "typed-model",
            "starter_policy": "read_only",
        }
        assert entry.state is ConfigEntryState.LOADED
        assert agent_of(entry)["model"] == "typed-model"

    async def test_ollama(self, hass: HomeAssistant, ollama: FakeOllama) -> None:
        """A server without a key keeps none; its one model is proposed."""
        shown = await begin(hass, "ollama")
        shown = await answer(hass, shown, url=f"{ollama.url}/", api_key=" ")
        assert options_of(shown) == [ollama.model.name]
        assert fields_of(shown)["model"].default() == ollama.model.name
        shown = await answer(hass, shown, model=ollama.model.name)
        result = await answer(hass, shown, policy="everyday")
        assert result["result"].data == {
            "provider": "ollama",
            "url": ollama.url,
            "model": ollama.model.name,
            "starter_policy": "everyday",
        }

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize(
        ("url", "key", "error"),
        [
            ("", "", {"url": "bad_address"}),
            ("ftp://a.test", "", {"url": "bad_address"}),
            ("http://user:word@a.test", "", {"url": "bad_address"}),
            ("http://a.test/v1?key=1", "", {"url": "bad_address"}),
            ("http://8.8.8.8/v1", "sk-key", {"url": "key_needs_https"}),
            ("http://127.0.0.1:9/v1", "", {"base": "server_unreachable"}),
            ("http://127.0.0.1:9/v1", "sk key", {"api_key": "server_auth"}),
        ],
    )
    async def test_mistakes(
        self,
        hass: HomeAssistant,
        socket_enabled: None,
        kind: str,
        url: str,
        key: str,
        error: dict[str, str],
    ) -> None:
        """Each has its own words, at its own field; what was typed stays."""
        shown = await begin(hass, kind)
        shown = await answer(hass, shown, url=url, api_key=key)
        assert (shown["step_id"], shown["errors"]) == (kind, error)

    async def test_name_in_the_internet(
        self, hass: HomeAssistant, chat: FakeChatApi, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A key isn't sent in the open to a name that lies in the internet."""

        async def look_up(host: str, port: int) -> list[tuple[Any, ...]]:
            address = "8.8.8.8" if host == "models.test" else "127.0.0.1"
            return [(0, 0, 0, "", (address, port))]

        monkeypatch.setattr(hass.loop, "getaddrinfo", look_up)
        shown = await begin(hass, "openai_compatible")
        shown = await answer(hass, shown, url="http://models.test", api_key=KEY)
        assert shown["errors"] == {"url": "key_needs_https"}
        assert chat.requests == []
        shown = await answer(hass, shown, url=chat.url, api_key=KEY)
        assert shown["step_id"] == "model"

    async def test_only_models_that_talk_are_offered(
        self, hass: HomeAssistant, chat: FakeChatApi
    ) -> None:
        """A vendor's list holds much else; any name can be typed."""
        chat.models = ["text-embedding-3-small", "whisper-1", "tts-1", "nomic-embed"]
        shown = await begin(hass, "openai_compatible")
        shown = await answer(hass, shown, url=chat.url, api_key=KEY)
        assert options_of(shown) == [MODEL]

    @pytest.mark.parametrize(
        ("failure", "error"),
        [
            (Failure(status=401), {"api_key": "server_auth"}),
            (Failure(status=402), {"base": "server_quota"}),
            (Failure(status=404), {"url": "server_rejected"}),
            (Failure(status=408), {"base": "server_timeout"}),
            (Failure(status=429), {"base": "server_rate"}),
            (Failure(status=503), {"base": "server_overloaded"}),
            (Failure(status=500), {"base": "server_unreachable"}),
        ],
    )
    async def test_refused(
        self,
        hass: HomeAssistant,
        chat: FakeChatApi,
        failure: Failure,
        error: dict[str, str],
    ) -> None:
        """The form says what is wrong, and it can be tried again."""
        chat.check = failure
        shown = await begin(hass, "openai_compatible")
        shown = await answer(hass, shown, url=chat.url, api_key=KEY)
        assert shown["errors"] == error
        chat.check = None
        shown = await answer(hass, shown, url=chat.url, api_key=KEY)
        assert shown["step_id"] == "model"

    async def test_a_server_cannot_write_lines_into_the_log(
        self,
        hass: HomeAssistant,
        chat: FakeChatApi,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """The form sends a person there; what the server says stays in one line."""
        chat.check = Failure(status=404, message="no\n2026-01-01 ERROR all lost")
        shown = await begin(hass, "openai_compatible")
        await answer(hass, shown, url=chat.url, api_key=KEY)
        assert "no 2026-01-01 ERROR all lost" in caplog.text

    async def test_ollama_is_no_openai(
        self, hass: HomeAssistant, ollama: FakeOllama
    ) -> None:
        """An address where something else answers isn't kept."""
        shown = await begin(hass, "openai_compatible")
        shown = await answer(hass, shown, url=ollama.url)
        assert shown["errors"] == {"url": "server_rejected"}

    @pytest.mark.parametrize(
        ("kind", "package"), [("openai_compatible", "openai"), ("ollama", "ollama")]
    )
    async def test_sdk_missing(
        self,
        hass: HomeAssistant,
        monkeypatch: pytest.MonkeyPatch,
        kind: str,
        package: str,
    ) -> None:
        """Home Assistant may not install anything, and the SDK is not there."""
        monkeypatch.setitem(sys.modules, package, None)
        hass.config.skip_pip = True
        shown = await begin(hass, kind)
        shown = await answer(hass, shown, url="http://127.0.0.1:9")
        assert shown["errors"] == {"base": "sdk_missing"}


class TestLater:
    """What can be changed once CAESAR is there."""

    async def test_to_another_brain_and_back(
        self,
        hass: HomeAssistant,
        chat: FakeChatApi,
        ollama: FakeOllama,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """No key outlives its use; agents get a model that the new brain has."""
        entry = await set_up(hass, chat)
        assert agent_of(entry)["model"] == MODEL

        shown = await change(hass, entry, "ollama")
        shown = await answer(hass, shown, url=ollama.url)
        result = await answer(hass, shown, model=ollama.model.name)
        assert result["reason"] == "reconfigure_successful"
        assert entry.data == {
            "provider": "ollama",
            "url": ollama.url,
            "model": ollama.model.name,
            "starter_policy": "everyday",
        }
        assert agent_of(entry)["model"] == ollama.model.name
        assert entry.state is ConfigEntryState.LOADED

        async with FakeMessagesApi() as claude:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", claude.url)
            shown = await change(hass, entry, "anthropic")
            await answer(hass, shown, api_key=CLAUDE_KEY)
        assert agent_of(entry)["model"] == "claude-haiku-4-5"
        assert "url" not in entry.data

        await change(hass, entry, "builtin")
        assert entry.data == {"provider": "builtin", "starter_policy": "everyday"}
        assert agent_of(entry)["model"] == "claude-haiku-4-5"

    async def test_form_shows_address_and_model_but_no_key(
        self, hass: HomeAssistant, chat: FakeChatApi
    ) -> None:
        """What was set is proposed again; a secret is never sent to a browser."""
        entry = await set_up(hass, chat)
        shown = await change(hass, entry, "openai_compatible")
        fields = fields_of(shown)
        assert fields["url"].description == {"suggested_value": chat.url}
        assert not fields["api_key"].description
        shown = await answer(hass, shown, url=chat.url, api_key=KEY)
        assert fields_of(shown)["model"].description == {"suggested_value": MODEL}

    async def test_agents_choose_among_the_servers_models(
        self, hass: HomeAssistant, chat: FakeChatApi
    ) -> None:
        """A new agent starts with the house's model; a dead server offers that one."""
        entry = await set_up(hass, chat)
        where = (entry.entry_id, SUBENTRY_CONVERSATION)
        subentries = hass.config_entries.subentries
        shown = await subentries.async_init(where, context={"source": SOURCE_USER})
        assert options_of(shown) == ["another-model", MODEL]
        fields = fields_of(shown)
        assert fields["model"].description == {"suggested_value": MODEL}
        await chat.close()
        shown = await subentries.async_init(where, context={"source": SOURCE_USER})
        assert options_of(shown) == [MODEL]
