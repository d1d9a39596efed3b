"""Which user and which satellite an action means, and who calls it."""

from typing import Final

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.helpers import entity_registry as er

from ..runtime import CaesarRuntime
from .common import refused

_SATELLITES: Final = "assist_satellite"


async def async_user_id(
    hass: HomeAssistant, user: str, *, gone_too: bool = False
) -> str:
    """Return the id of an active user, given by id or by name.

    `gone_too` takes the id of a user who may no longer log in. Raises
    ServiceValidationError.
    """
    users = await hass.auth.async_get_users()
    active = [each for each in users if each.is_active]
    if any(each.id == user for each in (users if gone_too else active)):
        return user
    named = [
        each.id
        for each in active
        if not each.system_generated
        and (each.name or "").strip().lower() == user.strip().lower()
    ]
    if len(named) != 1:
        raise refused("unknown_user", user=user)
    return named[0]


def satellite_of(hass: HomeAssistant, satellite: str) -> er.RegistryEntry:
    """Return a satellite's entry. Raises ServiceValidationError if there is none."""
    entry = er.async_get(hass).async_get(satellite)
    if entry is None or entry.domain != _SATELLITES:
        raise refused("unknown_satellite", satellite=satellite)
    return entry


async def async_person(runtime: CaesarRuntime, call: ServiceCall) -> User:
    """Return who acts, who is an active user in person; raises if nobody does.

    A script keeps the user who had it started: its context has a parent, or is that
    of a call of CAESAR's own.
    """
    context = call.context
    user = await runtime.users.async_learn(context.user_id)
    if (
        user is None
        or not user.is_active
        or context.parent_id is not None
        or runtime.users.is_own(user.id)
        or runtime.approvals.contexts.holds(context)
    ):
        raise refused("person_required")
    return user
