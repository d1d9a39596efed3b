"""The manifest, by the rules that Home Assistant and HACS hold a custom integration to.

https://developers.home-assistant.io/docs/creating_integration_manifest
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
import re
from typing import Any, Final

from . import PACKAGE, Problem
from ._files import files
from ._json import Document

REQUIRED: Final = frozenset(
    {"domain", "name", "codeowners", "documentation", "iot_class", "issue_tracker"}
    | {"version"}
)
IOT_CLASSES: Final = frozenset(
    {"assumed_state", "calculated", "cloud_polling", "cloud_push"}
    | {"local_polling", "local_push"}
)
INTEGRATION_TYPES: Final = frozenset(
    {"device", "entity", "hardware", "helper", "hub", "service", "system"}
)
VERSION: Final = re.compile(r"\d+\.\d+(\.\d+)?((a|b|rc|\.dev)\d+)?")
REQUIREMENT: Final = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9._-]*(\[[a-z0-9_,-]+\])?([<>=!~]=?[A-Za-z0-9.*+!]+,?)*"
)


def _https(value: object) -> bool:
    return isinstance(value, str) and value.startswith("https://")


def _names(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, str) and re.fullmatch(r"[a-z0-9_]+", item) for item in value
    )


def _matches(pattern: re.Pattern[str]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and bool(pattern.fullmatch(value))


def _flag(value: object) -> bool:
    return isinstance(value, bool)


RULES: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "domain": (_matches(re.compile(r"[a-z0-9_]+")), "must be a lower-case name"),
    "name": (lambda value: isinstance(value, str) and bool(value), "must be a text"),
    "after_dependencies": (_names, "must be a list of integrations"),
    "codeowners": (
        lambda value: (
            isinstance(value, list)
            and all(isinstance(item, str) and item.startswith("@") for item in value)
        ),
        "must be a list of names that begin with @",
    ),
    "config_flow": (_flag, "must be true or false"),
    "dependencies": (_names, "must be a list of integrations"),
    "documentation": (_https, "must be an https address"),
    "import_executor": (_flag, "must be true or false"),
    "integration_type": (INTEGRATION_TYPES.__contains__, "is not a known type"),
    "iot_class": (IOT_CLASSES.__contains__, "is not a known class"),
    "issue_tracker": (_https, "must be an https address"),
    "loggers": (
        lambda value: (
            isinstance(value, list) and all(isinstance(item, str) for item in value)
        ),
        "must be a list of names",
    ),
    "quality_scale": (
        {"bronze", "silver", "gold", "platinum"}.__contains__,
        "is not a tier",
    ),
    "requirements": (
        lambda value: (
            isinstance(value, list)
            and all(
                isinstance(item, str) and bool(REQUIREMENT.fullmatch(item))
                for item in value
            )
        ),
        "must be a list of requirements without blanks",
    ),
    "single_config_entry": (_flag, "must be true or false"),
    "version": (_matches(VERSION), "must be a version such as 1.2.3"),
    "zeroconf": (lambda value: isinstance(value, list), "must be a list"),
}


def check(root: Path) -> list[Problem]:
    """Return what is wrong with the manifests of the integrations in the tree."""
    return [
        problem
        for path in files(root, "manifest.json")
        if path.parent.parent.name == "custom_components"
        for problem in _check(root, path)
    ] + _absent(root)


def _absent(root: Path) -> list[Problem]:
    folder = root / PACKAGE
    if not (folder / "__init__.py").exists() or (folder / "manifest.json").exists():
        return []
    return [
        Problem(
            path=f"{PACKAGE}/manifest.json", line=1, message="the manifest is missing"
        )
    ]


def _check(root: Path, path: Path) -> Iterator[Problem]:
    document = Document(root, path)
    yield from document.problems
    data = document.data
    if not isinstance(data, dict) or document.problems:
        return
    for key in sorted(REQUIRED - data.keys()):
        yield document.problem([], f"{key} is missing")
    for key, value in data.items():
        if key not in RULES:
            yield document.problem([key], "is not a key of a manifest")
        elif not RULES[key][0](value):
            yield document.problem([key], RULES[key][1])
    order = sorted(data, key=lambda key: (key != "domain", key != "name", key))
    if list(data) != order:
        yield document.problem([], "keys must be domain, name, then by the alphabet")
    if data.get("domain") != path.parent.name:
        yield document.problem(["domain"], f"must be the folder's: {path.parent.name}")
