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
from ..adapters.refused import Refused, RefusedCalls
from ..policy.decision import Verdict
from ..policy.edit import UneditableText
from ..policy.narrow import Grant, NoRuleError
from ..policy.problem import PolicyError
from ..runtime import CaesarRuntime
from ..sentinel.approvals import Answerer, Via
from ..wording import Wording, async_wording
from .common import LANGUAGE, LANGUAGE_FIELD, Message, command, entry_of, names

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
        recent = await refused_calls(hass, house).async_recent()
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
                "why": _why(house, wording, each),
                "grants": [grant.value for grant in each.grants],
                "once": each.once,
                "note": _note(wording, each),
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
    calls = refused_calls(hass, house)
    found = await _found(calls, msg["seq"])
    directory = await async_directory(
        hass, entry_of(hass), house.approvals.pins.names()
    )
    note = f"From a refusal of {found.when.strftime('%Y-%m-%d')}"
    try:
        draft = await calls.async_draft(found, Grant(msg["grant"]), directory, note)
    except NoRuleError as err:
        raise refuse(f"no_rule_{err.why.value}") from err
    except UneditableText as err:
        raise refuse(
            "policy_draft_invalid", line=str(err.line), problem=err.problem
        ) from err
    except (PolicyError, UnreadablePolicyFile) as err:
        raise refuse("policy_draft_invalid", **placeholders(err)) from err
    asks = draft.verdict is Verdict.ASK
    notes = [wording.text("rule_asks" if asks else "rule_allows")]
    if draft.any_data:
        notes.append(wording.text("rule_any_data"))
    return {
        "text": draft.text,
        "before": draft.before,
        "revision": draft.revision,
        "note": " ".join(notes),
    }


@command("refused/once", _SEQ)
async def ws_once(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Let exactly this call of this asker through once in the next minutes."""
    calls = refused_calls(hass, house)
    user = connection.user
    answer = await calls.async_allow_once(
        await _found(calls, msg["seq"]),
        Answerer(via=Via.PANEL, user_id=user.id, is_admin=user.is_admin),
    )
    if not answer.ok:
        raise refuse("not_allowed_once")
    return {}


def refused_calls(hass: HomeAssistant, house: CaesarRuntime) -> RefusedCalls:
    """Return the house's refusals."""
    return RefusedCalls(
        hass,
        audit=house.audit,
        policy_file=house.policy_file,
        home=house.home,
        desk=house.approvals.desk,
    )


async def _found(calls: RefusedCalls, seq: int) -> Refused:
    try:
        recent = await calls.async_recent()
        found = next((each for each in recent if each.seq == seq), None)
        found = found or await calls.async_find(seq)
    except sqlite3.Error as err:
        raise refuse("trail_unreadable") from err
    if found is None:
        raise refuse("unknown_refusal")
    return found


def _why(house: CaesarRuntime, wording: Wording, each: Refused) -> str:
    decision = each.decision
    known = names(house, [*decision.pinned, *decision.touched])
    return wording.reason(decision.reason, known)


def _note(wording: Wording, each: Refused) -> str:
    return wording.text(f"no_rule_{each.why_not.value}") if each.why_not else ""
