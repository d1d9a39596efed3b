"""A house in which people are asked: its policy, and ways to say something in it."""

from collections.abc import Callable
from pathlib import Path
import time
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.components import conversation
from homeassistant.components.assist_pipeline import (
    async_get_pipelines,
    async_update_pipeline,
)
from homeassistant.components.conversation.chat_log import DATA_CHAT_LOGS
from homeassistant.core import Context, HomeAssistant
import pytest

from custom_components.caesar.adapters.approvals import Approvals
from custom_components.caesar.adapters.lasting_id import own_id
from custom_components.caesar.sentinel.approvals import PendingApproval, Standing
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in

FRONT_DOOR: Final = "lock.front_door"
KITCHEN: Final = "light.kitchen_light"
SATELLITE: Final = "assist_satellite.childrens_room_satellite"
AGENT: Final = "conversation.caesar"
POLICY: Final = """
version: 1
allowed_services:
  - service: light.turn_on
    approval: always
  - service: light.turn_off
  - service: lock.unlock
    approval: always
  - service: lock.lock
    approval: always
  - service: cover.open_cover
    approval: always
allowed_tools: []
"""


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house, under a policy that asks."""
    hass_admin_user.name = "Adult"
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id, POLICY)


def approvals(house: CaesarHouse) -> Approvals:
    """Return what asks people."""
    found: Approvals = house.entry.runtime_data.approvals
    return found


def waiting(house: CaesarHouse) -> tuple[PendingApproval, ...]:
    """Return what waits for an answer."""
    return approvals(house).desk.pending()


async def say(
    house: CaesarHouse,
    text: str,
    *,
    context: Context | None = None,
    conversation_id: str | None = "chat",
    language: str = "en",
) -> conversation.ConversationResult:
    """Say something to the agent in a conversation."""
    return await conversation.async_converse(
        house.hass,
        text,
        conversation_id,
        context or Context(user_id=house.user_id),
        language,
        agent_id=AGENT,
    )


def speech(result: conversation.ConversationResult) -> str:
    """Return what was answered."""
    return str(result.response.speech["plain"]["speech"])


def log_of(house: CaesarHouse, result: conversation.ConversationResult) -> list[Any]:
    """Return what stands in Home Assistant's log of the conversation."""
    assert result.conversation_id is not None
    log = house.hass.data[DATA_CHAT_LOGS][own_id(result.conversation_id)]
    return [content.as_dict() for content in log.content[1:]]


def all_logs(house: CaesarHouse) -> str:
    """Return what stands in all of Home Assistant's logs of conversations."""
    logs = house.hass.data[DATA_CHAT_LOGS].values()
    return str([content.as_dict() for log in logs for content in log.content])


async def listen_with_caesar(house: CaesarHouse, language: str = "en") -> None:
    """Let the satellite's assistant be CAESAR, in a language."""
    preferred = async_get_pipelines(house.hass)[0]
    await async_update_pipeline(
        house.hass,
        preferred,
        conversation_engine=AGENT,
        conversation_language=language,
    )


async def tell_satellite(house: CaesarHouse, text: str, language: str = "en") -> str:
    """Let the satellite hear something, and return what it answers."""
    heard = await house.hass.services.async_call(
        "demo_house",
        "hear",
        {"text": text, "language": language},
        blocking=True,
        return_response=True,
        context=Context(user_id=house.user_id),
    )
    assert heard is not None
    return str(heard["answer"])


async def until(house: CaesarHouse, done: Callable[[], bool]) -> None:
    """Wait until something is so; background work is let run."""
    for _ in range(400):
        if done():
            return
        await house.hass.async_add_executor_job(_a_moment)
    raise AssertionError("it never came to be so")


async def settle(house: CaesarHouse) -> None:
    """Let everything run that has no reason to wait."""
    for _ in range(30):
        await house.hass.async_add_executor_job(_a_moment)


def standing(house: CaesarHouse, approval_id: str) -> Standing | None:
    """Return how a question stands."""
    found = approvals(house).desk.find(approval_id)
    return found.standing if found else None


async def kept_files(house: CaesarHouse) -> str:
    """Return everything that CAESAR has written, as text."""
    config = Path(house.hass.config.config_dir)

    def read() -> str:
        files = [*config.glob("caesar/*"), *config.glob(".storage/caesar*")]
        return "".join(
            path.read_bytes().decode(errors="replace")
            for path in files
            if path.is_file()
        )

    return await house.hass.async_add_executor_job(read)


def _a_moment() -> None:
    time.sleep(0.01)
