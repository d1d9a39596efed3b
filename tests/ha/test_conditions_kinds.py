"""Conditions by kind, in the house's own time and place; what is let go, and when."""

import asyncio
from datetime import datetime
import gc
from typing import Any

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.helpers.condition import DisabledConditionChecker
from homeassistant.helpers.trace import trace_cv
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util
import pytest

from custom_components.caesar.adapters.conditions import (
    CompiledConditions,
    ConditionsInForce,
    _Compiled,
    async_compile,
)
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.problem import PolicyError
from tests.ha.test_conditions import ID, LIGHT_ON, compile_one, met


@pytest.fixture(autouse=True)
def _house(hass: HomeAssistant) -> None:
    hass.states.async_set("light.hall", "on")


async def test_time(hass: HomeAssistant, freezer: FrozenDateTimeFactory) -> None:
    """Clock and weekday in the house's own time, over midnight too."""
    await hass.config.async_set_time_zone("Europe/Berlin")
    night = {"condition": "time", "after": "22:00:00", "before": "06:00:00"}
    cases = [
        (night, datetime(2026, 11, 30, 23, 0), True),
        (night, datetime(2026, 12, 1, 5, 59), True),
        (night, datetime(2026, 12, 1, 6, 0), False),
        ({"not": night}, datetime(2026, 12, 1, 6, 0), True),
        ({"condition": "time", "weekday": ["mon"]}, datetime(2026, 11, 30, 1), True),
        ({"condition": "time", "weekday": ["mon"]}, datetime(2026, 12, 1, 1), False),
    ]
    for when, now, wanted in cases:
        freezer.move_to(now.replace(tzinfo=dt_util.get_default_time_zone()))
        assert await met(hass, when) is wanted, (when, now)


async def test_sun(hass: HomeAssistant, freezer: FrozenDateTimeFactory) -> None:
    """Before and after sunset."""
    await hass.config.async_update(
        latitude=52.5, longitude=13.4, time_zone="Europe/Berlin"
    )
    when = {"condition": "sun", "after": "sunset", "after_offset": "-00:30:00"}
    freezer.move_to(datetime(2026, 11, 30, 12, 0, tzinfo=dt_util.UTC))
    assert await met(hass, when) is False
    freezer.move_to(datetime(2026, 11, 30, 18, 0, tzinfo=dt_util.UTC))
    assert await met(hass, when) is True


async def test_zone(hass: HomeAssistant) -> None:
    """A person in a zone, away, and unknown."""
    assert await async_setup_component(hass, "zone", {})
    when = {"condition": "zone", "entity_id": "person.adult", "zone": "zone.home"}
    hass.states.async_set("person.adult", "home", {"in_zones": ["zone.home"]})
    assert await met(hass, when)
    hass.states.async_set("person.adult", "not_home", {"in_zones": []})
    assert not await met(hass, when)
    assert await met(hass, {"not": when})
    hass.states.async_set("person.adult", "unknown", {"in_zones": []})
    assert not await met(hass, {"not": when})


async def test_ids_of_the_registry(hass: HomeAssistant) -> None:
    """An entity may be named by the id of its registry entry."""
    entry = er.async_get(hass).async_get_or_create("light", "test", "hall")
    hass.states.async_set(entry.entity_id, "on")
    assert await met(hass, {**LIGHT_ON, "entity_id": entry.id})
    with pytest.raises(PolicyError):
        await compile_one(hass, {**LIGHT_ON, "entity_id": "0" * 32})


async def test_the_callers_trace_stays_clean(hass: HomeAssistant) -> None:
    """A check that runs inside an automation writes nothing into its trace."""
    compiled = await compile_one(hass, {"and": [LIGHT_ON]})
    trace: dict[str, Any] = {}
    token = trace_cv.set(trace)
    assert compiled.check(ID).met
    assert trace_cv.get() is trace
    assert trace == {}
    trace_cv.reset(token)
    compiled.async_unload()


async def test_only_a_plain_true_grants(hass: HomeAssistant) -> None:
    """The engine's None, for a condition that is switched off, is no yes."""
    disabled = DisabledConditionChecker(hass)
    await disabled.async_setup()
    assert disabled.async_check() is None
    compiled = CompiledConditions(hass, {ID: _Compiled(hass, [disabled], [])})
    assert compiled.check(ID).met is False
    compiled.async_unload()


async def test_many_conditions_let_others_have_their_turn(hass: HomeAssistant) -> None:
    """A large file does not hold up the event loop while it is compiled."""
    many = {str(number): LIGHT_ON for number in range(300)}
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = hass.async_create_task(count())
    compiled = await async_compile(hass, many, dict.fromkeys(many, (1, 1)))
    counting.cancel()
    assert turns >= 10
    assert all(compiled.check(each).met for each in many)
    compiled.async_unload()


async def test_swapped_and_unloaded(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    """What was in force is let go; unknown ids and unloaded policies grant nothing."""
    in_force = ConditionsInForce()
    assert not in_force.check(ID).met
    first = await compile_one(hass, LIGHT_ON)
    in_force.async_swap(first)
    assert in_force.check(ID).met
    assert not in_force.check("another").met
    in_force.async_swap(await async_compile(hass, {}, {}))
    assert not in_force.check(ID).met
    assert not first.check(ID).met
    in_force.async_swap(None)
    assert in_force.missing() == ()
    del first
    gc.collect()
    assert "Error while unloading" not in caplog.text


async def test_asked_from_another_thread(hass: HomeAssistant) -> None:
    """States belong to the event loop: elsewhere nothing is granted."""
    compiled = await compile_one(hass, LIGHT_ON)
    result = await asyncio.to_thread(compiled.check, ID)
    assert result.met is False
    compiled.async_unload()


async def test_what_was_given_is_not_changed(hass: HomeAssistant) -> None:
    """The raw condition is the policy's; the schemas must not edit it."""
    when: Json = {"and": [dict(LIGHT_ON), {"not": [dict(LIGHT_ON)]}], "alias": "x"}
    before = repr(when)
    assert not await met(hass, when)
    assert repr(when) == before
