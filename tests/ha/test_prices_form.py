"""What a model costs by the token: typed in its form, kept as typed, never guessed."""

import json
from pathlib import Path
from typing import Any

from homeassistant.config_entries import SOURCE_RECONFIGURE, SOURCE_USER, ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import InvalidData
import pytest

from custom_components.caesar import flows
from custom_components.caesar.const import SUBENTRY_MODEL
from custom_components.caesar.diagnostics import async_get_config_entry_diagnostics
from tests.fakes.chat_completions_api import FakeChatApi
from tests.fakes.messages_api import KEY as CLAUDE_KEY, FakeMessagesApi
from tests.fakes.ollama_api import FakeOllama
from tests.ha.model_servers import (
    answer,
    begin,
    change,
    chat,
    fields_of,
    home_assistant,
    ollama,
    set_up,
)

__all__ = ["chat", "home_assistant", "ollama"]

ALL = {"input": 1.0, "output": 5.0, "cache_read": 0.1, "cache_write": 1.25}


def shown_as_set(shown: Any) -> dict[str, Any]:
    """Return the prices that a form shows."""
    fields = shown["data_schema"].schema["model_prices"].schema.schema
    return {
        field.schema: field.description["suggested_value"]
        for field in fields
        if field.description
    }


def is_folded(shown: Any) -> bool:
    """Return whether the prices are out of sight."""
    folded: bool = shown["data_schema"].schema["model_prices"].options["collapsed"]
    return folded


def units(shown: Any) -> set[str]:
    """Return what the prices are asked in."""
    fields = shown["data_schema"].schema["model_prices"].schema.schema.values()
    return {each.validators[0].config["unit_of_measurement"] for each in fields}


async def further(
    hass: HomeAssistant, entry: ConfigEntry, *steps: dict[str, Any], model: str = ""
) -> Any:
    """Go through the forms of a further model; return what came last."""
    context: Any = (
        {"source": SOURCE_RECONFIGURE, "subentry_id": model}
        if model
        else {"source": SOURCE_USER}
    )
    manager = hass.config_entries.subentries
    shown: Any = await manager.async_init(
        (entry.entry_id, SUBENTRY_MODEL), context=context
    )
    for step in steps:
        shown = await manager.async_configure(shown["flow_id"], step)
        await hass.async_block_till_done()
    return shown


async def test_of_claude(
    hass: HomeAssistant, socket_enabled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of them is refused and what was typed stays; emptied is forgotten."""
    hass.config.currency = "CHF"
    async with FakeMessagesApi() as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        shown = await begin(hass, "anthropic")
        assert is_folded(shown)
        assert units(shown) == {"CHF"}
        half = {"input": 1, "cache_read": 0.1}
        shown = await answer(hass, shown, api_key=CLAUDE_KEY, model_prices=half)
        assert shown["errors"] == {"base": "prices_incomplete"}
        assert shown_as_set(shown) == half
        for odd in (-0.01, 10_001, "nan", "dear"):
            with pytest.raises(InvalidData):
                await answer(
                    hass, shown, api_key=CLAUDE_KEY, model_prices={"input": odd}
                )
        shown = await answer(hass, shown, api_key=CLAUDE_KEY, model_prices=dict(ALL))
        entry = (await answer(hass, shown, policy="everyday"))["result"]
        assert entry.data["prices"] == ALL

        shown = await change(hass, entry, "anthropic")
        assert not is_folded(shown)
        assert shown_as_set(shown) == ALL
        free = {"input": 0, "output": 0}
        await answer(hass, shown, api_key=CLAUDE_KEY, model_prices=free)
        assert entry.data["prices"] == free

        shown = await change(hass, entry, "anthropic")
        await answer(hass, shown, api_key=CLAUDE_KEY, model_prices={})
        assert "prices" not in entry.data
        assert entry.data["starter_policy"] == "everyday"


async def test_of_servers(
    hass: HomeAssistant, chat: FakeChatApi, ollama: FakeOllama
) -> None:
    """Each model has its own, seen in diagnostics; one at home isn't asked for any."""
    entry = await set_up(hass, chat)
    assert "prices" not in entry.data
    given = {"input": 2.5, "output": 10.0}
    shown = await change(hass, entry, "openai_compatible")
    shown = await answer(hass, shown, url=chat.url, api_key=chat.key)
    assert is_folded(shown)
    shown = await answer(
        hass, shown, model="another-model", model_prices={"output": 10}
    )
    assert shown["errors"] == {"base": "prices_incomplete"}
    assert fields_of(shown)["model"].description["suggested_value"] == "another-model"
    await answer(hass, shown, model=chat.model, model_prices=dict(given))
    assert entry.data["prices"] == given

    account = ({"url": chat.url, "api_key": chat.key},)
    begun = ({"next_step_id": "openai_compatible"}, *account)
    wrong = await further(
        hass, entry, *begun, {"model": chat.model, "model_prices": {"input": 1}}
    )
    assert wrong["errors"] == {"base": "prices_incomplete"}
    await further(hass, entry, *begun, {"model": chat.model, "model_prices": dict(ALL)})
    (model,) = entry.get_subentries_of_type(SUBENTRY_MODEL)
    assert model.data["prices"] == ALL
    report = await async_get_config_entry_diagnostics(hass, entry)
    assert report["entry"]["prices"] == given
    assert [
        each["data"]["prices"]
        for each in report["subentries"]
        if each["type"] == SUBENTRY_MODEL
    ] == [ALL]
    shown = await further(hass, entry, *account, model=model.subentry_id)
    assert not is_folded(shown)
    assert shown_as_set(shown) == ALL
    await further(hass, entry, *account, {"model": chat.model}, model=model.subentry_id)
    (model,) = entry.get_subentries_of_type(SUBENTRY_MODEL)
    assert "prices" not in model.data

    shown = await change(hass, entry, "ollama")
    shown = await answer(hass, shown, url=ollama.url)
    assert "model_prices" not in fields_of(shown)
    await answer(hass, shown, model=ollama.model.name)
    assert "prices" not in entry.data


@pytest.mark.parametrize("language", ["en", "de"])
def test_words(language: str) -> None:
    """Each field says what it is, and none leads nowhere."""
    file = Path(flows.__file__).parents[1] / "translations" / f"{language}.json"
    said = json.loads(file.read_text())
    model = said["config_subentries"]["model"]
    assert model["error"]["prices_incomplete"]
    steps = {"house": said["config"]["step"], "further": model["step"]}
    for kind, step in (
        ("house", "anthropic"),
        ("house", "model"),
        ("further", "model"),
    ):
        words = steps[kind][step]["sections"]["model_prices"]
        assert words["name"]
        assert words["description"]
        assert words["data"].keys() == words["data_description"].keys() == ALL.keys()
        # Only this form is given the address.
        assert ("{prices_url}" in str(words)) == (step == "anthropic")
