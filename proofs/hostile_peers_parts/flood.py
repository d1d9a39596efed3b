"""Ten thousand workers announce themselves, and one of the house's own moves."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
import socket
import time
from typing import Final

from homeassistant.config_entries import ConfigSubentryDataWithId
from homeassistant.util.ulid import ulid_now
from zeroconf import DNSAddress, DNSOutgoing, DNSPointer, DNSService, DNSText

from custom_components.caesar.legion.announce import SERVICE_TYPE, Announcement
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import WorkerAddress
from custom_components.caesar.legion.server import WorkerServer
from proofs.crash_parts.findings import must
from proofs.hosts_parts.network import HOUSE_ADDRESS
from proofs.hosts_parts.standing import FOUND, House, until

from .line import Counting
from .peers import QUICK, enrolled

TITLE: Final = "Mover"
OTHER_TYPE: Final = "_caesar-control._tcp.local."
MOST_ISSUES: Final = 5
# What the flood may take beyond the same flood of something that is not our concern.
MOST_MB: Final = 20.0
_GROUP: Final = ("224.0.0.251", 5353)
_TTL_S: Final = 4_500
_A, _PTR, _TXT, _SRV = 1, 12, 16, 33
_IN, _UNIQUE = 1, 0x8001
_RESPONSE: Final = 0x8400
_EACH: Final = 4
_PAUSE_S: Final = 0.002


class Mover:
    """A worker of the house that is killed and comes back at another port."""

    def __init__(self, house_key: str) -> None:
        """Trust that house."""
        self._house_key = house_key
        self.worker = Counting()
        self.worker.__dict__["tools"] = (replace(QUICK, name="moving_tool"),)
        self._identity = Identity.generate()
        self._subentry_id = ulid_now()
        self._server: WorkerServer | None = None
        self._announcement: Announcement | None = None
        self._port = 0

    @property
    def enrolled(self) -> ConfigSubentryDataWithId:
        """Return its subentry; it has another name in the house than on the network."""
        url = f"http://{HOUSE_ADDRESS}:{self._port}"
        address = WorkerAddress(url=url, public_key=self._identity.public_key)
        return enrolled(self._subentry_id, TITLE, address, *self.worker.tools)

    async def start(self) -> None:
        """Listen at a new port."""
        self._server = WorkerServer(
            "attic", [self.worker], self._identity, [self._house_key], version="1"
        )
        self._port = await self._server.start(HOUSE_ADDRESS, 0)

    async def announce(self) -> None:
        """Announce itself, as every worker does."""
        self._announcement = Announcement(
            worker_id="attic",
            public_key=self._identity.public_key,
            version="1",
            host=HOUSE_ADDRESS,
            port=self._port,
        )
        must(await self._announcement.start(), "a worker can be announced")

    async def stop(self) -> None:
        """Be gone."""
        if self._announcement is not None:
            await self._announcement.stop()
        if self._server is not None:
            await self._server.stop()
            self._server = None


async def prove_flood(house: House, mover: Mover, number: int) -> list[str]:
    """Flood the network; return what came of it. Raises Unproven."""
    await house.until_on(TITLE)
    before = house.resident_mb()
    await asyncio.to_thread(_send, OTHER_TYPE, number)
    await _caught_up(house)
    control = house.resident_mb() - before
    await mover.stop()
    # It is called once, so that the house knows it away.
    await house.call("moving_tool")
    await until(lambda: _is_off(house), f"{TITLE} is away")
    await mover.start()
    began = time.monotonic()
    flooding = asyncio.create_task(asyncio.to_thread(_send, SERVICE_TYPE, number))
    slowest = 0.0
    announced = False
    while not flooding.done():
        asked = time.monotonic()
        await house.owner.request("GET", "/api/core/state")
        slowest = max(slowest, time.monotonic() - asked)
        if not announced and time.monotonic() - began > 0.5:
            announced = True
            await mover.announce()
    await flooding
    if not announced:
        await mover.announce()
    await house.until_on(TITLE)
    followed = time.monotonic() - began
    await _caught_up(house)
    grown = house.resident_mb() - before - control
    found = await house.repairs(FOUND)
    must(0 < len(found) <= MOST_ISSUES, f"{MOST_ISSUES} issues at most: {len(found)}")
    must(grown < MOST_MB, f"memory is bounded: {grown:.1f} MB more")
    done = await house.call("moving_tool")
    must(done["ok"], f"the worker that moved is called: {done}")
    return [
        f"  {number:,} announcements      {len(found)} repairs offer a worker,"
        f" {grown:+.1f} MB beside {control:+.1f} MB for as many of another kind,"
        f" slowest answer {slowest:.2f} s;",
        f"  {'':<25}a worker of the house that moved meanwhile was followed,"
        f" {followed:.1f} s after the flood began",
    ]


async def _is_off(house: House) -> bool:
    return not await house.is_on(TITLE)


async def _caught_up(house: House) -> None:
    """Wait until Home Assistant has read what was sent: it answers quickly again."""
    quick = 0
    while quick < 5:
        asked = time.monotonic()
        await house.owner.request("GET", "/api/core/state")
        quick = quick + 1 if time.monotonic() - asked < 0.1 else 0
        await asyncio.sleep(0.05)


def _send(service_type: str, number: int) -> None:
    """Send so many announcements, a few in each packet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        own = socket.inet_aton(HOUSE_ADDRESS)
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
        sender.bind((HOUSE_ADDRESS, _GROUP[1]))
        for packet in _packets(service_type, number):
            sender.sendto(packet, _GROUP)
            time.sleep(_PAUSE_S)


def _packets(service_type: str, number: int) -> Iterator[bytes]:
    for start in range(0, number, _EACH):
        out = DNSOutgoing(_RESPONSE)
        for each in range(start, min(start + _EACH, number)):
            _announce(out, service_type, each)
        yield from out.packets()


def _announce(out: DNSOutgoing, service_type: str, number: int) -> None:
    key = Identity.generate().public_key
    name, server = f"evil {number} {key[:8]}.{service_type}", f"evil-{number}.local."
    text = b"".join(
        bytes([len(part)]) + part
        for part in (f"id=evil-{number}".encode(), f"key={key}".encode())
    )
    out.add_answer_at_time(DNSPointer(service_type, _PTR, _IN, _TTL_S, name), 0)
    out.add_answer_at_time(
        DNSService(name, _SRV, _UNIQUE, _TTL_S, 0, 0, 80, server), 0
    )
    out.add_answer_at_time(DNSText(name, _TXT, _UNIQUE, _TTL_S, text), 0)
    address = socket.inet_aton(f"10.{number >> 16 & 255}.{number >> 8 & 255}.7")
    out.add_answer_at_time(DNSAddress(server, _A, _UNIQUE, _TTL_S, address), 0)
