"""What of a tool's schema a model is sent."""

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it has none

from custom_components.caesar.brain.lean import lean
from custom_components.caesar.legion.spec import Annotations, ToolSpec
from custom_components.caesar.legion.tools.calculator.offer import SPEC as CALCULATOR


def spec(**properties: object) -> ToolSpec:
    """Return a tool with these properties."""
    return ToolSpec(
        name="tool",
        title="Tool",
        description="Does something.",
        input_schema={"type": "object", "properties": properties},  # type: ignore[dict-item]  # plain JSON
        annotations=Annotations(),
    )


def test_only_what_a_model_can_use_is_sent() -> None:
    """Long patterns and wide limits go; short ones, names and values stay."""
    sent = lean(
        spec(
            pattern={"type": "string", "pattern": "^[a-z]+$", "maxLength": 20},
            maxLength={"type": "string", "pattern": "x" * 65, "maxLength": 4096},
            many={"type": "array", "items": {"type": "string", "minLength": 1}},
            one={"const": {"maxLength": 999}, "enum": [{"minItems": 1}]},
            neither={"not": {"maxLength": 300}, "oneOf": [{"minLength": 1}]},
            either={"anyOf": [{"type": "string", "maxLength": 300}, {"type": "null"}]},
        )
    )
    assert sent.input_schema["properties"] == {
        "pattern": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 20},
        "maxLength": {"type": "string"},
        "many": {"type": "array", "items": {"type": "string"}},
        "one": {"const": {"maxLength": 999}, "enum": [{"minItems": 1}]},
        "neither": {"not": {"maxLength": 300}, "oneOf": [{"minLength": 1}]},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    }


def test_what_fits_the_tool_fits_what_was_sent() -> None:
    """The calculator's long pattern isn't in a request; its own schema keeps it."""
    sent = lean(CALCULATOR)
    assert len(str(sent.input_schema)) < 350 < len(str(CALCULATOR.input_schema))
    for given in ({"expression": "1 + 1"}, {"expression": "5 miles", "unit": "km"}):
        assert Draft202012Validator(dict(sent.input_schema)).is_valid(given)
        assert Draft202012Validator(dict(CALCULATOR.input_schema)).is_valid(given)
