"""Foreign text, made plain."""

from time import perf_counter

from hypothesis import given, strategies as st
import pytest

from custom_components.caesar.legion.tools.web_search.text import (
    plain,
    shortened,
    visible,
)


@pytest.mark.parametrize(
    ("foreign", "kept"),
    [
        ("a &lt; b &amp; c", "a < b & c"),
        ("<p>One</p><p>Two</p>three<br>four", "One Two three four"),
        ("x<style>p {}</style>y<noscript>z</noscript>", "xy"),
        ("<!-- hidden -->seen", "seen"),
        ("&amp;amp;lt;b&amp;amp;gt;bold", "bold"),
        ("<img src=x onerror=alert(1)>after", "after"),
        ("5 < 6 and 7 > 6", "5 < 6 and 7 > 6"),
        ("tab\tline\nnbsp\u00a0end", "tab line nbsp end"),
        ("<script>never closed", ""),
    ],
)
def test_words_are_kept(foreign: str, kept: str) -> None:
    """And only words."""
    assert plain(foreign, 100) == kept


def test_what_nobody_sees_goes() -> None:
    """Directions, zero widths, tags, selectors, halves of characters."""
    assert (
        visible("a\u200bb\u202ec\U000e0041d\ufe0fe\U000e0101f\ud800g\x07h")
        == "abcdefgh"
    )


def test_cutting() -> None:
    """Between words if there are some, else anywhere."""
    assert shortened("one two three", 10) == "one two…"
    assert shortened("x" * 20, 10) == "x" * 9 + "…"
    assert shortened("x " + "y" * 20, 10) == "x " + "y" * 7 + "…"
    assert shortened("short", 10) == "short"


@given(st.text(st.characters(), max_size=500), st.integers(1, 200))
def test_any_text_becomes_plain(text: str, longest: int) -> None:
    """In one line, not longer than allowed."""
    kept = plain(text, longest)
    assert len(kept) <= longest
    assert visible(kept) == kept


@pytest.mark.parametrize(
    "piece", ["<", "<a ", "<!--", "</", "&", "<![CDATA[", "<?", "&#"]
)
def test_hostile_markup_takes_no_time(piece: str) -> None:
    """Whatever is repeated, it is over in a moment."""
    started = perf_counter()
    plain(piece * 500_000, 500)
    assert perf_counter() - started < 0.2
