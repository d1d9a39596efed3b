"""What of a worker's words counts: what a person pinned, and the worst of the rest."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..const import CONF_CONFIRMED, CONF_TOOLS
from ..legion.canonical import Json, sha256_json
from ..legion.spec import Annotations, ToolSpec
from ..legion.spec_json import SpecError, spec_as_json, spec_from_json, spec_hash

# Names that the integration's own tools have: a policy, and the class that it gives
# these names, means those.
BUNDLED: Final = frozenset(
    {"calculator", "calendar_read", "recall_memory", "semantic_recall", "web_search"}
)
# Tools that run what a custom sentence means.
_INTENTS: Final = "intent__"
# The harmless value of each annotation; what is not confirmed has the other one.
HARMLESS: Final[Mapping[str, bool]] = {
    "read_only": True,
    "destructive": False,
    "idempotent": True,
    "open_world": False,
    "private_data": False,
    "untrusted_result": False,
}
ALL: Final = frozenset(HARMLESS)
# Who agreed that a tool changes nothing is not asked whether this can be undone.
IN_READ_ONLY: Final = ("destructive", "idempotent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """A tool as a person saw it when the worker was added.

    `confirmed` are the annotations whose harmless value that person confirmed.
    """

    spec: ToolSpec
    confirmed: frozenset[str] = frozenset()

    @property
    def effective(self) -> ToolSpec:
        """Return the tool with the annotations that count."""
        return replace(self.spec, annotations=worst(self.spec, self.confirmed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A tool that no longer says what was pinned, both as JSON."""

    tool: str
    pinned: Mapping[str, Json]
    declared: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a hello means beside the pins.

    `served` are tools that are as they were pinned, `changed` those that are not,
    `more` those that nobody enrolled.
    """

    served: frozenset[str] = frozenset()
    changed: Mapping[str, Difference] = field(default_factory=dict)
    more: Mapping[str, ToolSpec] = field(default_factory=dict)


def worst(spec: ToolSpec, confirmed: Collection[str]) -> Annotations:
    """Return a tool's annotations, harmless only where it says so and a person agreed.

    So a worker's own words can raise its class and never lower it.
    """
    if "read_only" in confirmed and spec.annotations.read_only:
        confirmed = {*confirmed, *IN_READ_ONLY}
    return Annotations(
        **{
            name: harmless
            if name in confirmed and getattr(spec.annotations, name) is harmless
            else not harmless
            for name, harmless in HARMLESS.items()
        }
    )


def read_pins(data: Mapping[str, Any]) -> tuple[dict[str, Pinned], dict[str, str]]:
    """Return the pinned tools of a worker's subentry, and why others can't be used."""
    pins: dict[str, Pinned] = {}
    refused: dict[str, str] = {}
    confirmed = data.get(CONF_CONFIRMED, {})
    for name, pinned in data.get(CONF_TOOLS, {}).items():
        try:
            spec = spec_from_json(pinned)
        except SpecError as err:
            refused[name] = str(err)
            continue
        if spec.name != name or (why := refusal(name)):
            refused[name] = "is pinned under another name" if spec.name != name else why
            continue
        pins[name] = Pinned(
            spec=spec, confirmed=ALL.intersection(confirmed.get(name, ()))
        )
    return pins, refused


def refusal(name: str) -> str:
    """Return why no worker may have a tool of this name; empty if one may."""
    if name.startswith(_INTENTS) or "__" in name:
        return "has a name that Home Assistant's own tools use"
    return ""


def compare(pins: Mapping[str, Pinned], declared: Iterable[ToolSpec]) -> Declared:
    """Return what of a hello's tools is as pinned, changed, or new."""
    served: set[str] = set()
    changed: dict[str, Difference] = {}
    more: dict[str, ToolSpec] = {}
    for spec in declared:
        pinned = pins.get(spec.name)
        if pinned is None:
            more[spec.name] = spec
        elif spec_hash(spec) == spec_hash(pinned.spec):
            served.add(spec.name)
        else:
            changed[spec.name] = Difference(
                tool=spec.name,
                pinned=spec_as_json(pinned.spec),
                declared=spec_as_json(spec),
            )
    # A tool that is declared twice is not what was pinned, whichever comes first.
    return Declared(served=frozenset(served - set(changed)), changed=changed, more=more)


def interface_hash(spec: ToolSpec) -> str:
    """Return a hash of what must be equal where two workers serve one tool.

    A call is decided by one of them and may be carried out by the other.
    """
    said = spec_as_json(spec)
    return sha256_json(
        {"schema": said["input_schema"], "annotations": said["annotations"]}
    )


def trusted_pins(specs: Iterable[ToolSpec]) -> dict[str, Pinned]:
    """Return the tools of the process that we start ourselves, from our own files.

    What they bring back was written by strangers all the same; only the calculator's
    results are its own.
    """
    return {
        spec.name: Pinned(
            spec=spec,
            confirmed=ALL if spec.name == "calculator" else ALL - {"untrusted_result"},
        )
        for spec in specs
    }
