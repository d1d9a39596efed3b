"""A turn that is cancelled anywhere: a service's two steps happen both, or neither."""

import asyncio
import sqlite3

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant, ServiceCall
from homeassistant.setup import async_setup_component
from homeassistant.util.ulid import ulid_now
import pytest

from custom_components.caesar.adapters.assistant import Assistant
from custom_components.caesar.adapters.report import TurnReport
from custom_components.caesar.brain.provider import Completed, StopReason, TextDelta
from custom_components.caesar.turn import ToolRequest
from tests.fakes.provider import ScriptedProvider
from tests.ha.house import CaesarHouse, async_move_in

POLICY = """
version: 1
allowed_services:
  - {service: two.steps, approval: never}
"""
MOST_STEPS = 400


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in an empty house, which may call one service."""
    for component in ("homeassistant", "conversation"):
        assert await async_setup_component(hass, component, {})
    return await async_move_in(hass, hass_admin_user.id, POLICY)


async def ask(house: CaesarHouse) -> TurnReport:
    """Run a turn whose model calls the service."""
    provider = ScriptedProvider(
        [
            [
                ToolRequest(
                    id="c",
                    name="call_service",
                    arguments={"domain": "two", "service": "steps"},
                ),
                Completed(stop=StopReason.TOOL_USE),
            ],
            [TextDelta(text="Done."), Completed(stop=StopReason.END)],
        ]
    )
    own = house.assistant
    return await Assistant(own._house, own.settings, [provider]).async_ask(
        "go",
        Context(user_id=house.user_id),
        language="en",
        conversation_id=ulid_now(),
    )


def count(house: CaesarHouse) -> tuple[int, int, int]:
    """Return how many intents, outcomes and concluded intents the trail has."""
    db = sqlite3.connect(f"file:{house.database}?mode=ro", uri=True)
    intents = db.execute(
        "SELECT count(*) FROM audit_log WHERE event_type = 'tool.intended'"
    ).fetchone()[0]
    outcomes, concluded = db.execute(
        "SELECT count(*), count(DISTINCT intent_seq) FROM audit_log"
        " WHERE event_type = 'service.called'"
    ).fetchone()
    db.close()
    return intents, outcomes, concluded


async def test_cancelled_at_every_await_point(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Both steps or none, and one outcome row for each intent, wherever it ends."""
    steps: list[str] = []

    async def two_steps(call: ServiceCall) -> None:
        steps.append("first")
        for _ in range(5):
            await asyncio.sleep(0)
        steps.append("second")

    hass.services.async_register("two", "steps", two_steps)
    done_after: list[int] = []
    cancelled = 0
    for point in range(MOST_STEPS):
        steps.clear()
        turn = asyncio.create_task(ask(house))
        for _ in range(point):
            await asyncio.sleep(0)
        turn.cancel()
        try:
            await turn
        except asyncio.CancelledError:
            cancelled += 1
        await hass.async_block_till_done()
        assert steps in ([], ["first", "second"]), point
        done_after.append(len(steps))
        if not turn.cancelled():
            break
    assert cancelled > 10
    assert not turn.cancelled(), "the last turn ran to its end"
    assert done_after[0] == 0
    assert 2 in done_after[:-1], "some cancelled turns had begun the service"

    intents, outcomes, distinct = await hass.async_add_executor_job(count, house)
    assert intents == outcomes == distinct == sum(done_after) // 2
