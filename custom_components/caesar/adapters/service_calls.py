"""The one module that calls Home Assistant's services.

`ServiceExecutor` is used by the gate alone; `OwnMessages` tells people that they are
asked, and what came of it.
"""

import asyncio
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
from homeassistant.helpers import entity_registry as er
from homeassistant.util.ulid import ulid_now
import probatio

from ..legion.canonical import Json
from ..policy.call import ServiceCall, ToolCall, tool_id
from ..policy.caller import Origin
from ..policy.decision import PolicyDecision
from ..policy.reason import Code
from ..tool import ExecutorError
from ..turn import Turn
from .callers import SATELLITE_DOMAIN, OwnContexts
from .following import async_laggards
from .home import HomeAssistantHome
from .phone_book import Phone, phone_of
from .states import describe, response_json
from .users import Users

_ADDRESS: Final = re.compile(r"\S*(?:://|[A-Za-z]:\\|(?<!\w)/\w+/)\S*")
_PHONE_S: Final = 10.0
# As long as a satellite may speak.
_SPEECH_S: Final = 90.0


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
        """Call the service and return the states afterwards, read back.

        Devices have a moment to follow; those that didn't are named.
        """
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
        began = self._hass.loop.time()
        response = await self._call(call, data, context)
        took = self._hass.loop.time() - began
        late = await async_laggards(self._hass, call, decision.pinned, took, turn)
        result: dict[str, Json] = {
            "entities": describe(self._hass, self._home, decision.pinned),
            "left_out": decision.left_out,
        }
        if late:
            result["did_not_follow"] = late
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
                facts={"why": "brain_not_available"},
            )


def _plain(err: Exception) -> str:
    """Return an error's text without addresses and paths, short enough for a model."""
    return _ADDRESS.sub("[address]", str(err))[:300] or type(err).__name__


class OwnMessages:
    """CAESAR's own messages: to a person's phone, and by the satellite that asked.

    Reaches nothing else: which service is called follows from the phone's own entry
    and the satellite's own id, never from what somebody says.
    """

    def __init__(
        self, hass: HomeAssistant, users: Users, contexts: OwnContexts
    ) -> None:
        """Speak in this Home Assistant."""
        self._hass = hass
        self._users = users
        self._contexts = contexts

    async def async_phone(
        self, phone: Phone, message: str, title: str | None, data: Mapping[str, Any]
    ) -> None:
        """Send to one phone; raises HomeAssistantError if it doesn't go out."""
        if phone_of(self._hass, phone.entry_id) != phone:
            raise HomeAssistantError("This phone is no longer registered as it was")
        content: dict[str, Any] = {"message": message, "data": dict(data)}
        if title is not None:
            content["title"] = title
        await self._async_send("notify", phone.service, content, _PHONE_S)

    async def async_speak(self, satellite_id: str, message: str) -> None:
        """Let a satellite say something; raises HomeAssistantError if it can't."""
        entry = er.async_get(self._hass).async_get(satellite_id)
        if entry is None or entry.domain != SATELLITE_DOMAIN:
            raise HomeAssistantError("There is no such satellite")
        await self._async_send(
            SATELLITE_DOMAIN,
            "announce",
            {ATTR_ENTITY_ID: entry.entity_id, "message": message},
            _SPEECH_S,
        )

    async def _async_send(
        self, domain: str, service: str, data: dict[str, Any], limit_s: float
    ) -> None:
        context = Context(
            id=ulid_now(), user_id=self._users.acting_id(Origin.VOICE, None)
        )
        self._contexts.add(context.id)
        try:
            async with asyncio.timeout(limit_s):
                await self._hass.services.async_call(
                    domain, service, data, blocking=True, context=context
                )
        except (TimeoutError, probatio.Invalid) as err:
            raise HomeAssistantError("A message could not be sent") from err
