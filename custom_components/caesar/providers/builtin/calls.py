"""From an intent to the service calls that a model would make for it.

Home Assistant's HassTurnOff on a lock is `lock.unlock`; what a sentence really does
is settled here, in the open, so that the gate judges the real thing.
"""

from collections.abc import Mapping
from typing import Final

from homeassistant.core import State

from ...brain.expected import expected_states
from ...legion.canonical import Json
from .plan import Request

type Service = tuple[str, str]

_ON: Final[dict[str, Service]] = {
    "alarm_control_panel": ("alarm_control_panel", "alarm_arm_away"),
    "button": ("button", "press"),
    "cover": ("cover", "open_cover"),
    "group": ("homeassistant", "turn_on"),
    "input_button": ("input_button", "press"),
    "lawn_mower": ("lawn_mower", "start_mowing"),
    "lock": ("lock", "lock"),
    "vacuum": ("vacuum", "start"),
    "valve": ("valve", "open_valve"),
}
_OFF: Final[dict[str, Service]] = {
    "alarm_control_panel": ("alarm_control_panel", "alarm_disarm"),
    "cover": ("cover", "close_cover"),
    "group": ("homeassistant", "turn_off"),
    "lawn_mower": ("lawn_mower", "dock"),
    "lock": ("lock", "unlock"),
    "vacuum": ("vacuum", "return_to_base"),
    "valve": ("valve", "close_valve"),
}
_TOGGLE: Final[dict[str, Service]] = {"group": ("homeassistant", "toggle")}
# These are started or pressed; there is nothing to turn off.
ONE_WAY: Final = frozenset(("button", "input_button", "scene"))

SWITCHABLE: Final = frozenset(
    (
        *_ON,
        "automation",
        "climate",
        "fan",
        "humidifier",
        "input_boolean",
        "light",
        "media_player",
        "remote",
        "scene",
        "script",
        "siren",
        "switch",
        "water_heater",
    )
)


def turn_on(domain: str) -> Service:
    """Return the service that HassTurnOn means for a domain."""
    return _ON.get(domain, (domain, "turn_on"))


def turn_off(domain: str) -> Service:
    """Return the service that HassTurnOff means for a domain."""
    return _OFF.get(domain, (domain, "turn_off"))


def toggle(domain: str) -> Service:
    """Return the service that HassToggle means for a domain."""
    return _TOGGLE.get(domain, (domain, "toggle"))


SWITCHING: Final = {
    "HassTurnOn": turn_on,
    "HassTurnOff": turn_off,
    "HassToggle": toggle,
}


def switch_requests(intent: str, states: tuple[State, ...]) -> tuple[Request, ...]:
    """Return one call per service for entities that may be of several domains."""
    grouped: dict[Service, list[str]] = {}
    for state in states:
        service = SWITCHING[intent](state.domain)
        grouped.setdefault(service, []).append(state.entity_id)
    return tuple(
        service_request(domain, service, tuple(ids))
        for (domain, service), ids in grouped.items()
    )


def service_request(
    domain: str,
    service: str,
    entity_ids: tuple[str, ...],
    data: Mapping[str, Json] | None = None,
) -> Request:
    """Return a `call_service` request on entities."""
    return Request(
        tool="call_service",
        arguments={
            "domain": domain,
            "service": service,
            "target": {"entity_id": list(entity_ids)},
            "data": dict(data or {}),
        },
        entities=entity_ids,
        expect=expected_states(domain, service, data or {}),
    )


def state_request(entity_ids: tuple[str, ...], state: str | None = None) -> Request:
    """Return a `get_state` request; `state` keeps only entities in that state."""
    arguments: dict[str, Json] = {"entity_id": list(entity_ids)}
    if state is not None:
        arguments["state"] = state
    return Request(tool="get_state", arguments=arguments, entities=entity_ids)
