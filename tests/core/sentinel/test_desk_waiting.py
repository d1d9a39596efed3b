"""Turns that wait at the desk, side by side, and what may go wrong meanwhile."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel import channels as channels_module
from custom_components.caesar.sentinel.approvals import PendingApproval, Reached
from custom_components.caesar.sentinel.desk_parts import DeskEvent
from custom_components.caesar.turn import ApprovalState
from tests.fakes.desk import ADMIN, DeskUnderTest, FakeChannel

from .test_desk_record import OWN, words


async def test_what_could_not_be_forgotten_was_not_heard_either(
    house: DeskUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    """A question that reached nobody is a no, on record, also without a disk."""
    house.channel.people = ()
    ask = house.channel.ask

    async def breaks(pending: PendingApproval) -> Reached | None:
        house.store.down = True
        return await ask(pending)

    house.channel.ask = breaks  # type: ignore[method-assign]  # the disk goes meanwhile
    result = await house.desk.request(house.asks())
    assert result.reason.code is Code.NO_APPROVER
    assert house.desk.pending() == ()
    assert house.trail.types() == ["decided"]
    assert caplog.records == []


async def test_an_answer_to_ones_own_question_before_it_was_said(
    house: DeskUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody saw it in the list at once: the turn goes on with that."""
    note = house.trail.note

    async def slow(event: DeskEvent, pending: Any, more: Any) -> None:
        await note(event, pending, more)
        if event is DeskEvent.REQUESTED:
            assert (await house.desk.answer(pending.id, True, ADMIN)).ok

    monkeypatch.setattr(house.trail, "note", slow)
    turn = house.turn(seconds=0, **OWN)
    result = await house.desk.request(house.asks(turn))
    assert result.state is ApprovalState.APPROVED


async def test_a_question_that_is_gone_when_the_waiting_ends(
    house: DeskUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    """A clock that jumped by a day forgets it under the turn's feet: a no, no fault."""
    task, _ = await house.wait_for_question(house.asks())
    await asyncio.sleep(0)
    house.now.advance(86_401)
    await house.desk.sweep()
    async with asyncio.timeout(5):
        result = await task
    assert result.state is ApprovalState.NO_APPROVER
    assert dict(result.reason.values) == {"tool": "lock.unlock"}
    assert caplog.records == []


async def test_who_waits_for_the_same_unheard_question_hears_that_too(
    house: DeskUnderTest,
) -> None:
    """At once, not when its time is over."""
    house.channel.people = ()
    asked = asyncio.Event()
    goes_on = asyncio.Event()
    ask = house.channel.ask

    async def slow(pending: PendingApproval) -> Reached | None:
        asked.set()
        await goes_on.wait()
        return await ask(pending)

    house.channel.ask = slow  # type: ignore[method-assign]  # a network that hangs
    first = asyncio.create_task(house.desk.request(house.asks()))
    await asked.wait()
    other = house.asks(house.turn("turn-2"))
    second = asyncio.create_task(house.desk.request(other))
    for _ in range(10):
        await asyncio.sleep(0)
    goes_on.set()
    async with asyncio.timeout(5):
        results = await asyncio.gather(first, second)
    assert {result.state for result in results} == {ApprovalState.NO_APPROVER}


async def test_a_sweep_takes_no_question_from_its_turns(house: DeskUnderTest) -> None:
    """Two wait for the same; one is cancelled, the other's answer still comes."""
    first, approval_id = await house.wait_for_question(house.asks())
    other = house.asks(house.turn("turn-2"))
    second = asyncio.create_task(house.desk.request(other))
    for _ in range(10):
        await asyncio.sleep(0)
    await house.desk.sweep()
    first.cancel()
    with pytest.raises(asyncio.CancelledError):
        await first
    await house.settle()
    assert (await house.desk.answer(approval_id, True, ADMIN)).ok
    assert (await second).state is ApprovalState.APPROVED


async def test_less_than_a_second_left_is_waited_for(
    house: DeskUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that the turn can spare."""
    waited: list[float] = []

    async def until_settled(_: str, limit: float) -> None:
        waited.append(limit)

    monkeypatch.setattr(house.desk._ledger, "until_settled", until_settled)
    await house.desk.request(house.asks(house.turn(seconds=10.5)))
    assert waited == [pytest.approx(0.5)]


@dataclass(slots=True)
class Speaking(DeskUnderTest):
    """A desk that keeps what it makes its sentences from."""

    spoken: list[tuple[PendingApproval, Sequence[Reached]]] = field(
        default_factory=list
    )

    async def _waiting_text(
        self, pending: PendingApproval, reached: Sequence[Reached]
    ) -> str:
        self.spoken.append((pending, reached))
        return "One moment."


async def test_the_sentence_is_about_the_question_and_whom_it_reached() -> None:
    """After a restart nobody knows whom any more."""
    house = Speaking()
    await house.desk.start()
    turn = house.turn(seconds=10.01, say=lambda _: None)
    await house.desk.request(house.asks(turn))
    [pending] = house.desk.pending()
    assert house.spoken == [(pending, (Reached(channel="phone", people=("Alex",)),))]
    await house.desk.stop()
    house.restart()
    await house.desk.start()
    again = house.turn("turn-2", seconds=10.01, say=lambda _: None)
    await house.desk.request(house.asks(again))
    assert house.spoken[1:] == [(pending, ())]
    await house.desk.stop()
    await house.settle()


async def test_whom_it_reached_is_known_while_it_waits(house: DeskUnderTest) -> None:
    """And no longer: what is settled needs no sentence."""
    approval_id = await house.park()
    other_id = await house.park(entity_id="lock.shed")
    reached = house.desk._channels.reached
    assert reached(approval_id) == (Reached(channel="phone", people=("Alex",)),)
    await house.desk.answer(approval_id, False, ADMIN)
    assert reached(approval_id) == ()
    assert reached(other_id) == (Reached(channel="phone", people=("Alex",)),)
    assert reached("approval-9") == ()


async def test_a_channel_that_hangs_reaches_nobody(
    house: DeskUnderTest,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After ten seconds; the others are not held up by it, and the log has it."""
    assert channels_module.ASK_LIMIT_S == 10.0
    monkeypatch.setattr(channels_module, "ASK_LIMIT_S", 0.01)

    class Hangs(FakeChannel):
        async def ask(self, pending: PendingApproval) -> Reached | None:
            await asyncio.Event().wait()
            return await super().ask(pending)

    house.desk.add_channel(Hangs("Kim"))
    async with asyncio.timeout(5):
        approval_id = await house.park()
    assert house.desk._channels.reached(approval_id) == (
        Reached(channel="phone", people=("Alex",)),
    )
    assert words(caplog) == [("A channel could not ask", True)]
