"""What is not in the file: PINs, phones, and how far automations may go."""

from typing import Any, Final

from homeassistant.config_entries import ConfigFlowResult
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import probatio

from ..adapters.guards import automation_tools
from ..adapters.pins import InvalidPin
from ..const import CONF_AUTOMATION_TOOLS, CONF_NAME
from ..turn import ToolScope
from ..wording import plain
from .steps import Steps

CONF_PIN: Final = "pin"
CONF_REMOVE: Final = "remove"
CONF_PERSON: Final = "person"


class HouseSteps(Steps):
    """Steps that keep something beside the policy file."""

    async def async_step_automations(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Choose how far the tools of automations go."""
        if user_input is not None:
            return self.done(**user_input)
        known = automation_tools(self.config_entry.options)
        return self.async_show_form(
            step_id="automations",
            data_schema=probatio.Schema(
                {
                    probatio.Required(
                        CONF_AUTOMATION_TOOLS, default=known.value
                    ): SelectSelector(
                        SelectSelectorConfig(
                            options=[scope.value for scope in ToolScope],
                            mode=SelectSelectorMode.LIST,
                            translation_key="tools",
                        )
                    )
                }
            ),
            last_step=True,
        )

    async def async_step_pins(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Set, change and remove PINs; none is ever shown."""
        pins = self.house.approvals.pins
        errors: dict[str, str] = {}
        given = user_input or {}
        if user_input is not None:
            name, pin = given.get(CONF_NAME, ""), given.get(CONF_PIN, "")
            removed = given.get(CONF_REMOVE, [])
            if not (name or pin or removed):
                errors["base"] = "no_change"
            elif self._pins_in_use() & (set(removed) - {name.strip()}):
                # The file that names it would not load any more.
                errors[CONF_REMOVE] = "pin_in_use"
            else:
                errors = await self._set_pin(name, pin) if name or pin else {}
            if not errors:
                for each in set(removed) - {name.strip()}:
                    await pins.async_remove(each)
                return self.done()
        known = list(pins.names())
        fields: dict[Any, Any] = {
            probatio.Optional(CONF_NAME): TextSelector(),
            probatio.Optional(CONF_PIN): TextSelector(
                TextSelectorConfig(type=TextSelectorType.PASSWORD)
            ),
        }
        if known:
            fields[probatio.Optional(CONF_REMOVE)] = SelectSelector(
                SelectSelectorConfig(
                    options=known, multiple=True, mode=SelectSelectorMode.DROPDOWN
                )
            )
        kept = {key: value for key, value in given.items() if key != CONF_PIN}
        return self.async_show_form(
            step_id="pins",
            data_schema=self.add_suggested_values_to_schema(
                probatio.Schema(fields), kept
            ),
            errors=errors,
            description_placeholders={"pins": plain(", ".join(known)) or "–"},
            last_step=True,
        )

    async def async_step_phone(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """Send a test to somebody's phone."""
        errors: dict[str, str] = {}
        if user_input is not None:
            told = await self.house.approvals.phones.async_test_phone(
                user_input[CONF_PERSON]
            )
            if told:
                return self.async_show_form(
                    step_id="phone_sent",
                    data_schema=probatio.Schema({}),
                    description_placeholders={"phones": plain(", ".join(told))},
                    last_step=True,
                )
            errors["base"] = "no_phone"
        person = probatio.Required(
            CONF_PERSON, default=self.by_id or probatio.UNDEFINED
        )
        return self.async_show_form(
            step_id="phone",
            data_schema=self.add_suggested_values_to_schema(
                probatio.Schema({person: await self.persons()}), user_input or {}
            ),
            errors=errors,
            last_step=False,
        )

    async def async_step_phone_sent(
        self, user_input: dict[str, Any] | None = None
    ) -> ConfigFlowResult:
        """End; the answer shows on the phone."""
        return self.done()

    async def persons(self, *, multiple: bool = False) -> SelectSelector:
        """Return a choice of the people of this house."""
        users = [
            SelectOptionDict(value=user.id, label=user.name or user.id)
            for user in await self.hass.auth.async_get_users()
            if not user.system_generated
        ]
        return SelectSelector(
            SelectSelectorConfig(
                options=sorted(users, key=lambda user: user["label"].casefold()),
                multiple=multiple,
                mode=SelectSelectorMode.DROPDOWN,
            )
        )

    async def _set_pin(self, name: str, pin: str) -> dict[str, str]:
        try:
            await self.house.approvals.pins.async_keep(name, pin)
        except InvalidPin as err:
            return {
                CONF_NAME if err.part == "name" else CONF_PIN: f"invalid_{err.part}"
            }
        return {}

    def _pins_in_use(self) -> set[str]:
        policy = self.house.policy_file.loaded
        if policy is None:
            # A file that can't be read may name any of them.
            return set(self.house.approvals.pins.names())
        rules = (*policy.services.values(), *policy.tools.values())
        return {rule.pin for group in rules for rule in group if rule.pin is not None}
