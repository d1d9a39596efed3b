"""The JSON of the messages: strict in what is read, and in what is written."""

from dataclasses import replace
import json
from typing import Any

from hypothesis import given, strategies as st
import pytest

from custom_components.caesar.legion import wire
from custom_components.caesar.legion.messages import (
    DispatchRequest,
    Hints,
    WorkerHealth,
    WorkerReply,
)
from custom_components.caesar.legion.wire import Refusal, WireError

from .workers import ECHO

REQUEST = DispatchRequest(
    task_id="0123abcd",
    tool="echo",
    input={"text": "hällo", "deep": {"list": [1, 2.5, None, True]}},
    decision_id="decision",
    deadline_ms=5_000,
    attempt=2,
    hints=Hints(
        language="de", timezone="Europe/Berlin", domain_allowlist=("example.org",)
    ),
)
REPLY = WorkerReply(
    task_id="0123abcd", worker_id="echo-1", success=True, result={"a": 1}, duration_ms=7
)
FAILED = WorkerReply(
    task_id="0123abcd",
    worker_id="echo-1",
    success=False,
    error="no luck",
    code="tool_error",
    retryable=True,
)
HEALTH = WorkerHealth(
    worker_id="echo-1",
    version="1.2",
    epoch="e" * 24,
    tools=(replace(ECHO, timeout_s=5.0),),
    server_time=1_796_000_000.5,
    started_at=1_795_000_000.0,
    inflight=1,
    last_error="no luck",
)


def changed(raw: bytes, **changes: Any) -> bytes:
    """Return a message with other values; ... takes one away."""
    data = {**json.loads(raw), **changes}
    return json.dumps({k: v for k, v in data.items() if v is not ...}).encode()


def test_there_and_back() -> None:
    """Each message is read as it was written."""
    assert wire.dispatch_from_bytes(wire.dispatch_to_bytes(REQUEST)) == REQUEST
    bare = replace(REQUEST, hints=Hints())
    assert wire.dispatch_from_bytes(wire.dispatch_to_bytes(bare)) == bare
    for reply in (REPLY, FAILED):
        assert wire.reply_from_bytes(wire.reply_to_bytes(reply)) == reply
    assert wire.health_from_bytes(wire.health_to_bytes(HEALTH)) == HEALTH
    assert wire.goodbye_from_bytes(wire.goodbye_to_bytes("removed")) == "removed"
    refusal = Refusal(code="busy", error="too much to do")
    assert wire.refusal_from_bytes(wire.refusal_to_bytes(refusal)) == refusal


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"not json",
        b"[]",
        b'"text"',
        b"null",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "b": 1}}',
        b'{"a": "\\ud800"}',
        b'{"\\udfff": 1}',
        b'{"a": 18446744073709551616}',
        b'{"a": -9223372036854775809}',
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"a": "\xff"}',
        b"\xef\xbb\xbf{}",
        b'{"a": 1} {}',
        b'{"a": 01}',
        b'{"a": "line\nend"}',
        b'{"a": ' + b"[" * 64 + b"]" * 64 + b"}",
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"a": ' + b'{"a": ' * 50_000,
    ],
)
def test_what_is_not_json(raw: bytes) -> None:
    """What others read in different ways is read in none."""
    with pytest.raises(WireError):
        wire.loads(raw)


def test_what_is_json() -> None:
    """Depth and size are no fault as long as they are small; brackets in texts none."""
    deep = b'{"a": ' + b"[" * 63 + b"]" * 63 + b"}"
    assert wire.loads(deep)
    assert wire.loads(b'{"a": "' + b"[" * 1_000 + b'\\"' + b"{" * 1_000 + b'"}')
    assert wire.loads(b'{"a": [' + b"[]," * 200 + b"[]]}")
    assert wire.loads(b'{"a": 18446744073709551615}') == {"a": 2**64 - 1}
    assert wire.loads(b'{"a": "\\ud83d\\ude00"}') == {"a": "😀"}


@pytest.mark.parametrize(
    "value",
    [
        {"a": float("nan")},
        {"a": float("inf")},
        {"a": {1: 2}},
        {1: 2},
        {"a": object()},
        {"a": b"bytes"},
        {"a": {1, 2}},
        {"a": 2**64},
        {"a": [-(2**63) - 1]},
        {"a": "\ud800"},
    ],
)
def test_what_is_not_written(value: Any) -> None:
    """Nothing is sent that would arrive as something else."""
    with pytest.raises(WireError):
        wire.dumps(value)


def test_what_is_nested_too_deep_is_not_written() -> None:
    """Nor what contains itself."""
    value: dict[str, Any] = {}
    value["again"] = value
    with pytest.raises(WireError):
        wire.dumps(value)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), JSON_VALUES))
def test_what_is_written_is_read(value: dict[str, Any]) -> None:
    """Any JSON comes through as it is."""
    assert wire.loads(wire.dumps(value)) == value


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_an_error(raw: bytes) -> None:
    """Nothing else is raised."""
    for read in (
        wire.dispatch_from_bytes,
        wire.reply_from_bytes,
        wire.health_from_bytes,
        wire.goodbye_from_bytes,
        wire.refusal_from_bytes,
    ):
        with pytest.raises(WireError):
            read(raw)


@given(
    st.sampled_from(["dispatch", "reply", "health", "goodbye", "refusal"]),
    st.data(),
    JSON_VALUES,
)
def test_any_value_anywhere_is_read_or_refused(
    kind: str, data: st.DataObject, value: Any
) -> None:
    """A message with one wrong value raises WireError or nothing."""
    raw = {
        "dispatch": wire.dispatch_to_bytes(REQUEST),
        "reply": wire.reply_to_bytes(REPLY),
        "health": wire.health_to_bytes(HEALTH),
        "goodbye": wire.goodbye_to_bytes("removed"),
        "refusal": wire.refusal_to_bytes(Refusal(code="busy", error="much")),
    }[kind]
    key = data.draw(st.sampled_from(sorted(json.loads(raw))))
    try:
        getattr(wire, f"{kind}_from_bytes")(changed(raw, **{key: value}))
    except WireError as err:
        assert str(err)  # noqa: PT017 either is right, and an error says something


BAD_DISPATCH: tuple[tuple[str, Any], ...] = (
    ("protocol", 2),
    ("protocol", 1.5),
    ("protocol", True),
    ("protocol", ...),
    ("task_id", ""),
    ("task_id", "a b"),
    ("task_id", "a" * 65),
    ("task_id", "a\n"),
    ("task_id", 5),
    ("task_id", ...),
    ("tool", "Echo"),
    ("tool", ...),
    ("capability", "tool.other"),
    ("capability", ...),
    ("input", []),
    ("input", None),
    ("input", ...),
    ("decision_id", None),
    ("decision_id", ...),
    ("deadline_ms", 0),
    ("deadline_ms", -1),
    ("deadline_ms", 60_001),
    ("deadline_ms", 10.5),
    ("deadline_ms", ...),
    ("attempt", 0),
    ("attempt", ...),
    ("hints", []),
    ("hints", {"language": 5}),
    ("hints", {"language": "../../etc"}),
    ("hints", {"timezone": "a b"}),
    ("hints", {"domain_allowlist": "example.org"}),
    ("hints", {"domain_allowlist": [5]}),
    ("more", 1),
)


@pytest.mark.parametrize(("key", "value"), BAD_DISPATCH)
def test_a_bad_dispatch(key: str, value: Any) -> None:
    """Each wrong, missing or unknown field is refused by name."""
    with pytest.raises(WireError, match=key):
        wire.dispatch_from_bytes(
            changed(wire.dispatch_to_bytes(REQUEST), **{key: value})
        )


def test_a_whole_number_is_one_however_it_is_written() -> None:
    """JSON has one kind of number, and some languages write 5 as 5.0."""
    raw = wire.reply_to_bytes(REPLY)
    reply = wire.reply_from_bytes(changed(raw, duration_ms=7.0, protocol=1.0))
    assert reply == REPLY
    assert type(reply.duration_ms) is int


def test_hints_bind_to_nothing() -> None:
    """None of them must be there, and one that is not known does no harm."""
    raw = wire.dispatch_to_bytes(REQUEST)
    assert wire.dispatch_from_bytes(changed(raw, hints=...)).hints == Hints()
    assert wire.dispatch_from_bytes(changed(raw, hints={"mood": 1})).hints == Hints()


BAD_REPLY: tuple[tuple[str, Any], ...] = (
    ("protocol", 2),
    ("task_id", ...),
    ("worker_id", ""),
    ("worker_id", ...),
    ("success", "true"),
    ("success", 1),
    ("success", ...),
    ("result", None),
    ("result", [1]),
    ("result", "text"),
    ("result", ...),
    ("duration_ms", -1),
    ("duration_ms", 1.5),
    ("duration_ms", ...),
)


@pytest.mark.parametrize(("key", "value"), BAD_REPLY)
def test_a_bad_reply(key: str, value: Any) -> None:
    """Each wrong or missing field is refused by name."""
    with pytest.raises(WireError, match=key):
        wire.reply_from_bytes(changed(wire.reply_to_bytes(REPLY), **{key: value}))


def test_a_reply_may_say_more() -> None:
    """Unknown keys of a reply are ignored."""
    raw = changed(wire.reply_to_bytes(REPLY), more=1, error="ignored with a result")
    assert wire.reply_from_bytes(raw) == REPLY


@pytest.mark.parametrize("error", [None, ..., "", "\x00\x1b\n"])
def test_a_failure_without_words_gets_some(error: Any) -> None:
    """A person is always told something."""
    raw = changed(wire.reply_to_bytes(FAILED), error=error, code=None, retryable=...)
    reply = wire.reply_from_bytes(raw)

    assert reply.error == "the worker gave no reason"
    assert reply.code is None
    assert not reply.retryable


def test_an_error_is_cut_and_cleaned() -> None:
    """A worker can't fill a screen, nor move a cursor."""
    raw = changed(wire.reply_to_bytes(FAILED), error="\x1b[2J" + "x" * 9_000)
    error = wire.reply_from_bytes(raw).error

    assert error is not None
    assert error.startswith("[2Jxxx")
    assert len(error) <= wire.MAX_ERROR


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tools", {}),
        ("tools", ...),
        ("tools", [{}]),
        ("tools", [5]),
        ("epoch", "short"),
        ("epoch", "e" * 65),
        ("epoch", "has space in it at all"),
        ("epoch", ...),
        ("version", ""),
        ("server_time", "now"),
        ("server_time", -1),
        ("server_time", 1e300),
        ("inflight", -1),
        ("last_error", 5),
        ("worker_id", "a" * 65),
        ("protocol", 2),
    ],
)
def test_a_bad_hello(key: str, value: Any) -> None:
    """What a worker says of itself is checked field by field."""
    with pytest.raises(WireError):
        wire.health_from_bytes(changed(wire.health_to_bytes(HEALTH), **{key: value}))


def test_a_hello_with_too_many_tools() -> None:
    """A worker can't flood a house with tools, nor offer one twice."""
    tool = json.loads(wire.health_to_bytes(HEALTH))["tools"][0]
    raw = wire.health_to_bytes(HEALTH)
    many = [{**tool, "name": f"tool_{number}"} for number in range(65)]

    with pytest.raises(WireError, match="at most 64"):
        wire.health_from_bytes(changed(raw, tools=many))
    with pytest.raises(WireError, match="twice"):
        wire.health_from_bytes(changed(raw, tools=[tool, tool]))
