"""The doors to the home: by what names Home Assistant can be made to act, and from where.

Names are judged where they are written, called or not, so that an alias does not help:
as an attribute, an imported name, or the text that `getattr` and its like take.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

NOWHERE: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """A way into the home, and the only modules (within the integration) that use it."""

    what: str
    modules: frozenset[str] = NOWHERE


SERVICES: Final = Door(
    what="a service call", modules=frozenset({"adapters.service_calls"})
)
TOOLS: Final = Door(
    what="another LLM API's tool", modules=frozenset({"adapters.llm_tools"})
)
INTENTS: Final = Door(
    what="an intent handler", modules=frozenset({"adapters.intent_calls"})
)
TIMERS: Final = Door(what="a timer of a device", modules=frozenset({"adapters.timers"}))
AGENTS: Final = Door(
    what="another conversation agent", modules=frozenset({"adapters.agent_calls"})
)
WORKERS: Final = Door(
    what="a worker's dispatch", modules=frozenset({"adapters.workers"})
)
STATES: Final = Door(what="a state written past its integration")
SCRIPTS: Final = Door(what="a script run past its service")
ENTITIES: Final = Door(what="an entity's own method")
# It may look at an entity, and call none of its methods.
CONTENTS: Final = Door(
    what="an entity itself, to read what a scene or script does",
    modules=frozenset({"adapters.contents"}),
)
# What is shared is what a model may see: an admin's act, by a form.
EXPOSURE: Final = Door(
    what="sharing an entity with Assist", modules=frozenset({"flows.share"})
)
CODE: Final = Door(what="code made at run time")

# `async_call` is both a service's and a tool's: the receiver says which.
NAMES: Final[Mapping[str, Door]] = {
    "async_call": SERVICES,
    "async_call_from_config": SERVICES,
    "call_from_config": SERVICES,
    "entity_service_call": SERVICES,
    "ServiceRegistry": SERVICES,
    "async_call_tool": TOOLS,
    "async_get_api": TOOLS,
    "async_get_apis": TOOLS,
    "async_provide_llm_data": TOOLS,
    "async_handle": INTENTS,
    "async_handle_intents": INTENTS,
    "async_handle_sentence_triggers": INTENTS,
    "TIMER_DATA": TIMERS,
    "TimerManager": TIMERS,
    "start_timer": TIMERS,
    "cancel_timer": TIMERS,
    "pause_timer": TIMERS,
    "unpause_timer": TIMERS,
    "async_converse": AGENTS,
    "internal_async_process": AGENTS,
    "async_set_internal": STATES,
    "async_set": STATES,
    "async_reproduce_state": STATES,
    "StateMachine": STATES,
    "Script": SCRIPTS,
    "ScriptEntity": CONTENTS,
    "AutomationEntity": CONTENTS,
    "async_trigger": SCRIPTS,
    "DATA_INSTANCES": CONTENTS,
    "EntityComponent": ENTITIES,
    "async_get_entity": ENTITIES,
    "async_extract_entities": ENTITIES,
    "async_get_platforms": ENTITIES,
    "get_entity": CONTENTS,
    "async_expose_entity": EXPOSURE,
    "async_activate": ENTITIES,
    "async_announce": ENTITIES,
    "async_start_conversation": ENTITIES,
}
# Built in, not attributes: `re.compile` is something else.
CODE_NAMES: Final = frozenset({"__import__", "compile", "eval", "exec"})
# What the entities of the home can be told to do; `async_` may stand before each.
ENTITY_METHODS: Final = frozenset(
    {
        "alarm_arm_away",
        "alarm_arm_custom_bypass",
        "alarm_arm_home",
        "alarm_arm_night",
        "alarm_arm_vacation",
        "alarm_disarm",
        "alarm_trigger",
        "clean_spot",
        "close_cover",
        "close_cover_tilt",
        "close_valve",
        "create_event",
        "create_todo_item",
        "delete_event",
        "delete_todo_items",
        "dock",
        "media_next_track",
        "media_pause",
        "media_play",
        "media_play_pause",
        "media_previous_track",
        "media_seek",
        "media_stop",
        "oscillate",
        "open_cover",
        "open_cover_tilt",
        "open_valve",
        "play_media",
        "press",
        "return_to_base",
        "select_option",
        "select_source",
        "send_command",
        "send_message",
        "set_cover_position",
        "set_cover_tilt_position",
        "set_fan_mode",
        "set_fan_speed",
        "set_humidity",
        "set_hvac_mode",
        "set_native_value",
        "set_operation_mode",
        "set_percentage",
        "set_preset_mode",
        "set_temperature",
        "set_valve_position",
        "set_volume_level",
        "start_mowing",
        "toggle",
        "turn_off",
        "turn_on",
        "unlock",
        "update_todo_item",
        "volume_down",
        "volume_up",
    }
)
# Too common a name without the prefix.
ASYNC_ENTITY_METHODS: Final = frozenset({"async_lock", "async_open", "async_install"})

# What may be asked of Home Assistant's registry of services without calling one.
SERVICE_QUESTIONS: Final = frozenset(
    {
        "async_register",
        "async_remove",
        "async_services",
        "async_services_for_domain",
        "has_service",
        "supports_response",
    }
)
# What may be asked of its states.
STATE_QUESTIONS: Final = frozenset(
    {"async_all", "async_entity_ids", "async_entity_ids_count", "get", "is_state"}
)
# The bus may be handed on: whoever fires has to name the method, and that is seen.
FIRE: Final = frozenset({"async_fire", "async_fire_internal", "fire"})

# Who may import the modules that hold a door: they build the house or ask an approver.
DOOR_KEEPERS: Final = frozenset(
    {
        "runtime",
        "runtime_house",
        "runtime_tasks",
        "runtime_workers",
        "adapters.approvals",
    }
)
# Who only reads opens nothing to others, and gets in nowhere else.
DOOR_MODULES: Final = frozenset(
    module
    for door in NAMES.values()
    if door not in (CONTENTS, EXPOSURE)
    for module in door.modules
) | {"adapters.workers"}


def door_of(name: str) -> Door | None:
    """Return the door that a bare name opens, or None."""
    if name in NAMES:
        return NAMES[name]
    if name in ASYNC_ENTITY_METHODS or name.removeprefix("async_") in ENTITY_METHODS:
        return ENTITIES
    return None
