"""The policy as text: read, checked, tried on the past, saved, undone; and explained."""

from typing import Any, Final

from homeassistant.components.websocket_api import ActiveConnection
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
import probatio

from ..actions.common import refused
from ..actions.explain import async_simulated
from ..adapters.policy_issues import placeholders
from ..adapters.policy_store import UnreadablePolicyFile
from ..audit.event import AuditUnavailable
from ..policy.problem import PolicyError, Problem
from ..runtime import CaesarRuntime
from .common import LANGUAGE, LANGUAGE_FIELD, Message, command

DAYS: Final = 7
MAX_TEXT: Final = 2 * 1024 * 1024
MAX_CHANGES: Final = 100
_TEXT: Final = {
    probatio.Required("text"): probatio.All(cv.string, probatio.Length(max=MAX_TEXT))
}


@command("policy")
async def ws_policy(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Return the file as it is on the disk, and whether it is the one in force."""
    policy_file = house.policy_file
    try:
        source = await policy_file.async_text()
    except UnreadablePolicyFile as err:
        raise refused("policy_invalid", **placeholders(err)) from err
    loaded = policy_file.loaded
    return {
        "text": source.text,
        "revision": source.revision,
        "in_force": loaded is not None and loaded.revision == source.revision,
        "denies_all": loaded is None,
        "can_undo": await policy_file.async_previous() is not None,
    }


@command("policy/check", _TEXT)
async def ws_check(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Return a text's faults and remarks, each with its place in it."""
    try:
        policy = await house.policy_file.async_check(msg["text"])
    except PolicyError as err:
        return {"problems": [_problem(each) for each in err.problems], "lints": []}
    return {"problems": [], "lints": [_problem(each) for each in policy.lints]}


@command("policy/simulate", _TEXT)
async def ws_simulate(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Return what a text would have decided differently in the last week."""
    return await async_simulated(house, msg["text"], DAYS, MAX_CHANGES)


@command(
    "policy/save",
    {
        **_TEXT,
        probatio.Required("revision"): probatio.Any(None, cv.string),
        probatio.Optional("denial"): probatio.All(int, probatio.Range(min=0)),
    },
)
async def ws_save(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Write a text and put it into force; `denial` is the row that it was made for."""
    try:
        policy = await house.policy_file.async_save(
            msg["text"],
            expected_revision=msg["revision"],
            by=connection.user.id,
            denial=msg.get("denial"),
        )
    except (PolicyError, UnreadablePolicyFile) as err:
        raise refused("policy_draft_invalid", **placeholders(err)) from err
    return {"revision": policy.revision}


@command("policy/undo")
async def ws_undo(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Take the last change of the file back."""
    try:
        policy = await house.policy_file.async_undo(by=connection.user.id)
    except (PolicyError, UnreadablePolicyFile) as err:
        raise refused("policy_draft_invalid", **placeholders(err)) from err
    return {"revision": policy.revision}


@command(
    "explain",
    {
        **LANGUAGE_FIELD,
        probatio.Required("tool"): probatio.All(
            cv.string, probatio.Length(min=1, max=128)
        ),
        probatio.Optional("arguments", default=dict): dict,
        probatio.Optional("user_id"): cv.string,
        probatio.Optional("satellite_id"): cv.entity_id,
    },
)
async def ws_explain(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Return what would be decided for a user, a satellite, or else an automation."""
    if not house.assistants:
        raise refused("no_agent")
    agent_id = next(iter(house.assistants.values())).settings.agent_id
    asked_by = await house.explainer.async_caller(
        agent_id, user_id=connection.user.id, satellite_id=None
    )
    caller = await house.explainer.async_caller(
        agent_id, user_id=msg.get("user_id"), satellite_id=msg.get("satellite_id")
    )
    try:
        return await house.explainer.async_explain(
            msg["tool"].strip(), msg["arguments"], caller, asked_by, msg[LANGUAGE]
        )
    except AuditUnavailable as err:
        raise refused("audit_unavailable") from err


def _problem(problem: Problem) -> dict[str, Any]:
    said = problem.message + (f" {problem.hint}" if problem.hint else "")
    return {
        "line": problem.line,
        "column": problem.column,
        "path": problem.path,
        "message": said,
    }
