"""What the proof itself has seen, and what it finds wrong; outlives every crash."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Final

from custom_components.caesar.policy.caller import Caller
from custom_components.caesar.sentinel.approvals import Answerer, Via
from custom_components.caesar.turn import Turn

from . import oracle
from .oracle import Meaning, Raw, Terms
from .town import OWN_USER, Town

MINUTE_S: Final = 60.0
SESSION_RATE: Final = 30
SPOKEN_S: Final = 25.0
ALLOWED_ONCE_S: Final = 300.0


@dataclass(slots=True, kw_only=True)
class Asked:
    """One question to a person: for what, by whom, until when, and how it went."""

    id: str
    turn: str
    request: str
    caller: Caller
    session: str
    means: Meaning
    approvers: tuple[str, ...]
    until: float
    said_at: float | None
    yes_by: str | None = None
    answered: bool = False
    approved: bool = False
    claimed: bool = False
    used: bool = False


@dataclass(slots=True, kw_only=True)
class Once:
    """A call that the owner lets through once."""

    words: tuple[str, str]
    caller: Caller
    until: float


@dataclass(slots=True, kw_only=True)
class Breaker:
    """What a connector's failures must lead to."""

    failures: int = 0
    open_until: float | None = None
    probe: object | None = None


@dataclass(slots=True)
class Running:
    """What the guards of one process have let in; forgotten with it."""

    admitted: dict[str, deque[float]] = field(default_factory=dict)
    breakers: dict[str, Breaker] = field(default_factory=dict)


@dataclass(slots=True)
class Notebook:
    """Requests, questions, effects and rows that must be there."""

    town: Town
    requests: dict[tuple[str, str], tuple[str, Raw]] = field(default_factory=dict)
    asked: dict[str, Asked] = field(default_factory=dict)
    once: list[Once] = field(default_factory=list)
    tainted: dict[str, int] = field(default_factory=dict)
    started: Counter[str] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)
    cancelled: Counter[str] = field(default_factory=Counter)
    done: Counter[tuple[str, ...]] = field(default_factory=Counter)
    answering: Answerer | None = None
    running: Running = field(default_factory=Running)
    wrong: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def find(self, fault: str, *facts: object) -> None:
        """Note something that must never be."""
        self.wrong.append(": ".join([fault, *map(str, facts)]))

    def asks(self, asked: Asked) -> None:
        """A question was put."""
        self.asked[asked.id] = asked
        self.counts["questions"] += 1

    def answers(self, asked: Asked, yes: bool, now: float) -> None:
        """An answer was taken as one that counts: it must be the one being given."""
        by = self.answering
        if by is None:
            self.find("an answer that nobody gave", asked)
            return
        if asked.answered:
            self.find("answered twice", asked)
        asked.answered = True
        if not yes:
            return
        self.counts["approvals"] += 1
        if not may_approve(asked, by, now):
            self.find("a yes of somebody who may not give it", by, asked)
        if now >= asked.until:
            self.find("a yes that came too late", asked)
        asked.approved, asked.yes_by = True, by.user_id

    def claims(self, asked: Asked, now: float) -> None:
        """An approval was taken for its one execution."""
        if asked.claimed:
            self.find("an approval used twice", asked)
        if not asked.approved:
            self.find("an approval used without a yes", asked)
        if now >= asked.until:
            self.find("an approval used too late", asked)
        asked.claimed = True

    def effect(self, turn: Turn, request: str, now: float) -> Meaning | None:
        """A service is carried out: it must be granted, and by nothing twice."""
        self.counts["effects"] += 1
        caller, id_ = turn.caller, turn.decision_id
        name, raw = self.requests[id_, request]
        means = oracle.meaning(self.town, raw) if name == "call_service" else None
        if means is None:
            self.find("an effect of what is no call", raw)
            return None
        if not oracle.reachable(self.town, caller, means):
            self.find("an effect on what is out of reach", raw, caller)
        if (
            caller.origin.value == "automation"
            and not self.town.automations_act
            and means.badness > oracle.READ
        ):
            self.find("an automation acts", raw)
        terms = oracle.terms(self.town, caller, raw, means)
        if means.badness > oracle.READ:
            self._once_only(id_, request, means)
        if terms is None:
            self._allowed_once(turn, means, now)
        elif terms.asks or self._taints(id_, request, means, terms):
            self._approved(turn, means, terms)
        return means

    def read(self, turn: str, request: str) -> None:
        """A read is answered."""
        self.counts["reads"] += 1
        name, raw = self.requests[turn, request]
        if name != "get_state" or not oracle.reads(self.town, raw):
            self.find("a read that is not granted", raw)
        if oracle.taints(raw):
            first = self.tainted.get(turn, 99)
            self.tainted[turn] = min(first, round_of(request) + 1)

    def _once_only(self, turn: str, request: str, means: Meaning) -> None:
        for key in ((turn, request), (turn, *means.words)):
            self.done[key] += 1
            if self.done[key] > 1:
                self.find("an effect twice", key)

    def _taints(self, turn: str, request: str, means: Meaning, terms: Terms) -> bool:
        return (
            means.badness > oracle.READ
            and not terms.tainted
            and round_of(request) >= self.tainted.get(turn, 99)
        )

    def _approved(self, turn: Turn, means: Meaning, terms: Terms) -> None:
        """Use up the approval that the effect needs.

        Two turns of a conversation share a question if it is word for word the same.
        """
        for asked in self.asked.values():
            if (
                asked.claimed
                and not asked.used
                and asked.session == turn.session
                and asker(asked.caller) == asker(turn.caller)
                and asked.means == means
                and (not terms.approvers or asked.yes_by in terms.approvers)
            ):
                asked.used = True
                self.counts["approved effects"] += 1
                return
        self.find("an effect without the approval that it needs", means, turn)

    def _allowed_once(self, turn: Turn, means: Meaning, now: float) -> None:
        """Use up what the owner let through once."""
        for once in self.once:
            if (once.words, asker(once.caller)) == (means.words, asker(turn.caller)):
                if once.until <= now:
                    continue
                self.once.remove(once)
                self.counts["allowed once"] += 1
                if oracle.barred(self.town, means.service):
                    self.find("allowed once against a deny pattern", means)
                if means.badness >= oracle.DESTRUCTIVE or means.entry:
                    terms = Terms(asks=True, tainted=False)
                    self._approved(turn, means, terms)
                return
        self.find("an effect without a grant", means, turn)

    # What the guards have let in.

    def admitted(self, tool: str, session: str, flight: object, now: float) -> None:
        """All guards have let a call in."""
        limits = self.town.book.limits
        connector = tool.partition(".")[0]
        for key, limit in ((connector, limits.rate), (session, SESSION_RATE)):
            window = self.running.admitted.setdefault(key, deque())
            window.append(now)
            while now - window[0] >= MINUTE_S:
                window.popleft()
            if len(window) > limit:
                self.find("more calls a minute than allowed", key)
        breaker = self.running.breakers.get(connector)
        if breaker is None or breaker.open_until is None:
            return
        if now < breaker.open_until:
            self.find("a call while the connector rests or is tried", connector)
        self.counts["probes"] += 1
        breaker.probe = flight
        breaker.open_until = now + limits.rest_s

    def reported(
        self, tool: str, flight: object, worked: bool | None, now: float
    ) -> None:
        """A call that was let in has ended; None says nothing of its connector."""
        connector, limits = tool.partition(".")[0], self.town.book.limits
        breaker = self.running.breakers.setdefault(connector, Breaker())
        if breaker.open_until is not None and breaker.probe is not flight:
            return
        if worked:
            del self.running.breakers[connector]
        elif worked is False:
            breaker.failures += 1
            if breaker.failures >= limits.failures or breaker.probe is flight:
                breaker.open_until, breaker.probe = now + limits.rest_s, None
        elif breaker.probe is flight:
            # It never ran: the next one may try at once.
            breaker.open_until, breaker.probe = now, None


def may_approve(asked: Asked, by: Answerer, now: float) -> bool:
    """Return whether this person's yes counts for this question."""
    spoken = by.via in (Via.CHAT, Via.VOICE)
    if by.user_id == OWN_USER or (spoken and by.session != asked.session):
        return False
    if by.user_id is not None:
        return by.user_id in asked.approvers if asked.approvers else by.is_admin
    return (
        by.via is Via.VOICE
        and asked.means.badness <= oracle.CHANGE
        and not asked.means.entry
        and not asked.approvers
        and asked.said_at is not None
        and now - asked.said_at <= SPOKEN_S
    )


def asker(caller: Caller) -> tuple[object, ...]:
    """Return who it is, whatever else was said of the room."""
    return caller.origin, caller.user_id, caller.satellite_id


def round_of(request: str) -> int:
    """Return the round of a turn in which a call was written."""
    return int(request[1:].partition("c")[0])
