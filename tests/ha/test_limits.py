"""What runs away in a real house is stopped: failures, floods, a day's tokens."""

from datetime import timedelta
from pathlib import Path

from homeassistant.auth.models import User
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import Context, HomeAssistant, ServiceCall
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import dt as dt_util
from homeassistant.util.ulid import ulid_now
import pytest
from pytest_homeassistant_custom_component.common import async_fire_time_changed

from custom_components.caesar.adapters.assistant import Assistant
from custom_components.caesar.adapters.guards import stricter
from custom_components.caesar.adapters.report import TurnReport
from custom_components.caesar.brain.loop import Finish
from custom_components.caesar.brain.provider import (
    Completed,
    StopReason,
    TextDelta,
    Usage,
)
from custom_components.caesar.const import DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.provider import ScriptedProvider
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.model_talk import LIGHT, LIGHTS, Talk, call, events, light_on, player


@pytest.fixture
async def house(
    hass: HomeAssistant, hass_admin_user: User, request: pytest.FixtureRequest
) -> CaesarHouse:
    """Return CAESAR in the demo house; the parameter is the policy's text."""
    await async_build_house(hass)
    return await async_move_in(
        hass, hass_admin_user.id, getattr(request, "param", LIGHTS)
    )


async def test_what_keeps_failing_rests(house: CaesarHouse) -> None:
    """Three failures of a service; then nothing of its domain is tried, and why."""
    tried: list[ServiceCall] = []

    async def fail(service: ServiceCall) -> None:
        tried.append(service)
        raise HomeAssistantError("the bridge does not answer")

    house.hass.services.async_register("light", "turn_on", fail)
    for _ in range(3):
        made = await Talk(house).turn([light_on()])
        assert made == {"light.turn_on": "tool_error"}
    made = await Talk(house).turn([light_on()])
    assert made == {"light.turn_on": "circuit_open"}
    off = call(1, "light__turn_off", entity_id=LIGHT)
    assert await Talk(house).turn([off]) == {"light.turn_off": "circuit_open"}
    assert len(tried) == 3
    [told] = await events(house, "sentinel.breaker")
    assert told == {
        "connector": "light",
        "from": "closed",
        "to": "open",
        "failures": 3,
        "rests_s": 300,
        "taint": [],
    }


async def reload(house: CaesarHouse, text: str) -> None:
    """Put another policy into force."""
    path = Path(house.hass.config.path("caesar", "policy.yaml"))
    await house.hass.async_add_executor_job(path.write_text, text)
    await house.hass.services.async_call(DOMAIN, "reload_policy", {}, blocking=True)


async def test_limits_follow_the_policy(house: CaesarHouse) -> None:
    """A lower limit holds from the reload on, for one domain at a time."""
    assert await Talk(house).turn([light_on()]) == {"light.turn_on": "allowed"}
    await reload(house, LIGHTS + "sentinel:\n  rate_limit_per_minute: 1\n")
    off = call(1, "light__turn_off", entity_id=LIGHT)
    assert await Talk(house).turn([off]) == {"light.turn_off": "rate_limited"}
    assert await Talk(house).turn([player()]) == {"get_state": "allowed"}
    [told] = await events(house, "sentinel.throttled")
    assert (told["connector"], told["limit"]) == ("light", 1)
    await reload(house, LIGHTS)
    assert await Talk(house).turn([off]) == {"light.turn_off": "allowed"}


async def spend(house: CaesarHouse, tokens: int, name: str = "vendor") -> TurnReport:
    """Run a turn with a model that costs so much."""
    own = house.assistant
    usage = Usage(input_tokens=tokens - 1, output_tokens=1)
    model = ScriptedProvider(
        [[TextDelta(text="Here."), Completed(stop=StopReason.END, usage=usage)]],
        name=name,
        local=name == "local",
    )
    return await Assistant(own._house, own.settings, [model]).async_ask(
        "please",
        Context(user_id=house.user_id),
        language="en",
        conversation_id=ulid_now(),
    )


@pytest.mark.parametrize(
    "house", [LIGHTS + "sentinel:\n  daily_token_limit: 100\n"], indirect=True
)
async def test_a_days_tokens_survive_a_restart(house: CaesarHouse) -> None:
    """Used up once 100 are used, said in words, and still so after a restart."""
    for _ in range(2):
        assert (await spend(house, 50)).finish is Finish.TEXT
    refused = await spend(house, 50)
    assert refused.finish is Finish.QUOTA
    assert "00:00 UTC" in refused.shown
    assert refused.calls == ()
    assert (await spend(house, 50, "local")).finish is Finish.TEXT
    answer = await house.ask("turn on the kitchen light")
    assert answer["calls"][0]["outcome"] == "ok"

    entry_id = house.entry.entry_id
    assert await house.hass.config_entries.async_reload(entry_id)
    assert house.entry.state is ConfigEntryState.LOADED
    assert (await spend(house, 50)).finish is Finish.QUOTA
    told = await events(house, "sentinel.quota")
    assert [(row["used"], row["limit"]) for row in told] == [(100, 100)] * 2


async def test_without_a_limit_tokens_are_only_counted(house: CaesarHouse) -> None:
    """And a limit that comes later counts what was used before."""
    assert (await spend(house, 5_000_000)).finish is Finish.TEXT
    await reload(house, LIGHTS + "sentinel:\n  daily_token_limit: 100\n")
    assert (await spend(house, 1)).finish is Finish.QUOTA


def test_the_stricter_limit_holds() -> None:
    """Of the agent's own and the policy's; none of both is none."""
    assert stricter(None, None) is None
    assert stricter(10, None) == stricter(None, 10) == stricter(10, 20) == 10


@pytest.mark.parametrize(
    "house", [LIGHTS + "sentinel:\n  daily_token_limit: 100\n"], indirect=True
)
async def test_a_day_nearly_used_is_shown_until_midnight(house: CaesarHouse) -> None:
    """One row and one repair at 80 %; the repair goes at midnight UTC."""
    await spend(house, 79)
    assert not nearly_used(house)
    await spend(house, 5)
    await spend(house, 1)
    told = await events(house, "sentinel.quota")
    assert [(row["used"], row["share"]) for row in told] == [(84, 0.84)]
    (issue,) = nearly_used(house)
    assert issue.translation_placeholders is not None
    assert issue.translation_placeholders["percent"] == "84"
    midnight = dt_util.utcnow().replace(hour=0, minute=0, second=0) + timedelta(1)
    async_fire_time_changed(house.hass, midnight)
    await house.hass.async_block_till_done()
    assert not nearly_used(house)


def nearly_used(house: CaesarHouse) -> list[ir.IssueEntry]:
    """Return the repairs that say so."""
    return [
        issue
        for issue in ir.async_get(house.hass).issues.values()
        if issue.translation_key == "tokens_nearly_used"
    ]
