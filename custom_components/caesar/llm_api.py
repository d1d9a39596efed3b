"""CAESAR's tools as one of Home Assistant's LLM APIs.

Other conversation agents and Home Assistant's MCP server use them by this, under the
same policy and into the same trail as everybody (docs/agents.md).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
import hashlib
import json
import logging
from typing import Final, override

from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import llm
from homeassistant.util.json import JsonObjectType
import probatio

from .actions.common import loaded_runtime
from .adapters.agent_tools import Asker
from .const import DEFAULT_TITLE, DOMAIN
from .legion.canonical import canonical_json
from .legion.spec import ToolSpec
from .tool import without_patterns

_LOGGER = logging.getLogger(__name__)

API_ID: Final = DOMAIN
# The model APIs take no longer name of a tool.
MAX_NAME: Final = 64
_DIGITS: Final = 8

PROMPT: Final = (
    "These tools act on the home under its owner's policy. A result with `error` means"
    " that the call was not carried out: say so, and why. With `approval_needed` a"
    " person has been asked: say that, and don't call the tool again. Never say that"
    " something was done unless its result says so."
)


@callback
def async_register_api(hass: HomeAssistant) -> Callable[[], None]:
    """Register the API; return what takes it away again."""
    return llm.async_register_api(
        hass, CaesarApi(hass=hass, id=API_ID, name=DEFAULT_TITLE)
    )


@dataclass(slots=True, kw_only=True)
class CaesarApi(llm.API):
    """Shows each agent the tools that the policy could grant."""

    @override
    async def async_get_api_instance(
        self, llm_context: llm.LLMContext
    ) -> llm.APIInstance:
        """Return the tools of this moment; none while CAESAR isn't running.

        An error here would take all other APIs from whoever uses several.
        """
        tools: list[llm.Tool] = []
        prompt = PROMPT
        try:
            agent_tools = loaded_runtime(self.hass).agent_tools
        except HomeAssistantError:
            return llm.APIInstance(self, prompt, llm_context, tools)
        asker = _asker(self.hass, llm_context)
        for spec in await agent_tools.async_offered(asker):
            schema = _parameters(canonical_json(spec.input_schema))
            if schema is not None:
                tools.append(CaesarTool(spec, schema))
        if room := await agent_tools.async_room(asker):
            prompt = f"{prompt} You are used in the room {room}."
        return llm.APIInstance(self, prompt, llm_context, tools)


class CaesarTool(llm.Tool):
    """One tool; a call goes to the house as it is then, not to that of the listing."""

    integration = DOMAIN

    def __init__(self, spec: ToolSpec, parameters: probatio.Schema) -> None:
        """Describe a tool by its spec, and its arguments by this schema."""
        self._tool = spec.name
        self.name = _name(spec.name)
        self.title = spec.title
        self.description = spec.description
        self.parameters = parameters
        self.annotations = llm.ToolAnnotations(
            read_only=spec.annotations.read_only,
            destructive=spec.annotations.destructive,
            idempotent=spec.annotations.idempotent,
            open_world=spec.annotations.open_world,
        )

    @override
    async def async_call(
        self,
        hass: HomeAssistant,
        tool_input: llm.ToolInput,
        llm_context: llm.LLMContext,
    ) -> llm.ToolResult:
        """Make the call; the gate checks the arguments.

        Raises ServiceValidationError while CAESAR isn't running.
        """
        answer = await loaded_runtime(hass).agent_tools.async_use(
            _asker(hass, llm_context), self._tool, tool_input.tool_args
        )
        data: JsonObjectType = answer.data
        return llm.ToolResult(data=data, error=answer.failed)


def _asker(hass: HomeAssistant, llm_context: llm.LLMContext) -> Asker:
    """Return who asks; without a context it is nobody in particular."""
    language = llm_context.language
    return Asker(
        platform=llm_context.platform,
        context=llm_context.context or Context(),
        language=hass.config.language if language in (None, "", "*") else language,
        device_id=llm_context.device_id,
    )


def _name(tool: str) -> str:
    """Return a tool's name among those of all integrations."""
    name = f"{DOMAIN}__{tool}"
    if len(name) <= MAX_NAME:
        return name
    mark = hashlib.sha256(tool.encode()).hexdigest()[:_DIGITS]
    return f"{name[: MAX_NAME - _DIGITS - 1]}_{mark}"


@lru_cache(maxsize=256)
def _parameters(schema: str) -> probatio.Schema | None:
    """Return a tool's arguments as Home Assistant describes them to models.

    None for a schema that it could not show: one such tool would leave the agent
    without all others. Cached, for it takes a millisecond. Without its patterns: the
    MCP server would match them, and nobody knows what a worker's cost.
    """
    try:
        parameters = probatio.from_json_schema(without_patterns(json.loads(schema)))
        shown = probatio.to_openapi(parameters, openapi_version="3.1.0")
    except Exception:
        # A worker wrote the schema, and no list of errors is promised for it.
        _LOGGER.exception("A tool can't be shown to other agents")
        return None
    if "properties" not in shown:
        return probatio.Schema({})
    return parameters
