"""CAESAR fires events of its own only: each name begins with `caesar_`.

The name must be readable where the event is fired: a text, a constant, the member of an
enumeration, a parameter whose type is such an enumeration, or the parameter of a private
function to which this module itself hands only such names.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from . import Problem
from ._doors import FIRE
from ._syntax import Source, sources
from ._values import Text, Values, by_module

PREFIX: Final = "caesar_"
type Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call, with the functions around it from the outside in."""

    node: ast.Call
    around: tuple[Function, ...]


def check(root: Path) -> list[Problem]:
    """Return the places that could fire an event that is not CAESAR's."""
    trees = by_module(sources(root))
    values = Values(trees)
    return [
        source.problem(node, message)
        for source in trees.values()
        for node, message in _wrong(source, values)
    ]


def _wrong(source: Source, values: Values) -> Iterator[tuple[ast.AST, str]]:
    called: set[ast.AST] = set()
    for call in _calls(source.tree):
        if not _fires(source, call.node.func):
            continue
        called.add(call.node.func)
        name = call.node.args[0] if call.node.args else _keyword(call, "event_type")
        texts = _texts(source, values, name, call.around)
        if not texts or not all(text.start.startswith(PREFIX) for text in texts):
            yield call.node, f"only events named {PREFIX}* may be fired"
    for node in ast.walk(source.tree):
        if node not in called and _fires(source, node):
            yield node, "firing events must be a call that shows the event's name"


def _fires(source: Source, node: ast.AST) -> bool:
    if not isinstance(node, (ast.Attribute, ast.Call)):
        return False
    return (source.dotted(node) or "").rpartition(".")[2] in FIRE


def _keyword(call: Call, name: str) -> ast.expr | None:
    return next((item.value for item in call.node.keywords if item.arg == name), None)


def _texts(
    source: Source,
    values: Values,
    node: ast.expr | None,
    around: tuple[Function, ...],
) -> list[Text]:
    """Return all texts that a name may have; none if one of them is unknown."""
    if isinstance(node, ast.Attribute) and node.attr == "value":
        node = node.value
    if node is None:
        return []
    if isinstance(node, ast.Name):
        for function in reversed(around):
            for place, argument in enumerate(_parameters(function)):
                if argument.arg == node.id:
                    return _of_parameter(source, values, function, place)
    text = values.text(source, node)
    return [text] if text else []


def _parameters(function: Function) -> list[ast.arg]:
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def _of_parameter(
    source: Source, values: Values, function: Function, place: int
) -> list[Text]:
    argument = _parameters(function)[place]
    if argument.annotation is not None:
        members = values.members(source, argument.annotation)
        if members:
            return members
    if isinstance(function, ast.Lambda) or not function.name.startswith("_"):
        return []
    texts: list[Text] = []
    for call in _calls(source.tree):
        called = call.node.func
        match called:
            case ast.Attribute(attr=function.name):
                handed_on = _handed(call, argument.arg, place - 1)
            case ast.Name(id=function.name):
                handed_on = _handed(call, argument.arg, place)
            case _:
                continue
        text = values.text(source, handed_on) if handed_on else None
        if text is None:
            return []
        texts.append(text)
    return texts


def _handed(call: Call, name: str, place: int) -> ast.expr | None:
    if 0 <= place < len(call.node.args):
        return call.node.args[place]
    return _keyword(call, name)


def _calls(node: ast.AST, around: tuple[Function, ...] = ()) -> Iterator[Call]:
    """Yield the calls below a node."""
    if isinstance(node, ast.Call):
        yield Call(node=node, around=around)
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        around = (*around, node)
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, around)
