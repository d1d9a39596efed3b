"""What a service call would really reach: its ids and selectors, made exact."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
import re
from typing import Final
from urllib.parse import unquote

from ..legion.canonical import sha256_json
from .actions import CONTENT_DOMAINS, SCENE_APPLY
from .call import TARGET_KEYS, ServiceCall, Target, tool_id
from .home import EntityFacts, HomeView, close_over_members
from .impact import (
    GENERIC_SWITCHES,
    REFRESH,
    Impact,
    classify,
    own_script,
    service_impact,
    starts,
    texts_in,
)
from .matchers import in_reach, selectors_of
from .reason import Code, Reason

ALL: Final = "all"
_TEMPLATE_MARKS: Final = ("{{", "{%", "{#")
_ADDRESS: Final = "://"
_IDS: Final = re.compile(r"[a-z0-9_]+\.[a-z0-9_]+")
_STATISTICS: Final = "recorder.get_statistics"
_STATISTIC_IDS: Final = "statistic_ids"
_BROWSERS: Final = frozenset({"media_player.browse_media", "media_player.search_media"})
_MEDIA_SOURCE: Final = "media-source:"
# Of all the sources, the one that shows nothing of the home.
_PUBLIC_SOURCE: Final = re.compile(r"media-source://(radio_browser(/.*)?)?")
_SWITCH: Final = ("turn_on", "turn_off", "toggle")
_SETS: Final[Mapping[str, tuple[str, ...]]] = {
    "alarm_control_panel": ("alarm_arm_away", "alarm_arm_home", "alarm_disarm"),
    "cover": ("open_cover", "close_cover", "toggle"),
    "lock": ("lock", "open", "unlock"),
    "vacuum": ("start", "return_to_base", "turn_on", "turn_off"),
    "valve": ("open_valve", "close_valve", "toggle"),
}
_DEEPEST: Final = 8
_ACTS_AT_MOST: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The entities a call means.

    `pinned` will be sent to Home Assistant: those named, and the exposed ones of the
    service's domain behind selectors; `left_out` counts the others behind them.
    `facts` describes these with all that groups and forwarders among them reach;
    `touched` are their ids, and those of what the scenes and scripts among them reach.
    `named_in_data` are entities whose ids stand in the data, or that the service is
    named after; `mentioned` is these with their reach. `inside` is the worst of what
    is started, `calls` the services that it calls, `content` the SHA-256 of it and of
    what `named_in_data` reaches.
    `problem` is set if the call has no single reading, and must be refused.
    """

    pinned: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()
    facts: tuple[EntityFacts | None, ...] = ()
    named_in_data: tuple[str, ...] = ()
    mentioned: tuple[EntityFacts | None, ...] = ()
    opaque: frozenset[str] = frozenset()
    left_out: int = 0
    inside: Impact = Impact.READ
    calls: tuple[str, ...] = ()
    content: str = ""
    problem: Reason | None = None


def find_reach(call: ServiceCall, home: HomeView) -> Reach:
    """Resolve a call against the house as it is now (SPEC 3.4, steps 1 to 3)."""
    reach = _reach(call, home, shared_only=True)
    started = _started(call, reach)
    behind = {facts.entity_id for facts in reach.mentioned if facts}
    applied = tool_id(call) == SCENE_APPLY
    if not (started or applied) and behind.issubset(reach.named_in_data):
        return reach
    search = _Search(home=home)
    search.open(started)
    return replace(
        reach,
        touched=tuple(sorted(search.touched.union(reach.touched))),
        opaque=reach.opaque | search.opaque,
        inside=search.worst,
        calls=tuple(sorted(search.calls | _meant(call, reach))),
        content=sha256_json({"inside": search.prints, "mentioned": sorted(behind)}),
    )


def impact_of(call: ServiceCall, reach: Reach) -> Impact:
    """Return the worst of a call's name, its reach and what it starts."""
    return classify(
        call,
        reach.facts,
        opaque=bool(reach.opaque),
        mentioned=reach.mentioned,
        inside=reach.inside,
    )


@dataclass(slots=True, kw_only=True)
class _Search:
    """A look into scenes, scripts and automations, and into what these start.

    Bounded in depth and number; what lies beyond counts as destructive, and so does
    what starts itself.
    """

    home: HomeView
    worst: Impact = Impact.READ
    touched: set[str] = field(default_factory=set)
    opaque: set[str] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)
    prints: dict[str, str] = field(default_factory=dict)
    _path: list[str] = field(default_factory=list)
    _acts: int = 0

    def open(self, started: Iterable[EntityFacts]) -> None:
        """Judge all that starting these does."""
        for facts in started:
            contents = facts.contents
            if contents is None or facts.entity_id in self._path:
                self._found(Impact.DESTRUCTIVE)
                continue
            if facts.entity_id in self.prints:
                continue
            self.prints[facts.entity_id] = contents.fingerprint
            if not contents.whole or len(self._path) >= _DEEPEST:
                self._found(Impact.DESTRUCTIVE)
                self.opaque.add(facts.entity_id)
            self._path.append(facts.entity_id)
            for act in contents.acts:
                self._judge(act)
            self._path.pop()

    def _judge(self, act: ServiceCall) -> None:
        self._acts += 1
        self._found(max(Impact.REVERSIBLE, _by_name(act)))
        self.calls.add(tool_id(act))
        if self._acts > _ACTS_AT_MOST or len(self._path) > _DEEPEST:
            self._found(Impact.DESTRUCTIVE)
            self.opaque.add(self._path[-1])
            return
        reach = _reach(act, self.home, shared_only=False)
        self.touched.update(reach.touched)
        self.touched.update(facts.entity_id for facts in reach.mentioned if facts)
        self.opaque |= reach.opaque
        self.calls |= _meant(act, reach)
        if reach.problem:
            self._found(Impact.DESTRUCTIVE)
            self.opaque.add(self._path[-1])
        self._found(impact_of(act, reach))
        self.open(_started(act, reach))

    def _found(self, impact: Impact) -> None:
        self.worst = max(self.worst, impact)


def _by_name(act: ServiceCall) -> Impact:
    """Return how bad the name alone is, where nothing can make it better."""
    named = service_impact(tool_id(act))
    return named if named > Impact.DESTRUCTIVE else Impact.READ


def _meant(call: ServiceCall, reach: Reach) -> set[str]:
    """Return the services that a scene in the data, or a generic switch, stands for.

    Which of them is called depends on the state; so all that it could be.
    """
    tool = tool_id(call)
    if tool == SCENE_APPLY:
        reached = reach.mentioned
    elif tool in GENERIC_SWITCHES:
        reached = reach.facts
    else:
        return set()
    return {
        f"{facts.domain}.{service}"
        for facts in reached
        if facts
        for service in _SETS.get(facts.domain, _SWITCH)
    }


def _started(call: ServiceCall, reach: Reach) -> list[EntityFacts]:
    """Return the entities whose contents the call carries out.

    Those of a helper are carried out by any service, wherever it is named.
    """
    tool = tool_id(call)
    if tool == REFRESH or service_impact(tool) is Impact.READ:
        return []
    applied = tool == SCENE_APPLY
    return [
        *(each for each in reach.facts if each and _starts(call, each, aimed=True)),
        *(each for each in reach.mentioned if each and _starts(call, each, applied)),
    ]


def _starts(call: ServiceCall, facts: EntityFacts, aimed: bool) -> bool:
    if facts.domain not in CONTENT_DOMAINS:
        return facts.contents is not None
    return aimed and starts(call, facts.domain)


def _reach(call: ServiceCall, home: HomeView, *, shared_only: bool) -> Reach:
    """Resolve a call without looking into what it starts.

    `shared_only` leaves out what isn't exposed behind a selector: Home Assistant's
    scripts don't.
    """
    if problem := _unreadable(call) or _unbounded(call, home):
        return Reach(problem=problem)
    named, missing = _named(call.target.entity_id, home)
    selected, left_out, unknown = _selected(call, home, shared_only)
    pinned = tuple(sorted(named | selected))
    expansion = home.expand(Target(entity_id=pinned))
    touched = close_over_members(home, pinned) | expansion.members
    in_data = _named_in_data(call, home)
    mentioned = close_over_members(home, in_data)
    behind = home.expand(Target(entity_id=in_data)) if in_data else None
    own: tuple[str, ...] = ()
    facts: list[EntityFacts | None] = []
    if name := own_script(call):
        if script := home.script(name):
            own = (script.entity_id,)
            touched |= close_over_members(home, own)
        else:
            facts.append(None)
    facts += map(home.entity, sorted(touched))
    lost = (*missing, *unknown)
    return Reach(
        pinned=pinned,
        touched=tuple(sorted(touched)),
        facts=tuple(facts),
        named_in_data=tuple(sorted({*in_data, *own})) if own else in_data,
        mentioned=(*map(home.entity, sorted(mentioned)), *_unknown_in(call, home)),
        opaque=frozenset((*expansion.opaque, *(behind.opaque if behind else ()))),
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
                return _invalid(key, text)
    return None


def _unbounded(call: ServiceCall, home: HomeView) -> Reason | None:
    """Return which part of a read asks for more than entities, whose sharing counts.

    Statistics that belong to no entity, and the sources of media that list cameras,
    pictures and recordings.
    """
    tool = tool_id(call)
    if tool == _STATISTICS:
        for text in texts_in(call.data.get(_STATISTIC_IDS)):
            if any(home.entity(part.strip()) is None for part in text.split(",")):
                return _invalid(_STATISTIC_IDS, text)
    elif tool in _BROWSERS:
        for key, value in call.data.items():
            for text in map(str.lower, texts_in(value)):
                if _MEDIA_SOURCE in text and not (
                    _PUBLIC_SOURCE.fullmatch(text) or _ids_in(text, home)
                ):
                    return _invalid(key, text)
    return None


def _invalid(key: str, value: str) -> Reason:
    return Reason(
        code=Code.INVALID_INPUT, values={"key": key[:64], "value": value[:100]}
    )


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
    call: ServiceCall, home: HomeView, shared_only: bool
) -> tuple[set[str], int, tuple[str, ...]]:
    """Return the entities behind selectors, how many aren't shared, unknown ids."""
    selectors = selectors_of(call.target)
    if not selectors:
        return set(), 0, ()
    expansion = home.expand(selectors)
    meant = [
        facts
        for entity_id in expansion.entities
        if (facts := home.entity(entity_id)) and in_reach(facts.domain, call.domain)
    ]
    found = {facts.entity_id for facts in meant if facts.exposed or not shared_only}
    return found, len(meant) - len(found), expansion.missing


def _named_in_data(call: ServiceCall, home: HomeView) -> tuple[str, ...]:
    """Return the entities named in the data: no field may dodge the judgement.

    An address may carry an id too: `media-source://camera/camera.porch`.
    """
    found: set[str] = set()
    for text in texts_in(call.data):
        found.update(_ids_in(text, home))
    return tuple(sorted(found))


def _ids_in(text: str, home: HomeView) -> set[str]:
    lowered = text.lower()
    parts = [part.strip() for part in lowered.split(",")]
    if _ADDRESS in lowered:
        parts += _IDS.findall(unquote(lowered))
    return {facts.entity_id for each in parts if (facts := home.entity(each))}


def _unknown_in(call: ServiceCall, home: HomeView) -> tuple[None, ...]:
    """Return None if a scene that stands in the data has what nobody knows."""
    if tool_id(call) != SCENE_APPLY:
        return ()
    entities = call.data.get("entities")
    if not isinstance(entities, Mapping):
        return (None,)
    known = all(home.entity(each.strip().lower()) for each in entities)
    return () if known and entities else (None,)


def _lost(call: ServiceCall, value: str) -> Reason:
    key = next(key for key in TARGET_KEYS if value in getattr(call.target, key))
    return Reason(
        code=Code.MALFORMED_TARGET,
        values={"key": key, "value": value[:100], "entity": value[:100]},
    )
