"""Set-up, unload, reload and removal leave nothing behind."""

import asyncio
from collections import Counter
import gc
import os
from pathlib import Path
import threading
from typing import Any

from homeassistant.auth.models import User
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, ServiceCall
import pytest

import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.loop_guard import loop_guard
from tests.ha.house import CaesarHouse, async_move_in

ROUNDS = 20
ROUNDS_WITH_WORKER = 8


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house."""
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id)


def _open_files(folder: str) -> Counter[str]:
    """Return the files of a house's configuration folder that are held open."""
    found: Counter[str] = Counter()
    for handle in Path("/proc/self/fd").iterdir():
        try:
            found[str(handle.readlink())] += 1
        except OSError:
            continue
    return Counter({name: n for name, n in found.items() if name.startswith(folder)})


def _threads() -> set[str]:
    return {thread.name for thread in threading.enumerate() if "caesar" in thread.name}


def _children() -> str:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text()


async def test_unload_and_reload_twenty_times(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """No task, listener, thread, file handle or child stays."""
    entry_id = house.entry.entry_id
    # Home Assistant's own recogniser begins to listen with the first sentence.
    await house.ask("turn on the kitchen light")
    assert await hass.config_entries.async_unload(entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    listeners = dict(hass.bus.async_listeners())
    tasks = len(asyncio.all_tasks())
    children = _children()
    assert _open_files(str(house.database.parent)) == Counter()
    assert _threads() == set()

    with loop_guard():
        for _ in range(ROUNDS):
            assert await hass.config_entries.async_setup(entry_id)
            await hass.async_block_till_done()
            answer = await house.ask("turn on the kitchen light")
            assert answer["calls"][0]["outcome"] == "ok"
            assert await hass.config_entries.async_unload(entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    gc.collect()

    # Home Assistant's own delayed writes may be done meanwhile: more is a leak.
    more = {
        event: count - listeners.get(event, 0)
        for event, count in hass.bus.async_listeners().items()
        if count > listeners.get(event, 0)
    }
    assert more == {}
    assert len(asyncio.all_tasks()) <= tasks
    assert _threads() == set()
    assert _open_files(str(house.database.parent)) == Counter()
    assert _children() == children


def _handles() -> Counter[str]:
    """Return how many sockets, pipes and files this process holds, by kind."""
    found: Counter[str] = Counter()
    for handle in Path("/proc/self/fd").iterdir():
        try:
            found[str(handle.readlink()).partition(":")[0]] += 1
        except OSError:
            continue
    return found


def _others() -> set[str]:
    """Return the threads that are not of Home Assistant's pools."""
    names = {thread.name for thread in threading.enumerate()}
    return {name for name in names if not name.startswith(("SyncWorker", "Import"))}


async def _served(house: CaesarHouse) -> int:
    """Wait until the local worker is well; return its process id."""
    legion = house.entry.runtime_data.legion
    async with asyncio.timeout(60):
        while not any(tool.name == "calculator" for tool in legion.registry.tools()):
            await asyncio.sleep(0.02)
    pid: int = legion.local.pid
    return pid


@pytest.mark.usefixtures("local_worker", "warm_up", "socket_enabled")
async def test_reloads_with_the_local_worker_running(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Its process, pipes, connections and tasks go with each unload."""
    entry_id = house.entry.entry_id
    await house.ask("turn on the kitchen light")
    pids = {await _served(house)}
    assert await hass.config_entries.async_unload(entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    gc.collect()
    listeners, tasks = dict(hass.bus.async_listeners()), asyncio.all_tasks()
    handles, threads, children = _handles(), _others(), _children()

    for number in range(ROUNDS_WITH_WORKER):
        assert await hass.config_entries.async_setup(entry_id)
        if number % 3 == 0:
            # Unloaded while it starts.
            await asyncio.sleep(0.1 * number)
        else:
            pids.add(pid := await _served(house))
            assert str(pid) in _children().split()
            answer = await house.ask("what is 17 percent of 249")
            assert answer["calls"][0]["outcome"] == "ok"
        assert await hass.config_entries.async_unload(entry_id)
        assert _children() == children
    await hass.async_block_till_done(wait_background_tasks=True)
    gc.collect()

    assert len(pids) == 1 + ROUNDS_WITH_WORKER - len(range(0, ROUNDS_WITH_WORKER, 3))
    assert asyncio.all_tasks() - tasks == set()
    assert _others() - threads == set()
    assert _handles() - handles == Counter()
    assert Counter(hass.bus.async_listeners()) - Counter(listeners) == Counter()


async def test_a_house_that_cannot_be_built_leaves_nothing(
    hass_storage: dict[str, Any], hass: HomeAssistant, house: CaesarHouse
) -> None:
    """What had been started by then is stopped; mended, it is built as ever."""
    entry_id = house.entry.entry_id
    kept = hass_storage["caesar.legion"]["data"]
    good = kept["seed"]
    assert await hass.config_entries.async_unload(entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    listeners = dict(hass.bus.async_listeners())
    kept["seed"] = "changed by hand"
    assert not await hass.config_entries.async_setup(entry_id)
    await hass.async_block_till_done(wait_background_tasks=True)
    assert _threads() == set()
    assert _open_files(str(house.database.parent)) == Counter()
    assert Counter(hass.bus.async_listeners()) - Counter(listeners) == Counter()
    kept["seed"] = good
    assert await hass.config_entries.async_reload(entry_id)
    answer = await house.ask("turn on the kitchen light")
    assert answer["calls"][0]["outcome"] == "ok"


async def test_removal_takes_the_users_and_leaves_the_trail(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Policy and trail are the owner's; CAESAR's own users go."""
    await house.ask("turn on the kitchen light")
    names = {user.name for user in await hass.auth.async_get_users()}
    assert {"CAESAR voice", "CAESAR automations"} <= names
    await hass.config_entries.async_remove(house.entry.entry_id)
    await hass.async_block_till_done()
    names = {user.name for user in await hass.auth.async_get_users()}
    assert not {"CAESAR voice", "CAESAR automations"} & names
    exists = await hass.async_add_executor_job(house.database.exists)
    assert exists


async def test_a_change_of_the_entry_reloads_it(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """A changed agent is in force without a restart."""
    before = house.entry.runtime_data
    subentry = next(iter(house.entry.subentries.values()))
    hass.config_entries.async_update_subentry(
        house.entry,
        subentry,
        title="Butler",
        data={**subentry.data, "brain": "builtin"},
    )
    await hass.async_block_till_done()
    assert house.entry.state is ConfigEntryState.LOADED
    assert house.entry.runtime_data is not before
    assert house.assistant.settings.title == "Butler"


async def test_a_call_under_way_is_concluded_before_the_house_closes(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Unloading in the middle of a call leaves no call that reads as interrupted."""
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(call: ServiceCall) -> None:
        begun.set()
        await go_on.wait()

    hass.services.async_register("light", "turn_on", slow)
    asking = hass.async_create_task(house.ask("turn on the kitchen light"))
    await begun.wait()
    unloading = hass.async_create_task(
        hass.config_entries.async_unload(house.entry.entry_id)
    )
    await asyncio.sleep(0)
    go_on.set()
    assert await unloading
    answer = await asking
    [row] = await house.trail(answer["decision_id"])
    assert row["result"] == "ok"
