"""What a device reports once it has done what a service told it. Pure.

Services of Home Assistant 2026.10; of others nothing is expected.
"""

from collections.abc import Mapping
from typing import Final

from ..legion.canonical import Json

_REPORTS_ON_OFF: Final = frozenset(
    ("automation", "fan", "humidifier", "input_boolean", "light", "siren", "switch")
)
_UNSURE: Final = frozenset(("brightness_step", "brightness_step_pct", "transition"))
_LEVELS: Final = ("brightness", "brightness_pct", "percentage")
_ON_OFF: Final = frozenset(("turn_on", "turn_off"))
_CONFIRMED: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("cover", "open_cover"): ("open", "opening"),
    ("cover", "close_cover"): ("closed", "closing"),
    ("lock", "lock"): ("locked", "locking"),
    ("lock", "unlock"): ("unlocked", "unlocking", "open", "opening"),
    ("valve", "open_valve"): ("open", "opening"),
    ("valve", "close_valve"): ("closed", "closing"),
}


def expected_states(
    domain: str, service: str, data: Mapping[str, Json]
) -> tuple[str, ...]:
    """Return the states that confirm a call; empty if none would."""
    if _UNSURE & data.keys() or any(data.get(key) == 0 for key in _LEVELS):
        # A fade takes longer than anybody waits; a step may turn a light off.
        return ()
    if domain in _REPORTS_ON_OFF and service in _ON_OFF:
        return (service.removeprefix("turn_"),)
    return _CONFIRMED.get((domain, service), ())
