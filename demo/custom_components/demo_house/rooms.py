"""The floors, areas and labels of the demo house."""

from typing import Final

from .model import Area, Floor

GROUND_FLOOR: Final = "Ground floor"
UPSTAIRS: Final = "Upstairs"

KITCHEN: Final = "Kitchen"
LIVING_ROOM: Final = "Living room"
HALL: Final = "Hall"
BEDROOM: Final = "Bedroom"
CHILDRENS_ROOM: Final = "Children's room"
GARDEN: Final = "Garden"

COSY: Final = "Cosy"
DOORS: Final = "Doors"
ENERGY: Final = "Energy"

FLOORS: Final = (
    Floor(name=GROUND_FLOOR, level=0, aliases=("Erdgeschoss", "Downstairs")),
    Floor(name=UPSTAIRS, level=1, aliases=("Obergeschoss",)),
)
AREAS: Final = (
    Area(name=KITCHEN, floor=GROUND_FLOOR, aliases=("Küche",)),
    Area(name=LIVING_ROOM, floor=GROUND_FLOOR, aliases=("Wohnzimmer",)),
    Area(name=HALL, floor=GROUND_FLOOR, aliases=("Flur", "Hallway")),
    Area(name=BEDROOM, floor=UPSTAIRS, aliases=("Schlafzimmer",)),
    Area(name=CHILDRENS_ROOM, floor=UPSTAIRS, aliases=("Kinderzimmer", "Kids room")),
    Area(name=GARDEN, aliases=("Garten",)),
)
LABELS: Final = (COSY, DOORS, ENERGY)
