"""The form over the policy file: how its rows stand in a loaded policy.

What the form can't express is counted as written by hand. Writing is in `form_edit`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from .call import Target
from .decision import ApprovalMode
from .engine import LoadedPolicy
from .modes import ALLOWED_SERVICES, Mode
from .rows import NEUTRAL, ROWS, Row, RowKey, data_rule
from .rules import DataRule, ServiceRule, ToolRule
from .settings import ApprovalScope
from .who import Who


class Choice(StrEnum):
    """What a row says. BY_HAND stands where only the text knows."""

    OFF = "off"
    ASK = "ask"
    ALLOW = "allow"
    BY_HAND = "by_hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A row's choice, and where and for whom: ids, sorted; none means all."""

    choice: Choice
    areas: tuple[str, ...] = ()
    users: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowState:
    """How a row stands in a file.

    `whole` is false if only some of its services are listed, `by_hand` counts the
    entries that the form leaves alone, `barred` says that a pattern rules some of it
    out whatever the row says. `inherited` is a row that stands so without entries.
    """

    setting: Setting
    whole: bool = True
    by_hand: int = 0
    barred: bool = False
    inherited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The file as the form shows it; `elsewhere` counts entries of no row.

    `off` is false in a file that asks about whatever it doesn't list, `all_ask` true in
    one that asks before every change, also where a row allows it.
    """

    rows: Mapping[RowKey, RowState]
    elsewhere: int
    off: bool
    all_ask: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Covers:
    """The covers that are shared with Assist, each with its area."""

    doors: Mapping[str, str | None] = field(default_factory=dict)
    blinds: Mapping[str, str | None] = field(default_factory=dict)


type AnyRule = ServiceRule | ToolRule
type Owned = dict[str, list[AnyRule]]

OFF: Final = Setting(choice=Choice.OFF)
COVER_ROWS: Final = frozenset({RowKey.BLINDS, RowKey.DOORS})


@dataclass(frozen=True, slots=True, kw_only=True)
class RowEntries:
    """The entries of a row: those the form understands, and how many it doesn't."""

    owned: Owned
    setting: Setting | None
    foreign: Mapping[str, int]
    listed_by_id: bool = False


def read_form(policy: LoadedPolicy, covers: Covers) -> Form:
    """Return the rows of a loaded policy."""
    reads = {key: entries_of(policy, key, covers) for key in ROWS}
    known = {name for row in ROWS.values() for name in row.names} | NEUTRAL
    listed = [*policy.services.items(), *policy.tools.items()]
    return Form(
        rows={key: _state(policy, key, reads) for key in ROWS},
        elsewhere=sum(len(rules) for name, rules in listed if name not in known),
        all_ask=policy.settings.approval_scope is ApprovalScope.MUTATING,
        off=not (policy.scope.unlisted_asks or _any_write_asks(policy)),
    )


def _any_write_asks(policy: LoadedPolicy) -> bool:
    return policy.mode is Mode.DEFAULT and policy.scope.writes_with_approval


def _state(
    policy: LoadedPolicy, key: RowKey, reads: Mapping[RowKey, RowEntries]
) -> RowState:
    row, read = ROWS[key], reads[key]
    is_service = row.listed == ALLOWED_SERVICES
    barred = any(policy.scope.barred(each, is_service=is_service) for each in row.names)
    by_hand = sum(read.foreign.values())
    if read.setting is not None and not _overshadowed(key, reads):
        return RowState(
            setting=read.setting,
            whole=set(row.names) <= read.owned.keys() | read.foreign.keys(),
            by_hand=by_hand,
            barred=barred,
        )
    if by_hand or read.setting or _covers_by_hand(key, reads):
        setting = Setting(choice=Choice.BY_HAND)
    else:
        setting = _without_entries(policy, key, reads)
    return RowState(
        setting=setting,
        by_hand=by_hand,
        barred=barred,
        inherited=setting.choice in (Choice.ASK, Choice.ALLOW),
    )


def _covers_by_hand(key: RowKey, reads: Mapping[RowKey, RowEntries]) -> bool:
    """Return whether doors may be in an entry by hand for covers."""
    return key is RowKey.DOORS and bool(reads[RowKey.BLINDS].foreign)


def _overshadowed(key: RowKey, reads: Mapping[RowKey, RowEntries]) -> bool:
    """Return whether doors are also in an entry for all covers, of others or elsewhere."""
    blinds, doors = reads[RowKey.BLINDS], reads[RowKey.DOORS]
    if key is not RowKey.DOORS or not blinds.setting or not doors.setting:
        return False
    places = (doors.setting.areas, doors.setting.users)
    return not blinds.listed_by_id and places != (
        blinds.setting.areas,
        blinds.setting.users,
    )


def _without_entries(
    policy: LoadedPolicy, key: RowKey, reads: Mapping[RowKey, RowEntries]
) -> Setting:
    """Return how a row stands that the file has no entry for."""
    reads_only = key in (RowKey.READING, RowKey.TOOLS)
    if policy.mode is Mode.DEFAULT:
        if reads_only:
            return Setting(choice=Choice.ALLOW)
        return Setting(choice=Choice.ASK) if _any_write_asks(policy) else OFF
    blinds = reads[RowKey.BLINDS]
    if key is RowKey.DOORS and blinds.setting and not blinds.listed_by_id:
        return inherited(blinds.setting)
    if policy.scope.unlisted_asks:
        return Setting(choice=Choice.ALLOW if reads_only else Choice.ASK)
    return OFF


def entries_of(policy: LoadedPolicy, key: RowKey, covers: Covers) -> RowEntries:
    """Return a row's entries in a loaded policy."""
    row = ROWS[key]
    found: Owned = {}
    settings: set[tuple[Setting, bool]] = set()
    foreign: dict[str, int] = {}
    for name in row.names:
        rules: Sequence[AnyRule]
        if row.listed == ALLOWED_SERVICES:
            rules = policy.services.get(name, ())
        else:
            rules = policy.tools.get(name, ())
        for rule in rules:
            if _of_other_cover_row(key, rule, covers):
                continue
            said = setting_of(key, rule, covers)
            if said is None:
                foreign[name] = foreign.get(name, 0) + 1
            else:
                settings.add(said)
                found.setdefault(name, []).append(rule)
    if len(settings) > 1:
        # Several persons or rooms, each with a right of their own.
        for name, own in found.items():
            foreign[name] = foreign.get(name, 0) + len(own)
        return RowEntries(owned={}, setting=None, foreign=foreign)
    if not settings:
        return RowEntries(owned={}, setting=None, foreign=foreign)
    ((setting, by_id),) = settings
    # A service that is also in an entry by hand is left alone as a whole.
    mixed = foreign.keys() & found.keys()
    owned = {name: own for name, own in found.items() if name not in mixed}
    foreign = {
        name: count + len(found.get(name, ())) for name, count in foreign.items()
    }
    return RowEntries(
        owned=owned,
        setting=setting if owned else None,
        foreign=foreign,
        listed_by_id=by_id,
    )


def _of_other_cover_row(key: RowKey, rule: AnyRule, covers: Covers) -> bool:
    """Return whether an entry for covers belongs to the other of the two rows."""
    if key not in COVER_ROWS or not isinstance(rule, ServiceRule):
        return False
    named = set(rule.target.entity_id) if rule.target else set()
    for_doors = bool(named) and named <= covers.doors.keys()
    return for_doors if key is RowKey.BLINDS else not for_doors


def setting_of(
    key: RowKey, rule: AnyRule, covers: Covers
) -> tuple[Setting, bool] | None:
    """Return what an entry says, and whether by ids; None if the form can't say it."""
    row = ROWS[key]
    choice = _choice(row, rule.approval)
    users = _users(rule.who)
    if (
        choice is None
        or users is None
        or rule.when is not None
        or rule.approvers
        or rule.pin is not None
        or rule.max_entities is not None
        or rule.taint_allowed
    ):
        return None
    if not isinstance(rule, ServiceRule):
        plain = rule.input is None
        return (Setting(choice=choice, users=users), False) if plain else None
    known: list[DataRule | None] = [
        data_rule(each) for each in row.bounds.get(rule.service, ())
    ]
    if rule.data not in (known or [None]):
        return None
    placed = _places(key, row, rule.target, covers)
    if placed is None:
        return None
    areas, by_id = placed
    return Setting(choice=choice, areas=areas, users=users), by_id


def inherited(blinds: Setting) -> Setting:
    """Return how doors stand by an entry for all covers: they ask by themselves."""
    if blinds.choice not in (Choice.ASK, Choice.ALLOW):
        return OFF
    return Setting(choice=Choice.ASK, areas=blinds.areas, users=blinds.users)


def _choice(row: Row, approval: ApprovalMode) -> Choice | None:
    if approval is ApprovalMode.ALWAYS:
        return Choice.ASK
    if approval is ApprovalMode.AUTO:
        return Choice.ASK if row.guarded else Choice.ALLOW
    return Choice.ALLOW if row.guarded else None


def _users(who: Who | None) -> tuple[str, ...] | None:
    if who is None:
        return ()
    if who.users is None or who != Who(users=who.users):
        return None
    return tuple(sorted(who.users))


def _places(
    key: RowKey, row: Row, target: Target | None, covers: Covers
) -> tuple[tuple[str, ...], bool] | None:
    """Return the areas of a target, and whether its covers are named by their ids."""
    if target is None:
        return (), False
    if target == Target(area_id=target.area_id):
        return (tuple(sorted(target.area_id)), False) if row.placed else None
    if key not in COVER_ROWS or target != Target(entity_id=target.entity_id):
        return None
    known = covers.doors if key is RowKey.DOORS else covers.blinds
    named = set(target.entity_id)
    if named == known.keys():
        return (), True
    areas = {known[each] for each in named if each in known}
    if named == {each for each, area in known.items() if area in areas}:
        whole = [area for area in areas if area is not None]
        if len(whole) == len(areas):
            return tuple(sorted(whole)), True
    return None
