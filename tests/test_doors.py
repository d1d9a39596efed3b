"""No second door: each planted way past the gate is found, by every alias."""

from pathlib import Path

import pytest

from .checked_house import found, plant

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
    "from homeassistant.components.intent.const import TIMER_DATA",
    "from homeassistant.components.intent.timers import TimerManager",
    "def f(manager): return manager.start_timer('device', 1, 0, 0, 'en')",
    "def f(manager): cancel = manager.cancel_timer; cancel('x')",
    "def f(manager): return getattr(manager, 'pause_timer')",
    "from .legion.client import Client",
    "from .legion import client",
    "def f(client, w, r): return client.dispatch(w, r)",
    "def f(self, w, r): return self._worker_client.dispatch(w, r)",
    # A state written.
    "def f(hass): hass.states.async_set('lock.front_door', 'unlocked')",
    "def f(hass): hass.states.set('lock.front_door', 'unlocked')",
    "def f(hass): hass.states.async_remove('lock.front_door')",
    "def f(hass): put = hass.states.async_set; put('a.b', 'on')",
    "def f(hass): states = hass.states; return states",
    "from homeassistant.helpers.state import async_reproduce_state",
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
    # An entity shared with Assist.
    "def f(e, hass): return e.async_expose_entity(hass, 'conversation', 'a.b', True)",
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


FOREIGN_EVENTS = [
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
    "class A:\n    def fire(self, name): self._hass.bus.async_fire(name)\n"
    "    def g(self): self.fire('caesar_x')",
    "class A:\n    def _fire(self, name): self._hass.bus.async_fire(name)\n"
    "    def g(self): self._fire('caesar_x'); self._fire('call_service')",
    "def _fire(hass, name): hass.bus.async_fire(name)\n"
    "def g(hass, name): _fire(hass, name)",
    "def _fire(hass, name): hass.bus.async_fire(name)",
]


@pytest.mark.parametrize("code", SECOND_DOORS)
def test_a_second_door_is_found(code: str, tmp_path: Path) -> None:
    """Each way of making Home Assistant act, by each alias, from the edge."""
    plant(tmp_path, "conversation.py", code)
    assert found("doors", tmp_path, "conversation.py")


@pytest.mark.parametrize("code", FOREIGN_EVENTS)
def test_a_foreign_event_is_found(code: str, tmp_path: Path) -> None:
    """Any event that is not visibly one of CAESAR's own."""
    plant(tmp_path, "conversation.py", code)
    assert found("events", tmp_path, "conversation.py")


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
            "adapters/timers.py",
            "from homeassistant.components.intent.const import TIMER_DATA\n"
            "f = lambda manager: manager.start_timer('device', 1, 0, 0, 'en')",
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
        (
            "flows/share.py",
            "from homeassistant.components.homeassistant.exposed_entities import"
            " async_expose_entity",
        ),
        (
            "adapters/contents.py",
            "from homeassistant.components.script import ScriptEntity",
        ),
        (
            "adapters/contents.py",
            "f = lambda component: component.get_entity('scene.x').scene_config",
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
        "def f(hass): hass.services.async_call('lock', 'unlock', {})",
        "def f(entity): return entity.async_turn_on()",
        "def f(entity): return entity.script.async_run({})",
        "def f(scene): return scene.async_activate()",
        "def f(entity): return entity.async_trigger({})",
        "from homeassistant.helpers.script import Script",
        "from .service_calls import ServiceExecutor",
    ],
)
def test_who_reads_what_is_inside_starts_nothing(code: str, tmp_path: Path) -> None:
    """The module that may look at entities may not act through them."""
    plant(tmp_path, "adapters/contents.py", code)
    assert found("doors", tmp_path, "adapters/contents.py")


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
        "class A:\n    def _fire(self, name): self._hass.bus.async_fire(name)\n"
        "    def g(self): self._fire('caesar_x'); self._fire(name='caesar_y')",
        "from .const import EVENT_OURS\n"
        "def _fire(hass, name): hass.bus.async_fire(name)\n"
        "def g(hass): _fire(hass, EVENT_OURS)",
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
    assert found("events", tmp_path, "conversation.py") == []


def test_the_builders_may_import_a_door(tmp_path: Path) -> None:
    """runtime.py builds the house; approvals reach their approvers."""
    plant(tmp_path, "runtime.py", "from .adapters.service_calls import Executor")
    assert found("doors", tmp_path, "runtime.py") == []
    plant(tmp_path, "adapters/approvals.py", "from .service_calls import notify")
    assert found("doors", tmp_path, "adapters/approvals.py") == []
