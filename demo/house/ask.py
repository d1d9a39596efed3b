"""Asks, in each of the ways in which one can be heard."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Protocol

from .answers import Turn
from .client import Client, Site
from .errors import HouseError
from .moving_in import AGENT
from .onboarding import child
from .options import Asker

QUESTION_EVENT = "demo_house_question"
ANSWER_EVENT = "demo_house_answer"
ANSWER_SECONDS = 60.0
CONVERSATION = "script-run"


class Ask(Protocol):
    """A way to ask."""

    async def __call__(self, text: str, language: str) -> Turn:
        """Ask and return what came of it. Raises HouseError if there is no answer."""


@asynccontextmanager
async def asking(
    asker: Asker, site: Site, owner: Client, *, talk: bool = False
) -> AsyncIterator[Ask]:
    """Give the way in which `asker` asks; with `talk` all in one conversation.

    What a satellite hears is one conversation anyway.
    """
    more = {"conversation_id": CONVERSATION} if talk else {}
    match asker:
        case Asker.OWNER:
            yield AskAsUser(owner, more)
        case Asker.CHILD:
            yield AskAsUser(await child(site, owner), more)
        case Asker.SATELLITE:
            yield AskBySatellite(owner)
        case Asker.AUTOMATION:
            async with owner.socket() as socket:
                await socket.command("subscribe_events", event_type=ANSWER_EVENT)
                yield AskByAutomation(owner, socket.events(), more)


class AskAsUser:
    """A user runs the action `caesar.ask`."""

    def __init__(self, user: Client, more: dict[str, str]) -> None:
        """Take the user, and what else each question says."""
        self._user = user
        self._more = more

    async def __call__(self, text: str, language: str) -> Turn:
        """Ask over REST."""
        data = {"text": text, "language": language, "agent": AGENT, **self._more}
        return Turn.of(text, await self._user.action("caesar.ask", data))


class AskBySatellite:
    """The satellite in the children's room hears the text; nobody is logged in."""

    def __init__(self, owner: Client) -> None:
        """Take the user who makes the satellite hear; Assist never learns of them."""
        self._owner = owner

    async def __call__(self, text: str, language: str) -> Turn:
        """Let it hear. The calls are read from the trail when the run is over."""
        heard = await self._owner.action(
            "demo_house.hear", {"text": text, "language": language}
        )
        kept: dict[str, Any] = heard["extra_data"] or {}
        return Turn(
            text=text, answer=heard["answer"], decision_id=kept.get("decision_id")
        )


class AskByAutomation:
    """An automation runs `caesar.ask` and passes the response on."""

    def __init__(
        self,
        owner: Client,
        answers: AsyncIterator[dict[str, Any]],
        more: Mapping[str, Any],
    ) -> None:
        """Take who fires the event, the automation's answers, and more to ask with."""
        self._owner = owner
        self._more = more
        self._answers = answers
        self._number = 0

    async def __call__(self, text: str, language: str) -> Turn:
        """Fire the question and wait for the answer."""
        self._number += 1
        await self._owner.request(
            "POST",
            f"/api/events/{QUESTION_EVENT}",
            {
                "number": self._number,
                "question": {
                    "text": text,
                    "language": language,
                    "agent": AGENT,
                    **self._more,
                },
            },
        )
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                async for event in self._answers:
                    if event["number"] == self._number and event["answer"]:
                        return Turn.of(text, event["answer"])
                    if event["number"] == self._number:
                        break
        except TimeoutError:
            pass
        raise HouseError(f"The automation gave no answer to {text!r}.")
