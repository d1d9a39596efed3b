"""A memory on a house's file, and ways to speak to it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import sqlite3
import threading
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers import issue_registry as ir

from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.adapters.memory import HouseMemory
from custom_components.caesar.audit.store import Store
from custom_components.caesar.brain.provider import Message, UserMessage
from custom_components.caesar.brain.session import Exchange, SessionKey
from custom_components.caesar.const import DOMAIN
from custom_components.caesar.policy.caller import Caller, Origin

DAY_S: Final = 86_400.0
MARKER: Final = "Rumpelstilzchen"


def key(channel: str = "conv:1", user: str | None = "boy") -> SessionKey:
    """Return a key."""
    return SessionKey(agent_id="agent", channel=channel, user_id=user)


def caller(user: str | None = "boy") -> Caller:
    """Return who asks."""
    origin = Origin.CHAT if user else Origin.VOICE
    return Caller(origin=origin, user_id=user, agent_id="agent", context_id="c")


class Clock:
    """Seconds since 1970, as a test wants them."""

    def __init__(self) -> None:
        """Start some day."""
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@asynccontextmanager
async def remembering(
    hass: HomeAssistant, *, window: int | None = None, **more: Any
) -> AsyncIterator[HouseMemory]:
    """Return a memory on this house's file, stopped in the end."""
    clock = more.pop("now", Clock())
    audit = HouseAuditLog(hass, now=clock, **more)
    await audit.async_start()
    memory = HouseMemory(hass, audit, lambda: window, clock)
    memory.async_start()
    try:
        yield memory
    finally:
        await memory.async_stop()
        await audit.async_stop()


async def say(
    memory: HouseMemory, number: int = 0, whose: SessionKey | None = None, **more: Any
) -> int | None:
    """Remember a turn."""
    whose = whose or key()
    exchange = Exchange(text=f"{MARKER} q{number}", answer=f"a{number}", **more)
    return await memory.add(whose, exchange, caller(whose.user_id))


def texts(messages: tuple[Message, ...]) -> list[str]:
    """Return what people said, without the marker."""
    return [
        each.text.removeprefix(f"{MARKER} ")
        for each in messages
        if isinstance(each, UserMessage)
    ]


async def on_file(hass: HomeAssistant, statement: str, *values: Any) -> list[Any]:
    """Run a statement on the file by another connection."""

    def run() -> list[Any]:
        db = sqlite3.connect(hass.config.path("caesar", "caesar.db"))
        rows = db.execute(statement, values).fetchall()
        db.commit()
        db.close()
        return rows

    return await hass.async_add_executor_job(run)


async def ids(hass: HomeAssistant) -> list[int]:
    """Return all rows' ids."""
    return [row[0] for row in await on_file(hass, "SELECT id FROM bot_memory")]


def told(hass: HomeAssistant) -> bool:
    """Return whether a repair says that a conversation could not be read."""
    return ir.async_get(hass).async_get_issue(DOMAIN, "memory_unreadable") is not None


class Held:
    """Keeps the writer's thread busy until it is let go."""

    def __init__(self, memory: HouseMemory) -> None:
        """Hold it from now on."""
        self._let_go = threading.Event()
        writer = memory._audit._writer
        assert writer is not None
        self.future = asyncio.wrap_future(writer.call(self._hold))

    def _hold(self, _: Store) -> None:
        assert self._let_go.wait(10)

    async def release(self) -> None:
        """Let it go."""
        self._let_go.set()
        await self.future
