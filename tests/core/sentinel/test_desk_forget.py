"""Questions that somebody wants forgotten."""

import pytest

from custom_components.caesar.sentinel.approvals import PendingApproval, Standing
from custom_components.caesar.sentinel.ledger import StoreUnavailable
from tests.fakes.desk import ADMIN, DeskUnderTest


def of_the_first(pending: PendingApproval) -> bool:
    """Return whether a question is of the first conversation."""
    return pending.session == "session-1"


async def test_what_is_covered_goes(house: DeskUnderTest) -> None:
    """Open ones end first and are told so; answered ones go; others' stay."""
    waiting = await house.park()
    yes = await house.park(entity_id="lock.shed")
    assert (await house.desk.answer(yes, True, ADMIN)).ok
    other = await house.park(house.turn("turn-2", session="session-2", seconds=0))
    assert await house.desk.forget(of_the_first) == 2
    assert set(house.store.rows) == {other}
    assert [each.id for each in house.desk.pending()] == [other]
    await house.settle()
    assert house.channel.told == [
        Standing.APPROVED,
        Standing.EXPIRED,
        Standing.EXPIRED,
    ]
    # A yes to what is forgotten leads nowhere.
    assert not (await house.desk.answer(waiting, True, ADMIN)).ok
    assert house.desk.find(yes) is None
    assert await house.desk.forget(of_the_first) == 0


async def test_what_runs_stays(house: DeskUnderTest) -> None:
    """Or a crash in the middle of it would leave no trace of its one execution."""
    running = await house.park()
    assert (await house.desk.answer(running, True, ADMIN)).ok
    assert await house.claim(running)
    assert await house.desk.forget(of_the_first) == 0
    assert house.store.standing(running) == "executing"


async def test_what_can_not_be_written(house: DeskUnderTest) -> None:
    """Is not called forgotten."""
    await house.park()
    house.store.down = True
    with pytest.raises(StoreUnavailable):
        await house.desk.forget(of_the_first)
