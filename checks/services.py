"""Actions agree: the code, services.yaml, the translations and the icons.

Also the choices of a selector: each that names its texts has them.
"""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from . import Problem
from ._files import files, relative
from ._json import Document
from ._syntax import Source, sources
from ._values import Values, by_module

REGISTRATIONS: Final[Mapping[str, int]] = {
    # The argument that holds the action's name.
    "async_register": 1,
    "async_register_admin_service": 2,
    "async_register_entity_service": 0,
    "async_register_platform_entity_service": 2,
}


def check(root: Path) -> list[Problem]:
    """Return the actions that one of the files forgot."""
    folders = [
        path.parent
        for path in files(root, "__init__.py")
        if path.parent.parent.name == "custom_components"
    ]
    return [problem for folder in folders for problem in _check(root, folder)]


def _check(root: Path, folder: Path) -> Iterator[Problem]:
    path = folder / "services.yaml"
    shown = relative(root, path)
    registered, all_known = _registered(root, folder)
    described: dict[str, Any] = {}
    if path.exists():
        try:
            described = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        except yaml.YAMLError as error:
            yield Problem(path=shown, line=1, message=f"is not YAML: {error}")
            return
    for name, place in registered.items():
        if name not in described:
            yield Problem(
                path=place[0], line=place[1], message=f"{name} is not in services.yaml"
            )
    for name in described:
        if all_known and name not in registered:
            yield Problem(
                path=shown, line=1, message=f"{name} is not registered by the code"
            )
    for file, section in _texts(root, folder):
        yield from _compare(file, section, described)


def _texts(root: Path, folder: Path) -> Iterator[tuple[Document, str]]:
    icons = folder / "icons.json"
    if icons.exists():
        yield Document(root, icons), "icons"
    english = folder / "translations" / "en.json"
    if english.exists():
        yield Document(root, english), "translations"


def _compare(
    document: Document, section: str, described: Mapping[str, Any]
) -> Iterator[Problem]:
    known: Mapping[str, Any] = document.data.get("services", {})
    for name in described.keys() - known.keys():
        yield document.problem(["services"], f"{name} is missing")
    for name in known.keys() - described.keys():
        yield document.problem(["services", name], "is not in services.yaml")
    if section == "icons":
        return
    for name in described.keys() & known.keys():
        fields = dict(_fields(described[name] or {}))
        texts = known[name].get("fields", {})
        for field in fields.keys() - texts.keys():
            yield document.problem(["services", name], f"the field {field} is missing")
        for field in texts.keys() - fields.keys():
            yield document.problem(
                ["services", name, "fields", field], "is not in services.yaml"
            )
        for field in fields.values():
            yield from _selector(document, field)


def _fields(action: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the fields of an action, those in sections too."""
    for name, field in (action.get("fields") or {}).items():
        if isinstance(field, Mapping) and "fields" in field:
            yield from _fields(field)
        else:
            yield name, field or {}


def _selector(document: Document, field: Mapping[str, Any]) -> Iterator[Problem]:
    select = (field.get("selector") or {}).get("select") or {}
    key = select.get("translation_key")
    if key is None:
        return
    known = document.data.get("selector", {}).get(key, {}).get("options", {})
    for option in select.get("options", []):
        if option not in known:
            yield document.problem(["selector"], f"{key}.options.{option} is missing")


def _registered(root: Path, folder: Path) -> tuple[dict[str, tuple[str, int]], bool]:
    """Return the actions that the code registers, and whether all names were readable.

    A name that comes out of a loop cannot be read from the source.
    """
    trees = by_module(sources(root, relative(root, folder)))
    values = Values(trees)
    found: dict[str, tuple[str, int]] = {}
    all_known = True
    for source in trees.values():
        for node in ast.walk(source.tree):
            name = _name(source, node)
            if name is None:
                continue
            text = values.text(source, name)
            if text is not None and text.whole:
                found[text.start] = (source.path, name.lineno)
            else:
                all_known = False
    return found, all_known


def _name(source: Source, node: ast.AST) -> ast.expr | None:
    """Return the expression for an action's name if `node` registers an action."""
    if not isinstance(node, ast.Call):
        return None
    dotted = source.dotted(node.func) or ""
    function = dotted.rpartition(".")[2]
    place = REGISTRATIONS.get(function)
    if place is None or (
        function == "async_register" and not dotted.endswith("services.async_register")
    ):
        return None
    for keyword in node.keywords:
        if keyword.arg in {"name", "service", "service_name"}:
            return keyword.value
    return node.args[place] if len(node.args) > place else None
