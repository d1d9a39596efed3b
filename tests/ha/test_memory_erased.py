"""What is erased of the memory, and what never comes back."""

import asyncio
from datetime import timedelta
from pathlib import Path

from homeassistant.core import HomeAssistant
from homeassistant.util.dt import utcnow
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.caesar.adapters.memory import CHUNK, IDLE_DAYS
from custom_components.caesar.adapters.memory_rows import MemoryChange, Scope
from custom_components.caesar.brain.session import Exchange

from .remembering import DAY_S, Clock, Held, caller, ids, key, remembering, say, texts


@pytest.mark.parametrize(
    ("scope", "left"),
    [
        (Scope(session=key()), ["kid's", "boy's other", "device"]),
        (Scope(user_id="boy"), ["kid's", "device"]),
        (Scope(session=key("device:1", None)), ["boy's", "kid's", "boy's other"]),
        (Scope(user_id="nobody"), ["boy's", "kid's", "boy's other", "device"]),
        (Scope(), []),
    ],
)
async def test_forget(hass: HomeAssistant, scope: Scope, left: list[str]) -> None:
    """Exactly what was meant goes, from memory, disk and log; listeners hear of it."""
    sessions = {
        "boy's": key(),
        "kid's": key(user="kid"),
        "boy's other": key("conv:2"),
        "device": key("device:1", None),
    }
    changes: list[MemoryChange] = []
    async with remembering(hass) as memory:
        for whose in sessions.values():
            await say(memory, 0, whose)
        end = memory.listen(changes.append)
        erased = await memory.forget(scope)
        assert erased == 4 - len(left)
        gone = {each for change in changes for each in change.erased}
        assert gone == {1, 2, 3, 4} - set(await ids(hass))
        assert [change.all_erased for change in changes if change.all_erased] == (
            [] if left else [True]
        )
        end()
        for _ in range(2):
            for name, whose in sessions.items():
                known = bool((await memory.recall(whose)).messages)
                assert known is (name in left), name
            # Once more from the disk.
            memory._sessions.clear()
        wal = Path(hass.config.path("caesar", "caesar.db-wal"))
        assert (await hass.async_add_executor_job(wal.stat)).st_size == 0
        assert await say(memory, 9) == 5
    assert len(changes) == (0 if not erased else 2 if not left else 1)


async def test_what_is_forgotten_stays_forgotten(hass: HomeAssistant) -> None:
    """A turn that began before can't bring it back, nor a slow disk."""
    async with remembering(hass) as memory:
        before = await memory.recall(key())
        kids = await memory.recall(key(user="kid"))
        held = Held(memory)
        writing = asyncio.ensure_future(say(memory, 1))
        queued = asyncio.ensure_future(say(memory, 2))
        await asyncio.sleep(0)
        forgetting = asyncio.ensure_future(memory.forget(Scope(session=key())))
        await asyncio.sleep(0)
        late = Exchange(text="late", answer="a")
        mark = before.mark
        assert await memory.add(key(), late, caller(), mark=mark) is None
        await held.release()
        await asyncio.gather(writing, queued, forgetting)
        assert await queued is None
        assert (await memory.recall(key())).messages == ()
        assert await ids(hass) == []
        # Another's turn of the same moment counts, and so does the next one here.
        other = key(user="kid")
        assert await memory.add(other, late, caller("kid"), mark=kids.mark)
        assert await memory.add(key(), late, caller(), mark=memory.mark)


async def test_forgotten_before_it_is_written(hass: HomeAssistant) -> None:
    """A turn that memory shows no more, as newer ones came, isn't written after that."""
    async with remembering(hass, window=1) as memory:
        added = [
            memory.add(key(), Exchange(text=f"q{number}", answer="a"), caller())
            for number in range(2)
        ]
        assert await memory.forget(Scope(session=key())) == 0
        assert await asyncio.gather(*added) == [None, None]
        assert await ids(hass) == []


async def test_a_conversation_read_while_it_is_forgotten(hass: HomeAssistant) -> None:
    """What was read before is not known after."""
    async with remembering(hass) as memory:
        await say(memory, 1)
    async with remembering(hass) as memory:
        held = Held(memory)
        reading = asyncio.ensure_future(memory.recall(key()))
        await asyncio.sleep(0)
        forgetting = asyncio.ensure_future(memory.forget(Scope()))
        await asyncio.sleep(0)
        await held.release()
        assert await forgetting == 1
        assert (await reading).messages == ()
        assert (await memory.recall(key())).messages == ()


async def test_old_turns_go(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Idle conversations after a month, all turns with the trail's retention."""
    clock = Clock()
    async with remembering(hass, now=clock) as memory:
        memory._audit.retention_days = 90
        await say(memory, 1, key("conv:idle"))
        await say(memory, 2, key("device:1", None))
        for day in range(10):
            clock.now += 10 * DAY_S
            await say(memory, 10 + day, key("device:1", None))
        assert await memory.async_sweep() == 2
        # Of one that is spoken to every ten days, what is older than 90 days.
        kept = (await memory.recall(key("device:1", None))).messages
        assert texts(kept) == [f"q{n}" for n in range(10, 20)]
        assert (await memory.recall(key("conv:idle"))).messages == ()
        memory._audit.retention_days = 5
        clock.now += 6 * DAY_S
        assert await memory.async_sweep() == 10
        assert (await memory.recall(key("device:1", None))).messages == ()
        assert await memory.async_sweep() == 0
        await say(memory, 3)
        clock.now += (IDLE_DAYS + 1) * DAY_S
        memory._audit.retention_days = 3650
        assert await memory.async_sweep() == 1
        monkeypatch.setattr("custom_components.caesar.adapters.memory.MAX_ROWS", 3)
        for number in range(5):
            await say(memory, number)
        assert await memory.async_sweep() == 2
        assert texts((await memory.recall(key())).messages) == ["q2", "q3", "q4"]


async def test_more_than_one_commit(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Erasing much holds nobody up for long, and erases all."""
    monkeypatch.setattr("custom_components.caesar.adapters.memory.CHUNK", 3)
    assert CHUNK > 100
    async with remembering(hass) as memory:
        for number in range(7):
            await say(memory, number)
        assert await memory.forget(Scope(user_id="boy")) == 7
        assert await ids(hass) == []


async def test_every_hour(hass: HomeAssistant) -> None:
    """Nobody has to ask for it; a file that can't be written is looked at later."""
    clock = Clock()
    async with remembering(hass, now=clock) as memory:
        await say(memory)
        clock.now += (IDLE_DAYS + 1) * DAY_S
        async_fire_time_changed(hass, utcnow() + timedelta(hours=1, seconds=1))
        await hass.async_block_till_done(wait_background_tasks=True)
        assert await ids(hass) == []
        await say(memory)
        await memory._audit.async_stop()
        async_fire_time_changed(hass, utcnow() + timedelta(hours=3))
        await hass.async_block_till_done(wait_background_tasks=True)
    async_fire_time_changed(hass, utcnow() + timedelta(hours=5))
    await hass.async_block_till_done(wait_background_tasks=True)
    assert await ids(hass) == [2]


async def test_a_backup_in_the_way(hass: HomeAssistant) -> None:
    """What was erased meanwhile leaves the log within the hour after it."""
    wal = Path(hass.config.path("caesar", "caesar.db-wal"))
    async with remembering(hass) as memory:
        await memory._audit.async_begin_backup()
        await say(memory)
        assert await memory.forget(Scope()) == 1
        size = (await hass.async_add_executor_job(wal.stat)).st_size
        assert size > 0
        await memory._audit.async_end_backup()
        assert await memory.async_sweep() == 0
        assert (await hass.async_add_executor_job(wal.stat)).st_size == 0
        # No more than once.
        await say(memory)
        assert await memory.async_sweep() == 0
        assert (await hass.async_add_executor_job(wal.stat)).st_size > 0
