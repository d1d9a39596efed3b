"""What the house remembers of conversations: on disk, sealed, bounded."""

import asyncio
from pathlib import Path
import sqlite3

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.memory import MAX_SESSIONS
from custom_components.caesar.adapters.memory_rows import MemoryChange, MemoryRow, Scope
from custom_components.caesar.audit.event import AuditUnavailable
from custom_components.caesar.brain.provider import AssistantMessage
from custom_components.caesar.brain.session import MEANT_S
from custom_components.caesar.turn import PastCall, Taint

from .remembering import (
    MARKER,
    Clock,
    Held,
    key,
    on_file,
    remembering,
    say,
    texts,
    told,
)


async def test_a_restart_forgets_nothing(hass: HomeAssistant) -> None:
    """Words, answers, taint and calls come back; keys never meet; ids go on (F-1)."""
    data = {"brightness_pct": 30}
    calls = (PastCall(tool="light.turn_on", target=("light.a",), done=True, data=data),)
    clock = Clock()
    async with remembering(hass, now=clock) as memory:
        assert (await memory.recall(key())).messages == ()
        assert await say(memory, 1) == 1
        tainted = frozenset({Taint.PRIVATE})
        assert await say(memory, 2, taint=tainted, last_calls=calls) == 2
        before = await memory.recall(key())
    async with remembering(hass, now=clock) as memory:
        again = await memory.recall(key())
        assert again == before
        assert again.taint == {Taint.PRIVATE}
        assert again.messages[-1] == AssistantMessage(text="a2")
        assert again.last is not None
        assert again.last.touched == ("light.a",)
        assert again.meant == calls
        for other in (key(user="kid"), key(user=None), key("device:1")):
            nothing = await memory.recall(other)
            assert (nothing.messages, nothing.meant) == ((), ())
        clock.now += MEANT_S + 1
        assert (await memory.recall(key())).meant == ()
        assert await say(memory, 3) == 3
    assert not told(hass)


async def test_what_lies_in_the_file(hass: HomeAssistant) -> None:
    """Neither words nor whose conversation it is; the user and the agent, in clear."""
    async with remembering(hass) as memory:
        await say(memory, 1, key("conv:secret-name"))
    [row] = await on_file(hass, "SELECT * FROM bot_memory")
    folder = Path(hass.config.path("caesar"))

    def read() -> bytes:
        return b"".join(each.read_bytes() for each in folder.iterdir())

    raw = await hass.async_add_executor_job(read)
    for words in (MARKER, "secret-name"):
        assert words.encode() not in raw
        assert words.encode("utf-16-le") not in raw
    assert row[2:6] == ("agent", "boy", "chat", 1_800_000_000.0)
    assert len(row[1]) == 64


async def test_bounded(hass: HomeAssistant) -> None:
    """By turns in a conversation (F-2), by conversations in memory; the disk has all."""
    async with remembering(hass, window=2) as memory:
        for number in range(4):
            await say(memory, number)
        assert texts((await memory.recall(key())).messages) == ["q2", "q3"]
        for number in range(MAX_SESSIONS):
            await memory.recall(key(f"conv:other{number}"))
        assert len(memory._sessions) == MAX_SESSIONS
        assert key() not in memory._sessions
        assert texts((await memory.recall(key())).messages) == ["q2", "q3"]
        rows = await memory.rows(0, 10)
        assert [row.text for row in rows] == [f"{MARKER} q{n}" for n in range(4)]
    async with remembering(hass, window=3) as memory:
        # Another turn ends before this conversation was read: a resumed one.
        await say(memory, 4)
        assert texts((await memory.recall(key())).messages) == ["q2", "q3", "q4"]
        # The owner wants less to be shown, and that counts at once.
        memory._window = lambda: 1
        assert texts((await memory.recall(key())).messages) == ["q4"]


type Spoil = tuple[str, ...]


@pytest.mark.parametrize(
    ("spoil", "other_too"),
    [
        (("UPDATE bot_memory SET sealed = zeroblob(60) WHERE id = 1",), False),
        (("UPDATE bot_memory SET sealed = x'01' WHERE id = 3",), False),
        (("UPDATE bot_memory SET sealed = 'text' WHERE id = 3",), False),
        (
            (
                "UPDATE bot_memory SET sealed = CAST(substr(sealed, 1, 40) ||"
                " x'2a' || substr(sealed, 42) AS BLOB) WHERE id = 3",
            ),
            False,
        ),
        (("UPDATE bot_memory SET kid = 'other' WHERE id = 3",), False),
        (("UPDATE bot_memory SET user_id = 'kid' WHERE id = 3",), False),
        (("UPDATE bot_memory SET agent = x'ff' WHERE id = 3",), False),
        (("UPDATE bot_memory SET kept_at = 1 WHERE id = 3",), False),
        (("UPDATE bot_memory SET origin = 'voice' WHERE id = 3",), False),
        # Words moved into another conversation, whole rows or what is sealed in them.
        (
            (
                "UPDATE bot_memory SET session = (SELECT session FROM bot_memory"
                " WHERE id = 3) WHERE id = 2",
            ),
            False,
        ),
        (
            (
                "CREATE TEMP TABLE s AS SELECT id, sealed FROM bot_memory",
                "UPDATE bot_memory SET sealed = (SELECT sealed FROM s"
                " WHERE s.id = 5 - bot_memory.id) WHERE id IN (2, 3)",
            ),
            True,
        ),
        # An older turn brought back as a new one.
        (
            (
                "INSERT INTO bot_memory SELECT 9, session, agent, user_id, origin,"
                " kept_at, kid, sealed FROM bot_memory WHERE id = 1",
            ),
            False,
        ),
    ],
)
async def test_a_row_that_does_not_open(
    hass: HomeAssistant, spoil: Spoil, other_too: bool
) -> None:
    """Its conversation is empty and goes on anew; a repair says so (F-6)."""
    other = key(user="kid")
    async with remembering(hass) as memory:
        await say(memory, 1)
        await say(memory, 2, other)
        await say(memory, 3)

    def tamper() -> None:
        db = sqlite3.connect(hass.config.path("caesar", "caesar.db"))
        for statement in spoil:
            db.execute(statement)
        db.commit()
        db.close()

    await hass.async_add_executor_job(tamper)
    changes: list[MemoryChange] = []
    async with remembering(hass) as memory:
        memory.listen(changes.append)
        readable = {row.id for row in await memory.rows(0, 10)}
        assert readable <= {1, 2, 3}
        assert (await memory.recall(key())).messages == ()
        assert told(hass)
        assert changes
        assert (await say(memory, 4) or 0) > 3
        kept = (await memory.recall(other)).messages
        assert bool(kept) is not (other_too or "WHERE id = 2" in spoil[-1])
    async with remembering(hass) as memory:
        assert texts((await memory.recall(key())).messages) == ["q4"]
        await memory.forget(Scope())
    assert not told(hass)


async def test_a_slow_disk_delays_nobody(
    hass: HomeAssistant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was said is known at once; an unread conversation is not waited for long."""
    monkeypatch.setattr("custom_components.caesar.adapters.memory.RECALL_LIMIT_S", 0.02)
    async with remembering(hass) as memory:
        await say(memory, 1, key("conv:old"))
    async with remembering(hass) as memory:
        await memory.recall(key())
        held = Held(memory)
        keeping = asyncio.ensure_future(say(memory, 2))
        await asyncio.sleep(0)
        assert texts((await memory.recall(key())).messages) == ["q2"]
        assert (await memory.recall(key("conv:old"))).messages == ()
        assert not keeping.done()
        await held.release()
        assert await keeping == 2
        assert texts((await memory.recall(key("conv:old"))).messages) == ["q1"]


async def test_without_a_file(hass: HomeAssistant) -> None:
    """This run's words are remembered; what can't be erased is not called erased."""
    folder = Path(hass.config.path("caesar"))
    await hass.async_add_executor_job(folder.write_text, "in the way")
    async with remembering(hass) as memory:
        assert await say(memory, 1) is None
        assert texts((await memory.recall(key())).messages) == ["q1"]
        with pytest.raises(AuditUnavailable):
            await memory.forget(Scope())
        with pytest.raises(AuditUnavailable):
            await memory.rows(0, 10)


async def test_what_recall_reads(hass: HomeAssistant) -> None:
    """Rows by id, whose they are, and what they hold; only those that there are."""
    changes: list[MemoryChange] = []
    clock = Clock()
    async with remembering(hass, now=clock) as memory:
        memory.listen(changes.append)
        calls = (PastCall(tool="web_search"),)
        await say(memory, 1, taint=frozenset({Taint.UNTRUSTED}), last_calls=calls)
        await say(memory, 2, key("device:1", None))
        assert [change.added for change in changes] == [(1,), (2,)]
        expected = MemoryRow(
            id=1,
            user_id="boy",
            session=memory.session_hash(key()),
            kept_at=clock.now,
            text=f"{MARKER} q1",
            answer="a1",
            tools=("web_search",),
        )
        assert await memory.rows(0, 1) == [expected]
        [second] = await memory.rows(1, 100)
        assert (second.id, second.user_id) == (2, None)
        clear = await on_file(hass, "SELECT agent, origin FROM bot_memory ORDER BY id")
        assert clear == [("agent", "chat"), ("agent", "voice")]
        assert await memory.rows(2, 100) == []
        assert await memory.read([2, 7, 1]) == [second, expected]


async def test_rows_behind_many_that_do_not_open(hass: HomeAssistant) -> None:
    """Of a house that lost its key, recall gets what was said since then."""
    async with remembering(hass) as memory:
        for number in range(1, 6):
            await say(memory, number)
        await on_file(hass, "UPDATE bot_memory SET kid = 'lost' WHERE id < 5")
        assert [row.id for row in await memory.rows(0, 2)] == [5]
        assert await memory.rows(5, 2) == []
