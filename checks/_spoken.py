"""The messages that a person hears or reads in an answer: what each language must have.

English and German are whole. Any further language has these messages of the category
`exceptions` and nothing else: Home Assistant shows English for the rest (forms, the
panel). Everything that one of these sentences is built from is among them, so that no
sentence is of two languages; so are Activity's, which share their verbs.
"""

from typing import Final

# Languages with forms and panel; the others have spoken messages only.
WHOLE: Final = frozenset({"de", "en"})

_KINDS: Final = (
    "activity_",
    "answer_",
    "approval_",
    "brain_",
    "may_",
    "moment_",
    "names_",
    "past_",
    "planned_",
    "provider_",
    "recall_",
    "timer_",
    "tool_title_",
    "try_",
    "turn_",
    # A reason's variants, by one of its values.
    "caller_not_covered_",
    "capability_denied_",
    "rate_limited_",
    "tainted_",
)
# Every reason for which something was not done, and what tools say of themselves.
_SINGLE: Final = frozenset(
    {
        "allowed",
        "already_decided",
        "audit_unavailable",
        "broadcast_nowhere",
        "caller_not_covered",
        "cancelled",
        "capability_denied",
        "circuit_open",
        "condition_not_met",
        "data_not_allowed",
        "domain_not_allowed",
        "input_not_allowed",
        "interrupted",
        "invalid_input",
        "malformed_target",
        "model_without_tools",
        "multiple_timers_matched",
        "no_approver",
        "no_timer_support",
        "no_worker",
        "not_listed",
        "own_sentence",
        "policy_denied",
        "quota_exceeded",
        "rate_limited",
        "repeated_call",
        "still_running",
        "tainted",
        "target_not_covered",
        "target_required",
        "timeout",
        "too_many_calls",
        "too_many_entities",
        "tool_error",
        "unknown_approval",
        "unknown_tool",
    }
)


def is_spoken(key: str) -> bool:
    """Return whether the message of a key is heard or read in an answer."""
    return key in _SINGLE or key.startswith(_KINDS)
