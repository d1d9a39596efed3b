"""A tool's specification as JSON: how a worker declares it and a house pins it."""

from dataclasses import fields as fields_of
import re
from typing import Final

import probatio

from .canonical import Json, canonical_json, sha256_json
from .fields import FieldError, Fields, is_shown
from .spec import Annotations, ToolSpec

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
# Tools of the house itself; a worker that took one of these names would be heard in
# its place.
RESERVED: Final = frozenset(
    {
        "call_service",
        "cancel_planned",
        "find_entities",
        "forget_conversation",
        "get_state",
        "list_areas",
        "plan_command",
        "planned_commands",
        "timer_cancel",
        "timer_change",
        "timer_start",
        "timer_status",
        "what_happened",
        "what_may_i",
        "why",
    }
)

MAX_TITLE: Final = 100
MAX_DESCRIPTION: Final = 1024
MAX_SCHEMA_BYTES: Final = 16_384
MAX_LANGUAGES: Final = 32
MAX_SENTENCES: Final = 32
MAX_SENTENCE: Final = 200
MAX_TIMEOUT_S: Final = 60
MIN_REPLY_BYTES: Final = 1_024
MAX_REPLY_BYTES: Final = 1_048_576

_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}")
_ANNOTATIONS: Final = tuple(field.name for field in fields_of(Annotations))


class SpecError(ValueError):
    """A specification is not valid. The message begins with the path of the fault."""


def spec_as_json(spec: ToolSpec) -> dict[str, Json]:
    """Return a specification as it goes over the wire and into a pin."""
    return {
        "name": spec.name,
        "title": spec.title,
        "description": spec.description,
        "input_schema": spec.input_schema,
        "annotations": {
            name: bool(getattr(spec.annotations, name)) for name in _ANNOTATIONS
        },
        "timeout_s": float(spec.timeout_s),
        "max_reply_bytes": spec.max_reply_bytes,
        "sentences": {
            language: list(templates) for language, templates in spec.sentences.items()
        },
    }


def spec_from_json(value: Json) -> ToolSpec:
    """Return the specification that `value` is.

    What is missing takes the least safe value; what is unknown, too large or can't be
    shown is refused. Raises SpecError.
    """
    try:
        return _read(Fields(value))
    except FieldError as err:
        raise SpecError(str(err)) from err


def spec_hash(spec: ToolSpec) -> str:
    """Return the SHA-256 of a specification, as hexadecimal text."""
    return sha256_json(spec_as_json(spec))


def _read(read: Fields) -> ToolSpec:
    name = read.text("name", 64, shape=NAME)
    if "__" in name or name in RESERVED:
        raise read.error("name", "is a name of Home Assistant's own")
    spec = ToolSpec(
        name=name,
        title=read.text("title", MAX_TITLE),
        description=read.text("description", MAX_DESCRIPTION, lines=True),
        input_schema=_schema(read),
        annotations=_annotations(read),
        timeout_s=(
            read.number("timeout_s", 0.1, MAX_TIMEOUT_S)
            if read.has("timeout_s")
            else 5.0
        ),
        max_reply_bytes=(
            read.integer("max_reply_bytes", MIN_REPLY_BYTES, MAX_REPLY_BYTES)
            if read.has("max_reply_bytes")
            else MAX_REPLY_BYTES
        ),
        sentences=_sentences(read),
    )
    read.done()
    return spec


def _schema(read: Fields) -> dict[str, Json]:
    schema = dict(read.mapping("input_schema"))
    if schema.get("type") != "object":
        raise read.error("input_schema.type", "must be object")
    try:
        text = canonical_json(schema)
        size = len(text.encode())
    except (ValueError, TypeError, RecursionError) as err:
        raise read.error("input_schema", "is not JSON") from err
    if size > MAX_SCHEMA_BYTES:
        raise read.error("input_schema", f"has more than {MAX_SCHEMA_BYTES} bytes")
    # A model would read what the person who adds the tool can't see. JSON spells
    # line ends out.
    if not is_shown(text):
        raise read.error("input_schema", "holds characters that can't be shown")
    try:
        # A hostile schema fails in any way it likes.
        probatio.from_json_schema(schema)
    except Exception as err:
        raise read.error("input_schema", f"can't be used: {str(err)[:200]}") from err
    return schema


def _annotations(read: Fields) -> Annotations:
    if not read.has("annotations"):
        return Annotations()
    inner = read.fields("annotations")
    given = {name: inner.flag(name) for name in _ANNOTATIONS if inner.has(name)}
    inner.done()
    return Annotations(**given)


def _sentences(read: Fields) -> dict[str, tuple[str, ...]]:
    if not read.has("sentences"):
        return {}
    inner = read.fields("sentences")
    languages = tuple(inner.names())
    if len(languages) > MAX_LANGUAGES:
        raise read.error("sentences", f"has more than {MAX_LANGUAGES} languages")
    for language in languages:
        if not _LANGUAGE.fullmatch(language):
            raise inner.error(language[:16], "is not a language tag")
    return {
        language: inner.texts(language, MAX_SENTENCE, MAX_SENTENCES)
        for language in languages
    }
