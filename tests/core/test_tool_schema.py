"""What a worker's schema may do to the gate: nothing but take the fields it names."""

from collections.abc import Mapping
import time
from typing import Any

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.policy.call import CallError, GenericToolCall
from custom_components.caesar.policy.impact import Impact, classify
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.tool import Tool, resolve
from custom_components.caesar.turn import ToolRequest
from tests.fakes.tools import BUS, FakeTools, WorkerTools

SLOW = ".*.*.*.*.*x"


def resolved(schema: dict[str, Json], given: dict[str, Any]) -> Mapping[str, Json]:
    """Return what a worker's tool with this schema would be called with."""
    spec = ToolSpec(name="t", title="T", description="T.", input_schema=schema)
    tools = WorkerTools(FakeTools(specs=[spec]))
    _, call = resolve(tools, ToolRequest(id="r", name="t", arguments=given))
    assert isinstance(call, GenericToolCall)
    return call.input


@pytest.mark.parametrize("more", [True, {"type": "string"}])
def test_fields_that_a_schema_does_not_name(more: Json) -> None:
    """They are refused however open it is."""
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": more,
    }
    assert resolved(schema, {"a": "x"}) == {"a": "x"}
    with pytest.raises(CallError) as err:
        resolved(schema, {"a": "x", "b": "y"})
    assert err.value.reason.code is Code.INVALID_INPUT


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": "string", "pattern": SLOW}}},
        {"properties": {"a": {"anyOf": [{"type": "string", "pattern": SLOW}]}}},
        {"properties": {"a": {"type": "string"}}, "patternProperties": {SLOW: {}}},
    ],
)
def test_no_pattern_of_a_worker_runs(schema: dict[str, Json]) -> None:
    """It would hold up the whole house; the worker checks it itself."""
    began = time.perf_counter()
    text = "a" * 2000
    assert resolved({"type": "object", **schema}, {"a": text}) == {"a": text}
    assert time.perf_counter() - began < 1


def test_a_field_may_be_called_pattern() -> None:
    """Names that somebody chose are not words of JSON Schema."""
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {
            "pattern": {"type": "integer"},
            "format": {
                "type": "object",
                "properties": {"pattern": {"type": "integer"}},
            },
        },
    }
    given = {"pattern": 1, "format": {"pattern": 2}}
    assert resolved(schema, given) == given
    with pytest.raises(CallError):
        resolved(schema, {"pattern": "x"})
    with pytest.raises(CallError):
        resolved(schema, {"format": {"pattern": "x"}})


def test_only_a_confirmed_reader_reads() -> None:
    """By its name alone a worker's tool is destructive; ours keep their class."""
    assert classify(GenericToolCall(tool="bus_times")) is Impact.DESTRUCTIVE
    assert classify(GenericToolCall(tool="bus_times", reads=True)) is Impact.READ
    assert classify(GenericToolCall(tool="calculator")) is Impact.READ
    locked = GenericToolCall(tool="shell_command", reads=True)
    assert classify(locked) is Impact.LOCKED


def test_the_tool_itself_is_offered_as_it_was_declared() -> None:
    """What a brain is shown is the pinned specification, patterns and all."""
    tool = WorkerTools(FakeTools(specs=[BUS])).get("bus_times")
    assert isinstance(tool, Tool)
    assert tool.spec is BUS
