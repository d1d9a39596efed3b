"""The satellite in the children's room: a voice device that hears text."""

from dataclasses import dataclass, field
import logging
from typing import Any, override

from homeassistant.components.assist_pipeline import (
    Pipeline,
    PipelineEvent,
    PipelineEventType,
    async_get_pipelines,
)
from homeassistant.components.assist_pipeline.models import PipelineStage
from homeassistant.components.assist_pipeline.pipeline import (
    PipelineInput,
    PipelineRun,
    async_get_pipeline,
)
from homeassistant.components.assist_satellite import (
    AssistSatelliteAnnouncement,
    AssistSatelliteConfiguration,
    AssistSatelliteEntity,
    AssistSatelliteEntityFeature,
)
from homeassistant.components.intent import (
    TimerEventType,
    TimerInfo,
    async_register_timer_handler,
)
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.chat_session import async_get_chat_session
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback

from .entity import HouseEntity
from .runtime import DemoHouseConfigEntry

_LOGGER = logging.getLogger(__name__)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DemoHouseConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the satellite."""
    house = entry.runtime_data
    for thing in house.things("assist_satellite"):
        house.satellite = HouseSatellite(thing, house)
        async_add_entities([house.satellite])


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What Assist answered; `extra_data` is what an agent keeps beside the speech."""

    answer: str
    conversation_id: str | None
    extra_data: dict[str, Any] | None = field(default=None)


class HouseSatellite(HouseEntity, AssistSatelliteEntity):
    """A satellite whose ear is the action `demo_house.hear`.

    It runs the real Assist pipeline from the intent stage on. The entity's own
    `async_accept_pipeline_from_satellite` can only begin with sound, so the run
    is built here, with all that a satellite's run carries: no user, the
    satellite and its device.
    """

    _attr_supported_features = AssistSatelliteEntityFeature.ANNOUNCE

    async def async_hear(
        self, text: str, language: str | None, conversation_id: str | None
    ) -> Heard:
        """Let Assist answer to `text`.

        Uses the pipeline of that language, or else the preferred one. Raises
        HomeAssistantError if the run fails.
        """
        events: list[PipelineEvent] = []

        @callback
        def note(event: PipelineEvent) -> None:
            events.append(event)
            self._internal_on_pipeline_event(event)

        context = Context()
        self.async_set_context(context)
        with async_get_chat_session(self.hass, conversation_id) as session:
            run = PipelineRun(
                self.hass,
                context=context,
                pipeline=_pipeline(self.hass, language),
                start_stage=PipelineStage.INTENT,
                end_stage=PipelineStage.INTENT,
                event_callback=note,
            )
            await PipelineInput(
                run=run,
                session=session,
                intent_input=text,
                device_id=self.registry_entry.device_id
                if self.registry_entry
                else None,
                satellite_id=self.entity_id,
            ).execute(validate=True)
        return _heard(events)

    @override
    async def async_added_to_hass(self) -> None:
        """Have timers, as Home Assistant's own satellites do."""
        await super().async_added_to_hass()
        if self.registry_entry is not None and self.registry_entry.device_id:
            self.async_on_remove(
                async_register_timer_handler(
                    self.hass, self.registry_entry.device_id, self._timer
                )
            )

    @callback
    def _timer(self, event: TimerEventType, timer: TimerInfo) -> None:
        """Note what a device would show, and ring for."""
        _LOGGER.info("Timer %s: %s", event.value, timer.name or timer.id)

    @callback
    @override
    def async_get_configuration(self) -> AssistSatelliteConfiguration:
        """Return that there are no wake words."""
        return AssistSatelliteConfiguration(
            available_wake_words=[], active_wake_words=[], max_active_wake_words=0
        )

    @override
    async def async_set_configuration(
        self, config: AssistSatelliteConfiguration
    ) -> None:
        """Take no settings: there are none."""

    @override
    async def async_announce(self, announcement: AssistSatelliteAnnouncement) -> None:
        """Say something in the room."""
        await self._report("announce", message=announcement.message)

    @callback
    @override
    def on_pipeline_event(self, event: PipelineEvent) -> None:
        """Show nothing: the entity's state says it all."""


def _pipeline(hass: HomeAssistant, language: str | None) -> Pipeline:
    """Return the preferred pipeline, or the first of another language."""
    preferred = async_get_pipeline(hass)
    if language in (None, preferred.conversation_language):
        return preferred
    for pipeline in async_get_pipelines(hass):
        if pipeline.conversation_language == language:
            return pipeline
    return preferred


def _heard(events: list[PipelineEvent]) -> Heard:
    for event in events:
        data = event.data or {}
        if event.type is PipelineEventType.ERROR:
            raise HomeAssistantError(data["message"])
        if event.type is PipelineEventType.INTENT_END:
            output = data["intent_output"]
            plain = output["response"]["speech"].get("plain", {})
            return Heard(
                answer=plain.get("speech", ""),
                conversation_id=output["conversation_id"],
                extra_data=plain.get("extra_data"),
            )
    raise HomeAssistantError("Assist gave no answer")
