"""Models on somebody's server: turns from a person's words to a lamp."""

from pathlib import Path
import sys

from homeassistant.auth.models import User
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.helpers.httpx_client import get_async_client
import pytest

from custom_components.caesar.adapters.model_sdk import load_sdk
from custom_components.caesar.providers.openai_compat import (
    OpenAICompatSettings,
    async_create_provider,
)
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.core.provider.rounds import request, run, spec
from tests.fakes.chat_completions_api import KEY, MODEL, FakeChatApi
from tests.fakes.loop_guard import loop_guard
from tests.fakes.messages_script import Answer, Steps, Text, ToolUse
from tests.fakes.ollama_api import FakeOllama
from tests.ha.model_servers import (
    KINDS,
    Server,
    answer,
    ask,
    chat,
    home_assistant,
    ollama,
    set_up,
)
from tests.ha.model_talk import LIGHT, LIGHTS

__all__ = ["chat", "home_assistant", "ollama"]


class TestAsking:
    """A turn, from the words of a person to a lamp, through each server."""

    @pytest.fixture(params=KINDS)
    async def server(
        self,
        request: pytest.FixtureRequest,
        hass: HomeAssistant,
        chat: FakeChatApi,
        ollama: FakeOllama,
    ) -> Server:
        """Build the demo house, and the policy of an earlier set-up."""
        await async_build_house(hass)
        file = Path(hass.config.path("caesar/policy.yaml"))
        file.parent.mkdir(exist_ok=True)
        file.write_text(LIGHTS)
        return chat if request.param == "openai_compatible" else ollama

    async def test_a_call_and_its_answer(
        self, hass: HomeAssistant, hass_admin_user: User, server: Server
    ) -> None:
        """The model's call goes through the gate, its answer comes back."""
        await set_up(hass, server)
        server.script = Steps(
            Answer(blocks=[ToolUse(name="light__turn_on", input={"entity_id": LIGHT})]),
            Answer(blocks=[Text(text="<think>Done?</think>It is cosy now.")]),
        )
        said = await ask(hass, hass_admin_user)
        assert said["answer"] == "It is cosy now.", said
        (call,) = said["calls"]
        assert (call["tool"], call["outcome"]) == ("light.turn_on", "ok")
        state = hass.states.get(LIGHT)
        assert state is not None
        assert state.state == "on"

    async def test_what_is_not_allowed_is_refused(
        self, hass: HomeAssistant, hass_admin_user: User, server: Server
    ) -> None:
        """An invented tool, and one that no rule allows, run nowhere."""
        await set_up(hass, server)
        server.script = Steps(
            Answer(
                blocks=[
                    ToolUse(
                        name="lock__unlock", input={"entity_id": "lock.front_door"}
                    ),
                    ToolUse(name="open_everything"),
                ]
            ),
            Answer(blocks=[Text(text="I may not.")]),
        )
        said = await ask(hass, hass_admin_user)
        assert all(call["outcome"] == "none" for call in said["calls"])
        assert len(said["calls"]) == 2

    async def test_a_written_call_is_a_failure(
        self, hass: HomeAssistant, hass_admin_user: User, server: Server
    ) -> None:
        """A person hears that nothing was done, and no JSON."""
        await set_up(hass, server)
        written = '{"name": "light__turn_on", "arguments": {"entity_id": "light.x"}}'
        server.script = Steps(Answer(blocks=[Text(text=written)]))
        said = await ask(hass, hass_admin_user)
        assert "nothing of it was carried out" in said["answer"]
        assert "light__turn_on" not in said["answer"]
        assert said["calls"] == []

    async def test_refused_key_is_asked_for_again(
        self, hass: HomeAssistant, hass_admin_user: User, server: Server
    ) -> None:
        """A 401 begins the re-authentication, which keeps the address."""
        entry = await set_up(hass, server)
        before = dict(entry.data)
        server.key = "sk-new"
        said = await ask(hass, hass_admin_user)
        assert "key" in said["answer"]
        await hass.async_block_till_done()
        (flow,) = hass.config_entries.flow.async_progress()
        assert flow["step_id"] == "reauth_server"
        shown = await hass.config_entries.flow.async_configure(
            flow["flow_id"], {"api_key": "sk-wrong"}
        )
        assert shown["errors"] == {"api_key": "server_auth"}
        assert entry.data == before
        assert (shown["description_placeholders"] or {})["address"] == server.url
        result = await answer(hass, shown, api_key="sk-new ")
        assert result["reason"] == "reauth_successful"
        assert entry.data == {**before, "api_key": "sk-new"}
        assert entry.state is ConfigEntryState.LOADED


async def test_nothing_blocks_the_loop(
    hass: HomeAssistant, chat: FakeChatApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From loading the SDK to the second round no file is read on the loop."""
    for name in [name for name in sys.modules if name.split(".")[0] == "openai"]:
        monkeypatch.delitem(sys.modules, name)
    # Home Assistant makes it at its start, and reads the certificates for it.
    get_async_client(hass)
    chat.script = Steps(
        Answer(blocks=[Text(text="Hello"), ToolUse(name="get_state")]),
        Answer(blocks=[Text(text="Hello")]),
    )
    with loop_guard():
        sdk = await load_sdk(hass, "openai_conversation")
        settings = OpenAICompatSettings(url=chat.url, api_key=KEY, model=MODEL)
        provider = await async_create_provider(hass, sdk, settings)
        await provider.check()
        for _ in range(2):
            assert await run(provider, request(tools=(spec("get_state"),)))
    await provider.close()
    assert not get_async_client(hass).is_closed
