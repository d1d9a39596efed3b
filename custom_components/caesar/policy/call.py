"""The two shapes of a tool call (ADR-0028 of the founding documents)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..legion.canonical import Json, sha256_json
from .reason import Code, Reason

TARGET_KEYS = ("entity_id", "device_id", "area_id", "floor_id", "label_id")


class CallError(Exception):
    """Arguments that are no call at all; `reason` says which part and why."""

    def __init__(self, reason: Reason) -> None:
        """Keep the reason."""
        super().__init__(reason.code)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a service call names: ids as given, cleaned by `normalise_target`."""

    entity_id: tuple[str, ...] = ()
    device_id: tuple[str, ...] = ()
    area_id: tuple[str, ...] = ()
    floor_id: tuple[str, ...] = ()
    label_id: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Return whether anything is named."""
        return any(getattr(self, key) for key in TARGET_KEYS)

    def as_json(self) -> dict[str, Json]:
        """Return the keys that name something, as lists."""
        return {key: list(ids) for key in TARGET_KEYS if (ids := getattr(self, key))}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceCall:
    """A call of one of Home Assistant's own services."""

    domain: str
    service: str
    target: Target = Target()
    data: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenericToolCall:
    """A call of any other tool: reads of the house, workers, other LLM APIs.

    `reads` says of a worker's tool whether a person confirmed, when it was added, that
    it changes nothing; None if that was not asked, and its name alone tells.
    """

    tool: str
    input: Mapping[str, Json] = field(default_factory=dict)
    reads: bool | None = None


type ToolCall = ServiceCall | GenericToolCall


def tool_id(call: ToolCall) -> str:
    """Return `light.turn_on` for a service, `web_search` for another tool."""
    if isinstance(call, ServiceCall):
        return f"{call.domain}.{call.service}"
    return call.tool


def arguments(call: ToolCall) -> dict[str, Json]:
    """Return what a call was given, as the trail and `args_hash` hold it."""
    if isinstance(call, ServiceCall):
        return {"target": call.target.as_json(), "data": dict(call.data)}
    return dict(call.input)


def args_hash(call: ToolCall) -> str:
    """Return the SHA-256 that approvals, loop detection and replay compare."""
    return sha256_json({"tool": tool_id(call), "arguments": arguments(call)})


def service_call(
    domain: str,
    service: str,
    target: Mapping[str, Json] | None,
    data: Mapping[str, Json] | None,
) -> ServiceCall:
    """Build a service call from raw arguments, as Home Assistant would read them.

    Home Assistant merges `target` into the data, splits comma lists, trims and
    lowers entity ids; all of that is done here once, so that what is decided is
    what is sent. Raises CallError for a target that has no single reading.
    """
    rest = dict(data or {})
    moved = {key: rest.pop(key) for key in TARGET_KEYS if key in rest}
    given = dict(target or {})
    if unknown := sorted(set(given) - set(TARGET_KEYS)):
        raise CallError(_malformed("target", ", ".join(unknown)))
    if twice := sorted(set(given) & set(moved)):
        raise CallError(_malformed("target", ", ".join(twice)))
    return ServiceCall(
        domain=_slug("domain", domain),
        service=_slug("service", service),
        target=normalise_target(given | moved),
        data=rest,
    )


def normalise_target(raw: Mapping[str, Json]) -> Target:
    """Clean the five target keys; raises CallError naming the key that is off.

    Source: Home Assistant's `config_validation.comp_entity_ids_or_uuids`.
    """
    return Target(**{key: tuple(_ids(key, raw[key])) for key in raw})


def _ids(key: str, value: Json) -> Iterable[str]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        raise CallError(_malformed(key, repr(value)))
    cleaned: dict[str, None] = {}
    for item in items:
        if not isinstance(item, str):
            raise CallError(_malformed(key, repr(item)))
        for part in item.split(","):
            text = part.strip()
            if key == "entity_id":
                text = text.lower()
            if not text:
                raise CallError(_malformed(key, repr(item)))
            if text != "none":
                cleaned[text] = None
    if not cleaned:
        raise CallError(_malformed(key, repr(value)))
    return cleaned


def _slug(key: str, value: str) -> str:
    text = value.strip().lower()
    if not text.replace("_", "").isalnum() or not text.isascii():
        raise CallError(
            Reason(code=Code.INVALID_INPUT, values={"key": key, "value": value[:100]})
        )
    return text


def _malformed(key: str, value: str) -> Reason:
    return Reason(code=Code.MALFORMED_TARGET, values={"key": key, "value": value[:100]})
