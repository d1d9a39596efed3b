"""What a model's tokens cost, where a person said so. Nothing is ever guessed."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
import math
from typing import Any, Final

from .provider import Usage

PER_TOKENS: Final = 1_000_000
_KIND: Final = "_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a million tokens of each kind cost, in the house's currency."""

    input_tokens: float = 0.0
    output_tokens: float = 0.0
    cache_read_tokens: float = 0.0
    cache_write_tokens: float = 0.0

    def cost(self, usage: Usage) -> float:
        """Return what a round cost, in the house's currency."""
        return (
            self.input_tokens * usage.input_tokens
            + self.output_tokens * usage.output_tokens
            + self.cache_read_tokens * usage.cache_read_tokens
            + self.cache_write_tokens * usage.cache_write_tokens
        ) / PER_TOKENS


def prices_of(kept: Mapping[str, Any] | None) -> Prices | None:
    """Return what was typed as prices (`CONF_PRICES`); None where that is no whole price.

    A vendor that was given no price for its cache is taken to charge it as input.
    """
    names = {field.name.removesuffix(_KIND): field.name for field in fields(Prices)}
    typed = {
        names[name]: float(value)
        for name, value in (kept or {}).items()
        if name in names
        and isinstance(value, (int, float))
        and not isinstance(value, bool)
        and math.isfinite(value)
        and value >= 0
    }
    if not {"input_tokens", "output_tokens"} <= set(typed):
        return None
    plain = typed["input_tokens"]
    cached = {"cache_read_tokens": plain, "cache_write_tokens": plain}
    return Prices(**{**cached, **typed})
