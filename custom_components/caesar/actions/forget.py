"""`caesar.forget`: what was said is erased; one's own by anybody, others' by admins."""

from typing import Final, cast
import uuid

from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.util.json import JsonObjectType
import probatio

from ..adapters.callers import async_build_caller
from ..adapters.memory_rows import Scope
from ..audit.event import AuditUnavailable
from ..brain.session import SessionKey
from ..const import (
    ACTION_FORGET,
    ATTR_AGENT,
    ATTR_CONVERSATION_ID,
    ATTR_SATELLITE,
    ATTR_SCOPE,
    ATTR_USER,
    DOMAIN,
)
from ..runtime import CaesarRuntime
from .agents import agent_of
from .common import loaded_runtime, refused
from .people import async_person, async_user_id, satellite_of

_SESSION, _USER, _ALL = "session", "user", "all"
# What may be named beside each scope: a field that would not count is a mistake.
_FIELDS: Final = {
    _SESSION: (ATTR_CONVERSATION_ID, ATTR_SATELLITE, ATTR_AGENT, ATTR_USER),
    _USER: (ATTR_USER,),
    _ALL: (),
}

SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(ATTR_SCOPE): probatio.In(list(_FIELDS)),
        probatio.Optional(ATTR_CONVERSATION_ID): str,
        probatio.Optional(ATTR_SATELLITE): str,
        probatio.Optional(ATTR_AGENT): str,
        probatio.Optional(ATTR_USER): str,
    }
)


@callback
def async_register(hass: HomeAssistant) -> None:
    """Register the action."""
    hass.services.async_register(
        DOMAIN,
        ACTION_FORGET,
        _async_forget,
        schema=SCHEMA,
        supports_response=SupportsResponse.OPTIONAL,
    )


async def _async_forget(call: ServiceCall) -> ServiceResponse:
    runtime = loaded_runtime(call.hass)
    person = await async_person(runtime, call)
    scope = await _scope(call, runtime, person.id)
    whose = scope.session.user_id if scope.session else scope.user_id
    if whose != person.id and not person.is_admin:
        raise refused("admin_required")
    caller = await async_build_caller(
        call.hass, runtime.users, call.context, agent_id="", conversation_id=None
    )
    try:
        erased = await runtime.memory.forgetting.forget(scope, caller, uuid.uuid4().hex)
    except AuditUnavailable as err:
        raise refused("forget_failed") from err
    return cast(JsonObjectType, erased.as_json())


async def _scope(call: ServiceCall, runtime: CaesarRuntime, me: str) -> Scope:
    """Return what is to be forgotten. Raises ServiceValidationError."""
    data, scope = call.data, call.data[ATTR_SCOPE]
    for field in data:
        if field != ATTR_SCOPE and field not in _FIELDS[scope]:
            raise refused("forget_field", field=field, scope=scope)
    if scope == _ALL:
        return Scope()
    user_id = me
    if (user := data.get(ATTR_USER)) is not None:
        user_id = await async_user_id(call.hass, user, gone_too=True)
    if scope == _USER:
        return Scope(user_id=user_id)
    conversation, satellite = (
        data.get(ATTR_CONVERSATION_ID),
        data.get(ATTR_SATELLITE),
    )
    if (conversation is None) == (satellite is None) or (satellite and user):
        raise refused("forget_which")
    agent_id = agent_of(call.hass, runtime, data.get(ATTR_AGENT)).settings.agent_id
    if satellite is None:
        key = SessionKey(
            agent_id=agent_id, channel=f"conv:{conversation}", user_id=user_id
        )
        return Scope(session=key)
    entry = satellite_of(call.hass, satellite)
    channel = f"device:{entry.device_id or entry.entity_id}"
    return Scope(session=SessionKey(agent_id=agent_id, channel=channel, user_id=None))
