"""What a conversation remembers."""

from custom_components.caesar.brain.provider import AssistantMessage, UserMessage
from custom_components.caesar.brain.session import (
    MAX_SESSIONS,
    MAX_TEXT_BYTES,
    Exchange,
    SessionKey,
    Sessions,
)


def key(channel: str = "conv:1", user: str | None = "u") -> SessionKey:
    """Return a key."""
    return SessionKey(agent_id="a", channel=channel, user_id=user)


def test_turns_come_back_in_order_and_bounded() -> None:
    """The newest whole turns stay (F-2)."""
    sessions = Sessions(context_window=2)
    for number in range(4):
        sessions.add(key(), Exchange(text=f"q{number}", answer=f"a{number}"))
    assert sessions.history(key()) == (
        UserMessage(text="q2"),
        AssistantMessage(text="a2"),
        UserMessage(text="q3"),
        AssistantMessage(text="a3"),
    )


def test_keys_never_meet() -> None:
    """Another channel, another user: another conversation (F-1)."""
    sessions = Sessions()
    sessions.add(key(), Exchange(text="q", answer="a"))
    assert sessions.history(key(user="other")) == ()
    assert sessions.history(key(channel="device:1")) == ()


def test_bounded_by_size_and_number() -> None:
    """Long turns drop the oldest (F-8); the oldest conversations are forgotten."""
    sessions = Sessions()
    sessions.add(key(), Exchange(text="x" * MAX_TEXT_BYTES, answer="old"))
    sessions.add(key(), Exchange(text="new", answer="new"))
    assert len(sessions.history(key())) == 2
    for number in range(MAX_SESSIONS):
        sessions.add(key(channel=f"c{number}"), Exchange(text="q", answer="a"))
    assert sessions.history(key()) == ()
