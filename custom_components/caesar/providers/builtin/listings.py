"""Answers that read something out: lists, appointments, names."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Final

from homeassistant.util import dt as dt_util

from ...legion.canonical import Json
from ...turn import ToolOutcome
from ...wording import Wording
from .plan import Job
from .tool_answers import clean, own_words

_MOST: Final = 8
_LONGEST_TITLE: Final = 120


def items_text(wording: Wording, job: Job, outcomes: Sequence[ToolOutcome]) -> str:
    """Read out the open items of to-do lists."""
    names = wording.names(job.names.values())
    items = [
        str(item.get("summary"))
        for item in _responses(outcomes, "items")
        if item.get("status") != "completed"
    ]
    if not items:
        return wording.text("brain_list_empty", names=names)
    return wording.text("brain_list_items", names=names, items=_some(wording, items))


def events_text(
    wording: Wording, job: Job, outcomes: Sequence[ToolOutcome], zone: tzinfo
) -> str:
    """Read out appointments in the order of their start, each once."""
    weekdays = wording.text("brain_weekdays").split(", ")
    found = []
    for start, summary in dict.fromkeys(_events(outcomes, zone)):
        begins, whole_day = _begin(start, zone)
        said = [summary] if whole_day else [f"{begins:%H:%M}", summary]
        if job.response != "day":
            said.insert(0, weekdays[begins.weekday()])
        found.append((begins, " ".join(said)))
    found.sort(key=lambda event: event[0])
    if job.response == "next":
        found = found[:1]
    text = wording.text(
        "brain_events" if found else "brain_no_events",
        events=_some(wording, [text for _, text in found]),
    )
    if any(data_of(outcome).get("errors") for outcome in outcomes):
        return f"{text} {wording.text('brain_calendars_missing')}"
    return text


def names_text(wording: Wording, outcomes: Sequence[ToolOutcome]) -> str:
    """Read out the names of what was found."""
    names: list[str] = []
    for outcome in outcomes:
        data = outcome.data if isinstance(outcome.data, Mapping) else {}
        for key in ("entities", "areas"):
            names.extend(str(item["name"]) for item in _dicts(data.get(key)))
    if not names:
        return wording.text("brain_no_things")
    return wording.text("brain_things", names=_some(wording, names))


def told_text(outcomes: Sequence[ToolOutcome]) -> str:
    """Return what the house tells of itself: sentences, and lines where there are any.

    Both are its own words, made for who asks; names in them are plain text.
    """
    texts: list[str] = []
    for outcome in outcomes:
        data = data_of(outcome)
        lines = data.get("lines")
        texts += [own_words(data)]
        texts += [f"- {each}" for each in lines] if isinstance(lines, list) else []
    return "\n".join(filter(None, texts))


def _some(wording: Wording, texts: Sequence[str]) -> str:
    if len(texts) <= _MOST:
        return ", ".join(texts)
    more = wording.text("names_more", count=str(len(texts) - _MOST))
    return ", ".join((*texts[:_MOST], more))


def _begin(start: str, zone: tzinfo) -> tuple[datetime, bool]:
    """Return when an event begins in local time, and whether it takes whole days."""
    if (day := dt_util.parse_date(start)) is not None and len(start) == len(
        "2026-01-31"
    ):
        return datetime(day.year, day.month, day.day, tzinfo=zone), True
    parsed = dt_util.parse_datetime(start)
    if parsed is None:
        return datetime.min.replace(tzinfo=zone), True
    return parsed.astimezone(zone), False


def _events(outcomes: Iterable[ToolOutcome], zone: tzinfo) -> Iterator[tuple[str, str]]:
    """Yield start and title of services' events and of tools'."""
    for event in _responses(outcomes, "events"):
        yield _same(str(event.get("start")), zone), str(event.get("summary"))
    for outcome in outcomes:
        for event in _dicts(data_of(outcome).get("events")):
            title = clean(str(event.get("title")), _LONGEST_TITLE)
            yield _same(str(event.get("start")), zone), title


def _same(start: str, zone: tzinfo) -> str:
    """Return a start in one spelling, so that an event that is there twice shows it."""
    begins, whole_day = _begin(start, zone)
    return begins.date().isoformat() if whole_day else begins.isoformat()


def data_of(outcome: ToolOutcome) -> Mapping[str, Json]:
    """Return a result that is an object; nothing else has parts."""
    return outcome.data if isinstance(outcome.data, Mapping) else {}


def _responses(
    outcomes: Iterable[ToolOutcome], key: str
) -> Iterable[Mapping[str, Json]]:
    """Yield the entries under `key` of each entity's part of service responses."""
    for outcome in outcomes:
        data = outcome.data if isinstance(outcome.data, Mapping) else {}
        response = data.get("response")
        for part in response.values() if isinstance(response, Mapping) else ():
            if isinstance(part, Mapping):
                yield from _dicts(part.get(key))


def _dicts(value: object) -> list[Mapping[str, Json]]:
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, Mapping)]
