"""The servers of the demo house: started, stopped, found again."""

from collections.abc import Callable
from pathlib import Path
import socket
import subprocess
import sys
from time import monotonic, sleep
from urllib.parse import urlsplit

import pytest

from house.errors import HouseError
from house.library import PAGES, find
from house.seed import CONFIGURATION, TIME_ZONE
from house.servers import Servers, starting
from tests.fakes.servers import DEMO, running_servers

ROOT = DEMO.parent


def test_setting_them_up_again_takes_no_time() -> None:
    """Every run does it."""
    script = ROOT / "script" / "servers.sh"
    first = subprocess.run([script], check=True, capture_output=True, text=True)
    started = monotonic()
    second = subprocess.run([script], check=True, capture_output=True, text=True)
    assert monotonic() - started < 1
    assert second.stdout == first.stdout
    assert Path(first.stdout.strip()).is_file()
    assert subprocess.run([script, "--there"], check=False).returncode == 0


def test_a_folder_that_is_kept_keeps_its_ports(tmp_path: Path) -> None:
    """What CAESAR was told of them stays true."""
    with running_servers(tmp_path) as first:
        assert first.xandikos == ""
        ports = listening(first)
        assert ports == [True, True]
    assert listening(first) == [False, False]
    with running_servers(tmp_path) as second:
        assert second == first


@pytest.mark.usefixtures("socket_enabled")
async def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    """It is no use to start elsewhere then."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        (tmp_path / "searxng.port").write_text(str(port))
        with pytest.raises(HouseError, match=f"Port {port}, where searxng"):
            async with starting(tmp_path):
                pass


@pytest.mark.usefixtures("socket_enabled")
async def test_a_server_that_ends_is_named(tmp_path: Path) -> None:
    """Here Radicale finds a file in the place of its folder."""
    (tmp_path / "radicale").write_text("")
    async with starting(tmp_path) as servers:
        with pytest.raises(HouseError, match="server radicale of the demo house did"):
            await servers.until_up()


@pytest.mark.parametrize("when", ["starting", "up"])
def test_killed_it_leaves_nothing_running(tmp_path: Path, when: str) -> None:
    """Whatever ends it, and whenever, the servers end too."""
    process = subprocess.Popen(
        [sys.executable, "-m", "house.servers", "--xandikos", str(tmp_path)],
        cwd=DEMO,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        if when == "up":
            assert process.stdout.readline()
        else:
            assert until(lambda: len(running_in(tmp_path)) > 1)
        # It and at least one server.
        assert len(running_in(tmp_path)) > 1
        process.kill()
    assert until(lambda: not running_in(tmp_path)), running_in(tmp_path)


def test_the_library_finds_the_best_page_first() -> None:
    """In both languages; a site bounds it."""
    assert find("the boiling point of ethanol")[0].url.endswith(
        "chemistry.example/ethanol"
    )
    assert find("Siedepunkt von Ethanol")[0].url.endswith("chemie.example/ethanol")
    assert [page.url for page in find("heat pump site:builders.example")] == [
        "https://builders.example/heat-pump-noise"
    ]
    assert find("nothing of the kind") == []
    assert len({page.url for page in PAGES}) == len(PAGES) >= 16


def test_the_calendars_zone_is_the_houses() -> None:
    """Events are told in it."""
    text = (CONFIGURATION / "configuration.yaml").read_text(encoding="utf-8")
    assert f"time_zone: {TIME_ZONE}\n" in text


def until(is_so: Callable[[], bool]) -> bool:
    """Wait until something is so, at most half a minute; return whether it is."""
    end = monotonic() + 30
    while not is_so() and monotonic() < end:
        sleep(0.02)
    return is_so()


def running_in(folder: Path) -> list[str]:
    """Return the commands of the processes that work for or in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            if command and str(folder) in (command + str((process / "cwd").readlink())):
                found.append(command)
        except OSError:
            # It has ended meanwhile, or is somebody else's.
            continue
    return found


def listening(servers: Servers) -> list[bool]:
    """Return for each server whether it takes connections."""
    urls = (servers.search, servers.calendar, servers.xandikos)
    return [_takes(urlsplit(url).port or 0) for url in urls if url]


def _takes(port: int) -> bool:
    # In a process of its own: the tests' one may not open sockets.
    code = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
    command = [sys.executable, "-I", "-S", "-c", code]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0
