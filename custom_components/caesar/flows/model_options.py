"""What can be set for a model beside its name, folded away in its form."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.data_entry_flow import section
from homeassistant.helpers.selector import (
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import probatio

from ..const import (
    CONF_CACHE_TTL,
    CONF_KEEP_ALIVE,
    CONF_NUM_CTX,
    CONF_THINK,
    SECTION_OPTIONS,
    ProviderKind,
)
from ..providers.ollama_dialect import DEFAULT_NUM_CTX, FOREVER, KEEP_ALIVE
from ..providers.thinking import Think

type Fields = dict[probatio.Marker, Any]

OPTIONS: Final = (CONF_THINK, CONF_CACHE_TTL, CONF_NUM_CTX, CONF_KEEP_ALIVE)
_FEWEST: Final = 2048
_MOST: Final = 262_144
_STEP: Final = 1024
_CONTEXT: Final = probatio.All(
    NumberSelector(
        NumberSelectorConfig(
            min=_FEWEST, max=_MOST, step=_STEP, mode=NumberSelectorMode.BOX
        )
    ),
    probatio.Coerce(int),
)


def options_section(kind: str) -> Fields:
    """Return the folded part of the form of a model of this kind."""
    return {
        probatio.Optional(SECTION_OPTIONS): section(
            probatio.Schema(_fields(kind)), {"collapsed": True}
        )
    }


def shown_options(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a model as its form shows it."""
    return {SECTION_OPTIONS: {key: kept[key] for key in OPTIONS if key in kept}}


def typed_options(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a form holds of options, flat as it is kept."""
    return dict(typed.get(SECTION_OPTIONS, {}))


def _fields(kind: str) -> Fields:
    match kind:
        case ProviderKind.ANTHROPIC:
            return {
                probatio.Optional(CONF_THINK, default=Think.OFF.value): _think(),
                probatio.Optional(CONF_CACHE_TTL, default="5m"): _choice(
                    CONF_CACHE_TTL, "5m", "1h"
                ),
            }
        case ProviderKind.OLLAMA:
            return {
                probatio.Optional(CONF_NUM_CTX, default=DEFAULT_NUM_CTX): _CONTEXT,
                probatio.Optional(CONF_KEEP_ALIVE, default=FOREVER): _choice(
                    CONF_KEEP_ALIVE, *KEEP_ALIVE
                ),
                probatio.Optional(CONF_THINK, default=Think.OFF.value): _think(),
            }
    # What such a server does by itself is up to it; so no default.
    return {probatio.Optional(CONF_THINK): _think()}


def _think() -> SelectSelector:
    return _choice(CONF_THINK, *(each.value for each in Think))


def _choice(key: str, *values: str) -> SelectSelector:
    return SelectSelector(
        SelectSelectorConfig(
            options=list(values), mode=SelectSelectorMode.DROPDOWN, translation_key=key
        )
    )
