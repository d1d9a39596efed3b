"""The one module that calls Home Assistant's services; used by the gate alone."""

from collections.abc import Mapping
import re
from typing import Any, Final

from homeassistant.const import ATTR_ENTITY_ID, STATE_UNAVAILABLE
from homeassistant.core import Context, HomeAssistant, SupportsResponse
from homeassistant.exceptions import (
    HomeAssistantError,
    ServiceValidationError,
    Unauthorized,
)
import probatio

from ..legion.canonical import Json
from ..policy.call import ServiceCall, ToolCall, tool_id
from ..policy.decision import PolicyDecision
from ..policy.reason import Code
from ..tool import ExecutorError
from ..turn import Turn
from .callers import OwnContexts
from .home import HomeAssistantHome
from .states import describe, response_json
from .users import Users

_ADDRESS: Final = re.compile(r"\S*(?:://|[A-Za-z]:\\|(?<!\w)/\w+/)\S*")


class ServiceExecutor:
    """Carries out a service call as it was decided: pinned entities, child context."""

    def __init__(
        self,
        hass: HomeAssistant,
        home: HomeAssistantHome,
        users: Users,
        contexts: OwnContexts,
    ) -> None:
        """Act in this Home Assistant."""
        self._hass = hass
        self._home = home
        self._users = users
        self._contexts = contexts

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Call the service and return the states afterwards, read back."""
        assert isinstance(call, ServiceCall)
        self._refuse_unavailable(decision.pinned)
        data: dict[str, Any] = dict(call.data)
        if decision.pinned:
            data[ATTR_ENTITY_ID] = list(decision.pinned)
        self._contexts.add(context_id)
        context = Context(
            id=context_id,
            user_id=self._users.acting_id(turn.caller.origin, turn.caller.user_id),
            parent_id=turn.caller.context_id,
        )
        response = await self._call(call, data, context)
        result: dict[str, Json] = {
            "entities": describe(self._hass, self._home, decision.pinned),
            "left_out": decision.left_out,
        }
        if response is not None:
            result["response"] = response
        return result

    async def _call(
        self, call: ServiceCall, data: Mapping[str, Any], context: Context
    ) -> Json:
        services = self._hass.services
        if not services.has_service(call.domain, call.service):
            raise ExecutorError(
                Code.CAPABILITY_DENIED, f"There is no service {tool_id(call)}."
            )
        try:
            supports = services.supports_response(call.domain, call.service)
            response = await services.async_call(
                call.domain,
                call.service,
                dict(data),
                blocking=True,
                context=context,
                return_response=supports is not SupportsResponse.NONE,
            )
        except Unauthorized as err:
            raise ExecutorError(
                Code.CAPABILITY_DENIED,
                f"Home Assistant does not let this user call {tool_id(call)}.",
            ) from err
        except (probatio.Invalid, ServiceValidationError) as err:
            raise ExecutorError(
                Code.INVALID_INPUT, _plain(err), retryable=True
            ) from err
        except HomeAssistantError as err:
            raise ExecutorError(
                Code.TOOL_ERROR, _plain(err), retryable=True, maybe_done=True
            ) from err
        return None if response is None else response_json(response)

    def _refuse_unavailable(self, pinned: tuple[str, ...]) -> None:
        """Refuse a call that Home Assistant would drop without a word."""
        states = [self._hass.states.get(entity_id) for entity_id in pinned]
        if pinned and all(s is None or s.state == STATE_UNAVAILABLE for s in states):
            raise ExecutorError(
                Code.TOOL_ERROR,
                f"Not available at the moment: {', '.join(pinned[:5])}.",
                retryable=True,
            )


def _plain(err: Exception) -> str:
    """Return an error's text without addresses and paths, short enough for a model."""
    return _ADDRESS.sub("[address]", str(err))[:300] or type(err).__name__
