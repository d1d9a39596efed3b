"""Which intents are the owner's, and what they are called in words."""

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
_BETWEEN_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


def is_custom(handler: intent.IntentHandler) -> bool:
    """Return whether an intent is the owner's: none of Home Assistant's own."""
    name, module = handler.intent_type, type(handler).__module__
    own = not module.startswith(_CORE_MODULES) or module.startswith(_SCRIPTS)
    return own and not name.startswith(_CORE) and _NAME.fullmatch(name) is not None


def spoken_name(hass: HomeAssistant, tool: str) -> str | None:
    """Return the name of an intent's tool as words: "feed the cat" of FeedTheCat.

    None if the owner has no such intent now: a model may have made the name up.
    """
    wanted = tool.removeprefix(INTENT_PREFIX)
    there = tool != wanted and any(
        handler.intent_type == wanted and is_custom(handler)
        for handler in intent.async_get(hass)
    )
    return _BETWEEN_WORDS.sub(" ", wanted).strip().lower() if there else None
