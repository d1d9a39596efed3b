"""The text that an expression stands for, as far as the sources say."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ._syntax import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text, or (`whole` false) only how it begins."""

    start: str
    whole: bool = True


class Values:
    """Reads constants of the integration's modules, across imports."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        """Take the modules by their absolute names."""
        self._sources = sources

    def text(self, source: Source, node: ast.expr) -> Text | None:
        """Return the text that `node` stands for in `source`; None if unknown."""
        match node:
            case ast.Constant(value=str(value)):
                return Text(start=value)
            case ast.JoinedStr(values=parts):
                return self._joined(source, parts)
            case ast.FormattedValue(value=value):
                return self.text(source, value)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined(source, [left, right])
            case ast.Attribute(value=value, attr="value"):
                return self.text(source, value)
            case ast.Name() | ast.Attribute():
                return self._named(source, node)
            case _:
                return None

    def members(self, source: Source, annotation: ast.expr) -> list[Text]:
        """Return the texts of an enumeration's members; none if it isn't one of ours."""
        name = source.dotted(annotation)
        found = self._find(source, name) if name else None
        if found is None:
            return []
        home, node = found
        if not isinstance(node, ast.ClassDef):
            return []
        assigned = (_assigned(statement) for statement in node.body)
        values = [value for _, value in (pair for pair in assigned if pair)]
        texts = [self.text(home, value) for value in values]
        return [text for text in texts if text] if all(texts) else []

    def _joined(self, source: Source, parts: list[ast.expr]) -> Text | None:
        start = ""
        for part in parts:
            text = self.text(source, part)
            if text is None:
                return Text(start=start, whole=False) if start else None
            start += text.start
            if not text.whole:
                return Text(start=start, whole=False)
        return Text(start=start)

    def _named(self, source: Source, node: ast.Name | ast.Attribute) -> Text | None:
        name = source.dotted(node)
        found = self._find(source, name) if name else None
        if found is None:
            return None
        home, value = found
        return None if isinstance(value, ast.ClassDef) else self.text(home, value)

    def _find(
        self, source: Source, name: str
    ) -> tuple[Source, ast.expr | ast.ClassDef] | None:
        module, _, rest = name.rpartition(".")
        if not module:
            return _in_body(source, source.tree.body, name)
        if module in self._sources:
            home = self._sources[module]
            found = _in_body(home, home.tree.body, rest)
            if found is None and rest in home.imported:
                return self._find(home, home.imported[rest])
            return found
        outer = self._find(source, module)
        if outer is not None and isinstance(outer[1], ast.ClassDef):
            return _in_body(outer[0], outer[1].body, rest)
        return None


def _in_body(
    source: Source, body: list[ast.stmt], name: str
) -> tuple[Source, ast.expr | ast.ClassDef] | None:
    """Find the one thing that `name` is bound to; a name bound twice is unknown."""
    found = [node for bound, node in _bound(body) if bound == name]
    return (source, found[0]) if len(found) == 1 else None


def _bound(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr | ast.ClassDef]]:
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield statement.name, statement
        elif pair := _assigned(statement):
            yield pair


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return name, value
        case _:
            return None


def by_module(sources: Iterator[Source]) -> dict[str, Source]:
    """Return sources by the absolute names of their modules."""
    return {source.module: source for source in sources}
