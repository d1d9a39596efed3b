"""What a voice says of an answer, however the answer is cut."""

from itertools import pairwise
import time

from hypothesis import given, strategies as st
import pytest

from custom_components.caesar.brain.speech import Speech, spoken

_PARTS = st.sampled_from(
    (
        *(
            "**",
            "*",
            "_",
            "`",
            "```",
            "\n",
            "|",
            "[",
            "](",
            ")",
            "!",
            ". ",
            "! ",
            "<b>",
        ),
        *("light.kitchen", "21.5 °C", "https://a.example/b?c", "💡", "- ", "# ", "ok"),
        *(" ", "2 * 3", ": ", "…", "|---|", "<", "Lampe", "http"),
        *("。", "！", "灯", "”", "“", "）"),
    )
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("**Done.** The _light_ is `on` 💡", "Done. The light is on"),
        ("*It is on. All is well.*", "It is on. All is well."),
        ("# Title\n- one\n- two", "Title\none\ntwo"),
        ("Look:\n```yaml\na: 1. b\n```\nThat is all.", "Look:\nThat is all."),
        ("|Room|Value|\n|---|---|\n|Bath|21.5 °C|", "Room, Value\nBath, 21.5 °C"),
        ("See [the page. Now](https://a.example/b. c) now", "See the page. Now now"),
        ("light.kitchen_lamp is off", "kitchen lamp is off"),
        ("snake_case and example.com", "snake_case and example.com"),
        ("It's 21.5 °C, 45 %, 2 * 3 = 6.", "It's 21.5 °C, 45 %, 2 * 3 = 6."),
        ("<b>Bold</b> and 2 < 3", "Bold and 2 < 3"),
        ("![cat](https://x.example/c.png) here", "cat here"),
    ],
)
def test_spoken(text: str, said: str) -> None:
    """A voice says no markup, code, table, address, emoji or entity id."""
    assert spoken(text) == said


@given(
    parts=st.lists(_PARTS, max_size=14), cuts=st.lists(st.integers(0, 60), max_size=6)
)
def test_cuts_change_nothing(parts: list[str], cuts: list[int]) -> None:
    """Text in pieces is said like the whole, and letter by letter too."""
    text = "".join(parts)
    ends = sorted({0, *(min(cut, len(text)) for cut in cuts), len(text)})
    pieces = [text[a:b] for a, b in pairwise(ends)]
    for way in (pieces, [*text]):
        speech = Speech()
        said = "".join(map(speech.feed, way)) + speech.rest()
        assert said.strip() == spoken(text)


def test_first_sentence_comes_first() -> None:
    """A sentence is said as soon as it is whole, before the answer is."""
    speech = Speech()
    assert speech.feed("The **light** is on.") == ""
    assert speech.feed(" And") == "The light is on. "
    assert speech.feed(" the door") == ""
    assert speech.rest() == "And the door"


def test_chinese_comes_sentence_by_sentence() -> None:
    """There is no blank between them, and none is put there."""
    speech = Speech()
    assert speech.feed("灯**开了。**") == ""
    assert speech.feed("“好吗？”") == "灯开了。"
    assert speech.feed("是的！\n门") == "“好吗？”是的！\n"
    assert speech.rest() == "门"


@pytest.mark.parametrize(
    "piece", ["<a. ", "[a. ", "。*", "|a. ", "`a. ", "word ", "*a. "]
)
def test_long_and_hostile_text_takes_no_time(piece: str) -> None:
    """What never ends is let go: the event loop must not wait for a model's text."""
    begun = time.process_time()
    spoken(piece * 20_000)
    assert time.process_time() - begun < 2
