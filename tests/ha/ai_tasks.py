"""A house whose AI tasks have a model of each vendor, and ways to give them tasks."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
import json
from pathlib import Path
import sqlite3
from types import MappingProxyType
from typing import Any

from homeassistant.components import ai_task, media_source
from homeassistant.config_entries import ConfigEntryState, ConfigSubentryDataWithId
from homeassistant.core import Context, HomeAssistant, State
from homeassistant.exceptions import HomeAssistantError
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry, MockUser

from custom_components.caesar.const import AGENT_DEFAULTS, DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.chat_completions_api import KEY as OPENAI_KEY, FakeChatApi
from tests.fakes.messages_api import KEY, FakeMessagesApi
from tests.fakes.messages_script import Answer, Failure, Steps, Text
from tests.fakes.model_api import FakeModelApi
from tests.fakes.ollama_api import FakeOllama

KITCHEN = "light.kitchen_light"
POLICY = """
version: 1
allowed_services:
  - light.turn_on
allowed_tools:
  - calculator
  - assist__intent__hassturnon
  - tool: lent__say
    approval: never
    tainted: allow
  - lent__look
impact:
  read_only: [lent__look]
sentinel:
  daily_token_limit: 900
"""


@dataclass(slots=True, kw_only=True)
class Tasks:
    """A house whose task entities have a model of each vendor."""

    hass: HomeAssistant
    entry: MockConfigEntry
    user_id: str
    servers: dict[str, FakeModelApi]
    media: Path

    def script(self, vendor: str, *steps: str | Answer | Failure) -> FakeModelApi:
        """Let a vendor's model answer with these, one after the other."""
        server = self.servers[vendor]
        server.requests.clear()
        server.script = Steps(*(_step(step) for step in steps))
        return server

    async def file(self, name: str, data: bytes) -> dict[str, str]:
        """Put a file into the media folder; return it as an attachment."""
        await self.hass.async_add_executor_job((self.media / name).write_bytes, data)
        return {
            "media_content_id": f"media-source://media_source/local/{name}",
            "media_content_type": "image/jpeg",
        }

    async def do(self, vendor: str, text: str = "Do it.", **fields: Any) -> Any:
        """Give a task by the action; return its data."""
        response = await self.hass.services.async_call(
            "ai_task",
            "generate_data",
            {
                "task_name": "test",
                "entity_id": f"ai_task.{vendor}",
                "instructions": text,
                **fields,
            },
            blocking=True,
            context=Context(user_id=self.user_id),
            return_response=True,
        )
        assert response is not None
        return response["data"]

    async def refused(self, vendor: str, **fields: Any) -> str:
        """Give a task that fails; return the error's key."""
        with pytest.raises(HomeAssistantError) as err:
            await self.do(vendor, **fields)
        assert err.value.translation_domain == DOMAIN
        assert "{" not in str(err.value), err.value
        return str(err.value.translation_key)

    def state(self, entity_id: str) -> State:
        """Return a state."""
        state = self.hass.states.get(entity_id)
        assert state is not None, entity_id
        return state

    async def outcomes(self) -> list[tuple[str, str]]:
        """Return each call that was asked for, and its error; empty if it was done."""
        rows = [
            row
            for type_ in ("tool.called", "policy.denied", "tool.denied", "tool.invalid")
            for row in await self.rows(type_)
        ]
        return [(row["tool"], row["outcome"].get("error", "")) for row in rows]

    async def rows(self, type_: str) -> list[dict[str, Any]]:
        """Return the trail's rows of a type: payload with its caller."""
        await self.hass.async_block_till_done()
        path = self.hass.config.path("caesar", "caesar.db")

        def read() -> list[dict[str, Any]]:
            db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            rows = db.execute(
                "SELECT payload, origin, user_id, agent, taint FROM audit_log"
                " WHERE event_type = ? ORDER BY id",
                (type_,),
            ).fetchall()
            db.close()
            return [
                {**json.loads(payload), "caller": (origin, user, agent), "taint": taint}
                for payload, origin, user, agent, taint in rows
            ]

        return await self.hass.async_add_executor_job(read)


def _step(step: str | Answer | Failure) -> Answer | Failure:
    return Answer(blocks=[Text(text=step)]) if isinstance(step, str) else step


def _sub(kind: str, title: str, **data: Any) -> ConfigSubentryDataWithId:
    return ConfigSubentryDataWithId(
        data=MappingProxyType(data),
        subentry_id=f"{kind}-{title}",
        subentry_type=kind,
        title=title,
        unique_id=None,
    )


def _entry(chat: FakeChatApi, ollama: FakeOllama) -> MockConfigEntry:
    """Return a house with Claude, two further models and a task entity for each."""
    server = {"provider": "openai_compatible", "url": chat.url, "api_key": OPENAI_KEY}
    local = {"provider": "ollama", "url": ollama.url}
    return MockConfigEntry(
        domain=DOMAIN,
        title="CAESAR",
        data={"provider": "anthropic", "api_key": KEY, "starter_policy": "everyday"},
        subentries_data=[
            _sub("conversation", "CAESAR", **AGENT_DEFAULTS),
            _sub("model", "chat", **server, model=chat.model),
            _sub("model", "ollama", **local, model=ollama.model.name),
            _sub("ai_task_data", "claude", model="claude-haiku-4-5"),
            _sub("ai_task_data", "chat", model_id="model-chat"),
            _sub("ai_task_data", "ollama", model_id="model-ollama"),
            _sub("ai_task_data", "gone", model_id="model-of-yesterday"),
        ],
    )


@pytest.fixture
async def tasks(
    hass: HomeAssistant,
    socket_enabled: None,
    tmp_path: Path,
    hass_admin_user: MockUser,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Tasks]:
    """Build the demo house with CAESAR, and three fake servers."""
    hass.config.media_dirs = {"local": str(tmp_path)}
    await async_build_house(hass)
    for component in (media_source.DOMAIN, ai_task.DOMAIN):
        assert await async_setup_component(hass, component, {})
    policy = Path(hass.config.path("caesar", "policy.yaml"))

    def write() -> None:
        policy.parent.mkdir(parents=True, exist_ok=True)
        policy.write_text(POLICY)

    await hass.async_add_executor_job(write)
    async with AsyncExitStack() as running:
        claude = await running.enter_async_context(FakeMessagesApi())
        chat = await running.enter_async_context(FakeChatApi())
        ollama = await running.enter_async_context(FakeOllama())
        monkeypatch.setenv("ANTHROPIC_BASE_URL", claude.url)
        entry = _entry(chat, ollama)
        entry.add_to_hass(hass)
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        assert entry.state is ConfigEntryState.LOADED
        yield Tasks(
            hass=hass,
            entry=entry,
            user_id=hass_admin_user.id,
            servers={"claude": claude, "chat": chat, "ollama": ollama},
            media=tmp_path,
        )
        assert await hass.config_entries.async_unload(entry.entry_id)
