"""The newest signed head is kept beside the trail, where its file can't reach it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.audit_log import HouseAuditLog
from custom_components.caesar.audit.writer import Writer

from .test_audit_log import DENIAL, running


async def test_the_last_head_is_kept_elsewhere_however_quick_the_thread_ends(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that is done at once lets nobody else run before its giver goes on."""
    real = hass.async_add_executor_job

    def at_once(target: Any, *args: Any) -> asyncio.Future[Any]:
        if getattr(target, "__func__", None) is not Writer.close:
            return real(target, *args)
        done: asyncio.Future[Any] = hass.loop.create_future()
        with ThreadPoolExecutor(1) as pool:
            done.set_result(pool.submit(target, *args).result())
        return done

    monkeypatch.setattr(hass, "async_add_executor_job", at_once)
    async with running(hass) as audit:
        await audit.record(DENIAL)
    again = HouseAuditLog(hass)
    await again._async_load_secrets()
    assert again._head is not None
    assert again._head.link.seq == 1
