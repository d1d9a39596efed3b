"""Tools as Anthropic's Messages API takes them. Pure.

Source: the "Tool use" and "Prompt caching" pages of Anthropic's API documentation.
"""

from collections.abc import Iterable
import re

from ..legion.spec import ToolSpec
from .tool_offer import Tools, object_schema, offer
from .wire import Wire, clean

CACHE: Wire = {"type": "ephemeral"}
_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_REFUSED_AT_TOP = frozenset({"oneOf", "anyOf", "allOf"})


def build_tools(specs: Iterable[ToolSpec]) -> Tools:
    """Return the tools; up to the last of them a request's prefix is cached."""
    tools = offer(specs, _entry)
    if tools.wire:
        tools.wire[-1]["cache_control"] = CACHE
    return tools


def _entry(name: str, spec: ToolSpec) -> Wire:
    """Return a tool as the API takes it. Raises ValueError or TypeError."""
    schema = object_schema(spec.input_schema)
    for key in schema.get("properties", {}):
        if not _PROPERTY.fullmatch(key):
            raise ValueError(f"the model can't use the property name {key!r}")
    kept = {key: value for key, value in schema.items() if key not in _REFUSED_AT_TOP}
    return {
        "name": name,
        "description": clean(spec.description),
        "input_schema": {**kept, "type": "object"},
    }
