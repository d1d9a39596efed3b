"""Waits until devices report what they were told, and names those that don't."""

import asyncio
from collections.abc import Iterable
from typing import Final

from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant, State, callback, split_entity_id
from homeassistant.helpers.event import async_track_state_change_event

from ..brain.expected import expected_states
from ..legion.canonical import Json
from ..policy.call import ServiceCall
from ..turn import Turn

# How long a device may take before it is said that it didn't follow, in seconds.
FOLLOW_S: Final = 2.0
# So long at least, after calls of the same turn whose devices never did.
LEAST_S: Final = 0.3
# From here on a call would not end within its own time.
_LATEST_S: Final = 8.0


async def async_laggards(
    hass: HomeAssistant,
    call: ServiceCall,
    entity_ids: Iterable[str],
    took: float,
    turn: Turn,
) -> list[Json]:
    """Return the entities that don't report what they were told, within their time.

    `took` is how long the call itself took, in seconds. One that is not available is
    not waited for; one that never knows its state, like a blind by radio, is believed.
    What is waited in vain counts for the whole turn: not for each of its calls anew.
    """
    expected = {
        entity_id: states
        for entity_id in entity_ids
        if (states := _expected(call, entity_id))
    }

    def late(*, patient: bool) -> list[Json]:
        told = (
            (entity_id, hass.states.get(entity_id), (*want, STATE_UNKNOWN))
            for entity_id, want in expected.items()
        )
        return [
            entity_id
            for entity_id, state, want in told
            if (state.state if state else STATE_UNAVAILABLE) not in want
            if not (patient and _is_away(state))
        ]

    if late(patient=True) and (room := _room(turn, took)) > 0:
        followed = asyncio.Event()

        @callback
        def changed(_: object) -> None:
            if not late(patient=True):
                followed.set()

        stop = async_track_state_change_event(hass, expected, changed)
        try:
            async with asyncio.timeout(room):
                await followed.wait()
        except TimeoutError:
            turn.waited += room
        finally:
            stop()
    return late(patient=False)


def _room(turn: Turn, took: float) -> float:
    least = min(LEAST_S, FOLLOW_S)
    return min(max(FOLLOW_S - turn.waited, least), _LATEST_S - took)


def _is_away(state: State | None) -> bool:
    return state is None or state.state == STATE_UNAVAILABLE


def _expected(call: ServiceCall, entity_id: str) -> tuple[str, ...]:
    domain = split_entity_id(entity_id)[0]
    if call.domain not in (domain, "homeassistant"):
        return ()
    return expected_states(domain, call.service, call.data)
