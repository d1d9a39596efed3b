"""Approvers are asked on their phones, and answer with a button.

A button carries a token of 192 bits that is used once. It counts only if the phone's
own owner presses it, and whether that person may approve is the desk's to say. Kept
are hashes, so that the buttons still work after a restart.
"""

import asyncio
from collections.abc import Callable, Mapping
import hashlib
import logging
import secrets
from typing import Any, Final, Protocol

from homeassistant.core import CALLBACK_TYPE, Event, HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers.start import async_at_started

from ..policy.caller import Origin
from ..policy.impact import Impact
from ..policy.reason import Code
from ..sentinel.answering import is_approver
from ..sentinel.approvals import Answerer, PendingApproval, Reached, Standing, Via
from ..sentinel.desk_parts import Answer
from .facts import HouseFacts
from .phone_book import Phone, phone_of, phones_of
from .phone_cards import Card, CardStore, Press
from .users import Users

_LOGGER = logging.getLogger(__name__)

EVENT_PRESSED: Final = "mobile_app_notification_action"
CHANNEL: Final = "phone"
_PREFIX: Final = "CAESAR_"
_MOST_PHONES: Final = 12
_OPEN: Final = frozenset({Standing.WAITING, Standing.APPROVED, Standing.EXECUTING})


class Messages(Protocol):
    """The door by which phones are told something."""

    async def async_phone(
        self, phone: Phone, message: str, title: str | None, data: Mapping[str, Any]
    ) -> None:
        """Send; raises HomeAssistantError if it doesn't go out."""


class Desk(Protocol):
    """What answers are given to."""

    async def answer(self, approval_id: str, yes: bool, answerer: Answerer) -> Answer:
        """Take an answer."""

    def find(self, approval_id: str) -> PendingApproval | None:
        """Return a question."""

    def may_answer(self, pending: PendingApproval, answerer: Answerer) -> bool:
        """Return whether a yes of theirs would count."""


class PhoneChannel:
    """Implements `Channel` with actionable notifications of the companion app."""

    def __init__(
        self,
        hass: HomeAssistant,
        messages: Messages,
        users: Users,
        facts: HouseFacts,
        now: Callable[[], float],
        on_asked: Callable[[PendingApproval], None],
    ) -> None:
        """Tell phones by `messages`; `now` is in unix seconds.

        `on_asked` is called when a question has come to a phone.
        """
        self._hass = hass
        self._messages = messages
        self._users = users
        self._facts = facts
        self._now = now
        self._on_asked = on_asked
        self._cards = CardStore(hass)
        self._tests: dict[str, Phone] = {}
        self._desk: Desk | None = None
        self._unsubscribe: list[CALLBACK_TYPE] = []
        self._ready = False
        self._late: list[PendingApproval] = []

    async def async_start(self, desk: Desk) -> None:
        """Read what buttons are still out there, and listen to them."""
        await self._cards.async_load(self._now())
        self._desk = desk
        self._unsubscribe = [
            self._hass.bus.async_listen(
                EVENT_PRESSED, self._async_pressed, event_filter=_ours
            ),
            async_at_started(self._hass, self._async_started),
        ]

    def async_stop(self) -> None:
        """Stop listening; the buttons that are out there work after the next start."""
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._unsubscribe = []
        self._ready = False

    async def ask(self, pending: PendingApproval) -> Reached | None:
        """Put the question on the approvers' phones."""
        try:
            return await self._ask(pending)
        except Exception:
            # A phone that can't be told must not take the question from the others.
            _LOGGER.exception("Phones could not be asked")
            return None

    async def settled(self, pending: PendingApproval) -> None:
        """Take the buttons away and show what became of the question."""
        try:
            await self._settled(pending)
        except Exception:
            # What was decided stands, whether or not a phone shows it.
            _LOGGER.exception("Phones could not be told what became of a question")

    async def async_test_phone(self, user_id: str) -> tuple[str, ...]:
        """Send a test card to a user's phones; return the names of those told.

        Pressing its button shows on the phone that the whole way works.
        """
        language = self._hass.config.language
        title = await self._facts.text("approval_card_title", language)
        told: list[str] = []
        for phone in phones_of(self._hass, user_id)[:_MOST_PHONES]:
            token = secrets.token_urlsafe(24)
            yes = await self._facts.text("approval_card_yes", language)
            data = {
                **_look("caesar-test", urgent=True),
                "actions": [{"action": f"{_PREFIX}{token}", "title": yes}],
            }
            text = await self._facts.text("approval_card_test", language)
            self._tests[_hashed(token)] = phone
            if await self._send(phone, text, title, data):
                told.append(phone.name)
        return tuple(told)

    async def people(self, approval_id: str) -> tuple[str, ...]:
        """Return the names of those on whose phones a question is."""
        card = self._cards.of(approval_id)
        names = [
            await self._facts.user_name(phone.user_id)
            for phone in (card.phones if card else ())
        ]
        return tuple(dict.fromkeys(filter(None, names)))

    async def _ask(self, pending: PendingApproval) -> Reached | None:
        card = self._cards.of(pending.id)
        if card is None:
            card = await self._hand_out(pending)
            if card.phones:
                self._on_asked(pending)
        if not card.phones:
            return None
        return Reached(channel=CHANNEL, people=await self.people(pending.id))

    async def _hand_out(self, pending: PendingApproval) -> Card:
        """Send the cards; what is kept is on the disk before the first goes out."""
        phones = [
            phone
            for user_id in await self._approvers(pending)
            for phone in phones_of(self._hass, user_id)
        ][:_MOST_PHONES]
        card = Card(approval_id=pending.id, expires_at=pending.expires_at)
        tokens: dict[str, tuple[str, str]] = {}
        for phone in phones:
            yes, no = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
            tokens[phone.entry_id] = (yes, no)
            card = card.with_phone(phone, _hashed(yes), _hashed(no))
        if not phones:
            return card
        await self._cards.async_put(card)
        language = self._hass.config.language
        text = await self._facts.card(pending, language)
        title = await self._facts.text("approval_card_title", language)
        labels = [
            await self._facts.text(f"approval_card_{word}", language)
            for word in ("yes", "no")
        ]
        sent = await asyncio.gather(
            *(
                self._send(
                    phone,
                    text,
                    title,
                    self._data(pending, tokens[phone.entry_id], labels),
                )
                for phone in phones
            )
        )
        failed = {
            phone.entry_id for phone, told in zip(phones, sent, strict=True) if not told
        }
        if failed:
            card = card.without(failed)
            await self._cards.async_put(card)
        return card

    async def _approvers(self, pending: PendingApproval) -> list[str]:
        """Return whose phones ring: one who asks and may approve needs no other."""
        approvers = [
            user.id
            for user in await self._hass.auth.async_get_users()
            if user.is_active
            and not user.system_generated
            and is_approver(pending, user.id, is_admin=user.is_admin)
        ]
        caller = pending.caller
        if caller.origin is Origin.CHAT and caller.user_id in approvers:
            return [caller.user_id]
        return approvers

    def _data(
        self, pending: PendingApproval, tokens: tuple[str, str], labels: list[str]
    ) -> dict[str, Any]:
        guarded = _is_guarded(pending)
        yes = {"action": f"{_PREFIX}{tokens[0]}", "title": labels[0]}
        return {
            **_look(_tag(pending.id), urgent=True),
            "actions": [
                {**yes, "authenticationRequired": True} if guarded else yes,
                {
                    "action": f"{_PREFIX}{tokens[1]}",
                    "title": labels[1],
                    "destructive": True,
                },
            ],
            # Android: what is asked isn't read from a locked screen, and goes in time.
            "visibility": "private",
            "timeout": max(int(pending.expires_at - self._now()), 1),
        }

    async def _settled(self, pending: PendingApproval) -> None:
        if pending.standing is Standing.WAITING:
            return
        if not self._ready:
            self._late.append(pending)
            return
        card = self._cards.of(pending.id)
        if card is None:
            return
        if pending.standing in _OPEN:
            await self._cards.async_put(card.without_buttons())
        else:
            await self._cards.async_drop(pending.id)
        text = await self._facts.outcome(pending, self._hass.config.language)
        data = _look(_tag(pending.id), urgent=False)
        await asyncio.gather(
            *(self._send(phone, text, None, data) for phone in card.phones)
        )

    async def _async_started(self, _hass: HomeAssistant) -> None:
        """Tell phones what ended while Home Assistant was down or starting."""
        self._ready = True
        late, self._late = self._late, []
        for pending in late:
            await self.settled(pending)

    async def _send(
        self, phone: Phone, text: str, title: str | None, data: Mapping[str, Any]
    ) -> bool:
        try:
            await self._messages.async_phone(phone, text, title, data)
        except HomeAssistantError as err:
            _LOGGER.warning("The phone %s could not be told: %s", phone.name, err)
            return False
        return True

    async def _async_pressed(self, event: Event[Mapping[str, Any]]) -> None:
        """Take a press for an answer, if it is the phone's owner's."""
        hashed = _hashed(str(event.data["action"]).removeprefix(_PREFIX))
        user_id = event.context.user_id
        if (phone := self._tests.get(hashed)) is not None:
            if user_id == phone.user_id:
                del self._tests[hashed]
                await self._test_passed(phone)
            return
        press = self._cards.pressed(hashed)
        if press is None or self._desk is None:
            return
        user = await self._users.async_learn(user_id)
        if user is None or not user.is_active or self._users.is_own(user.id):
            return
        answerer = Answerer(via=Via.PHONE, user_id=user.id, is_admin=user.is_admin)
        pending = self._desk.find(press.approval_id)
        if not self._is_owners(press, event):
            _LOGGER.warning("Somebody else pressed a button of %s", press.phone.name)
            if (
                not press.yes
                or pending is None
                or self._desk.may_answer(pending, answerer)
            ):
                return
            # It can't count: the desk refuses it, and writes that down.
        answer = await self._desk.answer(press.approval_id, press.yes, answerer)
        if not answer.ok:
            _LOGGER.warning("An answer by phone was refused: %s", answer.code.value)
            if answer.pending is not None:
                # The card may be of a question that was settled meanwhile.
                await self.settled(answer.pending)
            elif answer.code is Code.UNKNOWN_APPROVAL:
                await self._gone(press.approval_id)

    async def _gone(self, approval_id: str) -> None:
        """Say on its cards that a question is none: its row was lost or changed."""
        card = self._cards.of(approval_id)
        text = await self._facts.text("approval_card_gone", self._hass.config.language)
        data = _look(_tag(approval_id), urgent=False)
        await asyncio.gather(
            *(
                self._send(phone, text, None, data)
                for phone in (card.phones if card else ())
            )
        )

    def _is_owners(self, press: Press, event: Event[Mapping[str, Any]]) -> bool:
        now = phone_of(self._hass, press.phone.entry_id)
        return (
            now is not None
            and now.user_id == press.phone.user_id == event.context.user_id
            and event.context.parent_id is None
        )

    async def _test_passed(self, phone: Phone) -> None:
        text = await self._facts.text(
            "approval_card_test_ok", self._hass.config.language
        )
        await self._send(phone, text, None, _look("caesar-test", urgent=False))


@callback
def _ours(data: Mapping[str, Any]) -> bool:
    action = data.get("action")
    return isinstance(action, str) and action.startswith(_PREFIX)


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def _tag(approval_id: str) -> str:
    """Return the name under which a later card takes the place of this one."""
    return f"caesar-{_hashed(approval_id)[:16]}"


def _look(tag: str, *, urgent: bool) -> dict[str, Any]:
    """Return how a card behaves, in the words of both companion apps."""
    level = "time-sensitive" if urgent else "passive"
    return {
        "tag": tag,
        "channel": "CAESAR",
        "alert_once": not urgent,
        "push": {"interruption-level": level},
        **({"ttl": 0, "priority": "high"} if urgent else {}),
    }


def _is_guarded(pending: PendingApproval) -> bool:
    """Return whether the phone must be unlocked to say yes.

    For what opens the house, and for what might: a script that can't be seen through.
    """
    return pending.entry or pending.impact > Impact.REVERSIBLE
