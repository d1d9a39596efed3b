"""There is one path to the home, the tool gate, and no second door beside it.

Each way of making Home Assistant act is reached from one module of `adapters/` at most,
and only those who build the house may import that module. This reads the syntax trees.
Events have a rule of their own, in events.py.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from . import Problem
from ._doors import (
    CODE,
    CODE_NAMES,
    DOOR_KEEPERS,
    DOOR_MODULES,
    FIRE,
    NAMES,
    SCRIPTS,
    SERVICE_QUESTIONS,
    SERVICES,
    STATE_QUESTIONS,
    STATES,
    TIMERS,
    TOOLS,
    WORKERS,
    Door,
    door_of,
)
from ._syntax import Source, imports, sources
from ._values import Values, by_module
from .layers import OURS

type Found = Iterator[tuple[ast.AST, str]]


def check(root: Path) -> list[Problem]:
    """Return every place that could make the home act and is not the gate's way."""
    trees = by_module(sources(root))
    values = Values(trees)
    return [
        source.problem(node, message)
        for source in trees.values()
        for find in (_names, _registries, _imports)
        for node, message in find(source, values)
    ]


def _inner(source: Source) -> str:
    return source.module.removeprefix(OURS).removeprefix(".")


def _names(source: Source, values: Values) -> Found:
    """Find names that open a door: attributes, imports, and texts that name one."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Attribute(attr=name) if source.dotted(node) == f"builtins.{name}":
                if name in CODE_NAMES:
                    yield node, _message(name, CODE)
            case ast.Attribute(value=receiver, attr=name):
                if isinstance(receiver, ast.Call) and _is_super(receiver):
                    continue
                yield from _judge(source, node, name, receiver)
            case ast.ImportFrom(names=names) if _foreign(source, node):
                for alias in names:
                    yield from _judge(source, node, alias.name, None)
                    if alias.name == "*":
                        yield node, "a star import hides which doors it brings"
            case ast.Name() if source.dotted(node) in CODE_NAMES:
                yield node, _message(node.id, CODE)
            case ast.Call(args=arguments):
                for argument in arguments:
                    yield from _text_names(source, argument)
                if _hides_a_name(source, node, values):
                    yield node, "a name made at run time hides which door it opens"
            case ast.Subscript(slice=index):
                yield from _text_names(source, index)


def _foreign(source: Source, node: ast.ImportFrom) -> bool:
    return not source.origin(node).startswith(OURS)


def _is_super(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "super"


def _hides_a_name(source: Source, node: ast.Call, values: Values) -> bool:
    """Tell whether an attribute is looked up by a name that is not written down.

    Where Home Assistant isn't known there is nothing of it to look up.
    """
    if not any(name.startswith("homeassistant") for name in source.imported.values()):
        return False
    function = source.dotted(node.func) or ""
    if function == "getattr":
        names = node.args[1:2]
    elif function in {"operator.attrgetter", "operator.methodcaller"}:
        names = node.args[:1]
    elif function.endswith(".__getattribute__"):
        names = node.args[-1:]
    else:
        return False
    for name in names:
        text = values.text(source, name)
        if text is None:
            return True
        if not text.whole and any(
            door.startswith(text.start) for door in (*NAMES, *FIRE)
        ):
            return True
    return False


def _text_names(source: Source, node: ast.expr) -> Found:
    """Find doors named by a text: getattr, attrgetter, methodcaller, __dict__[...]."""
    match node:
        case ast.Constant(value=str(value)) if value.replace(".", "_").isidentifier():
            for name in value.split("."):
                # Action names such as "turn_on" are data; a method's name is not.
                if (
                    name.startswith("async_")
                    or name[:1].isupper()
                    or door_of(name) is TIMERS
                ):
                    yield from _judge(source, node, name, None)
                elif name in FIRE - {"fire"}:
                    yield node, f"{name} named by a text"
        case _:
            return


def _judge(
    source: Source, node: ast.AST, name: str, receiver: ast.expr | None
) -> Found:
    door = door_of(name)
    if name == "async_call" and receiver is not None:
        door = SERVICES if _ends(source, receiver, "services") else TOOLS
        if _inner(source) in SERVICES.modules:
            door = SERVICES
    whose = ((receiver and source.dotted(receiver)) or "").rpartition(".")[2].lower()
    if name == "dispatch" and ("client" in whose or "worker" in whose):
        door = WORKERS
    if name == "async_run" and "script" in whose:
        door = SCRIPTS
    if door is not None and not _within(source, door):
        yield node, _message(name, door)


def _within(source: Source, door: Door) -> bool:
    inner = _inner(source)
    return inner in door.modules or (door is WORKERS and inner.startswith("legion"))


def _message(name: str, door: Door) -> str:
    where = " and ".join(sorted(door.modules)) or "nowhere"
    return f"{name} is {door.what}; it may be used in {where}"


def _ends(source: Source, node: ast.expr, name: str) -> bool:
    return (source.dotted(node) or "").rpartition(".")[2].lstrip("_") == name


def _registries(source: Source, _values: Values) -> Found:
    """Find Home Assistant's own registries handed on, where no name could be seen."""
    plain: set[ast.AST] = set()
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and _owner(source, node.value):
            plain.add(node.value)
            owner = _owner(source, node.value)
            yield from _used(source, node, owner)
    for node in ast.walk(source.tree):
        owner = _owner(source, node)
        if owner and node not in plain and not _within(source, SERVICES):
            yield node, f"hass.{owner} must be used on the spot, not handed on"


def _used(source: Source, node: ast.Attribute, owner: str) -> Found:
    match owner:
        case "services" if node.attr not in SERVICE_QUESTIONS:
            if not _within(source, SERVICES):
                yield node, _message(f"hass.services.{node.attr}", SERVICES)
        case "states" if node.attr not in STATE_QUESTIONS:
            yield node, _message(f"hass.states.{node.attr}", STATES)


def _owner(source: Source, node: ast.AST) -> str:
    """Return which of hass's registries a node is: services, states, or none."""
    name = source.dotted(node)
    if name is None or isinstance(node, ast.Name):
        return ""
    head, _, tail = name.rpartition(".")
    holder = head.rpartition(".")[2].lstrip("_")
    return tail if holder == "hass" and tail in {"services", "states"} else ""


def _imports(source: Source, _values: Values) -> Found:
    """Find who imports a module that holds a door."""
    inner = _inner(source)
    for node, name in imports(source):
        target = name.removeprefix(f"{OURS}.")
        if inner in DOOR_KEEPERS or inner in DOOR_MODULES:
            continue
        if any(
            target == door or target.startswith(f"{door}.") for door in DOOR_MODULES
        ):
            yield node, f"{target} holds a door; only those who build the house need it"
        elif target.startswith("legion.client") and not inner.startswith("legion"):
            yield node, _message("legion.client", WORKERS)
