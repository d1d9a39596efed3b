"""CAESAR is removed: the house gets back what it had, and what is CAESAR's own goes.

Policy and trail are the owner's; they stay, with the key that shows the trail to be
true, and the owner is told where.
"""

from collections.abc import Awaitable, Callable
import logging
from typing import Any, Final

from homeassistant.components import persistent_notification
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.storage import Store

from ..const import DATA_FOLDER, DEFAULT_TITLE, DOMAIN
from ..wording import async_wording
from .audit_log import STORAGE_KEY, STORAGE_VERSION
from .parked_store import async_erase_waiting
from .phone_cards import async_remove_cards
from .pins import async_remove_pins
from .pipelines import async_give_all_back
from .users import async_remove_own_users
from .worker_keys import async_remove_identity

_LOGGER = logging.getLogger(__name__)

NOTICE_ID: Final = "caesar_removed"


async def async_leave(hass: HomeAssistant, entry: ConfigEntry[Any]) -> None:
    """Leave the house, when the entry is removed. One step that fails ends no other."""
    steps: tuple[Callable[[], Awaitable[None]], ...] = (
        lambda: async_give_all_back(hass, entry),
        lambda: async_erase_waiting(hass),
        lambda: _async_forget_vault_key(hass),
        lambda: async_remove_own_users(hass),
        lambda: async_remove_cards(hass),
        lambda: async_remove_pins(hass),
        lambda: async_remove_identity(hass),
    )
    whole = True
    for step in steps:
        try:
            await step()
        except Exception:
            # Whatever it was: the rest must go all the same.
            _LOGGER.exception("A part of CAESAR could not be removed")
            whole = False
    _remove_issues(hass)
    await _async_tell(hass, whole=whole)


async def _async_forget_vault_key(hass: HomeAssistant) -> None:
    """Forget what opens sealed rows: copies of a damaged file hold some, too."""
    store: Store[dict[str, Any]] = Store(
        hass, STORAGE_VERSION, STORAGE_KEY, private=True, atomic_writes=True
    )
    kept = await store.async_load()
    if kept is not None and kept.pop("vault", None) is not None:
        await store.async_save(kept)


@callback
def _remove_issues(hass: HomeAssistant) -> None:
    """Take back all repairs, those that were ignored too: nobody would any more."""
    for domain, issue_id in list(ir.async_get(hass).issues):
        if domain == DOMAIN:
            ir.async_delete_issue(hass, DOMAIN, issue_id)


async def _async_tell(hass: HomeAssistant, *, whole: bool) -> None:
    """Say what stays, and where. Every user sees it, so it says nothing else."""
    wording = await async_wording(hass, hass.config.language)
    texts = [
        wording.text(
            "removed_kept",
            folder=hass.config.path(DATA_FOLDER),
            key=hass.config.path(".storage", STORAGE_KEY),
        )
    ]
    if not whole:
        texts.append(wording.text("removed_in_part"))
    persistent_notification.async_create(
        hass, "\n\n".join(texts), DEFAULT_TITLE, NOTICE_ID
    )


@callback
def async_dismiss_notice(hass: HomeAssistant) -> None:
    """Take back what was said at a removal: CAESAR is set up again."""
    persistent_notification.async_dismiss(hass, NOTICE_ID)
