"""Recently refused: an admin looks at what was refused, and may make a rule of it."""

import sqlite3
from typing import Any, Final

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
from homeassistant.util import dt as dt_util
import probatio

from ..adapters.policy_store import UnreadablePolicyFile
from ..adapters.refused import Refused
from ..adapters.refused_words import note_of, note_of_rule, why_refused
from ..policy.edit import UneditableText
from ..policy.narrow import Grant, NoRuleError
from ..policy.problem import PolicyError
from ..sentinel.approvals import Answerer, Via
from ..wording import Wording, async_wording, plain
from .steps import Draft, Steps, problem_of

CONF_REFUSAL: Final = "refusal"
CONF_DECISION: Final = "decision"
KEEP: Final = "keep"
ONCE: Final = "once"
MAX_LABEL: Final = 120


class RefusedSteps(Steps):
    """The list of what was refused, and what to do about one of it."""

    refusal: Refused | None = None

    async def async_step_refused(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show what was refused in the last week."""
        try:
            if user_input is not None:
                seq = int(user_input[CONF_REFUSAL])
                self.refusal = await self.house.refused.async_find(seq)
                if self.refusal is not None:
                    return await self.async_step_refusal()
            recent = await self.house.refused.async_recent()
        except sqlite3.Error:
            return self.async_abort(reason="trail_unreadable")
        if not recent:
            return self.async_abort(reason="nothing_refused")
        options = [
            SelectOptionDict(value=str(each.seq), label=await self._label(each))
            for each in recent
        ]
        return self.async_show_form(
            step_id="refused",
            data_schema=probatio.Schema(
                {
                    probatio.Required(CONF_REFUSAL): SelectSelector(
                        SelectSelectorConfig(
                            options=options, mode=SelectSelectorMode.LIST
                        )
                    )
                }
            ),
            last_step=False,
        )

    async def async_step_refusal(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask what to do about one refusal."""
        refused = self.refusal
        assert refused is not None  # the step is reached by choosing one
        errors: dict[str, str] = {}
        shown = {"line": "", "problem": ""}
        wording = await self.wording()
        if user_input is not None:
            decision = user_input[CONF_DECISION]
            if decision == KEEP:
                return await self.async_step_refused()
            if decision == ONCE:
                if await self._allow_once(refused):
                    return self.async_abort(reason="allowed_once")
                errors["base"] = "not_allowed_once"
            else:
                try:
                    return await self._rule(wording, refused, Grant(decision))
                except NoRuleError as err:
                    errors["base"] = "no_rule"
                    shown["problem"] = wording.text(f"no_rule_{err.why.value}")
                except (UneditableText, PolicyError, UnreadablePolicyFile) as err:
                    errors["base"] = "uneditable"
                    shown = problem_of(err)
        return await self._show_refusal(wording, refused, errors, shown)

    async def _show_refusal(
        self,
        wording: Wording,
        refused: Refused,
        errors: dict[str, str],
        shown: dict[str, str],
    ) -> ConfigFlowResult:
        options = [
            *([ONCE] if refused.once else []),
            *(grant.value for grant in refused.grants),
            KEEP,
        ]
        action, who = await self._what_and_who(refused)
        return self.async_show_form(
            step_id="refusal",
            data_schema=probatio.Schema(
                {
                    probatio.Required(CONF_DECISION, default=KEEP): SelectSelector(
                        SelectSelectorConfig(
                            options=options,
                            mode=SelectSelectorMode.LIST,
                            translation_key="refusal",
                        )
                    )
                }
            ),
            errors=errors,
            description_placeholders={
                **shown,
                "action": plain(action),
                "who": plain(who),
                "when": wording.moment(refused.when, dt_util.now(), "past_point"),
                "count": str(refused.count),
                "why": plain(why_refused(wording, self.house.home, refused)),
                "note": note_of(wording, refused),
            },
            last_step=False,
        )

    async def _rule(
        self, wording: Wording, refused: Refused, grant: Grant
    ) -> ConfigFlowResult:
        """Propose the rule. Raises what `RefusedCalls.async_draft` raises."""
        draft = await self.house.refused.async_draft(
            refused, grant, await self.directory()
        )
        return await self.async_propose(
            Draft(
                text=draft.text,
                before=draft.before,
                revision=draft.revision,
                denial=refused.seq,
                note=note_of_rule(wording, draft),
            )
        )

    async def _allow_once(self, refused: Refused) -> bool:
        user = self.by
        if user is None:
            return False
        answer = await self.house.refused.async_allow_once(
            refused,
            Answerer(via=Via.PANEL, user_id=user.id, is_admin=user.is_admin),
        )
        return answer.ok

    async def _label(self, refused: Refused) -> str:
        action, who = await self._what_and_who(refused)
        times = f" ({refused.count}×)" if refused.count > 1 else ""
        wording = await async_wording(self.hass, self.hass.config.language)
        when = wording.moment(refused.when, dt_util.now())
        return f"{when}{times} · {who}: {action}"[:MAX_LABEL]

    async def _what_and_who(self, refused: Refused) -> tuple[str, str]:
        return await self.house.approvals.facts.what_and_who(
            refused.as_question(), self.hass.config.language
        )
