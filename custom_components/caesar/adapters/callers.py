"""Builds the Caller of a turn, in one function, from what Home Assistant vouches for."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)

from ..policy.caller import Caller, Origin
from .users import Users

KEEP_CONTEXTS_S: Final = 600.0
MAX_CONTEXTS: Final = 10_000
SATELLITE_DOMAIN: Final = "assist_satellite"


class OwnContexts:
    """The contexts of CAESAR's own calls, kept for ten minutes.

    A question that comes from one of them (a script that asks CAESAR again) gets no
    tools.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """Measure age with this clock, in seconds."""
        self._clock = clock
        self._born: OrderedDict[str, float] = OrderedDict()

    def add(self, context_id: str) -> None:
        """Remember a context that a call went out with."""
        self._born[context_id] = self._clock()
        while self._born and (
            len(self._born) > MAX_CONTEXTS
            or self._clock() - next(iter(self._born.values())) > KEEP_CONTEXTS_S
        ):
            self._born.popitem(last=False)

    def holds(self, context: Context) -> bool:
        """Return whether a context, or its parent, is one of CAESAR's."""
        oldest = self._clock() - KEEP_CONTEXTS_S
        return any(
            self._born.get(context_id, oldest - 1) >= oldest
            for context_id in (context.id, context.parent_id)
            if context_id is not None
        )


async def async_build_caller(
    hass: HomeAssistant,
    users: Users,
    context: Context,
    *,
    agent_id: str,
    conversation_id: str | None,
    device_id: str | None = None,
    satellite_id: str | None = None,
    by_agent: bool = False,
    by_task: bool = False,
) -> Caller:
    """Return who asks (DESIGN 4).

    `by_agent` says that another conversation agent does, in the name of the context's
    user if it has one; a device is its word, and says which room is meant. `by_task`
    says that it is an AI task, which nobody listens to.

    A user is that user whatever device or satellite was sent along: any user can send
    any of them. Without a user only a satellite that the registry knows is a voice;
    all else is an automation. So is a script that CAESAR itself has started as one of
    its own users: nobody chats as these.
    """
    user_id = None if users.is_own(context.user_id) else context.user_id
    user = await users.async_learn(user_id)
    registered = (
        er.async_get(hass).async_get(satellite_id)
        if satellite_id and satellite_id.startswith(f"{SATELLITE_DOMAIN}.")
        else None
    )
    if by_agent:
        origin = Origin.AGENT
    elif by_task:
        origin = Origin.AI_TASK
    elif user_id is not None:
        origin = Origin.CHAT
    elif registered is not None and context.user_id is None:
        origin = Origin.VOICE
        device_id = registered.device_id
    else:
        origin = Origin.AUTOMATION
    area_id, floor_id = _place(hass, device_id, registered)
    return Caller(
        origin=origin,
        user_id=user_id,
        is_admin=user is not None and user.is_active and user.is_admin,
        satellite_id=registered.entity_id if registered else None,
        device_id=device_id,
        area_id=area_id,
        floor_id=floor_id,
        agent_id=agent_id,
        conversation_id=conversation_id,
        context_id=context.id,
    )


async def async_build_again(
    hass: HomeAssistant, users: Users, before: Caller, context: Context
) -> Caller | None:
    """Return an earlier caller with the rights of this moment; None if it is gone.

    So it is when the user was removed or deactivated, or the satellite is no more.
    `context` is of the same user, and no satellite.
    """
    user = await users.async_learn(before.user_id)
    if before.user_id is not None and (user is None or not user.is_active):
        return None
    now = await async_build_caller(
        hass,
        users,
        context,
        agent_id=before.agent_id,
        conversation_id=before.conversation_id,
        device_id=before.device_id,
        satellite_id=before.satellite_id,
        by_agent=before.origin is Origin.AGENT,
    )
    return now if now.origin is before.origin else None


def _place(
    hass: HomeAssistant, device_id: str | None, satellite: er.RegistryEntry | None
) -> tuple[str | None, str | None]:
    """Return area and floor of a device or satellite."""
    area_id = satellite.area_id if satellite else None
    if area_id is None and device_id is not None:
        device = dr.async_get(hass).async_get(device_id)
        area_id = dr.async_get_effective_area_id(hass, device) if device else None
    area = ar.async_get(hass).async_get_area(area_id) if area_id else None
    return area_id, area.floor_id if area else None
