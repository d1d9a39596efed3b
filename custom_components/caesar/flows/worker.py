"""Workers: enrolled by a person who has compared the key and read what they offer."""

from collections.abc import Mapping
from typing import Any, Final, override

from homeassistant.config_entries import SOURCE_USER, SubentryFlowResult
from homeassistant.helpers.selector import (
    BooleanSelector,
    SelectOptionDict,
    TextSelector,
)
import probatio

from ..adapters.worker_discovery import FoundWorker
from ..const import (
    CONF_CONFIRMED,
    CONF_NAME,
    CONF_PUBLIC_KEY,
    CONF_TOOLS,
    CONF_URL,
    SUBENTRY_WORKER,
)
from ..legion.canonical import Json
from ..legion.errors import LegionCode, LegionError
from ..legion.messages import WorkerAddress, WorkerHealth
from ..legion.spec import ToolSpec
from ..legion.spec_json import SpecError, spec_as_json, spec_from_json, spec_hash
from ..wording import Wording, one_line, plain
from .subentry import URL_FIELD, base_url, choice, is_key, needs_https
from .worker_rules import RuleSteps
from .worker_words import (
    chosen_again,
    claim_options,
    confirmed,
    described,
    sentence_notes,
)

CONF_FOUND: Final = "found"
CONF_SAME_KEY: Final = "same_key"
MAX_NAME: Final = 64

# What is wrong, and at which field it is said.
_ERRORS: Final[Mapping[LegionCode, tuple[str, str]]] = {
    LegionCode.UNREACHABLE: (CONF_URL, "worker_unreachable"),
    LegionCode.TIMEOUT: (CONF_URL, "worker_timeout"),
    LegionCode.BUSY: (CONF_URL, "worker_busy"),
    LegionCode.STOPPING: (CONF_URL, "worker_busy"),
    LegionCode.REFUSED: (CONF_URL, "worker_refuses"),
    LegionCode.CLOCK: (CONF_URL, "worker_clock"),
    LegionCode.BAD_SIGNATURE: (CONF_PUBLIC_KEY, "worker_key_differs"),
}

ADDRESS_SCHEMA: Final = probatio.Schema(
    {
        probatio.Required(CONF_URL): URL_FIELD,
        probatio.Required(CONF_PUBLIC_KEY): TextSelector(),
    }
)
URL_SCHEMA: Final = probatio.Schema({probatio.Required(CONF_URL): URL_FIELD})
COMPARE_SCHEMA: Final = probatio.Schema(
    {probatio.Required(CONF_SAME_KEY, default=False): BooleanSelector()}
)


class WorkerFlow(RuleSteps):
    """Add a worker, or change one."""

    def __init__(self) -> None:
        """Start with nothing known."""
        self._address: dict[str, str] = {CONF_URL: "", CONF_PUBLIC_KEY: ""}
        self._found: FoundWorker | None = None
        self._health: WorkerHealth | None = None

    async def async_step_user(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask which worker: one that was found, or one by its address.

        A repair that has shown the key of a found worker begins with its address.
        """
        if user_input is not None or not self.house.discovery.found:
            return await self.async_step_by_hand(user_input)
        return self.async_show_menu(step_id="user", menu_options=["found", "by_hand"])

    async def async_step_found(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Show the workers that announce themselves."""
        found = {each.public_key: each for each in self.house.discovery.found}
        if not found:
            return await self.async_step_by_hand()
        if user_input is not None:
            self._found = found.get(user_input[CONF_FOUND])
            if self._found is not None:
                return await self.async_step_compare()
        options = [
            SelectOptionDict(
                value=each.public_key, label=f"{one_line(each.name)} · {each.url}"
            )
            for each in found.values()
        ]
        return self.async_show_form(
            step_id="found",
            data_schema=probatio.Schema(
                {probatio.Required(CONF_FOUND): choice(options)}
            ),
            last_step=False,
        )

    async def async_step_compare(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Have the key compared with the one that the worker has printed."""
        found = self._found
        assert found is not None  # the step is reached by choosing one
        errors: dict[str, str] = {}
        clock = ""
        if user_input is not None:
            if not user_input[CONF_SAME_KEY]:
                errors[CONF_SAME_KEY] = "key_not_compared"
            else:
                self._address = {
                    CONF_URL: found.url,
                    CONF_PUBLIC_KEY: found.public_key,
                }
                problem, clock = await self._probe()
                if problem is None:
                    return await self.async_step_tools()
                errors["base"] = problem[1]
        return self.async_show_form(
            step_id="compare",
            data_schema=COMPARE_SCHEMA,
            errors=errors,
            description_placeholders={
                "name": plain(found.name),
                "url": plain(found.url),
                "key": found.public_key,
                "house_key": self.house.workers.public_key,
                "clock": clock,
            },
            last_step=False,
        )

    async def async_step_by_hand(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Ask for the address and the key, and say hello."""
        errors: dict[str, str] = {}
        clock = ""
        if user_input is not None:
            self._address = {
                key: user_input[key].strip() for key in (CONF_URL, CONF_PUBLIC_KEY)
            }
            errors = self._address_errors()
            if not errors:
                problem, clock = await self._probe()
                if problem is None:
                    return await self.async_step_tools()
                errors[problem[0]] = problem[1]
        return self.async_show_form(
            step_id="by_hand",
            data_schema=self.add_suggested_values_to_schema(
                ADDRESS_SCHEMA, self._address
            ),
            errors=errors,
            description_placeholders={
                "house_key": self.house.workers.public_key,
                "clock": clock,
            },
            last_step=False,
        )

    async def async_step_reconfigure(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Change where a worker is, and what of it may be used. Its key stays."""
        kept = self._get_reconfigure_subentry()
        key = str(kept.data[CONF_PUBLIC_KEY])
        errors: dict[str, str] = {}
        clock = ""
        if user_input is None:
            self._address = {CONF_URL: kept.data[CONF_URL], CONF_PUBLIC_KEY: key}
        else:
            self._address[CONF_URL] = user_input[CONF_URL].strip()
            self._address[CONF_PUBLIC_KEY] = key
            errors = self._address_errors()
            if not errors:
                problem, clock = await self._probe()
                if problem is None:
                    return await self.async_step_tools()
                errors[CONF_URL] = problem[1]
        return self.async_show_form(
            step_id="reconfigure",
            data_schema=self.add_suggested_values_to_schema(
                URL_SCHEMA, {CONF_URL: self._address[CONF_URL]}
            ),
            errors=errors,
            description_placeholders={
                "key": key,
                "house_key": self.house.workers.public_key,
                "clock": clock,
            },
            last_step=False,
        )

    async def async_step_tools(
        self, user_input: dict[str, Any] | None = None
    ) -> SubentryFlowResult:
        """Show what the worker declares, and ask what of it may be used and believed."""
        health = self._health
        assert health is not None  # the step is reached by a hello
        specs = health.tools
        errors: dict[str, str] = {}
        values = self._tools_before(specs)
        if user_input is not None:
            values = {CONF_CONFIRMED: [], CONF_TOOLS: [], **user_input}
            errors = self._tools_errors(values)
            if not errors:
                return await self._with_tools(values)
        wording = await self.wording()
        tools = [
            SelectOptionDict(
                value=spec.name, label=f"{one_line(spec.title)} ({spec.name})"
            )
            for spec in specs
        ]
        fields: dict[Any, Any] = {
            probatio.Required(CONF_NAME): TextSelector(),
            probatio.Required(CONF_TOOLS): choice(tools, multiple=True),
        }
        if claimed := claim_options(wording, specs):
            fields[probatio.Optional(CONF_CONFIRMED)] = choice(claimed, multiple=True)
        return self.async_show_form(
            step_id="tools",
            data_schema=self.add_suggested_values_to_schema(
                probatio.Schema(fields), values
            ),
            errors=errors,
            description_placeholders={
                "url": plain(self._address[CONF_URL]),
                "version": plain(health.version),
                "tools": described(wording, specs, await self._notes(wording, specs)),
            },
            last_step=self.source != SOURCE_USER,
        )

    async def _with_tools(self, values: Mapping[str, Any]) -> SubentryFlowResult:
        """Go on with what was chosen: to the policy, or to the end."""
        assert self._health is not None  # it is what was chosen from
        specs = [spec for spec in self._health.tools if spec.name in values[CONF_TOOLS]]
        self.title = values[CONF_NAME].strip()
        self.data = {
            **self._address,
            CONF_TOOLS: {spec.name: spec_as_json(spec) for spec in specs},
            CONF_CONFIRMED: confirmed(values[CONF_CONFIRMED], specs),
        }
        if self.source == SOURCE_USER:
            return await self.async_step_rule()
        return self.async_keep()

    @override
    def async_keep(self) -> SubentryFlowResult:
        self.house.workers.tell_pinned(
            self._address[CONF_PUBLIC_KEY], self.data[CONF_TOOLS], self.by_id
        )
        if self.source == SOURCE_USER:
            return self.async_create_entry(
                title=self.title,
                data=self.data,
                unique_id=self._address[CONF_PUBLIC_KEY],
            )
        return self.async_update_and_abort(
            self._get_entry(),
            self._get_reconfigure_subentry(),
            data=self.data,
            title=self.title,
        )

    async def _probe(self) -> tuple[tuple[str, str] | None, str]:
        """Say hello. Return the field and key of what is wrong, and the clock's error."""
        try:
            health = await self.house.workers.async_probe(
                WorkerAddress(
                    url=self._address[CONF_URL],
                    public_key=self._address[CONF_PUBLIC_KEY],
                )
            )
        except LegionError as err:
            skew = f"{abs(err.skew_s):.0f}" if err.skew_s is not None else "?"
            return _ERRORS.get(err.code, (CONF_URL, "not_a_worker")), skew
        if not health.tools:
            return (CONF_URL, "worker_without_tools"), ""
        self._health = health
        return None, ""

    def _address_errors(self) -> dict[str, str]:
        """Return what is wrong with what was typed; put the address into its form."""
        errors: dict[str, str] = {}
        url = base_url(self._address[CONF_URL])
        if url is None:
            errors[CONF_URL] = "url_invalid"
        elif needs_https(url):
            errors[CONF_URL] = "url_needs_https"
        else:
            self._address[CONF_URL] = url
        key = self._address[CONF_PUBLIC_KEY]
        if not is_key(key):
            errors[CONF_PUBLIC_KEY] = "seed_typed" if key[:2] == "SU" else "key_invalid"
        elif self.source == SOURCE_USER and key in self._others(CONF_PUBLIC_KEY):
            errors[CONF_PUBLIC_KEY] = "worker_already_added"
        return errors

    def _tools_errors(self, values: Mapping[str, Any]) -> dict[str, str]:
        errors: dict[str, str] = {}
        name = values[CONF_NAME].strip()
        if not name or len(name) > MAX_NAME:
            errors[CONF_NAME] = "worker_name_length"
        elif name.casefold() in {each.casefold() for each in self._others(CONF_NAME)}:
            errors[CONF_NAME] = "worker_name_taken"
        if not values[CONF_TOOLS]:
            errors[CONF_TOOLS] = "no_tool_chosen"
        return errors

    def _others(self, what: str) -> set[str]:
        """Return the keys, or the names, of the house's other workers."""
        return {
            each.title if what == CONF_NAME else str(each.data[what])
            for each in self._get_entry().get_subentries_of_type(SUBENTRY_WORKER)
            if self.source == SOURCE_USER
            or each.subentry_id != self._reconfigure_subentry_id
        }

    def _tools_before(self, specs: tuple[ToolSpec, ...]) -> dict[str, Any]:
        """Return what the form shows first: all tools of a new worker, none believed.

        Of a known worker, what a person has confirmed of a tool that is unchanged.
        """
        assert self._health is not None  # it is what the form shows
        if self.source == SOURCE_USER:
            return {
                CONF_NAME: one_line(self._health.worker_id)[:MAX_NAME],
                CONF_TOOLS: [spec.name for spec in specs],
            }
        kept = self._get_reconfigure_subentry()
        pinned = kept.data.get(CONF_TOOLS, {})
        same = [
            spec
            for spec in specs
            if spec.name in pinned and _is_pinned(spec, pinned[spec.name])
        ]
        return {
            CONF_NAME: kept.title,
            CONF_TOOLS: [spec.name for spec in specs if spec.name in pinned],
            CONF_CONFIRMED: chosen_again(kept.data.get(CONF_CONFIRMED, {}), same),
        }

    async def _notes(
        self, wording: Wording, specs: tuple[ToolSpec, ...]
    ) -> dict[str, list[str]]:
        """Return what must be said of single tools: what of them will not be used."""
        notes = await self.hass.async_add_executor_job(sentence_notes, wording, specs)
        own: Mapping[str, Any] = {}
        if self.source != SOURCE_USER:
            own = self._get_reconfigure_subentry().data.get(CONF_TOOLS, {})
        workers = self.house.workers
        for spec in specs:
            # A tool of this worker's own is not in its own way.
            if spec.name not in own and (against := workers.objection(spec)):
                key = f"worker_note_{against.value}"
                notes[spec.name].insert(0, wording.text(key))
        return notes


def _is_pinned(spec: ToolSpec, pinned: Json) -> bool:
    try:
        return spec_hash(spec_from_json(pinned)) == spec_hash(spec)
    except SpecError:
        return False
