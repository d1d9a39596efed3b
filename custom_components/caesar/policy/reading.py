"""What is gathered while a policy file is read, besides its faults."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ..legion.canonical import Json
from .directory import Directory, EmptyDirectory
from .problem import Placed, Report


class IdKind(StrEnum):
    """What an id in a policy file is the id of."""

    ENTITY = "entity"
    AREA = "area"
    DEVICE = "device"
    FLOOR = "floor"
    LABEL = "label"
    DOMAIN = "domain"
    SERVICE = "service"
    TOOL = "tool"
    TOOL_FIELD = "tool_field"
    ALLOW_GLOB = "allow_glob"
    DENY_GLOB = "deny_glob"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedId:
    """An id as the file writes it, with its place (from 1) and the path of its key.

    The grammar can't know whether it exists: whoever knows the house tells the owner
    of those that mean nothing.
    """

    kind: IdKind
    id: str
    line: int
    column: int
    path: str


@dataclass(slots=True)
class Reading(Report):
    """A report that also keeps what the file names, and its conditions.

    `conditions` are in Home Assistant's own syntax, under the path of their key;
    `places` are the line and column of each.
    """

    directory: Directory = field(default_factory=EmptyDirectory)
    named: list[NamedId] = field(default_factory=list)
    conditions: dict[str, Json] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)

    def name(self, kind: IdKind, word: str, node: Placed, path: str) -> None:
        """Keep an id that the file names."""
        self.named.append(
            NamedId(kind=kind, id=word, line=node.line, column=node.column, path=path)
        )


IDS_OF_KEYS: Mapping[str, IdKind] = {
    "entity_id": IdKind.ENTITY,
    "area_id": IdKind.AREA,
    "device_id": IdKind.DEVICE,
    "floor_id": IdKind.FLOOR,
    "label_id": IdKind.LABEL,
    "domain": IdKind.DOMAIN,
}
"""Keys of a file whose values are ids."""
