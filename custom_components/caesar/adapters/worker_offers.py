"""Which tools the house has of its workers, where several say they serve one."""

from collections.abc import Iterable
from enum import StrEnum
from functools import reduce
from importlib import import_module
from typing import Final

from homeassistant.core import HomeAssistant

from ..legion.bundled import BUNDLED as WITH_WORKER
from ..legion.spec import ToolSpec
from .worker_pins import BUNDLED, Pinned, interface_hash, refusal
from .worker_record import Record
from .worker_status import LOCAL


class Objection(StrEnum):
    """Why a tool is not used; each has a text `worker_note_<value>`."""

    NAME = "name"
    OURS = "ours"
    TAKEN = "taken"


_WHY: Final = {
    Objection.OURS: "this is the name of one of CAESAR's own tools, which is not like it",
    Objection.TAKEN: "another worker serves a tool of this name that takes other input",
}


class Offers:
    """The tools by name, as one of their workers pinned them, with the worst said."""

    def __init__(self) -> None:
        """Know nothing yet; `async_load` learns what our own tools are like."""
        self.specs: dict[str, ToolSpec] = {}
        self._ours: dict[str, str] = {}

    async def async_load(self, hass: HomeAssistant) -> None:
        """Read the specifications of the tools that come with CAESAR."""
        self._ours = await hass.async_add_executor_job(_interfaces)

    def agree(self, records: Iterable[Record]) -> list[tuple[str, str]]:
        """Settle who may serve what; return the tools newly refused, and why.

        The first worker of a name decides what it is like. Others serve it too if
        input and annotations are equal, and not at all otherwise.
        """
        pins: dict[str, list[Pinned]] = {}
        before: list[Record] = []
        news: list[tuple[str, str]] = []
        for record in records:
            for name, pinned in record.pins.items():
                against = self._against(record, pinned.spec, before)
                if against is None:
                    record.refused.pop(name, None)
                    pins.setdefault(name, []).append(pinned)
                elif record.refused.get(name) != (why := _WHY[against]):
                    record.refused[name] = why
                    news.append((name, why))
            before.append(record)
        self.specs = {name: _together(group) for name, group in sorted(pins.items())}
        return news

    def objection(self, spec: ToolSpec, records: Iterable[Record]) -> Objection | None:
        """Return why a tool could not be served beside these; None if it could."""
        if refusal(spec.name):
            return Objection.NAME
        return self._against(None, spec, records)

    def _against(
        self, record: Record | None, spec: ToolSpec, before: Iterable[Record]
    ) -> Objection | None:
        if record is not None and record.id == LOCAL:
            return None
        own = interface_hash(spec)
        if spec.name in BUNDLED and self._ours.get(spec.name) != own:
            return Objection.OURS
        for other in before:
            pinned = other.pins.get(spec.name)
            if (
                pinned is not None
                and spec.name not in other.refused
                and interface_hash(pinned.spec) != own
            ):
                return Objection.TAKEN
        return None


def _together(pins: list[Pinned]) -> ToolSpec:
    """Return one tool of several workers: confirmed is what is confirmed of all."""
    confirmed = reduce(frozenset.intersection, (pinned.confirmed for pinned in pins))
    return Pinned(spec=pins[0].spec, confirmed=confirmed).effective


def _interfaces() -> dict[str, str]:
    """Return what input and annotations of our own tools are like, by name.

    One whose package is missing is left out: then no worker may have its name.
    """
    found: dict[str, str] = {}
    for name in WITH_WORKER:
        try:
            module = import_module(f"..legion.tools.{name}", __package__)
        except ImportError:
            continue
        found[name] = interface_hash(module.SPEC)
    return found
