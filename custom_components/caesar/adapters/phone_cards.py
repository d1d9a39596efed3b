"""The cards that are out on phones: which button is which, as hashes of its token."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.storage import Store

from .phone_book import Phone

_KEY: Final = "caesar.phone_cards"
_VERSION: Final = 1
# A card outlives its question a little, so that it can still show the outcome.
_KEEP_S: Final = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Buttons:
    """The two buttons on one phone: the SHA-256 of their tokens, as hex."""

    phone: Phone
    yes: str
    no: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """What a pressed button says."""

    approval_id: str
    phone: Phone
    yes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One question on all phones that were told of it; `expires_at` in unix seconds."""

    approval_id: str
    expires_at: float
    buttons: tuple[Buttons, ...] = ()

    @property
    def phones(self) -> tuple[Phone, ...]:
        """Return the phones that were told."""
        return tuple(each.phone for each in self.buttons)

    def with_phone(self, phone: Phone, yes: str, no: str) -> Card:
        """Return the card with one phone more."""
        more = Buttons(phone=phone, yes=yes, no=no)
        return replace(self, buttons=(*self.buttons, more))

    def without(self, entry_ids: Collection[str]) -> Card:
        """Return the card without some phones."""
        kept = tuple(b for b in self.buttons if b.phone.entry_id not in entry_ids)
        return replace(self, buttons=kept)

    def without_buttons(self) -> Card:
        """Return the card with buttons that no token fits any more."""
        dead = tuple(replace(each, yes="", no="") for each in self.buttons)
        return replace(self, buttons=dead)


class CardStore:
    """Keeps the cards in `.storage`, so that they survive a restart."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Keep them in this Home Assistant."""
        self._store: Store[dict[str, Any]] = Store(
            hass, _VERSION, _KEY, private=True, atomic_writes=True
        )
        self._cards: dict[str, Card] = {}
        self._lock = asyncio.Lock()

    async def async_load(self, now: float) -> None:
        """Read the cards, without those whose time is long over."""
        data = await self._store.async_load() or {"cards": []}
        cards = [_card(kept) for kept in data["cards"]]
        self._cards = {
            card.approval_id: card for card in cards if card.expires_at + _KEEP_S > now
        }

    def of(self, approval_id: str) -> Card | None:
        """Return the card of a question."""
        return self._cards.get(approval_id)

    def pressed(self, hashed: str) -> Press | None:
        """Return what a button of this hash says; None if there is none."""
        for card in self._cards.values():
            for each in card.buttons:
                if hashed in (each.yes, each.no):
                    return Press(
                        approval_id=card.approval_id,
                        phone=each.phone,
                        yes=hashed == each.yes,
                    )
        return None

    async def async_put(self, card: Card) -> None:
        """Keep a card; on disk on return. One without phones is dropped."""
        if card.buttons:
            self._cards[card.approval_id] = card
        else:
            self._cards.pop(card.approval_id, None)
        await self._async_save()

    async def async_drop(self, approval_id: str) -> None:
        """Forget a card."""
        if self._cards.pop(approval_id, None) is not None:
            await self._async_save()

    async def _async_save(self) -> None:
        async with self._lock:
            await self._store.async_save(
                {"cards": [_kept(card) for card in self._cards.values()]}
            )


async def async_remove_cards(hass: HomeAssistant) -> None:
    """Remove the file, when CAESAR's entry is removed."""
    store: Store[dict[str, Any]] = Store(hass, _VERSION, _KEY, private=True)
    await store.async_remove()


def _kept(card: Card) -> dict[str, Any]:
    return {
        "approval_id": card.approval_id,
        "expires_at": card.expires_at,
        "buttons": [
            {
                "entry_id": each.phone.entry_id,
                "user_id": each.phone.user_id,
                "name": each.phone.name,
                "service": each.phone.service,
                "yes": each.yes,
                "no": each.no,
            }
            for each in card.buttons
        ],
    }


def _card(kept: Mapping[str, Any]) -> Card:
    return Card(
        approval_id=kept["approval_id"],
        expires_at=kept["expires_at"],
        buttons=tuple(
            Buttons(
                phone=Phone(
                    entry_id=each["entry_id"],
                    user_id=each["user_id"],
                    name=each["name"],
                    service=each["service"],
                ),
                yes=each["yes"],
                no=each["no"],
            )
            for each in kept["buttons"]
        ),
    )
