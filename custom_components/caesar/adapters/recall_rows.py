"""What can be recalled, from where the house keeps it, and who may have it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Protocol

from ..audit import recalled
from ..audit.recalled import PastEvent
from ..brain.session import SessionKey
from ..legion.canonical import Json
from ..policy.caller import Caller, Origin
from ..policy.replay import caller_of
from .audit_log import HouseAuditLog
from .memory import HouseMemory
from .memory_rows import MemoryChange, MemoryRow
from .turns import session_key

# What is indexed of a turn, and what is shown of it, in characters.
MAX_TEXT: Final = 1_000
MAX_SHOWN: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A row that can be found again: `owner` is the tag of whose it is.

    `text` is what it is found by, `shown` what the brain of its owner reads.
    """

    id: int
    owner: str
    kind: str
    text: str
    shown: Mapping[str, Json]


class Source(Protocol):
    """Where rows come from. Its reads raise AuditUnavailable."""

    async def after(self, id_: int, limit: int) -> Sequence[Recalled]:
        """Return the first rows after one, in the order of their ids."""

    async def read(self, ids: Collection[int]) -> Mapping[int, Recalled]:
        """Return those of these rows that there are."""

    def listen(
        self, came: Callable[[], None], went: Callable[[Sequence[int] | None], None]
    ) -> Callable[[], None]:
        """Tell when rows came, and which went (None: all); return what ends that."""


class Owners:
    """Tags of whose a row is; they say nothing to who doesn't hold the house's key."""

    def __init__(self, memory: HouseMemory) -> None:
        """Make them with the memory's key."""
        self._memory = memory

    def of_user(self, user_id: str) -> str:
        """Return the tag of a user."""
        key = SessionKey(agent_id="", channel="recall", user_id=user_id)
        return "u" + self._memory.session_hash(key)[:32]

    def of_session(self, session: str) -> str:
        """Return the tag of a conversation of nobody's, by its name in the rows."""
        return "s" + session[:32]

    def of(self, caller: Caller) -> frozenset[str]:
        """Return whose rows a caller may have: their own, or their device's.

        An administrator is no exception: what others said stays theirs (SPEC K-16
        would allow it; narrow is the safe reading).
        """
        if caller.user_id is not None:
            return frozenset({self.of_user(caller.user_id)})
        if caller.origin is not Origin.VOICE:
            # Automations may share a conversation's name, and nobody stands for them.
            return frozenset()
        return frozenset(
            {self.of_session(self._memory.session_hash(session_key(caller)))}
        )

    def of_row(self, caller: Mapping[str, Any]) -> str:
        """Return the tag of a row of the trail: of those who may have it, or of nobody."""
        asker = caller_of(caller)
        return "-" if asker is None else next(iter(self.of(asker)), "-")


class SpokenSource:
    """The turns that the house remembers."""

    def __init__(self, memory: HouseMemory, owners: Owners) -> None:
        """Read from this memory."""
        self._memory = memory
        self._owners = owners

    async def after(self, id_: int, limit: int) -> Sequence[Recalled]:
        """Return the first turns after one."""
        return [self._row(row) for row in await self._memory.rows(id_, limit)]

    async def read(self, ids: Collection[int]) -> Mapping[int, Recalled]:
        """Return these turns."""
        return {row.id: self._row(row) for row in await self._memory.read(ids)}

    def listen(
        self, came: Callable[[], None], went: Callable[[Sequence[int] | None], None]
    ) -> Callable[[], None]:
        """Tell of changes."""

        def changed(change: MemoryChange) -> None:
            if change.all_erased:
                went(None)
            elif change.erased:
                went(change.erased)
            if change.added:
                came()

        return self._memory.listen(changed)

    def _row(self, row: MemoryRow) -> Recalled:
        owner = (
            self._owners.of_session(row.session)
            if row.user_id is None
            else self._owners.of_user(row.user_id)
        )
        said = "\n".join(part for part in (row.text, row.answer) if part.strip())
        return Recalled(
            id=row.id,
            owner=owner,
            kind="chat.completed",
            text=said[:MAX_TEXT],
            shown={
                "ts": datetime.fromtimestamp(row.kept_at, UTC).isoformat(
                    " ", "seconds"
                ),
                "event_type": "chat.completed",
                "text": said[:MAX_SHOWN],
                "payload": _payload(row),
            },
        )


class EventSource:
    """The trail: turns with their words from the memory, and calls with what came."""

    def __init__(
        self, audit: HouseAuditLog, memory: HouseMemory, owners: Owners
    ) -> None:
        """Read from this trail and this memory."""
        self._audit = audit
        self._memory = memory
        self._owners = owners

    async def after(self, id_: int, limit: int) -> Sequence[Recalled]:
        """Return the first events after one, without their words."""
        found = await self._audit.async_work(
            lambda store: recalled.after(store.database.connection, id_, limit)
        )
        return [self._row(event, None) for event in found]

    async def read(self, ids: Collection[int]) -> Mapping[int, Recalled]:
        """Return these events; a turn that was forgotten is none any more."""
        found = await self._audit.async_work(
            lambda store: recalled.read(store.database.connection, ids)
        )
        turns = {
            event.seq: event.payload.get("memory_id")
            for event in found
            if event.type == "chat.completed"
        }
        wanted = [id_ for id_ in turns.values() if isinstance(id_, int)]
        said = {row.id: row for row in await self._memory.read(wanted)}
        rows: dict[int, Recalled] = {}
        for event in found:
            id_ = turns.get(event.seq)
            row = said.get(id_) if isinstance(id_, int) else None
            if event.seq in turns and row is None:
                continue
            rows[event.seq] = self._row(event, row)
        return rows

    def listen(
        self, came: Callable[[], None], went: Callable[[Sequence[int] | None], None]
    ) -> Callable[[], None]:
        """Tell when a turn was over; rows of the trail go by age, and are read anew."""
        return self._memory.listen(lambda change: came() if change.added else None)

    def _row(self, event: PastEvent, said: MemoryRow | None) -> Recalled:
        payload = event.payload
        if said is not None:
            shown = _payload(said)
        else:
            outcome = payload.get("outcome")
            ok = outcome.get("ok") if isinstance(outcome, dict) else None
            shown = {"tools": [str(payload.get("tool", ""))[:64]], "outcome": bool(ok)}
        return Recalled(
            id=event.seq,
            owner=self._owners.of_row(event.caller),
            kind=event.type,
            text="",
            shown={
                "ts": event.created_at[:19],
                "event_type": event.type,
                "payload": shown,
            },
        )


def _payload(row: MemoryRow) -> dict[str, Json]:
    """Return what is shown of a turn (SPEC K-16)."""
    return {
        "question": row.text[:MAX_SHOWN],
        "reply": row.answer[:MAX_SHOWN],
        "tools": list(row.tools),
    }
