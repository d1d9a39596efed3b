"""The first sentence of a house costs nobody a second: all are read before."""

import asyncio
from collections.abc import Callable

from homeassistant.auth.models import User
from homeassistant.components.conversation import default_agent
from homeassistant.core import CALLBACK_TYPE, CoreState, HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.caesar.adapters.warm_up import NAME, WarmUp
from custom_components.caesar.const import DOMAIN
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.providers.builtin import tool_sentences
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.loop_guard import loop_guard
from tests.ha.house import async_move_in

LAMP = ToolSpec(
    name="lamp_oil",
    title="Oil",
    description="Tells how much oil is left.",
    input_schema={"type": "object"},
    sentences={"en": ("how much lamp oil is left",)},
)
WICK = ToolSpec(
    name="wick",
    title="Wick",
    description="Tells how long the wick is.",
    input_schema={"type": "object"},
)


class Tools:
    """A registry of tools, and a brain that notes what it reads."""

    def __init__(self) -> None:
        """Know one tool."""
        self.now: tuple[ToolSpec, ...] = (LAMP,)
        self.listeners: list[Callable[[], None]] = []
        self.read: list[str | tuple[ToolSpec, ...]] = []
        self.fails = False

    def enrolled(self) -> tuple[ToolSpec, ...]:
        """Return them."""
        return self.now

    def listen(self, listener: Callable[[], None]) -> CALLBACK_TYPE:
        """Take a listener in."""
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def tell(self, *tools: ToolSpec) -> None:
        """Have these tools from now on."""
        self.now = tools
        for listener in self.listeners:
            listener()

    async def prepare(self, language: str) -> None:
        """Read a language's own sentences."""
        self.read.append(language)
        if self.fails:
            raise RuntimeError("no sentences")

    async def prepare_tools(self, language: str) -> None:
        """Read the tools' sentences."""
        self.read.append(self.now)
        if self.fails:
            raise RuntimeError("no sentences")


async def settle() -> None:
    """Let what is ready to run do so."""
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.usefixtures("warm_up")
async def test_each_change_is_read_once_and_none_before_the_start(
    hass: HomeAssistant,
) -> None:
    """A hello that changes nothing costs nothing; what fails is tried at the next."""
    entry = MockConfigEntry(domain=DOMAIN)
    tools = Tools()
    hass.set_state(CoreState.starting)
    WarmUp(hass, entry, tools, tools).async_start()
    tools.tell(LAMP)
    await settle()
    assert tools.read == []

    hass.set_state(CoreState.running)
    hass.bus.async_fire("homeassistant_started")
    await settle()
    assert tools.read == ["en", (LAMP,)]
    tools.tell(LAMP)
    await settle()
    assert len(tools.read) == 2
    tools.fails = True
    tools.tell(LAMP, WICK)
    await settle()
    tools.fails = False
    tools.tell(WICK)
    await settle()
    assert tools.read[2:] == [(LAMP, WICK), (WICK,)]

    await entry._async_process_on_unload(hass)
    assert tools.listeners == []
    assert NAME not in {task.get_name() for task in asyncio.all_tasks()}


@pytest.mark.usefixtures("warm_up")
async def test_a_brain_that_fails_goes_on_to_the_tools(hass: HomeAssistant) -> None:
    """They are other sentences."""
    entry = MockConfigEntry(domain=DOMAIN)
    tools = Tools()
    tools.fails = True
    WarmUp(hass, entry, tools, tools).async_start()
    await settle()
    assert tools.read == ["en", (LAMP,)]
    await entry._async_process_on_unload(hass)


@pytest.mark.usefixtures("warm_up")
async def test_nothing_is_read_when_somebody_speaks(
    hass: HomeAssistant, hass_admin_user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither Home Assistant's sentences nor a worker's; the loop isn't held up."""
    read: list[str] = []
    ready = asyncio.Event()
    first = tool_sentences.ToolSentences.prepare
    second = tool_sentences._read

    def prepare(self: tool_sentences.ToolSentences, *given: object) -> None:
        first(self, *given)  # type: ignore[arg-type]  # what it was given
        hass.loop.call_soon_threadsafe(ready.set)

    def reads(spec: ToolSpec, base: str) -> object:
        read.append(spec.name)
        return second(spec, base)

    monkeypatch.setattr(tool_sentences.ToolSentences, "prepare", prepare)
    monkeypatch.setattr(tool_sentences, "_read", reads)
    monkeypatch.setattr(
        "custom_components.caesar.adapters.worker_registry.WorkerRegistry.enrolled",
        lambda self: (LAMP,),
    )
    await async_build_house(hass)
    house = await async_move_in(hass, hass_admin_user.id)
    async with asyncio.timeout(60):
        await ready.wait()
    assert read == ["lamp_oil"]

    loads = default_agent.DefaultAgent.async_get_or_load_intents
    loaded: list[object] = []

    async def get_or_load(self: default_agent.DefaultAgent, language: str) -> object:
        before = language in self._lang_intents
        loaded.append(before)
        return await loads(self, language)

    monkeypatch.setattr(
        default_agent.DefaultAgent, "async_get_or_load_intents", get_or_load
    )
    with loop_guard():
        await house.ask("how much lamp oil is left")
    assert loaded
    assert all(loaded)
    assert read == ["lamp_oil"]
