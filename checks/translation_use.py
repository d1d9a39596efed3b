"""Every key of a text that the code uses is in translations/en.json."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
import re
from typing import Any, Final

from . import Problem
from ._files import files, relative
from ._json import Document
from ._syntax import Source, sources
from ._translation import placeholders
from ._values import Values, by_module

ERROR: Final = re.compile(r"(Error|NotReady|Failed|Invalid|Unauthorized)$")
# Texts that Home Assistant brings itself.
OF_HOME_ASSISTANT: Final = frozenset({"reauth_successful", "reconfigure_successful"})
FLOW_SECTIONS: Final = ("config", "options")


def check(root: Path) -> list[Problem]:
    """Return the uses of texts that do not exist."""
    return [
        problem
        for path in files(root, "en.json")
        if path.parent.name == "translations"
        and path.parent.parent.parent.name == "custom_components"
        for problem in _Uses(root, path).problems()
    ]


class _Uses:
    """The uses of one integration's texts."""

    def __init__(self, root: Path, path: Path) -> None:
        self._data = Document(root, path).data
        self._sources = by_module(sources(root, relative(root, path.parent.parent)))
        self._values = Values(self._sources)

    def problems(self) -> Iterator[Problem]:
        for source in self._sources.values():
            for node in ast.walk(source.tree):
                match node:
                    case ast.Call():
                        yield from self._call(source, node)
                    case ast.Assign(targets=[target], value=value):
                        yield from self._assignment(source, target, value)
                    case ast.AnnAssign(target=target, value=ast.expr() as value):
                        yield from self._assignment(source, target, value)

    def _call(self, source: Source, node: ast.Call) -> Iterator[Problem]:
        function = (source.dotted(node.func) or "").rpartition(".")[2]
        given = {item.arg: item.value for item in node.keywords if item.arg}
        if "translation_key" in given:
            yield from self._keyed(source, function, given)
        if function == "async_abort" and "reason" in given:
            yield from self._flow(source, "abort", given["reason"])
        if function in {"async_show_form", "async_show_menu"} and "step_id" in given:
            yield from self._flow(source, "step", given["step_id"])
        if isinstance(errors := given.get("errors"), ast.Dict):
            for value in errors.values:
                yield from self._flow(source, "error", value)

    def _assignment(
        self, source: Source, target: ast.expr, value: ast.expr
    ) -> Iterator[Problem]:
        match target:
            case ast.Subscript(value=ast.Name(id="errors")):
                yield from self._flow(source, "error", value)
            case ast.Name(id="errors") if isinstance(value, ast.Dict):
                for item in value.values:
                    yield from self._flow(source, "error", item)
            case (
                ast.Name(id="_attr_translation_key")
                | ast.Attribute(attr="_attr_translation_key")
            ):
                yield from self._one_of(source, value, self._entities(), "entity")

    def _keyed(
        self, source: Source, function: str, given: Mapping[str, ast.expr]
    ) -> Iterator[Problem]:
        key = given["translation_key"]
        if ERROR.search(function):
            yield from self._exception(source, key, given)
        elif function.endswith("create_issue"):
            yield from self._one_of(source, key, self._data.get("issues", {}), "issues")
        elif "Selector" in function:
            known = self._data.get("selector", {})
            yield from self._one_of(source, key, known, "selector")
        elif function.endswith("EntityDescription"):
            yield from self._one_of(source, key, self._entities(), "entity")
        elif function == "DeviceInfo":
            yield from self._one_of(source, key, self._data.get("device", {}), "device")

    def _exception(
        self, source: Source, key: ast.expr, given: Mapping[str, ast.expr]
    ) -> Iterator[Problem]:
        known = self._data.get("exceptions", {})
        yield from self._one_of(source, key, known, "exceptions")
        text = self._values.text(source, key)
        if text is None or text.start not in known:
            return
        want = placeholders(known[text.start].get("message", "")) or set()
        match given.get("translation_placeholders"):
            case None:
                have: set[str] = set()
            case ast.Dict(keys=names):
                texts = [name and self._values.text(source, name) for name in names]
                if not all(texts):
                    return
                have = {text.start for text in texts if text}
            case _:
                return
        for name in sorted(want - have):
            yield source.problem(key, f"exceptions.{text.start} needs {{{name}}}")

    def _flow(self, source: Source, part: str, value: ast.expr) -> Iterator[Problem]:
        flows = [self._data.get(section, {}) for section in FLOW_SECTIONS]
        flows += self._data.get("config_subentries", {}).values()
        flows += [
            issue["fix_flow"]
            for issue in self._data.get("issues", {}).values()
            if "fix_flow" in issue
        ]
        known = {key for flow in flows for key in flow.get(part, {})}
        yield from self._one_of(source, value, known | OF_HOME_ASSISTANT, part)

    def _entities(self) -> set[str]:
        platforms: Mapping[str, Any] = self._data.get("entity", {})
        return {key for entities in platforms.values() for key in entities}

    def _one_of(
        self, source: Source, value: ast.expr, known: object, section: str
    ) -> Iterator[Problem]:
        text = self._values.text(source, value)
        assert isinstance(known, (Mapping, set))
        if text is not None and text.whole and text.start not in known:
            yield source.problem(
                value, f"{text.start} is not in {section} of translations/en.json"
            )
