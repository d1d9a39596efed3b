"""What is remembered, as those see it who forget it or find it again."""

from dataclasses import dataclass

from ..audit.memory import KeptTurn
from ..brain.session import Exchange, SessionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What to forget: one conversation, all of a user; everything if neither is given."""

    session: SessionKey | None = None
    user_id: str | None = None

    @property
    def name(self) -> str:
        """Return `session`, `user` or `all`."""
        if self.session is not None:
            return "session"
        return "all" if self.user_id is None else "user"

    def covers(self, key: SessionKey) -> bool:
        """Return whether that conversation is meant."""
        if self.session is not None:
            return key == self.session
        return self.user_id is None or key.user_id == self.user_id


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRow:
    """A remembered turn, opened; `session` is the keyed hash of whose it is.

    `kept_at` is in seconds since 1970.
    """

    id: int
    user_id: str | None
    session: str
    kept_at: float
    text: str
    answer: str
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """What has become of the rows: ids that came, ids that went, or that all went."""

    added: tuple[int, ...] = ()
    erased: tuple[int, ...] = ()
    all_erased: bool = False


def memory_row(kept: KeptTurn, exchange: Exchange) -> MemoryRow:
    """Return an opened row."""
    return MemoryRow(
        id=kept.id,
        user_id=kept.user_id,
        session=kept.session,
        kept_at=kept.kept_at,
        text=exchange.text,
        answer=exchange.answer,
        tools=exchange.tools,
    )
