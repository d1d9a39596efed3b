"""What a conversation remembers: the last turns of one agent, channel and user."""

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Final

from .provider import AssistantMessage, Message, UserMessage

MAX_SESSIONS: Final = 200
MAX_TEXT_BYTES: Final = 48 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    """Whose conversation it is; different keys never see each other (SPEC F-1)."""

    agent_id: str
    channel: str
    user_id: str | None

    @property
    def text(self) -> str:
        """Return the key as one text, for approvals and limits."""
        return f"{self.agent_id}|{self.channel}|{self.user_id or '-'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What was said and what was answered."""

    text: str
    answer: str


class Sessions:
    """The conversations of this run, oldest forgotten first."""

    def __init__(self, context_window: int = 50) -> None:
        """Keep at most `context_window` turns of each conversation."""
        self._window = max(context_window, 1)
        self._sessions: OrderedDict[SessionKey, deque[Exchange]] = OrderedDict()

    def history(self, key: SessionKey) -> tuple[Message, ...]:
        """Return the conversation so far, whole turns only, newest 48 KiB."""
        kept: list[Exchange] = []
        room = MAX_TEXT_BYTES
        for exchange in reversed(self._sessions.get(key, ())):
            room -= len(exchange.text.encode()) + len(exchange.answer.encode())
            if room < 0:
                break
            kept.append(exchange)
        return tuple(
            message
            for exchange in reversed(kept)
            for message in (
                UserMessage(text=exchange.text),
                AssistantMessage(text=exchange.answer),
            )
        )

    def add(self, key: SessionKey, exchange: Exchange) -> None:
        """Remember a turn."""
        turns = self._sessions.setdefault(key, deque(maxlen=self._window))
        self._sessions.move_to_end(key)
        turns.append(exchange)
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
