"""Questions about CAESAR itself: why, what was done, what may be done."""

from collections.abc import Callable
from typing import Final

from homeassistant.helpers import area_registry as ar, intent
from homeassistant.util import dt as dt_util

from ...brain.periods import Period, span_of
from ...legion.canonical import Json
from .heard import Heard
from .match import Ask
from .plan import Job, Kind, Request, say

_WHY: Final = frozenset(("CaesarWhy", "CaesarWhyNot"))


def why(ask: Ask) -> Job:
    """Answer why something was done."""
    return _told("why", _of_name(ask))


def why_not(ask: Ask) -> Job:
    """Answer why something was not done."""
    return _told("why", {**_of_name(ask), "refused": True})


def is_about_the_last(heard: Heard) -> bool:
    """Return whether a bare "why?" is about whatever was the last thing said."""
    return heard.intent in _WHY and heard.string("name") is None


def happened(ask: Ask) -> Job:
    """Answer what was done, or refused, or who did it; in a time or lately."""
    heard = ask.heard
    default = Period.WEEK if heard.slots.get("who") else Period.TODAY
    span = span_of(Period(heard.string("past") or default), dt_util.now())
    given: dict[str, Json] = {
        "since": span.since.isoformat(),
        "until": span.until.isoformat(),
        **_of_name(ask),
    }
    if tool := heard.string("deed"):
        given["tool"] = tool
    if heard.slots.get("refused"):
        given["refused"] = True
    return _told("what_happened", given)


def may_i(ask: Ask) -> Job:
    """Answer what the policy allows, here or in a room that was named."""
    name = ask.heard.string("area")
    if name is None:
        return _told("what_may_i", {})
    areas = list(intent.find_areas(name, ar.async_get(ask.hass)))
    if not areas:
        return say("brain_unknown_area", area=ask.heard.texts.get("area", name))
    return _told("what_may_i", {"area_id": areas[0].id})


def _of_name(ask: Ask) -> dict[str, Json]:
    name = ask.heard.string("name")
    return {"what": name} if name else {}


def _told(tool: str, arguments: dict[str, Json]) -> Job:
    return Job(kind=Kind.TOLD, requests=(Request(tool=tool, arguments=arguments),))


WHY: Final[dict[str, Callable[[Ask], Job]]] = {
    "CaesarHappened": happened,
    "CaesarMayI": may_i,
    "CaesarWhy": why,
    "CaesarWhyNot": why_not,
}
