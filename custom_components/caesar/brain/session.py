"""What a conversation remembers: the last turns of one agent, channel and user."""

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from ..policy.caller import Origin
from ..turn import Taint, ToolOutcome, Turn
from .provider import AssistantMessage, Message, UserMessage

MAX_SESSIONS: Final = 200
DEFAULT_WINDOW: Final = 50
MAX_TEXT_BYTES: Final = 48 * 1024
NOT_SHOWN: Final = (
    "(Not shown any more: this turn held text from outside or private data.)"
)


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
    """What was said and what was answered.

    `taint` is what this turn itself took in: results that it read, its own text if
    nobody vouches for that. `carried` is what its model had in front of it from the
    turns before. `vouched` says that the text is a person's own words.
    """

    text: str
    answer: str
    taint: frozenset[Taint] = frozenset()
    carried: frozenset[Taint] = frozenset()
    vouched: bool = True

    @property
    def tainted(self) -> bool:
        """Return whether anything in the answer may come from such text."""
        return bool(self.taint or self.carried)

    @property
    def lasts(self) -> bool:
        """Return whether the next turn may see all of it, if at the price of its taint.

        Not if it only repeats what earlier turns took in: a conversation would hand
        its taint on from answer to answer and never be rid of it.
        """
        return self.carried <= self.taint


def exchange_of(
    turn: Turn, text: str, answer: str, outcomes: Iterable[ToolOutcome]
) -> Exchange:
    """Return a turn that has ended as the conversation remembers it.

    What its calls read is its own taint, for the built-in brain's answers too: a
    model may read them later.
    """
    read = frozenset[Taint]().union(*(outcome.taint for outcome in outcomes))
    # A trusted automation may have read such text: then its words go with it as well.
    automation = turn.caller.origin is Origin.AUTOMATION
    vouched = not automation or Taint.UNTRUSTED not in turn.taint
    own = read if vouched else read | {Taint.UNTRUSTED}
    return Exchange(
        text=text,
        answer=answer,
        taint=own,
        carried=frozenset(turn.taint) - own,
        vouched=vouched,
    )


class Sessions:
    """The conversations of this run, oldest forgotten first.

    A tainted turn is shown to a model once more, whole, and as a placeholder from the
    second turn after it on (DESIGN 6): so taint ends, and the lights need no approval
    for ever. What a person said themselves stays.
    """

    def __init__(self, window: Callable[[], int | None] = lambda: None) -> None:
        """Keep at most `window` turns of each conversation; None means 50."""
        self._window = window
        self._sessions: OrderedDict[SessionKey, deque[Exchange]] = OrderedDict()

    def history(self, key: SessionKey) -> tuple[Message, ...]:
        """Return the conversation so far, whole turns only, newest 48 KiB."""
        return tuple(
            message
            for exchange, _ in reversed([*self._shown(key)])
            for message in (
                UserMessage(text=exchange.text),
                AssistantMessage(text=exchange.answer),
            )
        )

    def taint(self, key: SessionKey) -> frozenset[Taint]:
        """Return the taint of what `history` returns now."""
        return frozenset[Taint]().union(*(taint for _, taint in self._shown(key)))

    def add(self, key: SessionKey, exchange: Exchange) -> None:
        """Remember a turn."""
        turns = self._sessions.setdefault(key, deque())
        self._sessions.move_to_end(key)
        turns.append(exchange)
        while len(turns) > (self._window() or DEFAULT_WINDOW):
            turns.popleft()
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)

    def _shown(self, key: SessionKey) -> Iterator[tuple[Exchange, frozenset[Taint]]]:
        """Yield what is shown of each turn and the taint of that, newest first."""
        room = MAX_TEXT_BYTES
        newest = True
        for exchange in reversed(self._sessions.get(key, ())):
            whole = not exchange.tainted or (newest and exchange.lasts)
            shown = exchange if whole else _without_answer(exchange)
            room -= len(shown.text.encode()) + len(shown.answer.encode())
            if room < 0:
                return
            yield shown, exchange.taint if whole else frozenset()
            newest = False


def _without_answer(exchange: Exchange) -> Exchange:
    """Return a tainted turn as a placeholder; a person's own words stay."""
    return Exchange(
        text=exchange.text if exchange.vouched else NOT_SHOWN, answer=NOT_SHOWN
    )
