"""One house with all kinds of models, each of which a fault can be played to."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
import json
import os
from pathlib import Path
import sqlite3
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import patch

from homeassistant import loader
from homeassistant.components import conversation
from homeassistant.config_entries import ConfigSubentryDataWithId
from homeassistant.core import Context, Event, HomeAssistant
from homeassistant.helpers import issue_registry as ir
from pytest_homeassistant_custom_component.common import (
    MockConfigEntry,
    async_test_home_assistant,
)

from custom_components.caesar.adapters.local_worker import LocalWorker
from custom_components.caesar.adapters.warm_up import WarmUp
from custom_components.caesar.brain.chain import Link
from custom_components.caesar.const import AGENT_DEFAULTS, DOMAIN
from custom_components.caesar.providers.remote_model import RemoteModel
from house.in_hass import async_build_house
from tests.fakes.chat_completions_api import (
    KEY as CHAT_KEY,
    MODEL as CHAT_MODEL,
    FakeChatApi,
)
from tests.fakes.messages_api import KEY, MODEL, FakeMessagesApi
from tests.fakes.messages_script import Step, Steps
from tests.fakes.model_api import FakeModelApi
from tests.fakes.ollama_api import FakeOllama

from .cases import LIGHT, Healthy

POLICY: Final = "version: 1\nallowed_services:\n  - light.turn_on\n"
VENDORS: Final = ("anthropic", "openai_compatible", "ollama")
SATELLITE: Final = "assist_satellite.childrens_room_satellite"
# What only a model could understand.
WORDS: Final = "make it cosy over there, would you kindly"
# Instead of 30 to 120 seconds.
SILENCE_S: Final = 0.3
ROUND_S: Final = 0.9
_SECOND: Final = "second"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What came of one turn: what a person heard, and what the trail says."""

    heard: str
    error: bool
    effects: int
    summary: dict[str, Any]
    outcomes: tuple[str, ...]


class House:
    """CAESAR in the demo house, with one model of each vendor and a healthy one."""

    def __init__(self, hass: HomeAssistant, servers: dict[str, FakeModelApi]) -> None:
        """Stand on a running Home Assistant."""
        self.hass = hass
        self.servers = servers
        self.user_id = ""
        self._effects = 0

    async def async_move_in(self) -> None:
        """Set everything up, with the first vendor's model."""
        owner = await self.hass.auth.async_create_user(
            "Owner", group_ids=["system-admin"]
        )
        self.user_id = owner.id
        await async_build_house(self.hass)
        path = Path(self.hass.config.path("caesar", "policy.yaml"))
        await self.hass.async_add_executor_job(_write, path, POLICY)
        self.entry = MockConfigEntry(
            domain=DOMAIN,
            title="CAESAR",
            data=self._data(VENDORS[0]),
            subentries_data=[
                _agent("alone", "Alone"),
                _agent("chained", "Chained", chain=[_SECOND]),
                _agent("literal", "Literal", brain="builtin"),
                ConfigSubentryDataWithId(
                    subentry_id=_SECOND,
                    subentry_type="model",
                    title="Second",
                    unique_id=None,
                    data=_server(self.servers[_SECOND]),
                ),
            ],
        )
        self.entry.add_to_hass(self.hass)
        assert await self.hass.config_entries.async_setup(self.entry.entry_id)
        await self.hass.async_block_till_done()
        self.hass.bus.async_listen("call_service", self._note)

    async def async_use(self, vendor: str) -> None:
        """Let this vendor's model be the house's, with short times."""
        self.hass.config_entries.async_update_entry(self.entry, data=self._data(vendor))
        await self.hass.async_block_till_done()
        for model in self._models():
            shorter = {"silence_s": SILENCE_S, "total_s": ROUND_S, "connect_s": 0.5}
            settings = vars(model)["_settings"]
            vars(model)["_settings"] = replace(settings, **shorter)

    async def async_ask(
        self, agent: str, text: str = WORDS, *, by_voice: bool = False
    ) -> Cell:
        """Run a turn of a person at a screen or a satellite; all brains are rested."""
        for link in self._links():
            link.rest.answered()
        self.hass.states.async_set(LIGHT, "off")
        self._effects = 0
        result = await conversation.async_converse(
            self.hass,
            text,
            None,
            Context(user_id=None if by_voice else self.user_id),
            "en",
            agent_id=f"conversation.{agent}",
            satellite_id=SATELLITE if by_voice else None,
        )
        await self.hass.async_block_till_done()
        speech = result.response.speech["plain"]
        rows = await self.hass.async_add_executor_job(
            self._rows, speech["extra_data"]["decision_id"]
        )
        [summary] = [row for kind, row in rows if kind == "chat.completed"]
        return Cell(
            heard=speech["speech"],
            error=result.response.response_type.value == "error",
            effects=self._effects,
            summary=summary,
            outcomes=tuple(kind for kind, _ in rows if kind.startswith(_CALLS)),
        )

    def play(self, vendor: str, steps: tuple[Step, ...]) -> None:
        """Let a vendor's server answer with these."""
        self.servers[vendor].script = Steps(*steps)

    @asynccontextmanager
    async def gone(self, vendor: str) -> AsyncIterator[None]:
        """Let a vendor's server be switched off for a while."""
        server = self.servers[vendor]
        port = int(server.url.removesuffix("/v1").rpartition(":")[2])
        await server.close()
        try:
            yield
        finally:
            await server.start(port)

    def make_impatient(self, key: str) -> None:
        """Give a brain no more time than the models have here."""
        for link in self._links():
            if link.key == key:
                object.__setattr__(link, "patience_s", SILENCE_S)

    def issues(self) -> set[str]:
        """Return the repairs of models that are open."""
        found = ir.async_get(self.hass).issues
        return {
            issue_id
            for domain, issue_id in found
            if domain == DOMAIN and issue_id.startswith("model_")
        }

    def asked_again(self) -> bool:
        """Return whether a form asks for a new key; closes it."""
        flows = self.hass.config_entries.flow.async_progress_by_handler(DOMAIN)
        for flow in flows:
            self.hass.config_entries.flow.async_abort(flow["flow_id"])
        return bool(flows)

    def _data(self, vendor: str) -> dict[str, Any]:
        data = {"provider": vendor, "starter_policy": "everyday"}
        if vendor == "anthropic":
            return {**data, "api_key": KEY, "model": MODEL}
        return {**data, **_server(self.servers[vendor])}

    def _links(self) -> Iterator[Link]:
        for assistant in self.entry.runtime_data.assistants.values():
            for provider in vars(assistant)["_providers"]:
                if isinstance(provider, Link):
                    yield provider

    def _models(self) -> Iterator[RemoteModel[Any]]:
        for provider in self.entry.runtime_data.providers:
            if isinstance(provider, RemoteModel):
                yield provider

    def _note(self, event: Event[Any]) -> None:
        if event.data["domain"] == "light":
            self._effects += 1

    def _rows(self, decision_id: str) -> list[tuple[str, dict[str, Any]]]:
        database = self.hass.config.path("caesar", "caesar.db")
        db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
        rows = db.execute(
            "SELECT event_type, payload FROM audit_log WHERE decision_id = ?"
            " ORDER BY id",
            (decision_id,),
        ).fetchall()
        db.close()
        return [(kind, json.loads(payload)) for kind, payload in rows]


_CALLS: Final = ("service.", "tool.denied", "tool.invalid", "tool.skipped")


@asynccontextmanager
async def house(folder: Path) -> AsyncIterator[House]:
    """Run the servers and the house."""
    config = folder / "config"
    config.mkdir(mode=0o700)
    servers: dict[str, FakeModelApi] = {
        "anthropic": FakeMessagesApi(model=MODEL),
        "openai_compatible": FakeChatApi(),
        "ollama": FakeOllama(),
        _SECOND: FakeChatApi(Healthy()),
    }
    for server in servers.values():
        await server.start()
    os.environ["ANTHROPIC_BASE_URL"] = servers["anthropic"].url
    try:
        with _alone():
            async with async_test_home_assistant(config_dir=str(config)) as hass:
                hass.data.pop(loader.DATA_CUSTOM_COMPONENTS, None)
                built = House(hass, servers)
                await built.async_move_in()
                yield built
                await hass.config_entries.async_unload(built.entry.entry_id)
                await hass.async_stop(force=True)
    finally:
        for server in servers.values():
            await server.close()


@contextmanager
def _alone() -> Iterator[None]:
    """Start neither the worker's process nor the reading of all sentences."""
    with (
        patch.object(LocalWorker, "async_start", lambda self: None),
        patch.object(WarmUp, "async_start", lambda self: None),
    ):
        yield


def _agent(subentry_id: str, title: str, **more: Any) -> ConfigSubentryDataWithId:
    data = {**AGENT_DEFAULTS, "model": "", "patience": SILENCE_S, **more}
    return ConfigSubentryDataWithId(
        subentry_id=subentry_id,
        subentry_type="conversation",
        title=title,
        unique_id=None,
        data=MappingProxyType(data),
    )


def _server(api: FakeModelApi) -> dict[str, Any]:
    if isinstance(api, FakeChatApi):
        return {
            "provider": "openai_compatible",
            "url": api.url,
            "api_key": CHAT_KEY,
            "model": CHAT_MODEL,
        }
    assert isinstance(api, FakeOllama)
    return {"provider": "ollama", "url": api.url, "model": api.model.name}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
