"""What was refused, and making the narrowest rule of it."""

import sqlite3
from typing import Any

from homeassistant.components.websocket_api import ActiveConnection
from homeassistant.core import HomeAssistant
import probatio

from ..actions.common import refused as refuse
from ..adapters.directory import async_directory
from ..adapters.policy_issues import placeholders
from ..adapters.policy_store import UnreadablePolicyFile
from ..adapters.refused import Refused
from ..adapters.refused_words import note_of, note_of_rule, why_refused
from ..policy.edit import UneditableText
from ..policy.narrow import Grant, NoRuleError
from ..policy.problem import PolicyError
from ..runtime import CaesarRuntime
from ..sentinel.approvals import Answerer, Via
from ..wording import async_wording
from .common import LANGUAGE, LANGUAGE_FIELD, Message, command, entry_of

_SEQ = {probatio.Required("seq"): probatio.All(int, probatio.Range(min=0))}


@command("refused", LANGUAGE_FIELD)
async def ws_refused(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> list[dict[str, Any]]:
    """Return the last week's refusals, each call once, with what may be made of it."""
    try:
        recent = await house.refused.async_recent()
    except sqlite3.Error as err:
        raise refuse("trail_unreadable") from err
    wording = await async_wording(hass, msg[LANGUAGE])
    shown = []
    for each in recent:
        action, who = await house.approvals.facts.what_and_who(
            each.as_question(), msg[LANGUAGE]
        )
        shown.append(
            {
                "seq": each.seq,
                "when": each.when.isoformat(),
                "count": each.count,
                "action": action,
                "who": who,
                "why": why_refused(wording, house.home, each),
                "grants": [grant.value for grant in each.grants],
                "once": each.once,
                "note": note_of(wording, each),
            }
        )
    return shown


@command(
    "refused/rule",
    {
        **_SEQ,
        **LANGUAGE_FIELD,
        probatio.Required("grant"): probatio.In([grant.value for grant in Grant]),
    },
)
async def ws_rule(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Return the policy with the narrowest rule for a refusal; nothing is saved yet."""
    wording = await async_wording(hass, msg[LANGUAGE])
    found = await _found(house, msg["seq"])
    directory = await async_directory(
        hass, entry_of(hass), house.approvals.pins.names()
    )
    try:
        draft = await house.refused.async_draft(found, Grant(msg["grant"]), directory)
    except NoRuleError as err:
        raise refuse(f"no_rule_{err.why.value}") from err
    except UneditableText as err:
        raise refuse(
            "policy_draft_invalid", line=str(err.line), problem=err.problem
        ) from err
    except (PolicyError, UnreadablePolicyFile) as err:
        raise refuse("policy_draft_invalid", **placeholders(err)) from err
    return {
        "text": draft.text,
        "before": draft.before,
        "revision": draft.revision,
        "note": note_of_rule(wording, draft),
    }


@command("refused/once", _SEQ)
async def ws_once(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Let exactly this call of this asker through once in the next minutes."""
    user = connection.user
    answer = await house.refused.async_allow_once(
        await _found(house, msg["seq"]),
        Answerer(via=Via.PANEL, user_id=user.id, is_admin=user.is_admin),
    )
    if not answer.ok:
        raise refuse("not_allowed_once")
    return {}


async def _found(house: CaesarRuntime, seq: int) -> Refused:
    try:
        found = await house.refused.async_find(seq)
    except sqlite3.Error as err:
        raise refuse("trail_unreadable") from err
    if found is None:
        raise refuse("unknown_refusal")
    return found
