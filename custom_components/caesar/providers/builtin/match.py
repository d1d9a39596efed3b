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
from ...turn import PastCall
from .heard import Heard, Source
from .open_question import OpenQuestion
from .plan import Job, Kind, say
from .vocabulary import ASSISTANT

LISTED: Final = 6
# Of more than that, the one that is meant has to be named in a whole sentence.
MOST_CANDIDATES: Final = 32
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
    `is_tool` tells whether there is a tool of a name. `last` are the calls that may be
    meant by "it"; `only` are the entities that were chosen when they were asked about.
    """

    hass: HomeAssistant
    heard: Heard
    caller: Caller
    language: str
    calendar: CalendarTool | None = None
    is_tool: Callable[[str], bool] = lambda _name: False
    last: tuple[PastCall, ...] = ()
    only: frozenset[str] | None = None

    def chosen(self, states: Iterable[State]) -> tuple[State, ...]:
        """Return those of these that may be meant."""
        only = self.only
        return tuple(
            state for state in states if only is None or state.entity_id in only
        )


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
        allow_duplicate_names=ask.only is not None,
    )
    if not constraints.has_constraints:
        return say("brain_too_wide")
    result = _match(ask, constraints)
    if not result.is_match:
        return _missing(ask, constraints, result)
    states = result.states
    if heard.source is Source.NOT_SHARED:
        states = [state for state in states if not is_shared(ask.hass, state.entity_id)]
    found = ask.chosen(sorted(states, key=lambda state: state.entity_id))
    if not found:
        return say("brain_nothing_shared")
    if heard.slots.get("one") and len(found) > 1 and ask.only is None:
        here = shared(ask, constraints.domains or (), area_id=ask.caller.area_id)
        near = tuple(state for state in found if state in here)
        if ask.caller.area_id is None or len(near) != 1:
            return which(ask, found)
        found = near
    return Found(states=found, area_ids=tuple(area.id for area in result.areas))


def _match(
    ask: Ask, constraints: intent.MatchTargetsConstraints
) -> intent.MatchTargetsResult:
    """Match, what is in the caller's room before what is on their floor.

    Home Assistant says of several things of one name, none of which is where it was
    told to prefer, that there is nothing of that name.
    """
    caller = ask.caller
    for preferences in (
        intent.MatchTargetsPreferences(area_id=caller.area_id),
        intent.MatchTargetsPreferences(floor_id=caller.floor_id),
    ):
        result = intent.async_match_targets(ask.hass, constraints, preferences)
        if result.is_match:
            return result
    return intent.async_match_targets(ask.hass, constraints)


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
    return ask.chosen(sorted(result.states, key=lambda state: state.entity_id))


def which(
    ask: Ask, states: Iterable[State], key: str = "brain_which_one", **texts: str
) -> Job:
    """Return the question which of these is meant; the next message may answer it."""
    states = tuple(states)
    asked = OpenQuestion(
        heard=ask.heard,
        candidates=tuple(state.entity_id for state in states[:MOST_CANDIDATES]),
        last=ask.last,
    )
    return Job(
        kind=Kind.SAY,
        say=key,
        texts={**texts, "choices": choices(ask, states)},
        question=asked.as_json(),
    )


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
    shown = names[:LISTED]
    return ", ".join(shown) + (" …" if len(names) > len(shown) else "")


def is_shared(hass: HomeAssistant, entity_id: str) -> bool:
    """Return whether something is shared with Assist."""
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
        states = sorted(again.states, key=lambda state: state.entity_id)
        return which(ask, states, "brain_ambiguous", name=name)
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
