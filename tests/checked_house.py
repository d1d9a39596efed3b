"""A small tree in which every check of ours is content, to plant mistakes in."""

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

from checks import PACKAGE, Problem, discover

MANIFEST: dict[str, Any] = {
    "domain": "caesar",
    "name": "CAESAR",
    "after_dependencies": ["recorder"],
    "codeowners": [],
    "config_flow": True,
    "dependencies": ["conversation"],
    "documentation": "https://example.org/",
    "integration_type": "service",
    "iot_class": "local_push",
    "issue_tracker": "https://example.org/issues",
    "requirements": ["http-message-signatures>=3,<4"],
    "single_config_entry": True,
    "version": "0.1.0",
}
HACS: dict[str, Any] = {"name": "CAESAR", "homeassistant": "2026.10.0"}
ENGLISH: dict[str, Any] = {
    "config": {
        "abort": {"no_room": "There is no room."},
        "error": {"no_key": "The key is wrong."},
        "step": {
            "user": {
                "data": {"key": "Key"},
                "data_description": {"key": "From {place}."},
                "title": "Hello",
            }
        },
    },
    "entity": {"event": {"decision": {"name": "Decision"}}},
    "exceptions": {"bad_text": {"message": "{text} is not allowed."}},
    "issues": {"bad_policy": {"description": "Line {line}.", "title": "Policy"}},
    "selector": {"kind": {"options": {"one": "One", "two": "Two"}}},
    "services": {
        "ask": {
            "description": "Asks.",
            "fields": {"kind": {"description": "What.", "name": "Kind"}},
            "name": "Ask",
        }
    },
}
SERVICES = """
ask:
  fields:
    kind:
      selector:
        select:
          translation_key: kind
          options: [one, two]
"""
ICONS: dict[str, Any] = {
    "entity": {"event": {"decision": {"default": "mdi:gavel"}}},
    "services": {"ask": {"service": "mdi:chat"}},
}
CODE = '''
"""A house in which everything is right."""
ACTION = "ask"
def set_up(hass, ir, Error):
    hass.services.async_register("caesar", ACTION, print)
    ir.async_create_issue(hass, "caesar", "x", translation_key="bad_policy")
    raise Error
'''


def build(root: Path) -> None:
    """Write a small tree that no check has anything against."""
    package = root / PACKAGE
    (package / "translations").mkdir(parents=True)
    (package / "brand").mkdir()
    (package / "brand" / "icon.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (package / "__init__.py").write_text(CODE, encoding="utf-8")
    (package / "services.yaml").write_text(SERVICES, encoding="utf-8")
    write(package / "manifest.json", MANIFEST)
    write(package / "icons.json", ICONS)
    write(package / "translations" / "en.json", ENGLISH)
    write(package / "translations" / "de.json", ENGLISH)
    write(root / "hacs.json", HACS)
    (root / "README.md").write_text("# CAESAR\n", encoding="utf-8")
    (root / "LICENSE").touch()


def write(path: Path, data: object) -> None:
    """Write data as JSON."""
    path.write_text(json.dumps(data, indent=2), encoding="utf-8")


def changed(data: dict[str, Any], path: str, value: object) -> dict[str, Any]:
    """Return a copy with the value at a dotted path; None takes the key away."""
    copy: dict[str, Any] = json.loads(json.dumps(data))
    *outer, last = path.split("/")
    place = copy
    for key in outer:
        place = place.setdefault(key, {})
    if value is None:
        del place[last]
    else:
        place[last] = value
    return copy


def messages(rule: str, root: Path) -> list[str]:
    """Return what one rule has to say."""
    return [str(problem) for problem in discover()[rule](root)]


CONST = '''
"""Names."""
from enum import StrEnum
DOMAIN = "caesar"
EVENT_OURS = f"{DOMAIN}_tool_called"
EVENT_FOREIGN = "call_service"
class Ours(StrEnum):
    """Events."""
    A = "caesar_a"
    B = "caesar_b"
class Mixed(StrEnum):
    """Events."""
    A = "caesar_a"
    B = "state_changed"
'''


def plant(root: Path, name: str, code: str) -> None:
    """Write a file of the integration into an otherwise empty house."""
    package = root / PACKAGE
    for path, text in ((package / "const.py", CONST), (package / name, dedent(code))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (package / "__init__.py").touch()


def found(rule: str, root: Path, name: str) -> list[Problem]:
    """Return the problems that a rule finds in the planted file."""
    path = f"{PACKAGE}/{name}"
    return [item for item in discover()[rule](root) if item.path == path]
