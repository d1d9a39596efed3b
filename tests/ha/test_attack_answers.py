"""A hostile model tries to get a yes that the person gave to something else."""

import asyncio
from collections.abc import AsyncGenerator
import sqlite3

from homeassistant.components import conversation
from homeassistant.core import Context, HomeAssistant
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events

from custom_components.caesar.adapters.answers import Heard, hear
from custom_components.caesar.brain.provider import (
    Completed,
    CompletionRequest,
    ProviderEvent,
    StopReason,
    TextDelta,
)
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.sentinel import desk
from custom_components.caesar.sentinel.approvals import (
    Answerer,
    PendingApproval,
    Reached,
    Standing,
    Via,
)
from custom_components.caesar.turn import ToolRequest
from tests.fakes.provider import ScriptedProvider
from tests.ha.approvals import (
    FRONT_DOOR,
    KITCHEN,
    approvals,
    house,
    listen_with_caesar,
    say,
    settle,
    speech,
    standing,
    tell_satellite,
    until,
    waiting,
)
from tests.ha.house import CaesarHouse

__all__ = ["house"]

END = Completed(stop=StopReason.END)
CALLS = Completed(stop=StopReason.TOOL_USE)


def call(domain: str, service: str, entity_id: str) -> ToolRequest:
    """Return a call as a model writes it."""
    return ToolRequest(
        id="call-1",
        name="call_service",
        arguments={
            "domain": domain,
            "service": service,
            "target": {"entity_id": entity_id},
        },
    )


class SlowModel(ScriptedProvider):
    """Says something, and more only when it is let; the message decides what."""

    def __init__(self) -> None:
        """Wait until `go` is set."""
        super().__init__([])
        self.go = asyncio.Event()
        self.begun = asyncio.Event()

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Unlock for "let me in", ask something harmless for all else."""
        self.requests.append(request)
        if "let me in" in str(request.messages[-1]):
            yield call("lock", "unlock", FRONT_DOOR)
            yield CALLS
            return
        self.begun.set()
        yield TextDelta(text="One moment. ")
        await self.go.wait()
        yield TextDelta(text="Shall I dim the lights for you?")
        yield END


@pytest.mark.parametrize(
    ("text", "language"),
    [("sure?", "en"), ("Do it?", "en"), ("ok ?", "de"), ("¿sí?", "es"), ("好？", "zh")],
)
def test_who_asks_back_has_not_said_yes(text: str, language: str) -> None:
    """A doubt is none; a no may be as doubtful as it likes."""
    assert hear(text, language) is Heard.OTHER
    assert hear(text.rstrip("?？ ").lstrip("¿"), language) is Heard.YES
    assert hear("no?", "en") is Heard.NO


async def test_a_yes_to_a_models_own_question_after_ours(house: CaesarHouse) -> None:
    """Two turns run in one conversation; the slow one has the last word."""
    model = SlowModel()
    house.assistant._providers = (model,)
    slow = asyncio.create_task(say(house, "what is the weather"))
    await model.begun.wait()
    asked = await say(house, "let me in")
    assert speech(asked).startswith("Shall I unlock")
    model.go.set()
    assert "dim the lights" in speech(await slow)
    await say(house, "yes")
    await settle(house)
    assert house.state(FRONT_DOOR) == "locked"
    [pending] = waiting(house)
    assert standing(house, pending.id) is Standing.WAITING


async def test_a_yes_to_what_a_satellite_says_of_another_turn(
    house: CaesarHouse, hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of a turn that is told later takes an open question out, too."""
    await listen_with_caesar(house)
    aloud = async_capture_events(hass, "call_service")
    house.assistant._providers = (
        ScriptedProvider(
            [
                [call("lock", "unlock", FRONT_DOOR), CALLS],
                [call("light", "turn_on", KITCHEN), CALLS],
                [TextDelta(text="The door is open. Shall I dim the lights?"), END],
            ]
        ),
    )
    monkeypatch.setattr(approvals(house).phones, "ask", _reached)
    monkeypatch.setitem(desk.WAITS_S, Origin.VOICE, 0)
    await tell_satellite(house, "let me in")
    [door] = waiting(house)
    await tell_satellite(house, "kitchen light")
    light = next(each for each in waiting(house) if each.id != door.id)
    answerer = Answerer(via=Via.ACTION, user_id=house.user_id, is_admin=True)
    assert (await approvals(house).desk.answer(door.id, True, answerer)).ok
    await until(house, lambda: "dim the lights" in str(aloud))
    await settle(house)
    await tell_satellite(house, "yes")
    await settle(house)
    assert standing(house, light.id) is Standing.WAITING
    assert house.state(KITCHEN) == "off"


async def test_a_yes_to_another_assistant_of_the_same_conversation(
    house: CaesarHouse,
) -> None:
    """Whoever had the last word there, Home Assistant's own agent say, was meant."""
    await say(house, "unlock the front door")
    other = await conversation.async_converse(
        house.hass,
        "what time is it",
        "chat",
        Context(user_id=house.user_id),
        "en",
        agent_id="conversation.home_assistant",
    )
    assert other.conversation_id == "chat"
    await say(house, "yes")
    assert house.state(FRONT_DOOR) == "locked"
    [pending] = waiting(house)
    assert standing(house, pending.id) is Standing.WAITING


async def _reached(pending: PendingApproval) -> Reached:
    return Reached(channel="phone", people=("Adult",))


async def test_asked_twice_and_answered_once(
    house: CaesarHouse, hass: HomeAssistant
) -> None:
    """The turn that nobody waits for any more does not go on after a restart."""
    await say(house, "unlock the front door")
    await say(house, "unlock the front door")
    [pending] = waiting(house)
    await say(house, "yes")
    await settle(house)
    assert house.state(FRONT_DOOR) == "unlocked"
    assert standing(house, pending.id) is Standing.DONE
    assert await _count(house, "SELECT count(*) FROM tool_loop_checkpoints") == 0
    resumed = "SELECT count(*) FROM audit_log WHERE event_type = 'loop.resumed'"
    before = await _count(house, resumed)
    assert await hass.config_entries.async_reload(house.entry.entry_id)
    await hass.async_block_till_done()
    await settle(house)
    assert await _count(house, resumed) == before


async def _count(house: CaesarHouse, query: str) -> int:
    def read() -> int:
        db = sqlite3.connect(f"file:{house.database}?mode=ro", uri=True)
        found: int = db.execute(query).fetchone()[0]
        db.close()
        return found

    return await house.hass.async_add_executor_job(read)
