"""What a conversation remembers."""

from collections.abc import Iterable

from hypothesis import given, strategies as st
import pytest

from custom_components.caesar.brain.provider import (
    AssistantMessage,
    ToolResultMessage,
    UserMessage,
)
from custom_components.caesar.brain.session import (
    MAX_SESSIONS,
    MAX_TEXT_BYTES,
    NOT_SHOWN,
    Exchange,
    SessionKey,
    Sessions,
    exchange_of,
)
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.turn import Taint, ToolOutcome, Turn


def key(channel: str = "conv:1", user: str | None = "u") -> SessionKey:
    """Return a key."""
    return SessionKey(agent_id="a", channel=channel, user_id=user)


def test_turns_come_back_in_order_and_bounded() -> None:
    """The newest whole turns stay (F-2)."""
    window = [2]
    sessions = Sessions(lambda: window[0])
    for number in range(4):
        sessions.add(key(), Exchange(text=f"q{number}", answer=f"a{number}"))
    assert sessions.history(key()) == (
        UserMessage(text="q2"),
        AssistantMessage(text="a2"),
        UserMessage(text="q3"),
        AssistantMessage(text="a3"),
    )
    window[0] = 1
    sessions.add(key(), Exchange(text="q4", answer="a4"))
    assert len(sessions.history(key())) == 2


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


def mixed(
    *taint: Taint, carried: Iterable[Taint] = (), number: int = 0, vouched: bool = True
) -> Exchange:
    """Return a turn that took this in, with that before its model's eyes."""
    return Exchange(
        text=f"q{number}",
        answer=f"a{number}",
        taint=frozenset(taint),
        carried=frozenset(carried),
        vouched=vouched,
    )


def shown(sessions: Sessions) -> list[str]:
    """Return all texts of the history."""
    return [
        message.text
        for message in sessions.history(key())
        if not isinstance(message, ToolResultMessage)
    ]


@pytest.mark.parametrize("taint", list(Taint))
def test_a_tainted_turn_is_seen_once_more(taint: Taint) -> None:
    """Whole in the next turn, which is tainted for it; a placeholder from then on."""
    sessions = Sessions()
    sessions.add(key(), mixed(number=0))
    sessions.add(key(), mixed(taint, number=1))
    assert shown(sessions) == ["q0", "a0", "q1", "a1"]
    assert sessions.taint(key()) == {taint}
    sessions.add(key(), mixed(number=2))
    assert shown(sessions) == ["q0", "a0", "q1", NOT_SHOWN, "q2", "a2"]
    assert sessions.taint(key()) == frozenset()
    sessions.add(key(), mixed(number=3))
    assert shown(sessions)[2:4] == ["q1", NOT_SHOWN]


def test_taint_is_not_handed_on_for_ever() -> None:
    """An answer that a model wrote with such text before it is not shown again."""
    sessions = Sessions()
    sessions.add(key(), mixed(Taint.UNTRUSTED, number=1))
    sessions.add(key(), mixed(carried=sessions.taint(key()), number=2))
    assert shown(sessions) == ["q1", NOT_SHOWN, "q2", NOT_SHOWN]
    assert sessions.taint(key()) == frozenset()


def test_an_answer_that_mixes_old_and_new_is_not_shown() -> None:
    """What it took in itself would be shown; what it carried would go along."""
    sessions = Sessions()
    sessions.add(key(), mixed(Taint.PRIVATE, carried={Taint.UNTRUSTED}, number=1))
    assert shown(sessions) == ["q1", NOT_SHOWN]
    assert sessions.taint(key()) == frozenset()
    sessions.add(key(), mixed(*Taint, carried={Taint.UNTRUSTED}, number=2))
    assert shown(sessions)[2:] == ["q2", "a2"]
    assert sessions.taint(key()) == frozenset(Taint)


def test_an_automations_words_go_too() -> None:
    """A person's stay; those that nobody vouches for don't."""
    sessions = Sessions()
    sessions.add(key(), mixed(Taint.UNTRUSTED, number=1, vouched=False))
    assert shown(sessions) == ["q1", "a1"]
    sessions.add(key(), mixed(number=2))
    assert shown(sessions) == [NOT_SHOWN, NOT_SHOWN, "q2", "a2"]


def test_what_does_not_fit_does_not_taint() -> None:
    """Only what the next prompt carries counts."""
    sessions = Sessions()
    long = Exchange(
        text="x" * MAX_TEXT_BYTES, answer="y", taint=frozenset({Taint.UNTRUSTED})
    )
    sessions.add(key(), long)
    assert sessions.history(key()) == ()
    assert sessions.taint(key()) == frozenset()


def test_taint_of_a_conversation_is_its_own() -> None:
    """Another user's reading taints nobody else."""
    sessions = Sessions()
    sessions.add(key(), mixed(Taint.UNTRUSTED))
    assert sessions.taint(key(user="other")) == frozenset()


@given(st.lists(st.tuples(st.sets(st.sampled_from(Taint)), st.booleans()), max_size=8))
def test_taint_ends_when_nothing_new_is_read(
    turns: list[tuple[set[Taint], bool]],
) -> None:
    """Whatever came before: one clean turn later the next prompt is clean.

    And no answer is ever shown whose taint the prompt does not bear.
    """
    sessions = Sessions()
    borne: dict[str, frozenset[Taint]] = {}
    for number, (read, model) in enumerate(turns):
        carried = sessions.taint(key()) if model else frozenset[Taint]()
        exchange = mixed(*read, carried=carried - read, number=number)
        borne[exchange.answer] = frozenset(read) | carried
        sessions.add(key(), exchange)
        for answer in shown(sessions)[1::2]:
            assert borne.get(answer, frozenset()) <= sessions.taint(key())
    sessions.add(key(), mixed(carried=sessions.taint(key())))
    assert sessions.taint(key()) == frozenset()


def outcome(*taint: Taint) -> ToolOutcome:
    """Return a call's outcome that holds such text."""
    return ToolOutcome(request_id="r", tool="t", taint=frozenset(taint))


@pytest.mark.parametrize(
    ("origin", "taint", "read", "expected"),
    [
        (Origin.CHAT, [], [], mixed()),
        # The built-in brain's turn isn't tainted by what it reads; its answer is.
        (Origin.CHAT, [], [Taint.UNTRUSTED], mixed(Taint.UNTRUSTED)),
        (Origin.VOICE, [Taint.UNTRUSTED], [], mixed(carried={Taint.UNTRUSTED})),
        (
            Origin.CHAT,
            list(Taint),
            [Taint.PRIVATE],
            mixed(Taint.PRIVATE, carried={Taint.UNTRUSTED}),
        ),
        (Origin.AUTOMATION, [], [], mixed()),
        (
            Origin.AUTOMATION,
            [Taint.UNTRUSTED],
            [],
            mixed(Taint.UNTRUSTED, vouched=False),
        ),
    ],
)
def test_how_a_turn_is_remembered(
    origin: Origin, taint: list[Taint], read: list[Taint], expected: Exchange
) -> None:
    """Its own taint is what it read, and its own text if nobody vouches for that."""
    turn = Turn(
        decision_id="d",
        caller=Caller(origin=origin, agent_id="a", context_id="c"),
        language="en",
        deadline=1,
        taint=set(taint),
    )
    assert exchange_of(turn, "q0", "a0", [outcome(*read)]) == expected
