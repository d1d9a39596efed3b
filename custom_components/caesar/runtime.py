"""Builds the house once, at set-up, and holds it while the entry is loaded."""

import asyncio
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
import logging
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry, ConfigSubentry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.helpers.start import async_at_started
from homeassistant.util.ulid import ulid_now

from .adapters.activity import HouseActivity
from .adapters.assistant import AgentSettings, Assistant, House
from .adapters.audit_log import HouseAuditLog
from .adapters.callers import OwnContexts
from .adapters.home import HomeAssistantHome
from .adapters.model_sdk import SdkUnavailable, load_sdk
from .adapters.policy_file import PolicyFile
from .adapters.reads import ReadExecutor, read_tools
from .adapters.service_calls import ServiceExecutor
from .adapters.toolbox import HouseToolbox
from .adapters.users import Users
from .adapters.words import HouseWords
from .audit.event import AuditEvent, AuditEventType, AuditUnavailable
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
from .policy.home import NoConditions
from .providers.anthropic import AnthropicSettings, async_create_provider
from .providers.builtin import BuiltinProvider
from .sentinel.capability import CapabilityGuard
from .sentinel.nobody import NobodyToAsk
from .sentinel.origin import OriginGuard
from .sentinel.sentinel import Sentinel
from .turn import ToolOutcome

_LOGGER = logging.getLogger(__name__)

ISSUE_MODEL: Final = "model_unavailable"
CALLS_END_S: Final = 10.0

type CaesarConfigEntry = ConfigEntry[CaesarRuntime]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaesarRuntime:
    """All that runs while the entry is loaded; `assistants` by subentry id."""

    assistants: Mapping[str, Assistant]
    audit: HouseAuditLog
    policy_file: PolicyFile
    home: HomeAssistantHome
    users: Users
    providers: tuple[Provider, ...]
    calls: set[asyncio.Task[ToolOutcome]]

    async def async_stop(self) -> None:
        """Stop everything that was started, the trail last.

        Calls under way get ten seconds to end and be concluded.
        """
        if self.calls:
            await asyncio.wait(self.calls, timeout=CALLS_END_S)
        for provider in self.providers:
            await provider.close()
        self.home.async_stop()
        await self.audit.async_stop()


async def async_build(hass: HomeAssistant, entry: CaesarConfigEntry) -> CaesarRuntime:
    """Build the house from its entry and start what needs starting."""
    audit = HouseAuditLog(hass)
    await audit.async_start()
    policy_file = PolicyFile(hass, StarterPolicy(entry.data[CONF_STARTER_POLICY]))
    await policy_file.async_start()
    users = Users(hass)
    await users.async_start()
    home = HomeAssistantHome(hass)
    home.async_start()
    contexts = OwnContexts(hass.loop.time)
    builtin = BuiltinProvider(hass)
    calls: set[asyncio.Task[ToolOutcome]] = set()

    @callback
    def warm_up(hass: HomeAssistant) -> None:
        entry.async_create_background_task(
            hass, builtin.prepare(hass.config.language), "caesar prepare"
        )

    # The first sentence of a language would cost a second or two otherwise; Home
    # Assistant's start must not.
    entry.async_on_unload(async_at_started(hass, warm_up))
    house = House(
        hass=hass,
        home=home,
        users=users,
        contexts=contexts,
        gate=_gate(hass, entry, audit, policy_file, users, home, contexts, calls),
        policy=lambda: policy_file.policy,
        audit=audit,
        sessions=Sessions(),
        clock=hass.loop.time,
        words=HouseWords(hass, builtin.not_understood_text),
        on_auth_failed=lambda: entry.async_start_reauth(hass),
    )
    await async_record_policy(policy_file, audit)
    assistants: dict[str, Assistant] = {}
    models: list[Provider] = []
    for subentry in entry.get_subentries_of_type(SUBENTRY_CONVERSATION):
        brain = _brain(entry, subentry)
        model = None if brain is Brain.BUILTIN else await _model(hass, entry, subentry)
        own: list[Provider] = [builtin]
        if model is not None:
            models.append(model)
            own = [model] if brain is Brain.MODEL else [builtin, model]
        assistants[subentry.subentry_id] = Assistant(house, _settings(subentry), own)
    return CaesarRuntime(
        assistants=assistants,
        audit=audit,
        policy_file=policy_file,
        home=home,
        users=users,
        providers=(builtin, *models),
        calls=calls,
    )


def _gate(
    hass: HomeAssistant,
    entry: CaesarConfigEntry,
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    users: Users,
    home: HomeAssistantHome,
    contexts: OwnContexts,
    calls: set[asyncio.Task[ToolOutcome]],
) -> ToolGate:
    """Return the gate over all of the house."""

    def spawn(
        coro: Coroutine[Any, Any, ToolOutcome], name: str
    ) -> asyncio.Task[ToolOutcome]:
        task = entry.async_create_task(hass, coro, name, eager_start=False)
        calls.add(task)
        task.add_done_callback(calls.discard)
        return task

    return ToolGate(
        GateParts(
            toolbox=HouseToolbox(
                hass,
                read_tools(ReadExecutor(hass, home, users)),
                ServiceExecutor(hass, home, users, contexts),
                lambda tool: policy_file.policy.may_grant(tool),
            ),
            policy=lambda: policy_file.policy,
            home=home,
            conditions=NoConditions(),
            sentinel=Sentinel([CapabilityGuard(home, users), OriginGuard()]),
            approver=NobodyToAsk(),
            audit=audit,
            activity=HouseActivity(hass, home, users),
            spawn=spawn,
            clock=hass.loop.time,
            new_context_id=ulid_now,
        )
    )


async def async_record_policy(policy_file: PolicyFile, audit: HouseAuditLog) -> None:
    """Put into the trail which policy is in force from now on."""
    event = AuditEvent(
        type=AuditEventType.POLICY_LOADED,
        decision_id="",
        caller=None,
        policy_rev=policy_file.policy.revision,
        payload=policy_file.summary(),
    )
    try:
        await audit.record(event)
    except AuditUnavailable:
        _LOGGER.warning("The loaded policy could not be written to the trail")


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
