"""From the words of a sentence to the entities that are meant.

States are looked at only to find out what a name means; what is answered or done
never depends on them, for that comes back from the gate.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
import re
from typing import Final

from homeassistant.components.homeassistant import async_should_expose
from homeassistant.core import HomeAssistant, State
from homeassistant.helpers import area_registry as ar, entity_registry as er, intent

from ...policy.caller import Caller
from .heard import Heard, Source
from .plan import Job, say
from .vocabulary import ASSISTANT

_LISTED: Final = 6
_ARTICLE: Final = {
    "en": re.compile(r"\b(the|my|our)\s+$", re.IGNORECASE),
    "de": re.compile(r"\b(die|das|den)\s+$", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarTool:
    """A tool that reads calendars; `granted` if the policy lists it for anybody."""

    name: str
    granted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One thing that was heard, from whom, in which house.

    `calendar` is the tool that reads calendars which Home Assistant doesn't have;
    `is_tool` tells whether there is a tool of a name.
    """

    hass: HomeAssistant
    heard: Heard
    caller: Caller
    language: str
    calendar: CalendarTool | None = None
    is_tool: Callable[[str], bool] = lambda _name: False


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The entities that are meant; `area_ids` if an area was named."""

    states: tuple[State, ...]
    area_ids: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the entity ids."""
        return tuple(state.entity_id for state in self.states)


def find(
    ask: Ask,
    domains: Collection[str] | None = None,
    *,
    classes: Collection[str] | None = None,
) -> Found | Job:
    """Return the entities, or a job that says why there are none or too many.

    `domains` and `classes` are used where the sentence itself does not say. The slot
    `one` means a single thing without a name, such as "the fan".
    """
    heard = ask.heard
    name = heard.string("name")
    constraints = intent.MatchTargetsConstraints(
        name=None if name == "all" else name,
        area_name=heard.string("area"),
        floor_name=heard.string("floor"),
        domains=heard.strings("domain") or domains,
        device_classes=heard.strings("device_class") or classes,
        assistant=None if heard.source is Source.NOT_SHARED else ASSISTANT,
    )
    if not constraints.has_constraints:
        return say("brain_too_wide")
    result = _match(ask, constraints)
    if not result.is_match:
        return _missing(ask, constraints, result)
    states = result.states
    if heard.source is Source.NOT_SHARED:
        states = [state for state in states if not _shared(ask.hass, state.entity_id)]
    states = sorted(states, key=lambda state: state.entity_id)
    if heard.slots.get("one") and len(states) > 1:
        here = shared(ask, constraints.domains or (), area_id=ask.caller.area_id)
        near = [state for state in states if state in here]
        if ask.caller.area_id is None or len(near) != 1:
            return say("brain_which_one", choices=choices(ask, states))
        states = near
    return Found(states=tuple(states), area_ids=tuple(area.id for area in result.areas))


def _match(
    ask: Ask, constraints: intent.MatchTargetsConstraints
) -> intent.MatchTargetsResult:
    result = intent.async_match_targets(
        ask.hass,
        constraints,
        intent.MatchTargetsPreferences(area_id=ask.caller.area_id),
    )
    if (
        result.no_match_reason is intent.MatchFailedReason.DUPLICATE_NAME
        and ask.caller.floor_id
    ):
        return intent.async_match_targets(
            ask.hass,
            constraints,
            intent.MatchTargetsPreferences(floor_id=ask.caller.floor_id),
        )
    return result


def shared(
    ask: Ask,
    domains: Collection[str],
    *,
    classes: Collection[str] | None = None,
    area_id: str | None = None,
) -> tuple[State, ...]:
    """Return all shared entities of some domains, classes and an area."""
    result = intent.async_match_targets(
        ask.hass,
        intent.MatchTargetsConstraints(
            domains=domains,
            device_classes=classes,
            area_name=area_id,
            assistant=ASSISTANT,
        ),
    )
    return tuple(sorted(result.states, key=lambda state: state.entity_id))


def spoken_names(ask: Ask, states: Iterable[State]) -> dict[str, str]:
    """Return how to call entities in an answer: as the person did, if they did.

    "the front door" for one that was named so; the friendly name otherwise.
    """
    states = tuple(states)
    name = ask.heard.texts.get("name")
    if name and len(states) == 1:
        return {states[0].entity_id: _with_article(ask, name)}
    return {state.entity_id: state.name for state in states}


def _with_article(ask: Ask, name: str) -> str:
    text = ask.heard.text
    place = re.search(re.escape(name), text, re.IGNORECASE)
    pattern = _ARTICLE.get(ask.language.partition("-")[0])
    if place is None or pattern is None:
        return name
    as_said = place[0]
    if (article := pattern.search(text[: place.start()])) is None:
        return name
    said = "the" if article[1].casefold() in ("my", "our") else article[1].casefold()
    return f"{said} {as_said}"


def choices(ask: Ask, states: Iterable[State]) -> str:
    """Return "Lamp (Kitchen), Lamp (Bedroom)" for a question which one is meant."""
    registry = er.async_get(ask.hass)
    areas = ar.async_get(ask.hass)
    names = []
    for state in states:
        entry = registry.async_get(state.entity_id)
        area_id = entry and er.async_get_effective_area_id(ask.hass, entry)
        area = areas.async_get_area(area_id) if area_id else None
        names.append(f"{state.name} ({area.name})" if area else state.name)
    shown = names[:_LISTED]
    return ", ".join(shown) + (" …" if len(names) > len(shown) else "")


def _shared(hass: HomeAssistant, entity_id: str) -> bool:
    return async_should_expose(hass, ASSISTANT, entity_id)


def _missing(
    ask: Ask,
    constraints: intent.MatchTargetsConstraints,
    result: intent.MatchTargetsResult,
) -> Job:
    """Say why nothing was found."""
    reason = result.no_match_reason
    words = ask.heard.texts
    name = words.get("name") or constraints.name or ""
    if reason is intent.MatchFailedReason.DUPLICATE_NAME:
        constraints.allow_duplicate_names = True
        again = intent.async_match_targets(ask.hass, constraints)
        return say("brain_ambiguous", name=name, choices=choices(ask, again.states))
    if reason is intent.MatchFailedReason.INVALID_AREA:
        return say("brain_unknown_area", area=words.get("area", ""))
    if reason is intent.MatchFailedReason.INVALID_FLOOR:
        return say("brain_unknown_floor", floor=words.get("floor", ""))
    place = words.get("area") or words.get("floor")
    if name and place:
        return say("brain_unknown_name_there", name=name, place=place)
    if name:
        return say("brain_unknown_name", name=name)
    if place:
        return say("brain_nothing_there", place=place)
    return say("brain_nothing_shared")
