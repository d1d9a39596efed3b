"""Answers what would be decided, for any caller, tool and arguments."""

from collections.abc import Mapping
import math
from typing import Any
import uuid

from homeassistant.core import Context, HomeAssistant

from ..audit.event import AuditEvent, AuditEventType, AuditLog
from ..gate import GateParts
from ..policy.call import arguments, tool_id
from ..policy.caller import Caller
from ..preview import Preview, preview
from ..turn import ToolRequest, Turn
from ..wording import reason_text
from .callers import async_build_caller
from .users import Users


class Explainer:
    """Explains decisions; each explanation is on record, and nothing else happens."""

    def __init__(
        self, hass: HomeAssistant, parts: GateParts, users: Users, audit: AuditLog
    ) -> None:
        """Look through the gate's own parts."""
        self._hass = hass
        self._parts = parts
        self._users = users
        self._audit = audit

    async def async_caller(
        self, agent_id: str, *, user_id: str | None, satellite_id: str | None
    ) -> Caller:
        """Return the caller that a turn of this user or satellite would have.

        Without both it is an automation.
        """
        return await async_build_caller(
            self._hass,
            self._users,
            Context(user_id=user_id),
            agent_id=agent_id,
            conversation_id=None,
            satellite_id=satellite_id,
        )

    async def async_explain(
        self,
        tool: str,
        given: Mapping[str, Any],
        caller: Caller,
        asked_by: Caller,
        language: str,
    ) -> dict[str, Any]:
        """Return the decision as JSON, with its rule, line, entities and sentence.

        Raises AuditUnavailable: what can't be recorded isn't told.
        """
        request = ToolRequest(
            id="explain", name=tool.replace(".", "__", 1), arguments=given
        )
        turn = Turn(
            decision_id=uuid.uuid4().hex,
            caller=caller,
            language=language,
            deadline=math.inf,
        )
        seen = preview(self._parts, request, turn)
        answer = await self._as_json(tool, seen, language)
        await self._audit.record(
            AuditEvent(
                type=AuditEventType.POLICY_EXPLAINED,
                decision_id=turn.decision_id,
                caller=asked_by,
                policy_rev=self._parts.policy().revision,
                payload={
                    "tool": tool,
                    "input": dict(given),
                    "for": caller.as_json(),
                    "decision": seen.policy.as_json() if seen.policy else None,
                    "verdict": seen.verdict.value,
                    "code": seen.reason.code.value,
                },
            )
        )
        return answer

    async def _as_json(self, tool: str, seen: Preview, language: str) -> dict[str, Any]:
        policy, call = seen.policy, seen.call
        answer: dict[str, Any] = {
            "verdict": seen.verdict.value,
            "code": seen.reason.code.value,
            "reason": await self._sentence(seen, language),
            "tool": tool_id(call) if call else tool,
            "arguments": arguments(call) if call else {},
            "rule": None,
            "line": None,
        }
        if policy is None:
            return answer
        terms = policy.approval
        return {
            **answer,
            "rule": policy.rule.name if policy.rule else None,
            "line": policy.rule.line if policy.rule else None,
            "impact": policy.impact.name.lower(),
            "decided_by": "guard" if seen.reason is not policy.reason else "policy",
            "entities": list(policy.pinned),
            "touched": list(policy.touched),
            "left_out": policy.left_out,
            "approvers": list(terms.approvers) if terms else [],
            "pin": terms.pin if terms else None,
            "policy_rev": policy.policy_rev,
        }

    async def _sentence(self, seen: Preview, language: str) -> str:
        pinned = seen.policy.pinned if seen.policy else ()
        names = {
            entity_id: facts.name
            for entity_id in pinned
            if (facts := self._parts.home.entity(entity_id))
        }
        return await reason_text(self._hass, language, seen.reason, names)
