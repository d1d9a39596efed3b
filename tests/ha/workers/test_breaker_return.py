"""A breaker that rests because a worker is away has nothing to rest for once it is back."""

from collections.abc import Mapping

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.worker import Task, TaskError
from custom_components.caesar.policy.reason import Code
from tests.ha.house import CaesarHouse, async_move_in

from .hosts import BINS, EVERYTHING, Host, registry_of, status_of, until

POLICY = "version: 1\nallowed_tools:\n  - bin_days\n"


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User, host: Host) -> CaesarHouse:
    """Return a house with a worker that is well."""
    await host.start(BINS)
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        POLICY,
        [host.subentry(BINS, confirmed=EVERYTHING)],
    )
    await until(hass, lambda: bool(registry_of(house).tools()), "not heard")
    return house


async def call(house: CaesarHouse) -> Code | None:
    """Call the tool; return what went wrong."""
    report = await house.obey("bin_days", {})
    error = report.outcomes[0].error
    return None if error is None else error.code


async def refresh(house: CaesarHouse, host: Host) -> None:
    """Have the house say hello."""
    await registry_of(house).async_refresh(status_of(house, host).id)


async def test_its_first_call_is_tried_at_once(house: CaesarHouse, host: Host) -> None:
    """And the breaker is closed by it, long before its rest is over."""
    await host.stop()
    assert [await call(house) for _ in range(3)] == [Code.NO_WORKER] * 3
    assert await call(house) is Code.CIRCUIT_OPEN
    await host.start(BINS)
    await refresh(house, host)
    assert await call(house) is None
    assert await call(house) is None


async def test_one_that_never_left_gets_no_rest_back(
    house: CaesarHouse, host: Host
) -> None:
    """A tool that is slow while its worker is well goes on resting, hello or not."""

    async def fails(_task: Task) -> Mapping[str, Json]:
        raise TaskError("It takes too long.", code="timeout")

    host.handler = fails
    assert [await call(house) for _ in range(3)] == [Code.TIMEOUT] * 3
    await refresh(house, host)
    assert await call(house) is Code.CIRCUIT_OPEN
