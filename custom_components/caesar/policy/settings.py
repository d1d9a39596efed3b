"""What a policy file says beside its rules: the blocks `bot:` and `sentinel:`."""

from dataclasses import dataclass
from enum import StrEnum


class ApprovalScope(StrEnum):
    """Which calls need approval by themselves: what can't be undone, or any change."""

    DESTRUCTIVE = "destructive"
    MUTATING = "mutating"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySettings:
    """Limits and manners for every agent; None means that the file says nothing.

    Of a limit that stands both in an agent's form and here, the stricter holds.
    Times are in seconds; `context_window` counts turns, `max_iterations` a model's
    round trips, `daily_token_limit` tokens per agent and UTC day.
    """

    context_window: int | None = None
    persona_name: str = "CAESAR"
    persona_tone: str = "neutral"
    max_iterations: int | None = None
    daily_token_limit: int | None = None
    rate_limit_per_minute: int = 60
    circuit_breaker_threshold: int = 3
    circuit_breaker_cooldown_s: int = 300
    audit_retention_days: int = 90
    approval_ttl_s: int = 900
    approval_scope: ApprovalScope = ApprovalScope.DESTRUCTIVE
