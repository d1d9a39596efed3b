"""What a model was used for: in the trail, on the agent's device, in the file."""

from datetime import timedelta
import json
import sqlite3
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import device_registry as dr, entity_registry as er
from homeassistant.util import dt as dt_util
from homeassistant.util.ulid import ulid_now
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.caesar.adapters.assistant import Assistant
from custom_components.caesar.brain.chain import Link
from custom_components.caesar.brain.prices import Prices
from custom_components.caesar.brain.provider import (
    Completed,
    ErrorKind,
    ProviderError,
    StopReason,
    TextDelta,
    Usage,
)
from custom_components.caesar.const import DOMAIN
from custom_components.caesar.sensor import USAGE
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.provider import ScriptedProvider
from tests.ha.house import CaesarHouse, async_move_in

SENT: Final = Usage(input_tokens=1_000, output_tokens=100, cache_read_tokens=3_000)
PRICES: Final = Prices(input_tokens=3.0, output_tokens=15.0, cache_read_tokens=0.3)


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return the demo house."""
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id)


def agent(
    house: CaesarHouse, *rounds: Any, prices: Prices | None = PRICES
) -> Assistant:
    """Return the house's agent, with a model that follows a script."""
    own = house.assistant
    model = Link(
        provider=ScriptedProvider([list(each) for each in rounds]),
        key="m",
        prices=prices,
    )
    return Assistant(own._house, own.settings, [model])


async def talk(house: CaesarHouse, assistant: Assistant) -> str:
    """Say something that only a model understands; return the turn's id."""
    report = await assistant.async_ask(
        "tell me something",
        Context(user_id=house.user_id),
        language="en",
        conversation_id=ulid_now(),
    )
    await house.hass.async_block_till_done()
    return report.decision_id


async def rows(house: CaesarHouse, sql: str) -> list[tuple[Any, ...]]:
    """Return rows of CAESAR's file, read by a second connection."""

    def read() -> list[tuple[Any, ...]]:
        with sqlite3.connect(f"file:{house.database}?mode=ro", uri=True) as db:
            found = db.execute(sql).fetchall()
        db.close()
        return found

    return await house.hass.async_add_executor_job(read)


async def test_every_call_is_in_the_trail(house: CaesarHouse) -> None:
    """With its tokens and cost, how it ended, and no word of what was said."""
    answer = [TextDelta(text="secretword"), Completed(stop=StopReason.END, usage=SENT)]
    first = await talk(house, agent(house, answer))
    await talk(house, agent(house, [ProviderError(ErrorKind.OVERLOADED)]))
    written = await rows(
        house,
        "SELECT decision_id, payload FROM audit_log"
        " WHERE event_type = 'llm.called' ORDER BY chain_seq",
    )
    (decision_id, payload), (_, failed) = written
    assert decision_id == first
    told = json.loads(payload)
    assert told["input_tokens"] == 1_000
    assert told["cache_read_tokens"] == 3_000
    assert told["cost"] == pytest.approx(0.0054)
    assert told["stop_reason"] == "end"
    assert (told["error"], told["estimated"], told["iteration"]) == (None, False, 1)
    assert told["tools_offered"] > 0
    assert "secretword" not in payload
    assert json.loads(failed)["error"] == "overloaded"
    assert json.loads(failed)["input_tokens"] == 0


async def test_numbers_survive_and_begin_anew(house: CaesarHouse) -> None:
    """By agent and model; a restart loses none, and a new day begins with none."""
    hass = house.hass
    answer = [TextDelta(text="Well."), Completed(stop=StopReason.END, usage=SENT)]
    assistant = agent(house, answer, answer)
    await talk(house, assistant)
    await talk(house, assistant)
    agent_id = house.assistant.settings.agent_id
    await hass.config_entries.async_reload(house.entry.entry_id)
    spending = house.entry.runtime_data.meter.spending
    start = dt_util.start_of_local_day()
    spent = spending.since(agent_id, start)
    assert (spent.calls, spent.tokens, spent.priced) == (2, 8_200, 2)
    assert spent.cost == pytest.approx(0.0108)
    assert spending.since(agent_id, start + timedelta(days=1)).calls == 0
    kept = await rows(house, "SELECT calls, input, cost FROM usage_parts")
    assert [(calls, given) for calls, given, _ in kept] == [(2, 2_000)]


async def test_the_sensors(house: CaesarHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the agent's device, and right at once; without a model there are none."""
    hass = house.hass
    registry = er.async_get(hass)
    own = house.assistant
    agent_id = own.settings.agent_id
    uniques = {f"{agent_id}_{each.key}" for each in USAGE}
    known = {each.unique_id for each in registry.entities.values()}
    assert not uniques & known

    monkeypatch.setattr(Assistant, "models", agent(house).models)
    await hass.config_entries.async_reload(house.entry.entry_id)
    await hass.async_block_till_done()
    ids = {
        each.unique_id.removeprefix(f"{agent_id}_"): each
        for each in registry.entities.values()
        if each.unique_id in uniques
    }
    assert set(ids) == {each.key for each in USAGE}
    device = dr.async_get(hass).async_get_device_by_identifier(
        (DOMAIN, agent_id), house.entry.entry_id
    )
    assert device is not None
    assert {each.device_id for each in ids.values()} == {device.id}
    assert ids["cache_share_today"].disabled

    monkeypatch.undo()
    answer = [TextDelta(text="Well."), Completed(stop=StopReason.END, usage=SENT)]
    await talk(house, agent(house, answer))
    assert house.state(ids["tokens_today"].entity_id) == "4100"
    assert house.state(ids["calls_today"].entity_id) == "1"
    cost = hass.states.get(ids["cost_this_month"].entity_id)
    assert cost is not None
    assert float(cost.state) == pytest.approx(0.0054)
    assert cost.attributes["unit_of_measurement"] == hass.config.currency
    assert cost.attributes["device_class"] == "monetary"
    month = dt_util.start_of_local_day(dt_util.now().date().replace(day=1))
    assert cost.attributes["last_reset"] == month.isoformat()

    tomorrow = dt_util.start_of_local_day() + timedelta(days=1, seconds=1)
    with monkeypatch.context() as patch:
        patch.setattr(
            "custom_components.caesar.adapters.spending.dt_util.start_of_local_day",
            lambda *_: tomorrow,
        )
        async_fire_time_changed(hass, tomorrow)
        await hass.async_block_till_done()
        assert house.state(ids["tokens_today"].entity_id) == "0"
