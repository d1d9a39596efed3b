"""What happens to a device is written down outside Home Assistant, with its call."""

import asyncio
from collections.abc import AsyncIterator
import json
from pathlib import Path
import signal
import sys
from typing import Any

from homeassistant.core import Context, HomeAssistant
import pytest
import pytest_socket

from custom_components.demo_house.effects import UNIX_PREFIX
from house.in_hass import async_build_house

DEMO = Path(__file__).resolve().parents[2] / "demo"


@pytest.fixture
def unix_sockets(socket_enabled: None) -> None:
    """Let this test reach sockets on the disk, which phcc blocks as well."""
    pytest_socket.socket_allow_hosts(["127.0.0.1"], allow_unix_socket=True)


@pytest.fixture
async def device(tmp_path: Path) -> AsyncIterator[Path]:
    """Run a device in a process of its own, and give its folder."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "house.device"),
        *("--socket", str(tmp_path / "socket"), "--log", str(tmp_path / "log")),
        cwd=DEMO,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    yield tmp_path
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0


def lines(log: Path) -> list[dict[str, Any]]:
    """Return what was written down."""
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.mark.usefixtures("enable_custom_integrations", "unix_sockets")
async def test_a_device_writes_down_who_did_what(
    hass: HomeAssistant, device: Path
) -> None:
    """Each line names the entity, the action and the call's context."""
    await async_build_house(hass, effects=f"{UNIX_PREFIX}{device / 'socket'}")
    context = Context(parent_id="the-turn")
    await hass.services.async_call(
        "lock",
        "unlock",
        {"entity_id": ["lock.front_door", "lock.shed"]},
        blocking=True,
        context=context,
    )
    written = lines(device / "log")
    assert {line["entity_id"] for line in written} == {"lock.front_door", "lock.shed"}
    for line in written:
        assert line["action"] == "unlock"
        assert line["context_id"] == context.id
        assert line["parent_id"] == "the-turn"
        assert line["user_id"] is None


@pytest.mark.usefixtures("enable_custom_integrations")
async def test_two_slow_steps_are_two_effects_of_one_call(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    """A file will do as a log; the delay lies between the two lines."""
    log = tmp_path / "log"
    await async_build_house(hass, effects=str(log))
    context = Context()
    await hass.services.async_call(
        "demo_house",
        "slow_two_step",
        {"entity_id": "light.bedroom_lamp", "delay": 0},
        blocking=True,
        context=context,
    )
    written = lines(log)
    assert [line["data"] for line in written] == [
        {"brightness": 255},
        {"brightness": 85},
    ]
    assert {line["context_id"] for line in written} == {context.id}
    light = hass.states.get("light.bedroom_lamp")
    assert light is not None
    assert light.attributes["brightness"] == 85


@pytest.mark.usefixtures("enable_custom_integrations", "unix_sockets")
async def test_nothing_happens_that_the_device_did_not_take(
    hass: HomeAssistant, tmp_path: Path
) -> None:
    """Without the device the state stays as it is."""
    await async_build_house(hass, effects=f"{UNIX_PREFIX}{tmp_path / 'nobody'}")
    with pytest.raises(FileNotFoundError):
        await hass.services.async_call(
            "lock", "unlock", {"entity_id": "lock.shed"}, blocking=True
        )
    shed = hass.states.get("lock.shed")
    assert shed is not None
    assert shed.state == "locked"


async def test_the_device_ends_when_its_input_closes(tmp_path: Path) -> None:
    """A test that dies leaves no device behind."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "house.device"),
        *("--socket", str(tmp_path / "socket"), "--log", str(tmp_path / "log")),
        cwd=DEMO,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    _, _ = await process.communicate(b"")
    assert process.returncode == 0
