"""`caesar.explain` and `caesar.simulate`: what the policy says, without doing it."""

from dataclasses import asdict
import sqlite3
from typing import Any, Final, cast

from homeassistant.core import (
    HomeAssistant,
    ServiceCall,
    ServiceResponse,
    SupportsResponse,
    callback,
)
from homeassistant.util.json import JsonObjectType
import probatio

from ..audit.event import AuditUnavailable
from ..const import (
    ACTION_EXPLAIN,
    ACTION_SIMULATE,
    ATTR_AGENT,
    ATTR_ARGUMENTS,
    ATTR_AUTOMATION,
    ATTR_DAYS,
    ATTR_POLICY,
    ATTR_SATELLITE,
    ATTR_TOOL,
    ATTR_USER,
    DOMAIN,
)
from ..policy.caller import Caller
from ..runtime import CaesarRuntime
from .agents import agent_of
from .common import async_check_admin, loaded_runtime, refused
from .people import async_user_id, satellite_of

MAX_DAYS: Final = 365
MAX_CHANGES: Final = 200

EXPLAIN_SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(ATTR_TOOL): str,
        probatio.Optional(ATTR_ARGUMENTS, default=dict): dict,
        probatio.Optional(ATTR_AGENT): str,
        probatio.Optional(ATTR_USER): str,
        probatio.Optional(ATTR_SATELLITE): str,
        probatio.Optional(ATTR_AUTOMATION, default=False): bool,
    }
)
SIMULATE_SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(ATTR_POLICY): str,
        probatio.Optional(ATTR_DAYS, default=7): probatio.All(
            probatio.Coerce(int), probatio.Range(min=1, max=MAX_DAYS)
        ),
    }
)


@callback
def async_register(hass: HomeAssistant) -> None:
    """Register both actions."""
    hass.services.async_register(
        DOMAIN,
        ACTION_EXPLAIN,
        _async_explain,
        schema=EXPLAIN_SCHEMA,
        supports_response=SupportsResponse.ONLY,
    )
    hass.services.async_register(
        DOMAIN,
        ACTION_SIMULATE,
        _async_simulate,
        schema=SIMULATE_SCHEMA,
        supports_response=SupportsResponse.ONLY,
    )


async def _async_explain(call: ServiceCall) -> ServiceResponse:
    runtime = loaded_runtime(call.hass)
    await async_check_admin(runtime, call)
    agent_id = agent_of(call.hass, runtime, call.data.get(ATTR_AGENT)).settings.agent_id
    me = await runtime.explainer.async_caller(
        agent_id, user_id=call.context.user_id, satellite_id=None
    )
    try:
        answer = await runtime.explainer.async_explain(
            call.data[ATTR_TOOL].strip(),
            call.data[ATTR_ARGUMENTS],
            await _caller(call, runtime, me),
            me,
            call.hass.config.language,
        )
    except AuditUnavailable as err:
        raise refused("audit_unavailable") from err
    return cast(JsonObjectType, answer)


async def _caller(call: ServiceCall, runtime: CaesarRuntime, me: Caller) -> Caller:
    """Return who is meant: a user, a satellite, an automation, else who asks."""
    user, satellite = call.data.get(ATTR_USER), call.data.get(ATTR_SATELLITE)
    automation = call.data[ATTR_AUTOMATION]
    if (user is not None) + (satellite is not None) + automation > 1:
        raise refused("one_caller_only")
    if user is not None:
        user_id = await async_user_id(call.hass, user)
        return await runtime.explainer.async_caller(
            me.agent_id, user_id=user_id, satellite_id=None
        )
    if satellite is not None:
        entry = satellite_of(call.hass, satellite)
        return await runtime.explainer.async_caller(
            me.agent_id, user_id=None, satellite_id=entry.entity_id
        )
    if automation:
        return await runtime.explainer.async_caller(
            me.agent_id, user_id=None, satellite_id=None
        )
    return me


async def _async_simulate(call: ServiceCall) -> ServiceResponse:
    runtime = loaded_runtime(call.hass)
    await async_check_admin(runtime, call)
    text, days = call.data[ATTR_POLICY], call.data[ATTR_DAYS]
    return cast(JsonObjectType, await async_simulated(runtime, text, days, MAX_CHANGES))


async def async_simulated(
    house: CaesarRuntime, text: str, days: int, most: int
) -> dict[str, Any]:
    """Return what a policy would have decided, with at most so many changes."""
    draft = await house.policy_file.async_parse(text)
    try:
        simulation = await house.simulator.async_run(draft, days)
    except sqlite3.Error as err:
        raise refused("trail_unreadable") from err
    return {
        "days": simulation.days,
        "calls": simulation.rows,
        "changed_count": len(simulation.changed),
        "changed": [
            {**asdict(change), "entities": list(change.entities)}
            for change in simulation.changed[:most]
        ],
        "differs_from_record": simulation.differs,
        "unknown": simulation.unknown,
        "complete": simulation.complete,
    }
