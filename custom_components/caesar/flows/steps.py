"""What all steps of the options share: the house, who is at it, and saving a draft."""

from collections.abc import Iterable
from dataclasses import dataclass
import difflib
from itertools import islice
import sqlite3
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.config_entries import ConfigEntryState, ConfigFlowResult, OptionsFlow
from homeassistant.data_entry_flow import AbortFlow
from homeassistant.helpers.http import current_request
import probatio

from ..adapters.directory import HouseDirectory, async_directory
from ..adapters.policy_issues import BadFile, placeholders
from ..adapters.policy_store import (
    PolicyFileChanged,
    PolicyNotWritten,
    UnreadablePolicyFile,
)
from ..adapters.simulator import Change, Simulation
from ..policy.edit import UneditableText
from ..policy.problem import PolicyError
from ..runtime import CaesarRuntime
from ..wording import Wording, async_wording, plain

DAYS: Final = 7
MAX_LINES: Final = 300
MAX_CHANGES: Final = 10
MAX_LINE: Final = 160
# Where Home Assistant's server keeps the user of a request.
_USER: Final = "hass_user"
_NOTHING: Final = probatio.Schema({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A text that is to become the policy.

    `before` is the text it was made from and `revision` that one's; `denial` the row
    of the trail it was made for; `note` is said beside it.
    """

    text: str
    before: str
    revision: str | None
    denial: int | None = None
    note: str = ""


class Steps(OptionsFlow):
    """The base of the options' steps."""

    draft: Draft | None = None

    @property
    def is_loaded(self) -> bool:
        """Return whether the house is there."""
        return self.config_entry.state is ConfigEntryState.LOADED

    @property
    def house(self) -> CaesarRuntime:
        """Return the house. Ends the flow if it was unloaded meanwhile."""
        if not self.is_loaded:
            raise AbortFlow("not_loaded")
        runtime: CaesarRuntime = self.config_entry.runtime_data
        return runtime

    @property
    def by(self) -> User | None:
        """Return the user who is at this form; None if it isn't used over HTTP.

        Home Assistant lets only those near it who may edit its configuration.
        """
        return user_at_form()

    @property
    def by_id(self) -> str | None:
        """Return the id of the user who is at this form."""
        return user_id_at_form()

    async def wording(self) -> Wording:
        """Return CAESAR's sentences in the house's language."""
        return await async_wording(self.hass, self.hass.config.language)

    async def directory(self) -> HouseDirectory:
        """Return the names of today."""
        names = self.house.approvals.pins.names()
        return await async_directory(self.hass, self.config_entry, names)

    def done(self, **options: Any) -> ConfigFlowResult:
        """End, keeping all options that aren't given."""
        return self.async_create_entry(data={**self.config_entry.options, **options})

    async def async_propose(self, draft: Draft) -> ConfigFlowResult:
        """Show what a draft would change, before it is saved."""
        self.draft = draft
        return await self.async_step_changes()

    async def async_step_changes(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the lines and what they would have changed; save when sent."""
        draft = self.draft
        assert draft is not None  # the step is reached by proposing one
        errors: dict[str, str] = {}
        shown: dict[str, str] = {"line": "", "problem": ""}
        if user_input is not None:
            try:
                await self.house.policy_file.async_save(
                    draft.text,
                    expected_revision=draft.revision,
                    by=self.by_id,
                    denial=draft.denial,
                )
            except PolicyFileChanged:
                errors["base"] = "policy_changed"
            except (PolicyError, UnreadablePolicyFile) as err:
                errors["base"] = "policy_invalid"
                shown = placeholders(err)
            except PolicyNotWritten as err:
                errors["base"] = "policy_not_written"
                shown["problem"] = (err.translation_placeholders or {})["problem"]
            else:
                return self.done()
        return self.async_show_form(
            step_id="changes",
            data_schema=_NOTHING,
            errors=errors,
            description_placeholders={
                **shown,
                "lines": lines_changed(draft.before, draft.text),
                "changed": await self._changed(draft),
                "note": draft.note,
            },
            last_step=True,
        )

    async def _changed(self, draft: Draft) -> str:
        """Return what the draft would have decided differently, in a few lines."""
        wording = await self.wording()
        try:
            policy = await self.house.policy_file.async_check(draft.text)
        except PolicyError:
            return ""
        try:
            simulation = await self.house.simulator.async_run(policy, DAYS)
        except sqlite3.Error:
            told = [wording.text("draft_unknown")]
        else:
            told = list(_told(wording, simulation))
        remarks = [
            "- "
            + wording.text(
                "draft_remark", line=str(lint.line), problem=plain(lint.message)
            )
            for lint in policy.lints[:MAX_CHANGES]
        ]
        return "\n".join([*told, *(["", *remarks] if remarks else [])])


def problem_of(err: BadFile | UneditableText) -> dict[str, str]:
    """Return a fault's line and words, for a form."""
    if isinstance(err, UneditableText):
        return {"line": str(err.line), "problem": err.problem}
    return placeholders(err)


def user_at_form() -> User | None:
    """Return the user whose request this is; None if it came another way."""
    request = current_request.get()
    return request.get(_USER) if request is not None else None


def user_id_at_form() -> str | None:
    """Return the id of the user whose request this is; None if it came another way."""
    user = user_at_form()
    return user.id if user is not None else None


def lines_changed(before: str, after: str) -> str:
    """Return the lines that are new and that are gone, as a block of a description.

    A long one goes on in the next: what is saved must not stand beyond a margin.
    """
    changed = difflib.unified_diff(
        before.splitlines(), after.splitlines(), lineterm="", n=0
    )
    rows = [
        row
        for line in islice(changed, 2, None)
        if not line.startswith("@@")
        for row in _rows(f"{line[0]} {line[1:]}".rstrip())
    ]
    # A fence in the file must not end the block.
    shown = [row.replace("```", "'''") for row in rows[:MAX_LINES]]
    if len(rows) > MAX_LINES:
        shown.append("…")
    return "\n".join(["```", *shown, "```"])


def _rows(line: str) -> Iterable[str]:
    """Yield a line in pieces; all but the first are indented where the mark stands."""
    yield line[:MAX_LINE]
    for start in range(MAX_LINE, len(line), MAX_LINE):
        yield f"  {line[start : start + MAX_LINE]}"


def _told(wording: Wording, simulation: Simulation) -> Iterable[str]:
    """Return the calls of the last days that would be decided otherwise."""
    groups: dict[tuple[str, ...], list[Change]] = {}
    for change in simulation.changed:
        what = (change.tool, ", ".join(change.entities[:3]))
        groups.setdefault((*what, change.before, change.after), []).append(change)
    if not groups:
        yield wording.text("draft_changes_none", days=str(simulation.days))
        return
    yield wording.text("draft_changes", days=str(simulation.days)) + "\n"
    for key, changes in list(groups.items())[:MAX_CHANGES]:
        tool, entities, before, after = key
        yield "- " + wording.text(
            "draft_change",
            count=str(len(changes)),
            what=plain(f"{tool} {entities}".strip()),
            before=wording.text(f"verdict_{before}"),
            after=wording.text(f"verdict_{after}"),
        )
    if len(groups) > MAX_CHANGES:
        yield "- " + wording.text("names_more", count=str(len(groups) - MAX_CHANGES))
