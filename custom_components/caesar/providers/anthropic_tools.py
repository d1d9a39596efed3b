"""Tools as Anthropic's Messages API takes them. Pure.

Source: the "Tool use" and "Prompt caching" pages of Anthropic's API documentation.
"""

from collections.abc import Iterable
import re

from ..legion.spec import ToolSpec
from .tool_offer import CHOICES_AT_TOP, Tools, description, object_schema, offer
from .wire import Wire

_PROPERTY = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def build_tools(specs: Iterable[ToolSpec], cache: Wire) -> Tools:
    """Return the tools; `cache` is the mark behind the last of them."""
    tools = offer(specs, _entry)
    if tools.wire:
        tools.wire[-1]["cache_control"] = cache
    return tools


def _entry(name: str, spec: ToolSpec) -> Wire:
    """Return a tool as the API takes it. Raises ValueError or TypeError."""
    schema = object_schema(spec.input_schema)
    for key in schema.get("properties", {}):
        if not _PROPERTY.fullmatch(key):
            raise ValueError(f"the model can't use the property name {key!r}")
    kept = {key: value for key, value in schema.items() if key not in CHOICES_AT_TOP}
    return {
        "name": name,
        "description": description(spec),
        "input_schema": {**kept, "type": "object"},
    }
