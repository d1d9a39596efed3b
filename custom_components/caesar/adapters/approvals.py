"""Asks people, hears their answers, and tells what came of them: built in one place."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
import logging
import secrets
import time
from typing import Any, Final

from homeassistant.core import Context, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.start import async_at_started

from ..audit.event import AuditUnavailable
from ..brain.loop import LoopEvent
from ..policy.caller import Caller, Origin
from ..policy.decision import Policy
from ..sentinel.allowances import Allowances
from ..sentinel.answering import asker_may_answer
from ..sentinel.approvals import Answerer, PendingApproval, Reached, Standing
from ..sentinel.desk import ApprovalDesk
from ..sentinel.desk_parts import Answer, DeskParts
from ..sentinel.ledger import StoreUnavailable
from .agent_channel import AgentChannel
from .answers_chat import ChatAnswers
from .approval_activity import ApprovalActivity
from .asking import Answered, Question, Said
from .assistant import Assistant
from .audit_log import HouseAuditLog
from .callers import OwnContexts
from .desk import HouseDeskTrail, PendingStore
from .facts import HouseFacts
from .forgetting import Covers, Waiting
from .home import HomeAssistantHome
from .notices import Notice
from .parked import ParkedParts, ParkedTurns
from .phone_book import phones_of
from .phones import PhoneChannel
from .pins import Pins
from .report import TurnReport
from .service_calls import OwnMessages
from .users import Users

_LOGGER = logging.getLogger(__name__)

# What people hear of the end of a turn; the whole text is in the conversation.
_MAX_SPOKEN: Final = 500


type Listener = Callable[[PendingApproval], None]
type Spawn = Callable[[Coroutine[Any, Any, Any], str], asyncio.Task[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalParts:
    """All that asking stands on.

    `ttl_s` is how long a question waits; `agents` by their ids may be filled later.
    """

    hass: HomeAssistant
    home: HomeAssistantHome
    users: Users
    contexts: OwnContexts
    audit: HouseAuditLog
    pins: Pins
    policy: Callable[[], Policy]
    agents: Mapping[str, Assistant]
    ttl_s: Callable[[], float]
    spawn: Spawn


class Approvals:
    """Implements `Asking`, and holds all that asks: desk, channels, parked turns."""

    def __init__(self, parts: ApprovalParts) -> None:
        """Stand on these parts; nothing is read before `async_start`."""
        hass, users = parts.hass, parts.users
        self._hass = hass
        self._users = users
        self._messages = OwnMessages(hass, users, parts.contexts)
        self._ends: list[Callable[[], None]] = []
        self._listeners: list[Listener] = []
        self._put: set[str] = set()
        self.contexts = parts.contexts
        self.allowances = Allowances(hass.loop.time)
        self.facts = HouseFacts(hass, parts.home, users)
        self.pins = parts.pins
        self.phones = PhoneChannel(
            hass, self._messages, users, self.facts, time.time, self._was_put
        )
        self.chat = ChatAnswers(
            users, parts.contexts, self.facts, self.pins, hass.loop.time
        )
        self._notice = Notice(hass, self.facts)
        self._activity = ApprovalActivity(hass, self.facts, users, parts.spawn)
        self.desk = ApprovalDesk(
            DeskParts(
                store=PendingStore(parts.audit),
                trail=HouseDeskTrail(parts.audit, lambda: parts.policy().revision),
                home=parts.home,
                allowances=self.allowances,
                now=time.time,
                clock=hass.loop.time,
                new_id=lambda: secrets.token_urlsafe(16),
                ttl_s=parts.ttl_s,
                own_users=users.own_ids,
                spawn=parts.spawn,
                waiting_text=self._waiting_text,
            )
        )
        self.parked = ParkedTurns(
            ParkedParts(
                hass=hass,
                desk=self.desk,
                audit=parts.audit,
                users=users,
                agents=parts.agents,
                deliver=self._async_deliver,
                spawn=parts.spawn,
                clock=hass.loop.time,
                now=time.time,
            )
        )

    async def async_start(self) -> None:
        """Read what waits, and ask from now on."""
        await self.phones.async_start(self.desk)
        self.chat.start(self.desk)
        self.desk.add_channel(self.phones)
        self.desk.add_channel(self.chat)
        self.desk.add_channel(AgentChannel(self._users, self._was_put))
        self._ends.append(self.desk.listen(self._changed))
        await self.desk.start()
        self.parked.async_start()
        await self._notice.async_start(self.desk)

        async def ask_again(_hass: HomeAssistant) -> None:
            # Before all has started, no phone can be told anything.
            await self.desk.ask_again()

        self._ends.append(async_at_started(self._hass, ask_again))

    async def async_stop(self) -> None:
        """Ask nobody any more; what waits stays on disk."""
        await self.desk.stop()
        await self.parked.async_stop()
        for end in self._ends:
            end()
        self._ends.clear()
        self.phones.async_stop()
        self._notice.async_stop()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call back with every question that is put to somebody, and what becomes of it.

        A question that reaches nobody is none. Returns what ends the listening.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def hear(
        self,
        text: str,
        caller: Caller,
        context: Context,
        *,
        session: str,
        language: str,
    ) -> Answered | Said | None:
        """Return what a message answers; None if it is no answer."""
        return await self.chat.hear(
            text, caller, context, session=session, language=language
        )

    async def question(self, approval_id: str) -> Question | None:
        """Return what is said to whoever asked for something that must wait."""
        pending = self.desk.find(approval_id)
        if pending is None:
            return None
        again = asker_may_answer(pending, own_users=self._users.own_ids())
        if again:
            voice = pending.caller.origin is Origin.VOICE
            pin = voice and pending.terms.pin is not None
            text = await self.facts.question(pending, pin=pin)
        else:
            people = await self.phones.people(approval_id)
            text = await self.facts.asked(pending, people)
        return Question(text=text, again=again, expires_at=pending.expires_at)

    @callback
    def asked(self, approval_id: str) -> None:
        """Note that its question was the last thing said in its conversation."""
        pending = self.desk.find(approval_id)
        if pending is not None and pending.standing is Standing.WAITING:
            self.chat.asked(pending)

    @callback
    def said(self, session: str) -> None:
        """Note that something else was said: a question there has had its moment."""
        self.chat.said(session)

    async def resume(self, approval_id: str) -> AsyncIterator[LoopEvent | TurnReport]:
        """Follow the parked turn that goes on with an answer."""
        async for event in self.parked.resume_now(approval_id):
            yield event

    async def cover(self, language: str) -> str:
        """Return what stands in Home Assistant's log in the place of an answer."""
        return await self.facts.text("answer_covered", language)

    async def noted(self, answered: Answered) -> str:
        """Return what is said to an answer when no turn goes on with it here."""
        key = "answer_noted_yes" if answered.yes else "answer_noted_no"
        return await self.facts.say(key, answered.pending)

    async def _waiting_text(
        self, pending: PendingApproval, reached: Sequence[Reached]
    ) -> str:
        """Return the sentence that says whom CAESAR asks, for the desk."""
        people = dict.fromkeys(name for each in reached for name in each.people)
        return await self.facts.asking(pending, tuple(people))

    async def _async_deliver(
        self, pending: PendingApproval, report: TurnReport
    ) -> None:
        """Tell how a turn ended whose answer came by another way. Never raises.

        The conversation's memory has it already, and phones show the outcome on their
        cards. A satellite that asked says it aloud.
        """
        if pending.caller.origin is Origin.VOICE:
            await self.async_tell(
                pending.caller, pending.session, report.spoken, report.parked
            )

    async def async_tell(
        self, caller: Caller, session: str, text: str, parked: str | None = None
    ) -> None:
        """Tell who asked something earlier, by their satellite or phones. Never raises.

        `parked` is the question that the text ends with, if it does: a satellite then
        hears the answer as its next message.
        """
        if not (text := text[:_MAX_SPOKEN].strip()):
            return
        if caller.origin is not Origin.VOICE:
            await self._tell_phones(caller, text)
            return
        if (satellite_id := caller.satellite_id) is None:
            return
        # From its first word on, and whether or not all of it is heard.
        self.said(session)
        try:
            await self._messages.async_speak(satellite_id, text)
        except HomeAssistantError as err:
            _LOGGER.warning("%s could not say how it ended: %s", satellite_id, err)
            return
        if parked is not None:
            self.asked(parked)

    async def _tell_phones(self, caller: Caller, text: str) -> None:
        for phone in phones_of(self._hass, caller.user_id) if caller.user_id else ():
            try:
                await self._messages.async_phone(phone, text, "CAESAR", {})
            except HomeAssistantError as err:
                _LOGGER.warning("A phone could not be told how it ended: %s", err)

    async def async_answer(
        self, approval_id: str, yes: bool, answerer: Answerer
    ) -> Answer:
        """Take an answer that came by an action."""
        return await self.desk.answer(approval_id, yes, answerer)

    async def forget(self, covers: Covers) -> Waiting:
        """Erase questions, and the turns that wait for them, of whom `covers` names.

        Raises AuditUnavailable.
        """
        waiting = [each.id for each in self.desk.pending() if covers(each)]
        checkpoints = await self.parked.forget(waiting)
        try:
            questions = await self.desk.forget(covers)
        except StoreUnavailable as err:
            raise AuditUnavailable(str(err)) from err
        return Waiting(questions=questions, checkpoints=checkpoints)

    def visible_to(self, answerer: Answerer) -> tuple[PendingApproval, ...]:
        """Return what waits and this person may answer, oldest first."""
        return tuple(
            pending
            for pending in self.desk.pending()
            if self.desk.may_answer(pending, answerer)
        )

    @callback
    def _changed(self, pending: PendingApproval) -> None:
        if pending.standing is not Standing.WAITING:
            self._put.discard(pending.id)
            self._tell(pending)
        elif asker_may_answer(pending, own_users=self._users.own_ids()):
            self._was_put(pending)

    @callback
    def _was_put(self, pending: PendingApproval) -> None:
        """Tell of a question once: it is in its conversation, or on a phone."""
        if pending.id not in self._put:
            self._put.add(pending.id)
            self._tell(pending)

    @callback
    def _tell(self, pending: PendingApproval) -> None:
        self._notice.changed()
        self._activity.changed(pending)
        for listener in tuple(self._listeners):
            listener(pending)
