"""What the code imports of Home Assistant's components stands in the manifest.

Otherwise Home Assistant may set CAESAR up before them. Those that are always there, and
those whose platform we bring, need no mention.
https://developers.home-assistant.io/docs/creating_integration_manifest#dependencies
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from . import Problem
from ._files import files, relative
from ._json import Document
from ._syntax import Source, imports, sources

COMPONENTS: Final = "homeassistant.components"
ALWAYS_THERE: Final = frozenset(
    {"automation", "conversation", "device_automation", "frontend", "group"}
    | {"homeassistant", "media_source", "panel_custom", "persistent_notification"}
    | {"person", "script", "sun", "system_health", "system_log", "timer", "webhook"}
    | {"websocket_api", "zone"}
)
ENTITY_PLATFORMS: Final = frozenset(
    {"ai_task", "air_quality", "alarm_control_panel", "assist_satellite"}
    | {"binary_sensor", "button", "calendar", "camera", "climate", "cover", "date"}
    | {"datetime", "device_tracker", "event", "fan", "geo_location", "humidifier"}
    | {"image", "image_processing", "lawn_mower", "light", "lock", "media_player"}
    | {"notify", "number", "remote", "scene", "select", "sensor", "siren", "stt"}
    | {"switch", "text", "time", "todo", "tts", "update", "vacuum", "valve"}
    | {"wake_word", "water_heater", "weather"}
)


def check(root: Path) -> list[Problem]:
    """Return the imports of components that the manifest does not name."""
    return [
        problem
        for path in files(root, "manifest.json")
        if path.parent.parent.name == "custom_components"
        for problem in _check(root, path)
    ]


def _check(root: Path, path: Path) -> Iterator[Problem]:
    data = Document(root, path).data
    named = {
        *data.get("dependencies", []),
        *data.get("after_dependencies", []),
        *(key for key in ("bluetooth", "mqtt", "usb", "zeroconf") if key in data),
    }
    for source in sources(root, relative(root, path.parent)):
        only_typed = _only_typed(source)
        for node, name in imports(source):
            if not name.startswith(f"{COMPONENTS}.") or node in only_typed:
                continue
            component = name.split(".")[2]
            ours = path.parent / component
            if (
                component not in named | ALWAYS_THERE | ENTITY_PLATFORMS
                and not ours.is_dir()
                and not ours.with_suffix(".py").exists()
            ):
                yield source.problem(
                    node, f"{component} is in no list of dependencies in the manifest"
                )


def _only_typed(source: Source) -> set[ast.AST]:
    """Return what stands under `if TYPE_CHECKING:`, which never runs."""
    return {
        below
        for node in ast.walk(source.tree)
        if isinstance(node, ast.If)
        and (source.dotted(node.test) or "").endswith("TYPE_CHECKING")
        for statement in node.body
        for below in ast.walk(statement)
    }
