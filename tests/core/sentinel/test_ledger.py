"""The ledger itself: times, what a restart brings back, and what it forgets."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from custom_components.caesar.policy.call import args_hash
from custom_components.caesar.sentinel.approvals import PendingApproval, Standing
from custom_components.caesar.sentinel.ledger import Ledger
from tests.fakes.clock import FakeClock
from tests.fakes.desk import ADMIN, DeskUnderTest, MemoryStore

from .test_answering import question

DAY_S = 86_400
SPAN_S = 900


class CountingStore(MemoryStore):
    """Counts how often it is read."""

    def __init__(self) -> None:
        """Start with nothing read."""
        super().__init__()
        self.loads = 0

    async def load(self) -> tuple[PendingApproval, ...]:
        """Count."""
        self.loads += 1
        return await super().load()


@dataclass
class Book:
    """A ledger, its file and its clocks."""

    store: CountingStore = field(default_factory=CountingStore)
    now: FakeClock = field(default_factory=lambda: FakeClock(1_700_000_000.0))
    clock: FakeClock = field(default_factory=FakeClock)
    ledger: Ledger = field(init=False)

    def __post_init__(self) -> None:
        """Open it."""
        self.reopen()

    def reopen(self) -> None:
        """Open it again, as after a restart."""
        self.ledger = Ledger(self.store, now=self.now, clock=self.clock)

    def question(self, approval_id: str = "approval-1", **more: Any) -> PendingApproval:
        """Return a question that is asked now."""
        pending = question(
            id=approval_id,
            created_at=self.now(),
            expires_at=self.now() + SPAN_S,
            **more,
        )
        return replace(pending, args_hash=args_hash(pending.call))

    async def add(self, approval_id: str = "approval-1") -> PendingApproval:
        """Keep one."""
        pending = self.question(approval_id)
        await self.ledger.add(pending)
        return pending

    def get(self, approval_id: str = "approval-1") -> PendingApproval:
        """Return one that is known."""
        pending = self.ledger.get(approval_id)
        assert pending is not None
        return pending


@pytest.fixture
def book() -> Book:
    """Return a ledger that knows nothing."""
    return Book()


async def test_what_it_does_not_know_is_over(book: Book) -> None:
    """Nobody can say how long it has waited."""
    pending = book.question()
    assert book.ledger.is_over(pending)
    await book.ledger.add(pending)
    assert not book.ledger.is_over(pending)


async def test_who_has_ended_listening_hears_nothing_more(book: Book) -> None:
    """And the others do."""
    heard: list[str] = []
    also: list[str] = []
    end = book.ledger.listen(lambda pending: heard.append(pending.id))
    book.ledger.listen(lambda pending: also.append(pending.id))
    await book.add("approval-1")
    end()
    await book.add("approval-2")
    assert heard == ["approval-1"]
    assert also == ["approval-1", "approval-2"]


async def test_the_file_is_read_once(book: Book) -> None:
    """What was dropped here, and could not be there, does not come back."""
    await book.add()
    book.reopen()
    for _ in range(3):
        await book.ledger.load()
    assert book.store.loads == 1
    assert [pending.id for pending in book.ledger.all()] == ["approval-1"]


async def test_what_was_asked_before_the_file_could_be_read(
    book: Book, caplog: pytest.LogCaptureFixture
) -> None:
    """It stays as it is, and all else comes back, whatever the clock said meanwhile."""
    await book.add("approval-1")
    book.reopen()
    book.store.down = True
    await book.ledger.load()
    assert caplog.messages == ["Open questions can't be read now; trying again later"]
    book.store.down = False
    book.now.seconds -= 100
    asked_since = await book.add("approval-2")
    await book.ledger.load()
    assert {pending.id for pending in book.ledger.all()} == {"approval-1", "approval-2"}
    assert book.get("approval-2") is asked_since


async def test_a_restart_gives_no_question_more_time(book: Book) -> None:
    """What it had left by the one clock it has left by the other."""
    pending = await book.add()
    book.now.advance(SPAN_S - 100)
    book.reopen()
    await book.ledger.load()
    book.clock.advance(99)
    assert not book.ledger.is_over(pending)
    book.clock.advance(1)
    assert book.ledger.is_over(pending)


async def test_it_was_decided_when_it_was_answered(book: Book) -> None:
    """Not when it was carried out, nor when that was done."""
    await book.add()
    decided_at = book.now()
    await book.ledger.move(book.get(), Standing.APPROVED, ADMIN)
    for standing in (Standing.EXECUTING, Standing.DONE):
        assert book.get().decided_at == decided_at
        book.now.advance(10)
        await book.ledger.move(book.get(), standing)
    assert book.get().decided_at == decided_at
    assert (book.get().decided_by, book.get().standing) == ("admin", Standing.DONE)


async def test_what_the_disk_can_not_take_ends_now_all_the_same(book: Book) -> None:
    """With the time at which it ended."""
    await book.add()
    book.now.advance(7)
    book.store.down = True
    await book.ledger.end(book.get(), Standing.EXPIRED)
    assert book.get().standing is Standing.EXPIRED
    assert book.get().decided_at == book.now()


async def test_a_day_is_kept_and_no_longer(book: Book) -> None:
    """What is decided; what is under way is kept for ever."""
    for approval_id in ("approval-1", "approval-2"):
        await book.add(approval_id)
    await book.ledger.move(book.get("approval-1"), Standing.DENIED, ADMIN)
    await book.ledger.move(book.get("approval-2"), Standing.APPROVED, ADMIN)
    await book.ledger.move(book.get("approval-2"), Standing.EXECUTING)
    book.now.advance(DAY_S)
    await book.ledger.forget_old()
    assert set(book.store.rows) == {"approval-1", "approval-2"}
    book.now.advance(0.1)
    await book.ledger.forget_old()
    assert set(book.store.rows) == {"approval-2"}


async def test_a_disk_that_can_not_forget_is_no_fault_here(book: Book) -> None:
    """It is gone here; a sweep goes on."""
    await book.add()
    await book.ledger.move(book.get(), Standing.DENIED, ADMIN)
    book.now.advance(DAY_S + 1)
    book.store.down = True
    await book.ledger.forget_old()
    assert book.ledger.all() == ()


async def test_what_nobody_knows_can_be_forgotten(book: Book) -> None:
    """Two who find the same question unheard forget it both."""
    await book.ledger.forget(["approval-9"])
    assert book.ledger.all() == ()


async def test_only_what_waits_is_waited_for(book: Book) -> None:
    """What is settled, and what nobody knows, is over at once."""
    await book.add()
    await book.ledger.move(book.get(), Standing.DENIED, ADMIN)
    async with asyncio.timeout(2):
        await book.ledger.until_settled("approval-1", 60)
        await book.ledger.until_settled("approval-9", 60)


async def test_waiting_less_than_a_second_is_waiting(book: Book) -> None:
    """An answer that comes in that time is heard."""
    await book.add()
    waiting = asyncio.create_task(book.ledger.until_settled("approval-1", 0.9))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not waiting.done()
    await book.ledger.move(book.get(), Standing.APPROVED, ADMIN)
    async with asyncio.timeout(0.5):
        await waiting


async def test_who_waits_for_what_is_dropped_is_woken(book: Book) -> None:
    """Nobody will ever answer it."""
    await book.add()
    waiting = asyncio.create_task(book.ledger.until_settled("approval-1", 60))
    await asyncio.sleep(0)
    await book.ledger.forget(["approval-1"])
    async with asyncio.timeout(2):
        await waiting


async def test_waiting_that_is_over_takes_no_memory(book: Book) -> None:
    """However often the same question is waited for in vain."""
    await book.add()
    for _ in range(3):
        await book.ledger.until_settled("approval-1", 0.001)
    assert not any(book.ledger._waiters.values())


async def test_what_is_forgotten_takes_no_memory(house: DeskUnderTest) -> None:
    """Neither the question nor what was kept beside it, of people or of times."""
    own = house.turn("turn-1", seconds=0, user_id="admin", is_admin=True)
    for turn in (own, house.turn("turn-2", seconds=0)):
        await house.park(turn)
    desk = house.desk
    assert len(desk._said) == 1
    assert len(desk._turns) == len(desk._channels._reached) == 2
    house.now.advance(DAY_S + 1)
    await desk.sweep()
    await house.settle()
    assert house.store.rows == {}
    for kept in (
        desk._said,
        desk._turns,
        desk._channels._reached,
        desk._ledger._known,
        desk._ledger._until,
        desk._ledger._waiters,
    ):
        assert not kept


async def test_a_listener_that_fails_is_in_the_log(
    book: Book, caplog: pytest.LogCaptureFixture
) -> None:
    """With the trace of where it failed."""

    def broken(_: PendingApproval) -> None:
        raise OSError("broken")

    book.ledger.listen(broken)
    await book.add()
    [record] = caplog.records
    assert record.getMessage() == "A listener of approvals failed"
    assert record.exc_info is not None


async def test_all_waiting_ends_at_once() -> None:
    """Nobody waits on for a ledger that is closed."""
    book = Book()
    for number in (1, 2):
        await book.add(f"approval-{number}")
    waiting = [
        asyncio.ensure_future(book.ledger.until_settled(f"approval-{number}", 600))
        for number in (1, 2)
    ]
    await asyncio.sleep(0)
    book.ledger.wake_all()
    async with asyncio.timeout(2):
        await asyncio.gather(*waiting)
