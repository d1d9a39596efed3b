"""Home Assistant's voice assistants: which go through CAESAR, and what they had before.

A voice assistant is one of Assist's pipelines. What it had before it went through
CAESAR is kept in the entry's options under `CONF_ASSISTANTS`, by the pipeline's id, as
`Former.as_json()`, so that it can be given back. Those that are promised to CAESAR, but
could not be given as it did not start, stand under `CONF_PROMISED`.

A pipeline names its agent by entity id, and Home Assistant changes nothing there when
that is renamed (its registry names both in the event).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from homeassistant.components.conversation import (
    HOME_ASSISTANT_AGENT,
    async_get_agent_info,
)
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er

from ..const import CONF_ASSISTANTS, CONF_PROMISED, DOMAIN, SUBENTRY_CONVERSATION
from .bypass import pipeline_data

if TYPE_CHECKING:
    from homeassistant.components.assist_pipeline import Pipeline

_CONVERSATION: Final = "conversation"
_ENGINE: Final = "conversation_engine"
_ENTITY: Final = "conversation_entity"
_LOCAL: Final = "prefer_local_intents"


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceAssistant:
    """A voice assistant; `ours` if CAESAR answers, `preferred` if it is the first."""

    id: str
    name: str
    language: str
    preferred: bool
    ours: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Former:
    """What a voice assistant had: its conversation agent, and "handle locally".

    `entity` is the agent's id in the entity registry, which stays when it is renamed;
    None for one that isn't there.
    """

    engine: str
    prefer_local: bool
    entity: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as it is kept."""
        kept: dict[str, Any] = {_ENGINE: self.engine, _LOCAL: self.prefer_local}
        return kept | ({_ENTITY: self.entity} if self.entity else {})

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Return what was kept; a newer CAESAR may have kept it otherwise."""
        return cls(
            engine=str(kept.get(_ENGINE, HOME_ASSISTANT_AGENT)),
            prefer_local=bool(kept.get(_LOCAL)),
            entity=kept.get(_ENTITY),
        )


def async_assistants(hass: HomeAssistant) -> tuple[VoiceAssistant, ...]:
    """Return the house's voice assistants, the preferred one first; none without Assist."""
    data = pipeline_data(hass)
    if data is None:
        return ()
    first = data.pipeline_store.async_get_preferred_item()
    found = [
        VoiceAssistant(
            id=pipeline.id,
            name=pipeline.name,
            language=pipeline.language,
            preferred=pipeline.id == first,
            ours=_is_ours(hass, pipeline.conversation_engine),
        )
        for pipeline in data.pipeline_store.data.values()
    ]
    return tuple(sorted(found, key=lambda each: not each.preferred))


def first_agent_id(hass: HomeAssistant, entry: ConfigEntry[Any]) -> str | None:
    """Return the entity id of the house's first agent; None before it exists."""
    registry = er.async_get(hass)
    for agent in entry.get_subentries_of_type(SUBENTRY_CONVERSATION):
        if found := registry.async_get_entity_id(
            _CONVERSATION, DOMAIN, agent.subentry_id
        ):
            return found
    return None


def formers(hass: HomeAssistant, ids: Iterable[str]) -> dict[str, Any]:
    """Return what these voice assistants have now, as it is kept."""
    found: dict[str, Any] = {}
    registry = er.async_get(hass)
    for pipeline in _pipelines(hass, ids):
        engine = pipeline.conversation_engine
        if _is_ours(hass, engine):
            # What it had before somebody chose CAESAR by hand isn't known any more.
            engine = HOME_ASSISTANT_AGENT
        known = registry.async_get(engine)
        former = Former(
            engine=engine,
            prefer_local=pipeline.prefer_local_intents,
            entity=known.id if known else None,
        )
        found[pipeline.id] = former.as_json()
    return found


async def async_give(hass: HomeAssistant, ids: Iterable[str], agent_id: str) -> None:
    """Have these voice assistants answered by CAESAR, and handle nothing past it.

    One that another agent of CAESAR's answers keeps that agent.
    """
    for pipeline in _pipelines(hass, ids):
        engine = pipeline.conversation_engine
        engine = engine if _is_ours(hass, engine) else agent_id
        await _async_update(hass, pipeline, {_ENGINE: engine, _LOCAL: False})


async def async_give_back(
    hass: HomeAssistant, kept: Mapping[str, Mapping[str, Any]], ids: Iterable[str]
) -> None:
    """Give these voice assistants back what they had, if CAESAR still answers them.

    One that nothing is known of, or whose agent is gone, gets Home Assistant's own.
    """
    ours = [
        each
        for each in _pipelines(hass, ids)
        if _is_ours(hass, each.conversation_engine)
    ]
    await _async_restore(hass, kept, ours)


async def async_give_all_back(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Give every voice assistant back what it had; for when the entry is removed.

    To be called while the agents are in the entity registry still.
    """
    ids = [each.id for each in async_assistants(hass) if each.ours]
    await async_give_back(hass, entry.options.get(CONF_ASSISTANTS, {}), ids)


def async_promise(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Keep that the entry's assistants are to be given once there is an agent."""
    promised = list(entry.options.get(CONF_ASSISTANTS, {}))
    if promised:
        hass.config_entries.async_update_entry(
            entry, options={**entry.options, CONF_PROMISED: promised}
        )


async def async_keep_promise(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Give what is promised, once. One whose agent was changed since stays as it is."""
    options = dict(entry.options)
    promised = options.pop(CONF_PROMISED, None)
    agent_id = first_agent_id(hass, entry)
    if promised is None or agent_id is None:
        return
    hass.config_entries.async_update_entry(entry, options=options)
    kept, now = options.get(CONF_ASSISTANTS, {}), formers(hass, promised)
    await async_give(
        hass, [each for each in now if now[each] == kept.get(each)], agent_id
    )


@callback
def async_follow_agents(hass: HomeAssistant) -> None:
    """Have assistants follow CAESAR's agents, for as long as Home Assistant runs.

    Also while the entry isn't loaded: a renamed agent is answered for by its new name,
    and of one that is gone the assistants go to the first that is left, or back.
    """

    async def changed(event: Event[er.EventEntityRegistryUpdatedData]) -> None:
        data = event.data
        if data["action"] == "update":
            before, now = data.get("old_entity_id"), data["entity_id"]
            if before is not None and _is_ours(hass, now):
                for pipeline in _answered_by(hass, before):
                    await _async_update(hass, pipeline, {_ENGINE: now})
        elif data["action"] == "remove" and _was_ours(hass, data["entity_id"]):
            await _async_move_out(hass, data["entity_id"])

    @callback
    def concerns(data: er.EventEntityRegistryUpdatedData) -> bool:
        return data["entity_id"].startswith(f"{_CONVERSATION}.")

    hass.bus.async_listen(
        er.EVENT_ENTITY_REGISTRY_UPDATED, changed, event_filter=concerns
    )


async def _async_move_out(hass: HomeAssistant, gone: str) -> None:
    """Give the assistants of an agent that is gone to the first one left, or back."""
    left = _answered_by(hass, gone)
    for entry in hass.config_entries.async_entries(DOMAIN) if left else ():
        agent_id = first_agent_id(hass, entry)
        if agent_id is None:
            await _async_restore(hass, entry.options.get(CONF_ASSISTANTS, {}), left)
            return
        for pipeline in left:
            await _async_update(hass, pipeline, {_ENGINE: agent_id})


async def _async_restore(
    hass: HomeAssistant,
    kept: Mapping[str, Mapping[str, Any]],
    pipelines: Iterable[Pipeline],
) -> None:
    for pipeline in pipelines:
        former = Former(
            engine=HOME_ASSISTANT_AGENT, prefer_local=pipeline.prefer_local_intents
        )
        if pipeline.id in kept:
            former = Former.from_json(kept[pipeline.id])
        engine = former.engine
        if former.entity and (known := _by_id(hass, former.entity)):
            engine = known
        if not _is_there(hass, engine):
            engine = HOME_ASSISTANT_AGENT
        await _async_update(
            hass, pipeline, {_ENGINE: engine, _LOCAL: former.prefer_local}
        )


def _pipelines(hass: HomeAssistant, ids: Iterable[str]) -> list[Pipeline]:
    """Return those of the voice assistants that are there."""
    data = pipeline_data(hass)
    known = data.pipeline_store.data if data else {}
    return [known[each] for each in ids if each in known]


def _answered_by(hass: HomeAssistant, engine: str) -> list[Pipeline]:
    data = pipeline_data(hass)
    known = list(data.pipeline_store.data.values()) if data else []
    return [each for each in known if each.conversation_engine == engine]


def _by_id(hass: HomeAssistant, entity: str) -> str | None:
    found = er.async_get(hass).entities.get_entry(entity)
    return found.entity_id if found else None


def _is_ours(hass: HomeAssistant, engine: str) -> bool:
    found = er.async_get(hass).async_get(engine)
    return found is not None and found.platform == DOMAIN


def _was_ours(hass: HomeAssistant, gone: str) -> bool:
    """Return whether this was an agent of CAESAR's, which the registry has just lost."""
    return any(
        each.entity_id == gone and each.platform == DOMAIN
        for each in er.async_get(hass).deleted_entities.values()
    )


def _is_there(hass: HomeAssistant, engine: str) -> bool:
    """Return whether an agent exists that isn't ours, even if it doesn't run now."""
    if _is_ours(hass, engine):
        return False
    registered = er.async_get(hass).async_get(engine) is not None
    return registered or async_get_agent_info(hass, engine) is not None


async def _async_update(
    hass: HomeAssistant, pipeline: Pipeline, wanted: Mapping[str, Any]
) -> None:
    """Change an assistant as Home Assistant's own page does; the rest of it stays.

    One that was deleted or given to another agent meanwhile is its owner's choice.
    """
    data = pipeline_data(hass)
    now = data.pipeline_store.data.get(pipeline.id) if data else None
    if data is None or now is None:
        return
    settings = {**now.to_json(), **wanted}
    chosen = now.conversation_engine != pipeline.conversation_engine
    if chosen or settings == now.to_json():
        return
    del settings["id"]
    await data.pipeline_store.async_update_item(pipeline.id, settings)
