"""The process that CAESAR runs for its own tools: real ones, started and killed."""

import asyncio
from collections.abc import Awaitable, Callable, Sized
from functools import partial
import os
from pathlib import Path
import signal
import tempfile
from types import MappingProxyType
from typing import Any

from homeassistant.auth.models import User
from homeassistant.config_entries import ConfigSubentryData
from homeassistant.const import EVENT_HOMEASSISTANT_STARTED, EVENT_HOMEASSISTANT_STOP
from homeassistant.core import CoreState, HomeAssistant
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.util import dt as dt_util
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.caesar.adapters import worker_launch
from custom_components.caesar.adapters.local_worker import (
    BACKOFF_MAX_S,
    STABLE_S,
    LocalWorker,
)
from custom_components.caesar.adapters.worker_process import WorkerProcess
from custom_components.caesar.adapters.worker_status import LOCAL
from custom_components.caesar.const import (
    CONF_BACKEND,
    CONF_URL,
    DOMAIN,
    SUBENTRY_WEB_SEARCH,
)
from custom_components.caesar.policy.reason import Code
from tests.fakes.clock import FakeClock
from tests.ha.house import CaesarHouse, async_move_in

from .hosts import registry_of, until

POLICY = "version: 1\nallowed_tools:\n  - calculator\n"
# What it serves where nothing was set up.
UNASKED = ["calculator", "recall_memory", "semantic_recall"]
# A backend without its address: the tool refuses to start.
BAD_SEARCH = ConfigSubentryData(
    data=MappingProxyType({CONF_BACKEND: "searxng", CONF_URL: "nonsense"}),
    subentry_type=SUBENTRY_WEB_SEARCH,
    title="Search",
    unique_id=SUBENTRY_WEB_SEARCH,
)
ROOT = os.geteuid() == 0


def local_of(house: CaesarHouse) -> LocalWorker:
    """Return what keeps the process alive."""
    local: LocalWorker = house.entry.runtime_data.legion.local
    return local


async def up(house: CaesarHouse) -> int:
    """Wait until the process is heard; return its id."""

    def heard() -> bool:
        status = registry_of(house).status(LOCAL)
        return status is not None and status.online and local_of(house).pid is not None

    await until(house.hass, heard, "the local worker did not come up")
    pid = local_of(house).pid
    assert pid is not None
    return pid


def alive(pid: int) -> bool:
    """Return whether a process exists."""
    return Path(f"/proc/{pid}").exists()


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_it_answers_without_being_set_up(
    hass: HomeAssistant,
    hass_admin_user: User,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Right answer, no taint, the worker in the facts; all gone when unloaded."""
    temporary = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    pid = await up(house)
    report = await house.obey("calculator", {"expression": "17 / 100 * 249"})
    [outcome] = report.outcomes
    assert isinstance(outcome.data, dict)
    assert outcome.data["value"] == pytest.approx(42.33)
    assert outcome.facts["worker"] == "local"
    assert outcome.taint == frozenset()
    assert await hass.config_entries.async_unload(house.entry.entry_id)
    assert not alive(pid)
    assert list(temporary.iterdir()) == []


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_its_environment_holds_nothing_of_ours(
    hass: HomeAssistant, hass_admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Home Assistant's own may hold the Supervisor's token."""
    monkeypatch.setenv("SUPERVISOR_TOKEN", "secret")
    monkeypatch.setenv("CAESAR_TOOLS__WEB_SEARCH__BRAVE_API_KEY", "secret")
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    pid = await up(house)
    environ = await hass.async_add_executor_job(Path(f"/proc/{pid}/environ").read_bytes)
    names = {entry.partition(b"=")[0].decode() for entry in environ.split(b"\0")}
    assert names - {""} == {
        "PATH",
        "LANG",
        "TZ",
        "CAESAR_LEGION__SEED",
        "CAESAR_LEGION__HA_PUBLIC_KEY",
        "CAESAR_LEGION__TOOLS",
    }
    assert Path(f"/proc/{pid}/cwd").readlink() == Path("/")


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_where_we_are_root_it_is_nobody_and_sees_no_storage(
    hass: HomeAssistant, hass_admin_user: User, tmp_path: Path
) -> None:
    """Also with a configuration folder that only root may enter."""
    tmp_path.chmod(0o700)
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    pid = await up(house)
    status = await hass.async_add_executor_job(Path(f"/proc/{pid}/status").read_text)
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    expected = "65534" if ROOT else str(os.getuid())
    assert set(fields["Uid"].split()) == {expected}
    if not ROOT:
        return
    assert set(fields["Gid"].split()) == {"65534"}
    assert fields["Groups"].strip() == ""
    assert int(fields["CapEff"], 16) == 0
    # Its own view of the folder: nothing is there, whatever the modes of the files.
    seen = Path(f"/proc/{pid}/root{tmp_path}")
    assert await hass.async_add_executor_job(lambda: list(seen.iterdir())) == []
    assert (tmp_path / "caesar" / "policy.yaml").exists()


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_it_ends_when_home_assistant_stops(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """Home Assistant does not unload its entries then."""
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    pid = await up(house)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_STOP)
    await until(hass, lambda: not alive(pid), "still there")


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_a_tool_with_bad_settings_is_a_repair_and_the_others_work(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """The repair names the tool; it goes when the settings do."""
    house = await async_move_in(hass, hass_admin_user.id, POLICY, [BAD_SEARCH])
    await up(house)
    issues = ir.async_get(hass)
    found = issues.async_get_issue(DOMAIN, "local_tool_web_search")
    assert found is not None
    assert found.translation_placeholders is not None
    assert "SEARXNG" in found.translation_placeholders["problem"]
    assert [spec.name for spec in registry_of(house).tools()] == UNASKED
    [subentry] = house.entry.get_subentries_of_type(SUBENTRY_WEB_SEARCH)
    hass.config_entries.async_remove_subentry(house.entry, subentry.subentry_id)
    await hass.async_block_till_done()
    await up(house)
    assert issues.async_get_issue(DOMAIN, "local_tool_web_search") is None


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_killed_again_and_again_it_comes_back_and_says_so_once(
    hass: HomeAssistant, hass_admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Back-off doubles up to its limit; one that stays is well again."""
    waits: list[float] = []
    clock = FakeClock()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock.advance(seconds)

    _with(monkeypatch, clock, sleep)
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    issues = ir.async_get(hass)
    pids = set()
    for number in range(5):
        pid = await up(house)
        pids.add(pid)
        assert (issues.async_get_issue(DOMAIN, "local_worker") is None) == (number < 3)
        os.kill(pid, signal.SIGKILL)
        await until(hass, partial(_is_more, waits, number), "not noticed")
    assert len(pids) == 5
    assert waits == [1, 2, 4, 8, 16]
    assert max(waits) < BACKOFF_MAX_S
    await up(house)
    async_fire_time_changed(hass, dt_util.utcnow(), fire_all=True)
    await until(
        hass,
        lambda: issues.async_get_issue(DOMAIN, "local_worker") is None,
        "the repair stays",
    )
    clock.advance(STABLE_S)
    os.kill(await up(house), signal.SIGKILL)
    await until(hass, lambda: len(waits) == 6, "not started again")
    assert waits[-1] == 1
    await up(house)
    assert not [pid for pid in pids if alive(pid)]


def _is_more(things: Sized, number: int) -> bool:
    return len(things) > number


def _with(
    monkeypatch: pytest.MonkeyPatch,
    clock: FakeClock,
    sleep: Callable[[float], Awaitable[None]],
) -> None:
    """Have the local worker use this clock and this sleep."""
    made = LocalWorker.__init__

    def make(self: LocalWorker, *args: Any, **more: Any) -> None:
        made(self, *args, **{**more, "clock": clock, "sleep": sleep})

    monkeypatch.setattr(LocalWorker, "__init__", make)


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_a_call_that_hits_a_dead_process_is_answered(
    hass: HomeAssistant, hass_admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turn says that the helper is not running."""

    async def sleep(_seconds: float) -> None:
        await asyncio.Event().wait()

    _with(monkeypatch, FakeClock(), sleep)
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    os.kill(await up(house), signal.SIGKILL)
    report = await house.obey("calculator", {"expression": "1+1"})
    [outcome] = report.outcomes
    assert outcome.error is not None
    assert outcome.error.code is Code.NO_WORKER
    assert report.shown


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_a_fault_of_ours_is_not_the_end_of_it(
    hass: HomeAssistant, hass_admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong, there is a next try."""
    start, tries = WorkerProcess.start, 0

    async def sometimes(*given: Any) -> WorkerProcess:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise RuntimeError("nobody thought of this")
        return await start(*given)

    async def sleep(_seconds: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr(WorkerProcess, "start", sometimes)
    _with(monkeypatch, FakeClock(), sleep)
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    await up(house)
    assert tries == 3


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_it_waits_for_home_assistants_start(
    hass: HomeAssistant, hass_admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes nothing away from it, and isn't started after an unload before."""
    starts: list[object] = []
    start = WorkerProcess.start

    async def noted(*given: Any) -> WorkerProcess:
        starts.append(given)
        return await start(*given)

    monkeypatch.setattr(WorkerProcess, "start", noted)
    hass.set_state(CoreState.starting)
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    await hass.config_entries.async_reload(house.entry.entry_id)
    await hass.async_block_till_done()
    assert (starts, local_of(house).pid) == ([], None)

    hass.set_state(CoreState.running)
    hass.bus.async_fire(EVENT_HOMEASSISTANT_STARTED)
    await up(house)
    assert len(starts) == 1


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_a_process_that_cannot_start_is_a_repair(
    hass: HomeAssistant, hass_admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After three tries; the house works meanwhile."""

    async def sleep(_seconds: float) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr(worker_launch, "BOOT", "missing.py")
    _with(monkeypatch, FakeClock(), sleep)
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    await until(
        hass,
        lambda: ir.async_get(hass).async_get_issue(DOMAIN, "local_worker") is not None,
        "no repair",
    )
    assert registry_of(house).tools() == ()


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_the_sensor_and_device_of_the_local_worker(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """On while it is well, with its tools; its version stands at the device."""
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    pid = await up(house)
    [entry] = [
        e
        for e in er.async_entries_for_config_entry(
            er.async_get(hass), house.entry.entry_id
        )
        if e.domain == "binary_sensor"
    ]
    state = hass.states.get(entry.entity_id)
    assert state is not None
    assert state.state == "on"
    assert state.attributes["tools"] == UNASKED
    assert entry.device_id is not None
    device = dr.async_get(hass).async_get(entry.device_id)
    assert isinstance(device, dr.DeviceEntry)
    assert device.sw_version
    os.kill(pid, signal.SIGKILL)

    def off() -> bool:
        now = hass.states.get(entry.entity_id)
        return now is not None and now.state == "off"

    await until(hass, off, "still on")
