"""Shared by the tests of calendar_read."""

import pytest
import pytest_socket

from house.servers import Servers
from tests.core.legion.calendar_read.bombs import SERVED_BOMB
from tests.core.legion.calendar_read.places import Place, places
from tests.core.legion.calendar_read.shapes import SHAPES
from tests.fakes.servers import servers

__all__ = ["servers"]


@pytest.fixture(autouse=True)
def loopback(socket_enabled: None) -> None:
    """Let the tests reach this machine, and no other."""
    pytest_socket.socket_allow_hosts(["127.0.0.1"], allow_unix_socket=True)


@pytest.fixture(scope="session")
def _filled_once() -> dict[str, Place]:
    """Hold what `filled` made; no fixture of a session may open a socket."""
    return {}


@pytest.fixture
def filled(
    loopback: None, servers: Servers, _filled_once: dict[str, Place]
) -> dict[str, Place]:
    """Give both servers, each with a calendar of shapes, one with a bomb and an empty one."""
    if not _filled_once:
        for place in places(servers):
            place.make("shapes", [shape.text for shape in SHAPES])
            place.make("bombs", [SERVED_BOMB.text])
            place.make("empty", [])
            _filled_once[place.name] = place
    return _filled_once


@pytest.fixture(params=["Radicale", "Xandikos"])
def place(filled: dict[str, Place], request: pytest.FixtureRequest) -> Place:
    """Give one server after the other."""
    return filled[request.param]
