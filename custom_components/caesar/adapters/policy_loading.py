"""From a policy file's text to a policy with compiled conditions, not in force yet."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant

from ..legion.canonical import Json
from ..policy.engine import LoadedPolicy
from ..policy.loader import load_policy
from .conditions import CompiledConditions, async_compile
from .directory import HouseDirectory, async_directory
from .policy_store import PolicyText


class How(StrEnum):
    """How a policy came into force, as the trail tells it."""

    START = "start"
    RELOAD = "reload"
    SAVE = "save"
    RULE = "rule"
    UNDO = "undo"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Who changes the policy (a user's id), how, and from which denial (its seq)."""

    how: How
    by: str | None = None
    denial: int | None = None

    def as_json(self) -> dict[str, Json]:
        """Return the change as the trail holds it."""
        return {"how": self.how.value, "by": self.by, "denial": self.denial}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A policy that could be put into force; else its conditions must be unloaded."""

    source: PolicyText
    policy: LoadedPolicy
    conditions: CompiledConditions
    directory: HouseDirectory


class PolicyLoader:
    """Reads texts as policies of this house."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry,
        pins: Callable[[], Iterable[str]],
    ) -> None:
        """Know the people, areas, devices and agents; `pins` names the PINs."""
        self._hass = hass
        self._entry = entry
        self._pins = pins

    async def async_prepare(self, source: PolicyText) -> Ready:
        """Parse a text and compile its conditions. Raises PolicyError."""
        directory = await async_directory(self._hass, self._entry, self._pins())
        policy = await self._hass.async_add_executor_job(
            load_policy, source.text, directory
        )
        conditions = await async_compile(self._hass, policy.conditions, policy.places)
        return Ready(
            source=source, policy=policy, conditions=conditions, directory=directory
        )

    async def async_still_loads(self, ready: Ready) -> None:
        """Try a policy's text with the names of today. Raises PolicyError."""
        directory = await async_directory(self._hass, self._entry, self._pins())
        if directory != ready.directory:
            await self._hass.async_add_executor_job(
                load_policy, ready.source.text, directory
            )
