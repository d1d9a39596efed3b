"""What real servers keep is told right to the minute, in whatever zone the home is."""

from datetime import timedelta

import pytest

from tests.core.legion.calendar_read.bombs import SERVED_BOMB
from tests.core.legion.calendar_read.places import (
    RANGE,
    Place,
    ask,
    task,
    titles,
    worker,
)
from tests.core.legion.calendar_read.shapes import FIRST, HOMES, SHAPES


@pytest.mark.parametrize("home", HOMES)
async def test_all_shapes(place: Place, home: str) -> None:
    """Each shape takes place when it should, and at no other time."""
    answer = await ask(place.settings("shapes"), RANGE, zone=home)
    found: dict[str, list[tuple[str, str]]] = {shape.name: [] for shape in SHAPES}
    for event in answer["events"]:
        found[event["title"]].append((event["start"], event["end"]))
    assert {name: sorted(times) for name, times in found.items()} == {
        shape.name: shape.expected(home) for shape in SHAPES
    }
    assert "errors" not in answer
    assert "total" not in answer


async def test_sorted_by_start(place: Place) -> None:
    """All-day events lead their day; what ends first comes first."""
    answer = await ask(place.settings("shapes"), RANGE)
    days = [event["start"][:10] for event in answer["events"]]
    assert days == sorted(days)
    assert any(event["all_day"] for event in answer["events"])


async def test_limit_after_sorting(place: Place) -> None:
    """The first events in time are told, from whichever calendar, and how many there are."""
    everything = await ask(place.settings("shapes"), RANGE)
    some = await ask(place.settings("shapes"), {**RANGE, "limit": 5})
    assert some["events"] == everything["events"][:5]
    assert some["total"] == len(everything["events"])


async def test_bombs_take_nothing_with_them(place: Place) -> None:
    """What would never end is left out, and said; other calendars are complete."""
    alone = await ask(place.settings("shapes"), RANGE)
    both = await ask(place.settings("shapes", "bombs"), RANGE)
    assert titles(both) == titles(alone)
    (error,) = both["errors"]
    assert error["calendar"] == "bombs"
    assert error["code"] == "repeats_too_often"
    assert "could not be worked out" in both["say"]


async def test_a_bomb_beside_an_event(place: Place) -> None:
    """In one calendar with a bomb, an ordinary event is still found."""
    plain = next(shape for shape in SHAPES if shape.name == "late in UTC")
    place.make("beside", [SERVED_BOMB.text, plain.text])
    answer = await ask(place.settings("beside"), RANGE)
    place.remove("beside")
    assert titles(answer) == [plain.name]
    assert [error["code"] for error in answer["errors"]] == ["repeats_too_often"]


async def test_last_day_of_a_whole_day_event(place: Place) -> None:
    """Three days are three days: the end in the file is the first day after."""
    async with worker(place.settings("shapes")) as running:
        for day, there in (("24", True), ("26", True), ("27", False), ("23", False)):
            answer = await running.handle(task({"day": f"2026-10-{day}"}))
            assert ("three whole days" in titles(answer)) is there
    (event,) = (
        event
        for event in (await ask(place.settings("shapes"), RANGE))["events"]
        if event["title"] == "three whole days"
    )
    assert event["end"] == "2026-10-26"
    assert event["weekday"] == "Saturday"
    assert event["all_day"] is True


@pytest.mark.parametrize("home", HOMES)
async def test_whole_day_near_midnight(place: Place, home: str) -> None:
    """A date is on its own day in every zone, and on no neighbour."""
    async with worker(place.settings("shapes")) as running:
        for shift in (-1, 0, 1):
            day = FIRST.replace(day=31) + timedelta(days=shift)
            answer = await running.handle(task({"day": day.isoformat()}, zone=home))
            assert ("yearly since 1980" in titles(answer)) is (shift == 0)


async def test_an_event_that_is_over_at_the_start(place: Place) -> None:
    """Touching is not taking place: from 10:00 on, what ended at 10:00 is over."""
    before, after = "2026-10-25T09:59", "2026-10-25T10:00"
    for start, there in ((before, True), (after, False)):
        answer = await ask(
            place.settings("shapes"), {"from": start, "to": "2026-10-25T11:00"}
        )
        assert ("weekend with times over midnights" in titles(answer)) is there


async def test_only_the_moved_instance(place: Place) -> None:
    """An instance that was moved is found where it is, without the others."""
    for day, there in (("2026-10-27", True), ("2026-10-30", False)):
        answer = await ask(place.settings("shapes"), {"day": day})
        assert ("moved by a day" in titles(answer)) is there


async def test_empty_calendar(place: Place) -> None:
    """Nothing is an answer."""
    answer = await ask(place.settings("empty"), {"day": "tomorrow"})
    assert answer["events"] == []
    assert answer["say"] == "Nothing tomorrow."
