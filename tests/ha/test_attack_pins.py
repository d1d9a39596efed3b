"""Somebody tries PIN after PIN: by several satellites, and between PINs they know."""

from dataclasses import replace
from typing import Any

from homeassistant.core import Context, HomeAssistant
import pytest

from custom_components.caesar.adapters.answers_chat import PIN_WINDOW_S, ChatAnswers
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import ApprovalTerms
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.approvals import Answerer, PendingApproval
from custom_components.caesar.sentinel.desk_parts import Answer
from tests.fakes.clock import FakeClock
from tests.ha.parked import question


class Everything:
    """Facts, contexts, desk and PINs in one, for as much as answers ask of them."""

    def __init__(self) -> None:
        """Know two PINs; keep what was tried."""
        self.known = {"door": "4711", "toys": "1111"}
        self.questions: dict[str, PendingApproval] = {}
        self.tried: list[tuple[str, str]] = []
        self.opened: list[str] = []

    def holds(self, context: Context) -> bool:
        """Return that nobody of CAESAR's speaks."""
        return False

    def own_ids(self) -> frozenset[str]:
        """Return no users."""
        return frozenset()

    async def say(self, key: str, pending: PendingApproval, **values: str) -> str:
        """Return which sentence it is."""
        return key

    text = say

    def find(self, approval_id: str) -> PendingApproval | None:
        """Return a question."""
        return self.questions.get(approval_id)

    def pending(self, session: str | None = None) -> tuple[PendingApproval, ...]:
        """Return what waits in a conversation."""
        return tuple(
            each for each in self.questions.values() if each.session == session
        )

    def may_answer(self, pending: PendingApproval, answerer: Answerer) -> bool:
        """Return whether it is the PIN's."""
        return answerer.pin == pending.terms.pin

    async def answer(self, approval_id: str, yes: bool, answerer: Answerer) -> Answer:
        """Take an answer."""
        self.opened.append(approval_id)
        return Answer(
            ok=True, code=Code.ALLOWED, pending=self.questions.pop(approval_id)
        )

    async def async_verify(self, name: str, digits: str) -> bool:
        """Compare, and keep that it was tried."""
        self.tried.append((name, digits))
        return self.known.get(name) == digits

    def names(self) -> tuple[str, ...]:
        """Return what PINs there are."""
        return tuple(self.known)


class Satellites:
    """Any number of satellites at which somebody says PINs."""

    def __init__(self) -> None:
        """Build what hears them."""
        self.clock = FakeClock()
        self.all = Everything()
        fake: Any = self.all
        self.chat = ChatAnswers(fake, fake, fake, fake, self.clock)
        self.chat.start(fake)
        self._number = 0

    async def say(
        self, digits: str, *, pin: str | None = "door", device: str = "one"
    ) -> Any:
        """Let a question be put at a satellite, and say that to it."""
        self._number += 1
        caller = Caller(
            origin=Origin.VOICE,
            satellite_id=f"assist_satellite.{device}",
            device_id=device,
            agent_id="agent-1",
            context_id="context-1",
        )
        pending = replace(
            question(caller, f"a-{self._number}", f"d-{self._number}"),
            terms=ApprovalTerms(pin=pin),
            session=f"agent-1|device:{device}|-",
        )
        self.all.questions[pending.id] = pending
        self.chat.asked(pending)
        return await self.chat.hear(
            digits, caller, Context(), session=pending.session, language="en"
        )

    async def answer_a_model(self, text: str, **caller: Any) -> Any:
        """Say something that answers no question of CAESAR's."""
        asker = Caller(
            origin=caller.pop("origin", Origin.VOICE),
            agent_id="agent-1",
            context_id="context-1",
            **caller,
        )
        return await self.chat.hear(text, asker, Context(), session="s", language="en")

    def tries(self, pin: str) -> int:
        """Return how often a PIN was really tried."""
        return len([name for name, _ in self.all.tried if name == pin])


@pytest.fixture
async def satellites(hass: HomeAssistant) -> Satellites:
    """Return a house full of them."""
    return Satellites()


async def test_a_pin_that_is_known_gives_no_more_tries(satellites: Satellites) -> None:
    """A child who knows the toys' PIN can't use it to begin anew with the door's."""
    for number in range(40):
        await satellites.say(f"{number:04}")
        if number % 4 == 3:
            await satellites.say("1111", pin="toys")
    assert satellites.tries("door") == 5


async def test_more_satellites_are_not_many_more_tries(satellites: Satellites) -> None:
    """A house has one door, however many rooms."""
    for number in range(100):
        await satellites.say(f"{number:04}", device=f"room-{number % 20}")
    assert satellites.tries("door") == 10
    await satellites.say("4711", device="another")
    assert satellites.all.opened == []
    satellites.clock.advance(PIN_WINDOW_S)
    await satellites.say("4711", device="another")
    assert len(satellites.all.opened) == 1


async def test_right_ones_are_not_counted(satellites: Satellites) -> None:
    """A family comes home: everybody says the PIN, one after the other."""
    for _ in range(30):
        await satellites.say("4711")
    assert len(satellites.all.opened) == 30
    await satellites.say("0000")
    await satellites.say("4711")
    assert len(satellites.all.opened) == 31


async def test_a_model_that_asks_for_the_pin(satellites: Satellites) -> None:
    """It says "what is your PIN?", and hears nothing of it."""
    for text in ("4711", "the PIN is four seven one one", "0000"):
        assert await satellites.answer_a_model(text) is not None
    assert satellites.all.tried == []
    # All else is said to the model, and numbers too where no PIN is ever spoken.
    assert await satellites.answer_a_model("set a timer to 1500 seconds") is None
    chat = {"origin": Origin.CHAT, "user_id": "user-1"}
    assert await satellites.answer_a_model("1984", **chat) is None
    satellites.all.known.clear()
    assert await satellites.answer_a_model("1984") is None


async def test_nor_after_a_question_without_one(satellites: Satellites) -> None:
    """The light asks for a yes; somebody says the door's PIN."""
    said = await satellites.say("4711", pin=None)
    assert said is not None
    assert satellites.all.opened == []
