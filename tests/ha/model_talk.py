"""Conversations with a model that does as a test tells it, and what they leave."""

from collections.abc import Sequence
import json
import sqlite3
from typing import Any, Final

from homeassistant.core import Context
from homeassistant.util.ulid import ulid_now

from custom_components.caesar.adapters.assistant import Assistant
from custom_components.caesar.brain.provider import (
    Completed,
    ProviderEvent,
    StopReason,
    TextDelta,
)
from custom_components.caesar.turn import ToolRequest
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from tests.fakes.provider import ScriptedProvider
from tests.ha.house import CaesarHouse

LIGHTS: Final = """
version: 1
allowed_services:
  - light.turn_on
  - light.turn_off
  - media_player.play_media
"""
LIGHT: Final = "light.kitchen_light"
PLAYER: Final = "media_player.living_room_speaker"


def call(number: int, name: str, **arguments: Any) -> ToolRequest:
    """Return a model's call."""
    return ToolRequest(id=f"call-{number}", name=name, arguments=arguments)


def light_on(number: int = 1) -> ToolRequest:
    """Return a model's call for the light."""
    return call(number, "light__turn_on", entity_id=LIGHT)


def player(number: int = 1) -> ToolRequest:
    """Return a model's look at what is playing."""
    return call(number, "get_state", entity_id=[PLAYER])


def rounds(*steps: Sequence[ToolRequest]) -> list[list[ProviderEvent]]:
    """Return a model's turn: its calls, round by round, and an answer."""
    called: list[list[ProviderEvent]] = [
        [*step, Completed(stop=StopReason.TOOL_USE)] for step in steps
    ]
    return [*called, [TextDelta(text="Here."), Completed(stop=StopReason.END)]]


class Talk:
    """A conversation of a person with a model that does as it is told here."""

    def __init__(self, house: CaesarHouse) -> None:
        """Begin one."""
        self.house = house
        self.id = ulid_now()
        self.prompt: list[str] = []

    async def turn(self, *steps: Sequence[ToolRequest]) -> dict[str, str]:
        """Run a turn; return what came of each call by its tool."""
        model = ScriptedProvider(rounds(*steps))
        own = self.house.assistant
        report = await Assistant(own._house, own.settings, [model]).async_ask(
            "please",
            Context(user_id=self.house.user_id),
            language="en",
            conversation_id=self.id,
        )
        self.prompt = [
            message.text
            for message in model.requests[0].messages
            if hasattr(message, "text")
        ]
        return {made["tool"]: made["code"] for made in report.calls}


async def events(house: CaesarHouse, type_: str | None = None) -> list[dict[str, Any]]:
    """Return the payloads of the trail, of one type or of all."""
    await house.hass.async_block_till_done()

    def read() -> list[dict[str, Any]]:
        db = sqlite3.connect(f"file:{house.database}?mode=ro", uri=True)
        rows = db.execute(
            "SELECT event_type, payload, taint FROM audit_log ORDER BY id"
        )
        found = [
            {**json.loads(payload), "taint": json.loads(taint)}
            for event_type, payload, taint in rows
            if type_ in (None, event_type)
        ]
        db.close()
        return found

    return await house.hass.async_add_executor_job(read)
