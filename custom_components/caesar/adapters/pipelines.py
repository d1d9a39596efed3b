"""Home Assistant's voice assistants: which go through CAESAR, and what they had before.

A voice assistant is one of Assist's pipelines. What it had before it went through
CAESAR is kept in the entry's options under `CONF_ASSISTANTS`, by the pipeline's id, as
`Former.as_json()`, so that it can be given back.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from homeassistant.components.conversation import (
    HOME_ASSISTANT_AGENT,
    async_get_agent_info,
)
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er

from ..const import CONF_ASSISTANTS, DOMAIN, SUBENTRY_CONVERSATION
from .bypass import pipeline_data

if TYPE_CHECKING:
    from homeassistant.components.assist_pipeline import Pipeline

_CONVERSATION: Final = "conversation"
_ENGINE: Final = "conversation_engine"
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
    """What a voice assistant had: its conversation agent, and "handle locally"."""

    engine: str
    prefer_local: bool

    def as_json(self) -> dict[str, Any]:
        """Return it as it is kept."""
        return {_ENGINE: self.engine, _LOCAL: self.prefer_local}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Return what was kept."""
        return cls(engine=str(kept[_ENGINE]), prefer_local=bool(kept[_LOCAL]))


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
    for pipeline in _pipelines(hass, ids):
        engine = pipeline.conversation_engine
        former = Former(
            # What it had before somebody chose CAESAR by hand isn't known any more.
            engine=HOME_ASSISTANT_AGENT if _is_ours(hass, engine) else engine,
            prefer_local=pipeline.prefer_local_intents,
        )
        found[pipeline.id] = former.as_json()
    return found


async def async_give(hass: HomeAssistant, ids: Iterable[str], agent_id: str) -> None:
    """Have these voice assistants answered by CAESAR, and handle nothing past it.

    One that another agent of CAESAR's answers keeps that agent.
    """
    for pipeline in _pipelines(hass, ids):
        engine = pipeline.conversation_engine
        await _async_update(
            hass,
            pipeline,
            Former(
                engine=engine if _is_ours(hass, engine) else agent_id,
                prefer_local=False,
            ),
        )


async def async_give_back(
    hass: HomeAssistant, kept: Mapping[str, Mapping[str, Any]], ids: Iterable[str]
) -> None:
    """Give these voice assistants back what they had, if CAESAR still answers them.

    One that nothing is known of, or whose agent is gone, gets Home Assistant's own.
    """
    for pipeline in _pipelines(hass, ids):
        if not _is_ours(hass, pipeline.conversation_engine):
            continue
        former = Former(
            engine=HOME_ASSISTANT_AGENT, prefer_local=pipeline.prefer_local_intents
        )
        if pipeline.id in kept:
            former = Former.from_json(kept[pipeline.id])
        engine = former.engine if _is_there(hass, former.engine) else None
        await _async_update(
            hass,
            pipeline,
            Former(
                engine=engine or HOME_ASSISTANT_AGENT, prefer_local=former.prefer_local
            ),
        )


async def async_give_all_back(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Give every voice assistant back what it had; for when the entry is removed.

    To be called while the agents are in the entity registry still.
    """
    ids = [each.id for each in async_assistants(hass) if each.ours]
    await async_give_back(hass, entry.options.get(CONF_ASSISTANTS, {}), ids)


def _pipelines(hass: HomeAssistant, ids: Iterable[str]) -> list[Pipeline]:
    """Return those of the voice assistants that are there."""
    data = pipeline_data(hass)
    known = data.pipeline_store.data if data else {}
    return [known[each] for each in ids if each in known]


def _is_ours(hass: HomeAssistant, engine: str) -> bool:
    found = er.async_get(hass).async_get(engine)
    return found is not None and found.platform == DOMAIN


def _is_there(hass: HomeAssistant, engine: str) -> bool:
    """Return whether an agent exists that isn't ours, even if it doesn't run now."""
    if _is_ours(hass, engine):
        return False
    registered = er.async_get(hass).async_get(engine) is not None
    return registered or async_get_agent_info(hass, engine) is not None


async def _async_update(
    hass: HomeAssistant, pipeline: Pipeline, wanted: Former
) -> None:
    """Change an assistant as Home Assistant's own page does; the rest of it stays."""
    data = pipeline_data(hass)
    settings = {**pipeline.to_json(), **wanted.as_json()}
    if data is None or settings == pipeline.to_json():
        return
    del settings["id"]
    await data.pipeline_store.async_update_item(pipeline.id, settings)
