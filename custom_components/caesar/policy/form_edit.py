"""Writing rows of the form: text edits of the policy file, and of nothing else in it.

A row that isn't changed isn't written, and an entry by hand is never touched: its
service is left to it as a whole.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ..legion.canonical import Json
from .edit import (
    Entry,
    UneditableText,
    add_entry,
    entry_numbers,
    remove_entry,
    replace_entry,
)
from .engine import LoadedPolicy
from .form import (
    COVER_ROWS,
    OFF,
    AnyRule,
    Choice,
    Covers,
    Form,
    RowEntries,
    Setting,
    entries_of,
    inherited,
    read_form,
    setting_of,
)
from .modes import ALLOWED_SERVICES, ALLOWED_TOOLS
from .opening import with_list
from .rows import ROWS, RowKey

_GRANTS: Final = (Choice.ASK, Choice.ALLOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class FormHouse:
    """What writing needs to know of the house.

    `load` is `load_policy` with the house's names, `user_word` what the file calls a
    user by id. `fahrenheit` chooses the bounds of temperatures.
    """

    load: Callable[[str], LoadedPolicy]
    covers: Covers
    user_word: Callable[[str], str]
    fahrenheit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """What a row's entries shall say.

    `by_id` names each cover by itself. `entries` is false for a row that stands as
    wanted without any. A row that isn't `whole` keeps to the services that it lists.
    """

    setting: Setting
    by_id: bool = False
    entries: bool = True
    whole: bool = True


def write_form(text: str, wanted: Mapping[RowKey, Setting], house: FormHouse) -> str:
    """Return the text in which the rows stand as wanted. Raises UneditableText."""
    policy = house.load(text)
    form = read_form(policy, house.covers)
    changed = {
        key
        for key, setting in wanted.items()
        if setting != form.rows[key].setting and setting.choice is not Choice.BY_HAND
    }
    if not changed:
        return text
    if not form.off and any(wanted[key].choice is Choice.OFF for key in changed):
        raise UneditableText(
            "This file asks about whatever it doesn't list (unlisted: ask), so nothing"
            " can be switched off here."
        )
    for listed in sorted({ROWS[key].listed for key in changed}):
        text = with_list(text, house.load(text), listed)
    for key, wish in _wishes(wanted, changed, form, house.covers).items():
        text = _write_row(text, key, wish, house)
    return text


def _wishes(
    wanted: Mapping[RowKey, Setting], changed: set[RowKey], form: Form, covers: Covers
) -> dict[RowKey, _Wish]:
    """Return what is to be written; blinds and doors share their services.

    An entry for all blinds covers the doors too, which then ask by themselves. So
    where that is not what is wanted of the doors, the blinds are named one by one.
    """
    wishes = {
        key: _Wish(setting=wanted[key]) for key in ROWS if key in changed - COVER_ROWS
    }
    if not changed & COVER_ROWS:
        return wishes
    blinds = wanted.get(RowKey.BLINDS, form.rows[RowKey.BLINDS].setting)
    doors = wanted.get(RowKey.DOORS)
    if doors is None:
        state = form.rows[RowKey.DOORS]
        doors = inherited(blinds) if state.inherited else state.setting
    if not covers.doors:
        doors = inherited(blinds)
    asks = doors == inherited(blinds) and doors != OFF
    by_id = not asks and doors != Setting(
        choice=Choice.ALLOW, areas=blinds.areas, users=blinds.users
    )
    # What stands there by hand is not known here, and stays out of it.
    if blinds.choice is not Choice.BY_HAND:
        wishes[RowKey.BLINDS] = _Wish(
            setting=blinds,
            by_id=by_id and doors.choice is not Choice.BY_HAND,
            whole=RowKey.BLINDS in changed,
        )
    if doors.choice is not Choice.BY_HAND:
        wishes[RowKey.DOORS] = _Wish(
            setting=doors,
            by_id=True,
            entries=not asks,
            whole=RowKey.DOORS in changed or form.rows[RowKey.DOORS].inherited,
        )
    return wishes


def _write_row(text: str, key: RowKey, wish: _Wish, house: FormHouse) -> str:
    row = ROWS[key]
    read = entries_of(house.load(text), key, house.covers)
    desired = _desired(key, wish, read, house)
    numbers = entry_numbers(text, row.listed)
    kept: list[int] = []
    dropped: list[int] = []
    replaced: dict[int, Entry] = {}
    for name, rules in read.owned.items():
        for nth, rule in enumerate(rules):
            number = numbers[rule.ref.line]
            if nth or name not in desired:
                dropped.append(number)
                continue
            kept.append(number)
            if setting_of(key, rule, house.covers) != (wish.setting, _by_id(key, wish)):
                replaced[number] = _named(desired[name], rule)
    for number in sorted((*dropped, *replaced), reverse=True):
        if number in replaced:
            text = replace_entry(text, row.listed, number, replaced[number]).text
        else:
            text = remove_entry(text, row.listed, number).text
    after = max(kept) - sum(each < max(kept) for each in dropped) if kept else None
    note = None if kept else _NOTES[key]
    for name, entry in desired.items():
        if name in read.owned:
            continue
        text = add_entry(text, row.listed, entry, note, after=after).text
        note = None
        after = None if after is None else after + 1
    return text


def _by_id(key: RowKey, wish: _Wish) -> bool:
    return key in COVER_ROWS and wish.by_id


def _named(entry: Entry, rule: AnyRule) -> Entry:
    """Return the entry under the name that the owner gave to the old one."""
    if rule.ref.name.startswith(f"{rule.tool}#"):
        return entry
    word = "service" if "." in rule.tool else "tool"
    whole: dict[str, Json] = {word: entry} if isinstance(entry, str) else dict(entry)
    first, *rest = whole.items()
    return dict([first, ("name", rule.ref.name), *rest])


def _desired(
    key: RowKey, wish: _Wish, read: RowEntries, house: FormHouse
) -> dict[str, Entry]:
    """Return the entries that a row shall have, by service or tool."""
    row, setting = ROWS[key], wish.setting
    target = _target(key, wish, house.covers)
    if (
        setting.choice not in _GRANTS
        or not wish.entries
        or (_by_id(key, wish) and not target["entity_id"])
    ):
        return {}
    more: dict[str, Json] = {}
    if setting.users:
        more["for"] = {"user": [house.user_word(each) for each in setting.users]}
    if setting.choice is Choice.ASK:
        more["approval"] = "always"
    elif row.guarded:
        more["approval"] = "never"
    entries: dict[str, Entry] = {}
    for name in row.names:
        if name in read.foreign or not (wish.whole or name in read.owned):
            continue
        entry: dict[str, Json] = {_KEYS[row.listed]: name}
        if target:
            entry["target"] = dict(target)
        if bounds := row.bounds.get(name):
            entry["data"] = dict(bounds[house.fahrenheit])
        entry |= more
        entries[name] = entry if len(entry) > 1 else name
    return entries


def _target(key: RowKey, wish: _Wish, covers: Covers) -> dict[str, Json]:
    areas = wish.setting.areas
    if _by_id(key, wish):
        known = covers.doors if key is RowKey.DOORS else covers.blinds
        ids = [each for each in sorted(known) if not areas or known[each] in areas]
        return {"entity_id": list(ids)}
    return {"area_id": list(areas)} if areas else {}


_KEYS: Final = {ALLOWED_SERVICES: "service", ALLOWED_TOOLS: "tool"}
_NOTES: Final = {
    RowKey.LIGHTS: "Lights",
    RowKey.SWITCHES: "Switches, sockets and helpers",
    RowKey.BLINDS: "Blinds and shutters",
    RowKey.DOORS: "Garage doors, gates and doors",
    RowKey.LOCKS: "Locks",
    RowKey.ALARM: "The alarm",
    RowKey.CLIMATE: "Heating, cooling and fans",
    RowKey.MEDIA: "Music and television",
    RowKey.VACUUM: "Vacuum cleaner and lawn mower",
    RowKey.SCENES: "Scenes and scripts",
    RowKey.LISTS: "Timers and lists",
    RowKey.LATER: "Timers of satellites, and commands for later",
    RowKey.SPEECH: "Broadcasts by satellites",
    RowKey.READING: "Weather, calendars and lists, to read",
    RowKey.TOOLS: "Tools",
}
