"""`caesar.approve`, `caesar.deny`, `caesar.pending`: a person answers a question."""

from typing import Final

from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
import probatio

from ..const import (
    ACTION_APPROVE,
    ACTION_DENY,
    ACTION_PENDING,
    ATTR_APPROVAL_ID,
    DOMAIN,
)
from ..policy.call import tool_id
from ..policy.reason import Code
from ..runtime import CaesarRuntime
from ..sentinel.approvals import Answerer, Via
from .common import loaded_runtime, refused, time_of
from .people import async_person

SCHEMA: Final = probatio.Schema({probatio.Required(ATTR_APPROVAL_ID): str})


@callback
def async_register(hass: HomeAssistant) -> None:
    """Register the three actions."""
    for name, handler in ((ACTION_APPROVE, _async_approve), (ACTION_DENY, _async_deny)):
        hass.services.async_register(DOMAIN, name, handler, schema=SCHEMA)
    hass.services.async_register(
        DOMAIN,
        ACTION_PENDING,
        _async_pending,
        schema=probatio.Schema({}),
        supports_response=SupportsResponse.ONLY,
    )


async def _async_approve(call: ServiceCall) -> None:
    await _async_answer(call, yes=True)


async def _async_deny(call: ServiceCall) -> None:
    await _async_answer(call, yes=False)


async def _async_answer(call: ServiceCall, *, yes: bool) -> None:
    runtime = loaded_runtime(call.hass)
    answerer = await _async_person(runtime, call)
    answer = await runtime.approvals.async_answer(
        call.data[ATTR_APPROVAL_ID], yes, answerer
    )
    if answer.ok:
        return
    if answer.code is Code.CALLER_NOT_COVERED:
        raise refused("person_required")
    raise refused(answer.code.value)


async def _async_pending(call: ServiceCall) -> ServiceResponse:
    runtime = loaded_runtime(call.hass)
    answerer = await _async_person(runtime, call)
    return {
        "approvals": [
            {
                "approval_id": pending.id,
                "text": await runtime.approvals.facts.card(
                    pending, call.hass.config.language
                ),
                "tool": tool_id(pending.call),
                "entities": list(pending.entities),
                "origin": pending.caller.origin.value,
                "created_at": time_of(pending.created_at),
                "expires_at": time_of(pending.expires_at),
            }
            for pending in runtime.approvals.visible_to(answerer)
        ]
    }


async def _async_person(runtime: CaesarRuntime, call: ServiceCall) -> Answerer:
    user = await async_person(runtime, call)
    return Answerer(via=Via.ACTION, user_id=user.id, is_admin=user.is_admin)
