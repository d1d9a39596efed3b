"""A worker makes itself known on the network, and takes its leave.

Real multicast DNS on the loopback interface, and the real library at both ends.
"""

import asyncio
from collections.abc import AsyncIterator
import sys

import pytest
from zeroconf import IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from custom_components.caesar.legion.announce import SERVICE_TYPE, Announcement
from custom_components.caesar.legion.keys import Identity

from .workers import until

pytestmark = pytest.mark.usefixtures("socket_enabled")

KEY = Identity.generate().public_key
# Others on this host may announce workers at the same time.
OWN = f"attic-{KEY[10:16].lower()}"


def announcement(
    *, worker_id: str = OWN, key: str = KEY, host: str = "127.0.0.1"
) -> Announcement:
    """Return the announcement of a worker."""
    return Announcement(
        worker_id=worker_id, public_key=key, version="1.2.3", host=host, port=8765
    )


class Watcher:
    """Somebody who listens, as Home Assistant does."""

    def __init__(self) -> None:
        """Listen on loopback only."""
        self.zeroconf = AsyncZeroconf(
            interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only
        )
        self.present: set[str] = set()
        self.heard: list[ServiceStateChange] = []
        self._browser = AsyncServiceBrowser(
            self.zeroconf.zeroconf, SERVICE_TYPE, handlers=[self._changed]
        )

    def _changed(
        self,
        zeroconf: Zeroconf,
        service_type: str,
        name: str,
        state_change: ServiceStateChange,
    ) -> None:
        if not name.startswith(OWN):
            return
        self.heard.append(state_change)
        if state_change is ServiceStateChange.Removed:
            self.present.discard(name)
        else:
            self.present.add(name)

    async def count(self, number: int) -> None:
        """Wait until so many workers are there."""
        await until(lambda: len(self.present) == number)

    async def close(self) -> None:
        """Stop listening."""
        await self._browser.async_cancel()
        await self.zeroconf.async_close()


@pytest.fixture
async def watcher() -> AsyncIterator[Watcher]:
    """Return somebody who listens."""
    watching = Watcher()
    yield watching
    await watching.close()


async def test_a_worker_is_found_and_lost(watcher: Watcher) -> None:
    """The record says who it is and where; it is gone with the worker."""
    announced = announcement()
    assert await announced.start() is True
    await watcher.count(1)
    (name,) = watcher.present
    assert name.startswith(f"{OWN} {KEY[:8]}")
    info = AsyncServiceInfo(SERVICE_TYPE, name)
    assert await info.async_request(watcher.zeroconf.zeroconf, 3_000)
    said = dict(info.decoded_properties)
    assert len(said.pop("start") or "") == 8
    assert said == {"id": OWN, "key": KEY, "version": "1.2.3", "protocol": "1"}
    assert (info.parsed_addresses(), info.port) == (["127.0.0.1"], 8765)
    await announced.stop()
    await watcher.count(0)
    await announced.stop()


async def test_coming_back_is_news(
    watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever was killed and is where it was is noticed at once all the same."""
    killed = announcement()
    assert await killed.start() is True
    await watcher.count(1)

    async def no_goodbye() -> None:
        """Be gone without a word."""

    monkeypatch.setattr(killed._zeroconf, "async_unregister_all_services", no_goodbye)
    await killed.stop()
    again = announcement()
    assert await again.start() is True
    await until(lambda: ServiceStateChange.Updated in watcher.heard)
    assert len(watcher.present) == 1
    await again.stop()


async def test_two_workers_of_one_name(watcher: Watcher) -> None:
    """Their keys tell them apart."""
    several = [announcement(), announcement(key=Identity.generate().public_key)]
    for one in several:
        assert await one.start() is True
    await watcher.count(2)
    for one in several:
        await one.stop()
    await watcher.count(0)


async def test_a_long_name_is_cut(watcher: Watcher) -> None:
    """A label of DNS holds 63 bytes."""
    announced = announcement(worker_id=OWN + "-" * 50)
    assert await announced.start() is True
    await watcher.count(1)
    await announced.stop()


def test_all_addresses_but_loopback() -> None:
    """A worker on all interfaces is nowhere else to be found than on those."""
    own = ["127.0.0.1", "192.0.2.7", "10.0.0.2"]
    assert announcement(host="0.0.0.0")._addresses(own) == ["10.0.0.2", "192.0.2.7"]
    assert announcement(host="192.0.2.7")._addresses(own) == ["192.0.2.7"]


async def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra; the worker serves all the same."""
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    announced = announcement()
    assert await announced.start() is False
    await announced.stop()


async def test_a_host_that_is_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody could reach it."""
    monkeypatch.setattr("ifaddr.get_adapters", list)
    assert await announcement(host="0.0.0.0").start() is False
    assert "this host is in no network" in caplog.text


async def test_without_a_network(caplog: pytest.LogCaptureFixture) -> None:
    """An address of another host can't be announced from here; no crash."""
    announced = announcement(host="203.0.113.7")
    assert await announced.start() is False
    assert "Not announced" in caplog.text
    await announced.stop()


async def test_a_network_that_hangs_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The goodbye is a courtesy; it holds up nobody."""
    monkeypatch.setattr("custom_components.caesar.legion.announce.GOODBYE_S", 0.05)
    announced = announcement()
    assert await announced.start() is True
    held = announced._zeroconf
    assert held is not None
    with monkeypatch.context() as hanging:
        hanging.setattr(held, "async_close", asyncio.Event().wait)
        async with asyncio.timeout(5):
            await announced.stop()
    await held.async_close()
