"""What a conversation remembers: the last turns of one agent, channel and user. Pure.

Where the turns are kept is not known here; see `adapters/memory.py`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ..legion.canonical import Json
from ..policy.caller import Origin
from ..turn import PastCall, Taint, ToolOutcome, Turn
from .provider import AssistantMessage, Message, UserMessage

DEFAULT_WINDOW: Final = 50
MAX_TEXT_BYTES: Final = 48 * 1024
MAX_TOUCHED: Final = 100
MEANT_S: Final = 300
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
    turns before. `vouched` says that the text is a person's own words. `last_calls`
    are the turn's calls in their order, of their arguments only the levels; `at` is
    when it was kept, in seconds since 1970. `question` is what the answer asked back,
    in the form of the brain that asked.
    """

    text: str
    answer: str
    taint: frozenset[Taint] = frozenset()
    carried: frozenset[Taint] = frozenset()
    vouched: bool = True
    last_calls: tuple[PastCall, ...] = ()
    at: float = 0
    question: Mapping[str, Json] | None = None

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

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the names of the tools that were used, each once."""
        return tuple(dict.fromkeys(call.tool for call in self.last_calls))

    @property
    def touched(self) -> tuple[str, ...]:
        """Return the entities that the turn acted on or asked about, each once."""
        return tuple(
            dict.fromkeys(each for call in self.last_calls for each in call.target)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What a turn knows of its conversation: what a model is shown, and its taint.

    `last` is the turn before this one, whole; `meant` what of it a person may mean by
    "it", `question` what it asked, if this turn may answer that. `mark` is the moment at which this was so: what is forgotten later, this turn
    must not bring back.
    """

    messages: tuple[Message, ...] = ()
    taint: frozenset[Taint] = frozenset()
    last: Exchange | None = None
    meant: tuple[PastCall, ...] = ()
    question: Mapping[str, Json] | None = None
    mark: int = 0


def exchange_of(
    turn: Turn,
    text: str,
    answer: str,
    outcomes: Iterable[ToolOutcome],
    question: Mapping[str, Json] | None = None,
) -> Exchange:
    """Return a turn that has ended as the conversation remembers it.

    What its calls read is its own taint, for the built-in brain's answers too: a
    model may read them later. Where nobody was there, nobody was asked.
    """
    outcomes = tuple(outcomes)
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
        last_calls=tuple(
            PastCall(
                tool=outcome.tool,
                target=outcome.target[:MAX_TOUCHED],
                done=outcome.executed and outcome.error is None,
                data=outcome.given,
            )
            for outcome in outcomes
        ),
        question=None if turn.planned else question,
    )


def meant(last: Exchange | None, now: float) -> tuple[PastCall, ...]:
    """Return the calls that a person may mean by "it", at `now` (seconds since 1970).

    Those of the last turn that were carried out, for five minutes. None of a turn that
    had text from outside in front of it: that may have chosen what was touched, and a
    person's "open it" must not become its word.
    """
    if last is None or not _stands(last, now):
        return ()
    return tuple(call for call in last.last_calls if call.done and call.target)


def _stands(last: Exchange, now: float) -> bool:
    """Return whether what a person says now may go on from this turn."""
    tainted = not last.vouched or Taint.UNTRUSTED in last.taint | last.carried
    return 0 <= now - last.at <= MEANT_S and not tainted


def remembered(
    exchanges: Sequence[Exchange], mark: int = 0, now: float = 0
) -> Remembered:
    """Return what the next turn is shown of these: whole turns, the newest 48 KiB.

    A tainted turn is shown to a model once more, whole, and as a placeholder from the
    second turn after it on (DESIGN 6): so taint ends, and the lights need no approval
    for ever. What a person said themselves stays.
    """
    shown = [*_shown(exchanges)]
    last = exchanges[-1] if exchanges else None
    return Remembered(
        messages=tuple(
            message
            for exchange, _ in reversed(shown)
            for message in (
                UserMessage(text=exchange.text),
                AssistantMessage(text=exchange.answer),
            )
        ),
        taint=frozenset[Taint]().union(*(taint for _, taint in shown)),
        last=last,
        meant=meant(last, now),
        question=last.question if last and _stands(last, now) else None,
        mark=mark,
    )


def _shown(
    exchanges: Sequence[Exchange],
) -> Iterator[tuple[Exchange, frozenset[Taint]]]:
    """Yield what is shown of each turn and the taint of that, newest first."""
    room = MAX_TEXT_BYTES
    newest = True
    for exchange in reversed(exchanges):
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
