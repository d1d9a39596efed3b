"""Ten thousand workers announce themselves, and one of the house's own moves."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
import socket
import struct
import time
from typing import Any, Final

from homeassistant.config_entries import ConfigSubentryDataWithId
from homeassistant.util.ulid import ulid_now

from custom_components.caesar.legion.announce import SERVICE_TYPE, Announcement
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import WorkerAddress
from custom_components.caesar.legion.server import WorkerServer
from proofs.crash_parts.findings import must
from proofs.hosts_parts.network import HOUSE_ADDRESS
from proofs.hosts_parts.standing import FOUND, House, until
from tests.ha.workers.hosts import BINS

from .line import Counting
from .peers import enrolled

TITLE: Final = "Mover"
OTHER_TYPE: Final = "_caesar-control._tcp.local."
MOST_ISSUES: Final = 5
# The most records that the package zeroconf keeps (its const.py).
ZEROCONF_KEEPS: Final = 10_000
# What the flood may take beyond the same flood of something that is not our concern.
MOST_MB: Final = 20.0
_GROUP: Final = ("224.0.0.251", 5353)
_TTL_S: Final = 4_500
_A, _PTR, _TXT, _SRV = 1, 12, 16, 33
_KINDS: Final = (_A, _PTR, _TXT, _SRV)
_IN, _UNIQUE = 1, 0x8001
_RESPONSE: Final = 0x8400
_EACH: Final = 3
_PAUSE_S: Final = 0.001


class Mover:
    """A worker of the house that is killed and comes back at another port."""

    def __init__(self, house_key: str) -> None:
        """Trust that house."""
        self._house_key = house_key
        self.worker = Counting()
        self.worker.__dict__["tools"] = (replace(BINS, name="moving_tool"),)
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
    began = told = time.monotonic()
    flooding = asyncio.create_task(asyncio.to_thread(_send, SERVICE_TYPE, number))
    slowest = 0.0
    announced = False
    while not flooding.done():
        asked = time.monotonic()
        await house.owner.request("GET", "/api/core/state")
        slowest = max(slowest, time.monotonic() - asked)
        if not announced and time.monotonic() - began > 0.5:
            announced, told = True, time.monotonic()
            await mover.announce()
    await flooding
    if not announced:
        told = time.monotonic()
        await mover.announce()
    await house.until_on(TITLE)
    followed = time.monotonic() - told
    await _caught_up(house)
    grown = house.resident_mb() - before - control
    found = await _offers(house, number)
    must(grown < MOST_MB, f"memory is bounded: {grown:.1f} MB more")
    done = await house.call("moving_tool")
    must(done["ok"], f"the worker that moved is called: {done}")
    return [
        f"  {number:,} announcements      repairs that offer one: {len(found)};"
        f" {grown:+.1f} MB beside {control:+.1f} MB for as many of another kind;"
        f" slowest answer {slowest:.2f} s;",
        f"  {'':<25}a worker of the house that moved meanwhile was followed,"
        f" in {followed:.1f} s",
    ]


async def _offers(house: House, number: int) -> list[dict[str, Any]]:
    """Return the repairs that offer a worker: as many as may be, and no more.

    Of a flood that zeroconf itself can't keep, there may be fewer.
    """

    async def all_there() -> bool:
        return len(await house.repairs(FOUND)) >= MOST_ISSUES

    if number * len(_KINDS) <= ZEROCONF_KEEPS:
        await until(all_there, f"{MOST_ISSUES} of them are offered")
    await asyncio.sleep(1)
    found = await house.repairs(FOUND)
    must(len(found) <= MOST_ISSUES, f"{MOST_ISSUES} issues at most: {len(found)}")
    return found


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
    """Yield answers that nobody asked for (RFC 1035 4.1, RFC 6762 18)."""
    for start in range(0, number, _EACH):
        records = [
            record
            for each in range(start, min(start + _EACH, number))
            for record in _records(service_type, each)
        ]
        yield struct.pack("!6H", 0, _RESPONSE, 0, len(records), 0, 0) + b"".join(
            records
        )


def _records(service_type: str, number: int) -> Iterator[bytes]:
    """Yield the records of one service, each in a key and at an address of its own."""
    key = Identity.generate().public_key
    name, server = f"evil {number} {key[:8]}.{service_type}", f"evil-{number}.local."
    texts = (f"id=evil-{number}".encode(), f"key={key}".encode())
    yield _record(service_type, _PTR, _IN, _name(name))
    yield _record(name, _SRV, _UNIQUE, struct.pack("!3H", 0, 0, 80) + _name(server))
    yield _record(
        name, _TXT, _UNIQUE, b"".join(bytes([len(text)]) + text for text in texts)
    )
    yield _record(server, _A, _UNIQUE, bytes([10, 1, number >> 8 & 255, number & 255]))


def _record(name: str, kind: int, class_: int, data: bytes) -> bytes:
    return _name(name) + struct.pack("!HHIH", kind, class_, _TTL_S, len(data)) + data


def _name(text: str) -> bytes:
    """Return a name of DNS, uncompressed; it ends with a dot."""
    labels = (label.encode() for label in text.split("."))
    return b"".join(bytes([len(label)]) + label for label in labels)
