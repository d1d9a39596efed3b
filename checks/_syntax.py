"""Python sources as syntax trees, with what their names stand for."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from . import PACKAGE, Problem
from ._files import files, relative

# Many rules read the same file; nobody changes a tree.
_parse = lru_cache(maxsize=2048)(ast.parse)


class Source:
    """One Python file of the tree."""

    def __init__(self, root: Path, path: Path) -> None:
        """Parse the file.

        Raises:
            SyntaxError: it is not Python; ruff says so too.
        """
        self.root = root
        self.path = relative(root, path)
        self.text = path.read_text(encoding="utf-8")
        self.tree = _parse(self.text, self.path)
        parts = list(path.relative_to(root).with_suffix("").parts)
        self.is_package = parts[-1] == "__init__"
        if self.is_package:
            parts.pop()
        self.module = ".".join(parts)
        self.imported = dict(self._imported())

    def problem(self, node: ast.AST, message: str) -> Problem:
        """Return a problem at the line of a node."""
        return Problem(path=self.path, line=getattr(node, "lineno", 1), message=message)

    def origin(self, node: ast.ImportFrom) -> str:
        """Return the absolute name of the module that a `from` statement reads."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        keep = len(parts) - node.level + self.is_package
        base = ".".join(parts[: max(keep, 0)])
        return ".".join(part for part in (base, node.module or "") if part)

    def dotted(self, node: ast.AST) -> str | None:
        """Return what a chain of names stands for, its first name as imported.

        `dt.now` after `from datetime import datetime as dt` is `datetime.datetime.now`.
        A chain that does not start with a name gives only its attributes, after a dot.
        """
        match node:
            case ast.Name(id=name):
                return self.imported.get(name, name)
            case ast.Attribute(value=value, attr=attribute):
                return f"{self.dotted(value) or ''}.{attribute}"
            case ast.Call(func=ast.Name(id="getattr"), args=[value, name, *_]) if (
                isinstance(name, ast.Constant) and isinstance(name.value, str)
            ):
                return f"{self.dotted(value) or ''}.{name.value}"
            case _:
                return None

    def _imported(self) -> Iterator[tuple[str, str]]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.asname:
                        yield alias.asname, alias.name
                    else:
                        name = alias.name.split(".")[0]
                        yield name, name
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    yield (
                        alias.asname or alias.name,
                        f"{self.origin(node)}.{alias.name}",
                    )


def sources(root: Path, below: str = PACKAGE) -> Iterator[Source]:
    """Yield the Python files below a folder of the tree; none if it is not there."""
    for path in files(root / below, ".py"):
        yield Source(root, path)


def imports(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Yield every module that a file imports, by its absolute name.

    `from a import b` yields `a.b` too: b may be a module. Imports by name at run time
    count where the name is written down.
    """
    for node in ast.walk(source.tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield node, alias.name
            case ast.ImportFrom(names=names):
                origin = source.origin(node)
                for alias in names:
                    yield node, f"{origin}.{alias.name}"
            case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if (
                source.dotted(function)
                in {"importlib.import_module", "__import__", "builtins.__import__"}
            ):
                yield node, name
