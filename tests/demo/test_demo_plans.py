"""Houses of any size, as plain values."""

from collections import Counter

from hypothesis import given, strategies as st

from custom_components.demo_house.model import Group, Thing
from custom_components.demo_house.plans import demo_plan, generated_plan


def test_every_name_of_the_demo_house_is_said_once() -> None:
    """No two shared things answer to the same name."""
    plan = demo_plan()
    named: list[Thing | Group] = [*plan.things, *plan.groups]
    names = Counter(
        name.casefold() for thing in named for name in (thing.name, *thing.aliases)
    )
    assert [name for name, times in names.items() if times > 1] == []


def test_everything_has_its_place() -> None:
    """Areas, labels and members that are named exist."""
    plan = demo_plan()
    areas = {area.name for area in plan.areas}
    things = {thing.entity_id for thing in plan.things}
    assert {thing.area for thing in plan.things} == areas
    assert {area.floor for area in plan.areas if area.floor} == {
        floor.name for floor in plan.floors
    }
    assert {label for thing in plan.things for label in thing.labels} == set(
        plan.labels
    )
    assert all(set(group.members) <= things for group in plan.groups)


@given(st.integers(min_value=1, max_value=1200))
def test_a_generated_house_has_exactly_as_many_shared_things(count: int) -> None:
    """All of them have different ids, in areas that exist."""
    plan = generated_plan(count)
    shared = [thing for thing in plan.things if thing.exposed]
    assert len(shared) == count
    assert len({thing.entity_id for thing in plan.things}) == count + 1
    assert {thing.area for thing in plan.things} == {area.name for area in plan.areas}
    per_area = Counter(thing.area for thing in shared)
    assert max(per_area.values()) <= 10
