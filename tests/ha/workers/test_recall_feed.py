"""How rows come to a helper: after a moment, many at once, and never what was erased."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant

from custom_components.caesar.adapters.memory_rows import Scope
from custom_components.caesar.adapters.recall_feed import SETTLE_S, RecallFeed
from custom_components.caesar.adapters.recall_rows import Owners, SpokenSource
from custom_components.caesar.adapters.worker_registry import Serving
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.tools.recall.specs import SEMANTIC_RECALL
from custom_components.caesar.policy.reason import Code
from tests.ha.house import CaesarHouse, async_move_in

from .hosts import Host, registry_of, until
from .test_recall import NO_LOCAL, POLICY, Liar, liar, memory_of, recall, say

__all__ = ["liar"]


class Feeding:
    """A feed of the house's memory; it settles when the test says so."""

    def __init__(self, house: CaesarHouse) -> None:
        """Feed what this house remembers."""
        self.hass = house.hass
        self.told: list[Mapping[str, Json]] = []
        self.settling = False
        self._settled = asyncio.Event()
        memory = memory_of(house)
        self.feed = RecallFeed(
            "semantic_recall",
            SpokenSource(memory, Owners(memory)),
            registry_of(house),
            self._tell,
            self._sleep,
        )

    async def settle(self) -> None:
        """Let the feed go on, until it settles no more."""
        await until(self.hass, lambda: self.settling, "nothing to settle")
        self._settled.set()
        await until(self.hass, lambda: not self.settling, "still settling")

    async def heard(self, messages: int) -> Mapping[str, Json]:
        """Return the last message, once there are that many."""
        await until(self.hass, lambda: len(self.told) >= messages, "not told")
        assert len(self.told) == messages
        return self.told[-1]

    async def _tell(
        self, _serving: Serving, message: str, given: Mapping[str, Json]
    ) -> Mapping[str, Json]:
        assert message == "semantic_recall__feed"
        self.told.append(given)
        return {"last": max([after_of(given), *ids_of(given)])}

    async def _sleep(self, seconds: float) -> None:
        if seconds == SETTLE_S:
            self.settling = True
            self._settled.clear()
            await self._settled.wait()
            self.settling = False


def ids_of(given: Mapping[str, Json]) -> list[int]:
    """Return the ids of the rows in a message."""
    rows = given["rows"]
    assert isinstance(rows, list)
    return [row[0] for row in rows if isinstance(row, list) and isinstance(row[0], int)]


def after_of(given: Mapping[str, Json]) -> int:
    """Return the row that a message goes on from."""
    after = given["after"]
    assert isinstance(after, int)
    return after


@asynccontextmanager
async def feeding(
    hass: HomeAssistant, user: User, host: Host
) -> AsyncIterator[tuple[CaesarHouse, Feeding]]:
    """Return a house, and a feed of what it remembers to a helper."""
    await host.start(SEMANTIC_RECALL)
    house = await async_move_in(
        hass,
        user.id,
        POLICY,
        [NO_LOCAL, host.subentry(SEMANTIC_RECALL, confirmed=("read_only",))],
    )
    well = registry_of(house).well
    await until(hass, lambda: len(well("semantic_recall")) == 1, "no helper")
    one = Feeding(house)
    end = one.feed.async_listen()
    task = asyncio.create_task(one.feed.async_run())
    try:
        yield house, one
    finally:
        end()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_rows_of_a_moment_are_told_together(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """The first feed waits for nothing; one that settles misses no row."""
    async with feeding(hass, hass_admin_user, host) as (house, one):
        first = await say(house, hass_admin_user.id, "my boiler", "yes")
        assert ids_of(await one.heard(1)) == [first]
        assert not one.settling
        second = await say(house, hass_admin_user.id, "my stove", "yes")
        await until(hass, lambda: one.settling, "does not settle")
        third = await say(house, "kid", "a secret", "no")
        assert len(one.told) == 1
        # No row counts as sent that isn't: a helper that names it was never fed it.
        assert one.feed.run_of(host.key)[1] == first
        await one.settle()
        assert ids_of(await one.heard(2)) == [second, third]
        assert after_of(one.told[-1]) == first
        assert one.feed.run_of(host.key)[1] == third


async def test_what_is_erased(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """It is told at once, or with what settles; when all went, it begins anew."""
    async with feeding(hass, hass_admin_user, host) as (house, one):
        first = await say(house, hass_admin_user.id, "my boiler", "yes")
        await one.heard(1)
        await memory_of(house).forget(Scope(user_id=hass_admin_user.id))
        assert (await one.heard(2))["erase"] == [first]
        assert not one.settling
        mine = await say(house, hass_admin_user.id, "my lamp", "yes")
        await until(hass, lambda: one.settling, "does not settle")
        foreign = await say(house, "kid", "a secret", "no")
        await memory_of(house).forget(Scope(user_id="kid"))
        await memory_of(house).forget(Scope(user_id=hass_admin_user.id))
        last = await say(house, hass_admin_user.id, "my stove", "yes")
        await one.settle()
        given = await one.heard(3)
        assert ids_of(given) == [last]
        assert given["erase"] == [foreign, mine]

        await say(house, hass_admin_user.id, "my oven", "yes")
        await until(hass, lambda: one.settling, "does not settle")
        await memory_of(house).forget(Scope())
        # Whatever it answers from now on is of a run that is over.
        assert one.feed.run_of(host.key) == ("", 0)
        await one.settle()
        anew = await one.heard(4)
        assert (ids_of(anew), after_of(anew), anew["erase"]) == ([], 0, [])
        assert anew["run"] != given["run"]


async def test_a_helper_that_was_begun_anew(
    hass: HomeAssistant, hass_admin_user: User, host: Host, liar: Liar
) -> None:
    """Nobody says so but its answer: it is fed anew then, and the next one counts."""
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        POLICY,
        [NO_LOCAL, host.subentry(SEMANTIC_RECALL, confirmed=("read_only",))],
    )
    mine = await say(house, hass_admin_user.id, "my boiler", "yes")

    def times_fed() -> int:
        return [row[0] for row in liar.fed if isinstance(row, list)].count(mine)

    await until(hass, lambda: times_fed() == 1, "not fed")
    liar.remembers = False
    [outcome] = (await house.obey("semantic_recall", {"query": "boiler"})).outcomes
    assert outcome.error is not None
    assert outcome.error.code is Code.NO_WORKER
    await until(hass, lambda: times_fed() == 2, "not fed anew")
    liar.remembers, liar.hits = True, [[mine, 0.9]]
    outcome = await recall(house, "semantic_recall", query="boiler")
    assert outcome.data["count"] == 1
    assert times_fed() == 2
