"""The set-up in the UI, each step by the flow manager that the frontend talks to."""

from collections.abc import AsyncIterator
from pathlib import Path
import sys
from typing import Any

from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntry,
    ConfigEntryState,
    ConfigFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType, InvalidData
from homeassistant.setup import async_setup_component
import pytest

from custom_components.caesar.const import AGENT_DEFAULTS, DOMAIN, SUBENTRY_CONVERSATION
from tests.fakes.messages_api import KEY, FakeMessagesApi
from tests.fakes.messages_script import Failure


@pytest.fixture
async def messages_api(
    socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[FakeMessagesApi]:
    """Anthropic's API, found by the SDK as any other address would be."""
    async with FakeMessagesApi() as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        yield api


@pytest.fixture(autouse=True)
async def _home_assistant(hass: HomeAssistant) -> None:
    """Set up what every Home Assistant has."""
    assert await async_setup_component(hass, "homeassistant", {})


async def start(hass: HomeAssistant, provider: str) -> ConfigFlowResult:
    """Choose who thinks and return the next step."""
    shown = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_USER}
    )
    assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "user")
    return await hass.config_entries.flow.async_configure(
        shown["flow_id"], {"provider": provider}
    )


async def answer(
    hass: HomeAssistant, shown: ConfigFlowResult, **fields: Any
) -> ConfigFlowResult:
    """Send a form and return what comes next, with everything settled."""
    result = await hass.config_entries.flow.async_configure(shown["flow_id"], fields)
    await hass.async_block_till_done()
    return result


async def set_up(hass: HomeAssistant, provider: str = "builtin") -> ConfigEntry:
    """Go through the whole set-up."""
    shown = await start(hass, provider)
    if provider == "anthropic":
        shown = await answer(hass, shown, api_key=KEY)
    result = await answer(hass, shown, policy="everyday")
    assert result["type"] is FlowResultType.CREATE_ENTRY
    entry: ConfigEntry = result["result"]
    assert entry.state is ConfigEntryState.LOADED
    return entry


class TestSetUp:
    """The first set-up."""

    @pytest.mark.parametrize("policy", ["everyday", "read_only"])
    async def test_builtin(self, hass: HomeAssistant, policy: str) -> None:
        """Two questions make a house with one agent."""
        shown = await start(hass, "builtin")
        assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "policy")
        assert shown["description_placeholders"] == {"path": "caesar/policy.yaml"}

        result = await answer(hass, shown, policy=policy)

        assert result["type"] is FlowResultType.CREATE_ENTRY
        entry = result["result"]
        assert entry.title == "CAESAR"
        assert entry.data == {"provider": "builtin", "starter_policy": policy}
        (agent,) = entry.subentries.values()
        assert agent.subentry_type == SUBENTRY_CONVERSATION
        assert agent.title == "CAESAR"
        assert agent.data == AGENT_DEFAULTS
        assert entry.state is ConfigEntryState.LOADED
        assert hass.states.get("conversation.caesar") is not None

    async def test_anthropic(
        self, hass: HomeAssistant, messages_api: FakeMessagesApi
    ) -> None:
        """A key that works is kept, without the blanks that copying brings along."""
        shown = await start(hass, "anthropic")
        assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "anthropic")

        shown = await answer(hass, shown, api_key=f" {KEY}\n")
        assert shown["step_id"] == "policy"
        result = await answer(hass, shown, policy="read_only")

        assert result["result"].data == {
            "provider": "anthropic",
            "api_key": KEY,
            "starter_policy": "read_only",
        }
        assert result["result"].state is ConfigEntryState.LOADED

    async def test_one_house_one_policy(self, hass: HomeAssistant) -> None:
        """A second entry would be a second policy."""
        await set_up(hass)
        result = await hass.config_entries.flow.async_init(
            DOMAIN, context={"source": SOURCE_USER}
        )
        assert result["type"] is FlowResultType.ABORT
        assert result["reason"] == "single_instance_allowed"

    async def test_policy_of_an_earlier_set_up_is_kept(
        self, hass: HomeAssistant
    ) -> None:
        """What the owner wrote is never replaced by a starter policy."""
        file = Path(hass.config.path("caesar/policy.yaml"))
        file.parent.mkdir()
        file.write_text("version: 1\nallowed_tools: [get_state]\n")

        shown = await start(hass, "builtin")
        assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "policy_kept")
        assert shown["description_placeholders"] == {"path": "caesar/policy.yaml"}
        result = await answer(hass, shown, policy="everyday")

        assert result["type"] is FlowResultType.CREATE_ENTRY
        assert result["result"].data["starter_policy"] == "read_only"
        assert file.read_text() == "version: 1\nallowed_tools: [get_state]\n"

    async def test_policy_that_appears_meanwhile_is_kept(
        self, hass: HomeAssistant
    ) -> None:
        """A file put there while the form was open counts as well."""
        shown = await start(hass, "builtin")
        file = Path(hass.config.path("caesar/policy.yaml"))
        file.parent.mkdir()
        file.write_text("version: 1\nallowed_tools: [get_state]\n")

        shown = await answer(hass, shown, policy="everyday")

        assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "policy_kept")

    @pytest.mark.parametrize("provider", ["", "openai", None])
    async def test_unknown_provider(self, hass: HomeAssistant, provider: str) -> None:
        """Only what is offered can be chosen."""
        with pytest.raises(InvalidData):
            await start(hass, provider)


class TestKey:
    """A key that does not work."""

    async def test_wrong(
        self, hass: HomeAssistant, messages_api: FakeMessagesApi
    ) -> None:
        """The form says so at the key's own field, and the next try can be right."""
        shown = await start(hass, "anthropic")
        shown = await answer(hass, shown, api_key="sk-wrong")
        assert (shown["step_id"], shown["errors"]) == (
            "anthropic",
            {"api_key": "invalid_auth"},
        )
        shown = await answer(hass, shown, api_key=KEY)
        assert shown["step_id"] == "policy"

    @pytest.mark.parametrize(
        ("failure", "error"),
        [
            (Failure(status=402, type="billing_error"), "quota"),
            (
                Failure(
                    status=400,
                    type="invalid_request_error",
                    message="Your credit balance is too low",
                ),
                "quota",
            ),
            (Failure(status=429, type="rate_limit_error"), "rate_limited"),
            (Failure(status=529, type="overloaded_error"), "overloaded"),
            (Failure(status=408, type="timeout_error"), "timeout_connect"),
            (Failure(status=400, type="invalid_request_error"), "rejected"),
            (Failure(status=500), "cannot_connect"),
        ],
    )
    async def test_refused(
        self,
        hass: HomeAssistant,
        messages_api: FakeMessagesApi,
        caplog: pytest.LogCaptureFixture,
        failure: Failure,
        error: str,
    ) -> None:
        """What is wrong isn't the key: the form says what, and it can be tried again."""
        shown = await start(hass, "anthropic")
        messages_api.check = failure
        shown = await answer(hass, shown, api_key=KEY)
        assert (shown["step_id"], shown["errors"]) == ("anthropic", {"base": error})
        # The one form that sends a person to the log must find something there.
        warned = [one for one in caplog.records if "Trying a model" in one.message]
        assert [one.levelname for one in warned if one.levelname == "WARNING"] == (
            ["WARNING"] if error == "rejected" else []
        )

        messages_api.check = None
        shown = await answer(hass, shown, api_key=KEY)
        assert shown["step_id"] == "policy"

    async def test_nobody_there(
        self, hass: HomeAssistant, messages_api: FakeMessagesApi
    ) -> None:
        """A server that can't be reached is not a wrong key."""
        await messages_api.close()
        shown = await start(hass, "anthropic")
        shown = await answer(hass, shown, api_key=KEY)
        assert shown["errors"] == {"base": "cannot_connect"}

    @pytest.mark.parametrize("key", ["", "  ", "sk ant", "schlüssel"])
    async def test_no_key_at_all(
        self, hass: HomeAssistant, messages_api: FakeMessagesApi, key: str
    ) -> None:
        """What can't be a key isn't sent anywhere."""
        shown = await start(hass, "anthropic")
        shown = await answer(hass, shown, api_key=key)
        assert shown["errors"] == {"api_key": "invalid_auth"}
        assert not messages_api.requests

    async def test_sdk_missing(
        self, hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Home Assistant may not install anything, and the SDK is not there."""
        monkeypatch.setitem(sys.modules, "anthropic", None)
        monkeypatch.setitem(sys.modules, "anthropic.resources.messages", None)
        hass.config.skip_pip = True
        shown = await start(hass, "anthropic")
        shown = await answer(hass, shown, api_key=KEY)
        assert shown["errors"] == {"base": "sdk_missing"}

    async def test_sdk_failed(
        self,
        hass: HomeAssistant,
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        """The SDK is there and can't be loaded."""
        broken = tmp_path / "broken" / "anthropic"
        broken.mkdir(parents=True)
        (broken / "__init__.py").write_text("raise RuntimeError('wrong platform')\n")
        for name in [name for name in sys.modules if name.startswith("anthropic")]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.syspath_prepend(broken.parent)
        shown = await start(hass, "anthropic")
        shown = await answer(hass, shown, api_key=KEY)
        assert shown["errors"] == {"base": "sdk_failed"}


class TestLater:
    """What can be changed once CAESAR is there."""

    async def test_new_key_when_the_old_one_stops_working(
        self, hass: HomeAssistant, messages_api: FakeMessagesApi
    ) -> None:
        """Reauth tries the new key before it takes the old one's place."""
        entry = await set_up(hass, "anthropic")
        before = entry.data
        entry.async_start_reauth(hass)
        await hass.async_block_till_done()
        (flow,) = hass.config_entries.flow.async_progress()
        assert flow["step_id"] == "reauth_confirm"

        messages_api._key = "sk-new"
        shown = await hass.config_entries.flow.async_configure(
            flow["flow_id"], {"api_key": KEY}
        )
        assert shown["errors"] == {"api_key": "invalid_auth"}
        assert entry.data == before

        result = await answer(hass, shown, api_key="sk-new\n")
        assert result["type"] is FlowResultType.ABORT
        assert result["reason"] == "reauth_successful"
        assert entry.data == {**before, "api_key": "sk-new"}
        assert entry.state is ConfigEntryState.LOADED

    async def test_from_builtin_to_claude_and_back(
        self, hass: HomeAssistant, messages_api: FakeMessagesApi
    ) -> None:
        """Another brain leaves policy and agents alone; an unused key goes."""
        entry = await set_up(hass)
        agents = dict(entry.subentries)

        shown = await self._reconfigure(hass, entry)
        shown = await answer(hass, shown, provider="anthropic")
        assert shown["step_id"] == "anthropic"
        result = await answer(hass, shown, api_key=KEY)
        assert (result["type"], result["reason"]) == (
            FlowResultType.ABORT,
            "reconfigure_successful",
        )
        assert entry.data == {
            "provider": "anthropic",
            "api_key": KEY,
            "starter_policy": "everyday",
        }
        assert entry.state is ConfigEntryState.LOADED

        shown = await self._reconfigure(hass, entry)
        await answer(hass, shown, provider="builtin")
        assert entry.data == {"provider": "builtin", "starter_policy": "everyday"}
        assert entry.subentries == agents
        assert entry.state is ConfigEntryState.LOADED

    async def test_form_shows_what_is_set(
        self, hass: HomeAssistant, messages_api: FakeMessagesApi
    ) -> None:
        """The choice made before is the one that is marked."""
        entry = await set_up(hass, "anthropic")
        shown = await self._reconfigure(hass, entry)
        schema = shown["data_schema"]
        assert schema is not None
        (field,) = schema.schema
        assert field.default() == "anthropic"

    @staticmethod
    async def _reconfigure(hass: HomeAssistant, entry: ConfigEntry) -> ConfigFlowResult:
        shown = await hass.config_entries.flow.async_init(
            DOMAIN,
            context={"source": SOURCE_RECONFIGURE, "entry_id": entry.entry_id},
        )
        assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "reconfigure")
        return shown
