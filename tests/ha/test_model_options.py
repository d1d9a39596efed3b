"""How a model works: set in the forms, sent with each round."""

from typing import Any

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.const import SUBENTRY_MODEL
from tests.fakes.chat_completions_api import FakeChatApi
from tests.fakes.messages_api import KEY as CLAUDE_KEY, FakeMessagesApi
from tests.fakes.messages_script import Answer, Steps, Text
from tests.fakes.messages_thinking import WITH_BUDGET
from tests.fakes.ollama_api import FakeOllama
from tests.ha.model_servers import (
    answer,
    ask,
    begin,
    change,
    chat,
    fields_of,
    home_assistant,
    ollama,
)

__all__ = ["chat", "home_assistant", "ollama"]

WORDS = Answer(blocks=[Text(text="Gladly.")])


def suggested(shown: Any) -> dict[str, Any]:
    """Return what the folded part of a form shows as set."""
    fields = shown["data_schema"].schema["model_options"].schema.schema
    return {
        field.schema: (field.description or {}).get("suggested_value")
        for field in fields
    }


async def test_of_ollama(
    hass: HomeAssistant, hass_admin_user: User, ollama: FakeOllama
) -> None:
    """Context, memory and thinking go along; a form shows again what was set."""
    chosen = {"num_ctx": 16384.0, "keep_alive": "hour", "think": "low"}
    shown = await begin(hass, "ollama")
    shown = await answer(hass, shown, url=ollama.url)
    assert "model_options" in fields_of(shown)
    shown = await answer(
        hass, shown, model=ollama.model.name, model_options=dict(chosen)
    )
    entry = (await answer(hass, shown, policy="everyday"))["result"]
    assert {key: entry.data[key] for key in chosen} == chosen
    ollama.script = Steps(WORDS)
    assert (await ask(hass, hass_admin_user))["answer"] == "Gladly."
    (sent,) = ollama.rounds
    assert (sent["think"], sent["keep_alive"]) == ("low", 3600)
    assert sent["options"]["num_ctx"] == 16384
    shown = await change(hass, entry, "ollama")
    shown = await answer(hass, shown, url=ollama.url)
    assert suggested(shown) == chosen


async def test_of_claude_and_of_a_further_model(
    hass: HomeAssistant,
    hass_admin_user: User,
    chat: FakeChatApi,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each model has its own; one of another kind offers what that kind has."""
    async with FakeMessagesApi(Steps(WORDS), can=WITH_BUDGET) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        shown = await begin(hass, "anthropic")
        chosen = {"think": "medium", "cache_ttl": "1h"}
        shown = await answer(
            hass, shown, api_key=CLAUDE_KEY, model_options=dict(chosen)
        )
        entry = (await answer(hass, shown, policy="everyday"))["result"]
        await ask(hass, hass_admin_user)
        (sent,) = api.rounds
        assert sent["thinking"] == {"type": "enabled", "budget_tokens": 4096}
        assert sent["tools"][-1]["cache_control"]["ttl"] == "1h"
        shown = await change(hass, entry, "anthropic")
        assert suggested(shown) == chosen
        shown = await answer(
            hass, shown, api_key="wrong", model_options={"think": "low"}
        )
        assert suggested(shown)["think"] == "low"
        flows = hass.config_entries.subentries
        added: Any = await flows.async_init(
            (entry.entry_id, SUBENTRY_MODEL), context={"source": "user"}
        )
        for step in (
            {"next_step_id": "openai_compatible"},
            {"url": chat.url, "api_key": chat.key},
            {"model": chat.model, "model_options": {"think": "high"}},
        ):
            added = await flows.async_configure(added["flow_id"], step)
            await hass.async_block_till_done()
    (further,) = entry.get_subentries_of_type(SUBENTRY_MODEL)
    assert further.data["think"] == "high"
    assert "cache_ttl" not in further.data
