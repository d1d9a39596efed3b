"""The shape of an answer, as each vendor's servers take it."""

from typing import Any

import pytest

from custom_components.caesar.providers.answer_schema import closed, is_strict

TEXT = {"type": "string"}


def _object(*required: str, **fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(required),
        "additionalProperties": False,
    }


def test_closed() -> None:
    """Nothing that Anthropic refuses is left, and no object is open."""
    inner = {"type": "object", "properties": {"b": TEXT}}
    schema = _object(
        "a",
        a={"type": "integer", "minimum": 1, "description": "How many"},
        list={"type": "array", "items": inner, "uniqueItems": True, "minItems": 3},
        either={"oneOf": [{**TEXT, "pattern": "x"}, {"type": "null"}]},
    )
    assert closed(schema) == _object(
        "a",
        a={"type": "integer", "description": "How many"},
        list={"type": "array", "items": _object(b=TEXT)},
        either={"anyOf": [TEXT, {"type": "null"}]},
    )


@pytest.mark.parametrize(
    "part",
    [
        {"type": "object", "additionalProperties": True},
        {"type": "object"},
        {"type": "array", "items": True},
    ],
)
def test_what_can_not_be_said(part: dict[str, Any]) -> None:
    """An object of any fields would come back empty: better to say it in words."""
    with pytest.raises(ValueError, match=r"any fields|isn't an object"):
        closed(_object(a=part))


def test_too_deep() -> None:
    """A schema has an end."""
    part: dict[str, Any] = TEXT
    for _ in range(40):
        part = {"type": "array", "items": part}
    with pytest.raises(ValueError, match="too deep"):
        closed(_object(a=part))


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (_object("a", a=TEXT), True),
        (_object(a=TEXT), False),
        ({"type": "object", "properties": {}}, False),
        (_object("a", a={"type": "array", "items": _object(b=TEXT)}), False),
        (_object("a", a={"anyOf": [TEXT, _object("b", b=TEXT)]}), True),
        (_object("a", a={"oneOf": [TEXT]}), False),
    ],
)
def test_strict(schema: dict[str, Any], strict: bool) -> None:
    """OpenAI holds an answer to a schema exactly only if each field must be there."""
    assert is_strict(schema) is strict
