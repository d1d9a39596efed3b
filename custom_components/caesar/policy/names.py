"""Keys whose values are names of people, rooms, devices, agents and PINs.

They become ids when the file is loaded, so that nobody gains a right by renaming
himself. A name that means nothing, or several, is a fault that tells the candidates.
"""

from difflib import get_close_matches
from functools import partial
from typing import Final

from .caller import Origin
from .directory import NameKind
from .fields import Keys, read_block, read_text, read_true, read_word
from .problem import ProblemCode
from .reading import Reading
from .who import WITH_PLACE, WITH_USER, Who
from .yaml_tree import Block, Listing, Node

_KINDS: Final = {
    NameKind.USER: "user",
    NameKind.AREA: "area",
    NameKind.DEVICE: "device",
    NameKind.AGENT: "agent",
    NameKind.PIN: "PIN",
}


def read_who(report: Reading, node: Node, path: str) -> Who | None:
    """Return whom an entry is for."""
    before = len(report.problems)
    values = read_block(report, node, path, _WHO)
    if isinstance(node, Block) and not node.entries:
        report.problem(
            node,
            path,
            ProblemCode.EMPTY,
            "This names nobody.",
            "To allow it for everybody, leave 'for' out.",
        )
    if len(report.problems) > before:
        return None
    who = Who(
        users=values.get("user"),
        areas=values.get("area"),
        devices=values.get("device"),
        agents=values.get("agent"),
        origins=values.get("origin"),
        admin=values.get("admin", False),
    )
    if why := _why_nobody(who):
        report.problem(node, path, ProblemCode.BAD_VALUE, why)
        return None
    return who


def read_approvers(report: Reading, node: Node, path: str) -> tuple[str, ...]:
    """Return the users who may say yes, in the order of the file."""
    return _read_names(report, node, path, NameKind.USER)


def read_pin(report: Reading, node: Node, path: str) -> str | None:
    """Return the id of a PIN that was set in the options."""
    return _read_name(report, node, path, NameKind.PIN)


def _items(report: Reading, node: Node, path: str) -> tuple[Node, ...]:
    if not isinstance(node, Listing):
        return (node,)
    if not node.items:
        report.problem(node, path, ProblemCode.EMPTY, "This list names nobody.")
    return node.items


def _read_names(
    report: Reading, node: Node, path: str, kind: NameKind
) -> tuple[str, ...]:
    found = [
        _read_name(report, item, path, kind) for item in _items(report, node, path)
    ]
    return tuple(dict.fromkeys(each for each in found if each is not None))


def _read_name(report: Reading, node: Node, path: str, kind: NameKind) -> str | None:
    word = read_text(report, node, path)
    if word is None:
        return None
    found = report.directory.find(kind, word)
    if len(found) == 1:
        return found[0].id
    what = _KINDS[kind]
    message = f"There is no {what} called '{word}'."
    hint = _known(report, kind, word)
    if found:
        candidates = ", ".join(f"{each.name} ({each.id})" for each in found)
        message = f"Several {what}s are called '{word}': {candidates}."
        hint = "Write the id of the one you mean."
    report.problem(node, path, ProblemCode.BAD_VALUE, message, hint)
    return None


def _known(report: Reading, kind: NameKind, word: str) -> str | None:
    """Return the name that is closest, or all of them if they are few."""
    names = sorted(set(report.directory.names(kind)))
    lowered = {name.lower(): name for name in names}
    if close := get_close_matches(word.lower(), lowered, n=1):
        return f"Did you mean '{lowered[close[0]]}'?"
    return f"There are: {', '.join(names)}." if 0 < len(names) <= _FEW else None


def _read_origins(report: Reading, node: Node, path: str) -> frozenset[Origin]:
    found = (
        read_word(report, item, path, Origin) for item in _items(report, node, path)
    )
    return frozenset(origin for origin in found if origin is not None)


def _read_set(kind: NameKind, report: Reading, node: Node, path: str) -> frozenset[str]:
    return frozenset(_read_names(report, node, path, kind))


def _why_nobody(who: Who) -> str | None:
    """Return why no caller could ever be all of that; None if one could."""
    by_user = who.users is not None or who.admin
    by_place = who.areas is not None or who.devices is not None
    if by_user and by_place:
        return (
            "No caller has both a user and a place: who types is known by name, who"
            " speaks to a device by the room. Make two entries of this."
        )
    if by_user and who.origins is not None and not who.origins & WITH_USER:
        return "No such caller has a user, so this would be for nobody."
    if by_place and who.origins is not None and not who.origins & WITH_PLACE:
        return "Only voice comes from a place, so this would be for nobody."
    return None


_FEW: Final = 12
_WHO: Final[Keys] = {
    "user": partial(_read_set, NameKind.USER),
    "area": partial(_read_set, NameKind.AREA),
    "device": partial(_read_set, NameKind.DEVICE),
    "agent": partial(_read_set, NameKind.AGENT),
    "origin": _read_origins,
    "admin": read_true,
}
