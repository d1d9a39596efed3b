"""The translation files of an integration, and their shape in Home Assistant 2026.10.

https://developers.home-assistant.io/docs/internationalization/core
"""

from collections.abc import Iterator
from pathlib import Path
import re
import string
from typing import Any, Final

import probatio

from ._files import files
from ._json import Document

# Names in braces that a text asks for; any other brace is a mistake.
_FORMATTER: Final = string.Formatter()

_TEXTS: Final = {str: str}
_STEP: Final = {
    "title": str,
    "description": str,
    "data": _TEXTS,
    "data_description": _TEXTS,
    "menu_options": _TEXTS,
    "menu_option_descriptions": _TEXTS,
    "submit": str,
    "sections": {
        str: {
            "name": str,
            "description": str,
            "data": _TEXTS,
            "data_description": _TEXTS,
        }
    },
}
_FLOW: Final[dict[Any, Any]] = {
    "step": {str: _STEP},
    "error": _TEXTS,
    "abort": _TEXTS,
    "progress": _TEXTS,
    "create_entry": _TEXTS,
}
_ENTITY: Final = {
    str: {
        str: {
            "name": str,
            "state": _TEXTS,
            "unit_of_measurement": str,
            "state_attributes": {str: {"name": str, "state": _TEXTS}},
        }
    }
}

SHAPE: Final = probatio.Schema(
    {
        "title": str,
        "common": _TEXTS,
        "config": {**_FLOW, "flow_title": str},
        "options": _FLOW,
        "config_subentries": {
            str: {
                **_FLOW,
                probatio.Required("entry_type"): str,
                probatio.Required("initiate_flow"): {
                    probatio.Required("user"): str,
                    "reconfigure": str,
                },
            }
        },
        "issues": {
            str: probatio.Any(
                {
                    probatio.Required("title"): str,
                    probatio.Required("description"): str,
                },
                {
                    probatio.Required("title"): str,
                    probatio.Required("fix_flow"): _FLOW,
                },
            )
        },
        "exceptions": {str: {probatio.Required("message"): str}},
        "services": {
            str: {
                probatio.Required("name"): str,
                probatio.Required("description"): str,
                "fields": {
                    str: {
                        probatio.Required("name"): str,
                        probatio.Required("description"): str,
                        "example": str,
                    }
                },
                "sections": {str: {"name": str, "description": str}},
            }
        },
        "selector": {
            str: {
                "options": _TEXTS,
                "unit_of_measurement": _TEXTS,
                "fields": {str: {"name": str, "description": str}},
            }
        },
        "entity": _ENTITY,
        "entity_component": {str: {"name": str, "state": _TEXTS}},
        "device": {str: {"name": str}},
        "system_health": {"info": _TEXTS},
        "config_panel": dict,
        "conversation": dict,
        "device_automation": dict,
        "triggers": dict,
        "conditions": dict,
        "preview_features": dict,
    }
)


def documents(root: Path) -> Iterator[Document]:
    """Yield the translation files of all integrations in the tree, English first."""
    found = [
        path
        for path in files(root, ".json")
        if path.parent.name == "translations"
        and path.parent.parent.parent.name == "custom_components"
    ]
    for path in sorted(found, key=lambda path: (path.parent, path.name != "en.json")):
        yield Document(root, path)


def placeholders(text: str) -> set[str] | None:
    """Return the names that a text has in braces; None if its braces are wrong."""
    try:
        names = [name for _, name, _, _ in _FORMATTER.parse(text) if name is not None]
    except ValueError:
        return None
    if not all(re.fullmatch(r"[a-z_][a-z0-9_]*", name) for name in names):
        return None
    return set(names)
