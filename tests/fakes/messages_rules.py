"""What Anthropic's Messages API refuses: the fake is as strict as the real one.

Source: the "Messages", "Tool use", "Prompt caching", "Vision", "PDF support",
"Structured outputs" and "Errors" pages of Anthropic's API documentation.
"""

from base64 import b64decode
from collections.abc import Iterator, Mapping
import re
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has none
from jsonschema.exceptions import SchemaError  # type: ignore[import-untyped]  # it has none

from .messages_script import Body, Failure
from .messages_thinking import Abilities, problems as thinking_problems

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_CALL_ID = re.compile(r"[a-zA-Z0-9_-]+")
_FILES = {
    "image": {"image/gif", "image/jpeg", "image/png", "image/webp"},
    "document": {"application/pdf"},
}
_LARGEST_IMAGE = 5 * 1024 * 1024
# What a schema of an answer may hold.
_SHAPE = {
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "title",
    "type",
}
_KNOWN = {
    "cache_control",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "output_config",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
}


def refusal(
    headers: Mapping[str, str],
    body: Body,
    model: str,
    can: Abilities = Abilities(),
) -> Failure | None:
    """Return what the API would refuse a request with.

    `model` is the one it has, `can` how it thinks.
    """
    if body.get("model") != model:
        return Failure(
            status=404, type="not_found_error", message=f"model: {body.get('model')}"
        )
    for problem in (*_problems(headers, body), *thinking_problems(body, can)):
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
    if (shape := body.get("output_config", {}).get("format")) is not None:
        if shape["type"] != "json_schema":
            yield "output_config.format.type: Input should be 'json_schema'"
        yield from _shape_problems(shape["schema"])
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
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as err:
            yield (
                f"{at}.input_schema: JSON schema is invalid. It must match JSON Schema "
                f"draft 2020-12: {err.message}"
            )
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
            if block["type"] in _FILES:
                yield from _file_problems(at, block)
        for call in wanted:
            if not _CALL_ID.fullmatch(call):
                yield f"{at}: tool_use.id should match '{_CALL_ID.pattern}'"
    if wanted:
        yield "messages: `tool_use` ids without `tool_result` blocks"


def _file_problems(at: str, block: Body) -> Iterator[str]:
    """Yield what is wrong with a picture or a document."""
    source, kind = block["source"], block["type"]
    if source["type"] != "base64" or source["media_type"] not in _FILES[kind]:
        yield f"{at}.{kind}.source.media_type: Input should be one of {_FILES[kind]}"
    if not b64decode(source["data"], validate=True):
        yield f"{at}.{kind}.source.data: is empty"
    if kind == "image" and len(source["data"]) > _LARGEST_IMAGE:
        yield f"{at}.image.source.base64: image exceeds 5 MB maximum"


def _shape_problems(schema: Body) -> Iterator[str]:
    """Yield what is wrong with the schema of an answer."""
    at = "output_config.format.schema"
    for key in sorted(set(schema) - _SHAPE):
        yield f"{at}: For '{schema.get('type')}' type, property '{key}' is not supported"
    if (
        schema.get("type") == "object"
        and schema.get("additionalProperties") is not False
    ):
        yield f"{at}: For 'object' type, 'additionalProperties' must be set to false"
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for each in [*inner, *([schema["items"]] if "items" in schema else [])]:
        yield from _shape_problems(each)


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
