"""What is offered to a model stays small, whatever the house and its workers hold."""

from collections.abc import Iterable

from homeassistant.core import HomeAssistant, ServiceCall
import pytest

from custom_components.caesar.adapters.reads import FIND_ENTITIES, GET_STATE, read_tools
from custom_components.caesar.adapters.toolbox import (
    CALL_SERVICE,
    MAX_SERVICES_CHARS,
    MAX_TOOLS,
    HouseToolbox,
)
from custom_components.caesar.legion.spec import Annotations, ToolSpec
from custom_components.caesar.tool import Tool


class Workers:
    """Workers with so many tools."""

    def __init__(self, count: int, name: str = "tool_") -> None:
        """Name them so that the order is that of their numbers."""
        self.count = count
        self._name = name

    def get(self, name: str) -> Tool | None:
        """Return none: nothing is called here."""
        return None

    def all(self) -> Iterable[Tool]:
        """Return them, the last first."""
        return [self._tool(number) for number in reversed(range(self.count))]

    def _tool(self, number: int) -> Tool:
        (read, *_) = read_tools(None)  # type: ignore[arg-type]  # never carried out
        spec = ToolSpec(
            name=f"{self._name}{number:03}",
            title="Tool",
            description="Does something.",
            input_schema={
                "type": "object",
                "properties": {"x": {"type": "string", "pattern": "a" * 99}},
            },
            annotations=Annotations(),
        )
        return Tool(spec=spec, executor=read.executor, to_call=read.to_call)


def toolbox(
    hass: HomeAssistant, workers: Workers, *never: str, intents: Workers | None = None
) -> HouseToolbox:
    """Return a toolbox of a policy that could grant all but some."""
    return HouseToolbox(
        hass,
        read_tools(None),  # type: ignore[arg-type]  # never carried out
        None,  # type: ignore[arg-type]  # never carried out either
        lambda tool: tool not in never,
        workers,
        lambda: ("light", "scene"),
        intents,
    )


async def nothing(call: ServiceCall) -> None:
    """Do nothing."""


def described(box: HouseToolbox) -> str:
    """Return what `call_service` says of itself."""
    [found] = [tool for tool in box.all() if tool.spec.name == CALL_SERVICE]
    return found.spec.description


async def test_services_are_told_by_their_domains(hass: HomeAssistant) -> None:
    """Those of kinds that nobody shares are left out; without any, so is the tool."""
    box = toolbox(hass, Workers(0), "light.toggle")
    assert [tool.spec.name for tool in box.all()][:2] == [
        GET_STATE.name,
        FIND_ENTITIES.name,
    ]
    assert CALL_SERVICE not in {tool.spec.name for tool in box.all()}
    for service in ("turn_on", "toggle", "turn_off"):
        hass.services.async_register("light", service, nothing)
    hass.services.async_register("vacuum", "start", nothing)
    hass.services.async_register("notify", "phone", nothing)
    assert described(box).endswith(
        " The owner's policy may allow light: turn_off, turn_on; notify: phone."
    )


async def test_the_list_of_services_is_bounded(hass: HomeAssistant) -> None:
    """What is shared comes first; of the rest the number is told."""
    for number in range(40):
        for service in range(4):
            hass.services.async_register(f"a{number}", f"service_{service}", nothing)
    hass.services.async_register("light", "turn_on", nothing)
    hass.services.async_register("scene", "turn_on", nothing)
    text = described(toolbox(hass, Workers(0)))
    assert len(text) < MAX_SERVICES_CHARS + 250
    assert "may allow light: turn_on; scene: turn_on; a0: service_0" in text
    told = text.count("service_")
    assert text.endswith(f"; and {160 - told} more by their names.")


async def test_at_most_fifty_tools(
    hass: HomeAssistant, caplog: pytest.LogCaptureFixture
) -> None:
    """Reads and services stay; of the workers' those that could be granted (B-8)."""
    hass.services.async_register("light", "turn_on", nothing)
    workers = Workers(60)
    box = toolbox(hass, workers, "tool_000")
    names = [tool.spec.name for tool in box.all()]
    assert len(names) == MAX_TOOLS
    assert names[3:6] == [CALL_SERVICE, "tool_001", "tool_002"]
    box.all()
    assert caplog.text.count("at most 50 tools") == 1
    workers.count = 61
    box.all()
    assert caplog.text.count("at most 50 tools") == 2
    workers.count = 3
    assert "tool_000" in {tool.spec.name for tool in box.all()}
    assert all("pattern" not in str(tool.spec.input_schema) for tool in box.all())


@pytest.mark.parametrize("count", [10, 48, 70])
async def test_the_owners_intents_count_too(hass: HomeAssistant, count: int) -> None:
    """They come before the workers' tools, and take none beyond the fifty."""
    hass.services.async_register("light", "turn_on", nothing)
    intents = Workers(count, "intent__")
    box = toolbox(hass, Workers(60), "intent__000", intents=intents)
    names = [tool.spec.name for tool in box.all()]
    assert len(names) == MAX_TOOLS
    owners = [name for name in names if name.startswith("intent__")]
    assert owners[0] == "intent__001"
    assert len(owners) == min(count - 1, MAX_TOOLS - 4)
