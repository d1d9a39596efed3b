"""Sentences about calls of the past: what was asked, what came of it, and why.

Short enough to be spoken; lines hold more, for a screen. No word of a call's own values
is in them, and no name that wasn't made plain before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from ..brain.periods import Span, period_of
from ..brain.reply import speak
from ..policy.reason import Code
from ..wording import Wording, one_line

MAX_LINES: Final = 12
_MAX_NAME: Final = 48
_SPOKEN: Final = 3
# What a rule could allow: an admin finds such a call under "Refused".
_CAN_BE_ALLOWED: Final = frozenset(
    {
        Code.NOT_LISTED,
        Code.TARGET_NOT_COVERED,
        Code.DATA_NOT_ALLOWED,
        Code.INPUT_NOT_ALLOWED,
        Code.DOMAIN_NOT_ALLOWED,
        Code.CALLER_NOT_COVERED,
        Code.TOO_MANY_ENTITIES,
    }
)
_ASK_AGAIN: Final = frozenset({Code.APPROVAL_EXPIRED})


class Ended(StrEnum):
    """What came of a call; each has texts `past_is_<value>` and `past_short_<value>`.

    WAITING stands for a person's answer that may still come, LAPSED for one that never
    came.
    """

    DONE = "done"
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    REFUSED = "refused"
    WAITING = "waiting"
    LAPSED = "lapsed"


NOT_DONE: Final = frozenset({Ended.REFUSED, Ended.LAPSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A call as this asker may hear of it; `when` is local time.

    `who` is empty for the asker's own. `because` is a sentence of why it was refused
    or failed, `rule` one of what allowed it, `answered` one of who said yes or no.
    """

    when: datetime
    who: str = ""
    action: str
    ended: Ended
    code: Code | None = None
    because: str = ""
    rule: str = ""
    answered: str = ""


def plain_name(name: str) -> str:
    """Return a name that can be said: no markup, links or signs that can't be seen."""
    text = speak(one_line(name))
    return text if len(text) <= _MAX_NAME else f"{text[: _MAX_NAME - 1].rstrip()}…"


def story(wording: Wording, told: Told, now: datetime, *, admin: bool) -> str:
    """Return why one call came about, and what came of it."""
    return _joined(
        asked(wording, told, now),
        "" if told.ended in NOT_DONE else told.rule,
        told.answered,
        result(wording, told),
        _help(wording, told, admin=admin),
    )


def asked(wording: Wording, told: Told, now: datetime) -> str:
    """Return who asked for what, and when."""
    key = "past_asked" if told.who else "past_you_asked"
    when = wording.moment(told.when, now)
    return wording.text(key, when=when, who=told.who, action=told.action)


def result(wording: Wording, told: Told) -> str:
    """Return what came of a call, as a sentence."""
    because = told.because if told.ended in (Ended.REFUSED, Ended.FAILED) else ""
    return because or wording.text(f"past_is_{told.ended.value}")


def _help(wording: Wording, told: Told, *, admin: bool) -> str:
    """Return what would help with a refusal; empty if its sentence says so already."""
    if told.ended is Ended.LAPSED or told.code in _ASK_AGAIN:
        return wording.text("past_help_again")
    if told.ended is Ended.REFUSED and told.code in _CAN_BE_ALLOWED:
        return wording.text("past_help_you" if admin else "past_help_admin")
    return ""


def summary(
    wording: Wording,
    calls: Sequence[Told],
    span: Span,
    now: datetime,
    *,
    more: bool,
    refused: bool = False,
) -> str:
    """Return how much was done in a time, what of it last, and what was not.

    `calls` are the newest first; `more` says that there are others before them,
    `refused` that only those were looked for that were not done.
    """
    when = span_text(wording, span, now)
    told = [
        _counted(wording, ended, group, when, more=more)
        for ended in Ended
        if (group := [each for each in calls if each.ended is ended])
    ]
    if refused:
        key = "past_when" if told else "past_nothing_refused_then"
        told.insert(0, wording.text(key, when=when))
    elif not any(each.ended is Ended.DONE for each in calls):
        told.insert(0, wording.text("past_nothing", when=when))
    return _joined(*told)


def span_text(wording: Wording, span: Span, now: datetime) -> str:
    """Return "Yesterday", or from when to when."""
    if (period := period_of(span, now)) is not None:
        return wording.text(f"past_period_{period.value}")
    since = wording.moment(span.since, now, "past_point")
    if span.until > now:
        return wording.text("past_since", since=since)
    until = wording.moment(span.until, now, "past_point")
    return wording.text("past_between", since=since, until=until)


def lines(
    wording: Wording, calls: Sequence[Told], now: datetime, *, others: bool
) -> list[str]:
    """Return a line for each of the newest calls; `others` says that askers differ."""
    shown = []
    for told in calls[:MAX_LINES]:
        short = wording.text(f"past_short_{told.ended.value}")
        key = "past_line_who" if others else "past_line"
        who = told.who or wording.text("past_you")
        when = wording.moment(told.when, now)
        line = wording.text(key, when=when, who=who, action=told.action, result=short)
        because = told.because if told.ended is not Ended.DONE else ""
        shown.append(_joined(line, because))
    if (left := len(calls) - MAX_LINES) > 0:
        shown.append(wording.text("past_lines_more", count=str(left)))
    return shown


def _counted(
    wording: Wording, ended: Ended, group: Sequence[Told], when: str, *, more: bool
) -> str:
    """Return a sentence about all calls that ended alike."""
    known = list(dict.fromkeys(each.action for each in group))
    actions = known[:_SPOKEN]
    if left := len(known) - len(actions):
        actions.append(wording.text("names_more", count=str(left)))
    count = f"{len(group)}+" if more else str(len(group))
    number = "one" if len(group) == 1 and not more else "many"
    return wording.text(
        f"past_count_{ended.value}_{number}",
        when=when,
        count=count,
        actions=wording.names(actions),
    )


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
