"""Workers announce themselves by real mDNS, on loopback; so may anybody else."""

import asyncio
from collections.abc import AsyncIterator, Callable
import socket
from typing import Any

from homeassistant.components.repairs.const import DOMAIN as REPAIRS
from homeassistant.components.zeroconf.const import DATA_INSTANCE
from homeassistant.components.zeroconf.models import HaAsyncZeroconf, HaZeroconf
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser
from zeroconf import IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from custom_components.caesar.adapters.worker_discovery import (
    MAX_FOUND,
    MAX_ISSUES,
    MAX_PENDING,
    SERVICE_TYPE,
    FoundWorker,
    WorkerDiscovery,
    found_worker,
)
from custom_components.caesar.const import DOMAIN
from custom_components.caesar.legion.keys import Identity
from tests.ha.house import CaesarHouse, async_move_in

from .peers import DICE, POLICY, answer, begin, enrol, peers, subentry


@pytest.fixture
async def air(
    hass: HomeAssistant, socket_enabled: None
) -> AsyncIterator[AsyncZeroconf]:
    """Home Assistant's zeroconf, on loopback only, and one of somebody else's."""
    own = HaZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    hass.data[DATA_INSTANCE] = HaAsyncZeroconf(zc=own)
    hass.config.components.add("zeroconf")
    other = AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    yield other
    await other.async_close()
    await hass.data[DATA_INSTANCE].ha_async_close()


@pytest.fixture
async def listening(
    hass: HomeAssistant, air: AsyncZeroconf, hass_admin_user: MockUser
) -> CaesarHouse:
    """A house that listens."""
    assert await async_setup_component(hass, "homeassistant", {})
    assert await async_setup_component(hass, "repairs", {})
    return await async_move_in(hass, hass_admin_user.id, POLICY)


def announcement(
    name: str, url: str, key: str, *, address: str = "127.0.0.1"
) -> AsyncServiceInfo:
    """Return what a worker sends (custom_components/caesar/legion/announce.py)."""
    return AsyncServiceInfo(
        SERVICE_TYPE,
        f"{name}.{SERVICE_TYPE}",
        port=int(url.rpartition(":")[2]),
        addresses=[socket.inet_aton(address)],
        properties={"id": name, "key": key, "version": "1.2", "protocol": "1"},
        server=f"{name}.local.",
    )


async def announce(air: AsyncZeroconf, service: AsyncServiceInfo) -> None:
    """Announce a service, as often as the protocol demands."""
    await (await air.async_register_service(service))


async def until(is_so: Callable[[], object]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(20):
        while not is_so():
            await asyncio.sleep(0.05)


def issues(hass: HomeAssistant, *keys: str) -> list[ir.IssueEntry]:
    """Return the offers of these workers that are shown.

    Others may be there: all tests of this machine share its loopback network.
    """
    return [
        issue
        for (domain, issue_id), issue in ir.async_get(hass).issues.items()
        if domain == DOMAIN
        and issue_id.startswith("worker_found_")
        and issue.active
        and issue.data is not None
        and issue.data["public_key"] in keys
    ]


async def test_found_compared_and_enrolled(
    hass: HomeAssistant, listening: CaesarHouse, air: AsyncZeroconf
) -> None:
    """From the repair to the form, and the repair is gone."""
    async with peers(listening, DICE) as peer:
        await announce(air, announcement("shed", peer.url, peer.key))
        await until(lambda: issues(hass, peer.key))
        (issue,) = issues(hass, peer.key)
        assert issue.translation_key == "worker_found"
        manager = hass.data[REPAIRS]["flow_manager"]
        shown: Any = await manager.async_init(
            DOMAIN, context={"issue_id": issue.issue_id}
        )
        assert shown["menu_options"] == ["compare", "ignore"]
        shown = await manager.async_configure(
            shown["flow_id"], {"next_step_id": "compare"}
        )
        assert shown["description_placeholders"] == {
            "name": "shed",
            "url": peer.url.replace(":", "\\:").replace("/", "\\/").replace(".", "\\."),
            "key": peer.key,
        }
        shown = await manager.async_configure(shown["flow_id"], {"same_key": False})
        assert shown["errors"] == {"same_key": "key_not_compared"}
        result = await manager.async_configure(shown["flow_id"], {"same_key": True})
        assert result["type"] is FlowResultType.ABORT
        form = hass.config_entries.subentries.async_get(result["next_flow"][1])
        assert form["step_id"] == "tools"
        form = await answer(hass, form, {"name": "Shed", "tools": ["dice"]})
        await answer(hass, form, {"rule": "nothing"})
        assert subentry(listening, "worker").data["public_key"] == peer.key
        await until(lambda: not issues(hass, peer.key))
        found = listening.entry.runtime_data.discovery.found
        assert peer.key not in {each.public_key for each in found}


async def test_offered_in_the_form(
    hass: HomeAssistant, listening: CaesarHouse, air: AsyncZeroconf
) -> None:
    """A found worker can be chosen; its key has to be compared there, too."""
    async with peers(listening, DICE) as peer:
        await announce(air, announcement("shed", peer.url, peer.key))
        await until(lambda: issues(hass, peer.key))
        shown = await begin(hass, listening, "worker")
        assert shown["type"] is FlowResultType.MENU
        shown = await answer(hass, shown, {"next_step_id": "found"})
        shown = await answer(hass, shown, {"found": peer.key})
        assert shown["step_id"] == "compare"
        assert (shown["description_placeholders"] or {})["key"] == peer.key
        shown = await answer(hass, shown, {"same_key": False})
        assert shown["errors"] == {"same_key": "key_not_compared"}
        shown = await answer(hass, shown, {"same_key": True})
        assert shown["step_id"] == "tools"


async def test_gone_with_its_announcement(
    hass: HomeAssistant, listening: CaesarHouse, air: AsyncZeroconf
) -> None:
    """Unless a person ignored it: that is remembered."""
    key, ignored = (Identity.generate().public_key for _ in range(2))
    one = announcement("shed", "x:1", key)
    two = announcement("barn", "x:2", ignored)
    await announce(air, one)
    await announce(air, two)
    await until(lambda: len(issues(hass, key, ignored)) == 2)
    (id_,) = [i.issue_id for i in issues(hass, ignored)]
    manager = hass.data[REPAIRS]["flow_manager"]
    shown = await manager.async_init(DOMAIN, context={"issue_id": id_})
    result = await manager.async_configure(shown["flow_id"], {"next_step_id": "ignore"})
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "ignored")
    await (await air.async_unregister_service(one))
    await (await air.async_unregister_service(two))
    await until(lambda: len(issues(hass, key, ignored)) == 1)
    assert [issue.issue_id for issue in issues(hass, key, ignored)] == [id_]
    await hass.config_entries.async_unload(listening.entry.entry_id)
    assert [issue.issue_id for issue in issues(hass, key, ignored)] == [id_]


async def test_found_again_elsewhere(
    hass: HomeAssistant, listening: CaesarHouse, air: AsyncZeroconf
) -> None:
    """A worker of the house that moved is followed, without a click."""
    async with peers(listening, DICE) as peer:
        worker = await enrol(hass, listening, peer)
        old = peer.url
        await peer.stop()
        await listening.entry.runtime_data.workers.async_refresh(worker.subentry_id)
        await peer.start(DICE)
        assert peer.url != old
        await announce(air, announcement("shed", peer.url, peer.key))
        await until(lambda: subentry(listening, "worker").data["url"] == peer.url)
        await hass.async_block_till_done()
        workers = listening.entry.runtime_data.workers
        await until(lambda: workers.status(worker.subentry_id).online)
        assert issues(hass, peer.key) == []


async def test_nobody_can_move_a_worker(
    hass: HomeAssistant, listening: CaesarHouse, air: AsyncZeroconf
) -> None:
    """Neither one that is well, nor to where somebody else answers in its name."""
    async with peers(listening, DICE) as peer, peers(listening, DICE) as thief:
        worker = await enrol(hass, listening, peer)
        old = peer.url
        discovery = listening.entry.runtime_data.discovery
        workers = listening.entry.runtime_data.workers
        await until(lambda: workers.status(worker.subentry_id).online)
        twin = FoundWorker(name="shed", url=thief.url, public_key=peer.key)
        await discovery.async_learn("a", twin)
        assert subentry(listening, "worker").data["url"] == old

        await peer.stop()
        await workers.async_refresh(worker.subentry_id)
        assert not workers.status(worker.subentry_id).online
        await discovery.async_learn("a", twin)
        assert subentry(listening, "worker").data["url"] == old
        assert peer.key not in {each.public_key for each in discovery.found}


async def test_ten_thousand_announcements(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Nothing grows with them, and the house's own workers are looked at first."""
    async with peers(house, DICE) as peer:
        await enrol(hass, house, peer)
    discovery = WorkerDiscovery(
        hass, house.entry, house.entry.runtime_data.workers, pause_s=0
    )
    air = Zeroconf(interfaces=["127.0.0.1"])
    try:
        for name in (*(f"evil-{number}" for number in range(10_000)), "Shed"):
            discovery.async_heard(
                air, SERVICE_TYPE, f"{name}.{SERVICE_TYPE}", ServiceStateChange.Added
            )
    finally:
        await hass.async_add_executor_job(air.close)
    assert discovery.waiting == MAX_PENDING + 1
    assert discovery._next() == f"Shed.{SERVICE_TYPE}"
    assert discovery._next() == f"evil-0.{SERVICE_TYPE}"

    keys = [Identity.generate().public_key for _ in range(100)]
    for number in range(10_000):
        await discovery.async_learn(
            f"evil-{number}.{SERVICE_TYPE}",
            FoundWorker(
                name=f"evil-{number}",
                url=f"http://10.0.0.1:{number}",
                public_key=keys[number % 100],
            ),
        )
    assert len({worker.public_key for worker in discovery.found}) == MAX_FOUND
    assert len(discovery.found) == MAX_FOUND
    assert len(issues(hass, *keys)) == MAX_ISSUES
    await discovery.async_stop()
    assert issues(hass, *keys) == []


async def test_announcements_that_cannot_be_read(
    hass: HomeAssistant, listening: CaesarHouse, air: AsyncZeroconf
) -> None:
    """They end nothing: the next good one is found."""
    discovery = listening.entry.runtime_data.discovery
    for name in (
        "no name of a service",
        f".{SERVICE_TYPE}",
        f"{'x' * 300}.{SERVICE_TYPE}",
    ):
        discovery.async_heard(
            air.zeroconf, SERVICE_TYPE, name, ServiceStateChange.Added
        )
    key = Identity.generate().public_key
    service = announcement("barn", "x:2", key)
    await announce(air, service)
    await until(lambda: issues(hass, key))
    await (await air.async_unregister_service(service))


KEY = Identity.generate().public_key


@pytest.mark.parametrize(
    ("said", "address", "url"),
    [
        ({"id": "shed", "key": KEY}, "192.168.1.9", "http://192.168.1.9:80"),
        ({"key": KEY}, "127.0.0.1", "http://127.0.0.1:80"),
        ({"id": "shed", "key": KEY}, "8.8.8.8", None),
        ({"id": "shed", "key": KEY}, "0.0.0.0", None),
        ({"id": "shed", "key": KEY[:-1]}, "192.168.1.9", None),
        ({"id": "shed", "key": ""}, "192.168.1.9", None),
        ({"id": "shed"}, "192.168.1.9", None),
    ],
)
def test_what_an_announcement_is_worth(
    said: dict[str, str], address: str, url: str | None
) -> None:
    """A key that is none, and an address in the internet, are no worker."""
    info = AsyncServiceInfo(
        SERVICE_TYPE,
        f"x.{SERVICE_TYPE}",
        port=80,
        addresses=[socket.inet_aton(address)],
        properties=said,
    )
    found = found_worker(info)
    assert (found.url if found else None) == url


def test_the_name_of_an_announcement_is_one_short_line() -> None:
    """Whatever was sent."""
    info = AsyncServiceInfo(
        SERVICE_TYPE,
        f"x.{SERVICE_TYPE}",
        port=80,
        addresses=[
            socket.inet_aton("10.0.0.1"),
            socket.inet_pton(socket.AF_INET6, "fd00::1"),
        ],
        properties={"id": "a\n# b \u202e" + "x" * 150, "key": KEY},
    )
    found = found_worker(info)
    assert found is not None
    assert found.name == "a # b " + "x" * 58
    assert found.url == "http://10.0.0.1:80"
