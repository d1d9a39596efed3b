"""The houses that can be built: the demo house, and generated ones of any size."""

from itertools import product
from typing import Final

from .ground_floor import GROUND_FLOOR_THINGS
from .model import Area, Group, Plan, Saved, Thing
from .rooms import AREAS, FLOORS, LABELS
from .upstairs import UPSTAIRS_AND_GARDEN_THINGS

GROUPS: Final = (
    Group(
        entity_id="light.living_room_lights",
        name="Living room lights",
        members=("light.ceiling_light", "light.floor_lamp", "light.shelf_light"),
        aliases=("Wohnzimmerlichter",),
    ),
    Group(
        entity_id="light.garden_lights",
        name="Garden lights",
        members=("light.path_light", "light.terrace_light"),
        aliases=("Gartenlichter", "Gartenbeleuchtung"),
        hide_members=True,
    ),
    Group(
        entity_id="switch.kitchen_appliances",
        name="Kitchen appliances",
        members=("switch.coffee_machine", "switch.kettle"),
        aliases=("Küchengeräte",),
    ),
    Group(
        entity_id="cover.evening_covers",
        name="Evening covers",
        members=("cover.garage_door", "cover.living_room_blind"),
        aliases=("Abendrollos",),
    ),
    Group(
        entity_id="lock.outside_locks",
        name="Outside locks",
        members=("lock.front_door", "lock.shed"),
        aliases=("Außenschlösser",),
    ),
)
SAVED: Final = (
    Saved(
        entity_id="scene.movie_evening",
        exposed=True,
        aliases=("Filmabend", "Kinoabend"),
    ),
    Saved(
        entity_id="scene.welcome_home", exposed=True, aliases=("Willkommen zu Hause",)
    ),
    Saved(
        entity_id="script.bedtime", exposed=True, aliases=("Schlafenszeit", "Bedtime")
    ),
    Saved(
        entity_id="script.let_guests_in", exposed=True, aliases=("Gäste hereinlassen",)
    ),
    Saved(entity_id="automation.ask_caesar", exposed=False),
)

_GENERATED_ROOMS: Final = (
    "Kitchen",
    "Living room",
    "Bedroom",
    "Bathroom",
    "Hallway",
    "Office",
    "Workshop",
    "Guest room",
    "Attic",
    "Basement",
)
_GENERATED_KINDS: Final = (
    ("light", "ceiling light"),
    ("light", "floor lamp"),
    ("light", "desk lamp"),
    ("light", "wall light"),
    ("light", "window light"),
    ("sensor", "temperature"),
    ("sensor", "ceiling temperature"),
    ("sensor", "floor temperature"),
    ("switch", "heater plug"),
    ("switch", "radio plug"),
)
_SATELLITE: Final = "assist_satellite.childrens_room_satellite"


def demo_plan() -> Plan:
    """Return the house that `script/run` shows."""
    return Plan(
        floors=FLOORS,
        areas=AREAS,
        labels=LABELS,
        things=(*GROUND_FLOOR_THINGS, *UPSTAIRS_AND_GARDEN_THINGS),
        groups=GROUPS,
        saved=SAVED,
    )


def generated_plan(count: int) -> Plan:
    """Return a house of `count` shared entities, ten to an area.

    Half of them are lights, the rest sensors and switches. The children's room
    with its satellite is there as well, so that a turn can be spoken.
    """
    wing = range(count // len(_GENERATED_ROOMS) // len(_GENERATED_KINDS) + 1)
    areas = [
        f"{room} {number + 1}" if number else room
        for number, room in product(wing, _GENERATED_ROOMS)
    ]
    things = [
        _generated_thing(area, domain, kind)
        for area, (domain, kind) in product(areas, _GENERATED_KINDS)
    ][:count]
    used = dict.fromkeys(thing.area for thing in things)
    satellite = next(
        thing for thing in UPSTAIRS_AND_GARDEN_THINGS if thing.entity_id == _SATELLITE
    )
    return Plan(
        floors=FLOORS,
        areas=(
            *(Area(name=name) for name in used),
            *(area for area in AREAS if area.name == satellite.area),
        ),
        labels=(),
        things=(*things, satellite),
    )


def _generated_thing(area: str, domain: str, kind: str) -> Thing:
    name = f"{area} {kind}"
    is_sensor = domain == "sensor"
    return Thing(
        entity_id=f"{domain}.{name.lower().replace(' ', '_')}",
        name=name,
        area=area,
        device_class="temperature" if is_sensor else None,
        unit="°C" if is_sensor else None,
        value=21.5 if is_sensor else None,
    )
