"""What a trail keeps of a row whose giver is cancelled while it is told."""

import asyncio

from homeassistant.core import HomeAssistant
import pytest

from .test_audit_log import DENIAL, INTENT, OUTCOME, _results, running


@pytest.mark.parametrize("steps", [1, 2, 3])
async def test_what_is_told_is_written_whoever_goes(
    hass: HomeAssistant, steps: int
) -> None:
    """An outcome and a refusal, cancelled at the first steps of their telling."""
    async with running(hass) as audit:
        row = await audit.intend(INTENT)
        telling = [
            asyncio.create_task(audit.conclude(row.seq, OUTCOME)),
            asyncio.create_task(audit.record(DENIAL)),
        ]
        for _ in range(steps):
            await asyncio.sleep(0)
        for task in telling:
            task.cancel()
        await asyncio.wait(telling)
        await audit.async_sweep()
        assert await _results(hass, audit) == ["ok", "none"]


async def test_an_intent_cancelled_before_it_is_queued_leaves_nothing(
    hass: HomeAssistant,
) -> None:
    """Nobody waits for it and nothing will happen."""
    async with running(hass) as audit:
        intent = asyncio.create_task(audit.intend(INTENT))
        await asyncio.sleep(0)
        intent.cancel()
        await asyncio.wait({intent})
        await audit.async_sweep()
        assert await _results(hass, audit) == []
