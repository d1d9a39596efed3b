"""Nobody goes on with a decision before it is written down."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from custom_components.caesar.sentinel.desk_parts import DeskEvent
from custom_components.caesar.sentinel.noting import Noting
from tests.fakes.desk import ADMIN, DeskUnderTest


async def lapse(house: DeskUnderTest, _approval_id: str) -> None:
    """Let a question's time be over."""
    house.clock.advance(3_600)
    await house.desk.sweep()


WAYS: dict[str, Callable[[DeskUnderTest, str], Awaitable[object]]] = {
    "answer": lambda house, asked: house.desk.answer(asked, True, ADMIN),
    "withdraw": lambda house, asked: house.desk.withdraw(asked),
    "sweep": lapse,
}


@pytest.mark.parametrize("way", WAYS)
async def test_who_goes_on_waits_for_the_row(
    house: DeskUnderTest, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever decides a question; the row comes when the disk lets it."""
    asked, other = await house.park(), await house.park(entity_id="lock.shed")
    writing, disk = asyncio.Event(), asyncio.Event()

    async def slow(event: DeskEvent, *_: object) -> None:
        assert event is DeskEvent.DECIDED
        writing.set()
        await disk.wait()

    monkeypatch.setattr(house.trail, "note", slow)
    deciding = asyncio.ensure_future(WAYS[way](house, asked))
    async with asyncio.timeout(5):
        await writing.wait()
        going_on = asyncio.ensure_future(house.desk.noting.done(asked))
        if way != "sweep":
            await house.desk.noting.done(other)
        await asyncio.sleep(0)
        assert not going_on.done()
        disk.set()
        await going_on
        await deciding


async def test_two_at_once_are_both_waited_for() -> None:
    """One question may be decided while an answer that doesn't count is noted."""
    noting = Noting()
    async with asyncio.timeout(5):
        await noting.done("a")
        with noting.of(["a"]):
            with noting.of(["a", "b"]):
                going_on = asyncio.ensure_future(noting.done("a"))
                await asyncio.sleep(0)
            await noting.done("b")
            assert not going_on.done()
        await going_on
