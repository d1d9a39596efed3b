"""Whoever words an answer, and how a single state is told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
import re
from typing import Final

from homeassistant.core import HomeAssistant

from ...wording import Wording
from .plan import Job
from .reading import Reading

_DECIMAL: Final = re.compile(r"-?\d+\.\d+")
_COMMA: Final = frozenset(
    ("cs", "da", "de", "es", "fr", "it", "nl", "pl", "pt", "ru", "sv")
)
_LONG: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """All that wording an answer needs besides the job itself.

    `responses` are Home Assistant's answer templates by intent and key, `errors` its
    sentences for what could not be done; an `admin` is told what to add to the policy.
    `room` is the name of the room in which a satellite speaks right now.
    """

    hass: HomeAssistant
    language: str
    wording: Wording
    responses: Mapping[str, Mapping[str, str]]
    errors: Mapping[str, str] = field(default_factory=dict)
    admin: bool = False
    room: str | None = None


def is_text(speaker: Speaker, job: Job, state: Reading, key: str) -> str:
    """Return "the front door is locked"."""
    value = number(speaker, state.state_with_unit)
    if state.domain == "climate":
        value = _climate(speaker, state) or value
    title = state.attributes.get("media_title")
    if title and state.state in ("playing", "paused"):
        value = f"{value} ({title})"
    if not state.has_value:
        missing = "unavailable" if state.state == "unavailable" else "unknown_state"
        value = speaker.wording.text(f"brain_{missing}")
    name = as_subject(job.names.get(state.entity_id, state.name))
    return speaker.wording.text(key, name=name, value=value)


def _climate(speaker: Speaker, state: Reading) -> str:
    """Return how warm it is and what it is set to; empty without a reading."""
    unit = speaker.hass.config.units.temperature_unit
    current, target = (
        number(speaker, f"{float(value)} {unit}")
        if isinstance(value := state.attributes.get(key), int | float)
        else ""
        for key in ("current_temperature", "temperature")
    )
    if not current or not target:
        return current or target
    return speaker.wording.text("brain_climate", current=current, target=target)


def number(speaker: Speaker, text: str) -> str:
    """Return "51 %" for "51.0 %", with a comma where the language has one."""
    value, blank, unit = text.partition(" ")
    if not _DECIMAL.fullmatch(value):
        return text
    short = f"{round(float(value), 2):g}" if len(value) < _LONG else value
    if speaker.language.partition("-")[0] in _COMMA:
        short = short.replace(".", ",")
    return f"{short}{blank}{unit}"


def as_subject(phrase: str) -> str:
    """Return "der Ventilator" for "den Ventilator"; other phrases as they are."""
    return f"der {phrase[4:]}" if phrase.startswith("den ") else phrase
