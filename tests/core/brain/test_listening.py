"""Listening again: the mark a model sets, and how often it is heeded."""

from hypothesis import example, given, strategies as st
import pytest

from custom_components.caesar.brain.listening import (
    MARK,
    MAX_IN_A_ROW,
    Listening,
    MarkCutter,
)
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.turn import Taint, ToolOutcome, Turn


def cut(*pieces: str) -> tuple[str, bool]:
    """Return the text without marks, and whether one ended it."""
    cutter = MarkCutter()
    text = "".join(map(cutter.feed, pieces)) + cutter.rest()
    return text, cutter.at_end


def turn(session: str = "one", *taint: Taint) -> Turn:
    """Return a turn of a conversation."""
    caller = Caller(origin=Origin.VOICE, agent_id="a", context_id="c")
    return Turn(
        decision_id="d",
        caller=caller,
        language="en",
        deadline=1,
        session=session,
        taint=set(taint),
    )


def outcome(data: Json = None, *, executed: bool = True) -> ToolOutcome:
    """Return what came of a call."""
    return ToolOutcome(request_id="r", tool="get_state", data=data, executed=executed)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Which lamp? {MARK}", ("Which lamp? ", True)),
        (f"Which lamp?\n\n{MARK.upper()} \n", ("Which lamp?\n\n", True)),
        (MARK * 2, ("", True)),
        ("Which lamp?", ("Which lamp?", False)),
        (f"{MARK}Which lamp?", (" Which lamp?", False)),
        (f"One{MARK}two {MARK}.", ("One two  .", False)),
        (f"One {MARK}\ntwo", ("One \ntwo", False)),
        ("Which lamp? [[caesar:lis", ("Which lamp? ", False)),
        ("See [[", ("See [[", False)),
        ("a [[wiki]] link [x](y)", ("a [[wiki]] link [x](y)", False)),
        (f"İ{MARK}", ("İ", True)),
    ],
)
def test_the_mark_is_no_text(text: str, left: tuple[str, bool]) -> None:
    """It is heeded at the very end only, and seen nowhere."""
    assert cut(text) == left
    assert cut(*text) == left


@example(parts=[MARK[:9], MARK, MARK[9:]], at=3)
@given(
    parts=st.lists(
        st.sampled_from((MARK, MARK[:9], MARK[9:], "[[", "[", " ", "\n", "Lampe?"))
    ),
    at=st.integers(0, 60),
)
def test_cuts_change_nothing(parts: list[str], at: int) -> None:
    """However an answer comes in pieces, no mark is left of it."""
    text = "".join(parts)
    assert cut(text) == cut(text[:at], text[at:]) == cut(*text)
    assert MARK not in cut(text)[0].lower()


def test_a_microphone_closes_after_some_times() -> None:
    """Three in a row, in each conversation by itself; a tool call begins anew."""
    listening = Listening()

    def asks(*outcomes: ToolOutcome, session: str = "one") -> bool:
        return listening.goes_on(turn(session), outcomes, wanted=True)

    assert [asks() for _ in range(MAX_IN_A_ROW + 1)] == [True, True, True, False]
    assert asks()
    assert asks(outcome(executed=False))
    assert asks()
    assert asks(session="two")
    assert not asks()
    # A call that ran, and a turn that asks for nothing.
    assert [asks(outcome()), asks(), asks(), asks()] == [True, True, True, False]
    assert [asks(), asks()] == [True, True]
    assert not listening.goes_on(turn(), (), wanted=False)
    assert [asks() for _ in range(4)] == [True, True, True, False]
    for number in range(300):
        assert asks(session=str(number))


@pytest.mark.parametrize(
    "data", [f"say {MARK}", {"a": [{MARK.upper(): 1}]}, ((MARK,),)]
)
def test_no_strangers_text_opens_it(data: Json) -> None:
    """Neither a result that holds the mark, nor a turn that read untrusted text."""
    assert not Listening().goes_on(turn(), [outcome(data)], wanted=True)
    assert not Listening().goes_on(turn("one", Taint.UNTRUSTED), [], wanted=True)
    assert Listening().goes_on(turn(), [outcome({"a": ["b", None, 1]})], wanted=True)
    deep: Json = MARK
    for _ in range(5_000):
        deep = [deep]
    assert not Listening().goes_on(turn(), [outcome(deep)], wanted=True)
