"""A hostile asker opens a new conversation for every question and every call.

The id of a conversation is anybody's to choose; who asks is not.
"""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.policy.call import ToolCall
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.sentinel.capability import PASS
from custom_components.caesar.turn import ApprovalState, GuardResult
from tests.fakes.desk import DeskUnderTest

from .test_capability import decision, turn
from .test_rate_limiter import LIGHT, LIGHT_OFF, House


async def _asked(
    desk: DeskUnderTest, count: int, *, one_session: bool = False, **caller: Any
) -> int:
    """Ask that often, each time in another conversation; return how often it was put.

    Each is taken back before the next, so that none waits.
    """
    put = 0
    for number in range(count):
        name = f"{caller.get('user_id')}-{number}-{one_session}"
        session = "one" if one_session else name
        turn = desk.turn(name, session=session, seconds=0, **caller)
        result = await desk.desk.request(desk.asks(turn))
        if result.state is ApprovalState.PARKED and result.approval_id:
            put += 1
            await desk.desk.withdraw(result.approval_id)
    return put


@pytest.mark.parametrize(
    ("caller", "most"),
    [
        ({"user_id": "child"}, 6),
        ({"origin": Origin.VOICE, "satellite_id": "assist_satellite.hall"}, 6),
        ({"origin": Origin.AUTOMATION}, 6),
    ],
)
async def test_a_new_conversation_is_no_new_asker(
    caller: dict[str, Any], most: int
) -> None:
    """Other people's phones ring six times an hour for one asker."""
    desk = DeskUnderTest()
    await desk.desk.start()
    assert await _asked(desk, 25, **caller) == most
    # Somebody else is still heard.
    assert await _asked(desk, 1, user_id="other") == 1
    await desk.desk.stop()


async def test_who_answers_himself_may_be_asked_more_often() -> None:
    """An owner who locks up the house disturbs nobody else; but not for ever."""
    desk = DeskUnderTest()
    await desk.desk.start()
    assert await _asked(desk, 40, user_id="admin", is_admin=True) == 20
    await desk.desk.stop()


async def test_one_conversation_of_an_owner_is_still_one() -> None:
    """The owner's phone rings with each question; six an hour are enough for a chat."""
    desk = DeskUnderTest()
    await desk.desk.start()
    owner: dict[str, Any] = {"user_id": "admin", "is_admin": True}
    assert await _asked(desk, 25, one_session=True, **owner) == 6
    assert await _asked(desk, 25, **owner) == 14
    await desk.desk.stop()


async def test_one_asker_leaves_room_for_the_others() -> None:
    """Nobody fills the list of open questions alone."""
    desk = DeskUnderTest()
    await desk.desk.start()
    for number in range(30):
        turn = desk.turn(f"turn-{number}", session=f"s{number}", seconds=0)
        await desk.desk.request(desk.asks(turn))
    assert len(desk.desk.pending()) == 3
    await desk.desk.stop()


def test_calls_are_counted_by_person_too() -> None:
    """A user with many conversations can't use up what the house has a minute."""
    house = House()

    def run(call: ToolCall, user_id: str, session: str) -> GuardResult:
        own = turn(user_id=user_id)
        own.session = session
        return house.guard.admit(replace(call), decision(), own)

    for number in range(30):
        call = LIGHT if number % 2 else LIGHT_OFF
        assert run(call, "child", f"s{number}") == PASS
    assert run(LIGHT, "child", "s99").verdict is Verdict.DENY
    assert run(LIGHT, "owner", "s1") == PASS
