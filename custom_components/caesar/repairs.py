"""What can be put right from Home Assistant's list of repairs."""

from abc import ABC, abstractmethod
from typing import override

from homeassistant.components.repairs import (
    ConfirmRepairFlow,
    RepairsFlow,
    RepairsFlowResult,
)
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.helpers import issue_registry as ir

from .actions.common import loaded_runtime
from .adapters import (
    bypass,
    model_issues,
    policy_issues,
    worker_discovery,
    worker_issues,
)
from .adapters.policy_file import PolicyFile
from .adapters.policy_store import NothingKept, UnreadablePolicyFile
from .const import DOMAIN
from .flows.found import FoundWorkerFlow
from .flows.model_repairs import ModelKeyFlow
from .flows.worker_repairs import ChangedWorkerFlow, MoreToolsFlow, ignored
from .policy.problem import PolicyError


async def async_create_fix_flow(
    hass: HomeAssistant,
    issue_id: str,
    data: dict[str, str | int | float | None] | None,
) -> RepairsFlow:
    """Return the flow of an issue; those of the trail are only to be acknowledged."""
    if issue_id == policy_issues.INVALID:
        return UseLastGoodFlow()
    if issue_id == policy_issues.CHANGED:
        return LoadFileFlow()
    if issue_id.startswith(bypass.LOCAL) and data:
        return PreferCaesarFlow(str(data["pipeline_id"]))
    if issue_id.startswith(f"{worker_discovery.ISSUE_FOUND}_") and data:
        return FoundWorkerFlow(data)
    if issue_id.startswith(f"{worker_issues.CHANGED}_") and data:
        return ChangedWorkerFlow(str(data["subentry_id"]))
    if issue_id.startswith(f"{worker_issues.MORE}_") and data:
        return MoreToolsFlow(str(data["subentry_id"]))
    if issue_id.startswith(f"{model_issues.KEY}_") and data:
        return ModelKeyFlow(str(data["subentry_id"]))
    return ConfirmRepairFlow()


class PreferCaesarFlow(RepairsFlow):
    """Switches off that Assist handles commands itself before CAESAR hears them."""

    def __init__(self, pipeline_id: str) -> None:
        """Be about this assistant."""
        self._pipeline_id = pipeline_id

    async def async_step_init(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Say what gets past CAESAR, and ask."""
        issue = ir.async_get(self.hass).async_get_issue(DOMAIN, self.issue_id)
        return self.async_show_menu(
            step_id="init",
            menu_options=["confirm", "ignore"],
            description_placeholders=issue.translation_placeholders if issue else None,
        )

    async def async_step_confirm(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Switch it off, unless the assistant is gone."""
        if not await bypass.async_prefer_caesar(self.hass, self._pipeline_id):
            return self.async_abort(reason="assistant_gone")
        return self.async_create_entry(data={})

    async def async_step_ignore(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Leave it as it is, and say nothing more of it."""
        return ignored(self)


class _PolicyFlow(ConfirmRepairFlow, ABC):
    """One question; a yes does something to the policy."""

    @override
    async def async_step_confirm(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Ask; after a yes do it, or say why it can't be done."""
        if user_input is None:
            return await super().async_step_confirm()
        try:
            await self._async_mend(loaded_runtime(self.hass).policy_file)
        except NothingKept:
            return self.async_abort(reason="nothing_kept")
        except (PolicyError, UnreadablePolicyFile) as err:
            return self._async_still_bad(policy_issues.placeholders(err))
        except ServiceValidationError as err:
            if err.translation_key != "policy_invalid":
                return self.async_abort(reason="not_loaded")
            return self._async_still_bad(err.translation_placeholders or {})
        except HomeAssistantError:
            return self.async_abort(reason="not_written")
        return await super().async_step_confirm(user_input)

    def _async_still_bad(self, placeholders: dict[str, str]) -> RepairsFlowResult:
        return self.async_abort(
            reason="still_bad", description_placeholders=placeholders
        )

    @abstractmethod
    async def _async_mend(self, policy_file: PolicyFile) -> None:
        """Do what the repair offers."""


class UseLastGoodFlow(_PolicyFlow):
    """Makes the last good policy the file again; the bad one is kept beside it."""

    @override
    async def _async_mend(self, policy_file: PolicyFile) -> None:
        await policy_file.async_restore()


class LoadFileFlow(_PolicyFlow):
    """Takes a file that was changed by hand into force."""

    @override
    async def _async_mend(self, policy_file: PolicyFile) -> None:
        await policy_file.async_reload()
