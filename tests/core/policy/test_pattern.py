"""Patterns: the same answers as Python's `re`, without its worst cases."""

import re
from typing import Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.policy.pattern import (
    MAX_STATES,
    MAX_TEXT,
    PatternError,
    SafePattern,
)

ATOMS: Final = st.sampled_from(
    ["a", "b", ".", "[ab]", "[^a]", r"\d", r"\.", "[]a]", r"[\]b]", "-", r"\w"]
)


def _grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    times = st.sampled_from(["*", "+", "?", "{2}", "{1,}", "{0,2}", ""])
    return st.one_of(
        st.lists(inner, max_size=3).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda each: f"({'|'.join(each)})"),
        st.tuples(inner, times).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    )


@settings(max_examples=300, deadline=None)
@given(
    source=st.recursive(ATOMS, _grow, max_leaves=6),
    texts=st.lists(st.text("ab.1-]", max_size=6), min_size=1, max_size=8),
)
def test_means_what_re_means(source: str, texts: list[str]) -> None:
    """A pattern matches exactly what `re.fullmatch` would."""
    pattern = SafePattern(source)
    for text in texts:
        assert pattern.matches(text) == bool(re.fullmatch(source, text))


@pytest.mark.parametrize(
    ("source", "good", "bad"),
    [
        ("^spotify:(track|album):[A-Za-z0-9]{3}$", "spotify:album:aB3", "spotify:x"),
        ("[0-9]{1,3}%?", "100%", "1000"),
        (r"a\$", "a$", "a"),
        ("ä+", "ää", "a"),
        ("a.b", "a-b", "a\nb"),
        ("", "", "a"),
        ("a|", "", "b"),
        ("a{2,}", "aaaa", "a"),
    ],
)
def test_examples(source: str, good: str, bad: str) -> None:
    """Patterns that people write."""
    pattern = SafePattern(source)
    assert pattern.matches(good)
    assert not pattern.matches(bad)
    assert not pattern.matches(good + "\n")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("(a", "not closed"),
        ("a)", "not opened"),
        ("[a", "not closed"),
        ("[", "not closed"),
        ("a**", "directly follows"),
        ("a+?", "directly follows"),
        ("a++", "directly follows"),
        ("a{2}{3}", "directly follows"),
        ("a{3,2}", "ends before"),
        ("*a", "no meaning"),
        ("{2}", "no meaning"),
        ("a{x}", "no meaning"),
        ("[-a--c]", "two ways"),
        ("[a-z--b]", "two ways"),
        ("[a&&b]", "two ways"),
        ("[a~~b]", "two ways"),
        ("[a||b]", "two ways"),
        ("[[a]", "two ways"),
        ("a^b", "no meaning"),
        ("a$b", "no meaning"),
        ("(?=a)a", "not offered"),
        ("(?<!a)b", "not offered"),
        ("(?i)a", "not offered"),
        (r"(a)\1", "not offered"),
        (r"\bword\b", "not offered"),
        ("a\\", "not offered"),
        ("[b-a]", "not understood"),
        ("a" * 201, "longer"),
        ("((a{99}){99}){99}", "too large"),
        ("(((){999}){999}){999}", "too large"),
        ("(" * 50 + "a" + ")" * 50, "too deep"),
    ],
)
def test_refused(source: str, why: str) -> None:
    """What would need a memory, or too much of it, is refused with the reason."""
    with pytest.raises(PatternError, match=why):
        SafePattern(source)


@pytest.mark.parametrize(
    "source", ["(a*)*b", "(a|a)*b", "(a|aa)+b", "a?" * 60 + "a" * 60, ".*" * 60 + "x"]
)
def test_cost_is_bounded(source: str) -> None:
    """The classics that hang a backtracking matcher have few states, and answer."""
    pattern = SafePattern(source)
    assert len(pattern._states) <= MAX_STATES
    assert not pattern.matches("a" * 300)
    assert not pattern.matches("a" * (MAX_TEXT + 1))


def test_longest_text() -> None:
    """A text at the limit is still read."""
    assert SafePattern("a*").matches("a" * MAX_TEXT)
    assert not SafePattern("a*").matches("a" * (MAX_TEXT + 1))


def test_other_bounds() -> None:
    """Who can afford more says so; what a character can cost is known."""
    long = "a" * (MAX_STATES + 1)
    with pytest.raises(PatternError, match="longer"):
        SafePattern(long)
    pattern = SafePattern(long, max_length=1000, max_states=1000)
    assert pattern.matches(long)
    assert MAX_STATES < pattern.states <= 1000
    with pytest.raises(PatternError, match="too large"):
        SafePattern(long, max_length=1000)
