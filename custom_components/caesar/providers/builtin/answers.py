"""From what came of the calls to an answer in words.

Nothing is claimed that an outcome does not say: success only where a call was carried
out without an error, with the states that were read back; refusals by their reason.
"""

from collections.abc import Mapping, Sequence
import re
from typing import Any, Final, override
from unicodedata import east_asian_width

from homeassistant.util import dt as dt_util

from ...policy.reason import Reason
from ...turn import ToolOutcome
from .house_answers import fill, house_refusal, house_text
from .listings import events_text, items_text, names_text, told_text
from .plan import Job, Kind, Request
from .reading import Reading, readings
from .sentences import sentences_of
from .speaker import Speaker, as_subject, is_text, number
from .tool_answers import own_words, tool_refusal, tool_text

_ARTICLE: Final = re.compile(r"^(the|der|die|das|den) ")
_NAMED: Final = frozenset(("alarm_control_panel", "lock"))
_ENDS: Final = (".", "!", "?", "…", "”", "“", "。", "！", "？")


class _Name(str):
    """A name whose first letter can be made big while the rest stays.

    Home Assistant's templates say `slots.name | capitalize`, which would make "Tür im
    Flur" into "Tür im flur".
    """

    __slots__ = ()

    @override
    def capitalize(self) -> str:
        """Return the name with a big first letter."""
        return _capital(self)


async def answer(
    speaker: Speaker, jobs: Sequence[Job], outcomes: Mapping[str, ToolOutcome]
) -> str:
    """Return the answer to a whole sentence; `outcomes` are by request id."""
    texts: list[str] = []
    for job in jobs:
        text = _sentence(await _answer_job(speaker, job, outcomes))
        if text and text not in texts:
            texts.append(text)
    return " ".join(texts)


async def _answer_job(
    speaker: Speaker, job: Job, outcomes: Mapping[str, ToolOutcome]
) -> str:
    if job.kind is Kind.SAY:
        return speaker.wording.text(job.say, **job.texts)
    if job.kind is Kind.TEMPLATE:
        return _render(speaker, job, [], []) or speaker.wording.text("brain_nevermind")
    pairs = [
        (request, outcomes[request.id])
        for request in job.requests
        if request.id in outcomes
    ]
    refusals = _refusals(speaker, job, pairs)
    well = [(request, outcome) for request, outcome in pairs if outcome.error is None]
    if not well:
        return " ".join(refusals) or speaker.wording.text(
            "brain_no_answer", names=_names(speaker, job, [])
        )
    text = await _answer_well(speaker, job, well, partly=bool(refusals))
    return " ".join(_sentence(part) for part in (text, *refusals))


async def _answer_well(
    speaker: Speaker,
    job: Job,
    pairs: Sequence[tuple[Request, ToolOutcome]],
    *,
    partly: bool,
) -> str:
    """Word what came of the calls that were carried out."""
    done = [outcome for _, outcome in pairs]
    if job.kind is Kind.ITEMS:
        return items_text(speaker.wording, job, done)
    if job.kind is Kind.EVENTS:
        if (
            len(done) == 1
            and job.response != "next"
            and (own := own_words(done[0].data))
        ):
            return own
        return events_text(speaker.wording, job, done, dt_util.get_default_time_zone())
    if job.kind is Kind.NAMES:
        return names_text(speaker.wording, done)
    if job.kind is Kind.TOLD:
        return told_text(done)
    if job.kind is Kind.FORGOT:
        return speaker.wording.text("brain_forgotten")
    if job.kind is Kind.TOOL:
        return tool_text(speaker.wording, job, done)
    if job.kind is Kind.HOUSE:
        template = speaker.responses.get(job.intent, {}).get(job.response)
        return house_text(speaker.hass, speaker.wording, template, job, done[0].data)
    states = await readings(speaker.hass, speaker.language, done)
    if job.kind is Kind.STATE:
        return _state_text(speaker, job, states, done)
    if job.follow is not None:
        return _levels_text(speaker, job, states)
    return _done_text(speaker, job, pairs, states, partly=partly)


def _refusals(
    speaker: Speaker, job: Job, pairs: Sequence[tuple[Request, ToolOutcome]]
) -> list[str]:
    """Return a sentence for each reason why something was not done."""
    sentences: dict[str, None] = {}
    for request, outcome in pairs:
        if outcome.error is None:
            continue
        names = {
            entity_id: name
            for entity_id, name in job.names.items()
            if entity_id in request.entities
        }
        if text := house_refusal(
            speaker.wording,
            speaker.errors,
            outcome,
            speaker.wording.names(names.values()),
        ) or tool_refusal(speaker.wording, job, request, outcome, speaker.admin):
            sentences[text] = None
            continue
        reason = outcome.decision.reason if outcome.decision else None
        if reason is None or reason.code is not outcome.error.code:
            reason = Reason(code=outcome.error.code)
        sentences[speaker.wording.reason(reason, names)] = None
    return list(sentences)


def _done_text(
    speaker: Speaker,
    job: Job,
    pairs: Sequence[tuple[Request, ToolOutcome]],
    states: list[Reading],
    *,
    partly: bool,
) -> str:
    """Tell that something was done, unless what was read back says otherwise."""
    expected = {
        entity_id: request.expect
        for request, _ in pairs
        for entity_id in request.entities
        if request.expect
    }
    missed = [
        state
        for state in states
        if state.entity_id in expected
        # What never knows its state is believed.
        and state.state not in ("unknown", *expected[state.entity_id])
    ]
    if missed:
        return _missed_text(speaker, job, missed, len(states))
    names = _names(speaker, job, states)
    if partly:
        return speaker.wording.text("brain_worked_for", names=names)
    if _is_seen(speaker, states):
        return speaker.wording.text("brain_did_it")
    if len({state.domain for state in states}) > 1:
        return speaker.wording.text("brain_done", names=names)
    return _render(speaker, job, states, []) or speaker.wording.text(
        "brain_done", names=names
    )


def _is_seen(speaker: Speaker, states: Sequence[Reading]) -> bool:
    """Return whether whoever spoke sees for themselves what was done.

    Home Assistant's own voice then only beeps. Locks and alarms are always named.
    """
    return bool(states and speaker.room) and all(
        state.area == speaker.room and state.domain not in _NAMED for state in states
    )


def _missed_text(
    speaker: Speaker, job: Job, missed: Sequence[Reading], count: int
) -> str:
    """Tell what didn't follow, of so many: by its name, with what it reports."""
    told = speaker.wording.names(
        is_text(
            speaker,
            job,
            state,
            "brain_still" if state.has_value else "brain_no_report",
        )
        for state in missed
    )
    if not (done := count - len(missed)):
        return speaker.wording.text("brain_not_confirmed", states=told)
    return speaker.wording.text(
        "brain_partly", done=str(done), count=str(count), states=told
    )


def _state_text(
    speaker: Speaker,
    job: Job,
    states: list[Reading],
    outcomes: Sequence[ToolOutcome],
) -> str:
    """Answer a question from the states that were read."""
    cut = any(outcome.truncated for outcome in outcomes)
    if job.response == "how_many" and cut:
        return str(sum(_count(outcome) for outcome in outcomes))
    if job.response == "values" or _plain_words(speaker, job, states):
        known = [is_text(speaker, job, state, "brain_is") for state in states]
        text = ". ".join(map(_capital, known))
    else:
        wanted = set(job.wanted)
        matched = [s for s in states if not wanted or s.state in wanted]
        unmatched = [s for s in states if wanted and s.state not in wanted]
        text = _render(speaker, job, matched, unmatched) or ". ".join(
            _capital(is_text(speaker, job, state, "brain_is")) for state in states
        )
    if not text and job.wanted == ("playing",):
        return speaker.wording.text("brain_nothing_playing")
    if not text:
        return speaker.wording.text("brain_no_answer", names=_names(speaker, job, []))
    if cut:
        return f"{_sentence(text)} {speaker.wording.text('brain_cut')}"
    return text


def _plain_words(speaker: Speaker, job: Job, states: list[Reading]) -> bool:
    """Return whether a state is better told in our words than by a template.

    Home Assistant's templates read out a bare "heat" or "unavailable", and in German
    "ist reinigt"; numbers they say well.
    """
    if len(states) != 1 or job.response not in ("one", "one_yesno", "default"):
        return False
    state = states[0]
    if not state.has_value:
        return True
    spoken_by_us = sentences_of(speaker.language.partition("-")[0]) is not None
    return job.response == "one" and spoken_by_us and not _is_number(state.state)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _count(outcome: ToolOutcome) -> int:
    data = outcome.data
    count = data.get("count") if isinstance(data, Mapping) else None
    return count if isinstance(count, int) else 0


def _levels_text(speaker: Speaker, job: Job, states: list[Reading]) -> str:
    """Tell what a value is set to now, as it was read back."""
    assert job.follow is not None
    told = []
    for state in states:
        value = state.attributes.get(job.follow.attribute)
        if isinstance(value, int | float):
            percent = job.follow.high <= 1
            text = f"{round(value * 100)} %" if percent else f"{value:.1f}"
            told.append(
                speaker.wording.text(
                    "brain_is_set",
                    name=as_subject(job.names.get(state.entity_id, state.name)),
                    value=number(speaker, text),
                )
            )
    if told:
        return ". ".join(map(_capital, told))
    return speaker.wording.text("brain_done", names=_names(speaker, job, states))


def _names(speaker: Speaker, job: Job, states: Sequence[Reading]) -> str:
    if not states:
        return speaker.wording.names(job.names.values()) or speaker.wording.text(
            "names_none"
        )
    return speaker.wording.names(
        job.names.get(state.entity_id, state.name) for state in states
    )


def _render(
    speaker: Speaker, job: Job, matched: list[Reading], unmatched: list[Reading]
) -> str:
    """Fill in Home Assistant's own template for an answer; empty if there is none.

    The functions that would look at the house are replaced: an answer is made of
    what the outcomes say, and of nothing else.
    """
    templates = speaker.responses.get(job.intent, {})
    key = job.response
    if key == "default" and key not in templates and matched:
        key = matched[0].domain
    if (source := templates.get(key)) is None:
        return ""
    every = [*matched, *unmatched]
    attributes = {state.entity_id: state.attributes for state in every}
    now = dt_util.now()
    bare = [_ARTICLE.sub("", name) for name in job.names.values()]
    slots: dict[str, Any] = {
        "name": speaker.wording.names(bare) or _names(speaker, job, every),
        **job.texts,
        "date": now.date(),
        "time": now.time(),
    }
    if key == "one" and len(every) == 1:
        slots["name"] = as_subject(_names(speaker, job, every))
    slots["name"] = _Name(slots["name"])
    variables = {
        "slots": slots,
        "state": every[0] if every else None,
        "query": {"matched": matched, "unmatched": unmatched},
        "state_attr": lambda entity_id, name: attributes.get(entity_id, {}).get(name),
        "states": lambda entity_id: None,
        "is_state": lambda entity_id, state: False,
    }
    return fill(speaker.hass, source, variables)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sentence(text: str) -> str:
    """Return a text that begins big and ends with a mark."""
    text = _capital(text.strip())
    if text and not text.endswith(_ENDS):
        # Signs as wide as they are high end with a mark of that width.
        text += "。" if east_asian_width(text[-1]) == "W" else "."
    return text
