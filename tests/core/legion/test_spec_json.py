"""A specification as JSON: there and back, and nothing that a house should not take."""

from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.legion.spec import Annotations, ToolSpec
from custom_components.caesar.legion.spec_json import (
    SpecError,
    spec_as_json,
    spec_from_json,
    spec_hash,
)
from custom_components.caesar.legion.wire import dumps, loads
from custom_components.caesar.policy.impact import CORE_READS, HOUSE_TOOLS

from .workers import ECHO

FULL = ToolSpec(
    name="web_search",
    title="Web search",
    description="Looks things up.\nOn the web.",
    input_schema={
        "type": "object",
        "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 400}},
        "required": ["query"],
    },
    annotations=Annotations(read_only=True, destructive=False, private_data=False),
    timeout_s=12,
    max_reply_bytes=65_536,
    sentences={"en": ("search the web for {query}",), "pt-BR": ("pesquise {query}",)},
)


@pytest.mark.parametrize("spec", [FULL, ECHO])
def test_there_and_back(spec: ToolSpec) -> None:
    """Over the wire it stays what it was, and so does its hash."""
    back = spec_from_json(loads(dumps(spec_as_json(spec))))

    assert back == spec
    assert spec_hash(back) == spec_hash(spec)


@pytest.mark.parametrize("name", ["call_service", *sorted(CORE_READS), *HOUSE_TOOLS])
def test_no_worker_takes_a_name_of_the_house(name: str) -> None:
    """A brain would be offered two tools of one name."""
    with pytest.raises(SpecError):
        spec_from_json(spec_as_json(replace(FULL, name=name)))


def test_what_is_missing_is_the_least_safe() -> None:
    """A worker that says nothing of itself is trusted with nothing."""
    least = {key: spec_as_json(FULL)[key] for key in ("name", "title", "description")}
    spec = spec_from_json({**least, "input_schema": {"type": "object"}})

    assert spec.annotations == Annotations()
    assert spec.annotations.destructive
    assert spec.annotations.open_world
    assert spec.annotations.private_data
    assert spec.annotations.untrusted_result
    assert not spec.annotations.read_only
    assert spec.timeout_s == 5
    assert spec.sentences == {}


CHANGES: tuple[tuple[str, Any], ...] = (
    ("name", "web_search2"),
    ("title", "Web"),
    ("description", "Looks things up."),
    ("input_schema", {"type": "object"}),
    ("annotations", {"read_only": True, "destructive": True}),
    ("timeout_s", 13),
    ("max_reply_bytes", 65_537),
    ("sentences", {"en": ["search for {query} on the web"]}),
)


@pytest.mark.parametrize(("key", "value"), CHANGES)
def test_each_change_changes_the_hash(key: str, value: Any) -> None:
    """A pin notices a change of any field."""
    changed = spec_from_json({**spec_as_json(FULL), key: value})
    assert spec_hash(changed) != spec_hash(FULL)


BAD: tuple[tuple[str, Any, str], ...] = (
    ("name", "", "name"),
    ("name", "Web", "name"),
    ("name", "web-search", "name"),
    ("name", "9lives", "name"),
    ("name", "a" * 65, "name"),
    ("name", "intent__turn_on", "name"),
    ("name", "get_state", "name"),
    ("name", "call_service", "name"),
    ("name", "web_search\n", "name"),
    ("name", 5, "name"),
    ("title", "", "title"),
    ("title", "x" * 101, "title"),
    ("title", "two\nlines", "title"),
    ("title", "turned \u202e round", "title"),
    ("description", "bell \x07", "description"),
    ("description", "x" * 1_025, "description"),
    ("input_schema", [], "input_schema"),
    ("input_schema", {"type": "array"}, "input_schema.type"),
    ("input_schema", {}, "input_schema.type"),
    ("input_schema", {"type": "object", "title": "x" * 20_000}, "input_schema"),
    ("input_schema", {"type": "object", "maximum": float("nan")}, "input_schema"),
    (
        "input_schema",
        {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1/x"}}},
        "input_schema",
    ),
    (
        "input_schema",
        {
            "type": "object",
            "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}},
        },
        "input_schema",
    ),
    ("input_schema", {"type": "object", "properties": 5}, "input_schema"),
    ("annotations", [], "annotations"),
    ("annotations", {"harmless": True}, "annotations.harmless"),
    ("annotations", {"read_only": 1}, "annotations.read_only"),
    ("annotations", {"read_only": "yes"}, "annotations.read_only"),
    ("timeout_s", 0, "timeout_s"),
    ("timeout_s", 61, "timeout_s"),
    ("timeout_s", True, "timeout_s"),
    ("timeout_s", "5", "timeout_s"),
    ("timeout_s", float("nan"), "timeout_s"),
    ("max_reply_bytes", 10, "max_reply_bytes"),
    ("max_reply_bytes", 2_000_000, "max_reply_bytes"),
    ("max_reply_bytes", 4_096.5, "max_reply_bytes"),
    ("sentences", [], "sentences"),
    ("sentences", {"English!": []}, "sentences.English!"),
    ("sentences", {"en": "x"}, "sentences.en"),
    ("sentences", {"en": ["x", 5]}, "sentences.en[1]"),
    ("sentences", {"en": ["x" * 201]}, "sentences.en[0]"),
    ("sentences", {"en": ["x"] * 33}, "sentences.en"),
    ("sentences", {f"a{chr(97 + n % 26)}-{n:02d}": [] for n in range(33)}, "sentences"),
    ("surprise", 1, "surprise"),
)


@pytest.mark.parametrize(("key", "value", "path"), BAD)
def test_what_is_refused(key: str, value: Any, path: str) -> None:
    """Each fault is named by its path."""
    with pytest.raises(SpecError) as caught:
        spec_from_json({**spec_as_json(FULL), key: value})
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("key", ["name", "title", "description", "input_schema"])
def test_what_must_be_there(key: str) -> None:
    """These have no default."""
    value = spec_as_json(FULL)
    del value[key]
    with pytest.raises(SpecError, match=f"{key}: is missing"):
        spec_from_json(value)


@pytest.mark.parametrize("value", [None, 5, "text", [], [{}]])
def test_what_is_no_object(value: Any) -> None:
    """Something else altogether is an error too."""
    with pytest.raises(SpecError):
        spec_from_json(value)


def test_joiners_of_scripts_are_let_through() -> None:
    """Persian and emoji need characters that can't be seen."""
    spec = spec_from_json({**spec_as_json(FULL), "title": "می\u200cخواهم 👩\u200d🍳"})
    assert "\u200c" in spec.title
