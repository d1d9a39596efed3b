"""From what was heard to a plan."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from .follow_ups import follow_up, is_follow_up
from .match import Ask
from .open_question import HOW_LONG, WHICH_ROOM, OpenQuestion
from .orders import ORDERS
from .plan import Job, Kind, Plan, Request, say
from .players import PLAYERS
from .questions import QUESTIONS
from .timers import TIMERS, custom_intent
from .why import WHY

_TEMPLATES: Final = frozenset(("HassGetCurrentDate", "HassGetCurrentTime"))
_TEXTS: Final = {
    "CaesarBye": "brain_bye",
    "CaesarCreator": "brain_creator",
    "CaesarHello": "brain_hello",
    "CaesarHelp": "brain_help",
    "CaesarThanks": "brain_thanks",
    HOW_LONG: "timer_how_long",
    WHICH_ROOM: "brain_which_room",
    "HassNevermind": "brain_nevermind",
}
_RESPOND: Final = {
    "commands": "brain_help",
    "creator": "brain_creator",
    "hello": "brain_hello",
}


def understand(asks: tuple[Ask, ...]) -> Plan | None:
    """Return the plan for all that was heard; None if a part is not ours to do."""
    jobs: list[Job] = []
    for ask in asks:
        if (job := _job(ask)) is None:
            return None
        jobs.append(job)
    return Plan(jobs=_merged(jobs)) if jobs else None


def _merged(jobs: list[Job]) -> tuple[Job, ...]:
    """Put commands together that are the same call on different entities."""
    merged: list[Job] = []
    for job in jobs:
        last = merged[-1] if merged else None
        if last is not None and (both := _both(last, job)) is not None:
            merged[-1] = both
        else:
            merged.append(job)
    return tuple(merged)


def _both(first: Job, second: Job) -> Job | None:
    """Return one job for two, or None if they are different calls."""
    if (
        first.kind is not Kind.ACT
        or (first.kind, first.intent, first.response)
        != (second.kind, second.intent, second.response)
        or len(first.requests) != 1
        or len(second.requests) != 1
    ):
        return None
    one, two = first.requests[0], second.requests[0]
    same = ("domain", "service", "data")
    if one.tool != "call_service" or any(
        one.arguments[key] != two.arguments[key] for key in same
    ):
        return None
    ids = tuple(dict.fromkeys((*one.entities, *two.entities)))
    request = replace(
        one,
        arguments={**one.arguments, "target": {"entity_id": list(ids)}},
        entities=ids,
    )
    texts = {key: text for key, text in first.texts.items() if key != "name"}
    return replace(
        first, requests=(request,), texts=texts, names={**first.names, **second.names}
    )


def _job(ask: Ask) -> Job | None:
    if is_follow_up(ask.heard):
        return follow_up(ask)
    name = ask.heard.intent
    for known in (ORDERS, PLAYERS, QUESTIONS, WHY, TIMERS):
        resolve: Callable[[Ask], Job] | None = known.get(name)
        if resolve is not None:
            return resolve(ask)
    if name == "CaesarForget":
        request = Request(tool="forget_conversation", arguments={})
        return Job(kind=Kind.FORGOT, requests=(request,))
    if name in _TEMPLATES:
        return Job(kind=Kind.TEMPLATE, intent=name, response=ask.heard.response)
    if name == "HassRespond":
        if key := _RESPOND.get(ask.heard.response):
            return say(key)
        return Job(kind=Kind.TEMPLATE, intent=name, response=ask.heard.response)
    if name in (WHICH_ROOM, HOW_LONG):
        asked = OpenQuestion(heard=ask.heard, candidates=())
        return replace(say(_TEXTS[name]), question=asked.as_json())
    if key := _TEXTS.get(name):
        return say(key)
    return custom_intent(ask)
