"""What a service call would really reach: its ids and selectors, made exact."""

from collections.abc import Iterable
from dataclasses import dataclass
import re
from typing import Final
from urllib.parse import unquote

from .call import TARGET_KEYS, ServiceCall, Target, tool_id
from .home import EntityFacts, HomeView, close_over_members
from .impact import texts_in
from .matchers import in_reach, selectors_of
from .reason import Code, Reason

ALL: Final = "all"
_TEMPLATE_MARKS: Final = ("{{", "{%", "{#")
_ADDRESS: Final = "://"
_IDS: Final = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The entities a call means.

    `pinned` will be sent to Home Assistant: those named, and the exposed ones of the
    service's domain behind selectors; `left_out` counts the others behind them.
    `touched` adds all that groups and forwarders among them reach, `facts` describes
    these. `named_in_data` are entities whose ids stand in the data, `mentioned` is
    these with their reach. `problem` is set if the call has no single reading, and
    must be refused.
    """

    pinned: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    facts: tuple[EntityFacts | None, ...] = ()
    named_in_data: tuple[str, ...] = ()
    mentioned: tuple[EntityFacts | None, ...] = ()
    opaque: frozenset[str] = frozenset()
    left_out: int = 0
    problem: Reason | None = None


def find_reach(call: ServiceCall, home: HomeView) -> Reach:
    """Resolve a call against the house as it is now (SPEC 3.4, steps 1 to 3)."""
    if problem := _unreadable(call):
        return Reach(problem=problem)
    named, missing = _named(call.target.entity_id, home)
    selected, left_out, unknown = _selected(call, home)
    pinned = tuple(sorted(named | selected))
    expansion = home.expand(Target(entity_id=pinned))
    touched = tuple(sorted(close_over_members(home, pinned) | expansion.members))
    in_data = _named_in_data(call, home)
    lost = (*missing, *unknown)
    return Reach(
        pinned=pinned,
        touched=touched,
        facts=tuple(map(home.entity, touched)),
        named_in_data=in_data,
        mentioned=tuple(map(home.entity, sorted(close_over_members(home, in_data)))),
        opaque=frozenset(expansion.opaque),
        left_out=left_out,
        problem=_lost(call, lost[0]) if lost else None,
    )


def _unreadable(call: ServiceCall) -> Reason | None:
    """Return why a call can't be read the way Home Assistant would."""
    if hidden := next((key for key in TARGET_KEYS if key in call.data), None):
        return Reason(
            code=Code.MALFORMED_TARGET, values={"key": hidden, "value": hidden}
        )
    if any(item.strip().lower() == ALL for item in call.target.entity_id):
        return Reason(
            code=Code.CAPABILITY_DENIED,
            values={"why": ALL, "entity": ALL, "service": tool_id(call)},
        )
    for key, value in call.data.items():
        for text in texts_in({key: value}):
            if any(mark in text for mark in _TEMPLATE_MARKS):
                return Reason(
                    code=Code.INVALID_INPUT,
                    values={"key": key[:64], "value": text[:100]},
                )
    return None


def _named(ids: Iterable[str], home: HomeView) -> tuple[set[str], tuple[str, ...]]:
    """Return the entities named one by one, and the ids that are none."""
    found: set[str] = set()
    missing = []
    for entity_id in ids:
        if facts := home.entity(entity_id):
            found.add(facts.entity_id)
        else:
            missing.append(entity_id)
    return found, tuple(missing)


def _selected(
    call: ServiceCall, home: HomeView
) -> tuple[set[str], int, tuple[str, ...]]:
    """Return the exposed entities behind selectors, how many aren't, unknown ids."""
    selectors = selectors_of(call.target)
    if not selectors:
        return set(), 0, ()
    expansion = home.expand(selectors)
    meant = [
        facts
        for entity_id in expansion.entities
        if (facts := home.entity(entity_id)) and in_reach(facts.domain, call.domain)
    ]
    exposed = {facts.entity_id for facts in meant if facts.exposed}
    return exposed, len(meant) - len(exposed), expansion.missing


def _named_in_data(call: ServiceCall, home: HomeView) -> tuple[str, ...]:
    """Return the entities named in the data: no field may dodge the judgement.

    An address may carry an id too: `media-source://camera/camera.porch`.
    """
    found: set[str] = set()
    for text in texts_in(call.data):
        lowered = text.lower()
        parts = [part.strip() for part in lowered.split(",")]
        if _ADDRESS in lowered:
            parts += _IDS.findall(unquote(lowered))
        found.update(facts.entity_id for each in parts if (facts := home.entity(each)))
    return tuple(sorted(found))


def _lost(call: ServiceCall, value: str) -> Reason:
    key = next(key for key in TARGET_KEYS if value in getattr(call.target, key))
    return Reason(
        code=Code.MALFORMED_TARGET,
        values={"key": key, "value": value[:100], "entity": value[:100]},
    )
