"""What Anthropic's Messages API refuses: the fake is as strict as the real one.

Source: the "Messages", "Tool use", "Prompt caching" and "Errors" pages of Anthropic's
API documentation.
"""

from collections.abc import Iterator, Mapping
import re
from typing import Any

from .messages_script import Body, Failure

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_KNOWN = {
    "cache_control",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
}


def refusal(headers: Mapping[str, str], body: Body, model: str) -> Failure | None:
    """Return what the API would refuse a request with; `model` is the one it has."""
    if body.get("model") != model:
        return Failure(
            status=404, type="not_found_error", message=f"model: {body.get('model')}"
        )
    for problem in _problems(headers, body):
        return Failure(status=400, type="invalid_request_error", message=problem)
    return None


def unauthorized(headers: Mapping[str, str], key: str) -> Failure | None:
    """Return the answer to a wrong key."""
    if headers.get("x-api-key") == key:
        return None
    return Failure(status=401, type="authentication_error", message="invalid x-api-key")


def _problems(headers: Mapping[str, str], body: Body) -> Iterator[str]:
    """Yield what is wrong with a request."""
    if "anthropic-version" not in headers:
        yield "anthropic-version: header is required"
    for key in sorted(set(body) - _KNOWN):
        yield f"{key}: Extra inputs are not permitted"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        yield "max_tokens: Input should be greater than or equal to 1"
    for index, block in enumerate(body.get("system", [])):
        if not block["text"].strip():
            yield f"system.{index}: text content blocks must be non-empty"
    yield from _tool_problems(body.get("tools", []))
    if "tool_choice" in body and not body.get("tools"):
        yield "tool_choice: may only be specified while providing tools"
    yield from _message_problems(body.get("messages", []))
    if sum(_count_caches(body[key]) for key in body) > 4:
        yield "A maximum of 4 blocks with cache_control may be provided"


def _tool_problems(tools: list[Body]) -> Iterator[str]:
    """Yield what is wrong with the tools."""
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        at = f"tools.{index}.custom"
        if not _NAME.fullmatch(tool["name"]):
            yield f"{at}.name: String should match pattern '{_NAME.pattern}'"
        if tool["name"] in seen:
            yield "tools: Tool names must be unique"
        seen.add(tool["name"])
        schema = tool["input_schema"]
        if schema.get("type") != "object":
            yield f"{at}.input_schema.type: Input should be 'object'"
        if {"oneOf", "anyOf", "allOf"} & set(schema):
            yield f"{at}.input_schema: oneOf, allOf, or anyOf at the top level"
        for key in schema.get("properties", {}):
            if not _PROPERTY.fullmatch(key):
                yield f"{at}.input_schema.properties: Property keys should match"


def _message_problems(messages: list[Body]) -> Iterator[str]:
    """Yield what is wrong with the conversation."""
    if not messages:
        yield "messages: at least one message is required"
    elif messages[0]["role"] != "user":
        yield "messages: first message must use the user role"
    wanted: list[str] = []
    for index, message in enumerate(messages):
        at = f"messages.{index}"
        blocks = _blocks(message)
        if not blocks:
            yield f"{at}: all messages must have non-empty content"
        results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        if missing := [call for call in wanted if call not in results]:
            yield f"{at}: `tool_use` ids without `tool_result` blocks: {missing}"
        if extra := [call for call in results if call not in wanted]:
            yield f"{at}: unexpected `tool_use_id` in `tool_result`: {extra}"
        wanted = [b["id"] for b in blocks if b["type"] == "tool_use"]
        for block in blocks:
            if block["type"] == "text" and not block["text"].strip():
                yield f"{at}: text content blocks must be non-empty"
        for call in wanted:
            if not _CALL_ID.fullmatch(call):
                yield f"{at}: tool_use.id should match '{_CALL_ID.pattern}'"
    if wanted:
        yield "messages: `tool_use` ids without `tool_result` blocks"


def _blocks(message: Body) -> list[Body]:
    """Return a message's blocks."""
    content = message["content"]
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return list(content)


def _count_caches(value: Any) -> int:
    """Return how many blocks ask for caching."""
    if isinstance(value, dict):
        return ("cache_control" in value) + sum(map(_count_caches, value.values()))
    if isinstance(value, list):
        return sum(map(_count_caches, value))
    return 0
