"""Answers from what a tool brought back: its own words, or a list of what it found.

The words are a worker's, or come from the open web: they are said as plain speech, short,
and never as markup or links.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final
import unicodedata

from ...brain.reply import speak
from ...legion.bundled import BUNDLED
from ...legion.canonical import Json
from ...policy.impact import CORE_READS
from ...policy.reason import Code
from ...result_filter import SAY
from ...turn import ToolOutcome
from ...wording import Wording, sentence_name
from .plan import Job, Request

MAX_SAID: Final = 1000
_MAX_PART: Final = 240
_LISTED: Final = 3
_FACTS: Final = 5
_OF_THE_HOUSE: Final = CORE_READS | {"call_service"}
# Invisible characters, and those that turn the direction of what is shown.
_UNSAID: Final = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


def tool_text(wording: Wording, job: Job, outcomes: Sequence[ToolOutcome]) -> str:
    """Return what a tool's results say."""
    texts = [
        text for outcome in outcomes if (text := _of_result(wording, outcome.data))
    ]
    if not texts:
        name = job.requests[0].tool if job.requests else ""
        return wording.text("brain_tool_nothing", tool=_title(wording, job, name))
    if any(outcome.truncated for outcome in outcomes):
        texts.append(wording.text("brain_cut"))
    return " ".join(texts)


def tool_refusal(
    wording: Wording, job: Job, request: Request, outcome: ToolOutcome, admin: bool
) -> str:
    """Return what only a tool's failure or refusal needs said; empty otherwise.

    Why a tool failed is in its own words: in the person's language if it knows that.
    """
    if outcome.error is None or request.tool in _OF_THE_HOUSE:
        return ""
    tool = _title(wording, job, request.tool)
    own = sentence_name(request.tool)
    match outcome.error.code:
        case Code.TOOL_ERROR if outcome.facts:
            why = _ended(clean(outcome.error.message, _MAX_PART))
            return wording.text("brain_tool_error", tool=tool, why=why)
        case Code.TOOL_ERROR if own:
            return wording.text("brain_sentence_failed", name=own)
        case Code.TOOL_ERROR:
            return wording.text("brain_tool_failed", tool=tool)
        case Code.NOT_LISTED if own and not admin:
            return wording.text("brain_sentence_unlisted", name=own)
        case Code.NOT_LISTED:
            key = "brain_tool_add" if admin else "brain_tool_unlisted"
            return wording.text(key, tool=request.tool)
        case _:
            return ""


def own_words(data: Json) -> str:
    """Return the sentence that a tool made for a person; empty if there is none."""
    said = data.get(SAY) if isinstance(data, Mapping) else None
    return clean(said, MAX_SAID) if isinstance(said, str) else ""


def clean(text: str, most: int) -> str:
    """Return foreign text as plain speech, with at most `most` characters."""
    # What is cut off can't be said anyway; a cleaner's time should not be a worker's.
    text = text[: 4 * most]
    text = "".join(
        " " if unicodedata.category(char) in _UNSAID else char for char in text
    )
    text = " ".join(speak(" ".join(text.split())).split())
    if len(text) <= most:
        return text
    return f"{text[: most - 1].rpartition(' ')[0] or text[: most - 1]}…"


def _title(wording: Wording, job: Job, tool: str) -> str:
    """Return what a tool is called: a bundled one in words of ours, else in its own."""
    if tool in BUNDLED and (ours := wording.text(f"tool_title_{tool}")):
        return ours
    return job.texts.get("tool") or tool


def _of_result(wording: Wording, data: Json) -> str:
    if text := own_words(data):
        return text
    if not isinstance(data, Mapping):
        return "" if data is None else clean(str(data), MAX_SAID)
    found = data.get("results")
    if isinstance(found, (list, tuple)):
        items = [item for item in map(_item, found) if item][:_LISTED]
        text = " ".join(items) or wording.text("brain_tool_no_results")
        if data.get("filtered"):
            text = f"{text} {wording.text('brain_tool_filtered')}"
        return text
    return " ".join(list(_facts(data))[:_FACTS])


def _item(item: Json) -> str:
    """Return "Ethanol: It boils at 78.37 °C." for a search result."""
    if isinstance(item, str):
        return _ended(clean(item, _MAX_PART))
    if not isinstance(item, Mapping):
        return ""
    parts = [
        text
        for key in ("title", "snippet")
        if isinstance(value := item.get(key), str) and (text := clean(value, _MAX_PART))
    ]
    return _ended(": ".join(parts))


def _facts(data: Mapping[str, Json]) -> Iterator[str]:
    """Yield "line: 7." for each single value."""
    for key, value in data.items():
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            name = clean(str(key).replace("_", " "), 40)
            if text := clean(str(value), _MAX_PART):
                yield _ended(f"{name}: {text}")


def _ended(text: str) -> str:
    return f"{text}." if text and text[-1] not in ".!?…" else text
