"""Which intents are the owner's."""

import re
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers import intent

from ..policy.impact import INTENT_PREFIX

_CORE: Final = "Hass"
# Of Home Assistant's own modules, the one whose handlers the owner writes.
_CORE_MODULES: Final = "homeassistant."
_SCRIPTS: Final = "homeassistant.components.intent_script"
_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,56}")


def is_custom(handler: intent.IntentHandler) -> bool:
    """Return whether an intent is the owner's: none of Home Assistant's own."""
    name, module = handler.intent_type, type(handler).__module__
    own = not module.startswith(_CORE_MODULES) or module.startswith(_SCRIPTS)
    return own and not name.startswith(_CORE) and _NAME.fullmatch(name) is not None


def is_own(hass: HomeAssistant, tool: str) -> bool:
    """Return whether a tool is an intent that the owner has now.

    A model may have made the name up.
    """
    return any(
        tool == f"{INTENT_PREFIX}{handler.intent_type}" and is_custom(handler)
        for handler in intent.async_get(hass)
    )
