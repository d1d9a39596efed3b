"""Who and what has a name in this house, for the names in the policy file."""

from collections.abc import Iterable
from typing import Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.const import Platform
from homeassistant.core import HomeAssistant
from homeassistant.helpers import (
    area_registry as ar,
    device_registry as dr,
    entity_registry as er,
)

from ..const import DOMAIN, SUBENTRY_CONVERSATION
from ..policy.directory import Named, NameKind
from .callers import SATELLITE_DOMAIN

_NOTHING: Final[dict[str, tuple[Named, ...]]] = {}


class HouseDirectory:
    """A snapshot of the house's names; implements the policy's Directory.

    Two are equal if every name means the same in both.
    """

    def __init__(self, known: Iterable[tuple[NameKind, Named, Iterable[str]]]) -> None:
        """Hold what has a name: its kind, what is shown, and all names it goes by."""
        self._by_id: dict[NameKind, dict[str, Named]] = {}
        self._by_name: dict[NameKind, dict[str, tuple[Named, ...]]] = {}
        for kind, named, names in known:
            self._by_id.setdefault(kind, {})[named.id] = named
            by_name = self._by_name.setdefault(kind, {})
            for word in {_normal(name) for name in (named.name, *names)} - {""}:
                by_name[word] = (*by_name.get(word, ()), named)

    def find(self, kind: NameKind, word: str) -> tuple[Named, ...]:
        """Return what has this id, else all that have this name."""
        if (named := self._by_id.get(kind, {}).get(word)) is not None:
            return (named,)
        return self._by_name.get(kind, _NOTHING).get(_normal(word), ())

    def names(self, kind: NameKind) -> Iterable[str]:
        """Return the names that are shown to people, sorted."""
        return sorted({named.name for named in self._by_id.get(kind, {}).values()})

    def __eq__(self, other: object) -> bool:
        """Return whether every name means the same in both."""
        if not isinstance(other, HouseDirectory):
            return NotImplemented
        return self._by_id == other._by_id and self._by_name == other._by_name

    def __hash__(self) -> int:
        """Return a hash of the ids."""
        return hash(frozenset((kind, *ids) for kind, ids in self._by_id.items()))


def _normal(name: str) -> str:
    return " ".join(name.split()).casefold()


async def async_directory(
    hass: HomeAssistant, entry: ConfigEntry, pins: Iterable[str]
) -> HouseDirectory:
    """Take a snapshot: people, areas, devices, CAESAR's agents, names of PINs."""
    users = [
        (NameKind.USER, Named(id=user.id, name=user.name or user.id), ())
        for user in await hass.auth.async_get_users()
        if not user.system_generated
    ]
    return HouseDirectory(
        [
            *users,
            *_areas(hass),
            *_devices(hass),
            *_agents(hass, entry),
            *((NameKind.PIN, Named(id=name, name=name), ()) for name in pins),
        ]
    )


def _areas(hass: HomeAssistant) -> Iterable[tuple[NameKind, Named, Iterable[str]]]:
    for area in ar.async_get(hass).async_list_areas():
        yield NameKind.AREA, Named(id=area.id, name=area.name), area.aliases


def _devices(hass: HomeAssistant) -> Iterable[tuple[NameKind, Named, Iterable[str]]]:
    """Yield the devices; a satellite's name is its own.

    Any user can register a phone under any name. If a policy's satellite became
    ambiguous by that, everything would be denied from the next start on.
    """
    registry = dr.async_get(hass)
    named = [
        Named(id=device.id, name=name)
        for device in (*registry.devices, *registry.child_devices)
        if (name := device.name_by_user or device.name)
    ]
    speaking = {
        entry.device_id
        for entry in er.async_get(hass).entities.values()
        if entry.domain == SATELLITE_DOMAIN
    }
    taken = {_normal(each.name) for each in named if each.id in speaking}
    for each in named:
        if each.id in speaking or _normal(each.name) not in taken:
            yield NameKind.DEVICE, each, ()


def _agents(
    hass: HomeAssistant, entry: ConfigEntry
) -> Iterable[tuple[NameKind, Named, Iterable[str]]]:
    registry = er.async_get(hass)
    for subentry in entry.get_subentries_of_type(SUBENTRY_CONVERSATION):
        agent_id = subentry.subentry_id
        entity_id = registry.async_get_entity_id(
            Platform.CONVERSATION, DOMAIN, agent_id
        )
        yield (
            NameKind.AGENT,
            Named(id=agent_id, name=subentry.title),
            [entity_id] if entity_id else [],
        )
