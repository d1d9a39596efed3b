"""A worker makes itself known on the local network (DNS-SD over multicast DNS).

It only proposes: a person compares the key before anything is sent to it.
"""

import asyncio
from collections.abc import Iterable
from ipaddress import IPv4Address
import logging
from secrets import token_hex
from typing import TYPE_CHECKING, Final

from .messages import PROTOCOL

if TYPE_CHECKING:
    from zeroconf.asyncio import AsyncZeroconf

SERVICE_TYPE: Final = "_caesar-legion._tcp.local."
# A DNS label holds 63 bytes; a part of the key keeps two workers of one name apart.
NAME_CHARACTERS: Final = 48
KEY_CHARACTERS: Final = 8
GOODBYE_S: Final = 3.0

_LOGGER = logging.getLogger(__name__)


def label_of(worker_id: str, public_key: str) -> str:
    """Return the name under which a worker announces itself."""
    return f"{worker_id[:NAME_CHARACTERS]} {public_key[:KEY_CHARACTERS]}"


class Announcement:
    """One worker's presence on the network, from `start` to `stop`."""

    def __init__(
        self, *, worker_id: str, public_key: str, version: str, host: str, port: int
    ) -> None:
        """Announce what listens on `host` (an IPv4 address, 0.0.0.0 for all) and `port`.

        The TXT record says `id`, `key`, `version`, `protocol` and `start`. The last is
        another at each start: what is announced as before is no news to anybody.
        """
        self._texts = {
            "id": worker_id,
            "key": public_key,
            "version": version,
            "protocol": str(PROTOCOL),
            "start": token_hex(4),
        }
        self._name = f"{label_of(worker_id, public_key)}.{SERVICE_TYPE}"
        self._server = f"caesar-{public_key[:KEY_CHARACTERS].lower()}.local."
        self._host = IPv4Address(host)
        self._port = port
        self._zeroconf: AsyncZeroconf | None = None

    async def start(self) -> bool:
        """Announce, and tell whether that was possible; a worker can do without."""
        try:
            # An extra of the wheel: most workers are added by their address.
            from ifaddr import get_adapters  # noqa: PLC0415 optional, comes with it
            from zeroconf import Error, InterfaceChoice, IPVersion, ServiceInfo  # noqa: PLC0415 an optional package
            from zeroconf.asyncio import AsyncZeroconf  # noqa: PLC0415 an optional package
        except ImportError:
            _LOGGER.info("Not announced: the package zeroconf is not installed")
            return False
        try:
            own = (ip.ip for adapter in get_adapters() for ip in adapter.ips)
            addresses = self._addresses(ip for ip in own if isinstance(ip, str))
            if not addresses:
                _LOGGER.warning("Not announced: this host is in no network")
                return False
            self._zeroconf = AsyncZeroconf(
                interfaces=addresses
                if not self._host.is_unspecified
                else InterfaceChoice.All,
                ip_version=IPVersion.V4Only,
            )
            info = ServiceInfo(
                SERVICE_TYPE,
                self._name,
                port=self._port,
                properties=self._texts,
                parsed_addresses=addresses,
                server=self._server,
            )
            # A restarted worker's old record may still be known to others.
            sent = await self._zeroconf.async_register_service(
                info, allow_name_change=True
            )
            await sent
        except (Error, OSError) as error:
            _LOGGER.warning("Not announced: %s", error)
            await self.stop()
            return False
        return True

    async def stop(self) -> None:
        """Say goodbye to the network; safe to call twice."""
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf is None:
            return
        try:
            async with asyncio.timeout(GOODBYE_S):
                await zeroconf.async_close()
        except TimeoutError:
            _LOGGER.info("The network did not hear our goodbye in time")

    def _addresses(self, own: Iterable[str]) -> list[str]:
        """Return where the worker can be reached, loopback only if it is alone there."""
        if not self._host.is_unspecified:
            return [str(self._host)]
        return sorted(
            address for address in own if not IPv4Address(address).is_loopback
        )
