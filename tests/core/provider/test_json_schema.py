"""Schemas of any draft as one that every vendor takes."""

from typing import Any

from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has none
import pytest

from custom_components.caesar.providers.json_schema import current
from custom_components.caesar.providers.tool_offer import offer, wire_name

from .contract import odd_tools
from .rounds import spec


def field(schema: Any) -> dict[str, Any]:
    """Return an object's schema with one field."""
    return {"type": "object", "properties": {"x": schema}}


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        # OpenAPI 3.0 and draft 4 (home-assistant/core#181322).
        (
            {"type": "number", "minimum": 0, "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": 0},
        ),
        ({"maximum": 9, "exclusiveMaximum": False}, {"maximum": 9}),
        ({"exclusiveMaximum": True}, {}),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": ["string", "null"], "nullable": True}, {"type": ["string", "null"]}),
        # Values that a keyword can't have.
        ({"enum": "a", "required": "x", "pattern": "(", "minLength": -1}, {}),
        ({"description": {}, "multipleOf": 0, "uniqueItems": 1, "maxItems": True}, {}),
        ({"x-ours": 1, "const": None, "default": []}, {"const": None, "default": []}),
        (
            {"items": True, "not": {"type": "null"}},
            {"items": True, "not": {"type": "null"}},
        ),
        (
            {"anyOf": [], "oneOf": [{"required": ["a"]}]},
            {"oneOf": [{"required": ["a"]}]},
        ),
    ],
)
def test_old_and_odd_keywords(written: dict[str, Any], sent: dict[str, Any]) -> None:
    """What can be said is said; what can't is left to the gate."""
    assert current(field(written)) == field(sent)


@pytest.mark.parametrize(
    "bad",
    [
        {"type": "whatever"},
        {"type": []},
        {"type": ["string", "string"]},
        {"items": [{"type": "string"}]},
        {"properties": []},
        {"$ref": "#/$defs/nowhere"},
        {"$ref": "https://schemas.test/a.json"},
        {"anyOf": [1]},
        3,
    ],
)
def test_what_cannot_be_said(bad: Any) -> None:
    """Such a tool is left out."""
    with pytest.raises((TypeError, ValueError)):
        current(field(bad))
    deep: dict[str, Any] = {}
    for _ in range(40):
        deep = {"items": deep}
    with pytest.raises(ValueError, match="too deep"):
        current(field(deep))
    with pytest.raises(TypeError, match="definitions"):
        current({"$defs": [bad]})


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000))
def test_whatever_is_sent_is_valid(seed: int) -> None:
    """Of odd tools each is valid 2020-12 afterwards, or isn't sent."""
    (tool,) = odd_tools(1, seed=seed)
    tools = offer((tool,), lambda name, one: current(dict(one.input_schema)))
    for schema in tools.wire:
        Draft202012Validator.check_schema(schema)


def test_names_are_kept_apart_and_come_back() -> None:
    """Scripts have names in all writings; vendors want 64 of few characters."""
    names = [
        "script.включить_свет",
        "script.выключить_свет",
        "script.打开灯",
        "script.🔒🔑",
        "script.🔑🔒",
        "a" * 200,
        "a" * 199 + "b",
        "1st.tool",
    ]
    tools = offer(map(spec, names), lambda name, one: {"name": name})
    assert sorted(tools.names.values()) == sorted(names)
    assert len(tools.wire) == len(names)
    again = offer(map(spec, reversed(names)), lambda name, one: {"name": name})
    assert again.names == tools.names
    assert {wire_name(name) for name in names} == set(tools.names)
