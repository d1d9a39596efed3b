"""What a model costs by the token, where somebody types it; folded away in its form."""

from collections.abc import Mapping
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import section
from homeassistant.helpers.selector import (
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
)
import probatio

from ..const import CONF_PRICES, SECTION_PRICES, ProviderKind
from .model_options import Fields

# Handed to the texts as a placeholder: translations hold no addresses.
PRICES_URL: Final = "https://claude.com/pricing"

_INPUT: Final = "input"
_OUTPUT: Final = "output"
# The fields of brain/prices.py's Prices: what a million tokens of each kind cost.
KINDS: Final = (_INPUT, _OUTPUT, "cache_read", "cache_write")
_MOST: Final = 10_000


def prices_section(hass: HomeAssistant, kind: str, shown: Mapping[str, Any]) -> Fields:
    """Return the part of a model's form that asks for its prices.

    `shown` is what the form shows. Prices that are known lie open, so that nobody
    keeps them by mistake with another model. Ollama's models have none: they run on a
    computer of one's own, and nobody sends a bill.
    """
    if kind == ProviderKind.OLLAMA:
        return {}
    price = probatio.All(
        NumberSelector(
            NumberSelectorConfig(
                min=0,
                max=_MOST,
                step="any",
                mode=NumberSelectorMode.BOX,
                unit_of_measurement=hass.config.currency,
            )
        ),
        # The selector lets through what is no number at all, such as "nan".
        probatio.Range(min=0, max=_MOST),
    )
    return {
        probatio.Optional(SECTION_PRICES): section(
            probatio.Schema({probatio.Optional(each): price for each in KINDS}),
            {"collapsed": not shown.get(SECTION_PRICES)},
        )
    }


def shown_prices(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a model as its form shows it."""
    return {SECTION_PRICES: dict(kept.get(CONF_PRICES, {}))}


def typed_prices(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a form holds of prices, as it is kept; nothing if none was typed."""
    prices = {
        each: price
        for each, price in typed.get(SECTION_PRICES, {}).items()
        if each in KINDS
    }
    return {CONF_PRICES: prices} if prices else {}


def price_errors(typed: Mapping[str, Any]) -> dict[str, str]:
    """Return the form's error: with half of the prices a cost would be a guess."""
    prices = typed_prices(typed).get(CONF_PRICES)
    if prices is None or {_INPUT, _OUTPUT} <= prices.keys():
        return {}
    return {"base": "prices_incomplete"}
