"""The satellite in the children's room: a real Assist run without a user."""

from typing import Any, override

from homeassistant.components.assist_pipeline import (
    async_get_pipelines,
    async_update_pipeline,
)
from homeassistant.components.assist_satellite.entity import AssistSatelliteState
from homeassistant.components.conversation import (
    ConversationInput,
    ConversationResult,
    async_set_agent,
)
from homeassistant.components.conversation.models import AbstractConversationAgent
from homeassistant.config_entries import ConfigEntry
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import area_registry as ar, device_registry as dr, intent
import pytest

SATELLITE = "assist_satellite.childrens_room_satellite"


class NotingAgent(AbstractConversationAgent):
    """Keeps what it hears and answers with something beside the speech."""

    def __init__(self) -> None:
        """Start with nothing heard."""
        self.heard: list[ConversationInput] = []

    @property
    @override
    def supported_languages(self) -> list[str]:
        """Any language."""
        return ["en", "de"]

    @override
    async def async_process(self, user_input: ConversationInput) -> ConversationResult:
        """Answer."""
        self.heard.append(user_input)
        response = intent.IntentResponse(language=user_input.language)
        response.async_set_speech("Heard.", extra_data={"decision_id": "d-1"})
        return ConversationResult(
            response=response, conversation_id=user_input.conversation_id
        )


async def hear(hass: HomeAssistant, **data: str) -> Any:
    """Let the satellite hear."""
    return await hass.services.async_call(
        "demo_house",
        "hear",
        data,
        blocking=True,
        return_response=True,
        context=Context(user_id="whoever-pressed-the-button"),
    )


async def test_it_runs_assist_as_a_satellite_and_not_as_a_user(
    hass: HomeAssistant, house: ConfigEntry[Any]
) -> None:
    """The agent sees satellite and device, but not the user who made it hear."""
    agent = NotingAgent()
    async_set_agent(hass, house, agent)
    preferred = async_get_pipelines(hass)[0]
    await async_update_pipeline(hass, preferred, conversation_engine=house.entry_id)
    answer = await hear(hass, text="good morning")
    assert answer["answer"] == "Heard."
    assert answer["extra_data"] == {"decision_id": "d-1"}
    (heard,) = agent.heard
    assert heard.text == "good morning"
    assert heard.context.user_id is None
    assert heard.satellite_id == SATELLITE
    assert heard.device_id is not None
    device = dr.async_get(hass).async_get(heard.device_id)
    assert device is not None
    assert device.area_id is not None
    area = ar.async_get(hass).async_get_area(device.area_id)
    assert area is not None
    assert area.name == "Children's room"
    assert answer["conversation_id"] == heard.conversation_id


@pytest.mark.usefixtures("house")
async def test_it_acts_through_home_assistants_own_agent(hass: HomeAssistant) -> None:
    """A whole turn: the light of the room goes on, the satellite is idle again."""
    answer = await hear(hass, text="turn on the kitchen light", language="en")
    assert answer["answer"] == "Turned on the light"
    light = hass.states.get("light.kitchen_light")
    satellite = hass.states.get(SATELLITE)
    assert light is not None
    assert light.state == "on"
    assert satellite is not None
    assert satellite.state == AssistSatelliteState.IDLE


async def test_the_language_picks_the_assistant(
    hass: HomeAssistant, house: ConfigEntry[Any]
) -> None:
    """German goes to the assistant whose language is German."""
    agent = NotingAgent()
    async_set_agent(hass, house, agent)
    store = hass.data["assist_pipeline"].pipeline_store
    english = async_get_pipelines(hass)[0]
    await store.async_create_item(
        {
            **{key: value for key, value in english.to_json().items() if key != "id"},
            "name": "Deutsch",
            "conversation_engine": house.entry_id,
            "conversation_language": "de",
            "language": "de",
        }
    )
    assert (await hear(hass, text="guten Morgen", language="de"))["answer"] == "Heard."
    assert agent.heard[0].language == "de"


async def test_among_assistants_of_a_language_the_preferred_one_answers(
    hass: HomeAssistant, house: ConfigEntry[Any]
) -> None:
    """Home Assistant's own assistant, which comes first, has the same language."""
    agent = NotingAgent()
    async_set_agent(hass, house, agent)
    store = hass.data["assist_pipeline"].pipeline_store
    first = async_get_pipelines(hass)[0]
    created = await store.async_create_item(
        {
            **{key: value for key, value in first.to_json().items() if key != "id"},
            "name": "Another",
            "conversation_engine": house.entry_id,
            "conversation_language": "en",
        }
    )
    store.async_set_preferred_item(created.id)
    assert (await hear(hass, text="hello", language="en"))["answer"] == "Heard."


async def test_a_run_that_fails_is_an_error(
    hass: HomeAssistant, house: ConfigEntry[Any]
) -> None:
    """An assistant whose agent is gone says so."""
    preferred = async_get_pipelines(hass)[0]
    await async_update_pipeline(
        hass, preferred, conversation_engine="conversation.gone"
    )
    with pytest.raises(HomeAssistantError, match="conversation.gone"):
        await hear(hass, text="hello")


async def test_without_a_house_nobody_hears(
    hass: HomeAssistant, house: ConfigEntry[Any]
) -> None:
    """The action stays, and says what is missing."""
    assert await hass.config_entries.async_unload(house.entry_id)
    with pytest.raises(ServiceValidationError, match="no satellite"):
        await hear(hass, text="hello")
