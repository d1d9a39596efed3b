"""Ten conversations through four brains: the same calls, the same trail, the same end.

The three models are asked by their real SDKs, over servers that speak the vendors' wire
formats; the house, its local worker, its policy and its trail are real.
"""

from typing import Final

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.const import ProviderKind

from .script import AT_FIRST, ON, Conversation, conversations
from .world import THOUGHT, Left, comparable, in_short, world

TEN: Final = (
    *("lights", "question", "denial", "approval", "error"),
    *("calculator", "calendar", "search", "follow-up", "forget"),
)


async def test_ten_conversations_through_four_brains(
    hass: HomeAssistant,
    hass_admin_user: User,
    monkeypatch: pytest.MonkeyPatch,
    socket_enabled: None,
    local_worker: bool,
) -> None:
    """Each comes out as it is written down, and as with the brain before."""
    hass_admin_user.name = "Adult"
    ten = conversations()
    assert tuple(one.name for one in ten) == TEN
    first: dict[str, Left] = {}
    async with world(hass, hass_admin_user.id, monkeypatch) as house:
        for kind in ProviderKind:
            await house.think_with(kind)
            for conversation in ten:
                left = await house.hold(conversation)
                at = f"{conversation.name} with {kind}"
                trail = [in_short(row) for row in left.rows]
                assert trail == conversation.trail, at
                assert left.states == AT_FIRST | conversation.states, at
                assert left.waits == (), at
                same = first.setdefault(conversation.name, left)
                assert [*map(comparable, left.rows)] == [*map(comparable, same.rows)], (
                    at
                )
                if kind is not ProviderKind.BUILTIN:
                    _assert_told(conversation, left, same, at)


def _assert_told(conversation: Conversation, left: Left, first: Left, at: str) -> None:
    """Assert what a model was shown of its conversation, and what a person heard.

    What it thought it gets back within its turn, also over a question to a person, and
    nobody else ever.
    """
    # After a change that was refused, CAESAR itself says how things are.
    kept = "\n\nNothing was changed." if conversation.name == "denial" else ""
    assert left.answers[-1] == conversation.said[-1].words + kept, at
    assert THOUGHT not in f"{left.answers}{left.rows}", at
    before = [ON.text in shown for shown in left.shown]
    thought = [shown.count(THOUGHT) for shown in left.shown]
    match conversation.name:
        case "approval":
            # The question is CAESAR's, word by word, whoever made the call.
            assert left.answers[0] == first.answers[0], at
            assert thought == [0, 1], at
        case "follow-up":
            assert before == [True, True], at
            assert thought == [1, 1], at
        case "forget":
            assert before == [True, True, False], at
