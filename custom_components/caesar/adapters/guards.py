"""Builds the sentinel and the meter of this house, and writes down what they do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
import logging
from typing import Any, Final, Protocol

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback

from ..audit.event import AuditEvent, AuditEventType, AuditUnavailable
from ..brain.meter import ModelCall
from ..const import (
    CONF_AUTOMATION_TOOLS,
    CONF_DAILY_TOKEN_LIMIT,
    DEFAULT_AUTOMATION_TOOLS,
)
from ..legion.canonical import Json
from ..legion.spec import Annotations, ToolSpec
from ..policy.caller import Caller
from ..policy.decision import Policy
from ..policy.engine import LoadedPolicy
from ..policy.settings import PolicySettings
from ..sentinel.budget import Quota
from ..sentinel.capability import CapabilityGuard, Workers
from ..sentinel.circuit_breaker import BreakerChange, CircuitBreakerGuard
from ..sentinel.dead_man import DeadManGuard
from ..sentinel.rate_limiter import RateLimiterGuard, Throttled
from ..sentinel.scope import ScopeGuard
from ..sentinel.sentinel import Sentinel
from ..sentinel.taint import TaintGuard
from ..tool import Toolbox
from ..turn import ToolScope
from .audit_log import HouseAuditLog
from .home import HomeAssistantHome
from .quota_issues import QuotaIssues
from .usage import HouseMeter
from .users import Users

_LOGGER = logging.getLogger(__name__)
_NO_SETTINGS: Final = PolicySettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Guards:
    """The sentinel, the meter, and who wants to hear that a person spoke."""

    sentinel: Sentinel
    meter: HouseMeter
    heard: Callable[[Caller], None]


class HouseWorkers(Workers, Protocol):
    """What knows the tools of workers, and tells when that may have changed."""

    def tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools that can be called now."""

    def listen(self, listener: Callable[[], None]) -> CALLBACK_TYPE:
        """Call `listener` whenever a worker changes; return what ends that."""


def build_guards(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    *,
    home: HomeAssistantHome,
    users: Users,
    toolbox: Toolbox,
    workers: HouseWorkers,
    policy: Callable[[], Policy],
    audit: HouseAuditLog,
) -> Guards:
    """Return all guards in their order; each reads the settings of the moment."""
    tell = _Teller(hass, audit, policy, QuotaIssues(hass, entry))
    clock = hass.loop.time

    def settings() -> PolicySettings:
        return settings_of(policy())

    def annotations(tool: str) -> Annotations | None:
        known = toolbox.get(tool)
        return None if known is None else known.spec.annotations

    def token_limit(agent_id: str) -> int | None:
        subentry = entry.subentries.get(agent_id)
        own = subentry.data.get(CONF_DAILY_TOKEN_LIMIT) if subentry else None
        return stricter(own, settings().daily_token_limit)

    breaker = CircuitBreakerGuard(settings, clock, tell.breaker)
    entry.async_on_unload(_try_again_on_return(workers, breaker))
    dead_man = DeadManGuard(clock)
    return Guards(
        sentinel=Sentinel(
            [
                CapabilityGuard(home, users, workers),
                breaker,
                RateLimiterGuard(settings, clock, tell.throttled),
                dead_man,
                ScopeGuard(lambda: automation_tools(entry.options)),
                TaintGuard(annotations),
            ]
        ),
        meter=HouseMeter(
            hass,
            audit,
            token_limit,
            tell.quota,
            on_nearly=tell.nearly,
            on_called=tell.called,
        ),
        heard=dead_man.heard,
    )


def _try_again_on_return(
    workers: HouseWorkers, breaker: CircuitBreakerGuard
) -> CALLBACK_TYPE:
    """Have no tool rest any longer once its worker is back; return what ends that."""
    there: set[str] = set()

    @callback
    def look() -> None:
        now = {spec.name for spec in workers.tools()}
        for tool in now - there:
            breaker.try_again(tool)
        there.clear()
        there.update(now)

    return workers.listen(look)


def settings_of(policy: Policy) -> PolicySettings:
    """Return a policy's settings; without a file that can be read, the defaults."""
    return policy.settings if isinstance(policy, LoadedPolicy) else _NO_SETTINGS


def automation_tools(options: Mapping[str, Any]) -> ToolScope:
    """Return how far the tools of automations go; what isn't a choice means none."""
    chosen = options.get(CONF_AUTOMATION_TOOLS, DEFAULT_AUTOMATION_TOOLS)
    return ToolScope(chosen) if chosen in [*ToolScope] else ToolScope.NONE


def stricter(first: int | None, second: int | None) -> int | None:
    """Return the lower of two limits; None is no limit."""
    return min((n for n in (first, second) if n is not None), default=None)


class _Teller:
    """Puts what the guards do into the trail. Nothing waits for it."""

    def __init__(
        self,
        hass: HomeAssistant,
        audit: HouseAuditLog,
        policy: Callable[[], Policy],
        issues: QuotaIssues,
    ) -> None:
        self._hass = hass
        self._audit = audit
        self._policy = policy
        self._issues = issues

    @callback
    def breaker(self, change: BreakerChange) -> None:
        """A connector begins to rest, is tried, or is well again."""
        _LOGGER.info("%s is %s", change.connector, change.after.value)
        self._tell(
            AuditEventType.SENTINEL_BREAKER,
            {
                "connector": change.connector,
                "from": change.before.value,
                "to": change.after.value,
                "failures": change.failures,
                "rests_s": change.rests_s,
            },
        )

    @callback
    def throttled(self, event: Throttled) -> None:
        """Calls are refused for a while."""
        self._tell(
            AuditEventType.SENTINEL_THROTTLED,
            {
                "connector": event.connector,
                "limit": event.limit,
                "retry_after": round(event.retry_after, 3),
            },
            decision_id=event.decision_id,
            caller=event.caller,
        )

    @callback
    def quota(self, quota: Quota) -> None:
        """An agent has used up its day."""
        _LOGGER.warning("The model's tokens of %s are used up", quota.day)
        self._tell_quota(quota)

    @callback
    def nearly(self, quota: Quota) -> None:
        """An agent has used most of its day."""
        _LOGGER.warning(
            "%d %% of the model's tokens of %s are used", quota.share * 100, quota.day
        )
        self._issues.show(quota)
        self._tell_quota(quota)

    @callback
    def called(self, call: ModelCall) -> None:
        """A round of a model ended; what was said in it is not told."""
        used = call.usage
        self._tell(
            AuditEventType.LLM_CALLED,
            {
                "provider": call.provider,
                "model": call.model,
                "iteration": call.iteration,
                "input_tokens": used.input_tokens,
                "output_tokens": used.output_tokens,
                "cache_read_tokens": used.cache_read_tokens,
                "cache_write_tokens": used.cache_write_tokens,
                "estimated": call.estimated,
                "cost": None if call.cost is None else round(call.cost, 6),
                "tools_offered": call.tools,
                "duration_ms": round(call.seconds * 1000),
                "stop_reason": call.stop.value if call.stop else None,
                "error": call.error.value if call.error else None,
            },
            decision_id=call.turn.decision_id,
            caller=call.turn.caller,
        )

    def _tell_quota(self, quota: Quota) -> None:
        self._tell(
            AuditEventType.SENTINEL_QUOTA,
            {
                "agent": quota.agent_id,
                "day": quota.day,
                "used": quota.used,
                "limit": quota.limit,
                "share": round(quota.share, 3),
            },
        )

    def _tell(
        self,
        type_: AuditEventType,
        payload: dict[str, Json],
        *,
        decision_id: str = "",
        caller: Caller | None = None,
    ) -> None:
        event = AuditEvent(
            type=type_,
            decision_id=decision_id,
            caller=caller,
            policy_rev=self._policy().revision,
            payload=payload,
        )
        self._hass.async_create_task(
            self._record(event), f"caesar {type_.value}", eager_start=False
        )

    async def _record(self, event: AuditEvent) -> None:
        try:
            await self._audit.record(event)
        except AuditUnavailable:
            _LOGGER.warning("%s could not be written to the trail", event.type.value)
