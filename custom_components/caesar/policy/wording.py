"""What a model is told, in English: why not, and whether trying again makes sense.

People are told in their own language at the edge. A model never hears what else is
permitted: it would only try that (SPEC 4).
"""

from collections.abc import Mapping
import re
from typing import Final

from .reason import Code, Reason

MAX_VALUE: Final = 200
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

_TEXTS: Final[Mapping[Code, str]] = {
    Code.ALLOWED: "This is allowed.",
    Code.POLICY_DENIED: (
        "{tool} can't be used. No setting of yours changes that; do not try again."
    ),
    Code.NOT_LISTED: (
        "{tool} is not on the allow-list. Asking again will not help. The owner of this"
        " home can add it to {block} in CAESAR's policy."
    ),
    Code.TARGET_REQUIRED: (
        "{service} is allowed for certain entities only, so the call must name a"
        " target. Nothing was done."
    ),
    Code.TARGET_NOT_COVERED: (
        "{service} is not allowed for: {entities}. Nothing was done, for the others"
        " neither. Asking for the same again will not help."
    ),
    Code.MALFORMED_TARGET: (
        "The target can't be used: {key} has the value '{value}', which does not exist"
        " or is not an id. Don't guess it: find_entities and list_areas tell ids."
        " Nothing was done."
    ),
    Code.DATA_NOT_ALLOWED: (
        "{service} is allowed, but not with this value of '{key}'. Nothing was done."
    ),
    Code.INPUT_NOT_ALLOWED: (
        "{tool} is allowed, but not with this value of '{key}', or not without one."
    ),
    Code.DOMAIN_NOT_ALLOWED: (
        "This internet address is not on the list of those that may be used."
    ),
    Code.CALLER_NOT_COVERED: (
        "Whoever asks here may not do this. Nothing was done; asking again will not"
        " help."
    ),
    Code.CONDITION_NOT_MET: (
        "This is not allowed at the moment: a condition of the owner's does not hold."
        " Nothing was done."
    ),
    Code.TOO_MANY_ENTITIES: (
        "This would change more entities at once than may be changed without asking."
        " Nothing was done."
    ),
    Code.CAPABILITY_DENIED: (
        "{entity} is not available to this assistant. Nothing was done; asking again"
        " will not help."
    ),
    Code.NO_WORKER: (
        "The helper program for this tool is not running now. Nothing was done."
    ),
    Code.CIRCUIT_OPEN: (
        "This kept failing, so it is resting for some minutes. Nothing was done."
    ),
    Code.RATE_LIMITED: "That was too much in too short a time. Nothing was done.",
    Code.TAINTED: (
        "Part of this conversation comes from somewhere nobody vouches for, so a person"
        " must agree first. Nothing was done."
    ),
    Code.REPEATED_CALL: (
        "Exactly this was already asked in this turn. It is not done twice; use the"
        " first result."
    ),
    Code.APPROVAL_NEEDED: (
        "{tool} needs the approval of a person first. It is not done yet. Tell the user"
        " so; you can't approve it."
    ),
    Code.APPROVAL_DENIED: (
        "A person was asked and said no. Nothing was done; do not ask again."
    ),
    Code.APPROVAL_EXPIRED: "A person was asked, but nobody answered. Nothing was done.",
    Code.NO_APPROVER: (
        "This needs the approval of a person, and there is nobody who could be asked."
        " Nothing was done; asking again will not help."
    ),
    Code.ALREADY_DECIDED: "This question was already answered. Nothing was done now.",
    Code.UNKNOWN_APPROVAL: "There is no such open question. Nothing was done.",
    Code.QUOTA_EXCEEDED: (
        "The day's limit is used up. It starts anew at midnight UTC. Nothing was done."
    ),
    Code.INVALID_INPUT: (
        "The arguments can't be used: '{key}' ({value}). Nothing was done."
    ),
    Code.UNKNOWN_TOOL: "There is no tool '{tool}'. Use one of those offered.",
    Code.TIMEOUT: "There was not enough time left for this. Nothing was done.",
    Code.TOOL_ERROR: (
        "The tool failed, and it isn't certain that nothing was done. Say so."
    ),
    Code.INTERRUPTED: (
        "This was interrupted. It may or may not have happened: tell the user to check."
    ),
    Code.STILL_RUNNING: (
        "This was started and is not finished yet. Don't start it again, and don't say"
        " that it is done."
    ),
    Code.CANCELLED: "The turn was ended before this was begun. Nothing was done.",
    Code.TOO_MANY_CALLS: (
        "Too many calls in one turn; this one was not made. Tell the user what was"
        " done and what was not."
    ),
    Code.AUDIT_UNAVAILABLE: (
        "CAESAR's record can't be written at the moment, so nothing may be changed."
        " Nothing was done."
    ),
}

_TEXTS_BY_WHY: Final[Mapping[tuple[Code, str], str]] = {
    (Code.POLICY_DENIED, "never"): (
        "{tool} can't be used by an assistant, and no rule can allow it. Asking again"
        " will not help."
    ),
    (Code.POLICY_DENIED, "deny"): (
        "The owner of this home has ruled {tool} out for an assistant. Nothing was done;"
        " asking again will not help."
    ),
    (Code.POLICY_DENIED, "unreadable_policy"): (
        "Everything is refused, because CAESAR's policy file can't be used until its"
        " owner corrects it: {problem}"
    ),
    (Code.TOOL_ERROR, "moved"): (
        "The home or its policy kept changing, so nothing was done."
    ),
    (Code.CAPABILITY_DENIED, "all"): (
        "'all' is not accepted as a target. Name the entities, areas or floors that are"
        " meant. Nothing was done."
    ),
    (Code.CAPABILITY_DENIED, "not_exposed"): (
        "{entity} is not shared with this assistant. An administrator can share it under"
        " Settings, Voice assistants, Expose. Nothing was done; asking again will not"
        " help."
    ),
    (Code.CAPABILITY_DENIED, "no_permission"): (
        "The user who asks has no permission for {entity} in Home Assistant. Nothing was"
        " done; asking again will not help."
    ),
    (Code.CAPABILITY_DENIED, "tool_changed"): (
        "The helper program of {entity} says something else about itself than when it"
        " was added. An administrator must look at that under Settings, Repairs, first."
        " Nothing was done; asking again will not help."
    ),
    (Code.CAPABILITY_DENIED, "tool_refused"): (
        "No helper program may offer {entity} in this house. Nothing was done; asking"
        " again will not help."
    ),
    (Code.RATE_LIMITED, "dead_man"): (
        "This automation has changed too much in a row without a person. Nothing was"
        " done; it may go on in ten minutes."
    ),
    (Code.TAINTED, "private"): (
        "Private data was read in this conversation, so a person must agree before"
        " anything may leave the house. Nothing was done."
    ),
    (Code.CAPABILITY_DENIED, "no_service"): (
        "Home Assistant has no service {entity} at the moment. Nothing was done."
    ),
}

_RETRYABLE: Final = frozenset(
    {
        Code.AUDIT_UNAVAILABLE,
        Code.CIRCUIT_OPEN,
        Code.NO_WORKER,
        Code.RATE_LIMITED,
        Code.TIMEOUT,
    }
)


class _Given(dict[str, str]):
    """A reason's values, safe to put into a sentence."""

    def __missing__(self, key: str) -> str:
        return "this"


def model_text(reason: Reason) -> str:
    """Return the sentence for a model. Never raises; a missing value reads 'this'."""
    why = reason.values.get("why", "")
    text = _TEXTS_BY_WHY.get((reason.code, why), _TEXTS[reason.code])
    return text.format_map(
        _Given(
            {
                key: _CONTROL.sub(" ", value)[:MAX_VALUE]
                for key, value in reason.values.items()
            }
        )
    )


def retryable(code: Code) -> bool:
    """Return whether the very same call may succeed a little later."""
    return code in _RETRYABLE
