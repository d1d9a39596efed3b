"""The rows of the form: what most people want to say about their home, in plain words.

Each row stands for some services or tools. Which entries of a file belong to a row is
known by these alone; nothing in the file marks them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ..legion.canonical import Json
from .impact import HOUSE_TOOLS
from .modes import ALLOWED_SERVICES, ALLOWED_TOOLS
from .opening import LOOKING_UP, READING
from .rules import Constraint, DataRule


class RowKey(StrEnum):
    """The rows, in their order."""

    LIGHTS = "lights"
    SWITCHES = "switches"
    BLINDS = "blinds"
    DOORS = "doors"
    LOCKS = "locks"
    ALARM = "alarm"
    CLIMATE = "climate"
    MEDIA = "media"
    VACUUM = "vacuum"
    SCENES = "scenes"
    LISTS = "lists"
    LATER = "later"
    SPEECH = "speech"
    READING = "reading"
    TOOLS = "tools"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a row stands for.

    `listed` is the file's list, `names` the services or tools. `guarded` rows ask by
    themselves, so that allowing says `approval: never`. `placed` rows can be kept to
    rooms. `bounds` are the `data` that the form writes for a service, in each of the
    spellings that it knows again.
    """

    listed: str = ALLOWED_SERVICES
    names: tuple[str, ...]
    guarded: bool = False
    placed: bool = True
    bounds: Mapping[str, tuple[Mapping[str, Json], ...]] = field(default_factory=dict)


def _of(domain: str, services: str) -> tuple[str, ...]:
    return tuple(f"{domain}.{service}" for service in services.split())


_SWITCH: Final = "turn_on turn_off toggle"
_MODES: Final = ["off", "auto", "cool", "dry", "fan_only", "heat", "heat_cool"]


def _comfortable(least: int, most: int) -> Mapping[str, Json]:
    bounds: Json = {"min": least, "max": most}
    keys = ("temperature", "target_temp_low", "target_temp_high")
    return {**dict.fromkeys(keys, bounds), "hvac_mode": list(_MODES)}


_COVER: Final = _of(
    "cover",
    "open_cover close_cover stop_cover toggle set_cover_position open_cover_tilt"
    " close_cover_tilt stop_cover_tilt toggle_cover_tilt set_cover_tilt_position",
)

ROWS: Final[Mapping[RowKey, Row]] = {
    RowKey.LIGHTS: Row(names=_of("light", _SWITCH)),
    RowKey.SWITCHES: Row(
        names=(
            *_of("switch", _SWITCH),
            *_of("input_boolean", _SWITCH),
            *_of("input_number", "set_value increment decrement"),
            *_of("input_select", "select_option select_next select_previous"),
            *_of("input_text", "set_value"),
            *_of("input_datetime", "set_datetime"),
            *_of("counter", "increment decrement"),
        )
    ),
    RowKey.BLINDS: Row(names=_COVER),
    RowKey.DOORS: Row(names=_COVER, guarded=True),
    RowKey.LOCKS: Row(names=_of("lock", "lock unlock open"), guarded=True),
    RowKey.ALARM: Row(
        names=_of(
            "alarm_control_panel",
            "alarm_arm_home alarm_arm_away alarm_arm_night alarm_arm_vacation"
            " alarm_disarm",
        ),
        guarded=True,
        placed=False,
    ),
    RowKey.CLIMATE: Row(
        names=(
            *_of(
                "climate",
                "set_temperature set_hvac_mode set_preset_mode set_fan_mode"
                f" set_swing_mode set_swing_horizontal_mode {_SWITCH}",
            ),
            *_of(
                "fan",
                f"{_SWITCH} set_percentage increase_speed decrease_speed"
                " set_preset_mode set_direction oscillate",
            ),
            *_of("humidifier", f"{_SWITCH} set_humidity set_mode"),
        ),
        bounds={
            "climate.set_temperature": (_comfortable(16, 24), _comfortable(61, 75))
        },
    ),
    RowKey.MEDIA: Row(
        names=_of(
            "media_player",
            f"{_SWITCH} media_play media_pause media_play_pause media_stop"
            " media_next_track media_previous_track media_seek volume_up volume_down"
            " volume_set volume_mute select_source select_sound_mode shuffle_set"
            " repeat_set play_media join unjoin",
        )
    ),
    RowKey.VACUUM: Row(
        names=(
            *_of(
                "vacuum",
                "start pause stop return_to_base locate clean_spot clean_area"
                " set_fan_speed",
            ),
            *_of("lawn_mower", "pause dock"),
        )
    ),
    RowKey.SCENES: Row(names=("scene.turn_on", "script.turn_on"), placed=False),
    RowKey.LISTS: Row(
        names=(
            *_of("todo", "add_item update_item"),
            *_of("shopping_list", "add_item complete_item"),
            *_of("timer", "start pause cancel"),
        ),
        placed=False,
    ),
    RowKey.LATER: Row(
        listed=ALLOWED_TOOLS, names=tuple(sorted(HOUSE_TOOLS)), placed=False
    ),
    RowKey.SPEECH: Row(
        names=("assist_satellite.announce",), guarded=True, placed=False
    ),
    RowKey.READING: Row(names=READING, placed=False),
    RowKey.TOOLS: Row(listed=ALLOWED_TOOLS, names=LOOKING_UP, placed=False),
}

# In a file that lists them without a target they allow nothing by themselves.
NEUTRAL: Final = frozenset(
    {"homeassistant.turn_on", "homeassistant.turn_off", "homeassistant.toggle"}
)


def data_rule(bounds: Mapping[str, Json]) -> DataRule:
    """Return what the loader makes of a row's bounds."""
    fields: dict[str, Constraint] = {}
    for key, value in bounds.items():
        if isinstance(value, Mapping):
            least, most = value["min"], value["max"]
            assert isinstance(least, int)
            assert isinstance(most, int)
            fields[key] = Constraint(minimum=least, maximum=most)
        else:
            assert isinstance(value, list)
            fields[key] = Constraint(
                one_of=tuple(each for each in value if isinstance(each, str))
            )
    return DataRule(fields=fields)
