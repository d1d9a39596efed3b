"""The form of AI tasks: with a model, with a further one, and with none at all."""

from typing import Any

from homeassistant.config_entries import (
    SOURCE_RECONFIGURE,
    SOURCE_USER,
    ConfigEntry,
    SubentryFlowContext,
)
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType

from custom_components.caesar.const import SUBENTRY_AI_TASK
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from tests.fakes.chat_completions_api import MODEL
from tests.ha.ai_tasks import Tasks, tasks
from tests.ha.model_servers import (
    answer,
    begin,
    change,
    chat,
    home_assistant,
    ollama,
    set_up,
)

__all__ = ["chat", "home_assistant", "ollama", "tasks"]


class _Form:
    """The form of one entry's AI tasks."""

    def __init__(self, hass: HomeAssistant, entry: ConfigEntry) -> None:
        self._flows = hass.config_entries.subentries
        self._hass = hass
        self._entry = entry

    async def open(self, subentry_id: str | None = None) -> Any:
        """Open the form, of a new one or of that."""
        context = SubentryFlowContext(source=SOURCE_USER)
        if subentry_id is not None:
            context["source"] = SOURCE_RECONFIGURE
            context["subentry_id"] = subentry_id
        key = (self._entry.entry_id, SUBENTRY_AI_TASK)
        return await self._flows.async_init(key, context=context)

    async def fill(self, shown: Any, name: str, model: str, tokens: int = 512) -> Any:
        """Send it, and let the entry be loaded again."""
        result = await self._flows.async_configure(
            shown["flow_id"], {"name": name, "model": model, "max_tokens": tokens}
        )
        await self._hass.async_block_till_done()
        return result

    def kept(self) -> dict[str, dict[str, Any]]:
        """Return what is kept, by name."""
        return {
            each.title: dict(each.data)
            for each in self._entry.get_subentries_of_type(SUBENTRY_AI_TASK)
        }


def _options(shown: Any) -> list[tuple[str, str]]:
    options = shown["data_schema"].schema["model"].config["options"]
    return [(option["value"], option["label"]) for option in options]


async def test_add_and_change(hass: HomeAssistant, tasks: Tasks) -> None:
    """Of the house's provider any model, of the others those that were added."""
    form = _Form(hass, tasks.entry)
    shown = await form.open()
    assert (shown["type"], shown["step_id"]) == (FlowResultType.FORM, "task")
    assert _options(shown)[-2:] == [("model-chat", "chat"), ("model-ollama", "ollama")]
    shown = await form.fill(shown, " ", "  ")
    assert shown["errors"] == {"name": "name_empty", "model": "model_empty"}
    shown = await form.fill(shown, " Claude ", "claude-opus-5")
    assert shown["errors"] == {"name": "name_taken"}
    done = await form.fill(shown, " Notes ", " claude-of-tomorrow ")
    assert done["type"] is FlowResultType.CREATE_ENTRY
    assert form.kept()["Notes"] == {"model": "claude-of-tomorrow", "max_tokens": 512}
    assert hass.states.get("ai_task.notes") is not None
    [notes] = [
        each
        for each in tasks.entry.subentries.values()
        if (each.subentry_type, each.title) == (SUBENTRY_AI_TASK, "Notes")
    ]
    shown = await form.open(notes.subentry_id)
    done = await form.fill(shown, "Notes", "model-chat", 256)
    assert done["reason"] == "reconfigure_successful"
    assert form.kept()["Notes"] == {"model_id": "model-chat", "max_tokens": 256}


async def test_a_model_that_was_removed(hass: HomeAssistant, tasks: Tasks) -> None:
    """It isn't offered again, nor kept as the name of one of the house's models."""
    form = _Form(hass, tasks.entry)
    await form.fill(await form.open(), "Notes", "model-chat")
    [notes] = [
        each for each in tasks.entry.subentries.values() if each.title == "Notes"
    ]
    assert hass.config_entries.async_remove_subentry(tasks.entry, "model-chat")
    await hass.async_block_till_done()
    shown = await form.open(notes.subentry_id)
    [field] = [key for key in shown["data_schema"].schema if key == "model"]
    assert field.description["suggested_value"] == ""


async def test_without_a_model(
    hass: HomeAssistant, chat: Any, socket_enabled: None
) -> None:
    """A house without a model has no AI tasks; with a new one they get its model."""
    shown = await begin(hass, "builtin")
    entry = (await answer(hass, shown, policy="everyday"))["result"]
    form = _Form(hass, entry)
    shown = await form.open()
    assert (shown["type"], shown["reason"]) == (FlowResultType.ABORT, "task_no_model")
    assert await hass.config_entries.async_remove(entry.entry_id)
    entry = await set_up(hass, chat)
    form = _Form(hass, entry)
    done = await form.fill(await form.open(), "Notes", MODEL)
    assert done["type"] is FlowResultType.CREATE_ENTRY
    chat.model = "newer-model"
    shown = await change(hass, entry, "openai_compatible")
    shown = await answer(hass, shown, url=chat.url, api_key=chat.key)
    await answer(hass, shown, model="newer-model")
    assert form.kept()["Notes"]["model"] == "newer-model"
