"""Somebody who talks to a scripted model in a house that remembers."""

import sqlite3
from typing import Any, Final

from homeassistant.core import Context

from custom_components.caesar.adapters.assistant import Assistant
from custom_components.caesar.adapters.report import TurnReport
from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    StopReason,
    TextDelta,
    UserMessage,
)
from custom_components.caesar.const import DOMAIN
from custom_components.caesar.turn import ToolRequest
from tests.fakes.provider import ScriptedProvider, Step

from .house import CaesarHouse

ANSWER: Final = "The answer."


def call(name: str, **arguments: Any) -> Step:
    """Return a round of a model that makes one call."""
    return [
        ToolRequest(id="call-1", name=name, arguments=arguments),
        Completed(stop=StopReason.TOOL_USE),
    ]


FORGET: Final = call("forget_conversation")
SAY: Final[Step] = [TextDelta(text=ANSWER), Completed(stop=StopReason.END)]


class Person:
    """Somebody who talks to a scripted model in one conversation."""

    def __init__(
        self, house: CaesarHouse, user_id: str | None, conversation: str = "talk"
    ) -> None:
        """Talk as this user."""
        self._house = house
        self._user_id = user_id
        self._conversation = conversation

    async def say(self, text: str, *steps: Step) -> TurnReport:
        """Say something; the model does as it is written."""
        return (await self.hear(text, *steps))[0]

    async def hear(
        self, text: str, *steps: Step
    ) -> tuple[TurnReport, CompletionRequest]:
        """Say something; return the report and what the model was sent first."""
        provider = ScriptedProvider([*(steps or (SAY,)), SAY])
        own = self._house.assistant
        report = await Assistant(own._house, own.settings, [provider]).async_ask(
            text,
            Context(user_id=self._user_id),
            language="en",
            conversation_id=self._conversation,
        )
        return report, provider.requests[0]

    async def history(self) -> list[str]:
        """Return what a model is sent of the conversation before a new message."""
        _, request = await self.hear("and now")
        return [
            each.text
            for each in request.messages[:-1]
            if isinstance(each, UserMessage | AssistantMessage)
        ]


async def rows(house: CaesarHouse, statement: str, *values: str) -> list[Any]:
    """Read from the file."""

    def read() -> list[Any]:
        db = sqlite3.connect(house.database)
        found = db.execute(statement, values).fetchall()
        db.close()
        return found

    return await house.hass.async_add_executor_job(read)


async def forget(
    house: CaesarHouse, context: Context | None = None, **data: Any
) -> dict[str, Any]:
    """Call the action."""
    response = await house.hass.services.async_call(
        DOMAIN,
        "forget",
        data,
        blocking=True,
        return_response=True,
        context=context or Context(user_id=house.user_id),
    )
    assert response is not None
    return dict(response)


async def restart(house: CaesarHouse) -> None:
    """Unload and load the entry."""
    assert await house.hass.config_entries.async_reload(house.entry.entry_id)
    await house.hass.async_block_till_done()


async def verified(house: CaesarHouse) -> bool:
    """Return whether the trail's chain is whole."""
    check = await house.entry.runtime_data.audit.async_verify()
    return check["ok"] is True
