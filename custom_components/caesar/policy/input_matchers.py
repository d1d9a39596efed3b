"""What the `input:` block of a tool's rule means for a call of that tool."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ..legion.canonical import Json
from .home import HomeView
from .hosts import allows_host
from .reason import Code, Reason
from .rules import Constraint

DOMAIN_KEY = "domain"
"""The key of a call by which a tool is told to look at one host only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsatisfiable:
    """An `input:` block that nobody can read: its rule grants nothing."""

    key: str

    def refusal(
        self, tool: str, given: Mapping[str, Json], home: HomeView
    ) -> Reason | None:
        """Refuse every call."""
        return _not_allowed(tool, self.key)

    @property
    def satisfiable(self) -> bool:
        """Return that no call passes."""
        return False

    @property
    def domains(self) -> tuple[str, ...] | None:
        """Return that no host may show."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFilter:
    """`input:` of a read of the house: what is asked about lies inside each key given.

    A call that names entities says their domains and rooms with that.
    """

    allowed: Mapping[str, frozenset[str]]

    def refusal(
        self, tool: str, given: Mapping[str, Json], home: HomeView
    ) -> Reason | None:
        """Refuse a call that leaves one of the keys out, or goes outside."""
        for key, allowed in self.allowed.items():
            asked = _texts(given.get(key)) or _said_by_ids(key, given, home)
            if not asked:
                return _not_allowed(tool, key)
            if key == "entity_id":
                if not _resolved(asked, home) <= _resolved(allowed, home) - {None}:
                    return _not_allowed(tool, key)
            elif not allowed.issuperset(asked):
                return _not_allowed(tool, key)
        return None

    @property
    def satisfiable(self) -> bool:
        """Return that a call within the bounds passes."""
        return True

    @property
    def domains(self) -> tuple[str, ...] | None:
        """Return that the house has no hosts."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldFilter:
    """`input:` of a worker's tool: bounds of its fields, and hosts it may show.

    A bounded field must be given: what a worker takes for one that is left out, the
    policy can't know. A call that names a host must name an allowed one; one that
    names none passes, for its results are filtered.
    """

    fields: Mapping[str, Constraint] = field(default_factory=dict)
    hosts: tuple[str, ...] | None = None

    def refusal(
        self, tool: str, given: Mapping[str, Json], home: HomeView
    ) -> Reason | None:
        """Refuse a call that leaves one of the fields out, or goes outside."""
        for key, constraint in self.fields.items():
            value = given.get(key)
            items = value if isinstance(value, (list, tuple)) and value else [value]
            if not all(map(constraint.allows, items)):
                return _not_allowed(tool, key)
        if self.hosts is None or DOMAIN_KEY not in given:
            return None
        host = given[DOMAIN_KEY]
        if isinstance(host, str) and allows_host(self.hosts, host):
            return None
        return Reason(
            code=Code.DOMAIN_NOT_ALLOWED,
            values={"tool": tool, "key": DOMAIN_KEY, "host": str(host)[:100]},
        )

    @property
    def satisfiable(self) -> bool:
        """Return that a call within the bounds passes."""
        return True

    @property
    def domains(self) -> tuple[str, ...] | None:
        """Return the hosts that may show in the result."""
        return self.hosts


def _not_allowed(tool: str, key: str) -> Reason:
    return Reason(code=Code.INPUT_NOT_ALLOWED, values={"tool": tool, "key": key})


def _resolved(ids: Iterable[str], home: HomeView) -> set[str | None]:
    """Return the entities of these ids; None stands for one that is not known."""
    return {
        facts.entity_id if (facts := home.entity(entity_id)) else None
        for entity_id in ids
    }


def _said_by_ids(
    key: str, given: Mapping[str, Json], home: HomeView
) -> tuple[str, ...]:
    """Return the domains or areas of the entities that a call names.

    Nothing if it names none, one that is not known, or one without an area; nothing
    either if the call has the key, but as something that can't be read.
    """
    if key in given or key not in ("domain", "area_id"):
        return ()
    facts = [home.entity(entity_id) for entity_id in _texts(given.get("entity_id"))]
    said = [
        (each.domain if key == "domain" else each.area_id) if each else None
        for each in facts
    ]
    known = tuple(value for value in said if value is not None)
    return known if len(known) == len(said) else ()


def _texts(value: Json) -> tuple[str, ...]:
    """Return the ids in a value; nothing if it is anything but ids."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        return ()
    texts = tuple(item for item in items if isinstance(item, str))
    return texts if len(texts) == len(items) else ()
