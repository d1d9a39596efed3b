"""Would this call be allowed now? Said a second time, slowly and from the rules' words.

Shares no code with what it judges: it reads the model's raw arguments and the owner's
policy as values, never a parsed call or a loaded policy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
import json
from typing import Any, Final

from custom_components.caesar.policy.caller import Caller

from .town import FORBIDDEN, NOTE, Rule, Thing, Town

_GENERIC: Final = {"turn_on", "turn_off"}
_READS: Final = {"weather.get_forecasts"}
_SWITCHED: Final = {
    ("lock", "turn_on"): "lock.lock",
    ("lock", "turn_off"): "lock.unlock",
    ("cover", "turn_on"): "cover.open_cover",
    ("cover", "turn_off"): "cover.close_cover",
}
_ASKS: Final = {
    "light.turn_on": 1,
    "light.turn_off": 1,
    "switch.turn_on": 1,
    "switch.turn_off": 1,
    "cover.open_cover": 1,
    "cover.close_cover": 1,
    "homeassistant.turn_on": 1,
    "homeassistant.turn_off": 1,
    "weather.get_forecasts": 0,
    "shell_command.tidy": 3,
}
READ, CHANGE, DESTRUCTIVE, LOCKED = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What raw arguments mean now: the ids sent, all that they reach, how bad it is."""

    service: str
    sent: frozenset[str]
    reached: frozenset[str]
    leaves: frozenset[str]
    data: str
    badness: int

    @property
    def entry(self) -> bool:
        """Return whether it reaches what keeps people out."""
        return any(
            each.startswith("lock.") or each == "cover.garage" for each in self.reached
        )

    @property
    def words(self) -> tuple[str, str]:
        """Return what a call is known by, whatever its ids mean."""
        return self.service, self.data


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a call is granted. `approvers` are those named, nobody for any admin."""

    asks: bool
    tainted: bool
    approvers: tuple[str, ...] = ()


type Raw = Mapping[str, Any]


def meaning(town: Town, raw: Raw) -> Meaning | None:
    """Return what a `call_service` would do; None if it is no call at all."""
    domain, service = _word(raw.get("domain")), _word(raw.get("service"))
    target, data = raw.get("target") or {}, dict(raw.get("data") or {})
    if domain is None or service is None or not isinstance(target, Mapping):
        return None
    keys = {"entity_id", "area_id"}
    moved = {key: data.pop(key) for key in keys & set(data)}
    if set(target) - keys or set(target) & set(moved):
        return None
    named: dict[str, list[str]] = {}
    for key, value in {**target, **moved}.items():
        ids = _ids(value)
        if ids is None:
            return None
        named[key] = [each.lower() if key == "entity_id" else each for each in ids]
    sent = set(named.get("entity_id", ()))
    if not sent <= set(town.things):
        return None
    for area in named.get("area_id", ()):
        sent |= _in_area(town, area, domain, shared=True)
    if named and not sent:
        return None
    reached = set(sent)
    for each in sent:
        reached |= set(town.things[each].members) | town.leaves(each)
    leaves = frozenset().union(*(town.leaves(each) for each in sent), frozenset())
    tool = f"{domain}.{service}"
    return Meaning(
        service=tool,
        sent=frozenset(sent),
        reached=frozenset(reached),
        leaves=leaves,
        data=json.dumps([named, data], sort_keys=True),
        badness=_badness(town, tool, domain, reached),
    )


def terms(
    town: Town, caller: Caller, raw: Raw, means: Meaning, size: int | None = None
) -> Terms | None:
    """Return on which terms the policy grants a call of a service; None: it doesn't.

    `size` is how many things are reached in all, if the call is part of a larger one.
    """
    tool, domain = means.service, means.service.partition(".")[0]
    inside = {tool}
    if domain == "homeassistant":
        verb = tool.partition(".")[2]
        for each in means.reached:
            kind = town.things[each].domain
            inside |= {f"{kind}.{verb}", _SWITCHED.get((kind, verb), tool)}
    if any(barred(town, each) for each in inside) or domain in ("caesar", "hassio"):
        return None
    rules = [rule for rule in town.book.rules if rule.service == tool]
    if not rules:
        if not town.book.unlisted_asks:
            return None
        return Terms(asks=means.badness > READ, tainted=False)
    best: Terms | None = None
    for rule in rules:
        granted = _granted(town, caller, raw, means, rule, size)
        if granted is not None and (best is None or _price(granted) < _price(best)):
            best = granted
    return best


def reads(town: Town, raw: Raw) -> bool:
    """Return whether the policy grants a `get_state`."""
    if any(fnmatchcase("get_state", glob) for glob in town.book.deny):
        return False
    ids = set(raw.get("entity_id") or ())
    known = {town.things[each] for each in ids if each in town.things}
    if any(not thing.exposed for thing in known):
        return False
    if town.book.reads is None:
        return True
    return bool(ids) and any(ids <= set(listed) for listed in town.book.reads)


def reachable(town: Town, caller: Caller, means: Meaning) -> bool:
    """Return whether the call names shared things only, and its user may touch all."""
    if any(not town.things[each].exposed for each in means.sent):
        return False
    return not any((caller.user_id, each) in FORBIDDEN for each in means.reached)


def barred(town: Town, tool: str) -> bool:
    """Return whether a pattern of the policy forbids a service."""
    names = (tool, tool.replace(".", "__"), "call_service")
    return any(fnmatchcase(name, glob) for name in names for glob in town.book.deny)


def taints(raw: Raw) -> bool:
    """Return whether a read shows text that anybody may have written."""
    return NOTE in (raw.get("entity_id") or ())


def _granted(
    town: Town,
    caller: Caller,
    raw: Raw,
    means: Meaning,
    rule: Rule,
    size: int | None,
) -> Terms | None:
    """Return on which terms one rule grants the whole call; None: it doesn't."""
    size = len(means.leaves) if size is None else size
    if not _is_for(rule, caller) or (rule.when and not town.flags[rule.when]):
        return None
    if not _data_fits(raw, rule) or not _covers(town, means, rule):
        return None
    asks = (
        means.badness >= LOCKED
        or rule.approval == "always"
        or (means.badness >= DESTRUCTIVE and rule.approval != "never")
        or (town.book.any_change_asks and means.badness > READ)
        or (rule.most is not None and size > rule.most)
    )
    own = Terms(asks=asks, tainted=rule.tainted, approvers=rule.approvers)
    if means.service.startswith("homeassistant.") and _is_bare(rule):
        return _each_alone(town, caller, raw, means, own)
    return own


def _each_alone(
    town: Town, caller: Caller, raw: Raw, means: Meaning, terms_: Terms
) -> Terms | None:
    """Return the strictest of what each thing's own service is granted on."""
    verb = means.service.partition(".")[2]
    approvers = {terms_.approvers} - {()}
    asks, tainted, first = terms_.asks, terms_.tainted, True
    for each in sorted(means.reached):
        kind = town.things[each].domain
        alone = {"domain": kind, "service": verb, "target": {"entity_id": each}}
        alone["data"] = rest(raw)
        single = meaning(town, alone)
        size = len(means.leaves)
        own = terms(town, caller, alone, single, size) if single else None
        listed = any(rule.service == f"{kind}.{verb}" for rule in town.book.rules)
        if own is None or not listed or verb not in _GENERIC:
            return None
        asks, tainted = asks or own.asks, tainted and own.tainted
        if approvers or not first:
            approvers.add(own.approvers)
        elif own.approvers:
            approvers = {own.approvers}
        else:
            approvers = {()}
        first = False
    if len(approvers) > 1:
        return None
    return Terms(asks=asks, tainted=tainted, approvers=next(iter(approvers), ()))


def _covers(town: Town, means: Meaning, rule: Rule) -> bool:
    domain = rule.service.partition(".")[0]
    if _is_bare(rule):
        free = domain in ("homeassistant", "shell_command")
        return free or all(
            town.things[each].domain in (domain, "group") for each in means.sent
        )
    named = set(rule.entities or ())
    selected: set[str] = set()
    for area in rule.areas or ():
        selected |= _in_area(town, area, domain, shared=False)
    return bool(means.sent) and all(
        _is_given(town, town.things[each], named, selected) for each in means.sent
    )


def _is_given(town: Town, thing: Thing, named: set[str], selected: set[str]) -> bool:
    """Return whether a rule means a thing; a group, unless named, with its members."""
    if thing.entity_id in named or not thing.members:
        return thing.entity_id in named | selected
    return all(
        _is_given(town, town.things[each], named, selected) for each in thing.members
    )


def _data_fits(raw: Raw, rule: Rule) -> bool:
    if rule.dim is None:
        return True
    low, high = rule.dim
    return all(
        key == "brightness_pct"
        and isinstance(value, (int, float))
        and not isinstance(value, bool)
        and low <= value <= high
        for key, value in rest(raw).items()
    )


def rest(raw: Raw) -> dict[str, Any]:
    """Return the data of a call without what is no data."""
    data = raw.get("data") or {}
    return {key: data[key] for key in data if key not in ("entity_id", "area_id")}


def _is_for(rule: Rule, caller: Caller) -> bool:
    if rule.who is None:
        return True
    key, value = rule.who
    voice = caller.origin.value == "voice"
    return {
        "user": not voice and caller.user_id == value,
        "admin": not voice and caller.user_id is not None and caller.is_admin,
        "area": voice and caller.area_id == value,
        "origin": caller.origin.value == value,
    }[key]


def _is_bare(rule: Rule) -> bool:
    return not rule.entities and not rule.areas


def _price(granted: Terms) -> tuple[bool, bool]:
    return granted.asks, not granted.tainted


def _badness(town: Town, tool: str, domain: str, reached: set[str]) -> int:
    named = _ASKS.get(tool, DESTRUCTIVE)
    if named != CHANGE:
        return named
    plain = {"light", "switch", "cover", "sensor", domain}
    for each in reached:
        thing = town.things[each]
        if thing.device_class == "garage" or thing.domain not in plain:
            return DESTRUCTIVE
    return CHANGE


def _in_area(town: Town, area: str, domain: str, *, shared: bool) -> set[str]:
    return {
        thing.entity_id
        for thing in town.things.values()
        if thing.area == area
        and domain in (thing.domain, "homeassistant")
        and (thing.exposed or not shared)
    }


def _word(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    word = value.strip().lower()
    return word if word.isascii() and word.replace("_", "").isalnum() else None


def _ids(value: Any) -> list[str] | None:
    """Return the ids of one key of a target, as Home Assistant would read them."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list):
        return None
    found: list[str] = []
    for item in items:
        if not isinstance(item, str):
            return None
        found += [part.strip() for part in item.split(",")]
    kept = [each for each in dict.fromkeys(found) if each.lower() != "none"]
    return kept if kept and all(kept) and "all" not in kept else None
