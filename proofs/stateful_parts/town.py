"""The world around CAESAR as plain values: things, people, and the owner's policy.

A policy is kept as these values and as the text that they are written as; CAESAR
reads the text, the oracle reads the values.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
import json
from typing import Any, Final

from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.directory import Named, NameKind
from custom_components.caesar.policy.home import EntityFacts, StaticHome

AGENT: Final = "conversation.caesar"
OWN_USER: Final = "caesar-voice"
NOTE: Final = "sensor.note"
"""Its state is text that anybody may have written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """An entity; `members` are what a group reaches."""

    entity_id: str
    area: str
    exposed: bool = True
    device_class: str | None = None
    members: tuple[str, ...] = ()

    @property
    def domain(self) -> str:
        """Return what kind of thing it is."""
        return self.entity_id.partition(".")[0]


THINGS: Final = (
    Thing(entity_id="light.kitchen", area="kitchen"),
    Thing(entity_id="light.hall", area="hall"),
    Thing(entity_id="light.attic", area="attic", exposed=False),
    Thing(entity_id="light.all", area="hall", members=("light.kitchen", "light.hall")),
    Thing(entity_id="switch.kettle", area="kitchen"),
    Thing(entity_id="lock.front", area="hall"),
    Thing(entity_id="lock.shed", area="garden"),
    Thing(entity_id="cover.blind", area="kitchen", device_class="blind"),
    Thing(entity_id="cover.garage", area="garden", device_class="garage"),
    Thing(entity_id=NOTE, area="kitchen"),
)
GROUPINGS: Final = (
    ("light.kitchen", "light.hall"),
    ("light.kitchen",),
    ("light.kitchen", "lock.front"),
    ("light.kitchen", "light.attic"),
)
AREAS: Final = ("kitchen", "hall", "garden", "attic")
# Guests may not touch locks, whatever a rule says: Home Assistant's own permissions.
FORBIDDEN: Final = frozenset({("guest", "lock.front"), ("guest", "lock.shed")})


def _chat(user: str, *, admin: bool = False, **said: str) -> Caller:
    return Caller(
        origin=Origin.CHAT,
        user_id=user,
        is_admin=admin,
        agent_id=AGENT,
        conversation_id=f"talk-{user}",
        context_id=f"context-{user}",
        **said,
    )


def _satellite(area: str) -> Caller:
    return Caller(
        origin=Origin.VOICE,
        satellite_id=f"assist_satellite.{area}",
        device_id=f"device-{area}",
        area_id=area,
        agent_id=AGENT,
        conversation_id=f"talk-{area}",
        context_id=f"context-{area}",
    )


CALLERS: Final = {
    "owner": _chat("owner", admin=True),
    "child": _chat("child"),
    "guest": _chat("guest"),
    # What any user can send along vouches for nothing.
    "forger": _chat(
        "child",
        satellite_id="assist_satellite.kitchen",
        device_id="device-kitchen",
        area_id="kitchen",
    ),
    "kitchen": _satellite("kitchen"),
    "hall": _satellite("hall"),
    "automation": Caller(
        origin=Origin.AUTOMATION,
        agent_id=AGENT,
        conversation_id="talk-automation",
        context_id="context-automation",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One entry of `allowed_services`; None means that the key is not there.

    `who` is a key of `for:` and its value, `when` an input_boolean that must be on,
    `dim` the bounds of `brightness_pct`, the one field that then may be given.
    """

    service: str
    entities: tuple[str, ...] | None = None
    areas: tuple[str, ...] | None = None
    dim: tuple[int, int] | None = None
    who: tuple[str, str] | None = None
    when: str | None = None
    approval: str = "auto"
    approvers: tuple[str, ...] = ()
    most: int | None = None
    tainted: bool = False

    def entry(self) -> dict[str, Any]:
        """Return the entry as it is written."""
        entry: dict[str, Any] = {"service": self.service}
        target = {"entity_id": self.entities, "area_id": self.areas}
        if named := {key: list(ids) for key, ids in target.items() if ids}:
            entry["target"] = named
        if self.dim is not None:
            low, high = self.dim
            entry["data"] = {"brightness_pct": {"min": low, "max": high}}
        if self.who is not None:
            key, value = self.who
            entry["for"] = {key: True if key == "admin" else value}
        if self.when is not None:
            entry["when"] = [
                {"condition": "state", "entity_id": self.when, "state": "on"}
            ]
        if self.approval != "auto":
            entry["approval"] = self.approval
        if self.approvers:
            entry["approvers"] = list(self.approvers)
        if self.most is not None:
            entry["max_entities"] = self.most
        if self.tainted:
            entry["tainted"] = "allow"
        return entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What `sentinel:` says."""

    rate: int = 60
    failures: int = 3
    rest_s: int = 300
    ttl_s: int = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class Rulebook:
    """The owner's policy. `reads` are the entries about get_state, None for none."""

    rules: tuple[Rule, ...] = ()
    reads: tuple[tuple[str, ...], ...] | None = None
    deny: tuple[str, ...] = ()
    unlisted_asks: bool = False
    any_change_asks: bool = False
    limits: Limits = field(default_factory=Limits)

    def text(self) -> str:
        """Return the file; JSON is YAML too."""
        limits = self.limits
        book: dict[str, Any] = {
            "version": 1,
            "allowed_services": [rule.entry() for rule in self.rules],
            "allowed_tools": [
                {"tool": "get_state", "input": {"entity_id": list(ids)}}
                for ids in self.reads or ()
            ],
            "sentinel": {
                "rate_limit_per_minute": limits.rate,
                "circuit_breaker_threshold": limits.failures,
                "circuit_breaker_cooldown_secs": limits.rest_s,
                "approval_ttl_secs": limits.ttl_s,
                "approval_scope": "mutating" if self.any_change_asks else "destructive",
            },
        }
        if self.deny:
            book["bot"] = {"tool_policy": {"deny": list(self.deny)}}
        if self.unlisted_asks:
            book["unlisted"] = "ask"
        return json.dumps(book)


@dataclass(frozen=True, slots=True)
class Register:
    """The names that the policy may use; each is its own id."""

    def find(self, kind: NameKind, word: str) -> tuple[Named, ...]:
        """Return what is called so."""
        return (Named(id=word, name=word),) if word in self.names(kind) else ()

    def names(self, kind: NameKind) -> Iterable[str]:
        """Return all names of a kind."""
        known = {
            NameKind.USER: ("owner", "child", "guest"),
            NameKind.AREA: AREAS,
            NameKind.AGENT: (AGENT,),
        }
        return known.get(kind, ())


@dataclass(slots=True)
class Town:
    """The house and the owner's will as they are now; outlives every crash."""

    things: dict[str, Thing] = field(
        default_factory=lambda: {thing.entity_id: thing for thing in THINGS}
    )
    flags: dict[str, bool] = field(
        default_factory=lambda: {"input_boolean.guests": True}
    )
    book: Rulebook = field(default_factory=Rulebook)
    automations_act: bool = False
    home: StaticHome = field(default_factory=lambda: StaticHome(facts={}))

    def __post_init__(self) -> None:
        """Show the things to CAESAR."""
        self.change()

    def change(self, *things: Thing) -> None:
        """Let things be different from now on."""
        self.things |= {thing.entity_id: thing for thing in things}
        for thing in self.things.values():
            self.home.facts[thing.entity_id] = EntityFacts(
                entity_id=thing.entity_id,
                name=thing.entity_id,
                domain=thing.domain,
                device_class=thing.device_class,
                area_id=thing.area,
                exposed=thing.exposed,
                members=thing.members,
            )
        object.__setattr__(self.home, "revision", self.home.revision + 1)

    def regroup(self, members: tuple[str, ...]) -> None:
        """Let the group of lights have other members."""
        self.change(replace(self.things["light.all"], members=members))

    def leaves(self, entity_id: str) -> frozenset[str]:
        """Return what a thing stands for in the end."""
        members = self.things[entity_id].members
        if not members:
            return frozenset({entity_id})
        return frozenset().union(*(self.leaves(each) for each in members))
