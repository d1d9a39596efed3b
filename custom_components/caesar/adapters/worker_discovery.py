"""Workers that announce themselves in the local network, by mDNS (RFC 6762, 6763).

An announcement proves nothing: anybody in the network can send any, in any number. So
it only offers: a new worker to a person, who compares its key, and a new address of a
worker that is away to that worker's own signature.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
import hashlib
import ipaddress
import logging
from typing import Final

from homeassistant.components import zeroconf as ha_zeroconf
from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from zeroconf import Error as ZeroconfError, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo

from ..const import CONF_PUBLIC_KEY, CONF_URL, DOMAIN, SUBENTRY_WORKER
from ..legion.announce import label_of
from ..legion.errors import LegionError
from ..legion.keys import KeyTextError, public_bytes
from ..legion.messages import WorkerAddress
from ..wording import one_line, plain
from .worker_registry import WorkerRegistry

_LOGGER = logging.getLogger(__name__)

SERVICE_TYPE: Final = "_caesar-legion._tcp.local."
ISSUE_FOUND: Final = "worker_found"
MAX_FOUND: Final = 20
MAX_ISSUES: Final = 5
# Announcements that wait to be looked at; what comes beyond is lost, except from a
# worker that is known by its name.
MAX_PENDING: Final = 50
MAX_NAME: Final = 64
PAUSE_S: Final = 0.2
RESOLVE_MS: Final = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundWorker:
    """What an announcement says; all of it was written by whoever sent it."""

    name: str
    url: str
    public_key: str

    @property
    def issue_id(self) -> str:
        """Return the id of its repair issue: the same key is the same worker."""
        return (
            f"{ISSUE_FOUND}_{hashlib.sha256(self.public_key.encode()).hexdigest()[:16]}"
        )


class WorkerDiscovery:
    """Listens on Home Assistant's own zeroconf, and keeps what it hears within bounds."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry,
        registry: WorkerRegistry,
        *,
        pause_s: float = PAUSE_S,
    ) -> None:
        """Listen for this house; between two announcements it rests `pause_s` seconds."""
        self._hass = hass
        self._entry = entry
        self._registry = registry
        self._pause_s = pause_s
        self._found: dict[str, FoundWorker] = {}
        self._pending: dict[str, None] = {}
        self._heard = asyncio.Event()
        self._browser: AsyncServiceBrowser | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def found(self) -> tuple[FoundWorker, ...]:
        """Return the workers that announce themselves and aren't part of the house."""
        known = self._enrolled()
        return tuple(
            worker for worker in self._found.values() if worker.public_key not in known
        )

    @property
    def waiting(self) -> int:
        """Return how many announcements wait to be looked at."""
        return len(self._pending)

    async def async_start(self) -> None:
        """Begin to listen, unless this Home Assistant has no zeroconf."""
        if "zeroconf" not in self._hass.config.components:
            return
        shared = await ha_zeroconf.async_get_async_instance(self._hass)
        self._task = self._entry.async_create_background_task(
            self._hass, self._async_work(shared.zeroconf), "caesar discovery"
        )
        self._browser = AsyncServiceBrowser(
            shared.zeroconf, SERVICE_TYPE, handlers=[self.async_heard]
        )

    async def async_stop(self) -> None:
        """Stop listening; what was found and not ignored is forgotten."""
        if self._browser is not None:
            await self._browser.async_cancel()
            self._browser = None
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None
        self._found.clear()
        self._pending.clear()
        self._show()

    @callback
    def async_heard(
        self,
        zeroconf: Zeroconf,
        service_type: str,
        name: str,
        state_change: ServiceStateChange,
    ) -> None:
        """Note an announcement; zeroconf calls this with these very names."""
        if state_change is ServiceStateChange.Removed:
            self._pending.pop(name, None)
            if self._found.pop(name, None) is not None:
                self._show()
            return
        known = name in self._found or _label(name) in self._names()
        if known or len(self._pending) < MAX_PENDING:
            self._pending[name] = None
            self._heard.set()

    async def _async_work(self, zeroconf: Zeroconf) -> None:
        """Look at one announcement after the other, slowly enough for any flood."""
        while True:
            await self._heard.wait()
            name = self._next()
            if name is None:
                self._heard.clear()
                continue
            try:
                info = AsyncServiceInfo(SERVICE_TYPE, name)
                there = await info.async_request(zeroconf, RESOLVE_MS)
                worker = found_worker(info) if there else None
            except (ZeroconfError, OSError, ValueError) as err:
                _LOGGER.debug("An announcement can't be read: %s", err)
                worker = None
            if worker is not None:
                await self.async_learn(name, worker)
            await asyncio.sleep(self._pause_s)

    def _next(self) -> str | None:
        """Return whose announcement is looked at next: the house's own come first."""
        names = self._names()
        own = (name for name in self._pending if _label(name) in names)
        name = next(own, None) or next(iter(self._pending), None)
        if name is not None:
            del self._pending[name]
        return name

    async def async_learn(self, name: str, worker: FoundWorker) -> None:
        """Take in what an announcement says."""
        subentry = self._enrolled().get(worker.public_key)
        if subentry is not None:
            await self._async_known(subentry, worker)
            return
        others = {each.public_key for key, each in self._found.items() if key != name}
        if worker.public_key in others:
            return
        if name in self._found or len(self._found) < MAX_FOUND:
            self._found[name] = worker
            self._show()

    async def _async_known(self, subentry: ConfigSubentry, worker: FoundWorker) -> None:
        """Say hello to a worker of the house; follow it only if that is really it.

        While it answers where it is known to be, no announcement can move it; nor
        from an address that nobody can listen to on the way to one where they can.
        """
        status = self._registry.status(subentry.subentry_id)
        if status is not None and status.online:
            return
        known = str(subentry.data[CONF_URL])
        if worker.url == known or known.startswith("https:"):
            await self._registry.async_refresh(subentry.subentry_id)
            return
        address = WorkerAddress(url=worker.url, public_key=worker.public_key)
        try:
            await self._registry.async_probe(address)
        except LegionError as err:
            _LOGGER.debug("No worker of the house at %s: %s", worker.url, err)
            return
        # The person may have changed or removed it while it was asked.
        now = self._enrolled().get(worker.public_key)
        if now is not None:
            self._hass.config_entries.async_update_subentry(
                self._entry, now, data={**now.data, CONF_URL: worker.url}
            )

    def _enrolled(self) -> dict[str, ConfigSubentry]:
        """Return the house's workers by their keys."""
        return {
            str(subentry.data[CONF_PUBLIC_KEY]): subentry
            for subentry in self._entry.get_subentries_of_type(SUBENTRY_WORKER)
        }

    def _names(self) -> frozenset[str]:
        """Return under which names the house's own workers announce themselves.

        Whole names: of those that only begin or end alike there may be any number.
        """
        called = {
            status.public_key: status.worker_id for status in self._registry.statuses()
        }
        return frozenset(
            name.casefold()
            for key, subentry in self._enrolled().items()
            for name in (
                subentry.title,
                label_of(subentry.title, key),
                label_of(called.get(key) or subentry.title, key),
            )
        )

    @callback
    def _show(self) -> None:
        """Have one repair issue for each of the first few that nobody ignored."""
        registry = ir.async_get(self._hass)

        def is_ignored(issue_id: str) -> bool:
            issue = registry.async_get_issue(DOMAIN, issue_id)
            return issue is not None and issue.dismissed_version is not None

        wanted = {
            worker.issue_id: worker
            for worker in self.found
            if not is_ignored(worker.issue_id)
        }
        shown = dict(list(wanted.items())[:MAX_ISSUES])
        for domain, issue_id in list(registry.issues):
            if (
                domain == DOMAIN
                and issue_id.startswith(f"{ISSUE_FOUND}_")
                and issue_id not in shown
                and not is_ignored(issue_id)
            ):
                ir.async_delete_issue(self._hass, DOMAIN, issue_id)
        for issue_id, worker in shown.items():
            ir.async_create_issue(
                self._hass,
                DOMAIN,
                issue_id,
                is_fixable=True,
                severity=ir.IssueSeverity.WARNING,
                translation_key=ISSUE_FOUND,
                translation_placeholders={
                    "name": plain(worker.name),
                    "url": plain(worker.url),
                    "key": plain(worker.public_key),
                },
                data={
                    "name": worker.name,
                    CONF_URL: worker.url,
                    CONF_PUBLIC_KEY: worker.public_key,
                },
            )


def found_worker(info: AsyncServiceInfo) -> FoundWorker | None:
    """Return what an announcement says; None if it can't be a worker of this house.

    Only addresses that don't lead into the internet count: nobody there is announced
    in a local network.
    """
    said = info.decoded_properties
    key, name = said.get("key") or "", said.get("id") or _label(info.name)
    host = _host(info.parsed_addresses())
    if host is None or not info.port:
        return None
    try:
        public_bytes(key)
    except KeyTextError:
        return None
    return FoundWorker(
        name=one_line(name)[:MAX_NAME] or key[:8],
        url=f"http://{host}:{info.port}",
        public_key=key,
    )


def _host(addresses: list[str]) -> str | None:
    """Return the first address that can be used in a URL, the short kind first."""
    usable = []
    for text in addresses:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            continue
        # A link-local one of version 6 means nothing without the name of an interface.
        link = address.version == 6 and address.is_link_local
        near = address.is_private or address.is_link_local
        if near and not link and not address.is_unspecified:
            usable.append(address)
    if not usable:
        return None
    best = min(usable, key=lambda address: address.version)
    return f"[{best}]" if best.version == 6 else str(best)


def _label(name: str) -> str:
    return name.removesuffix(f".{SERVICE_TYPE}").casefold()
