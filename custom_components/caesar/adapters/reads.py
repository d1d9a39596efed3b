"""Reads of the house: three tools that can't change anything."""

from collections.abc import Callable, Iterable
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar, floor_registry as fr

from ..brain.finder import words_of
from ..legion.canonical import Json
from ..legion.spec import Annotations, ToolSpec
from ..policy.call import GenericToolCall, ToolCall
from ..policy.decision import PolicyDecision
from ..policy.home import EntityFacts
from ..tool import Tool
from ..turn import Turn
from .home import HomeAssistantHome
from .states import describe
from .users import Users

_IDS: Final[Json] = {
    "type": "array",
    "items": {"type": "string", "maxLength": 255},
    "minItems": 1,
    "maxItems": 500,
}
_TEXT: Final[Json] = {"type": "string", "minLength": 1, "maxLength": 255}
_READ: Final = Annotations(
    read_only=True, destructive=False, idempotent=True, open_world=False
)


def _schema(**properties: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


_OFFSET: Final[Json] = {"type": "integer", "minimum": 0}
# As many as fit into what a model gets of one result.
PAGE: Final = 40

GET_STATE: Final = ToolSpec(
    name="get_state",
    title="State of entities",
    description=(
        "Read the present state of shared entities by entity id, or by domain, "
        "area_id and state together."
    ),
    input_schema=_schema(
        entity_id=_IDS, domain=_TEXT, area_id=_TEXT, state=_TEXT, offset=_OFFSET
    ),
    annotations=_READ,
)
FIND_ENTITIES: Final = ToolSpec(
    name="find_entities",
    title="Find entities",
    description=(
        "Find shared entities and their ids and states by words of their name or "
        "area, by domain, area_id and state. Ask for more with the next_offset."
    ),
    input_schema=_schema(
        name=_TEXT, domain=_TEXT, area_id=_TEXT, state=_TEXT, offset=_OFFSET
    ),
    annotations=_READ,
)
LIST_AREAS: Final = ToolSpec(
    name="list_areas",
    title="Areas of the home",
    description=(
        "List the areas that hold anything shared with you, with ids and floors."
    ),
    input_schema=_schema(),
    annotations=_READ,
)


class ReadExecutor:
    """Answers the three reads: shared entities only, and what the user may read."""

    def __init__(
        self, hass: HomeAssistant, home: HomeAssistantHome, users: Users
    ) -> None:
        """Read this house."""
        self._hass = hass
        self._home = home
        self._users = users

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Return entities, or areas."""
        assert isinstance(call, GenericToolCall)
        if call.tool == LIST_AREAS.name:
            return self._areas(turn)
        found = sorted(
            (
                facts
                for facts in self._candidates(call)
                if facts.exposed
                and self._may_read(turn, facts)
                and self._fits(call, facts)
            ),
            key=lambda facts: facts.entity_id,
        )
        by_words = bool(call.input.get("name"))
        if by_words:
            # The fewer other words a name has, the more likely it was meant.
            found.sort(key=lambda facts: len(self._words(facts)))
        offset, most = self._page(call, len(found))
        entities = describe(
            self._hass,
            self._home,
            [facts.entity_id for facts in found[offset : offset + most]],
        )
        if call.tool == FIND_ENTITIES.name:
            entities = [_brief(each) for each in entities]
        data: dict[str, Json] = {"entities": entities, "count": len(found)}
        if offset + most < len(found):
            data["next_offset"] = offset + most
        return data

    def _page(self, call: GenericToolCall, total: int) -> tuple[int, int]:
        """Return where an answer begins and how many it holds.

        Who names entities gets them all.
        """
        offset = call.input.get("offset", 0)
        assert isinstance(offset, int)
        return offset, total if call.input.get("entity_id") else PAGE

    def _candidates(self, call: GenericToolCall) -> Iterable[EntityFacts]:
        if ids := call.input.get("entity_id"):
            assert isinstance(ids, (list, tuple))
            return [
                facts for id_ in dict.fromkeys(ids) if (facts := self._home.entity(id_))
            ]
        return self._home.exposed()

    def _fits(self, call: GenericToolCall, facts: EntityFacts) -> bool:
        wanted = call.input
        state = self._hass.states.get(facts.entity_id)
        return (
            wanted.get("domain") in (None, facts.domain)
            and wanted.get("area_id") in (None, facts.area_id)
            and wanted.get("state") in (None, state.state if state else "unavailable")
            and self._has_words(str(wanted.get("name", "")), facts)
        )

    def _has_words(self, wanted: str, facts: EntityFacts) -> bool:
        """Return whether each word is in the name, another name, the area or the id."""
        if not wanted:
            return True
        words = self._words(facts)
        return all(word in words for word in words_of(wanted) or [wanted.casefold()])

    def _words(self, facts: EntityFacts) -> str:
        area = self._home.area_name(facts.area_id) or ""
        aliases = self._home.aliases(facts.entity_id)
        return " ".join((facts.name, *aliases, area, facts.entity_id)).casefold()

    def _may_read(self, turn: Turn, facts: EntityFacts) -> bool:
        user_id = turn.caller.user_id
        return user_id is None or self._users.may_read(user_id, facts.entity_id)

    def _areas(self, turn: Turn) -> Json:
        """Return the areas that hold anything the assistant and the user may see."""
        floors = fr.async_get(self._hass)
        seen = {
            facts.area_id
            for facts in self._home.exposed()
            if self._may_read(turn, facts)
        }
        return {
            "areas": [
                {
                    "area_id": area.id,
                    "name": area.name,
                    "floor": floor.name
                    if area.floor_id
                    and (floor := floors.async_get_floor(area.floor_id))
                    else None,
                }
                for area in ar.async_get(self._hass).async_list_areas()
                if area.id in seen
            ]
        }


def _brief(entity: Json) -> Json:
    """Return what it takes to act on an entity."""
    assert isinstance(entity, dict)
    return {key: value for key, value in entity.items() if key != "attributes"}


def read_tools(executor: ReadExecutor) -> tuple[Tool, ...]:
    """Return the three reads as tools of the gate."""
    return tuple(
        Tool(spec=spec, executor=executor, to_call=_to_call(spec.name))
        for spec in (GET_STATE, FIND_ENTITIES, LIST_AREAS)
    )


def _to_call(name: str) -> Callable[..., ToolCall]:
    return lambda arguments: GenericToolCall(tool=name, input=dict(arguments))
