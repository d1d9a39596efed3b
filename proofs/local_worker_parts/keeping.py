"""Kills the local worker over and over below a house; the clock is injected."""

import asyncio
import os
from pathlib import Path
import signal
import tempfile
import time
from typing import Any

from homeassistant import loader
from homeassistant.core import Event
from homeassistant.helpers import issue_registry as ir
from pytest_homeassistant_custom_component.common import async_test_home_assistant

from custom_components.caesar.adapters.local_worker import LocalWorker
from custom_components.caesar.adapters.worker_status import LOCAL
from custom_components.caesar.const import DOMAIN
from house.in_hass import async_build_house
from proofs.crash_parts.findings import must
from tests.fakes.clock import FakeClock
from tests.ha.house import CaesarHouse, async_move_in

from .processes import gone

_POLICY = """version: 1
allowed_services:
  - light.turn_on
  - light.turn_off
allowed_tools:
  - calculator
"""
_UP_S = 60.0
_ISSUE = "local_worker"


async def prove_keeping(folder: Path, kills: int) -> str:
    """Kill it so many times; the house goes on and says so once."""
    tempfile.tempdir = str(folder)
    waits: list[float] = []
    clock = FakeClock()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock.advance(seconds)

    made = LocalWorker.__init__

    def make(self: LocalWorker, *args: Any, **more: Any) -> None:
        made(self, *args, **{**more, "clock": clock, "sleep": sleep})

    LocalWorker.__init__ = make  # type: ignore[method-assign]  # the injected clock
    try:
        return await _prove(folder, kills, waits)
    finally:
        LocalWorker.__init__ = made  # type: ignore[method-assign]  # the class as it was before
        tempfile.tempdir = None


async def _prove(folder: Path, kills: int, waits: list[float]) -> str:
    config = folder / "config"
    config.mkdir(mode=0o700)
    raised: list[str] = []
    async with async_test_home_assistant(config_dir=str(config)) as hass:
        hass.data.pop(loader.DATA_CUSTOM_COMPONENTS, None)

        def note(event: Event[Any]) -> None:
            if event.data["issue_id"] == _ISSUE:
                raised.append(event.data["action"])

        hass.bus.async_listen(ir.EVENT_REPAIRS_ISSUE_REGISTRY_UPDATED, note)
        owner = await hass.auth.async_create_user("Owner", group_ids=["system-admin"])
        await async_build_house(hass)
        house = await async_move_in(hass, owner.id, _POLICY)
        worst, answered = 0.0, 0
        others: list[Any] = []
        for number in range(kills):
            os.kill(await _up(house), signal.SIGKILL)
            # A session may call thirty times a minute.
            if number % 2 == 0:
                started = time.monotonic()
                answer = await house.ask("which lights are on?")
                worst = max(worst, time.monotonic() - started)
                if [call["outcome"] for call in answer["calls"]] == ["ok"]:
                    answered += 1
                else:
                    others.append(answer)
            await _until(house, lambda seen=number: len(waits) > seen)
        await _up(house)
        report = await house.obey("calculator", {"expression": "17/100*249"})
        error = report.outcomes[0].error
        must(error is None, f"it still calculates: {error}")
        must(not others, f"every question was answered: {others}")
        must(raised.count("create") == 1, f"one repair issue: {raised}")
        found = ir.async_get(hass).async_get_issue(DOMAIN, _ISSUE)
        must(found is not None, "the repair is there")
        key = house.entry.runtime_data.workers.public_key
        await hass.config_entries.async_unload(house.entry.entry_id)
        must(await asyncio.to_thread(gone, key, 5), "no child is left")
        copies = list(folder.glob("caesar-worker-*"))
        must(not copies, f"no copy of its code is left: {copies}")
        await hass.async_stop(force=True)
    return (
        f"{kills} kills, {len(waits)} restarts after {waits[0]:.0f} to {max(waits):.0f}"
        f" s of the injected clock, one repair issue, {answered} questions answered"
        f" meanwhile (slowest {worst * 1000:.0f} ms), no child left"
    )


async def _up(house: CaesarHouse) -> int:
    """Wait for the process to be well; return its id."""
    local: LocalWorker = house.entry.runtime_data.legion.local

    def well() -> bool:
        status = house.entry.runtime_data.workers.status(LOCAL)
        return local.pid is not None and status is not None and status.online

    await _until(house, well)
    assert local.pid is not None
    return local.pid


async def _until(house: CaesarHouse, is_so: Any) -> None:
    async with asyncio.timeout(_UP_S):
        while not is_so():
            await asyncio.sleep(0.02)
            await house.hass.async_block_till_done()
