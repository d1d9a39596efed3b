"""What CAESAR may do, as a form of a dozen rows, with rooms and persons."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.const import UnitOfTemperature
from homeassistant.helpers.selector import (
    AreaSelector,
    AreaSelectorConfig,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
from homeassistant.helpers.translation import async_get_translations
import probatio

from ..adapters.directory import HouseDirectory
from ..adapters.policy_store import PolicyText, UnreadablePolicyFile
from ..const import DOMAIN
from ..policy.directory import NameKind
from ..policy.edit import UneditableText
from ..policy.form import Choice, Covers, Form, RowState, Setting, read_form
from ..policy.form_edit import FormHouse, write_form
from ..policy.home import close_over_members
from ..policy.impact import ENTRY_CLASSES
from ..policy.loader import load_policy
from ..policy.problem import PolicyError
from ..policy.rows import ROWS, RowKey
from ..wording import Wording
from .house import HouseSteps
from .steps import Draft, problem_of

CONF_LIMIT: Final = "limit"
CONF_AREAS: Final = "areas"
CONF_PERSONS: Final = "persons"
_SET: Final = (Choice.ASK, Choice.ALLOW)


class FormSteps(HouseSteps):
    """The rows, and for chosen rows where and for whom."""

    form: Form
    form_source: PolicyText | None = None
    wanted: dict[RowKey, Setting]
    to_limit: list[RowKey]

    async def async_step_form(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Show the rows; each is off, asked about, or allowed."""
        if user_input is None or self.form_source is None:
            if (reason := await self._read_form()) is not None:
                return reason
            return await self._show_form({}, {})
        rows = self._rows()
        self.wanted = {
            key: Setting(
                choice=Choice(user_input[key.value]),
                areas=self.form.rows[key].setting.areas,
                users=self.form.rows[key].setting.users,
            )
            for key in rows
        }
        self.to_limit = [
            key
            for key in rows
            if key.value in user_input.get(CONF_LIMIT, ())
            and self.wanted[key].choice in _SET
        ]
        for key, setting in self.wanted.items():
            if setting.choice not in _SET:
                self.wanted[key] = Setting(choice=setting.choice)
        return await self._next_row(user_input)

    async def async_step_row(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Ask where and for whom a row holds."""
        key = self.to_limit[0]
        setting = self.wanted[key]
        if user_input is not None:
            self.wanted[key] = Setting(
                choice=setting.choice,
                areas=tuple(sorted(user_input.get(CONF_AREAS, ()))),
                users=tuple(sorted(user_input.get(CONF_PERSONS, ()))),
            )
            self.to_limit.pop(0)
            return await self._next_row({})
        fields: dict[Any, Any] = {}
        if ROWS[key].placed:
            fields[probatio.Optional(CONF_AREAS)] = AreaSelector(
                AreaSelectorConfig(multiple=True)
            )
        fields[probatio.Optional(CONF_PERSONS)] = await self.persons(multiple=True)
        names = await self._row_names()
        return self.async_show_form(
            step_id="row",
            data_schema=self.add_suggested_values_to_schema(
                probatio.Schema(fields),
                {CONF_AREAS: list(setting.areas), CONF_PERSONS: list(setting.users)},
            ),
            description_placeholders={"row": names[key]},
            last_step=False,
        )

    async def _read_form(self) -> ConfigFlowResult | None:
        """Read the file; return how the flow ends if it can't be shown as a form."""
        policy_file = self.house.policy_file
        try:
            self.form_source = await policy_file.async_text()
            policy = await policy_file.async_check(self.form_source.text)
        except (UnreadablePolicyFile, PolicyError) as err:
            return self.async_abort(
                reason="policy_unreadable", description_placeholders=problem_of(err)
            )
        if await policy_file.async_is_changed():
            return self.async_abort(reason="policy_changed")
        self.form = read_form(policy, self._covers())
        return None

    async def _next_row(self, typed: Mapping[str, Any]) -> ConfigFlowResult:
        """Go on with the next row that is to be limited, or to what would change."""
        if self.to_limit:
            return await self.async_step_row()
        source = self.form_source
        assert source is not None  # the form was shown from it
        directory = await self.directory()
        house = FormHouse(
            load=partial(load_policy, directory=directory),
            covers=self._covers(),
            user_word=partial(_user_word, directory),
            fahrenheit=self.hass.config.units.temperature_unit
            == UnitOfTemperature.FAHRENHEIT,
        )
        try:
            text = await self.hass.async_add_executor_job(
                write_form, source.text, self.wanted, house
            )
            await self.house.policy_file.async_check(text)
        except (UneditableText, PolicyError) as err:
            return await self._show_form(
                typed, {"base": "uneditable"}, **problem_of(err)
            )
        if text == source.text:
            return await self._show_form(typed, {"base": "no_change"})
        return await self.async_propose(
            Draft(text=text, before=source.text, revision=source.revision)
        )

    async def _show_form(
        self, typed: Mapping[str, Any], errors: dict[str, str], **shown: str
    ) -> ConfigFlowResult:
        fields: dict[Any, Any] = {
            probatio.Required(
                key.value, default=self.form.rows[key].setting.choice.value
            ): _choices(self.form, key)
            for key in self._rows()
        }
        fields[probatio.Optional(CONF_LIMIT)] = SelectSelector(
            SelectSelectorConfig(
                options=[key.value for key in self._rows()],
                multiple=True,
                mode=SelectSelectorMode.DROPDOWN,
                translation_key="form_row",
            )
        )
        return self.async_show_form(
            step_id="form",
            data_schema=self.add_suggested_values_to_schema(
                probatio.Schema(fields), typed
            ),
            errors=errors,
            description_placeholders={
                "line": "",
                "problem": "",
                "notes": _notes(
                    await self.wording(),
                    self.form,
                    await self._row_names(),
                    self._unlisted_tools(),
                ),
                **shown,
            },
            last_step=False,
        )

    def _rows(self) -> list[RowKey]:
        """Return the rows of this house; one without doors is not asked about them."""
        doors = self.form.rows[RowKey.DOORS]
        own = doors.setting.choice is not Choice.OFF and not doors.inherited
        has_doors = bool(self._covers().doors) or own
        return [key for key in ROWS if key is not RowKey.DOORS or has_doors]

    def _unlisted_tools(self) -> list[str]:
        """Return the tools of workers that the file could list, and doesn't."""
        policy = self.house.policy_file.policy
        known = (spec.name for spec in self.house.workers.tools())
        return [name for name in known if policy.may_list(name)]

    def _covers(self) -> Covers:
        """Return the covers that are shared with Assist; a group of a door is a door."""
        home = self.house.home
        doors: dict[str, str | None] = {}
        blinds: dict[str, str | None] = {}
        for facts in home.exposed():
            if facts.domain != "cover":
                continue
            reached = close_over_members(home, [facts.entity_id])
            is_door = any(
                each is None or each.device_class in ENTRY_CLASSES
                for each in map(home.entity, reached)
            )
            (doors if is_door else blinds)[facts.entity_id] = facts.area_id
        return Covers(doors=doors, blinds=blinds)

    async def _row_names(self) -> dict[RowKey, str]:
        """Return what the rows are called in the house's language."""
        prefix = f"component.{DOMAIN}.selector.form_row.options."
        texts = await async_get_translations(
            self.hass, self.hass.config.language, "selector", {DOMAIN}
        )
        return {key: texts.get(f"{prefix}{key.value}", key.value) for key in ROWS}


def _choices(form: Form, key: RowKey) -> SelectSelector:
    now = form.rows[key].setting.choice
    first = [Choice.BY_HAND] if now is Choice.BY_HAND else []
    if form.off and not first:
        first = [Choice.OFF]
    return SelectSelector(
        SelectSelectorConfig(
            options=[choice.value for choice in (*first, *_SET)],
            mode=SelectSelectorMode.DROPDOWN,
            translation_key="form_choice",
        )
    )


def _notes(
    wording: Wording, form: Form, names: Mapping[RowKey, str], unlisted: Iterable[str]
) -> str:
    """Return what the rows alone don't say, a line each."""

    def of(rows: Iterable[tuple[RowKey, RowState]]) -> str:
        return ", ".join(names[key] for key, _ in rows)

    rows = list(form.rows.items())
    found = {
        "form_note_limited": of(
            row for row in rows if row[1].setting.areas or row[1].setting.users
        ),
        "form_note_partly": of(row for row in rows if not row[1].whole),
        "form_note_by_hand": ", ".join(
            f"{names[key]} ({state.by_hand})" for key, state in rows if state.by_hand
        ),
        "form_note_barred": of(row for row in rows if row[1].barred),
        "form_note_elsewhere": str(form.elsewhere or ""),
        "form_note_tools": ", ".join(unlisted),
        "form_note_all_ask": "approval_scope" if form.all_ask else "",
    }
    return "\n".join(
        f"- {wording.text(key, rows=value)}" for key, value in found.items() if value
    )


def _user_word(directory: HouseDirectory, user_id: str) -> str:
    """Return a user's name, or the id where the name is not theirs alone."""
    named = directory.find(NameKind.USER, user_id)
    if len(named) == 1 and directory.find(NameKind.USER, named[0].name) == named:
        return named[0].name
    return user_id
