"""Users: CAESAR's own, and what Home Assistant lets a user do."""

from typing import Final

from homeassistant.auth.const import GROUP_ID_USER
from homeassistant.auth.models import User
from homeassistant.auth.permissions.const import POLICY_CONTROL, POLICY_READ
from homeassistant.core import HomeAssistant

from ..policy.caller import Origin

OWN_USERS: Final = {
    Origin.VOICE: "CAESAR voice",
    Origin.AUTOMATION: "CAESAR automations",
}


class Users:
    """Knows the users of turns, and answers for their permissions at once.

    Calls without a user act as a system user of CAESAR's own, because Home Assistant
    checks permissions only where a context has a user (HA_API 7.5, measured).
    """

    def __init__(self, hass: HomeAssistant) -> None:
        """Look users up in this Home Assistant."""
        self._hass = hass
        self._own: dict[Origin, User] = {}
        self._known: dict[str, User] = {}

    async def async_start(self) -> None:
        """Find CAESAR's own users, creating those that are missing."""
        existing = await _own_users(self._hass)
        for origin, name in OWN_USERS.items():
            user = existing.get(name)
            if user is None:
                user = await self._hass.auth.async_create_system_user(
                    name, group_ids=[GROUP_ID_USER], local_only=True
                )
            self._own[origin] = user

    async def async_learn(self, user_id: str | None) -> User | None:
        """Return a user, whose permissions can be asked from then on."""
        if user_id is None:
            return None
        user = await self._hass.auth.async_get_user(user_id)
        if user is not None:
            self._known[user_id] = user
        else:
            self._known.pop(user_id, None)
        return user

    def is_own(self, user_id: str | None) -> bool:
        """Return whether a user is one of CAESAR's own."""
        return any(user.id == user_id for user in self._own.values())

    def own_ids(self) -> frozenset[str]:
        """Return the ids of CAESAR's own users: nobody speaks as these."""
        return frozenset(user.id for user in self._own.values())

    def acting_id(self, origin: Origin, user_id: str | None) -> str:
        """Return the id of the user as whom a call goes out."""
        if user_id is not None:
            return user_id
        own = self._own.get(origin) or self._own[Origin.AUTOMATION]
        return own.id

    def has_service(self, domain: str, service: str) -> bool:
        """Return whether the service is registered now."""
        return self._hass.services.has_service(domain, service)

    def may_control(self, user_id: str, entity_id: str) -> bool:
        """Return whether an active user may control the entity."""
        return self._may(user_id, entity_id, POLICY_CONTROL)

    def may_read(self, user_id: str, entity_id: str) -> bool:
        """Return whether an active user may read the entity."""
        return self._may(user_id, entity_id, POLICY_READ)

    def may_read_all(self, user_id: str) -> bool:
        """Return whether an active user may read every entity there is."""
        user = self._known.get(user_id)
        return bool(
            user
            and user.is_active
            and user.permissions.access_all_entities(POLICY_READ)
        )

    def _may(self, user_id: str, entity_id: str, key: str) -> bool:
        user = self._known.get(user_id)
        return (
            user is not None
            and user.is_active
            and user.permissions.check_entity(entity_id, key)
        )


async def async_load_users(hass: HomeAssistant) -> Users:
    """Return the users, with CAESAR's own among them."""
    users = Users(hass)
    await users.async_start()
    return users


async def async_remove_own_users(hass: HomeAssistant) -> None:
    """Remove CAESAR's own users, when its entry is removed."""
    for user in (await _own_users(hass)).values():
        await hass.auth.async_remove_user(user)


async def _own_users(hass: HomeAssistant) -> dict[str, User]:
    names = set(OWN_USERS.values())
    return {
        user.name: user
        for user in await hass.auth.async_get_users()
        if user.system_generated and user.name in names
    }
