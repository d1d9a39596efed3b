"""What stands in the bedroom, the children's room and the garden."""

from typing import Final

from .model import Thing
from .rooms import BEDROOM, CHILDRENS_ROOM, COSY, DOORS, ENERGY, GARDEN

BEDROOM_THINGS: Final = (
    Thing(
        entity_id="light.bedroom_lamp",
        name="Bedroom lamp",
        area=BEDROOM,
        aliases=("Schlafzimmerlampe", "Lampe im Schlafzimmer"),
        labels=(COSY,),
        colour=True,
    ),
    Thing(
        entity_id="light.reading_light",
        name="Reading light",
        area=BEDROOM,
        aliases=("Leselicht", "Leselampe"),
    ),
    Thing(
        entity_id="cover.bedroom_blind",
        name="Bedroom blind",
        area=BEDROOM,
        aliases=("Schlafzimmerrollo", "Rollo im Schlafzimmer"),
        device_class="blind",
        value="open",
    ),
    Thing(
        entity_id="climate.bedroom_thermostat",
        name="Bedroom thermostat",
        area=BEDROOM,
        aliases=("Schlafzimmerthermostat", "Heizung im Schlafzimmer"),
        value=18.5,
    ),
    Thing(
        entity_id="fan.bedroom_fan",
        name="Bedroom fan",
        area=BEDROOM,
        aliases=("Ventilator", "Schlafzimmerventilator"),
    ),
    Thing(
        entity_id="sensor.bedroom_temperature",
        name="Bedroom temperature",
        area=BEDROOM,
        aliases=("Schlafzimmertemperatur",),
        device_class="temperature",
        unit="°C",
        value=18.5,
    ),
    Thing(
        entity_id="sensor.bedroom_humidity",
        name="Bedroom humidity",
        area=BEDROOM,
        aliases=("Luftfeuchtigkeit im Schlafzimmer",),
        device_class="humidity",
        unit="%",
        value=51.0,
    ),
    Thing(
        entity_id="binary_sensor.bedroom_window",
        name="Bedroom window",
        area=BEDROOM,
        aliases=("Schlafzimmerfenster",),
        device_class="window",
        value="on",
    ),
)
CHILDRENS_ROOM_THINGS: Final = (
    Thing(
        entity_id="light.childrens_room_light",
        name="Children's room light",
        area=CHILDRENS_ROOM,
        aliases=("Kinderzimmerlicht", "Licht im Kinderzimmer"),
    ),
    Thing(
        entity_id="light.night_light",
        name="Night light",
        area=CHILDRENS_ROOM,
        aliases=("Nachtlicht",),
        colour=True,
    ),
    Thing(
        entity_id="cover.childrens_room_blind",
        name="Children's room blind",
        area=CHILDRENS_ROOM,
        aliases=("Kinderzimmerrollo", "Rollo im Kinderzimmer"),
        device_class="blind",
        value="open",
    ),
    Thing(
        entity_id="media_player.music_box",
        name="Music box",
        area=CHILDRENS_ROOM,
        aliases=("Musikbox",),
        device_class="speaker",
        value="idle",
    ),
    Thing(
        entity_id="sensor.childrens_room_temperature",
        name="Children's room temperature",
        area=CHILDRENS_ROOM,
        aliases=("Kinderzimmertemperatur",),
        device_class="temperature",
        unit="°C",
        value=21.0,
    ),
    Thing(
        entity_id="assist_satellite.childrens_room_satellite",
        name="Children's room satellite",
        area=CHILDRENS_ROOM,
        exposed=False,
    ),
)
GARDEN_THINGS: Final = (
    Thing(
        entity_id="light.path_light",
        name="Path light",
        area=GARDEN,
        aliases=("Wegbeleuchtung",),
        exposed=False,
    ),
    Thing(
        entity_id="light.terrace_light",
        name="Terrace light",
        area=GARDEN,
        aliases=("Terrassenlicht",),
        exposed=False,
    ),
    Thing(
        entity_id="lock.shed",
        name="Shed",
        area=GARDEN,
        aliases=("Schuppen", "Gartenhaus"),
        labels=(DOORS,),
        value="locked",
    ),
    Thing(
        entity_id="cover.garage_door",
        name="Garage door",
        area=GARDEN,
        aliases=("Garagentor", "Garage"),
        labels=(DOORS,),
        device_class="garage",
        value="closed",
    ),
    Thing(
        entity_id="switch.garden_pump",
        name="Garden pump",
        area=GARDEN,
        aliases=("Gartenpumpe",),
        labels=(ENERGY,),
    ),
    Thing(
        entity_id="switch.fountain",
        name="Fountain",
        area=GARDEN,
        aliases=("Springbrunnen",),
        labels=(ENERGY,),
    ),
    Thing(
        entity_id="sensor.outdoor_temperature",
        name="Outdoor temperature",
        area=GARDEN,
        aliases=("Außentemperatur",),
        device_class="temperature",
        unit="°C",
        value=11.5,
    ),
)
UPSTAIRS_AND_GARDEN_THINGS: Final = (
    *BEDROOM_THINGS,
    *CHILDRENS_ROOM_THINGS,
    *GARDEN_THINGS,
)
