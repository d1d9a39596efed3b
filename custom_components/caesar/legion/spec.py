"""What a tool says of itself: one source for model, brain, worker and gate."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .canonical import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """How a tool behaves; every default is the least safe case.

    The first four are those of the Model Context Protocol (2025-06-18, tools).
    `private_data` and `untrusted_result` feed the taint rules.
    """

    read_only: bool = False
    destructive: bool = True
    idempotent: bool = False
    open_world: bool = True
    private_data: bool = True
    untrusted_result: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as it is offered: name, words for a model, schema, limits.

    `input_schema` is a JSON schema of type object. `timeout_s` is in seconds.
    `sentences` maps a language tag to hassil templates.
    """

    name: str
    title: str
    description: str
    input_schema: Mapping[str, Json]
    annotations: Annotations = Annotations()
    timeout_s: float = 5
    max_reply_bytes: int = 1_048_576
    sentences: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
