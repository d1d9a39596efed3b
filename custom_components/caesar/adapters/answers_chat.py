"""Answers in a conversation: yes, no or a PIN, as the very next message, before a brain.

A question is open in a conversation only while it is the last thing that was said
there. Any other message takes it out of the chat; phones and actions still answer it.
"""

from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import replace
import logging
from typing import Final, Protocol

from homeassistant.core import Context

from ..policy.caller import Caller, Origin
from ..policy.reason import Code
from ..sentinel.answering import asker_may_answer
from ..sentinel.approvals import Answerer, PendingApproval, Reached, Standing, Via
from ..sentinel.desk_parts import Answer
from .answers import Heard, hear, is_bare_pin, pin_in
from .asking import Answered, Said
from .callers import OwnContexts
from .facts import HouseFacts
from .users import Users

_LOGGER = logging.getLogger(__name__)

CHANNEL: Final = "chat"
PIN_TRIES: Final = 5
# Of one PIN, at all satellites together.
PIN_TRIES_IN_ALL: Final = 10
PIN_WINDOW_S: Final = 600.0
_MOST_SESSIONS: Final = 500
_REFUSALS: Final = frozenset(
    {Code.ALREADY_DECIDED, Code.APPROVAL_EXPIRED, Code.UNKNOWN_APPROVAL}
)


type _Counts = Sequence[tuple[str, int]]


class Desk(Protocol):
    """What answers are given to."""

    async def answer(self, approval_id: str, yes: bool, answerer: Answerer) -> Answer:
        """Take an answer."""

    def find(self, approval_id: str) -> PendingApproval | None:
        """Return a question."""

    def may_answer(self, pending: PendingApproval, answerer: Answerer) -> bool:
        """Return whether a yes of theirs would count."""

    def pending(self, session: str | None = None) -> tuple[PendingApproval, ...]:
        """Return what waits in a conversation, oldest first."""


class PinCheck(Protocol):
    """Knows the house's PINs."""

    def names(self) -> tuple[str, ...]:
        """Return the names of all PINs."""

    async def async_verify(self, name: str, digits: str) -> bool:
        """Return whether this is the PIN of that name."""


class ChatAnswers:
    """Implements `Channel` for the conversation that asked, and hears the answers."""

    def __init__(
        self,
        users: Users,
        contexts: OwnContexts,
        facts: HouseFacts,
        pins: PinCheck,
        clock: Callable[[], float],
    ) -> None:
        """Measure time by `clock`, in seconds."""
        self._users = users
        self._contexts = contexts
        self._facts = facts
        self._pins = pins
        self._clock = clock
        self._desk: Desk | None = None
        self._open: OrderedDict[str, str] = OrderedDict()
        # Where anything was heard since the start.
        self._met: OrderedDict[str, None] = OrderedDict()
        self._pin_until: OrderedDict[str, float] = OrderedDict()
        self._tries: OrderedDict[str, deque[float]] = OrderedDict()

    def start(self, desk: Desk) -> None:
        """Hand answers to this desk."""
        self._desk = desk

    async def ask(self, pending: PendingApproval) -> Reached | None:
        """Return that the conversation itself can answer, if it can."""
        if not asker_may_answer(pending, own_users=self._users.own_ids()):
            return None
        return Reached(channel=CHANNEL)

    async def settled(self, pending: PendingApproval) -> None:
        """Change nothing: a yes that comes too late is told so, and goes no further."""

    def asked(self, pending: PendingApproval) -> None:
        """Note that this question was the last thing said in its conversation."""
        _put(self._open, pending.session, pending.id)
        if pending.terms.pin is not None:
            _put(self._pin_until, pending.session, self._clock() + PIN_WINDOW_S)

    def said(self, session: str) -> None:
        """Note that something else was said there: a yes may mean that from now on."""
        self._open.pop(session, None)

    async def hear(
        self,
        text: str,
        caller: Caller,
        context: Context,
        *,
        session: str,
        language: str,
    ) -> Answered | Said | None:
        """Return what a message answers; None for one that is no answer.

        A message for which this is not None must reach no provider and no memory.
        """
        approval_id = self._open.pop(session, None)
        if self._desk is None or not self._is_person(caller, context):
            return None
        is_first = session not in self._met
        _put(self._met, session, None)
        pending = self._desk.find(approval_id) if approval_id is not None else None
        if pending is None or pending.session != session:
            left = self._left_open(session) if is_first else None
            if left is not None and _is_answer(left, text, language):
                return await self._say_again(left, caller)
            return await self._keep_pin(text, caller, session, language)
        if pending.terms.pin is not None and (digits := pin_in(text, language)):
            return await self._hear_pin(pending, caller, digits)
        heard = hear(text, language)
        if heard is Heard.OTHER:
            return await self._keep_pin(text, caller, session, language)
        if heard is Heard.NO:
            return await self._answer(pending, False, _answerer(pending, caller))
        return await self._hear_yes(pending, caller)

    def _left_open(self, session: str) -> PendingApproval | None:
        """Return the question that waits there since before the last start."""
        assert self._desk is not None  # hear() looks first
        own = self._users.own_ids()
        return next(
            (
                pending
                for pending in reversed(self._desk.pending(session))
                if asker_may_answer(pending, own_users=own)
            ),
            None,
        )

    async def _say_again(self, pending: PendingApproval, caller: Caller) -> Said:
        """Ask once more: nobody knows any more what else was said there since.

        A bare spoken yes has come too late by now; phones still answer.
        """
        voice, pin = caller.origin is Origin.VOICE, pending.terms.pin is not None
        if voice and not pin:
            how = await self._facts.say("answer_how_phone", pending)
            return Said(
                text=await self._facts.say("answer_voice_not_enough", pending, how=how)
            )
        self.asked(pending)
        question = await self._facts.question(pending, pin=voice)
        return Said(text=question, again=True)

    async def _keep_pin(
        self, text: str, caller: Caller, session: str, language: str
    ) -> Said | None:
        """Keep a PIN from a model where it answers nothing of ours.

        It comes too late; or a model has asked for it, where PINs are spoken.
        """
        if self._pin_until.get(session, 0) < self._clock():
            self._pin_until.pop(session, None)
            if caller.origin is not Origin.VOICE or not self._pins.names():
                return None
        if not is_bare_pin(text, language):
            return None
        return Said(text=await self._facts.text("answer_pin_no_question", language))

    async def _hear_yes(
        self, pending: PendingApproval, caller: Caller
    ) -> Answered | Said:
        assert self._desk is not None  # hear() looks first
        answerer = _answerer(pending, caller)
        if pending.standing is Standing.WAITING and not self._desk.may_answer(
            pending, answerer
        ):
            if caller.origin is not Origin.VOICE:
                return Said(text=await self._facts.say("answer_not_yours", pending))
            pin = pending.terms.pin is not None
            if pin:
                self.asked(pending)
            how = await self._facts.say(
                "answer_how_pin" if pin else "answer_how_phone", pending
            )
            text = await self._facts.say("answer_voice_not_enough", pending, how=how)
            return Said(text=text, again=pin)
        return await self._answer(pending, True, answerer)

    async def _hear_pin(
        self, pending: PendingApproval, caller: Caller, digits: str
    ) -> Answered | Said:
        if caller.origin is not Origin.VOICE:
            # A PIN vouches for nobody where Home Assistant knows the user.
            self.asked(pending)
            return Said(text=await self._facts.question(pending), again=True)
        name = pending.terms.pin
        assert name is not None  # hear() looks first
        device = caller.device_id or caller.satellite_id or pending.session
        counts = ((f"at|{device}", PIN_TRIES), (f"of|{name}", PIN_TRIES_IN_ALL))
        if not self._may_try(counts):
            return Said(text=await self._facts.say("answer_pin_locked", pending))
        if not await self._pins.async_verify(name, digits):
            if not self._has_tries(counts):
                return Said(text=await self._facts.say("answer_pin_locked", pending))
            self.asked(pending)
            return Said(
                text=await self._facts.say("answer_pin_wrong", pending), again=True
            )
        # It was no wrong one; those before stay: there are other PINs to be guessed.
        for key, _ in counts:
            if tries := self._tries.get(key):
                tries.pop()
        answerer = replace(_answerer(pending, caller), pin=name)
        return await self._answer(pending, True, answerer)

    async def _answer(
        self, pending: PendingApproval, yes: bool, answerer: Answerer
    ) -> Answered | Said:
        assert self._desk is not None  # hear() looks first
        answer = await self._desk.answer(pending.id, yes, answerer)
        if answer.ok:
            return Answered(pending=answer.pending or pending, yes=yes)
        if answer.code in _REFUSALS:
            key = "answer_gone"
        elif answer.code is Code.CALLER_NOT_COVERED:
            key = "answer_not_yours"
        else:
            _LOGGER.warning("An answer was refused: %s", answer.code.value)
            key = "answer_failed"
        return Said(text=await self._facts.say(key, pending))

    def _is_person(self, caller: Caller, context: Context) -> bool:
        """Return whether somebody speaks for themselves, and no script of ours.

        A script keeps the user who had it started, but its context has a parent or is
        one of CAESAR's own.
        """
        if context.parent_id is not None or self._contexts.holds(context):
            return False
        if caller.origin is Origin.CHAT:
            return caller.user_id is not None
        return caller.origin is Origin.VOICE and caller.user_id is None

    def _may_try(self, counts: _Counts) -> bool:
        """Count a try before it is made, so that none is had for free."""
        if not self._has_tries(counts):
            return False
        for key, _ in counts:
            tries = self._tries.get(key) or deque()
            tries.append(self._clock())
            _put(self._tries, key, tries)
        return True

    def _has_tries(self, counts: _Counts) -> bool:
        """Return whether all of these have a try left."""
        for key, most in counts:
            tries = self._tries.get(key, deque())
            while tries and self._clock() - tries[0] >= PIN_WINDOW_S:
                tries.popleft()
            if len(tries) >= most:
                return False
        return True


def _is_answer(pending: PendingApproval, text: str, language: str) -> bool:
    """Return whether a text could be meant for this question."""
    if pending.terms.pin is not None and pin_in(text, language):
        return True
    return hear(text, language) is not Heard.OTHER


def _answerer(pending: PendingApproval, caller: Caller) -> Answerer:
    voice = caller.origin is Origin.VOICE
    return Answerer(
        via=Via.VOICE if voice else Via.CHAT,
        user_id=caller.user_id,
        is_admin=caller.is_admin,
        session=pending.session,
        device_id=caller.device_id if voice else None,
    )


def _put[T](kept: OrderedDict[str, T], key: str, value: T) -> None:
    """Keep a value under a key, the longest untouched ones forgotten."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > _MOST_SESSIONS:
        kept.popitem(last=False)
