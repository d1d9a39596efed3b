"""The home in the prompt: what it names, and that it doesn't grow with the home."""

from collections.abc import Iterator
import json
import random

import pytest

from custom_components.caesar.brain.home_index import (
    MAX_INDEX_CHARS,
    IndexEntry,
    home_index,
)

ROOMS = ("Kitchen", "Living Room", "Bedroom", "Bathroom", "Hallway")
KINDS = ("light", "light", "light", "switch", "cover", "sensor", "sensor")


def home(count: int, name: str = "{area} {kind} {number}") -> list[IndexEntry]:
    """Return entities over areas of ten, whose names tell their ids or don't."""
    return list(_home(count, name))


def _home(count: int, name: str) -> Iterator[IndexEntry]:
    for number in range(count):
        floor, room = divmod(number // 10, len(ROOMS))
        area = ROOMS[room] + (f" {floor + 1}" if floor else "")
        kind = KINDS[number % 10 % len(KINDS)]
        area_id = area.casefold().replace(" ", "_")
        yield IndexEntry(
            entity_id=f"{kind}.{area_id}_{kind}_{number}",
            name=name.format(area=area, kind=kind, number=number),
            area=area,
            area_id=area_id,
        )


def cost(text: str) -> int:
    """Return the characters of a text in a request's JSON."""
    return len(json.dumps(text, ensure_ascii=False))


def test_a_small_home_is_named_whole() -> None:
    """Each entity is there once, by id, and by name where the id doesn't tell it."""
    entries = home(40)
    index = home_index(entries)
    assert index.named == {entry.entity_id for entry in entries}
    assert "kitchen: light.kitchen_light_0, " in index.text
    assert "Kitchen light 0" not in index.text
    assert "more" not in index.text.splitlines()[1]
    assert "Kit’chen" not in home_index(home(1, "Kit’chen {kind} {number}")).text
    other = home_index(home(1, "Grandma's lamp"))
    assert "light.kitchen_light_0 'Grandma’s lamp'" in other.text
    assert home_index([]).text == "No entities are shared with you."


@pytest.mark.parametrize("name", ["{area} {kind} {number}", "A long name, " * 6])
@pytest.mark.parametrize("count", [100, 300, 1_000, 10_000])
def test_it_does_not_grow_with_the_home(count: int, name: str) -> None:
    """It is as long as its room, whatever the things are called."""
    index = home_index(home(count, name))
    whole = len(index.named) == count
    assert cost(index.text) <= MAX_INDEX_CHARS + 300
    # What has room is used: a home that is too large by one isn't told of in a line.
    assert whole or not index.named or cost(index.text) >= 0.9 * MAX_INDEX_CHARS
    assert whole != ("find_entities" in index.text)


def test_what_is_asked_for_most_is_named_first_and_the_rest_is_counted() -> None:
    """Lights before sensors, one of each area in turn; the counts are right."""
    entries = home(250)
    index = home_index(entries)
    kinds = {entity_id.partition(".")[0] for entity_id in index.named}
    assert "light" in kinds
    assert "sensor" not in kinds
    line = next(
        line for line in index.text.splitlines() if line.startswith("kitchen: ")
    )
    told = [entry for entry in entries if entry.entity_id in line]
    assert told
    assert "2 more sensor" in line
    areas = {entry.area for entry in entries if entry.entity_id in index.named}
    assert areas == {entry.area for entry in entries}


def test_of_too_many_areas_the_first_are_named() -> None:
    """And the prompt says that there are more, and what tells them."""
    index = home_index(home(10_000))
    assert "which list_areas tells" in index.text
    assert not index.named


def test_order_is_the_homes_own() -> None:
    """Whatever order the entities come in, not a byte is another one."""
    entries = home(300)
    shuffled = entries.copy()
    random.Random(5).shuffle(shuffled)
    assert home_index(shuffled) == home_index(entries)
