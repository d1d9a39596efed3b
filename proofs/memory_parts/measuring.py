"""How long remembering takes: with the real file and its writer, no integrations."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from statistics import quantiles
import time
from typing import Final

from homeassistant.core import CoreState, HomeAssistant
from homeassistant.helpers import issue_registry as ir

from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.adapters.memory import HouseMemory
from custom_components.caesar.audit import memory as rows
from custom_components.caesar.audit.memory import KeptTurn, MemoryKeys
from custom_components.caesar.audit.store import Store
from custom_components.caesar.brain.exchange_bytes import to_bytes
from custom_components.caesar.brain.session import Exchange, SessionKey
from custom_components.caesar.policy.caller import Caller, Origin
from proofs.crash_parts.findings import must
from proofs.crash_parts.small_house import DATABASE

TURNS: Final = 50
SAID: Final = Exchange(
    text="Is the window in the children's room open, and how warm is it there? " * 2,
    answer="The window is closed, and it is 21.5 degrees in the children's room. " * 4,
)
# A turn with its model takes a second or more; this is what memory may add to it.
MOST_MS: Final = 50.0


async def measure(folder: Path, others: int) -> str:
    """Measure on a file that holds `others` rows of other conversations as well."""
    hass = HomeAssistant(str(folder))
    await ir.async_load(hass)
    hass.set_state(CoreState.running)
    audit = HouseAuditLog(hass, folder / DATABASE)
    await audit.async_start()
    memory = HouseMemory(hass, audit)
    try:
        await _fill(audit, others)
        whose = [
            SessionKey(agent_id="a", channel=f"c{n}", user_id="u") for n in range(5)
        ]
        caller = Caller(origin=Origin.CHAT, user_id="u", agent_id="a", context_id="c")
        added = [
            await _took(partial(memory.add, key, SAID, caller))
            for key in whose
            for _ in range(TURNS)
        ]
        known = [await _took(partial(memory.recall, key)) for key in whose * 20]
        must(len((await memory.recall(whose[0])).messages) == 2 * TURNS, "all is known")
        fresh = [HouseMemory(hass, audit) for _ in range(4)]
        read = [
            await _took(partial(each.recall, key)) for each in fresh for key in whose
        ]
        must(len((await fresh[0].recall(whose[1])).messages) == 2 * TURNS, "all comes")
        started = time.perf_counter()
        must(await memory.async_sweep() == 0, "nothing is old")
        sweep = (time.perf_counter() - started) * 1000
    finally:
        await audit.async_stop()
        await hass.async_stop(force=True)
    for name, figures in (("add", added), ("recall", known), ("read", read)):
        must(_mid(figures) < MOST_MS, f"{name} takes {_mid(figures):.1f} ms")
    return (
        f"{TURNS} turns of a conversation, {others} rows beside them: kept in "
        f"{_said(added)}, recalled in {_said(known)}, from the disk in {_said(read)}; "
        f"a sweep looks through all in {sweep:.1f} ms"
    )


async def _fill(audit: HouseAuditLog, count: int) -> None:
    keys, plain = MemoryKeys(audit.vault), to_bytes(SAID)

    def fill(first: int, last: int) -> Callable[[Store], None]:
        def work(store: Store) -> None:
            for number in range(first, last):
                kept = KeptTurn(
                    session=keys.session(f"other {number % 500}"),
                    agent_id="a",
                    user_id="other",
                    origin="chat",
                    kept_at=time.time(),
                )
                rows.put(store.database.connection, keys, kept, plain)

        return work

    for first in range(0, count, 5_000):
        await audit.async_work(fill(first, min(first + 5_000, count)))


async def _took[T](work: Callable[[], Awaitable[T]]) -> float:
    """Return how long something takes, in ms."""
    await asyncio.sleep(0)
    started = time.perf_counter()
    await work()
    return (time.perf_counter() - started) * 1000


def _mid(figures: list[float]) -> float:
    return quantiles(figures, n=100)[49]


def _said(figures: list[float]) -> str:
    return f"{_mid(figures):.2f} ms (p99 {quantiles(figures, n=100)[98]:.2f})"
