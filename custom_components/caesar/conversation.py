"""The conversation entity of an agent."""

from typing import Literal, override

from homeassistant.components import conversation
from homeassistant.const import MATCH_ALL
from homeassistant.core import HomeAssistant
from homeassistant.helpers import intent
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .adapters.assistant import Assistant
from .adapters.chat_log import async_feed, had_last_word
from .adapters.lasting_id import lasting_id, own_id
from .adapters.report import TurnReport
from .brain.loop import Finish
from .brain.speech import spoken
from .entity import service_device
from .runtime import CaesarConfigEntry
from .wording import async_wording

PARALLEL_UPDATES = 0


async def async_setup_entry(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add one entity for each agent."""
    for assistant in entry.runtime_data.assistants.values():
        async_add_entities(
            [CaesarConversationEntity(assistant)],
            config_subentry_id=assistant.settings.agent_id,
        )


class CaesarConversationEntity(conversation.ConversationEntity):
    """An agent that people talk to through Assist."""

    _attr_has_entity_name = True
    _attr_name = None
    _attr_supports_streaming = True
    _attr_supported_features = conversation.ConversationEntityFeature.CONTROL

    def __init__(self, assistant: Assistant) -> None:
        """Speak for this agent."""
        self._assistant = assistant
        settings = assistant.settings
        self._attr_unique_id = settings.agent_id
        self._attr_device_info = service_device(settings.agent_id, settings.title)

    @property
    @override
    def supported_languages(self) -> list[str] | Literal["*"]:
        """Return that every language of Home Assistant is heard."""
        return MATCH_ALL

    @override
    async def _async_handle_message(
        self,
        user_input: conversation.ConversationInput,
        chat_log: conversation.ChatLog,
    ) -> conversation.ConversationResult:
        """Run the turn and answer with what came of it."""
        wording = await async_wording(self.hass, user_input.language)
        # Without a user the answer is spoken by a satellite.
        shown = user_input.context.user_id is not None
        rich = shown and not self._assistant.settings.speakable
        report = await async_feed(
            chat_log,
            self.entity_id,
            self._assistant.async_run(
                user_input.text,
                user_input.context,
                language=user_input.language,
                conversation_id=own_id(chat_log.conversation_id),
                device_id=user_input.device_id,
                satellite_id=user_input.satellite_id,
                extra_instructions=user_input.extra_system_prompt,
                follows=had_last_word(chat_log, self.entity_id),
            ),
            stream_text=rich,
            shown=shown,
            broken_off=wording.text("answer_broken_off"),
        )
        return conversation.ConversationResult(
            response=_response(report, user_input.language, shown=shown, rich=rich),
            conversation_id=lasting_id(chat_log.conversation_id)
            if shown
            else chat_log.conversation_id,
            continue_conversation=report.again,
        )


def _response(
    report: TurnReport, language: str, *, shown: bool, rich: bool
) -> intent.IntentResponse:
    response = intent.IntentResponse(language=language)
    if report.failed:
        response.response_type = intent.IntentResponseType.ERROR
        response.error_code = (
            intent.IntentResponseErrorCode.NO_INTENT_MATCH
            if report.finish is Finish.NOT_UNDERSTOOD
            else intent.IntentResponseErrorCode.FAILED_TO_HANDLE
        )
    said = report.shown if rich else report.spoken
    if shown and report.failed and report.closing:
        # What a brain said before it failed is on the screen already.
        said = report.closing if rich else spoken(report.closing)
    response.async_set_speech(
        said,
        extra_data={"decision_id": report.decision_id, "text": report.shown},
    )
    return response
