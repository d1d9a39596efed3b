"""What servers of the Chat Completions API refuse: the fake is as strict as all of them.

Source: the "Chat Completions" page of OpenAI's API reference and its error codes; for
chat templates and grammars, the README files of llama.cpp's `tools/server` and
`grammars`.
"""

from base64 import b64decode
from collections.abc import Collection, Iterator, Mapping
import re
from typing import Any

from .messages_script import Body, Failure

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_KNOWN = {
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "model",
    "parallel_tool_calls",
    "reasoning_effort",
    "response_format",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
}
_TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}


def refusal(body: Body, model: str, refuses: Collection[str]) -> Failure | None:
    """Return what the API would refuse a request with.

    `model` is the one it has, `refuses` are the parameters that this server or model
    doesn't take.
    """
    if body.get("model") != model:
        return Failure(
            status=404,
            type="invalid_request_error",
            message=f"The model `{body.get('model')}` does not exist",
            details={"code": "model_not_found", "param": None},
        )
    for param in sorted(set(body) & set(refuses)):
        return Failure(
            status=400,
            type="invalid_request_error",
            message=f"Unsupported parameter: '{param}' is not supported here.",
            details={"code": "unsupported_parameter", "param": param},
        )
    for problem in _problems(body):
        return Failure(status=400, type="invalid_request_error", message=problem)
    return None


def unauthorized(headers: Mapping[str, str], key: str | None) -> Failure | None:
    """Return the answer to a wrong key; a server without one takes no notice of it."""
    if key is None or headers.get("authorization") == f"Bearer {key}":
        return None
    return Failure(
        status=401,
        type="invalid_request_error",
        message="Incorrect API key provided.",
        details={"code": "invalid_api_key", "param": None},
    )


def _problems(body: Body) -> Iterator[str]:
    """Yield what is wrong with a request."""
    for key in sorted(set(body) - _KNOWN):
        yield f"Unrecognized request argument supplied: {key}"
    if body.get("stream") is not True:
        yield "this server only streams"
    if {"max_tokens", "max_completion_tokens"} <= set(body):
        yield "Setting 'max_tokens' and 'max_completion_tokens' is not supported"
    tools = body.get("tools")
    if tools is None and {"tool_choice", "parallel_tool_calls"} & set(body):
        yield "'tool_choice' is only allowed when 'tools' are specified."
    if tools is not None and not 1 <= len(tools) <= 128:
        yield "Invalid 'tools': array of the wrong length. Expected 1 to 128"
    yield from _tool_problems(tools or [])
    if (shape := body.get("response_format")) is not None:
        named = shape["json_schema"]
        if shape["type"] != "json_schema" or not _NAME.fullmatch(named["name"]):
            yield "Invalid 'response_format'"
        for problem in _schema_problems(named["schema"], {}):
            yield f"Invalid schema for response_format: {problem}"
        if named["strict"] and set(named["schema"].get("required", ())) != set(
            named["schema"]["properties"]
        ):
            yield "Invalid schema for response_format: 'required' must name every key"
    yield from _message_problems(body.get("messages", []))


def _tool_problems(tools: list[Body]) -> Iterator[str]:
    """Yield what is wrong with the tools."""
    seen: set[str] = set()
    for index, tool in enumerate(tools):
        at = f"tools[{index}].function"
        function = tool["function"]
        if tool["type"] != "function":
            yield f"Invalid value: '{tool['type']}'."
        if not _NAME.fullmatch(function["name"]):
            yield f"Invalid '{at}.name': does not match '{_NAME.pattern}'"
        if function["name"] in seen:
            yield f"Invalid '{at}.name': not unique"
        seen.add(function["name"])
        schema = function["parameters"]
        if schema.get("type") != "object" or "properties" not in schema:
            yield f"Invalid schema for '{at}': schema must be of type object"
        if {"oneOf", "anyOf", "allOf", "enum", "not"} & set(schema):
            yield f"Invalid schema for '{at}': not at the top level"
        for problem in _schema_problems(schema, schema.get("$defs", {})):
            yield f"Invalid schema for '{at}': {problem}"


def _schema_problems(schema: Any, defs: Body) -> Iterator[str]:
    """Yield what no grammar can be made of, or OpenAI refuses."""
    if not isinstance(schema, dict):
        yield f"Unrecognized schema: {schema}"
        return
    if "pattern" in schema:
        yield "Pattern must start with '^' and end with '$'"
    if schema.get("maxLength", 0) > 2000 or schema.get("maxItems", 0) > 2000:
        yield "number of repetitions exceeds sane defaults"
    kinds = schema.get("type", "object")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if not kinds or not set(kinds) <= _TYPES:
        yield f"{schema['type']!r} is not valid under any of the given schemas"
    if "array" in kinds and "items" not in schema:
        yield "array schema missing items"
    if "$ref" in schema and schema["$ref"].removeprefix("#/$defs/") not in defs:
        yield f"Error resolving ref {schema['$ref']}"
    inner = [
        *schema.get("properties", {}).values(),
        *schema.get("anyOf", []),
        *schema.get("oneOf", []),
        *schema.get("$defs", {}).values(),
    ]
    if not isinstance(more := schema.get("additionalProperties", True), bool):
        inner.append(more)
    inner += [schema["items"]] if "items" in schema else []
    for one in inner:
        yield from _schema_problems(one, defs)


def _message_problems(messages: list[Body]) -> Iterator[str]:
    """Yield what is wrong with the conversation."""
    roles = [message["role"] for message in messages]
    if "user" not in roles:
        yield "No user query found in messages."
    if "system" in roles[1:]:
        yield "System message must be at the beginning."
    talk = [role for role in roles if role in ("user", "assistant")]
    if talk[:1] != ["user"]:
        yield "Conversation roles must alternate user/assistant/user/assistant/..."
    wanted: list[str] = []
    before = ""
    for index, message in enumerate(messages):
        at = f"messages[{index}]"
        content, calls = message.get("content"), message.get("tool_calls", [])
        if message["role"] == "tool":
            if message["tool_call_id"] not in wanted:
                yield f"Invalid parameter: {at} must follow 'tool_calls'."
            else:
                wanted.remove(message["tool_call_id"])
        elif wanted:
            yield f"'tool_calls' must be followed by tool messages: {wanted}"
        elif message["role"] == before:
            yield "Conversation roles must alternate user/assistant/user/assistant/..."
        if message["role"] == "user" and isinstance(content, list):
            for part in content:
                yield from _part_problems(at, part)
            content = "".join(part.get("text", "[file]") for part in content)
        if not isinstance(content, str) and not (calls and content is None):
            yield f"Invalid value for 'content' of {at}: expected a string"
        if content is not None and not content.strip() and message["role"] != "tool":
            yield f"{at} is empty"
        for call in calls:
            if not 1 <= len(call["id"]) <= 40:
                yield f"Invalid '{at}.tool_calls.id': string too long"
            if not _NAME.fullmatch(call["function"]["name"]):
                yield f"Invalid '{at}.tool_calls.function.name'"
            if not isinstance(call["function"]["arguments"], str):
                yield f"Invalid '{at}.tool_calls.function.arguments'"
        wanted += [call["id"] for call in calls]
        before = message["role"]
    if wanted:
        yield f"'tool_calls' must be followed by tool messages: {wanted}"


def _part_problems(at: str, part: Body) -> Iterator[str]:
    """Yield what is wrong with a part of what a person sent."""
    match part:
        case {"type": "text", "text": str()}:
            return
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            kinds = "image/(png|jpeg|webp|gif)"
        case {"type": "file", "file": {"filename": str(), "file_data": str(url)}}:
            kinds = "application/pdf"
        case _:
            yield f"Invalid value of {at}.content"
            return
    head, _, data = url.partition(",")
    if not re.fullmatch(f"data:{kinds};base64", head) or not b64decode(data):
        yield f"Invalid {part['type']} in {at}: not a supported data URL"
