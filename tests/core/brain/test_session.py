"""What a conversation remembers."""

from collections.abc import Iterable
from dataclasses import replace
import json

from hypothesis import given, strategies as st
import pytest

from custom_components.caesar.brain.exchange_bytes import (
    NotAnExchange,
    from_bytes,
    to_bytes,
)
from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Message,
    ToolResultMessage,
    UserMessage,
)
from custom_components.caesar.brain.session import (
    MAX_TEXT_BYTES,
    MEANT_S,
    NOT_SHOWN,
    Exchange,
    exchange_of,
    meant,
    remembered,
)
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import PastCall, Taint, ToolError, ToolOutcome, Turn


class Conversation:
    """One conversation; `kept` says that each turn goes over the disk and back."""

    def __init__(self, *, kept: bool = False) -> None:
        """Start with nothing said."""
        self.turns: list[Exchange] = []
        self._kept = kept

    def add(self, exchange: Exchange) -> None:
        """Remember a turn."""
        if self._kept:
            exchange = from_bytes(to_bytes(exchange))
        self.turns.append(exchange)

    def history(self) -> tuple[Message, ...]:
        """Return what a model is shown next."""
        return remembered(self.turns).messages

    def taint(self) -> frozenset[Taint]:
        """Return the taint of that."""
        return remembered(self.turns).taint


@pytest.fixture(params=[False, True], ids=["said", "kept"])
def talk(request: pytest.FixtureRequest) -> Conversation:
    """Return a conversation of this run, and one that was on the disk meanwhile."""
    return Conversation(kept=request.param)


def test_turns_come_back_in_order(talk: Conversation) -> None:
    """Each is a message and its answer; the last one is known whole."""
    assert remembered(()).last is None
    for number in range(2):
        talk.add(Exchange(text=f"q{number}", answer=f"a{number}"))
    assert talk.history() == (
        UserMessage(text="q0"),
        AssistantMessage(text="a0"),
        UserMessage(text="q1"),
        AssistantMessage(text="a1"),
    )
    assert remembered(talk.turns, 7).last == Exchange(text="q1", answer="a1")
    assert remembered(talk.turns, 7).mark == 7


def test_bounded_by_size(talk: Conversation) -> None:
    """Long turns drop the oldest (F-8)."""
    talk.add(Exchange(text="x" * MAX_TEXT_BYTES, answer="old"))
    talk.add(Exchange(text="new", answer="new"))
    assert len(talk.history()) == 2


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


def shown(talk: Conversation) -> list[str]:
    """Return all texts of the history."""
    return [
        message.text
        for message in talk.history()
        if not isinstance(message, ToolResultMessage)
    ]


@pytest.mark.parametrize("taint", list(Taint))
def test_a_tainted_turn_is_seen_once_more(talk: Conversation, taint: Taint) -> None:
    """Whole in the next turn, which is tainted for it; a placeholder from then on."""
    talk.add(mixed(number=0))
    talk.add(mixed(taint, number=1))
    assert shown(talk) == ["q0", "a0", "q1", "a1"]
    assert talk.taint() == {taint}
    talk.add(mixed(number=2))
    assert shown(talk) == ["q0", "a0", "q1", NOT_SHOWN, "q2", "a2"]
    assert talk.taint() == frozenset()
    talk.add(mixed(number=3))
    assert shown(talk)[2:4] == ["q1", NOT_SHOWN]


def test_taint_is_not_handed_on_for_ever(talk: Conversation) -> None:
    """An answer that a model wrote with such text before it is not shown again."""
    talk.add(mixed(Taint.UNTRUSTED, number=1))
    talk.add(mixed(carried=talk.taint(), number=2))
    assert shown(talk) == ["q1", NOT_SHOWN, "q2", NOT_SHOWN]
    assert talk.taint() == frozenset()


def test_an_answer_that_mixes_old_and_new_is_not_shown(talk: Conversation) -> None:
    """What it took in itself would be shown; what it carried would go along."""
    talk.add(mixed(Taint.PRIVATE, carried={Taint.UNTRUSTED}, number=1))
    assert shown(talk) == ["q1", NOT_SHOWN]
    assert talk.taint() == frozenset()
    talk.add(mixed(*Taint, carried={Taint.UNTRUSTED}, number=2))
    assert shown(talk)[2:] == ["q2", "a2"]
    assert talk.taint() == frozenset(Taint)


def test_an_automations_words_go_too(talk: Conversation) -> None:
    """A person's stay; those that nobody vouches for don't."""
    talk.add(mixed(Taint.UNTRUSTED, number=1, vouched=False))
    assert shown(talk) == ["q1", "a1"]
    talk.add(mixed(number=2))
    assert shown(talk) == [NOT_SHOWN, NOT_SHOWN, "q2", "a2"]


def test_what_does_not_fit_does_not_taint(talk: Conversation) -> None:
    """Only what the next prompt carries counts."""
    long = Exchange(
        text="x" * MAX_TEXT_BYTES, answer="y", taint=frozenset({Taint.UNTRUSTED})
    )
    talk.add(long)
    assert talk.history() == ()
    assert talk.taint() == frozenset()


@given(st.lists(st.tuples(st.sets(st.sampled_from(Taint)), st.booleans()), max_size=8))
def test_taint_ends_when_nothing_new_is_read(
    turns: list[tuple[set[Taint], bool]],
) -> None:
    """Whatever came before: one clean turn later the next prompt is clean.

    And no answer is ever shown whose taint the prompt does not bear.
    """
    talk = Conversation(kept=True)
    borne: dict[str, frozenset[Taint]] = {}
    for number, (read, model) in enumerate(turns):
        carried = talk.taint() if model else frozenset[Taint]()
        exchange = mixed(*read, carried=carried - read, number=number)
        borne[exchange.answer] = frozenset(read) | carried
        talk.add(exchange)
        for answer in shown(talk)[1::2]:
            assert borne.get(answer, frozenset()) <= talk.taint()
    talk.add(mixed(carried=talk.taint()))
    assert talk.taint() == frozenset()


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
    expected = replace(expected, last_calls=(PastCall(tool="t"),))
    assert exchange_of(turn, "q0", "a0", [outcome(*read)]) == expected


def test_what_a_turn_was_about_is_remembered() -> None:
    """The calls without their arguments: for "turn it off", and for recall."""
    turn = Turn(
        decision_id="d",
        caller=Caller(origin=Origin.CHAT, agent_id="a", context_id="c"),
        language="en",
        deadline=1,
    )
    outcomes = [
        ToolOutcome(
            request_id="1",
            tool="light.turn_on",
            target=("light.a", "light.b"),
            executed=True,
        ),
        ToolOutcome(
            request_id="2",
            tool="light.turn_on",
            target=("light.b",),
            executed=True,
            error=ToolError(code=Code.TOOL_ERROR, message="no"),
        ),
        ToolOutcome(request_id="3", tool="get_state", target=("lock.c",)),
    ]
    exchange = exchange_of(turn, "q", "a", outcomes)
    assert exchange.last_calls == (
        PastCall(tool="light.turn_on", target=("light.a", "light.b"), done=True),
        PastCall(tool="light.turn_on", target=("light.b",)),
        PastCall(tool="get_state", target=("lock.c",)),
    )
    assert exchange.tools == ("light.turn_on", "get_state")
    assert exchange.touched == ("light.a", "light.b", "lock.c")
    assert from_bytes(to_bytes(exchange)) == exchange


@given(st.text(), st.text(), st.sets(st.sampled_from(Taint)), st.booleans())
def test_bytes_come_back(
    text: str, answer: str, taint: set[Taint], vouched: bool
) -> None:
    """Whatever was said; text that is no UTF-8 comes back as far as it is."""
    exchange = mixed(*taint, vouched=vouched)
    exchange = replace(exchange, text=text, answer=answer)
    again = from_bytes(to_bytes(exchange))
    assert again.taint == exchange.taint
    assert again.vouched is vouched
    assert again.text == text.encode(errors="replace").decode()
    assert again.answer == answer.encode(errors="replace").decode()


def test_what_nobody_is_shown_is_not_kept() -> None:
    """A text is cut at the size of a whole history, on a whole character."""
    again = from_bytes(to_bytes(Exchange(text="ä" * MAX_TEXT_BYTES, answer="y")))
    assert again.text == "ä" * (MAX_TEXT_BYTES // 2)


def test_only_what_says_so_is_a_persons_own() -> None:
    """Anything else in that place vouches for nothing."""
    odd = json.dumps({**GOOD, "vouched": 1}).encode()
    assert from_bytes(odd).vouched is False


GOOD = json.loads(to_bytes(Exchange(text="q", answer="a")))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"[" * 5000,
        *(
            json.dumps({**GOOD, **change}).encode()
            for change in (
                {"format": 2},
                {"taint": ["other"]},
                {"taint": None},
                {"carried": 1},
                {"calls": [["t"]]},
                {"calls": 3},
            )
        ),
        *(
            json.dumps({k: v for k, v in GOOD.items() if k != gone}).encode()
            # Rows of before short answers were heard have no question.
            for gone in GOOD
            if gone != "question"
        ),
    ],
)
def test_bytes_that_are_no_turn(data: bytes) -> None:
    """They are refused, never guessed at."""
    with pytest.raises(NotAnExchange):
        from_bytes(data)


def test_what_may_be_meant_by_it() -> None:
    """What was done in the last turn, for five minutes; nothing that others chose."""
    done = PastCall(
        tool="light.turn_on", target=("light.a",), done=True, data={"position": 3}
    )
    refused = PastCall(tool="lock.unlock", target=("lock.b",))
    last = Exchange(text="q", answer="a", at=1000, last_calls=(done, refused))
    assert meant(last, 1000) == (done,)
    assert meant(last, 1000 + MEANT_S) == (done,)
    assert remembered([last], now=1010).meant == (done,)
    assert remembered([last, Exchange(text="q", answer="a", at=1001)], now=1010) == (
        replace(remembered([last, Exchange(text="q", answer="a", at=1001)]), meant=())
    )
    assert meant(last, 1001 + MEANT_S) == meant(last, 999) == meant(None, 1000) == ()
    untrusted = frozenset({Taint.UNTRUSTED})
    assert meant(replace(last, carried=untrusted), 1000) == ()
    assert meant(replace(last, taint=untrusted), 1000) == ()
    assert meant(replace(last, vouched=False), 1000) == ()
    assert meant(replace(last, taint=frozenset({Taint.PRIVATE})), 1000) == (done,)
    assert from_bytes(to_bytes(last)) == replace(last, at=0)


def test_what_was_asked_may_be_answered() -> None:
    """By the next message, for five minutes; not where others may have chosen it."""
    last = Exchange(text="q", answer="a", at=1000, question={"candidates": ["light.a"]})
    kept = replace(from_bytes(to_bytes(last)), at=last.at)
    assert kept == last
    for now, open_ in ((1000, True), (1000 + MEANT_S, True), (1001 + MEANT_S, False)):
        asked = remembered([kept], now=now).question
        assert asked == (last.question if open_ else None)
    after = Exchange(text="q", answer="a", at=1001)
    untrusted = frozenset({Taint.UNTRUSTED})
    for turns in (
        [last, after],
        [replace(last, carried=untrusted)],
        [replace(last, taint=untrusted)],
        [replace(last, vouched=False)],
    ):
        assert remembered(turns, now=1002).question is None, turns
    # Nobody was there when a command for later asked.
    caller = Caller(origin=Origin.CHAT, user_id="boy", agent_id="a", context_id="c")
    turn = Turn(decision_id="d", caller=caller, language="en", deadline=0, planned=True)
    assert exchange_of(turn, "q", "a", (), last.question).question is None


def test_rows_of_before_levels_were_kept_open() -> None:
    """A file that an earlier version wrote is still read."""
    value = json.loads(to_bytes(Exchange(text="q", answer="a")))
    value["calls"] = [["light.turn_on", ["light.a"], True]]
    call = PastCall(tool="light.turn_on", target=("light.a",), done=True)
    assert from_bytes(json.dumps(value).encode()).last_calls == (call,)
    value["calls"] = [["light.turn_on", ["light.a"], True, 7]]
    with pytest.raises(NotAnExchange):
        from_bytes(json.dumps(value).encode())
