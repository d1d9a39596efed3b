"""After a worker was added: the line of the policy without which nobody may use it."""

from abc import abstractmethod
from enum import StrEnum
from typing import Any, Final

from homeassistant.config_entries import SubentryFlowResult
from homeassistant.helpers.selector import (
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import probatio

from ..adapters.policy_issues import placeholders
from ..adapters.policy_store import (
    PolicyFileChanged,
    PolicyNotWritten,
    UnreadablePolicyFile,
)
from ..const import CONF_TOOLS
from ..policy.edit import Entry, UneditableText, add_entry, render
from ..policy.problem import PolicyError
from .steps import problem_of
from .subentry import HouseSubentryFlow

CONF_RULE: Final = "rule"
LIST: Final = "allowed_tools"


class Rule(StrEnum):
    """What the policy is to say of a worker's tools."""

    ASK = "ask"
    ALLOW = "allow"
    NOTHING = "nothing"


RULE_SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(CONF_RULE, default=Rule.NOTHING.value): SelectSelector(
            SelectSelectorConfig(
                options=[rule.value for rule in Rule],
                mode=SelectSelectorMode.LIST,
                translation_key="worker_rule",
            )
        )
    }
)


class RuleSteps(HouseSubentryFlow):
    """The step that shows the line and offers to write it."""

    title: str = ""
    data: dict[str, Any]

    @abstractmethod
    def async_keep(self) -> SubentryFlowResult:
        """Keep the worker."""

    async def async_step_rule(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Show which lines the policy needs, unless it has something for each tool."""
        policy = self.house.policy_file.policy
        missing = [name for name in self.data[CONF_TOOLS] if policy.may_list(name)]
        if not missing:
            return self.async_keep()
        errors: dict[str, str] = {}
        shown = {"line": "", "problem": ""}
        if user_input is not None:
            rule = Rule(user_input[CONF_RULE])
            if rule is Rule.NOTHING:
                return self.async_keep()
            try:
                await self._async_write(missing, rule)
            except PolicyFileChanged:
                errors["base"] = "policy_changed"
            except PolicyNotWritten as err:
                errors["base"] = "policy_not_written"
                shown["problem"] = (err.translation_placeholders or {})["problem"]
            except (PolicyError, UnreadablePolicyFile) as err:
                errors["base"] = "policy_invalid"
                shown = placeholders(err)
            except UneditableText as err:
                errors["base"] = "policy_invalid"
                shown = problem_of(err)
            else:
                return self.async_keep()
        lines = [line for name in missing for line in render(_entry(name, Rule.ASK))]
        return self.async_show_form(
            step_id="rule",
            data_schema=RULE_SCHEMA,
            errors=errors,
            description_placeholders={
                **shown,
                "lines": "\n".join(["```", f"{LIST}:", *lines, "```"]),
            },
            last_step=True,
        )

    async def _async_write(self, names: list[str], rule: Rule) -> None:
        """Add a line for each tool. Raises what `PolicyFile.async_save` does."""
        source = await self.house.policy_file.async_text()
        text = source.text
        for name in names:
            text = add_entry(text, LIST, _entry(name, rule)).text
        await self.house.policy_file.async_save(
            text, expected_revision=source.revision, by=self.by_id
        )


def _entry(name: str, rule: Rule) -> Entry:
    """Return the entry of the policy that lets a tool be used."""
    if rule is Rule.ALLOW:
        return name
    return {"tool": name, "approval": "always"}
