"""Answers to what the house's own tools brought back: timers, plans, added intents."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.exceptions import TemplateError
from homeassistant.helpers.template import Template
from homeassistant.util import dt as dt_util

from ...legion.canonical import Json
from ...policy.impact import INTENT_PREFIX
from ...turn import ToolOutcome
from ...wording import Wording
from .plan import Job
from .tool_answers import clean, own_words

_MAX_COMMAND: Final = 120
_UNITS: Final = ("hours", "minutes", "seconds")


def house_text(
    hass: HomeAssistant, wording: Wording, template: str | None, job: Job, data: Json
) -> str:
    """Return the answer to a call that was carried out.

    `template` is Home Assistant's own for the intent, if the language has one.
    """
    found = data if isinstance(data, Mapping) else {}
    tool = job.requests[0].tool
    if tool == "planned_commands":
        return _plans(wording, found.get("planned"), "planned_list")
    if tool == "cancel_planned":
        return _plans(wording, found.get("canceled"), "planned_off")
    if tool.startswith(INTENT_PREFIX) and (said := own_words(data)):
        return said
    slots: dict[str, Any] = dict(job.texts)
    if (timers := found.get("timers")) is not None:
        slots["timers"] = _rounded(timers)
    if "canceled" in found:
        slots["canceled"] = found["canceled"]
    return fill(hass, template or "", {"slots": slots}) or wording.text("brain_did_it")


def house_refusal(
    wording: Wording, errors: Mapping[str, str], outcome: ToolOutcome, names: str = ""
) -> str:
    """Return why one of these tools could not do it, if it says so; else nothing.

    `errors` are Home Assistant's own sentences, by the key of the error; `names` what
    the call was about.
    """
    why = outcome.facts.get("why")
    if outcome.error is None or not isinstance(why, str):
        return ""
    said = errors.get(why)
    return said if isinstance(said, str) else wording.text(why, names=names)


def fill(hass: HomeAssistant, source: str, variables: Mapping[str, Any]) -> str:
    """Fill in an answer template of a language package; empty if that can't be.

    An answer of ours then takes its place.
    """
    try:
        text = Template(source, hass).async_render(dict(variables), parse_result=False)
    except TemplateError:
        return ""
    text = " ".join(str(text).split())
    return "" if text.endswith(("None", " None.")) else text


def _rounded(timers: Json) -> list[Any]:
    """Return timers with the keys that Home Assistant's template for them reads."""
    if not isinstance(timers, (list, tuple)):
        return []
    return [
        {**timer, **{f"rounded_{unit}_left": timer[f"{unit}_left"] for unit in _UNITS}}
        for timer in timers
        if isinstance(timer, Mapping)
    ]


def _plans(wording: Wording, found: Json, some: str) -> str:
    plans = (
        [each for each in found if isinstance(each, Mapping)]
        if isinstance(found, (list, tuple))
        else []
    )
    if not plans:
        return wording.text("planned_none")
    return wording.text(some, plans=wording.names(_plan(wording, p) for p in plans))


def _plan(wording: Wording, plan: Mapping[str, Json]) -> str:
    """Return "turn off the light today at 18:30"."""
    at = dt_util.parse_datetime(str(plan.get("at", "")))
    return wording.text(
        "planned_item",
        command=clean(str(plan.get("command", "")), _MAX_COMMAND)
        or wording.text("planned_hidden"),
        when=wording.moment(dt_util.as_local(at), dt_util.now(), "past_point")
        if at
        else "",
    )
