"""Names in the policy file that mean nothing in this house.

They never widen a rule, but are surely not what the owner meant. What a house may well
not have yet is not told: `vacuum.start` where there is no vacuum cleaner.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
    floor_registry as fr,
    label_registry as lr,
)

from ..legion.spec import ToolSpec
from ..policy.globs import CALL_SERVICE, Glob, first_match, names_of
from ..policy.impact import HOUSE_TOOLS, INTENT_PREFIX, READ_TOOLS
from ..policy.reading import IdKind, NamedId
from .conditions import MissingEntity

_DOMAINS: Final = frozenset(map(str, Platform)) | frozenset(
    {"automation", "counter", "group", "homeassistant", "input_boolean", "input_button"}
    | {"input_datetime", "input_number", "input_select", "input_text", "logbook"}
    | {"person", "persistent_notification", "python_script", "recorder", "schedule"}
    | {"script", "shell_command", "shopping_list", "system_log", "timer", "zone"}
)
_OWN: Final = READ_TOOLS | HOUSE_TOOLS.keys() | {CALL_SERVICE}
_SEPARATORS: Final = ("__", ".")
_WORDS: Final[Mapping[IdKind, str]] = {
    IdKind.ENTITY: "There is no entity {id}.",
    IdKind.AREA: "There is no area with the id {id}.",
    IdKind.DEVICE: "There is no device with the id {id}.",
    IdKind.FLOOR: "There is no floor with the id {id}.",
    IdKind.LABEL: "There is no label with the id {id}.",
    IdKind.DOMAIN: "There is no kind of entity {id}.",
    IdKind.SERVICE: "There is no service {id}.",
    IdKind.TOOL: "There is no tool {id}.",
    IdKind.TOOL_FIELD: "There is no input {id}, so this rule allows nothing.",
    IdKind.ALLOW_GLOB: "No service and no tool fits {id}.",
    IdKind.DENY_GLOB: "No service and no tool fits {id}.",
}


class KnownTools(Protocol):
    """The tools that exist beside those that come with CAESAR."""

    def tools(self) -> Iterable[ToolSpec]:
        """Return those that can be called now."""

    def spec(self, name: str) -> ToolSpec | None:
        """Return a tool, whether or not it can be called now."""


@callback
def unknown_names(
    hass: HomeAssistant,
    named: Iterable[NamedId],
    missing: Iterable[MissingEntity],
    places: Mapping[str, tuple[int, int]],
    tools: KnownTools | None = None,
) -> list[tuple[int, str]]:
    """Return line and words of each name that means nothing, in the file's order.

    `missing` is what conditions name, `places` where these conditions stand.
    """
    house = _House(hass=hass, tools=tools)
    found = [
        (each.line, _WORDS[each.kind].format(id=each.id))
        for each in named
        if not house.knows(each)
    ]
    found += [
        (
            places[each.condition_id][0],
            f"This condition names {each.entity_id}, which doesn't exist, so it is"
            " not met.",
        )
        for each in missing
    ]
    return sorted(found, key=lambda each: each[0])


@dataclass(slots=True, kw_only=True)
class _House:
    """What there is, asked for one name after the other."""

    hass: HomeAssistant
    tools: KnownTools | None
    _names: tuple[str, ...] = field(default=())

    def knows(self, named: NamedId) -> bool:
        hass, word = self.hass, named.id
        match named.kind:
            case IdKind.ENTITY:
                return (
                    er.async_get(hass).async_get(word) is not None
                    or hass.states.get(word) is not None
                )
            case IdKind.AREA:
                return ar.async_get(hass).async_get_area(word) is not None
            case IdKind.DEVICE:
                return dr.async_get(hass).async_get(word) is not None
            case IdKind.FLOOR:
                return fr.async_get(hass).async_get_floor(word) is not None
            case IdKind.LABEL:
                return lr.async_get(hass).async_get_label(word) is not None
            case IdKind.DOMAIN:
                return word in _DOMAINS or bool(
                    hass.states.async_entity_ids_count(word)
                )
            case IdKind.SERVICE:
                return self._knows_service(word)
            case IdKind.TOOL:
                return (
                    word in _OWN
                    or word.startswith(INTENT_PREFIX)
                    or self._spec(word) is not None
                )
            case IdKind.TOOL_FIELD:
                return self._knows_field(word)
            case IdKind.ALLOW_GLOB | IdKind.DENY_GLOB:
                return self._fits_any(word)

    def _knows_field(self, word: str) -> bool:
        """Return whether a tool has an input; of one that isn't there nobody knows."""
        tool, _, name = word.partition(".")
        spec = self._spec(tool)
        if spec is None:
            return True
        properties = spec.input_schema.get("properties")
        return isinstance(properties, Mapping) and name in properties

    def _tool_names(self) -> Iterable[str]:
        known = (spec.name for spec in self.tools.tools()) if self.tools else ()
        return (*_OWN, *known)

    def _spec(self, tool: str) -> ToolSpec | None:
        return self.tools.spec(tool) if self.tools else None

    def _knows_service(self, word: str) -> bool:
        domain, _, service = word.partition(".")
        there = self.hass.services.async_services_for_domain(domain)
        return service in there if there else domain in _DOMAINS

    def _fits_any(self, pattern: str) -> bool:
        if any(pattern == f"{d}{s}*" for d in _DOMAINS for s in _SEPARATORS):
            return True
        glob = Glob(pattern=pattern, path="", line=0)
        return first_match([glob], self._all_names()) is not None

    def _all_names(self) -> tuple[str, ...]:
        if not self._names:
            services = [
                f"{domain}.{service}"
                for domain, known in self.hass.services.async_services().items()
                for service in known
            ]
            self._names = (
                *(
                    name
                    for each in services
                    for name in names_of(each, is_service=True)
                ),
                *(
                    name
                    for each in self._tool_names()
                    for name in names_of(each, is_service=False)
                ),
            )
        return self._names
