"""Shared by all tests."""

import asyncio
from pathlib import Path
from typing import Any

from homeassistant import runner
import pytest

# The test helpers bring a package of the same name that would win otherwise.
import custom_components.caesar  # noqa: F401  before they look for integrations


@pytest.fixture
def hass_config_dir(tmp_path: Path) -> str:
    """Give every test a configuration folder of its own.

    The helpers' own is one for all, also for tests that run side by side.
    """
    return str(tmp_path)


@pytest.fixture
async def configure_event_loop() -> None:
    """Configure the loop as the test helpers do, but end idle threads without threads.

    asyncio starts a thread to wait for the executor's threads, twice for every test:
    the helpers end it, then the loop does once more. Most tests use none at all.
    """
    loop: Any = asyncio.get_running_loop()
    runner.configure_event_loop(loop)
    executor = loop._default_executor
    end = loop.shutdown_default_executor

    async def end_what_there_is(timeout: float | None = None) -> None:
        if executor._threads and not executor._shutdown:
            await end(timeout)
            return
        loop._executor_shutdown_called = True
        executor.shutdown()

    loop.shutdown_default_executor = end_what_there_is


@pytest.fixture
async def enable_event_loop_debug() -> None:
    """Have the loop check what the test helpers' debug mode checks, cheaply.

    Calls from another thread fail, slow callbacks are told, a coroutine that nobody
    awaits knows where it was made. Only what nobody reads is left out: asyncio would
    write down the whole stack, with the lines of the source, for every future, task and
    callback.
    """
    loop: Any = asyncio.get_running_loop()
    loop.set_debug(True)
    loop.get_debug = lambda: False
