"""Text that nobody vouches for: where it comes from, and what it keeps a turn from.

Taint belongs to text (DESIGN 6). A turn is tainted while such text is in what its
model reads; calls of one round share the taint of the round's start.
"""

from collections.abc import Callable, Iterable, Mapping
import re
from typing import Final

from ..legion.canonical import Json
from ..legion.spec import Annotations
from ..policy.call import GenericToolCall, ServiceCall, ToolCall, tool_id
from ..policy.decision import PolicyDecision, Verdict
from ..policy.home import HomeView
from ..policy.impact import CORE_READS, ENTITY_DOMAINS, TELLING_TOOLS, Impact, texts_in
from ..policy.reason import Code, Reason
from ..turn import GuardResult, Taint, ToolOutcome, Turn
from .capability import PASS

BOTH: Final = frozenset({Taint.UNTRUSTED, Taint.PRIVATE})
NONE: Final[frozenset[Taint]] = frozenset()

PRIVATE_DOMAINS: Final = frozenset(
    {"alarm_control_panel", "calendar", "camera", "device_tracker", "lock", "person"}
)
# Their items are other people's words, whatever they look like.
_WRITTEN_DOMAINS: Final = frozenset({"calendar", "todo"})
# Their states are words of Home Assistant's own.
_FIXED_STATES: Final = frozenset(
    {
        "alarm_control_panel",
        "automation",
        "binary_sensor",
        "camera",
        "climate",
        "counter",
        "cover",
        "device_tracker",
        "fan",
        "group",
        "humidifier",
        "input_boolean",
        "input_number",
        "lawn_mower",
        "light",
        "lock",
        "media_player",
        "number",
        "person",
        "remote",
        "schedule",
        "script",
        "siren",
        "sun",
        "switch",
        "timer",
        "update",
        "vacuum",
        "valve",
        "water_heater",
        "weather",
        "zone",
    }
)
# Their values are chosen from an integration's fixed list. All others are free text.
_FIXED_ATTRIBUTES: Final = frozenset(
    {
        "color_mode",
        "device_class",
        "fan_mode",
        "hvac_action",
        "preset_mode",
        "source",
        "temperature_unit",
        "unit_of_measurement",
    }
)
_FIXED_KEYS: Final = frozenset({"entity_id", "name", "area"})
# Services whose answers are numbers, times and single words.
_STRUCTURED: Final = frozenset({"recorder", "schedule", "weather"})
# A number, a time, a single short word: nothing that could tell a model what to do.
_WORD: Final = re.compile(r"[\w.,:%°/+-]{1,32}")

# What stays in the house whatever its data say. Scripts may do anything with theirs.
_CLOSED_DOMAINS: Final = (ENTITY_DOMAINS - {"script", "automation"}) | {
    "homeassistant",
    "recorder",
    "schedule",
    "shopping_list",
}
_CLOSED_WITHOUT_DATA: Final = frozenset({"script", "automation"})
# Their results hold names of areas, or counts.
_NAMES_NOTHING: Final = frozenset({"list_areas", "forget_conversation"})
_ADDRESS: Final = re.compile(r"^\s*//|[a-z][a-z0-9+.-]{0,31}:/", re.IGNORECASE)
_OWN_FILES: Final = "media-source://media_source/"

type AnnotationsOf = Callable[[str], Annotations | None]


class TaintGuard:
    """Asks a person before a tainted turn changes something or lets data out."""

    def __init__(self, annotations: AnnotationsOf) -> None:
        """Look up with this what a tool says of itself, by its id."""
        self._annotations = annotations

    def check(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Ask for changes after untrusted text, and for the way out after private."""
        if decision.taint_allowed:
            return PASS
        if Taint.UNTRUSTED in turn.taint and decision.impact > Impact.READ:
            return _ask({})
        if Taint.PRIVATE in turn.taint and is_open_world(call, self._annotations):
            return _ask({"why": "private"})
        return PASS

    def admit(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn
    ) -> GuardResult:
        """Count nothing: a person may have said yes to what `check` asked."""
        return PASS

    def report(self, outcome: ToolOutcome) -> None:
        """Learn nothing: what was read becomes the turn's taint after its round."""


def is_open_world(call: ToolCall, annotations: AnnotationsOf) -> bool:
    """Return whether a call could carry data out of the house.

    True unless it is known to stay: a tool by its confirmed annotations, a service by
    its domain and by data that hold no address.
    """
    if isinstance(call, GenericToolCall):
        known = annotations(call.tool) or Annotations()
        return known.open_world
    if call.domain in _CLOSED_WITHOUT_DATA:
        return bool(call.data)
    if call.domain not in _CLOSED_DOMAINS:
        return True
    return any(
        _ADDRESS.search(text) and not text.startswith(_OWN_FILES)
        for text in texts_in(call.data)
    )


def taint_of(
    call: ToolCall,
    decision: PolicyDecision,
    annotations: Annotations | None,
    home: HomeView,
    data: Json = None,
) -> frozenset[Taint]:
    """Return what reading a call's result does to a turn.

    `data` is the result. Without one (an error, say) the call alone is judged, by
    the entities that it names. `annotations` count for tools that are neither a
    service nor a read of the house; None means the worst.
    """
    if isinstance(call, GenericToolCall) and call.tool not in CORE_READS:
        return _of_tool(annotations or Annotations())
    if tool_id(call) in _NAMES_NOTHING:
        return NONE
    if tool_id(call) in TELLING_TOOLS:
        # Names of the house and sentences of ours, about what people did.
        return frozenset({Taint.PRIVATE})
    if data is None:
        return _of_domains(_domains_named(call, decision, home))
    entities = data.get("entities") if isinstance(data, Mapping) else None
    if not isinstance(data, Mapping) or not isinstance(entities, list):
        return BOTH
    found = NONE.union(*(_of_entity(entity) for entity in entities))
    if isinstance(call, ServiceCall):
        found |= _of_response(call.domain, data.get("response"))
    return found


def _of_tool(annotations: Annotations) -> frozenset[Taint]:
    found = set()
    if annotations.untrusted_result:
        found.add(Taint.UNTRUSTED)
    if annotations.private_data:
        found.add(Taint.PRIVATE)
    return frozenset(found)


def _of_domains(domains: Iterable[str]) -> frozenset[Taint]:
    """Return the worst that entities of these domains could show."""
    found = set()
    for domain in domains:
        if domain in PRIVATE_DOMAINS:
            found.add(Taint.PRIVATE)
        if domain == "media_player" or domain not in _FIXED_STATES:
            found.add(Taint.UNTRUSTED)
    return frozenset(found)


def _domains_named(
    call: ToolCall, decision: PolicyDecision, home: HomeView
) -> set[str]:
    """Return the domains of what a call names; an unknown one stands for anything."""
    if isinstance(call, ServiceCall):
        return {call.domain, *map(_domain, decision.touched or decision.pinned)}
    ids = call.input.get("entity_id")
    if isinstance(ids, (list, tuple)):
        known = [home.entity(id_) for id_ in ids if isinstance(id_, str)]
        return {facts.domain for facts in known if facts is not None}
    domain = call.input.get("domain")
    return {domain} if isinstance(domain, str) else {"", *PRIVATE_DOMAINS}


def _of_entity(entity: Json) -> frozenset[Taint]:
    """Return what the description of one entity does, as `describe` writes it."""
    if not isinstance(entity, Mapping):
        return BOTH
    domain = _domain(str(entity.get("entity_id", "")))
    found = set()
    if domain in PRIVATE_DOMAINS:
        found.add(Taint.PRIVATE)
    if domain not in _FIXED_STATES and _is_free(entity.get("state")):
        found.add(Taint.UNTRUSTED)
    attributes = entity.get("attributes", {})
    others = [
        value
        for key, value in entity.items()
        if key not in _FIXED_KEYS | {"state", "attributes"}
    ]
    if isinstance(attributes, Mapping):
        others += [
            value for key, value in attributes.items() if key not in _FIXED_ATTRIBUTES
        ]
    else:
        others.append(attributes)
    if any(_is_free(value) for value in others):
        found.add(Taint.UNTRUSTED)
    return frozenset(found)


def _of_response(domain: str, response: Json) -> frozenset[Taint]:
    """Return what a service's answer does."""
    if not response:
        return NONE
    if domain in _STRUCTURED:
        # Its keys are the ids of the entities that were asked.
        answers = list(response.values()) if isinstance(response, Mapping) else response
        return frozenset({Taint.UNTRUSTED}) if _is_free(answers) else NONE
    if domain in _WRITTEN_DOMAINS and domain not in PRIVATE_DOMAINS:
        return frozenset({Taint.UNTRUSTED})
    return BOTH


def _is_free(value: Json) -> bool:
    """Return whether a value holds any text that could say something."""
    return any(text and not _WORD.fullmatch(text) for text in texts_in(value))


def _domain(entity_id: str) -> str:
    return entity_id.partition(".")[0]


def _ask(values: Mapping[str, str]) -> GuardResult:
    return GuardResult(
        verdict=Verdict.ASK, reason=Reason(code=Code.TAINTED, values=values)
    )
