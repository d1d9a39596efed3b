"""How bad a call can be, judged by what it would touch, not by its name alone.

Tables of services: Home Assistant 2026.10's own. What is in none of them, and what
can't be seen through, is destructive.
"""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
import re
from typing import Final

from ..legion.canonical import Json
from .actions import CONTENT_DOMAINS, SCENE_APPLY
from .call import GenericToolCall, ServiceCall, ToolCall, tool_id
from .home import EntityFacts


class Impact(IntEnum):
    """Ordered from harmless to never; unknown is destructive."""

    READ = 0
    REVERSIBLE = 1
    DESTRUCTIVE = 2
    LOCKED = 3
    NEVER = 4


# What tells a person of their own calls, and of what they may do.
TELLING_TOOLS: Final = frozenset({"what_happened", "what_may_i", "why"})
# What the house itself offers and nobody needs to list: reads, and forgetting what one
# has said oneself.
CORE_READS: Final = TELLING_TOOLS | {
    "find_entities",
    "forget_conversation",
    "get_state",
    "list_areas",
}
RECALL_TOOLS: Final = frozenset({"recall_memory", "semantic_recall"})
READ_TOOLS: Final = (
    CORE_READS | RECALL_TOOLS | {"calculator", "web_search", "calendar_read"}
)

# What the house itself offers beside reads, and a policy has to list (DESIGN 12: timers
# can be taken back).
HOUSE_TOOLS: Final[Mapping[str, Impact]] = {
    "cancel_planned": Impact.REVERSIBLE,
    "plan_command": Impact.REVERSIBLE,
    "planned_commands": Impact.READ,
    "timer_cancel": Impact.REVERSIBLE,
    "timer_change": Impact.REVERSIBLE,
    "timer_start": Impact.REVERSIBLE,
    "timer_status": Impact.READ,
}
# Before the name of an intent that the owner has added to Home Assistant.
INTENT_PREFIX: Final = "intent__"

GENERIC_SWITCHES: Final = frozenset(
    {"homeassistant.turn_on", "homeassistant.turn_off", "homeassistant.toggle"}
)

_NEVER_DOMAINS: Final = frozenset({"caesar", "hassio"})
_NEVER: Final = frozenset(
    {"conversation.process", "homeassistant.stop", "homeassistant.restart"}
)
_LOCKED_DOMAINS: Final = frozenset({"shell_command", "python_script", "pyscript"})

_READ_SERVICES: Final = frozenset(
    {
        "calendar.get_events",
        "media_player.browse_media",
        "media_player.search_media",
        "recorder.get_statistics",
        "schedule.get_schedule",
        "todo.get_items",
        "weather.get_forecast",
        "weather.get_forecasts",
    }
)

_SWITCH: Final = "turn_on turn_off toggle"
_REVERSIBLE_VERBS: Final[Mapping[str, frozenset[str]]] = {
    domain: frozenset(verbs.split())
    for domain, verbs in {
        "climate": f"{_SWITCH} set_preset_mode set_temperature set_humidity set_fan_mode"
        " set_hvac_mode set_swing_mode set_swing_horizontal_mode",
        "counter": "decrement increment set_value",
        "cover": "open_cover close_cover toggle set_cover_position stop_cover"
        " open_cover_tilt close_cover_tilt toggle_cover_tilt set_cover_tilt_position"
        " stop_cover_tilt",
        "fan": f"{_SWITCH} set_preset_mode set_percentage oscillate set_direction"
        " increase_speed decrease_speed",
        "homeassistant": f"{_SWITCH} update_entity",
        "humidifier": f"{_SWITCH} set_mode set_humidity",
        "input_boolean": _SWITCH,
        "input_datetime": "set_datetime",
        "input_number": "decrement increment set_value",
        "input_select": "select_first select_last select_next select_option"
        " select_previous",
        "input_text": "set_value",
        "lawn_mower": "dock pause stop",
        "light": _SWITCH,
        "media_player": f"{_SWITCH} volume_up volume_down volume_mute volume_set"
        " media_play_pause media_play media_pause media_stop media_next_track"
        " media_previous_track media_seek play_media select_source select_sound_mode"
        " clear_playlist shuffle_set repeat_set join unjoin",
        "shopping_list": "add_item remove_item complete_item incomplete_item"
        " complete_all incomplete_all sort",
        "switch": _SWITCH,
        "timer": "start pause cancel finish change",
        "todo": "add_item update_item remove_item",
        "vacuum": f"{_SWITCH} start pause start_pause stop return_to_base locate"
        " clean_spot clean_area set_fan_speed",
    }.items()
}

# Whatever reaches one of these can be taken back; lawn mowers only by name.
_PLAIN_DOMAINS: Final = frozenset(_REVERSIBLE_VERBS) - {"lawn_mower"} | {
    "binary_sensor",
    "calendar",
    "group",
    "sensor",
    "weather",
}
# Covers that open the house.
ENTRY_CLASSES: Final = frozenset({"door", "garage", "gate"})
_STOPS: Final = frozenset({"cover.stop_cover", "cover.stop_cover_tilt"})
REFRESH: Final = "homeassistant.update_entity"
_ADDRESS: Final = re.compile(r"^\s*//|[a-z][a-z0-9+.-]{0,31}:/", re.IGNORECASE)
# All of Home Assistant's own sources but the one that speaks what the address says:
# other assistants in the room would hear it.
_OWN_MEDIA: Final = re.compile(r"media-source://(?!tts(?:/|$))")
_CONTENT_ID: Final = "media_content_id"
_STARTERS: Final = frozenset({"automation.trigger", SCENE_APPLY, "scene.turn_on"})
_SCRIPT: Final = "script"
_SCRIPT_VERBS: Final = frozenset({"toggle", "turn_off", "turn_on"})
_RELOAD: Final = "reload"

ENTITY_DOMAINS: Final = frozenset(_REVERSIBLE_VERBS) - {
    "homeassistant",
    "shopping_list",
} | {
    "alarm_control_panel",
    "automation",
    "button",
    "calendar",
    "camera",
    "date",
    "datetime",
    "input_button",
    "lock",
    "number",
    "remote",
    "scene",
    "script",
    "select",
    "siren",
    "text",
    "time",
    "update",
    "valve",
    "water_heater",
    "weather",
}
"""Domains whose services reach entities of that domain only."""


def of_the_house(tool: str) -> bool:
    """Return whether a tool is the house's own, and no worker's."""
    return tool in CORE_READS or tool in HOUSE_TOOLS or tool.startswith(INTENT_PREFIX)


def is_never(tool: str) -> bool:
    """Return whether no rule can ever grant this tool.

    These are CAESAR's own actions (it would approve itself), asking an assistant
    again, stopping Home Assistant, and the Supervisor.
    """
    return tool in _NEVER or tool.partition(".")[0] in _NEVER_DOMAINS


def is_locked(tool: str) -> bool:
    """Return whether the service runs code, so that a rule can't waive approval."""
    return tool.partition(".")[0] in _LOCKED_DOMAINS


def service_impact(tool: str) -> Impact:
    """Return the class of a tool or service as far as its name tells."""
    if is_never(tool):
        return Impact.NEVER
    if is_locked(tool):
        return Impact.LOCKED
    if tool in READ_TOOLS or tool in _READ_SERVICES:
        return Impact.READ
    if tool in HOUSE_TOOLS:
        return HOUSE_TOOLS[tool]
    domain, _, service = tool.partition(".")
    if service in _REVERSIBLE_VERBS.get(domain, ()):
        return Impact.REVERSIBLE
    return Impact.DESTRUCTIVE


def starts(call: ServiceCall, domain: str) -> bool:
    """Return whether the call carries out what an entity of that domain holds.

    Stopping a script counts as starting it, for it leaves half of it done. Switching
    an automation on or off starts nothing, and is judged by its name.
    """
    if domain not in CONTENT_DOMAINS:
        return False
    tool = tool_id(call)
    if tool in GENERIC_SWITCHES or tool == SCENE_APPLY:
        return domain != "automation"
    return is_starter(tool) and call.domain == domain


def own_script(call: ServiceCall) -> str | None:
    """Return the name of the script whose own service is called, if it is one."""
    if call.domain == _SCRIPT and call.service not in _SCRIPT_VERBS | {_RELOAD}:
        return call.service
    return None


def is_starter(tool: str) -> bool:
    """Return whether a service does nothing but start what others wrote.

    Its name alone tells nothing of how bad it is.
    """
    domain, _, service = tool.partition(".")
    if domain == _SCRIPT:
        return service != _RELOAD
    return tool in _STARTERS


def classify(
    call: ToolCall,
    touched: Iterable[EntityFacts | None] = (),
    *,
    opaque: bool = False,
    mentioned: Iterable[EntityFacts | None] = (),
    inside: Impact = Impact.READ,
) -> Impact:
    """Return the worst of the service and of everything the call reaches.

    `touched` are the entities of the target with all their members, `mentioned` those
    whose ids stand somewhere in the data, likewise; None stands for one that is not
    known. `opaque` says that the reach of one of them can't be read. `inside` is the
    worst of what the scenes and scripts that the call starts would do.
    """
    if isinstance(call, GenericToolCall):
        return _generic_impact(call)
    own = _own_impact(call, tuple(touched), opaque, tuple(mentioned))
    return max(own, inside)


def _generic_impact(call: GenericToolCall) -> Impact:
    """Return the class of a tool that is no service.

    A name that is known to look things up says nothing of a worker that took it: what
    nobody confirmed changes something.
    """
    impact = service_impact(tool_id(call))
    if call.reads and impact is Impact.DESTRUCTIVE:
        return Impact.READ
    doubted = call.reads is False and call.tool not in CORE_READS
    return Impact.DESTRUCTIVE if doubted and impact < Impact.LOCKED else impact


def _own_impact(
    call: ServiceCall,
    touched: Sequence[EntityFacts | None],
    opaque: bool,
    mentioned: Sequence[EntityFacts | None],
) -> Impact:
    """Return the class without what would be started."""
    tool = tool_id(call)
    named = service_impact(tool)
    if tool == SCENE_APPLY or (
        is_starter(tool)
        and any(facts and starts(call, facts.domain) for facts in touched)
    ):
        # Nothing but what is inside happens.
        named = Impact.REVERSIBLE
    if named is not Impact.REVERSIBLE or tool == REFRESH:
        # A refresh only asks the devices how they are, whatever they are.
        return named
    if opaque or _plays_from_address(call):
        return Impact.DESTRUCTIVE
    stops = tool in _STOPS
    applied = call if tool == SCENE_APPLY else None
    if any(_is_guarded(facts, call, own=call.domain, stops=stops) for facts in touched):
        return Impact.DESTRUCTIVE
    if any(_is_guarded(facts, applied, own=None, stops=False) for facts in mentioned):
        return Impact.DESTRUCTIVE
    return Impact.REVERSIBLE


def _is_guarded(
    facts: EntityFacts | None,
    starter: ServiceCall | None,
    *,
    own: str | None,
    stops: bool,
) -> bool:
    """Return whether reaching this entity can't simply be taken back.

    A scene or script that `starter` starts is as bad as what is inside, which is
    judged apart.
    """
    if facts is None:
        return True
    if facts.domain in CONTENT_DOMAINS:
        seen = facts.contents is not None and facts.contents.whole
        return not (seen and starter is not None and starts(starter, facts.domain))
    if facts.domain == "cover":
        return not stops and facts.device_class in ENTRY_CLASSES
    return facts.domain != own and facts.domain not in _PLAIN_DOMAINS


def _plays_from_address(call: ServiceCall) -> bool:
    """Return whether media is fetched from an address the model may have chosen.

    Fetching it tells its server something, and speaking it those who listen; that
    can't be taken back.
    """
    if tool_id(call) == SCENE_APPLY:
        played = _values_of(_CONTENT_ID, call.data)
    elif tool_id(call) == "media_player.play_media":
        played = [call.data]
    else:
        return False
    return any(
        _ADDRESS.search(text) and not _OWN_MEDIA.match(text)
        for value in played
        for text in texts_in(value)
    )


def _values_of(key: str, value: Json) -> list[Json]:
    """Return what stands under a key, however deep."""
    found: list[Json] = []
    waiting: list[Json] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            found += [item[key]] if key in item else []
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)
    return found


def texts_in(value: Json) -> Iterable[str]:
    """Yield every text in a JSON value, keys too, however deep."""
    waiting: list[Json] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)
