"""The JSON of the messages (docs/legion-protocol.md): written once, read strictly.

What another process wrote is read without trust: no duplicate keys, no numbers that
JSON or 64 bits lack, no halves of characters, no depth that could exhaust a stack.
"""

from collections.abc import Mapping
from dataclasses import dataclass
import json
import math
import re
from typing import Final, NoReturn

from .canonical import Json, canonical_json
from .fields import FieldError, Fields
from .messages import (
    CAPABILITY_PREFIX,
    PROTOCOL,
    DispatchRequest,
    Hints,
    WorkerHealth,
    WorkerReply,
)
from .spec_json import NAME, SpecError, spec_as_json, spec_from_json

MAX_REQUEST_BYTES: Final = 262_144
MAX_DEPTH: Final = 64
MAX_TOOLS: Final = 64
MAX_ERROR: Final = 1_000
MAX_DEADLINE_MS: Final = 60_000

ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
EPOCH: Final = re.compile(r"[A-Za-z0-9_-]{16,64}")
_WORD: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9-]{1,35}")
_ZONE: Final = re.compile(r"[A-Za-z0-9_+/-]{1,64}")
_INTEGERS: Final = range(-(2**63), 2**64)
_LATEST: Final = 253_402_300_799.0
_MANY: Final = 2**53


class WireError(ValueError):
    """A body is not the message it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why an authentic request was not carried out: the body of a 4xx or 503."""

    code: str
    error: str


def loads(raw: bytes) -> dict[str, Json]:
    """Return the JSON object that `raw` is. Raises WireError."""
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _depth(raw) > MAX_DEPTH:
        raise WireError(f"nested more than {MAX_DEPTH} deep")
    try:
        value = _DECODER.decode(raw.decode())
        if b"\\u" in raw:
            canonical_json(value).encode()
    except (ValueError, RecursionError) as err:
        raise WireError(f"not JSON: {str(err)[:100]}") from err
    if not isinstance(value, dict):
        raise WireError("not a JSON object")
    return value


def dumps(value: Mapping[str, Json]) -> bytes:
    """Return `value` as canonical JSON that `loads` reads. Raises WireError."""
    try:
        _check(value, 1)
        return canonical_json(value).encode()
    except (ValueError, TypeError, RecursionError) as err:
        raise WireError(f"can't be sent as JSON: {str(err)[:100]}") from err


def dispatch_to_bytes(request: DispatchRequest) -> bytes:
    """Return the body of a dispatch. Raises WireError."""
    hints: dict[str, Json] = {
        "language": request.hints.language,
        "timezone": request.hints.timezone,
    }
    if request.hints.domain_allowlist is not None:
        hints["domain_allowlist"] = list(request.hints.domain_allowlist)
    return dumps(
        {
            "protocol": PROTOCOL,
            "task_id": request.task_id,
            "capability": request.capability,
            "tool": request.tool,
            "input": request.input,
            "decision_id": request.decision_id,
            "deadline_ms": request.deadline_ms,
            "attempt": request.attempt,
            "hints": hints,
        }
    )


def dispatch_from_bytes(raw: bytes) -> DispatchRequest:
    """Return the dispatch in a body. Raises WireError."""
    try:
        read = _message(raw)
        tool = read.text("tool", 64, shape=NAME)
        if read.text("capability", 80) != CAPABILITY_PREFIX + tool:
            raise read.error("capability", "is not that of the tool")
        request = DispatchRequest(
            task_id=read.text("task_id", 64, shape=ID),
            tool=tool,
            input=read.mapping("input"),
            decision_id=read.text("decision_id", 128, empty=True),
            deadline_ms=read.integer("deadline_ms", 1, MAX_DEADLINE_MS),
            attempt=read.integer("attempt", 1, 100),
            hints=_hints(read),
        )
        read.done()
    except FieldError as err:
        raise WireError(str(err)) from err
    return request


def reply_to_bytes(reply: WorkerReply) -> bytes:
    """Return the body of a reply. Raises WireError."""
    return dumps(
        {
            "protocol": PROTOCOL,
            "task_id": reply.task_id,
            "worker_id": reply.worker_id,
            "success": reply.success,
            "result": reply.result,
            "error": reply.error,
            "code": reply.code,
            "retryable": reply.retryable,
            "duration_ms": reply.duration_ms,
        }
    )


def reply_from_bytes(raw: bytes) -> WorkerReply:
    """Return the reply in a body; what it holds beyond is ignored. Raises WireError."""
    try:
        read = _message(raw)
        success = read.flag("success")
        return WorkerReply(
            task_id=read.text("task_id", 64, shape=ID),
            worker_id=read.text("worker_id", 64, shape=ID),
            success=success,
            result=read.mapping("result") if success else None,
            error=None if success else _words(read, "error"),
            code=(
                read.text("code", 64, shape=_WORD)
                if not success and read.has("code")
                else None
            ),
            retryable=(
                read.flag("retryable")
                if not success and read.has("retryable")
                else False
            ),
            duration_ms=read.integer("duration_ms", 0, _MANY),
        )
    except FieldError as err:
        raise WireError(str(err)) from err


def health_to_bytes(health: WorkerHealth) -> bytes:
    """Return the body of the answer to a hello. Raises WireError."""
    return dumps(
        {
            "protocol": health.protocol,
            "worker_id": health.worker_id,
            "version": health.version,
            "epoch": health.epoch,
            "tools": [spec_as_json(spec) for spec in health.tools],
            "server_time": health.server_time,
            "started_at": health.started_at,
            "inflight": health.inflight,
            "last_error": health.last_error,
        }
    )


def health_from_bytes(raw: bytes) -> WorkerHealth:
    """Return what a worker says of itself; what is beyond is ignored.

    Raises WireError, also for one tool that is not valid: its worker is not well.
    """
    try:
        read = _message(raw)
        tools = read.take("tools")
        if not isinstance(tools, list) or len(tools) > MAX_TOOLS:
            raise read.error("tools", f"must be a list of at most {MAX_TOOLS}")
        specs = tuple(spec_from_json(tool) for tool in tools)
        if len({spec.name for spec in specs}) != len(specs):
            raise read.error("tools", "name a tool twice")
        return WorkerHealth(
            worker_id=read.text("worker_id", 64, shape=ID),
            version=read.text("version", 64),
            epoch=read.text("epoch", 64, shape=EPOCH),
            tools=specs,
            server_time=read.number("server_time", 0, _LATEST),
            started_at=read.number("started_at", 0, _LATEST),
            inflight=read.integer("inflight", 0, _MANY),
            last_error=(_words(read, "last_error") if read.has("last_error") else None),
        )
    except (FieldError, SpecError) as err:
        raise WireError(str(err)) from err


def goodbye_to_bytes(reason: str) -> bytes:
    """Return the body of a goodbye."""
    return dumps({"protocol": PROTOCOL, "reason": plain(reason, 200)})


def goodbye_from_bytes(raw: bytes) -> str:
    """Return the reason in a goodbye. Raises WireError."""
    try:
        read = _message(raw)
        reason = read.text("reason", 200, empty=True)
        read.done()
    except FieldError as err:
        raise WireError(str(err)) from err
    return reason


def refusal_to_bytes(refusal: Refusal) -> bytes:
    """Return the body of a refusal."""
    return dumps(
        {
            "protocol": PROTOCOL,
            "code": refusal.code,
            "error": plain(refusal.error, MAX_ERROR),
        }
    )


def refusal_from_bytes(raw: bytes) -> Refusal:
    """Return the refusal in a body. Raises WireError."""
    try:
        read = _message(raw)
        return Refusal(
            code=read.text("code", 64, shape=_WORD), error=_words(read, "error")
        )
    except FieldError as err:
        raise WireError(str(err)) from err


def plain(text: str, longest: int) -> str:
    """Return a text in one line of characters that can be shown."""
    shown = "".join(char if char.isprintable() else " " for char in text[:longest])
    return " ".join(shown.split())


def _words(read: Fields, key: str) -> str:
    """Take an error for a person: cut and cleaned, where others would be refused."""
    value = read.take(key) if read.has(key) else None
    if value is not None and not isinstance(value, str):
        raise read.error(key, "must be a text")
    return plain(value or "", MAX_ERROR) or "the worker gave no reason"


def _message(raw: bytes) -> Fields:
    read = Fields(loads(raw))
    read.integer("protocol", PROTOCOL, PROTOCOL)
    return read


def _hints(read: Fields) -> Hints:
    if not read.has("hints"):
        return Hints()
    inner = read.fields("hints")
    return Hints(
        language=(
            inner.text("language", 35, shape=_LANGUAGE)
            if inner.has("language")
            else "en"
        ),
        timezone=(
            inner.text("timezone", 64, shape=_ZONE) if inner.has("timezone") else "UTC"
        ),
        domain_allowlist=(
            inner.texts("domain_allowlist", 253, 1_000)
            if inner.has("domain_allowlist")
            else None
        ),
    )


def _pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise WireError("a key appears twice")
    return found


def _constant(name: str) -> NoReturn:
    raise WireError(f"{name} is no number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise WireError("a number is too large")
    return value


def _int(text: str) -> int:
    value = int(text)
    if value not in _INTEGERS:
        raise WireError("a whole number needs more than 64 bits")
    return value


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_constant=_constant,
    parse_float=_float,
    parse_int=_int,
)


def _depth(raw: bytes) -> int:
    """Return how deep JSON is nested; brackets inside of texts do not count."""
    deepest = depth = 0
    for token in _TOKEN.finditer(raw):
        if token[0] in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif token[0] in b"]}":
            depth -= 1
    return deepest


_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def _check(value: Json, depth: int) -> None:
    """Refuse what the other side would refuse, and what JSON would silently change."""
    if depth > MAX_DEPTH:
        raise ValueError(f"nested more than {MAX_DEPTH} deep")
    if isinstance(value, (str, float, bool)) or value is None:
        return
    if isinstance(value, int):
        if value not in _INTEGERS:
            raise ValueError("a whole number needs more than 64 bits")
    # The built-in types first: asking an abstract one is slow.
    elif isinstance(value, (dict, Mapping)):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError("a key is not a text")
            _check(item, depth + 1)
    else:
        for item in value:
            _check(item, depth + 1)
