"""The tools that come with CAESAR, made from settings when somebody wants them."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Final, Protocol, cast

from .environment import Environment
from .worker import Worker


class _ToolModule(Protocol):
    def create(self, environment: Environment) -> Worker: ...


def _create(name: str, environment: Environment) -> Worker:
    """Make the worker of a tool; raises SettingsError, or ImportError for a package.

    Its module is loaded only now, so that a process holds what it serves.
    """
    module = cast("_ToolModule", import_module(f".tools.{name}", __package__))
    return module.create(environment)


BUNDLED: Final[Mapping[str, Callable[[Environment], Worker]]] = {
    name: partial(_create, name)
    for name in (
        "calculator",
        "web_search",
        "calendar_read",
        "recall_memory",
        "semantic_recall",
    )
}
