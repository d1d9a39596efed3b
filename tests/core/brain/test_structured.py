"""The one object in a model's answer."""

import pytest

from custom_components.caesar.brain.structured import AnswerError, read_object

OBJECT = '{"a": {"b": [1, "}"]}}'
READ = {"a": {"b": [1, "}"]}}


@pytest.mark.parametrize(
    "answer",
    [
        OBJECT,
        f"\n {OBJECT}\n",
        f"```json\n{OBJECT}\n```",
        f"Here:\n```\n{OBJECT}\n```\nAnything else?",
        f"The object is {OBJECT}. I hope it helps!",
        f"<think>Perhaps {{}} or {OBJECT}?</think>\n{OBJECT}",
        f"<THINKING>{{</THINKING>{OBJECT}",
        f"A set {{1, 2}} is none, this is one: {OBJECT}",
    ],
)
def test_read(answer: str) -> None:
    """Whatever is wrapped around it."""
    assert read_object(answer) == READ


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("", "empty"),
        ("<think>It is {}</think>", "empty"),
        ("I can't do that.", "no whole JSON object"),
        (OBJECT[:-1], "no whole JSON object"),
        ("[1, 2]", "no JSON object"),
        ('"{}"', "no JSON object"),
        ("null", "no JSON object"),
        (f"{OBJECT} or {OBJECT}", "more than one"),
        (f"```json\n{OBJECT}\n```\n```json\n{OBJECT}\n```", "more than one"),
        ('{"a": 1, "a": 2}', "no whole JSON object"),
        ('{"a": NaN}', "no whole JSON object"),
        ('{"a": -Infinity}', "no whole JSON object"),
        ("{'a': 1}", "no whole JSON object"),
        ("{" * 500, "told from the rest"),
        ('{"a":' * 200_000, "nested too deep"),
        (f"see {'{"a":' * 200_000}", "nested too deep"),
    ],
)
def test_not_read(answer: str, why: str) -> None:
    """What has no single reading, and what would take for ever to read."""
    with pytest.raises(AnswerError, match=why):
        read_object(answer)
