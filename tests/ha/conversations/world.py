"""A real house whose brain is changed between conversations, and what they leave."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
import json
import sqlite3
from types import MappingProxyType
from typing import Any, Final

from homeassistant.config_entries import ConfigEntryState, ConfigSubentryData
from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util
import pytest

from custom_components.caesar.const import (
    AGENT_DEFAULTS,
    CONF_API_KEY,
    CONF_BACKEND,
    CONF_BRAIN,
    CONF_CALENDARS,
    CONF_MODEL,
    CONF_PASSWORD,
    CONF_PROVIDER,
    CONF_STARTER_POLICY,
    CONF_THINK,
    CONF_URL,
    CONF_USERNAME,
    SUBENTRY_CALENDAR,
    SUBENTRY_CONVERSATION,
    SUBENTRY_WEB_SEARCH,
    Brain,
    ProviderKind,
    StarterPolicy,
)
from custom_components.caesar.policy.call import tool_id
from custom_components.caesar.providers.thinking import Think
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.caldav import PASSWORD, USERNAME, FakeCalDav
from tests.fakes.chat_completions_api import KEY as CHAT_KEY, FakeChatApi
from tests.fakes.messages_api import KEY, FakeMessagesApi
from tests.fakes.messages_script import Block, Other
from tests.fakes.messages_thinking import WITH_BUDGET
from tests.fakes.model_api import FakeModelApi
from tests.fakes.ollama_api import FakeOllama
from tests.fakes.searxng import FakeSearxng
from tests.ha.approvals import say, speech, until, waiting
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.workers.hosts import registry_of

from .script import AT_FIRST, LIGHT, LOCK, POLICY, Conversation

# What differs from turn to turn, or from brain to brain: who it was, when, how long,
# what it cost, and how the rows hang together.
_OF_A_ROW: Final = frozenset(
    {"id", "ts", "created_at", "chain_seq", "intent_seq", "prev_hash", "row_hash"}
    | {"boot", "decision_id", "context_id", "session"}
)
_OF_A_PAYLOAD: Final = frozenset(
    {"context_id", "duration_ms", "task_id", "turn_id", "memory_id", "approval_id"}
    | {"asked_at", "expires_at", "latency_s", "provider", "model"}
    | {"input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"}
)
_OF_A_CALLER: Final = frozenset({"context_id", "conversation_id"})
TOMORROW_AT: Final = "T090000"
# What a model thinks, as its server sends it; nobody must ever hear of it.
THOUGHT: Final = "The person seems to mean a lamp."
THOUGHTS: Final[Mapping[ProviderKind, Block]] = {
    ProviderKind.ANTHROPIC: Other(
        block={"type": "thinking", "thinking": "", "signature": ""},
        deltas=[
            {"type": "thinking_delta", "thinking": THOUGHT},
            {"type": "signature_delta", "signature": "c2ln"},
        ],
    ),
    ProviderKind.OPENAI_COMPATIBLE: Other(
        block={}, deltas=[{"reasoning_content": THOUGHT}]
    ),
    ProviderKind.OLLAMA: Other(block={"thinking": THOUGHT}),
}
type Servers = Mapping[ProviderKind, FakeModelApi]


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What a conversation has left: words, rows, how the house is, what waits.

    `shown` is what a model had in front of it of the conversation, turn by turn.
    """

    answers: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    states: Mapping[str, str]
    waits: tuple[str, ...]
    shown: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class World:
    """CAESAR in the demo house, with tools that reach something and four brains."""

    house: CaesarHouse
    servers: Servers
    kind: ProviderKind = ProviderKind.BUILTIN

    async def think_with(self, kind: ProviderKind) -> None:
        """Change who thinks: as if the house had been set up with it."""
        hass, entry = self.house.hass, self.house.entry
        self.kind = kind
        assert await hass.config_entries.async_unload(entry.entry_id)
        kept = {CONF_STARTER_POLICY: StarterPolicy.EVERYDAY.value}
        hass.config_entries.async_update_entry(
            entry, data={CONF_PROVIDER: kind.value, **kept, **self._account(kind)}
        )
        (agent,) = entry.get_subentries_of_type(SUBENTRY_CONVERSATION)
        brain = Brain.BUILTIN if kind is ProviderKind.BUILTIN else Brain.MODEL
        model = self._account(kind).get(CONF_MODEL, AGENT_DEFAULTS[CONF_MODEL])
        hass.config_entries.async_update_subentry(
            entry,
            agent,
            data={**agent.data, CONF_BRAIN: brain.value, CONF_MODEL: model},
        )
        assert await hass.config_entries.async_setup(entry.entry_id)
        await hass.async_block_till_done()
        assert entry.state is ConfigEntryState.LOADED
        await self.until_tools()

    def _account(self, kind: ProviderKind) -> dict[str, str]:
        """Return what the house keeps of a model."""
        match self.servers.get(kind):
            case FakeChatApi() as chat:
                return {
                    CONF_URL: chat.url,
                    CONF_API_KEY: CHAT_KEY,
                    CONF_MODEL: chat.model,
                }
            case FakeOllama() as server:
                return {
                    CONF_URL: server.url,
                    CONF_MODEL: server.model.name,
                    CONF_THINK: Think.LOW.value,
                }
            case FakeMessagesApi():
                return {CONF_API_KEY: KEY, CONF_THINK: Think.LOW.value}
        return {}

    async def until_tools(self) -> None:
        """Wait until the local worker has said what it can."""
        wanted = {"calculator", "calendar_read", "web_search"}

        def are_there() -> bool:
            return wanted <= {tool.name for tool in registry_of(self.house).tools()}

        await until(self.house, are_there)

    async def hold(self, conversation: Conversation) -> Left:
        """Hold a conversation; a model answers as it is written down."""
        await self._as_at_first()
        before = await self._last_row()
        # Home Assistant would put one of its own in place of an id that looks like one.
        session = f"{conversation.name} with {self.kind}"
        answers: list[str] = []
        shown: list[str] = []
        server = self.servers.get(self.kind)
        for said in conversation.said:
            if server is not None:
                server.script = said.script(THOUGHTS[self.kind])
            result = await say(self.house, said.text, conversation_id=session)
            answers.append(speech(result))
            if server is not None:
                shown.append(json.dumps(server.rounds[-1]["messages"]))
        return Left(
            answers=tuple(answers),
            rows=tuple(_decided_first(await self._rows(before))),
            states={one: self.house.state(one) for one in AT_FIRST},
            waits=tuple(tool_id(each.call) for each in waiting(self.house)),
            shown=tuple(shown),
        )

    async def _as_at_first(self) -> None:
        """Put everything back, past CAESAR."""
        for action, entity_id in (
            ("light.turn_off", LIGHT),
            ("lock.lock", LOCK),
        ):
            domain, service = action.split(".")
            await self.house.hass.services.async_call(
                domain, service, {"entity_id": entity_id}, blocking=True
            )
        assert {one: self.house.state(one) for one in AT_FIRST} == AT_FIRST

    async def _last_row(self) -> int:
        """Return the newest row of the trail."""
        return max((row["id"] for row in await self._rows(0)), default=0)

    async def _rows(self, after: int) -> list[dict[str, Any]]:
        """Return the rows of the trail after one, with what they hold as values."""
        await self.house.hass.async_block_till_done()
        database = self.house.database

        def read() -> list[dict[str, Any]]:
            db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
            db.row_factory = sqlite3.Row
            # What a call of a model cost is in the trail too; the built-in brain has none.
            found = db.execute(
                "SELECT * FROM audit_log WHERE id > ? AND event_type != 'llm.called'"
                " ORDER BY id",
                (after,),
            ).fetchall()
            db.close()
            return [dict(row) for row in found]

        rows = await self.house.hass.async_add_executor_job(read)
        for row in rows:
            for column in ("payload", "caller", "taint"):
                row[column] = json.loads(row[column]) if row[column] else row[column]
        return rows


def _decided_first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with an answer before what goes on because of it.

    Two write at once there, and chance says whose row is the first.
    """
    ordered = list(rows)
    for at, (row, following) in enumerate(pairwise(rows)):
        pair = (row["event_type"], following["event_type"])
        if pair == ("loop.resumed", "approval.decided"):
            ordered[at : at + 2] = following, row
    return ordered


def comparable(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without what differs between two turns, or between two brains."""

    def without(value: Any, names: frozenset[str]) -> Any:
        if isinstance(value, dict):
            return {k: without(v, names) for k, v in value.items() if k not in names}
        return value

    kept: dict[str, Any] = without(dict(row), _OF_A_ROW)
    kept["payload"] = without(row["payload"], _OF_A_PAYLOAD)
    kept["caller"] = without(row["caller"], _OF_A_CALLER)
    return kept


def in_short(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return a row as conversations write it down."""
    payload = row["payload"]
    short = [row["event_type"]]
    if tool := payload.get("tool"):
        short.append(tool)
    if finish := payload.get("finish"):
        short.append(finish)
    if outcome := payload.get("outcome"):
        short.append(outcome.get("error", "ok"))
    return tuple(short)


def event_tomorrow() -> str:
    """Return an appointment of tomorrow, as a calendar's server has it."""
    day = f"{dt_util.now() + timedelta(days=1):%Y%m%d}"
    return (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//demo//EN\r\nBEGIN:VEVENT\r\n"
        f"UID:choir\r\nDTSTAMP:{day}T000000Z\r\nDTSTART:{day}{TOMORROW_AT}\r\n"
        f"DTEND:{day}T100000\r\nSUMMARY:Choir\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )


@asynccontextmanager
async def world(
    hass: HomeAssistant, user_id: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[World]:
    """Build the house, with its tools and the models' servers around it."""
    async with AsyncExitStack() as stack:
        calendars = FakeCalDav({"Family": [event_tomorrow()]})
        await stack.enter_async_context(calendars.running())
        search = await stack.enter_async_context(FakeSearxng())
        servers: dict[ProviderKind, FakeModelApi] = {
            ProviderKind.ANTHROPIC: FakeMessagesApi(can=WITH_BUDGET),
            ProviderKind.OPENAI_COMPATIBLE: FakeChatApi(),
            ProviderKind.OLLAMA: FakeOllama(),
        }
        for server in servers.values():
            await stack.enter_async_context(server)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", servers[ProviderKind.ANTHROPIC].url)
        await async_build_house(hass)
        tools = [
            _settings(
                SUBENTRY_WEB_SEARCH, {CONF_BACKEND: "searxng", CONF_URL: search.url}
            ),
            _settings(
                SUBENTRY_CALENDAR,
                {
                    CONF_URL: calendars.url,
                    CONF_USERNAME: USERNAME,
                    CONF_PASSWORD: PASSWORD,
                    CONF_CALENDARS: ["Family"],
                },
            ),
        ]
        house = await async_move_in(hass, user_id, POLICY, tools)
        yield World(house=house, servers=servers)


def _settings(kind: str, data: Mapping[str, Any]) -> ConfigSubentryData:
    return ConfigSubentryData(
        data=MappingProxyType(dict(data)),
        subentry_type=kind,
        title=kind,
        unique_id=kind,
    )
