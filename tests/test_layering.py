"""The walls of the house hold: where imports point, and what the pure rooms do.

Every rule is shown to fail on each kind of planted violation, and to leave alone what
looks like one and is none. Those of the doors are in test_doors.py.
"""

from pathlib import Path
import tomllib

import pytest

from checks import PACKAGE, doors, events, layers, pure_rooms
from checks._rooms import ANNEXES, BELOW_THE_LINE

from .checked_house import found, plant

ROOT = Path(__file__).parent.parent
RULES = {"doors": doors, "events": events, "layers": layers, "pure_rooms": pure_rooms}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_tree_holds(rule: str) -> None:
    """The project keeps its own rules."""
    assert [str(problem) for problem in RULES[rule].check(ROOT)] == []


def test_all_rooms_below_the_line_are_covered() -> None:
    """Whoever adds a room, or a file to one, has it measured by script/test."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    measured = set(settings["tool"]["coverage"]["report"]["include"])
    annexes = {file for file, room in ANNEXES.items() if room in BELOW_THE_LINE}
    for room in {*BELOW_THE_LINE, *annexes}:
        assert measured & {f"{PACKAGE}/{room}.py", f"{PACKAGE}/{room}/*"}, room


@pytest.mark.parametrize("rule", sorted(RULES))
def test_an_empty_tree_has_no_problem(rule: str, tmp_path: Path) -> None:
    """What is not there breaks nothing."""
    assert RULES[rule].check(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("policy/x.py", "from ..turn import Turn"),
        ("policy/x.py", "from ..gate import ToolGate"),
        ("policy/x.py", "from .. import gate"),
        ("policy/x.py", "from ..const import DOMAIN"),
        ("policy/x.py", "import custom_components.caesar.brain.loop"),
        ("policy/x.py", "from custom_components.caesar import sentinel"),
        ("policy/x.py", "def f():\n    from ..audit import event"),
        ("policy/deep/x.py", "from ...turn import Turn"),
        ("policy/x.py", "import homeassistant"),
        ("policy/x.py", "from homeassistant.core import HomeAssistant as H"),
        (
            "policy/x.py",
            "import importlib\nimportlib.import_module('homeassistant.core')",
        ),
        ("policy/x.py", "from importlib import import_module as i\ni('homeassistant')"),
        ("policy/x.py", "__import__('homeassistant')"),
        ("policy/x.py", "import voluptuous as vol"),
        ("turn.py", "from .gate import ToolGate"),
        ("turn.py", "from .sentinel import guard"),
        ("audit/x.py", "from ..sentinel import guard"),
        ("sentinel/x.py", "from ..audit import event"),
        ("sentinel/x.py", "from ..gate import ToolGate"),
        ("gate.py", "from .brain import loop"),
        ("gate.py", "from .adapters import home"),
        ("trail.py", "from .brain import loop"),
        ("result.py", "import homeassistant.core"),
        ("brain/x.py", "from ..providers import builtin"),
        ("brain/x.py", "from ..runtime import Runtime"),
        ("adapters/x.py", "from ..providers import builtin"),
        ("adapters/x.py", "from ..runtime import Runtime"),
        ("adapters/x.py", "from ..conversation import Agent"),
        ("providers/x.py", "from ..adapters import home"),
        ("runtime.py", "from .conversation import Agent"),
        ("const.py", "from .policy import call"),
        ("conversation.py", "import voluptuous"),
        ("conversation.py", "from tests import fakes"),
        ("legion/x.py", "from ..policy import call"),
        ("legion/x.py", "from .. import const"),
        ("legion/x.py", "import yaml"),
        ("legion/x.py", "def f():\n    import zeroconf"),
        ("legion/announcer.py", "import zeroconf"),
        ("legion/announce.py", "import caldav"),
        ("legion/x.py", "from requests import get"),
        ("legion/x.py", "from custom_components.caesar.legion import spec"),
    ],
)
def test_an_import_that_points_up_is_found(
    name: str, code: str, tmp_path: Path
) -> None:
    """Each arrow that must not be, in each form that an import has."""
    plant(tmp_path, name, code)
    assert found("layers", tmp_path, name)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("policy/x.py", "from .call import ToolCall\nfrom ..legion import spec"),
        ("policy/x.py", "import probatio\nimport yaml"),
        ("gate.py", "from .trail import row\nfrom .sentinel import s\nimport asyncio"),
        ("brain/x.py", "from ..gate import ToolGate\nfrom ..turn import Turn"),
        ("adapters/x.py", "from ..gate import G\nfrom ..const import DOMAIN\n"),
        ("adapters/x.py", "from homeassistant.core import HomeAssistant"),
        ("runtime.py", "from .adapters import home\nfrom .providers import builtin"),
        ("conversation.py", "from .runtime import R\nfrom .flows import agent"),
        ("legion/x.py", "import aiohttp, probatio, http_message_signatures, json"),
        ("legion/deep/x.py", "from ..spec import ToolSpec"),
        ("legion/announce.py", "import ifaddr, zeroconf.asyncio"),
        ("legion/tools/calendar_read/x.py", "from icalendar import Calendar"),
        ("legion/x.py", "from importlib import import_module as i\ni('.y', 'z')"),
    ],
)
def test_an_import_that_points_down_is_left_alone(
    name: str, code: str, tmp_path: Path
) -> None:
    """What the design allows passes."""
    plant(tmp_path, name, code)
    assert found("layers", tmp_path, name) == []


@pytest.mark.parametrize(
    "code",
    [
        "open('x')",
        "with open('x') as file: pass",
        "import builtins\nbuiltins.open('x')",
        "from pathlib import Path",
        "def f(path): return path.read_text()",
        "import socket",
        "import sqlite3 as s",
        "from subprocess import run",
        "import urllib.request",
        "from urllib import request",
        "import os.path",
        "import time\ntime.time()",
        "import time as t\nt.time()",
        "from time import time as now",
        "import time\ndef f(clock=time.monotonic): pass",
        "import time\nclock = getattr(time, 'time')",
        "from datetime import datetime\ndatetime.now()",
        "import datetime as d\nd.datetime.utcnow()",
        "from datetime import date as day\nday.today()",
        "import asyncio\nasync def f(): await asyncio.sleep(0)",
        "from asyncio import sleep as rest",
        "import asyncio\nasync def f(): await asyncio.to_thread(print)",
        "async def f(loop): await loop.run_in_executor(None, len)",
        "print('x')",
    ],
)
def test_io_and_clocks_in_a_pure_room_are_found(code: str, tmp_path: Path) -> None:
    """Whatever touches the world or asks for the time."""
    plant(tmp_path, "gate.py", code)
    assert found("pure_rooms", tmp_path, "gate.py")


@pytest.mark.parametrize(
    "name",
    ["brain/deep/x.py", "gate.py", "result.py", "sentinel/x.py", "trail.py", "turn.py"],
)
def test_each_pure_room_is_watched(name: str, tmp_path: Path) -> None:
    """The rooms with a star in the design, and the files that belong to them."""
    plant(tmp_path, name, "open('x')")
    assert found("pure_rooms", tmp_path, name)


def test_only_the_named_files_of_audit_are_pure(tmp_path: Path) -> None:
    """The store writes; the event, the clamp and the chain only compute."""
    for name in ("audit/event.py", "audit/clamp.py", "audit/chain.py"):
        plant(tmp_path, name, "import sqlite3")
        assert found("pure_rooms", tmp_path, name)
    plant(tmp_path, "audit/store.py", "import sqlite3")
    assert found("pure_rooms", tmp_path, "audit/store.py") == []


def test_what_only_looks_like_io_is_left_alone(tmp_path: Path) -> None:
    """A method called open, a time that is handed in, a sleep of something else."""
    code = """
    import asyncio
    from datetime import datetime, timedelta
    async def f(valve, clock, started: datetime):
        valve.open()
        await valve.sleep()
        async with asyncio.timeout(clock() - 3):
            return started + timedelta(seconds=1)
    """
    plant(tmp_path, "brain/x.py", code)
    assert found("pure_rooms", tmp_path, "brain/x.py") == []
