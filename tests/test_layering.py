"""The walls of the house hold: imports, pure rooms, and no second door.

Every rule is shown to fail on each kind of planted violation, and to leave alone what
looks like one and is none.
"""

from pathlib import Path
from textwrap import dedent

import pytest

from checks import PACKAGE, Problem, doors, layers, pure_rooms

ROOT = Path(__file__).parent.parent
RULES = {"doors": doors, "layers": layers, "pure_rooms": pure_rooms}

CONST = '''
"""Names."""
from enum import StrEnum
DOMAIN = "caesar"
EVENT_OURS = f"{DOMAIN}_tool_called"
EVENT_FOREIGN = "call_service"
class Ours(StrEnum):
    """Events."""
    A = "caesar_a"
    B = "caesar_b"
class Mixed(StrEnum):
    """Events."""
    A = "caesar_a"
    B = "state_changed"
'''


def plant(root: Path, name: str, code: str) -> None:
    """Write a file of the integration into an otherwise empty house."""
    package = root / PACKAGE
    for path, text in ((package / "const.py", CONST), (package / name, dedent(code))):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (package / "__init__.py").touch()


def found(rule: str, root: Path, name: str) -> list[Problem]:
    """Return the problems that a rule finds in the planted file."""
    path = f"{PACKAGE}/{name}"
    return [item for item in RULES[rule].check(root) if item.path == path]


@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_tree_holds(rule: str) -> None:
    """The project keeps its own rules."""
    assert [str(problem) for problem in RULES[rule].check(ROOT)] == []


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


SECOND_DOORS = [
    # A service call, by every road.
    "def f(hass): hass.services.async_call('lock', 'unlock', {})",
    "def f(self): self._hass.services.async_call('lock', 'unlock')",
    "def f(hass): async_call = hass.services.async_call; async_call('lock', 'unlock')",
    "def f(hass): return hass.services.call",
    "def f(hass): s = hass.services; return s",
    "def f(hass, g): g(hass.services)",
    "def f(registry): registry.async_call('lock', 'unlock')",
    "def f(hass): getattr(hass.services, 'async_call')('lock', 'unlock')",
    "def f(x): return getattr(x, 'async_call')",
    "from operator import attrgetter as a\nf = a('services.async_call')",
    "import operator\nf = operator.methodcaller('async_call', 'lock', 'unlock')",
    "def f(x): return type(x).__dict__['async_call']",
    "from homeassistant.core import ServiceRegistry as R\nf = R.async_call",
    "from homeassistant.helpers.service import async_call_from_config as c",
    "from homeassistant.helpers import service as s\nf = s.async_call_from_config",
    "from homeassistant.helpers.service import entity_service_call",
    "from homeassistant.core import *",
    "from homeassistant.core import HomeAssistant\n"
    "def f(hass: HomeAssistant, name: str): getattr(hass.services, name)()",
    "from homeassistant.core import HomeAssistant\n"
    "def f(hass: HomeAssistant, x: str): getattr(hass, f'async_{x}')()",
    # An intent handler, another agent, another API's tool, a worker.
    "from homeassistant.helpers import intent\nf = intent.async_handle",
    "from homeassistant.helpers.intent import async_handle as h",
    "import homeassistant.helpers.intent as i\nf = i.async_handle",
    "from homeassistant.components import conversation as c\nf = c.async_converse",
    "from homeassistant.components.conversation import async_converse as c",
    "from homeassistant.components.conversation import async_handle_intents",
    "def f(agent, x): return agent.internal_async_process(x)",
    "from homeassistant.helpers import llm\nf = llm.async_get_api",
    "def f(api, x): return api.async_call_tool(x)",
    "def f(tool, hass, x, y): return tool.async_call(hass, x, y)",
    "from .legion.client import Client",
    "from .legion import client",
    "def f(client, w, r): return client.dispatch(w, r)",
    "def f(self, w, r): return self._worker_client.dispatch(w, r)",
    # A state written, a foreign event fired.
    "def f(hass): hass.states.async_set('lock.front_door', 'unlocked')",
    "def f(hass): hass.states.set('lock.front_door', 'unlocked')",
    "def f(hass): hass.states.async_remove('lock.front_door')",
    "def f(hass): put = hass.states.async_set; put('a.b', 'on')",
    "def f(hass): states = hass.states; return states",
    "from homeassistant.helpers.state import async_reproduce_state",
    "def f(hass): hass.bus.async_fire('call_service', {})",
    "def f(hass): hass.bus.async_fire(event_type='state_changed')",
    "def f(hass, name): hass.bus.async_fire(name)",
    "def f(hass, name: str): hass.bus.async_fire(f'{name}_caesar_x')",
    "def f(hass): hass.bus.async_fire_internal('call_service')",
    "def f(hass): hass.bus.fire('call_service')",
    "def f(hass): fire = hass.bus.async_fire; fire('caesar_x')",
    "def f(hass): bus = hass.bus; bus.async_fire('automation_reloaded')",
    "def f(hass): getattr(hass.bus, 'async_fire')('call_service')",
    "from .const import EVENT_FOREIGN\ndef f(hass): hass.bus.async_fire(EVENT_FOREIGN)",
    "from . import const as c\ndef f(hass): hass.bus.async_fire(c.EVENT_FOREIGN)",
    "from .const import Mixed\ndef f(hass, e: Mixed): hass.bus.async_fire(e)",
    "from .const import Mixed\ndef f(hass): hass.bus.async_fire(Mixed.B)",
    "NAME = 'caesar_x'\nNAME = 'call_service'\ndef f(hass): hass.bus.async_fire(NAME)",
    # A script's or an entity's own method.
    "from homeassistant.helpers.script import Script",
    "from homeassistant.helpers import script as s\nf = s.Script",
    "def f(script): return script.async_run({})",
    "def f(entity): return entity.async_turn_on()",
    "def f(entity): entity.unlock()",
    "def f(entity): return entity.async_open_cover",
    "def f(entity): return getattr(entity, 'async_unlock')",
    "def f(component): return component.get_entity('lock.front_door')",
    "from homeassistant.helpers.entity_component import DATA_INSTANCES",
    "def f(scene): return scene.async_activate()",
    "def f(satellite): return satellite.async_announce('x')",
    # Code that no reader sees.
    "eval('hass')",
    "exec('hass')",
    "import builtins\nbuiltins.exec('hass')",
    "f = __import__",
    # The module that holds a door, used by one who has no business there.
    "from .adapters import service_calls",
    "from .adapters.service_calls import ServiceExecutor as E",
    "import custom_components.caesar.adapters.service_calls",
]


@pytest.mark.parametrize("code", SECOND_DOORS)
def test_a_second_door_is_found(code: str, tmp_path: Path) -> None:
    """Each way of making Home Assistant act, by each alias, from the edge."""
    plant(tmp_path, "conversation.py", code)
    assert found("doors", tmp_path, "conversation.py")


@pytest.mark.parametrize(
    "name",
    [
        "actions/x.py",
        "adapters/deep/x.py",
        "adapters/x.py",
        "brain/x.py",
        "gate.py",
        "providers/x.py",
        "runtime.py",
    ],
)
def test_each_room_is_watched(name: str, tmp_path: Path) -> None:
    """A second door is found wherever it is cut."""
    plant(tmp_path, name, "f = lambda hass: hass.services.async_call('lock', 'unlock')")
    assert found("doors", tmp_path, name)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        (
            "adapters/service_calls.py",
            "f = lambda hass: hass.services.async_call('a', 'b')",
        ),
        (
            "adapters/intent_calls.py",
            "from homeassistant.helpers.intent import async_handle",
        ),
        (
            "adapters/agent_calls.py",
            "from homeassistant.components import conversation as c\n"
            "f = c.async_converse",
        ),
        ("adapters/llm_tools.py", "f = lambda tool, x: tool.async_call(x)"),
        ("adapters/llm_tools.py", "f = lambda api, x: api.async_call_tool(x)"),
        (
            "adapters/workers.py",
            "from ..legion.client import Client\n"
            "f = lambda client, w, r: client.dispatch(w, r)",
        ),
    ],
)
def test_a_door_opens_in_its_own_module_only(
    name: str, code: str, tmp_path: Path
) -> None:
    """The one module passes; the same lines in another adapter do not."""
    plant(tmp_path, name, code)
    assert found("doors", tmp_path, name) == []
    plant(tmp_path, "adapters/other.py", code)
    assert found("doors", tmp_path, "adapters/other.py")


@pytest.mark.parametrize(
    "code",
    [
        "def f(hass): hass.services.has_service('lock', 'unlock')",
        "def f(hass, g): hass.services.async_register('caesar', 'ask', g)",
        "def f(hass): return hass.states.get('lock.front_door')",
        "def f(hass): hass.bus.async_fire('caesar_tool_called', {})",
        "from .const import EVENT_OURS\ndef f(hass): hass.bus.async_fire(EVENT_OURS)",
        "from . import const\ndef f(hass): hass.bus.async_fire(const.EVENT_OURS)",
        "from .const import DOMAIN\ndef f(hass, x): hass.bus.async_fire(f'{DOMAIN}_{x}')",
        "from .const import Ours\ndef f(hass, e: Ours): hass.bus.async_fire(e)",
        "from .const import Ours\ndef f(hass, e: Ours): hass.bus.async_fire(e.value)",
        "from .const import Ours\ndef f(hass): hass.bus.async_fire(Ours.A)",
        "def f(hass, g): return hass.bus.async_listen('state_changed', g)",
        "def f(gate, r, t): return gate.dispatch(r, t)",
        "class Tool:\n    async def async_call(self, hass): ...",
        "class Agent:\n    async def async_process(self, x):\n"
        "        return await super().internal_async_process(x)",
        "STEPS = {'lock.unlock': ('lock', 'unlock'), 'toggle': 1}\nx = STEPS['toggle']",
        "import re\nx = re.compile('x')",
        "def f(assistant, x): return assistant.async_run(x)",
    ],
)
def test_what_is_no_door_is_left_alone(code: str, tmp_path: Path) -> None:
    """Questions, our own events and things that only share a name."""
    plant(tmp_path, "conversation.py", code)
    assert found("doors", tmp_path, "conversation.py") == []


def test_the_builders_may_import_a_door(tmp_path: Path) -> None:
    """runtime.py builds the house; approvals reach their approvers."""
    plant(tmp_path, "runtime.py", "from .adapters.service_calls import Executor")
    assert found("doors", tmp_path, "runtime.py") == []
    plant(tmp_path, "adapters/approvals.py", "from .service_calls import notify")
    assert found("doors", tmp_path, "adapters/approvals.py") == []
