"""The approval desk asks: whom, how long it waits, how often, and when it takes it back."""

import asyncio
from dataclasses import replace

import pytest

from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.policy.decision import ApprovalTerms, Verdict
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.sentinel import desk as desk_module
from custom_components.caesar.sentinel.allowances import MAX_ALLOWANCES
from custom_components.caesar.sentinel.approvals import PendingApproval, Reached
from custom_components.caesar.turn import ApprovalState, GuardResult
from tests.fakes.desk import ADMIN, DeskUnderTest


async def test_headless_is_a_no_at_once(house: DeskUnderTest) -> None:
    """Where nobody can be asked nothing waits, and nothing is left behind."""
    house.channel.people = ()
    result = await house.desk.request(house.asks())
    assert result.state is ApprovalState.NO_APPROVER
    assert result.reason.code is Code.NO_APPROVER
    assert result.approval_id is None
    assert house.store.rows == {}
    assert house.desk.pending() == ()
    assert house.trail.types() == ["decided"]


async def test_a_broken_channel_reaches_nobody(
    house: DeskUnderTest, caplog: pytest.LogCaptureFixture
) -> None:
    """And breaks nothing else."""
    house.channel.error = OSError("no network")
    result = await house.desk.request(house.asks())
    assert result.state is ApprovalState.NO_APPROVER
    assert "could not ask" in caplog.text


async def test_who_asks_and_may_approve_is_asked_himself(house: DeskUnderTest) -> None:
    """The turn ends at once with the question; the others are asked besides."""
    house.channel.people = ()
    said: list[str] = []
    turn = house.turn(user_id="admin", is_admin=True, say=said.append)
    result = await house.desk.request(house.asks(turn))
    assert result.state is ApprovalState.PARKED
    assert result.reason.code is Code.APPROVAL_NEEDED
    assert said == []
    await house.settle()
    assert [pending.id for pending in house.channel.asked] == [result.approval_id]
    assert house.store.standing(str(result.approval_id)) == "waiting"


async def test_somebody_else_is_waited_for(house: DeskUnderTest) -> None:
    """The turn says whom it asked, and goes on with the answer."""
    said: list[str] = []
    asked = house.asks(house.turn(say=said.append))
    task, approval_id = await house.wait_for_question(asked)
    while not said:
        await asyncio.sleep(0)
    assert not task.done()
    assert said == ["Asking Alex."]
    await house.desk.answer(approval_id, True, ADMIN)
    result = await task
    assert result.state is ApprovalState.APPROVED
    assert (result.decided_by, result.via) == ("admin", "action")
    assert result.approval_id == approval_id


async def test_a_no_ends_the_waiting(house: DeskUnderTest) -> None:
    """And the same tool isn't asked about again in that turn, whatever its words."""
    task, approval_id = await house.wait_for_question(house.asks())
    await house.desk.answer(approval_id, False, ADMIN)
    result = await task
    assert (result.state, result.reason.code) == (
        ApprovalState.DENIED,
        Code.APPROVAL_DENIED,
    )
    asked = len(house.channel.asked)
    again = await house.desk.request(house.asks(entity_id="lock.shed"))
    assert again.reason.code is Code.APPROVAL_DENIED
    assert len(house.channel.asked) == asked
    other_tool = house.asks(service="light.turn_on", entity_id="light.hall")
    task, _ = await house.wait_for_question(other_tool)
    other_turn = house.turn("turn-2", seconds=0)
    assert await house.park(other_turn, entity_id="lock.shed")
    task.cancel()


@pytest.mark.parametrize(
    ("origin", "seconds", "waits"),
    [
        (Origin.CHAT, 240, 25.0),
        (Origin.VOICE, 240, 12.0),
        (Origin.CHAT, 20, 10.0),
        (Origin.CHAT, 10, None),
        (Origin.AUTOMATION, 240, None),
    ],
)
async def test_how_long_it_waits(
    house: DeskUnderTest,
    monkeypatch: pytest.MonkeyPatch,
    origin: Origin,
    seconds: float,
    waits: float | None,
) -> None:
    """25 s in a chat, 12 by voice, never beyond the turn; an automation parks."""
    waited: list[float] = []

    async def until_settled(approval_id: str, limit: float) -> None:
        waited.append(limit)

    monkeypatch.setattr(house.desk._ledger, "until_settled", until_settled)
    turn = house.turn(origin=origin, seconds=seconds)
    result = await house.desk.request(house.asks(turn))
    assert result.state is ApprovalState.PARKED
    assert waited == ([waits] if waits is not None else [])


async def test_waiting_runs_out_into_a_parked_turn(
    house: DeskUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question stays; its answer is for the turn when it goes on."""
    monkeypatch.setitem(desk_module.WAITS_S, Origin.CHAT, 0.01)
    result = await house.desk.request(house.asks())
    assert result.state is ApprovalState.PARKED
    assert (await house.desk.answer(str(result.approval_id), True, ADMIN)).ok


async def test_the_same_question_is_asked_once(house: DeskUnderTest) -> None:
    """The same call of the same conversation waits for the same answer."""
    first = await house.park()
    second = await house.park(house.turn("turn-2", seconds=0))
    assert first == second
    assert len(house.channel.asked) == 1
    owner = {"user_id": "admin", "is_admin": True}
    others = [
        await house.park(house.turn("turn-3", seconds=0, session="session-2")),
        await house.park(entity_id="lock.shed"),
        await house.park(house.turn("turn-4", seconds=0, **owner), code="1234"),
    ]
    await house.settle()
    assert len({first, *others}) == 4
    assert len(house.channel.asked) == 4


async def test_same_words_of_a_changed_house_are_another_question(
    house: DeskUnderTest,
) -> None:
    """What it resolved to belongs to it: a lock that has got a member, say."""
    first = await house.park()
    door = house.home.facts["lock.front_door"]
    house.home.facts["lock.front_door"] = replace(door, members=("lock.shed",))
    assert await house.park() != first


async def test_the_same_words_of_somebody_else_are_another_question(
    house: DeskUnderTest,
) -> None:
    """Also in one conversation; and so are those that somebody else must answer."""
    first = await house.park()
    other = house.turn("turn-2", seconds=0, user_id="guest")
    second = await house.park(other)
    asked = house.asks(house.turn("turn-3", seconds=0))
    terms = ApprovalTerms(pin="front")
    decision = replace(asked.decision, approval=terms)
    third = await house.desk.request(replace(asked, decision=decision))
    assert len({first, second, third.approval_id}) == 3


async def test_three_wait_at_most_in_a_conversation(house: DeskUnderTest) -> None:
    """More are refused without asking anybody."""
    for number in range(3):
        await house.park(house.turn(f"turn-{number}", seconds=0), number=number)
    result = await house.desk.request(house.asks(number=3))
    assert (result.state, result.reason.code) == (
        ApprovalState.DENIED,
        Code.RATE_LIMITED,
    )
    assert len(house.channel.asked) == 3
    assert house.trail.types()[-1] == "rejected"


async def test_six_questions_an_hour(house: DeskUnderTest) -> None:
    """Answered or not, also across a restart; an hour later there is room again."""
    for number in range(6):
        turn = house.turn(f"turn-{number}", seconds=0)
        approval_id = await house.park(turn, number=number)
        await house.desk.answer(approval_id, False, ADMIN)
    last = house.turn("turn-7", seconds=0)
    refused = await house.desk.request(house.asks(last, number=7))
    assert refused.reason.code is Code.RATE_LIMITED
    await house.desk.stop()
    house.restart()
    await house.desk.start()
    refused = await house.desk.request(house.asks(last, number=7))
    assert refused.reason.code is Code.RATE_LIMITED
    house.now.advance(3600)
    assert await house.park(last, number=7)


async def test_twenty_wait_at_most_in_the_house(house: DeskUnderTest) -> None:
    """However many people ask, even all at the same moment."""
    house.store.slow = 2
    asked = [
        house.asks(
            house.turn(
                f"turn-{number}",
                session=f"s-{number}",
                user_id=f"user-{number}",
                seconds=0,
            )
        )
        for number in range(30)
    ]
    results = await asyncio.gather(*(house.desk.request(each) for each in asked))
    parked = [each for each in results if each.state is ApprovalState.PARKED]
    assert len(parked) == len(house.desk.pending()) == 20


async def test_a_new_conversation_is_no_new_automation(house: DeskUnderTest) -> None:
    """An automation that asks under a new name each time stays the same one."""
    for number in range(3):
        turn = house.turn(
            f"turn-{number}", origin=Origin.AUTOMATION, session=f"s-{number}"
        )
        await house.park(turn, number=number)
    turn = house.turn("turn-4", origin=Origin.AUTOMATION, session="s-4")
    result = await house.desk.request(house.asks(turn, number=4))
    assert result.reason.code is Code.RATE_LIMITED


async def test_a_cancelled_turn_takes_its_question_back(house: DeskUnderTest) -> None:
    """A yes to what nobody waits for any more runs nothing, now or later."""
    task, approval_id = await house.wait_for_question(house.asks())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await house.settle()
    assert house.store.standing(approval_id) == "expired"
    late = await house.desk.answer(approval_id, True, ADMIN)
    assert late.code is Code.APPROVAL_EXPIRED


@pytest.mark.parametrize("slow", [0, 1, 2, 3, 5])
async def test_a_turn_cancelled_while_its_question_goes_to_disk(
    house: DeskUnderTest, slow: int
) -> None:
    """At whatever moment: nothing that could be answered is left."""
    house.store.slow = 3
    task = asyncio.create_task(house.desk.request(house.asks()))
    for _ in range(slow):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await house.settle()
    assert house.desk.pending() == ()
    assert {row["standing"] for row in house.store.rows.values()} <= {"expired"}


async def test_a_parked_turn_keeps_its_question(house: DeskUnderTest) -> None:
    """Another turn that asked the same and was cancelled takes nothing from it."""
    approval_id = await house.park()
    task = asyncio.create_task(house.desk.request(house.asks(house.turn("turn-2"))))
    for _ in range(10):
        await asyncio.sleep(0)
    assert not task.done()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await house.settle()
    assert house.store.standing(approval_id) == "waiting"
    await house.desk.withdraw(approval_id)
    await house.desk.withdraw(approval_id)
    assert house.store.standing(approval_id) == "expired"


async def test_an_answer_goes_on_without_its_giver(house: DeskUnderTest) -> None:
    """A browser that closes in the middle of a yes leaves it whole."""
    approval_id = await house.park()
    house.store.slow = 3
    task = asyncio.create_task(house.desk.answer(approval_id, True, ADMIN))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await house.settle()
    pending = house.desk.find(approval_id)
    assert pending is not None
    assert pending.standing.value == house.store.standing(approval_id) == "approved"


async def test_stopping_parks_who_waits(house: DeskUnderTest) -> None:
    """An unload ends the waiting, not the question; afterwards nobody is asked."""
    task, approval_id = await house.wait_for_question(house.asks())
    await asyncio.sleep(0)
    await house.desk.stop()
    assert (await task).state is ApprovalState.PARKED
    assert house.store.standing(approval_id) == "waiting"
    after = await house.desk.request(house.asks(house.turn("turn-2")))
    assert after.state is ApprovalState.NO_APPROVER


async def test_a_question_that_can_not_be_put_is_a_no(
    house: DeskUnderTest,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A fault of ours grants nothing."""
    asked = house.asks()

    def broken(*_: object) -> bool:
        raise OSError("broken")

    monkeypatch.setattr(desk_module, "draft", broken)
    result = await house.desk.request(asked)
    assert result.state is ApprovalState.NO_APPROVER
    assert "could not be asked" in caplog.text


async def test_an_answer_while_nobody_could_be_reached(house: DeskUnderTest) -> None:
    """Somebody saw it in the list and answered before the last channel gave up."""
    house.channel.people = ()
    ask = house.channel.ask

    async def slow(pending: PendingApproval) -> Reached | None:
        assert (await house.desk.answer(pending.id, True, ADMIN)).ok
        return await ask(pending)

    house.channel.ask = slow  # type: ignore[method-assign]  # an answer comes meanwhile
    result = await house.desk.request(house.asks())
    assert result.state is ApprovalState.APPROVED


async def test_a_guard_that_asks_is_the_reason(house: DeskUnderTest) -> None:
    """Where the policy would allow it, people hear why they are asked."""
    asked = house.asks(house.turn(seconds=0))
    decision = replace(asked.decision, verdict=Verdict.ALLOW, approval=None)
    guard = GuardResult(verdict=Verdict.ASK, reason=Reason(code=Code.TAINTED))
    await house.desk.request(replace(asked, decision=decision, guard=guard))
    [pending] = house.desk.pending()
    assert pending.why.code is Code.TAINTED
    assert pending.terms == ApprovalTerms()


async def test_it_keeps_looking(
    house: DeskUnderTest,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A question lapses by itself, also after a sweep that broke."""
    monkeypatch.setattr(desk_module, "_LOOK_EVERY_S", 0.01)
    await house.desk.stop()
    await house.desk.start()
    sweep = house.desk._ledger.lapse
    broken = asyncio.Event()

    async def breaks() -> list[PendingApproval]:
        monkeypatch.setattr(house.desk._ledger, "lapse", sweep)
        broken.set()
        raise OSError("broken")

    approval_id = await house.park()
    monkeypatch.setattr(house.desk._ledger, "lapse", breaks)
    house.now.advance(900)
    async with asyncio.timeout(5):
        await broken.wait()
        while house.store.standing(approval_id) != "expired":
            await asyncio.sleep(0.01)
    assert "could not be looked through" in caplog.text


async def test_a_channel_that_can_not_tell(
    house: DeskUnderTest,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The answer counts all the same."""

    async def broken(_: PendingApproval) -> None:
        raise OSError("no network")

    monkeypatch.setattr(house.channel, "settled", broken)
    approval_id = await house.park()
    assert (await house.desk.answer(approval_id, True, ADMIN)).ok
    await house.settle()
    assert "could not say" in caplog.text


async def test_allow_once_has_an_end(house: DeskUnderTest) -> None:
    """Fifty are open at most."""
    asked = house.asks()
    for number in range(MAX_ALLOWANCES):
        caller = replace(asked.turn.caller, user_id=f"user-{number}")
        assert (await house.desk.allow_once(asked.call, caller, ADMIN)).ok
    full = await house.desk.allow_once(asked.call, asked.turn.caller, ADMIN)
    assert (full.ok, full.code) == (False, Code.RATE_LIMITED)
