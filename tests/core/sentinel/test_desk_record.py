"""What the desk leaves behind: its rows, its words in refusals, its lines in the log."""

import asyncio
from typing import Any

import pytest

from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel import desk as desk_module
from custom_components.caesar.sentinel.approvals import PendingApproval, Standing
from custom_components.caesar.sentinel.desk_parts import DeskEvent
from custom_components.caesar.turn import ApprovalState
from tests.fakes.desk import ADMIN, CHILD, DeskUnderTest

OWN: dict[str, Any] = {"user_id": "admin", "is_admin": True}


def words(caplog: pytest.LogCaptureFixture) -> list[tuple[str, bool]]:
    """Return what was logged, and whether a trace is with it."""
    return [(each.getMessage(), bool(each.exc_info)) for each in caplog.records]


def found(house: DeskUnderTest, approval_id: str) -> PendingApproval:
    """Return a question as it stands."""
    pending = house.desk.find(approval_id)
    assert pending is not None
    return pending


async def test_row_of_an_answer_that_counts(house: DeskUnderTest) -> None:
    """Who decided what, and how it stands; whoever answered is told the same."""
    for service, yes, standing in (
        ("lock.unlock", True, "approved"),
        ("light.turn_on", False, "denied"),
    ):
        entity_id = f"{service.partition('.')[0]}.{'shed' if yes else 'hall'}"
        approval_id = await house.park(service=service, entity_id=entity_id)
        answer = await house.desk.answer(approval_id, yes, ADMIN)
        now = found(house, approval_id)
        assert now.standing.value == standing
        assert (answer.ok, answer.code, answer.pending) == (True, Code.ALLOWED, now)
        assert house.trail.rows[-1] == (
            DeskEvent.DECIDED,
            now,
            {
                "approval_id": approval_id,
                "verdict": standing,
                "why": "allowed",
                "decided_by": "admin",
                "via": "action",
            },
        )


async def test_row_of_an_answer_that_does_not_count(house: DeskUnderTest) -> None:
    """The trail has the question; whoever may not answer it has nothing."""
    approval_id = await house.park()
    answer = await house.desk.answer(approval_id, True, CHILD)
    assert answer.pending is None
    assert house.trail.rows[-1] == (
        DeskEvent.REJECTED,
        found(house, approval_id),
        {
            "approval_id": approval_id,
            "verdict": "waiting",
            "why": "caller_not_covered",
            "decided_by": "child",
            "via": "action",
        },
    )
    await house.desk.answer(approval_id, False, ADMIN)
    late = await house.desk.answer(approval_id, True, ADMIN)
    assert late.pending == found(house, approval_id)


async def test_row_of_an_answer_to_nothing(house: DeskUnderTest) -> None:
    """An id of any length is cut: nobody vouches for it."""
    await house.desk.answer("x" * 100, True, ADMIN)
    assert house.trail.rows == [
        (
            DeskEvent.REJECTED,
            None,
            {
                "approval_id": "x" * 64,
                "verdict": None,
                "why": "unknown_approval",
                "decided_by": "admin",
                "via": "action",
            },
        )
    ]


async def test_row_of_a_claim_in_vain(house: DeskUnderTest) -> None:
    """Nobody answered then; the question is with it."""
    approval_id = await house.park()
    assert not await house.claim(approval_id)
    assert house.trail.rows[-1] == (
        DeskEvent.REJECTED,
        found(house, approval_id),
        {
            "approval_id": approval_id,
            "verdict": "waiting",
            "why": "already_decided",
            "decided_by": None,
            "via": None,
        },
    )


async def test_row_of_a_question(house: DeskUnderTest) -> None:
    """Over which channels it was asked; of one's own, in which conversation."""
    other = await house.park()
    own = await house.park(house.turn("turn-2", seconds=0, **OWN))
    assert house.trail.rows == [
        (DeskEvent.REQUESTED, found(house, other), {"channels": ["phone"]}),
        (DeskEvent.REQUESTED, found(house, own), {"channels": ["chat"]}),
    ]


async def test_row_of_a_question_too_many(house: DeskUnderTest) -> None:
    """With what would have been asked; no such question is kept."""
    for number in range(3):
        await house.park(house.turn(f"turn-{number}", seconds=0), number=number)
    asked = house.asks(house.turn("turn-4"), number=4)
    result = await house.desk.request(asked)
    assert dict(result.reason.values) == {"tool": "lock.unlock"}
    event, pending, facts = house.trail.rows[-1]
    assert event is DeskEvent.REJECTED
    assert pending is not None
    assert (pending.call, pending.decision_id) == (asked.call, "turn-4")
    assert (facts["approval_id"], facts["why"]) == (pending.id, "rate_limited")
    assert house.desk.find(pending.id) is None


async def test_row_of_a_question_that_lapses(house: DeskUnderTest) -> None:
    """By the sweep: decided, and by nobody."""
    approval_id = await house.park()
    before = found(house, approval_id)
    house.now.advance(900)
    await house.desk.sweep()
    assert house.trail.rows[-1] == (
        DeskEvent.DECIDED,
        before,
        {
            "approval_id": approval_id,
            "verdict": "expired",
            "why": "approval_expired",
            "decided_by": None,
            "via": None,
        },
    )


async def test_every_refusal_names_the_tool(
    house: DeskUnderTest,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever it is for; and none of these is a fault."""
    refusals = []
    house.channel.people = ()
    refusals.append(await house.desk.request(house.asks()))
    house.store.down = True
    refusals.append(await house.desk.request(house.asks()))
    house.store.down = False
    await house.desk.stop()
    refusals.append(await house.desk.request(house.asks()))
    house.restart()
    refusals.append(await house.desk.request(house.asks()))
    assert caplog.records == []
    await house.desk.start()

    def broken(*_: object, **__: object) -> PendingApproval:
        raise OSError("broken")

    monkeypatch.setattr(desk_module, "draft", broken)
    refusals.append(await house.desk.request(house.asks()))
    assert words(caplog) == [("A question to a person could not be asked", True)]
    assert [result.reason.code for result in refusals] == [
        Code.NO_APPROVER,
        Code.AUDIT_UNAVAILABLE,
        Code.NO_APPROVER,
        Code.NO_APPROVER,
        Code.NO_APPROVER,
    ]
    assert {result.reason.values["tool"] for result in refusals} == {"lock.unlock"}


async def test_a_desk_that_has_not_started_asks_nobody() -> None:
    """It does not know yet what waits already; stopping it is no fault."""
    house = DeskUnderTest()
    result = await house.desk.request(house.asks(house.turn(seconds=0)))
    assert result.state is ApprovalState.NO_APPROVER
    assert (house.store.rows, house.channel.asked) == ({}, [])
    await house.desk.stop()
    await house.desk.start()
    assert await house.park()
    await house.desk.stop()


async def test_log_of_a_channel_that_can_not_tell(
    house: DeskUnderTest,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the trace of where it broke."""

    async def broken(_: PendingApproval) -> None:
        raise OSError("no network")

    monkeypatch.setattr(house.channel, "settled", broken)
    approval_id = await house.park()
    await house.desk.answer(approval_id, False, ADMIN)
    await house.settle()
    assert words(caplog) == [("A channel could not say how a question ended", True)]


async def test_log_of_a_sweep_that_broke(
    house: DeskUnderTest,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the trace; the next one comes all the same."""
    monkeypatch.setattr(desk_module, "_LOOK_EVERY_S", 0.001)
    await house.desk.stop()
    await house.desk.start()
    swept = asyncio.Event()
    sweep = house.desk.sweep

    async def breaks() -> None:
        monkeypatch.setattr(house.desk, "sweep", again)
        raise OSError("broken")

    async def again() -> None:
        await sweep()
        swept.set()

    monkeypatch.setattr(house.desk, "sweep", breaks)
    async with asyncio.timeout(5):
        await swept.wait()
    assert words(caplog) == [("Open questions could not be looked through", True)]


async def test_what_runs_in_the_background_has_a_name(house: DeskUnderTest) -> None:
    """Whoever looks at a house that does not stop sees what it waits for."""
    own = await house.park(house.turn("turn-1", seconds=0, **OWN))
    await house.desk.answer(own, True, ADMIN)
    await house.settle()
    assert [task.get_name() for task in house.tasks] == [
        "caesar approvals",
        "caesar question",
        "caesar asks",
        "caesar answer",
        "caesar tells",
    ]
    task, _ = await house.wait_for_question(house.asks(house.turn("turn-2")))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await house.settle()
    assert [task.get_name() for task in house.tasks[5:]] == [
        "caesar question",
        "caesar question withdrawn",
        "caesar tells",
    ]
    assert {pending.standing for pending in house.desk._ledger.all()} == {
        Standing.APPROVED,
        Standing.EXPIRED,
    }
