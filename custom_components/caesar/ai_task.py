"""Task entities: a model that answers an automation's instruction, and talks to nobody."""

from contextvars import ContextVar
from pathlib import Path
from typing import Final, override

from homeassistant.components import ai_task, conversation
from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.helpers import llm
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
import probatio

from .adapters.ai_tasks import Lent, Structure, Task, TaskRunner
from .adapters.task_files import TaskFile, task_error
from .entity import service_device
from .llm_api import CaesarApi
from .runtime import CaesarConfigEntry
from .runtime_tasks import TaskGates

PARALLEL_UPDATES = 0

# Home Assistant hands over a task without its context, which it sets on the entity
# just before; two tasks at once would take each other's from there.
_CONTEXT: Final[ContextVar[Context | None]] = ContextVar("caesar_task", default=None)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Add one entity for each subentry."""
    tasks = entry.runtime_data.tasks
    for subentry_id, runner in tasks.runners.items():
        async_add_entities(
            [CaesarTaskEntity(runner, tasks.gates)], config_subentry_id=subentry_id
        )


class CaesarTaskEntity(ai_task.AITaskEntity):
    """What `ai_task.generate_data` asks."""

    _attr_has_entity_name = True
    _attr_name = None

    def __init__(self, runner: TaskRunner, gates: TaskGates) -> None:
        """Have tasks carried out by this runner; tools are lent by these gates."""
        self._runner = runner
        self._gates = gates
        settings = runner.settings
        self._attr_unique_id = settings.agent_id
        self._attr_supported_features = ai_task.AITaskEntityFeature.GENERATE_DATA
        if runner.takes_files:
            self._attr_supported_features |= (
                ai_task.AITaskEntityFeature.SUPPORT_ATTACHMENTS
            )
        self._attr_device_info = service_device(settings.agent_id, settings.title)

    @callback
    @override
    def async_set_context(self, context: Context) -> None:
        """Keep the context for the task that follows."""
        super().async_set_context(context)
        _CONTEXT.set(context)

    @override
    async def _async_generate_data(
        self, task: ai_task.GenDataTask, chat_log: conversation.ChatLog
    ) -> ai_task.GenDataTaskResult:
        """Carry a task out. Raises HomeAssistantError, translated."""
        context, api = _CONTEXT.get(), chat_log.llm_api
        _CONTEXT.set(None)
        data = await self._runner.async_run(
            Task(
                instructions=task.instructions,
                context=context or Context(),
                conversation_id=chat_log.conversation_id,
                language=self.hass.config.language,
                structure=_structure(task, api),
                files=tuple(
                    TaskFile(path=Path(each.path), title=each.media_content_id)
                    for each in task.attachments or ()
                ),
                lent=self._lent(api) if api is not None else None,
            )
        )
        # The log is Home Assistant's, and asks for an answer at its end.
        chat_log.async_add_assistant_content_without_tools(
            conversation.AssistantContent(agent_id=self.entity_id, content=str(data))
        )
        return ai_task.GenDataTaskResult(
            conversation_id=chat_log.conversation_id, data=data
        )

    def _lent(self, api: llm.APIInstance) -> Lent:
        """Return the tools of an API; those of CAESAR's own are the house's."""
        if isinstance(api.api, CaesarApi):
            return self._gates.own(api.api_prompt)
        return self._gates.lent(api)


def _structure(
    task: ai_task.GenDataTask, api: llm.APIInstance | None
) -> Structure | None:
    """Return the shape that is asked for. Raises HomeAssistantError for an odd one."""
    if task.structure is None:
        return None
    serializer = api.custom_serializer if api is not None else None
    try:
        schema = probatio.to_openapi(
            task.structure,
            custom_serializer=serializer or llm.selector_serializer,
            openapi_version="3.1.0",
        )
    except (AttributeError, LookupError, TypeError, ValueError) as err:
        raise task_error("task_structure", problem=str(err)) from err
    if schema.get("type") != "object":
        raise task_error("task_structure", problem="type")
    return Structure(schema=schema, check=task.structure)
