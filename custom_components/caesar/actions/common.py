"""What the actions share: the loaded house, and who may do what."""

from datetime import UTC, datetime

from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant, ServiceCall
from homeassistant.exceptions import ServiceValidationError

from ..const import DOMAIN
from ..runtime import CaesarConfigEntry, CaesarRuntime


def loaded_runtime(hass: HomeAssistant) -> CaesarRuntime:
    """Return the house; raises ServiceValidationError while it isn't loaded."""
    entries: list[CaesarConfigEntry] = hass.config_entries.async_entries(DOMAIN)
    for entry in entries:
        if entry.state is ConfigEntryState.LOADED:
            return entry.runtime_data
    raise refused("not_loaded")


async def async_check_admin(
    runtime: CaesarRuntime, call: ServiceCall, *, from_automation: bool = False
) -> None:
    """Let an active admin through, who acts in person.

    Home Assistant lets calls without a user into admin actions (measured), so this
    is checked here: a user, an admin, nobody of CAESAR's own, no script in between.
    """
    context = call.context
    if context.user_id is None and from_automation:
        return
    user = await runtime.users.async_learn(context.user_id)
    if (
        user is None
        or not user.is_active
        or not user.is_admin
        or context.parent_id is not None
        or runtime.users.is_own(user.id)
    ):
        raise refused("admin_required")


def refused(key: str, **placeholders: str) -> ServiceValidationError:
    """Return the translated error of that key."""
    return ServiceValidationError(
        translation_domain=DOMAIN,
        translation_key=key,
        translation_placeholders=placeholders,
    )


def time_of(seconds: float | None) -> str | None:
    """Return a unix time as people and templates read it; None for none."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
