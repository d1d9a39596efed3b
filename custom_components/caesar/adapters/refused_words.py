"""What an admin reads of a refusal, in the options and on the page alike."""

from ..policy.decision import Verdict
from ..policy.impact import Impact
from ..policy.narrow import NoRule
from ..wording import Wording
from .home import HomeAssistantHome
from .refused import Refused, RuleDraft


def why_refused(wording: Wording, home: HomeAssistantHome, refused: Refused) -> str:
    """Return why it would be refused now."""
    if refused.why_not is NoRule.ALLOWED_NOW:
        return wording.text("no_rule_allowed_now")
    decision = refused.decision
    known = home.names((*decision.pinned, *decision.touched))
    return wording.reason(decision.reason, known)


def note_of(wording: Wording, refused: Refused) -> str:
    """Return what an admin must know before choosing; empty if there is nothing."""
    if refused.why_not is NoRule.ALLOWED_NOW:
        return ""
    if refused.why_not is not None:
        return wording.text(f"no_rule_{refused.why_not.value}")
    if refused.entry:
        return wording.text("refusal_entry")
    if refused.grows:
        return wording.text("refusal_grows")
    if refused.decision.impact >= Impact.DESTRUCTIVE:
        return wording.text("refusal_destructive")
    return ""


def note_of_rule(wording: Wording, draft: RuleDraft) -> str:
    """Return what the drafted rule would do."""
    asks = draft.verdict is Verdict.ASK
    notes = [wording.text("rule_asks" if asks else "rule_allows")]
    if draft.any_data:
        notes.append(wording.text("rule_any_data"))
    return " ".join(notes)
