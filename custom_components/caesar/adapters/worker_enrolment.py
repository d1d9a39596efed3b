"""A person's word about what a worker says of itself, kept in its subentry."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback

from ..const import CONF_CONFIRMED, CONF_TOOLS
from ..legion.canonical import Json
from ..legion.spec_json import spec_as_json
from .worker_pins import ALL
from .worker_record import Record

_ANNOTATIONS: Final = "annotations"


class NothingToConfirm(Exception):
    """The worker is gone, or says again what was pinned: there is no difference."""


@callback
def async_pin(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    record: Record,
    tool: str,
    confirmed: Iterable[str] | None,
) -> None:
    """Pin a tool as its worker declares it now; the entry is loaded anew.

    Without `confirmed`, what was confirmed stays so where the worker says the same of
    it as before. Raises NothingToConfirm.
    """
    subentry = entry.subentries.get(record.id)
    declared = _declared(record, tool)
    if subentry is None or declared is None:
        raise NothingToConfirm
    before = subentry.data.get(CONF_TOOLS, {}).get(tool)
    agreed = subentry.data.get(CONF_CONFIRMED, {})
    if confirmed is None:
        confirmed = _unchanged(agreed.get(tool, ()), before, declared)
    hass.config_entries.async_update_subentry(
        entry,
        subentry,
        data={
            **subentry.data,
            CONF_TOOLS: {**subentry.data.get(CONF_TOOLS, {}), tool: dict(declared)},
            CONF_CONFIRMED: {**agreed, tool: sorted(ALL.intersection(confirmed))},
        },
    )


def _declared(record: Record, tool: str) -> Mapping[str, Json] | None:
    if (changed := record.declared.changed.get(tool)) is not None:
        return changed.declared
    more = record.declared.more.get(tool)
    return None if more is None else spec_as_json(more)


def _unchanged(
    agreed: Iterable[str], before: Mapping[str, Any] | None, now: Mapping[str, Any]
) -> list[str]:
    if before is None:
        return []
    said, says = before.get(_ANNOTATIONS, {}), now.get(_ANNOTATIONS, {})
    return [name for name in agreed if said.get(name) == says.get(name)]
