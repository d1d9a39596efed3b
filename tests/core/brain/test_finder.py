"""What a person's words may mean in a home too large for the prompt."""

import pytest

from custom_components.caesar.brain.finder import MOST, Finder
from custom_components.caesar.brain.home_index import IndexEntry

ROOMS = {"kitchen": "Kitchen", "kitchen_2": "Kitchen 2", "kueche": "Küche"}
ROOMS |= {f"room_{number}": f"Room {number}" for number in range(60)}
KINDS = ("Ceiling", "Counter", "Shelf", "Strip", "Spots", "Pendant", "Window", "Desk")


def entries() -> list[IndexEntry]:
    """Return eight lights in each of many rooms, and one odd thing."""
    lights = [
        IndexEntry(
            entity_id=f"light.{area_id}_{kind.casefold()}",
            name=f"{area} {kind}",
            area=area,
            area_id=area_id,
        )
        for area_id, area in ROOMS.items()
        for kind in KINDS
    ]
    robot = IndexEntry(
        entity_id="vacuum.x1", name="X1", area=None, aliases=("Rosie", "the robot")
    )
    return [*lights, robot]


FINDER = Finder(entries())


def ids(text: str, **how: object) -> list[str]:
    """Return what is found."""
    return [each.entity_id for each in FINDER.find(text, **how)]  # type: ignore[arg-type]  # handed through


def test_a_name_is_first_and_its_room_follows() -> None:
    """The whole name wins over one that has more words."""
    found = ids("Turn on the kitchen ceiling, please")
    assert found[:2] == ["light.kitchen_ceiling", "light.kitchen_2_ceiling"]
    assert len(found) == MOST


def test_a_kind_in_a_room_is_that_rooms_things() -> None:
    """All of the kitchen before what is in the second one."""
    found = ids("turn on the kitchen light")
    assert len(found) == MOST == len(KINDS)
    assert set(found) == {f"light.kitchen_{kind.casefold()}" for kind in KINDS}


def test_a_compound_word_begins_like_a_room() -> None:
    """German joins the room to the thing."""
    found = ids("mach das Küchenlicht an")
    assert {each.rpartition("_")[0] for each in found} == {"light.kueche"}


def test_the_beginning_of_a_word_is_enough() -> None:
    """If it isn't too short."""
    assert {each.rpartition("_")[2] for each in ids("the pend")} == {"pendant"}
    assert ids("the pen") == []


@pytest.mark.parametrize("text", ["start Rosie", "send THE ROBOT out", "x1"])
def test_other_names_count(text: str) -> None:
    """A thing is found by any of its names."""
    assert ids(text)[0] == "vacuum.x1"


@pytest.mark.parametrize("text", ["turn on the light", "", "hello there", "..."])
def test_words_that_pick_nothing_out_find_nothing(text: str) -> None:
    """A guess among hundreds would be noise."""
    assert ids(text) == []


def test_the_persons_own_room_picks_out() -> None:
    """Of what they call "the light" they mean the one that is there."""
    found = ids("turn on the light", area_id="room_7")
    assert {each.rpartition("_")[0] for each in found} == {"light.room_7"}


def test_it_goes_with_what_the_conversation_is_about() -> None:
    """What "it" is, was said before; what the index names isn't said again."""
    assert ids("turn it off", lately=["vacuum.x1", "light.gone"]) == ["vacuum.x1"]
    assert ids("start Rosie", without=frozenset({"vacuum.x1"})) == []
    assert len(ids("kitchen", lately=[each.entity_id for each in entries()])) == MOST
