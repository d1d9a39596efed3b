"""The one JSON object in a model's answer, read strictly. Pure.

Models that can't be held to a shape wrap it: in a fence, in words, after their
thinking. What could be read in two ways is not read at all.
"""

import json
import re
from typing import Final

from ..legion.canonical import Json

_THOUGHT: Final = re.compile(
    r"\A\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE
)
_FENCE: Final = re.compile(
    r"^```[\w-]*[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE
)
_BEGUN: Final = re.compile(r'\{\s*["}]')
# Each try may read to the end of the answer.
_MOST_TRIES: Final = 50


class AnswerError(Exception):
    """An answer that is no object; the text is English and says why, for a model."""


def read_object(answer: str) -> dict[str, Json]:
    """Return the one object that an answer holds. Raises AnswerError."""
    text = _THOUGHT.sub("", answer).strip()
    if not text:
        raise AnswerError("it is empty")
    fenced = [match[1].strip() for match in _FENCE.finditer(text)]
    for whole in (text, *(fenced if len(fenced) == 1 else ())):
        try:
            value = _DECODER.decode(whole)
        except ValueError:
            continue
        except RecursionError as err:
            raise AnswerError("it is nested too deep") from err
        if not isinstance(value, dict):
            raise AnswerError("it is no JSON object")
        return value
    return _within(text)


def _within(text: str) -> dict[str, Json]:
    """Return the only object that stands in a text."""
    found: list[dict[str, Json]] = []
    at = tries = 0
    while (at := text.find("{", at)) >= 0:
        tries += 1
        if tries > _MOST_TRIES:
            raise AnswerError("it holds no JSON object that can be told from the rest")
        try:
            value, at = _DECODER.raw_decode(text, at)
        except ValueError as err:
            if _BEGUN.match(text, at):
                # What is inside a broken object is not the answer.
                raise AnswerError("it holds no whole JSON object") from err
            at += 1
            continue
        except RecursionError as err:
            raise AnswerError("it is nested too deep") from err
        found.append(value)
    if len(found) > 1:
        raise AnswerError("it holds more than one JSON object")
    if not found:
        raise AnswerError("it holds no whole JSON object")
    return found[0]


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object; a field that is given twice has no single reading."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a field is given twice")
    return value


def _refuse(constant: str) -> None:
    """Refuse NaN and the infinities, which Python's parser would take."""
    raise ValueError(constant)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse)
