"""Another conversation agent in the demo house, and what it is told."""

from dataclasses import dataclass
import json
import sqlite3
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import llm
import pytest

from custom_components.caesar.llm_api import API_ID
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.sentinel import desk
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in

POLICY: Final = """
version: 1
allowed_services:
  - service: light.turn_on
    target: {entity_id: [light.kitchen_light]}
    tainted: allow
  - service: light.turn_off
    tainted: allow
  - service: light.turn_on
    name: children's room
    for: {area: [Children's room]}
    target: {entity_id: [light.night_light]}
    tainted: allow
  - service: switch.turn_on
  - service: lock.unlock
    approval: always
  - service: media_player.volume_set
    for: {origin: [automation]}
    tainted: allow
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an agent is told of a call."""

    data: dict[str, Any]
    error: bool


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house."""
    hass_admin_user.name = "Adult"
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id, POLICY)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nobody wait for an answer of other people's."""
    monkeypatch.setitem(desk.WAITS_S, Origin.AGENT, 0.0)


class OtherAgent:
    """Uses the API as Home Assistant's MCP server does, anew for each request."""

    def __init__(self, house: CaesarHouse, user_id: str | None, **more: Any) -> None:
        """Act for a user, or for nobody; `more` is what Home Assistant says of it."""
        self._house = house
        self._user_id = user_id
        self._more: dict[str, Any] = {
            "platform": "mcp_server",
            "language": "*",
            "assistant": "conversation",
            "device_id": None,
            **more,
        }

    async def api(self, context: Context | None = None) -> llm.APIInstance:
        """Return the API of a new request."""
        return await llm.async_get_api(
            self._house.hass,
            API_ID,
            llm.LLMContext(
                context=context or Context(user_id=self._user_id), **self._more
            ),
        )

    async def call(
        self, tool: str, arguments: dict[str, Any], context: Context | None = None
    ) -> Told:
        """Call a tool."""
        api = await self.api(context)
        return told(
            await api.async_call_tool(llm.ToolInput(f"caesar__{tool}", arguments))
        )

    async def act(
        self, service: str, context: Context | None = None, **data: Any
    ) -> Told:
        """Call a service."""
        domain, _, name = service.partition(".")
        arguments: dict[str, Any] = {
            "domain": domain,
            "service": name,
            "target": {"entity_id": data.pop("entity_id")},
            "data": data,
        }
        return await self.call("call_service", arguments, context)


def told(result: Any) -> Told:
    """Return a result, whatever JSON it is, in a form that tests can look into."""
    assert isinstance(result, llm.ToolResult)
    return Told(data=dict(result.data), error=result.error)


@pytest.fixture
def adult(house: CaesarHouse) -> OtherAgent:
    """Return an agent that an administrator uses."""
    return OtherAgent(house, house.user_id)


async def rows(house: CaesarHouse, result: Told) -> list[dict[str, Any]]:
    """Return the trail's rows of a call, oldest first."""
    decision_id = result.data["decision_id"]

    def read() -> list[dict[str, Any]]:
        db = sqlite3.connect(f"file:{house.database}?mode=ro", uri=True)
        db.row_factory = sqlite3.Row
        found = db.execute(
            "SELECT * FROM audit_log WHERE decision_id = ? ORDER BY id", (decision_id,)
        ).fetchall()
        db.close()
        return [
            {**dict(row), "caller": json.loads(row["caller"] or "{}")} for row in found
        ]

    await house.hass.async_block_till_done()
    return await house.hass.async_add_executor_job(read)
