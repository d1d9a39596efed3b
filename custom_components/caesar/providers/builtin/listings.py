"""Answers that read something out: lists, appointments, names."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Final

from homeassistant.util import dt as dt_util

from ...legion.canonical import Json
from ...turn import ToolOutcome
from ...wording import Wording
from .plan import Job

_MOST: Final = 8


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
    """Read out appointments in the order of their start."""
    weekdays = wording.text("brain_weekdays").split(", ")
    found = []
    for event in _responses(outcomes, "events"):
        start = str(event.get("start"))
        summary = str(event.get("summary"))
        begins, whole_day = _begin(start, zone)
        said = [summary] if whole_day else [f"{begins:%H:%M}", summary]
        if job.response != "day":
            said.insert(0, weekdays[begins.weekday()])
        found.append((begins, " ".join(said)))
    if not found:
        return wording.text("brain_no_events")
    found.sort(key=lambda event: event[0])
    if job.response == "next":
        found = found[:1]
    return wording.text(
        "brain_events", events=_some(wording, [text for _, text in found])
    )


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
