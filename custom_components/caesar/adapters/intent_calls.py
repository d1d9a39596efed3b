"""The one module that calls an intent handler: for intents that the owner has added.

Home Assistant's own intents are never called: they would reach the home past the gate's
eyes (a HassTurnOff unlocks locks, SPEC B-10). What is left is opaque, so destructive.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import intent

from ..const import DOMAIN
from ..legion.canonical import Json
from ..legion.spec import Annotations, ToolSpec
from ..policy.call import CallError, GenericToolCall, ToolCall
from ..policy.decision import PolicyDecision
from ..policy.impact import INTENT_PREFIX
from ..policy.reason import Code, Reason
from ..result_filter import SAY
from ..tool import ExecutorError, Tool
from ..turn import Turn
from .callers import OwnContexts
from .own_intents import is_custom
from .users import Users

ASSISTANT: Final = "conversation"
MOST_SLOTS: Final = 20
MAX_VALUE: Final = 255
INTENT_TIMEOUT_S: Final = 10.0


class CustomIntents:
    """Offers the owner's intents as tools named `intent__Name`, and carries them out."""

    def __init__(
        self, hass: HomeAssistant, users: Users, contexts: OwnContexts
    ) -> None:
        """Act in this Home Assistant."""
        self._hass = hass
        self._users = users
        self._contexts = contexts

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name, if there is such an intent now."""
        wanted = name.removeprefix(INTENT_PREFIX)
        for handler in intent.async_get(self._hass):
            if handler.intent_type == wanted and is_custom(handler):
                return self._tool(handler)
        return None

    def all(self) -> Iterable[Tool]:
        """Return all of them, in the order of their names."""
        found = (each for each in intent.async_get(self._hass) if is_custom(each))
        return [
            self._tool(handler)
            for handler in sorted(found, key=lambda each: each.intent_type)
        ]

    def _tool(self, handler: intent.IntentHandler) -> Tool:
        name = f"{INTENT_PREFIX}{handler.intent_type}"
        return Tool(
            spec=ToolSpec(
                name=name,
                title=handler.intent_type,
                description=handler.description
                or f"Carry out the owner's intent {handler.intent_type}.",
                input_schema={
                    "type": "object",
                    "properties": {},
                    "additionalProperties": True,
                },
                annotations=Annotations(),
                timeout_s=INTENT_TIMEOUT_S,
            ),
            executor=self,
            to_call=lambda given: _to_call(name, given),
        )

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Call the handler with a child context; return what it says."""
        assert isinstance(call, GenericToolCall)
        caller = turn.caller
        self._contexts.add(context_id)
        context = Context(
            id=context_id,
            user_id=self._users.acting_id(caller.origin, caller.user_id),
            parent_id=caller.context_id,
        )
        try:
            response = await intent.async_handle(
                self._hass,
                DOMAIN,
                call.tool.removeprefix(INTENT_PREFIX),
                {key: {"value": value} for key, value in call.input.items()},
                context=context,
                language=turn.language,
                assistant=ASSISTANT,
                device_id=caller.device_id,
                satellite_id=caller.satellite_id,
            )
        except intent.UnknownIntent as err:
            raise ExecutorError(
                Code.CAPABILITY_DENIED, "There is no such intent."
            ) from err
        except intent.InvalidSlotInfo as err:
            raise ExecutorError(
                Code.INVALID_INPUT, "The intent does not take these slots."
            ) from err
        except intent.IntentError as err:
            raise ExecutorError(
                Code.TOOL_ERROR, "The intent could not be carried out.", maybe_done=True
            ) from err
        if response.response_type is intent.IntentResponseType.ERROR:
            raise ExecutorError(
                Code.TOOL_ERROR, "The intent says that it failed.", maybe_done=True
            )
        said = response.speech.get("plain", {}).get("speech")
        return {"done": True, **({SAY: str(said)} if said else {})}


def _to_call(name: str, given: Mapping[str, Json]) -> ToolCall:
    """Return the call; raises CallError for slots that no sentence could fill."""
    if len(given) > MOST_SLOTS:
        raise CallError(
            Reason(code=Code.INVALID_INPUT, values={"key": "slots", "value": ""})
        )
    for key, value in given.items():
        if not isinstance(value, (str, int, float)) or len(str(value)) > MAX_VALUE:
            values = {"key": key[:64], "value": str(value)[:100]}
            raise CallError(Reason(code=Code.INVALID_INPUT, values=values))
    return GenericToolCall(tool=name, input=given)
