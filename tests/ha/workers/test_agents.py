"""Tools of workers in the hands of other conversation agents."""

from dataclasses import replace

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import llm
import probatio
import pytest

from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.sentinel import desk
from tests.ha.house import CaesarHouse, async_move_in

from .hosts import BINS, EVERYTHING, SAFE, Host, changed, registry_of, until

DIARY = changed(BINS, name="diary", annotations=replace(SAFE, private_data=True))
SEARCH = changed(BINS, name="search", annotations=replace(SAFE, open_world=True))
LONG = changed(BINS, name="b" * 64)
POLICY = f"""version: 1
allowed_tools:
  - tool: diary
  - tool: search
  - tool: {LONG.name}
"""


@pytest.fixture
async def shed(hass: HomeAssistant, hass_admin_user: User, host: Host) -> CaesarHouse:
    """Return a house whose worker knows a diary and searches elsewhere."""
    specs = (DIARY, SEARCH, LONG)
    await host.start(*specs)
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        POLICY,
        [host.subentry(*specs, confirmed=EVERYTHING)],
    )
    await until(hass, lambda: len(registry_of(house).tools()) == 3, "not heard")
    return house


async def api_of(house: CaesarHouse) -> llm.APIInstance:
    """Return the API as the MCP server gets it for a request of the owner's."""
    return await llm.async_get_api(
        house.hass,
        "caesar",
        llm.LLMContext(
            platform="mcp_server",
            context=Context(user_id=house.user_id),
            language="*",
            assistant="conversation",
            device_id=None,
        ),
    )


async def call(house: CaesarHouse, name: str) -> llm.ToolResult:
    """Call a tool."""
    api = await api_of(house)
    return await api.async_call_tool(llm.ToolInput(f"caesar__{name}", {"bin": "a"}))


async def test_a_tool_is_listed_and_called(shed: CaesarHouse, host: Host) -> None:
    """With what a person has confirmed of it, and under a name that models take."""
    tools = {tool.name: tool for tool in (await api_of(shed)).tools}
    diary = tools["caesar__diary"]
    assert diary.annotations == llm.ToolAnnotations(
        read_only=True, destructive=False, idempotent=True, open_world=False
    )
    shown = probatio.to_openapi(diary.parameters, openapi_version="3.1.0")
    assert shown["properties"] == {"bin": {"type": "string"}}
    [long] = [name for name in tools if name.startswith("caesar__bbb")]
    assert len(long) == 64
    result = await call(shed, long.removeprefix("caesar__"))
    assert result.data["result"] == {"tool": LONG.name, "say": "Monday."}
    assert [task.tool for task in host.tasks] == [LONG.name]


async def test_what_was_private_leaves_only_with_a_yes(
    shed: CaesarHouse, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent may search; once it has read the diary, a person is asked first."""
    monkeypatch.setitem(desk.WAITS_S, Origin.AGENT, 0.0)
    assert not (await call(shed, "search")).error
    assert not (await call(shed, "diary")).error
    result = await call(shed, "search")
    assert result.data["error"] == "approval_needed"
    assert [task.tool for task in host.tasks] == ["search", "diary"]
