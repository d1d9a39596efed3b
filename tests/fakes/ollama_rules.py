"""What an Ollama server refuses: the fake is as strict as the real one.

Source: Ollama's docs/api.md ("Generate a chat completion", "List Local Models", "Show
Model Information"), and
for what it says no to, the types that its server reads a request into (api/types.go)
and the answers of its chat handler (server/routes.go).
"""

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
import re
from typing import Any

from .messages_script import Body, Failure

_DURATION = re.compile(r"-?(\d+(\.\d+)?(ns|us|ms|s|m|h))+")
_PROPERTY = {"type", "description", "enum", "items", "anyOf", "properties", "required"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that was pulled, and what it can do."""

    name: str = "qwen3:8b"
    tools: bool = True
    thinking: bool = True
    vision: bool = True

    @property
    def capabilities(self) -> list[str]:
        """Return what `/api/show` says that it can do."""
        known = {"tools": self.tools, "thinking": self.thinking, "vision": self.vision}
        return ["completion", *(name for name, can in known.items() if can)]


def refusal(body: Body, model: Model) -> Failure | None:
    """Return what the server would refuse a chat with; `model` is the one it has."""
    for problem in _unreadable(body):
        return Failure(status=400, message=problem)
    if not body.get("model"):
        return Failure(status=400, message="model is required")
    if body["model"] not in (model.name, model.name.removesuffix(":latest")):
        return Failure(status=404, message=f'model "{body["model"]}" not found')
    if body.get("tools") and not model.tools:
        full = f"registry.ollama.ai/library/{model.name}"
        return Failure(status=400, message=f"{full} does not support tools")
    if body.get("think") and not model.thinking:
        message = f'"{body["model"]}" does not support thinking'
        return Failure(status=400, message=message)
    return None


def unauthorized(headers: dict[str, str], key: str) -> Failure | None:
    """Return the answer to a wrong key; without a key any request is welcome."""
    if not key or headers.get("authorization") == f"Bearer {key}":
        return None
    return Failure(status=401, message="unauthorized")


def _unreadable(body: Body) -> Iterator[str]:
    """Yield what doesn't fit the types that a request is read into."""
    if not isinstance(body.get("model", ""), str):
        yield _misfit("model", "string")
    think = body.get("think")
    if think is not None and think not in (True, False, "low", "medium", "high"):
        yield f"invalid think value: {think!r}"
    keep = body.get("keep_alive")
    if isinstance(keep, str) and not _DURATION.fullmatch(keep):
        yield f'time: invalid duration "{keep}"'
    for key, value in body.get("options", {}).items():
        if not isinstance(value, int | float):
            yield f'option "{key}" must be of type integer'
    if not isinstance(body.get("format", {}), dict | str):
        yield _misfit("format", "json.RawMessage")
    for message in body.get("messages", []):
        yield from _message_problems(message)
    for tool in body.get("tools") or []:
        yield from _tool_problems(tool.get("function", {}))


def _message_problems(message: Body) -> Iterator[str]:
    """Yield what is wrong with a message."""
    for key in ("role", "content", "tool_name", "thinking"):
        if not isinstance(message.get(key, ""), str):
            yield _misfit(f"messages.{key}", "string")
    for image in message.get("images", []):
        try:
            b64decode(image, validate=True)
        except TypeError, ValueError:
            yield "illegal base64 data at input byte 0"
    for call in message.get("tool_calls") or []:
        if not isinstance(call["function"]["arguments"], dict):
            yield _misfit("messages.tool_calls.function.arguments", "map")


def _tool_problems(function: Body) -> Iterator[str]:
    """Yield what is wrong with a tool."""
    for key in ("name", "description"):
        if not isinstance(function.get(key, ""), str):
            yield _misfit(f"tools.function.{key}", "string")
    parameters = function.get("parameters", {})
    if not isinstance(parameters.get("type", ""), str):
        yield _misfit("tools.function.parameters.type", "string")
    if not _is_texts(parameters.get("required", [])):
        yield _misfit("tools.function.parameters.required", "[]string")
    properties = parameters.get("properties", {})
    if not isinstance(properties, dict):
        yield _misfit("tools.function.parameters.properties", "map")
        return
    for each in properties.values():
        yield from _property_problems(each)


def _property_problems(schema: Any) -> Iterator[str]:
    """Yield what is wrong with a property; other keywords are read over."""
    at = "tools.function.parameters.properties"
    if not isinstance(schema, dict):
        yield _misfit(at, "ToolProperty")
        return
    known = {key: value for key, value in schema.items() if key in _PROPERTY}
    kind = known.get("type", "")
    if not isinstance(kind, str) and not _is_texts(kind):
        yield _misfit(f"{at}.type", "PropertyType")
    if not isinstance(known.get("description", ""), str):
        yield _misfit(f"{at}.description", "string")
    if not isinstance(known.get("enum", []), list):
        yield _misfit(f"{at}.enum", "[]interface {}")


def _is_texts(value: Any) -> bool:
    """Return whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _misfit(field: str, kind: str) -> str:
    """Return how Go words a value of the wrong type."""
    return f"json: cannot unmarshal value into Go struct field ChatRequest.{field} of type {kind}"
