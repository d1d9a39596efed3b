"""The policy as text, and taking the last change back."""

from typing import Any, Final

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.helpers.selector import TextSelector, TextSelectorConfig
import probatio

from ..adapters.policy_store import (
    NothingKept,
    PolicyFileChanged,
    PolicyNotWritten,
    PolicyText,
    UnreadablePolicyFile,
)
from ..policy.problem import PolicyError
from .steps import Draft, Steps, lines_changed, problem_of

FIELD: Final = "text"
MAX_EXCERPT: Final = 120
_SCHEMA: Final = probatio.Schema(
    {probatio.Required(FIELD): TextSelector(TextSelectorConfig(multiline=True))}
)


class TextSteps(Steps):
    """Steps that work on the text as a whole."""

    text_source: PolicyText | None = None

    async def async_step_text(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Edit the file as text; what was typed is never lost to a mistake."""
        errors: dict[str, str] = {}
        shown = {"line": "", "problem": "", "excerpt": ""}
        if user_input is None or self.text_source is None:
            try:
                self.text_source = await self.house.policy_file.async_text()
            except UnreadablePolicyFile as err:
                return self.async_abort(
                    reason="policy_unreadable",
                    description_placeholders=problem_of(err),
                )
            if await self.house.policy_file.async_is_changed():
                return self.async_abort(reason="policy_changed")
            typed = self.text_source.text
        else:
            typed = user_input[FIELD]
            text = with_line_ends(typed, self.text_source.text)
            if text == self.text_source.text:
                errors["base"] = "no_change"
            else:
                try:
                    await self.house.policy_file.async_check(text)
                except PolicyError as err:
                    errors[FIELD] = "policy_invalid_text"
                    shown = problem_of(err)
                    shown["excerpt"] = _excerpt(text, int(shown["line"]))
                else:
                    return await self.async_propose(
                        Draft(
                            text=text,
                            before=self.text_source.text,
                            revision=self.text_source.revision,
                        )
                    )
        return self.async_show_form(
            step_id="text",
            data_schema=self.add_suggested_values_to_schema(_SCHEMA, {FIELD: typed}),
            errors=errors,
            description_placeholders=shown,
            last_step=False,
        )

    async def async_step_undo(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show what the last change was, and take it back."""
        policy_file = self.house.policy_file
        errors: dict[str, str] = {}
        shown = {"line": "", "problem": ""}
        if user_input is not None:
            try:
                await policy_file.async_undo(by=self.by_id)
            except NothingKept:
                return self.async_abort(reason="policy_nothing_kept")
            except PolicyFileChanged:
                errors["base"] = "policy_changed"
            except PolicyNotWritten as err:
                errors["base"] = "policy_not_written"
                shown["problem"] = (err.translation_placeholders or {})["problem"]
            except (PolicyError, UnreadablePolicyFile) as err:
                errors["base"] = "policy_invalid"
                shown = problem_of(err)
            else:
                return self.done()
        before = await policy_file.async_previous()
        if before is None:
            return self.async_abort(reason="policy_nothing_kept")
        try:
            now = (await policy_file.async_text()).text
        except UnreadablePolicyFile as err:
            return self.async_abort(
                reason="policy_unreadable", description_placeholders=problem_of(err)
            )
        return self.async_show_form(
            step_id="undo",
            data_schema=probatio.Schema({}),
            errors=errors,
            description_placeholders={**shown, "lines": lines_changed(now, before)},
            last_step=True,
        )


def with_line_ends(typed: str, before: str) -> str:
    """Return a text with the line ends of the file; a browser knows only one kind."""
    typed = typed.replace("\r\n", "\n")
    if "\r\n" in before and before.count("\r\n") == before.count("\n"):
        typed = typed.replace("\n", "\r\n")
    return typed


def _excerpt(text: str, line: int) -> str:
    """Return the line of a fault, to be found again in a long text."""
    lines = text.splitlines()
    if not 0 < line <= len(lines):
        return ""
    return lines[line - 1].strip()[:MAX_EXCERPT]
