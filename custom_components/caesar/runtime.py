"""Builds the house once, at set-up, and holds it while the entry is loaded."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
import logging
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.start import async_at_started
from homeassistant.util.ulid import ulid_now

from .adapters.activity import HouseActivity
from .adapters.approvals import ApprovalParts, Approvals
from .adapters.assistant import AgentSettings, Assistant, House
from .adapters.audit_log import HouseAuditLog
from .adapters.bypass import async_watch_policy
from .adapters.callers import OwnContexts
from .adapters.explainer import Explainer
from .adapters.guards import Guards, build_guards, settings_of
from .adapters.home import HomeAssistantHome
from .adapters.model_sdk import SdkUnavailable, load_sdk
from .adapters.pins import Pins, async_load_pins
from .adapters.policy_file import PolicyFile
from .adapters.reads import ReadExecutor, read_tools
from .adapters.service_calls import ServiceExecutor
from .adapters.simulator import Simulator
from .adapters.toolbox import HouseToolbox
from .adapters.usage import HouseMeter
from .adapters.users import Users
from .adapters.words import HouseWords
from .brain.prompt import Persona
from .brain.provider import Provider
from .brain.session import Sessions
from .const import (
    AGENT_DEFAULTS,
    CONF_API_KEY,
    CONF_BRAIN,
    CONF_MAX_ITERATIONS,
    CONF_MAX_TOKENS,
    CONF_MODEL,
    CONF_PERSONA_NAME,
    CONF_PERSONA_TONE,
    CONF_PROMPT,
    CONF_PROVIDER,
    CONF_STARTER_POLICY,
    DOMAIN,
    SUBENTRY_CONVERSATION,
    Brain,
    ProviderKind,
    StarterPolicy,
)
from .gate import GateParts, ToolGate
from .providers.anthropic import AnthropicSettings, async_create_provider
from .providers.builtin import BuiltinProvider
from .providers.direct import DirectProvider
from .turn import ToolOutcome

_LOGGER = logging.getLogger(__name__)

ISSUE_MODEL: Final = "model_unavailable"
CALLS_END_S: Final = 10.0

type CaesarConfigEntry = ConfigEntry[CaesarRuntime]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaesarRuntime:
    """All that runs while the entry is loaded; `assistants` by subentry id."""

    assistants: Mapping[str, Assistant]
    approvals: Approvals
    audit: HouseAuditLog
    policy_file: PolicyFile
    home: HomeAssistantHome
    users: Users
    explainer: Explainer
    simulator: Simulator
    meter: HouseMeter
    providers: tuple[Provider, ...]
    calls: set[asyncio.Task[ToolOutcome]]

    async def async_stop(self) -> None:
        """Stop everything that was started, the trail last.

        Calls under way get ten seconds to end and be concluded.
        """
        await self.approvals.async_stop()
        if self.calls:
            await asyncio.wait(self.calls, timeout=CALLS_END_S)
        for provider in self.providers:
            await provider.close()
        await self.policy_file.async_stop()
        self.home.async_stop()
        await self.meter.async_stop()
        await self.audit.async_stop()


async def async_build(hass: HomeAssistant, entry: CaesarConfigEntry) -> CaesarRuntime:
    """Build the house from its entry and start what needs starting."""
    audit = HouseAuditLog(hass)
    await audit.async_start()
    pins = await async_load_pins(hass)
    starter = StarterPolicy(entry.data[CONF_STARTER_POLICY])
    policy_file = PolicyFile(hass, entry, audit, starter, pins=pins.names)
    await policy_file.async_start()
    entry.async_on_unload(_follow_retention(audit, policy_file))
    users = Users(hass)
    await users.async_start()
    home = HomeAssistantHome(hass)
    home.async_start()
    entry.async_on_unload(async_watch_policy(hass, policy_file, home))
    contexts = OwnContexts(hass.loop.time)
    builtin = BuiltinProvider(hass)
    calls: set[asyncio.Task[ToolOutcome]] = set()
    _warm_up(hass, entry, builtin)
    toolbox = _toolbox(hass, policy_file, users, home, contexts)
    guards = _guards(hass, entry, audit, policy_file, users, home, toolbox)
    await guards.meter.async_start()
    assistants: dict[str, Assistant] = {}
    approvals = _approvals(
        hass, entry, audit, policy_file, pins, users, home, contexts, assistants
    )
    parts = _gate_parts(
        hass, entry, audit, policy_file, users, home, toolbox, guards, approvals, calls
    )
    house = House(
        hass=hass,
        home=home,
        users=users,
        contexts=contexts,
        gate=ToolGate(parts),
        policy=lambda: policy_file.policy,
        audit=audit,
        sessions=Sessions(lambda: settings_of(policy_file.policy).context_window),
        clock=hass.loop.time,
        words=HouseWords(hass, builtin.not_understood_text),
        on_auth_failed=lambda: entry.async_start_reauth(hass),
        heard=guards.heard,
        asking=approvals,
        keeper=approvals.parked,
        meter=guards.meter,
    )
    models = await _async_move_in(entry, house, builtin, assistants)
    await approvals.async_start()
    return CaesarRuntime(
        assistants=assistants,
        approvals=approvals,
        audit=audit,
        policy_file=policy_file,
        home=home,
        users=users,
        explainer=Explainer(hass, parts, users, audit),
        simulator=Simulator(hass, audit, lambda: policy_file.policy, home),
        meter=guards.meter,
        providers=(builtin, *models),
        calls=calls,
    )


def _warm_up(
    hass: HomeAssistant, entry: CaesarConfigEntry, builtin: BuiltinProvider
) -> None:
    """Have the first sentence of a language cost nobody a second or two."""

    @callback
    def warm_up(hass: HomeAssistant) -> None:
        entry.async_create_background_task(
            hass, builtin.prepare(hass.config.language), "caesar prepare"
        )

    # Home Assistant's start must not wait for it.
    entry.async_on_unload(async_at_started(hass, warm_up))


async def _async_move_in(
    entry: CaesarConfigEntry,
    house: House,
    builtin: BuiltinProvider,
    assistants: dict[str, Assistant],
) -> list[Provider]:
    """Put the agents into the house; return the models that they brought."""
    direct = DirectProvider()
    models: list[Provider] = []
    for subentry in entry.get_subentries_of_type(SUBENTRY_CONVERSATION):
        brain = _brain(entry, subentry)
        own: list[Provider] = [builtin]
        if brain is not Brain.BUILTIN:
            model = await _model(house.hass, entry, subentry)
            if model is not None:
                models.append(model)
                own = [model] if brain is Brain.MODEL else [builtin, model]
        assistants[subentry.subentry_id] = Assistant(
            house, _settings(subentry), own, direct
        )
    return models


def _follow_retention(
    audit: HouseAuditLog, policy_file: PolicyFile
) -> Callable[[], None]:
    """Keep the trail as long as the policy in force says; return what ends that."""

    def keep() -> None:
        audit.retention_days = settings_of(policy_file.policy).audit_retention_days

    keep()
    return policy_file.async_listen(keep)


def _toolbox(
    hass: HomeAssistant,
    policy_file: PolicyFile,
    users: Users,
    home: HomeAssistantHome,
    contexts: OwnContexts,
) -> HouseToolbox:
    """Return all tools, each with what carries it out."""
    return HouseToolbox(
        hass,
        read_tools(ReadExecutor(hass, home, users)),
        ServiceExecutor(hass, home, users, contexts),
        lambda tool: policy_file.policy.may_grant(tool),
    )


def _guards(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    users: Users,
    home: HomeAssistantHome,
    toolbox: HouseToolbox,
) -> Guards:
    """Return the sentinel and the meter."""
    return build_guards(
        hass,
        entry,
        home=home,
        users=users,
        toolbox=toolbox,
        policy=lambda: policy_file.policy,
        audit=audit,
    )


def _approvals(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    pins: Pins,
    users: Users,
    home: HomeAssistantHome,
    contexts: OwnContexts,
    agents: Mapping[str, Assistant],
) -> Approvals:
    """Return what asks people."""
    return Approvals(
        ApprovalParts(
            hass=hass,
            home=home,
            users=users,
            contexts=contexts,
            audit=audit,
            pins=pins,
            policy=lambda: policy_file.policy,
            agents=agents,
            ttl_s=lambda: settings_of(policy_file.policy).approval_ttl_s,
            spawn=lambda coro, name: entry.async_create_background_task(
                hass, coro, name
            ),
        )
    )


def _gate_parts(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    users: Users,
    home: HomeAssistantHome,
    toolbox: HouseToolbox,
    guards: Guards,
    approvals: Approvals,
    calls: set[asyncio.Task[ToolOutcome]],
) -> GateParts:
    """Return all that the gate stands on."""

    def spawn(
        coro: Coroutine[Any, Any, ToolOutcome], name: str
    ) -> asyncio.Task[ToolOutcome]:
        task = entry.async_create_task(hass, coro, name, eager_start=False)
        calls.add(task)
        task.add_done_callback(calls.discard)
        return task

    return GateParts(
        toolbox=toolbox,
        policy=lambda: policy_file.policy,
        home=home,
        conditions=policy_file.conditions,
        sentinel=guards.sentinel,
        approver=approvals.desk,
        audit=audit,
        activity=HouseActivity(hass, home, users),
        spawn=spawn,
        clock=hass.loop.time,
        new_context_id=ulid_now,
        allowances=approvals.allowances,
    )


def _brain(entry: CaesarConfigEntry, subentry: ConfigSubentry) -> Brain:
    """Return who answers for an agent; without a model, the built-in brain."""
    if entry.data[CONF_PROVIDER] == ProviderKind.BUILTIN.value:
        return Brain.BUILTIN
    return Brain(_agent(subentry)[CONF_BRAIN])


async def _model(
    hass: HomeAssistant, entry: CaesarConfigEntry, subentry: ConfigSubentry
) -> Provider | None:
    """Return an agent's model; None, with a repair, if its software is missing."""
    try:
        sdk = await load_sdk(hass, "anthropic")
    except SdkUnavailable as err:
        _LOGGER.error("The model can't be used: %s", err)
        ir.async_create_issue(
            hass,
            DOMAIN,
            ISSUE_MODEL,
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key=ISSUE_MODEL,
        )
        return None
    ir.async_delete_issue(hass, DOMAIN, ISSUE_MODEL)
    settings = _agent(subentry)
    return await async_create_provider(
        hass,
        sdk,
        AnthropicSettings(
            api_key=entry.data[CONF_API_KEY], model=str(settings[CONF_MODEL])
        ),
    )


def _settings(subentry: ConfigSubentry) -> AgentSettings:
    data = _agent(subentry)
    return AgentSettings(
        agent_id=subentry.subentry_id,
        title=subentry.title,
        persona=Persona(
            name=str(data[CONF_PERSONA_NAME]) or subentry.title,
            tone=str(data[CONF_PERSONA_TONE]),
        ),
        instructions=str(data[CONF_PROMPT]),
        max_iterations=int(data[CONF_MAX_ITERATIONS]),
        max_tokens=int(data[CONF_MAX_TOKENS]),
    )


def _agent(subentry: ConfigSubentry) -> dict[str, Any]:
    return {**AGENT_DEFAULTS, **subentry.data}
