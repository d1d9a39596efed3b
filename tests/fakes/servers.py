"""Real servers for tests: SearXNG with an offline engine, Radicale and Xandikos.

They are those of the demo house (demo/house/servers.py), in a process of their own that
ends with the tests, whatever ends them.

    from tests.fakes.servers import servers  # a fixture, in a conftest.py

    def test_something(servers: Servers) -> None: ...  # servers.search, .calendar
"""

from collections.abc import Iterator
from contextlib import contextmanager
import json
from pathlib import Path
import subprocess
import sys

import pytest

from house.process import tied_to_us
from house.servers import Servers

DEMO = Path(__file__).resolve().parents[2] / "demo"
STOP_SECONDS = 30


@contextmanager
def running_servers(folder: Path, *options: str) -> Iterator[Servers]:
    """Run the servers with options of `python -m house.servers`."""
    process = subprocess.Popen(
        [
            *tied_to_us(),
            *(sys.executable, "-m", "house.servers"),
            *(*options, str(folder)),
        ],
        cwd=DEMO,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, "the servers did not start"
        yield Servers(**json.loads(line))
    finally:
        process.stdin.close()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """Give all three servers, the same ones for all tests."""
    with running_servers(tmp_path_factory.mktemp("servers"), "--xandikos") as running:
        yield running
