"""Tools as servers of OpenAI's Chat Completions API take them. Pure.

Source: the "Function calling" and "Chat Completions" pages of OpenAI's API reference
(names, at most 128 tools, an object at the top).
"""

from collections.abc import Iterable
from typing import Final

from ..legion.spec import ToolSpec
from .portable_schema import portable
from .tool_offer import Tools, function, offer
from .wire import Wire

MOST_TOOLS: Final = 128


def build_tools(specs: Iterable[ToolSpec]) -> Tools:
    """Return the tools; of too many, the first that are offered stay."""
    return offer(specs, _entry, most=MOST_TOOLS)


def _entry(name: str, spec: ToolSpec) -> Wire:
    """Return a tool as servers take it. Raises ValueError or TypeError."""
    return function(name, spec, portable(spec.input_schema))
