"""Music and television: commands that often don't say which player they mean."""

from collections.abc import Callable
from typing import Final

from homeassistant.core import State

from ...legion.canonical import Json
from .calls import service_request, state_request
from .match import Ask, Found, find, shared, spoken_names, which
from .orders import act
from .plan import Follow, Job, Kind, say

_DOMAIN: Final = "media_player"
_ACTIVE: Final = ("playing", "paused", "buffering", "on", "idle")


def _players(ask: Ask, wanted: tuple[str, ...]) -> Found | Job:
    """Return the named players; else those in a wanted state, in the room first."""
    if any(ask.heard.string(slot) for slot in ("name", "area", "floor")):
        return find(ask, (_DOMAIN,))
    everywhere = shared(ask, (_DOMAIN,))
    here: tuple[State, ...] = ()
    if ask.caller.area_id:
        here = shared(ask, (_DOMAIN,), area_id=ask.caller.area_id)
    for group in (here, everywhere):
        for state in wanted:
            if found := tuple(player for player in group if player.state == state):
                return Found(states=found)
        if len(group) == 1:
            return Found(states=group)
    if not everywhere:
        return say("brain_nothing_shared")
    if ask.only is not None:
        return Found(states=everywhere)
    return which(ask, everywhere, "brain_which_player")


def _transport(service: str, *wanted: str) -> Callable[[Ask], Job]:
    def resolve(ask: Ask) -> Job:
        found = _players(ask, wanted)
        if isinstance(found, Job):
            return found
        return act(ask, found.states, (service_request(_DOMAIN, service, found.ids),))

    return resolve


def _volume(ask: Ask) -> Job:
    found = _players(ask, _ACTIVE)
    if isinstance(found, Job):
        return found
    data: dict[str, Json] = {
        "volume_level": float(ask.heard.slots["volume_level"]) / 100
    }
    request = service_request(_DOMAIN, "volume_set", found.ids, data)
    return act(ask, found.states, (request,))


def _volume_step(ask: Ask) -> Job:
    """Louder and softer by the player's own step, or by a number of percent."""
    found = _players(ask, _ACTIVE)
    if isinstance(found, Job):
        return found
    step = ask.heard.slots["volume_step"]
    if step in ("up", "down"):
        request = service_request(_DOMAIN, f"volume_{step}", found.ids)
        return act(ask, found.states, (request,))
    return Job(
        kind=Kind.FOLLOW,
        intent=ask.heard.intent,
        requests=(state_request(found.ids),),
        names=spoken_names(ask, found.states),
        follow=Follow(
            domain=_DOMAIN,
            service="volume_set",
            attribute="volume_level",
            delta=float(step) / 100,
            low=0,
            high=1,
        ),
    )


def _mute(muted: bool) -> Callable[[Ask], Job]:
    def resolve(ask: Ask) -> Job:
        found = _players(ask, _ACTIVE)
        if isinstance(found, Job):
            return found
        request = service_request(
            _DOMAIN, "volume_mute", found.ids, {"is_volume_muted": muted}
        )
        return act(ask, found.states, (request,))

    return resolve


PLAYERS: Final[dict[str, Callable[[Ask], Job]]] = {
    "HassMediaNext": _transport("media_next_track", "playing"),
    "HassMediaPause": _transport("media_pause", "playing"),
    "HassMediaPlayerMute": _mute(True),
    "HassMediaPlayerUnmute": _mute(False),
    "HassMediaPrevious": _transport("media_previous_track", "playing"),
    "HassMediaUnpause": _transport("media_play", "paused", "idle"),
    "HassSetVolume": _volume,
    "HassSetVolumeRelative": _volume_step,
}
