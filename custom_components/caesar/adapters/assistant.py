"""One agent of the house: from a person's words to a report of the turn."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
import logging
from typing import Final, Protocol

from homeassistant.core import Context, HomeAssistant

from ..audit.event import AuditEvent, AuditEventType, AuditLog, AuditUnavailable
from ..brain.checkpoint import Answers, Checkpoint, Keeper, NoKeeper
from ..brain.loop import Brain, Finish, Gate, LoopEvent, TurnResult
from ..brain.meter import Meter, Unmetered
from ..brain.prompt import IndexEntry, Persona, build_system
from ..brain.provider import ErrorKind, Provider, SystemBlock, TextDelta
from ..brain.reply import show, speak
from ..brain.session import Sessions, exchange_of
from ..policy.caller import Caller
from ..policy.decision import Policy
from ..result import plain
from ..turn import ToolScope, Turn
from .asking import Answered, AnswerHeard, Asking, Said
from .callers import OwnContexts, async_build_caller
from .guards import settings_of, stricter
from .home import HomeAssistantHome
from .no_tools import NoTools
from .report import TurnReport, call_json
from .turns import OtherAgent, new_turn, session_key
from .users import Users

_LOGGER = logging.getLogger(__name__)

# What was said before is not all that there is to say.
_CUT_SHORT: Final = (Finish.PROVIDER_ERROR, Finish.TIMEOUT, Finish.QUOTA)
# What the memory holds in the place of an answer to a question of CAESAR's.
ANSWERED: Final = "(CAESAR's question was answered.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """What a person set for an agent; `agent_id` is its subentry's id."""

    agent_id: str
    title: str
    persona: Persona
    instructions: str
    max_iterations: int
    max_tokens: int


class Words(Protocol):
    """The edge's own sentences, for turns that end without text."""

    async def for_result(self, turn: Turn, text: str, result: TurnResult) -> str:
        """Return a sentence for how the turn ended that began with `text`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What every agent of the house shares; the clock is in seconds."""

    hass: HomeAssistant
    home: HomeAssistantHome
    users: Users
    contexts: OwnContexts
    gate: Gate
    policy: Callable[[], Policy]
    audit: AuditLog
    sessions: Sessions
    heard: Callable[[Caller], None]
    clock: Callable[[], float]
    words: Words
    on_auth_failed: Callable[[], None]
    asking: Asking
    keeper: Keeper = field(default_factory=NoKeeper)
    meter: Meter = field(default_factory=Unmetered)


class Assistant:
    """Runs the turns of one agent."""

    def __init__(
        self,
        house: House,
        settings: AgentSettings,
        providers: Sequence[Provider],
        direct: Provider | None = None,
    ) -> None:
        """Answer with these providers, in their order.

        `direct` makes single calls (`caesar.call_tool`); such turns are not remembered.
        """
        self._house = house
        self.settings = settings
        self._providers = tuple(providers)
        self._direct = direct

    async def async_run(
        self,
        text: str,
        context: Context,
        *,
        language: str,
        conversation_id: str,
        device_id: str | None = None,
        satellite_id: str | None = None,
        extra_instructions: str | None = None,
        tools: ToolScope = ToolScope.POLICY,
        trusted: bool = False,
        direct: bool = False,
        follows: bool = True,
        other: OtherAgent | None = None,
    ) -> AsyncIterator[LoopEvent | AnswerHeard | TurnReport]:
        """Run a turn: the loop's events as they come, its report last.

        `tools` may narrow what the turn can reach, never widen it; `trusted` is an
        automation's word that its text is its own; `direct` that it is one call, for
        the provider of these, which `other` makes if it is another agent. `follows` is
        False if another agent had the last word in that conversation.
        """
        house = self._house
        caller = await async_build_caller(
            house.hass,
            house.users,
            context,
            agent_id=self.settings.agent_id,
            conversation_id=conversation_id,
            device_id=device_id,
            satellite_id=satellite_id,
            by_agent=other is not None,
        )
        turn = self._new_turn(caller, language, tools, trusted=trusted, other=other)
        key = session_key(caller)
        if not follows:
            house.asking.said(key.text)
        heard = await house.asking.hear(
            text, caller, context, session=key.text, language=language
        )
        if heard is not None:
            async for answer in self._after_answer(heard, turn):
                yield answer
            return
        # At one moment with the history, which it belongs to.
        turn.carried = house.sessions.taint(key)
        async for event in self._told(
            self._brain(self._only(direct), context).run(
                turn,
                text,
                history=house.sessions.history(key),
                system=self._system(caller, extra_instructions),
            ),
            turn,
            None if direct else text,
        ):
            self._note_said(event, key.text)
            yield event

    def _new_turn(
        self,
        caller: Caller,
        language: str,
        tools: ToolScope,
        *,
        trusted: bool,
        other: OtherAgent | None,
    ) -> Turn:
        """Return a turn that begins now; whoever counts turns hears of its caller."""
        house = self._house
        house.heard(caller)
        return new_turn(
            caller, language, house.clock(), tools, trusted=trusted, other=other
        )

    async def _after_answer(
        self, heard: Answered | Said, turn: Turn
    ) -> AsyncIterator[LoopEvent | AnswerHeard | TurnReport]:
        """Go on with the turn that an answer was for, or say what is said to it.

        The answering message goes no further than this: to no provider, no memory.
        """
        asking = self._house.asking
        yield AnswerHeard(cover=await asking.cover(turn.language))
        if isinstance(heard, Answered):
            ended = False
            async for event in asking.resume(heard.pending.id):
                ended = ended or isinstance(event, TurnReport)
                self._note_said(event, turn.session)
                yield event
            if ended:
                return
            heard = Said(text=await asking.noted(heard))
        yield TurnReport(
            decision_id=turn.decision_id,
            conversation_id=turn.caller.conversation_id or "",
            shown=show(heard.text),
            spoken=speak(heard.text),
            calls=(),
            finish=Finish.TEXT,
            outcomes=(),
            again=heard.again,
        )

    def _note_said(self, event: LoopEvent | TurnReport, session: str) -> None:
        """Tell what is the last word in a conversation now: a question, or not.

        Turns of one conversation may overlap. A yes must never count for a question
        after which a model has said something.
        """
        asking = self._house.asking
        if isinstance(event, TurnReport) and event.parked is not None:
            asking.asked(event.parked)
        elif isinstance(event, TurnReport | TextDelta):
            asking.said(session)

    async def async_resume(
        self, checkpoint: Checkpoint, turn: Turn, answers: Answers
    ) -> AsyncIterator[LoopEvent | TurnReport]:
        """Go on with a turn that was parked: its events, and the report at the end."""
        direct = self._direct is not None and checkpoint.provider == self._direct.name
        async for event in self._told(
            self._brain(self._only(direct)).resume(
                checkpoint, turn, answers, system=self._system(turn.caller, None)
            ),
            turn,
            # The words it began with are in the memory already, with the question.
            None if direct else ANSWERED,
        ):
            yield event

    async def _told(
        self, events: AsyncIterator[LoopEvent], turn: Turn, text: str | None
    ) -> AsyncIterator[LoopEvent | TurnReport]:
        """Pass a turn's events on; remember, record and report how it ended.

        A turn without text (a direct call) is no part of a conversation.
        """
        started = self._house.clock()
        async for event in events:
            yield event
            if isinstance(event, TurnResult):
                yield await self._ended(turn, text, event, started)

    async def async_give_up(self, turn: Turn, finish: Finish) -> TurnReport:
        """End a parked turn that can't go on; its conversation hears of that too."""
        result = TurnResult(text="", finish=finish)
        return await self._ended(turn, ANSWERED, result, self._house.clock())

    async def _ended(
        self, turn: Turn, text: str | None, result: TurnResult, started: float
    ) -> TurnReport:
        house, report = self._house, await self.async_report(turn, text or "", result)
        if text is not None:
            exchange = exchange_of(turn, text, report.shown, result.outcomes)
            house.sessions.add(session_key(turn.caller), exchange)
        await self._record(turn, result, house.clock() - started)
        return report

    async def async_ask(
        self,
        text: str,
        context: Context,
        *,
        language: str,
        conversation_id: str,
        device_id: str | None = None,
        tools: ToolScope = ToolScope.POLICY,
        trusted: bool = False,
        direct: bool = False,
        other: OtherAgent | None = None,
    ) -> TurnReport:
        """Run a whole turn and return its report."""
        report: TurnReport | None = None
        async for event in self.async_run(
            text,
            context,
            language=language,
            conversation_id=conversation_id,
            device_id=device_id,
            tools=tools,
            trusted=trusted,
            direct=direct,
            other=other,
        ):
            if isinstance(event, TurnReport):
                report = event
        assert report is not None  # a turn always ends in words
        return report

    def _only(self, direct: bool) -> tuple[Provider, ...]:
        if not direct:
            return self._providers
        assert self._direct is not None  # whoever builds agents gives them one
        return (self._direct,)

    def _brain(
        self, providers: Sequence[Provider], context: Context | None = None
    ) -> Brain:
        house = self._house
        own = context is not None and house.contexts.holds(context)
        mine = self.settings.max_iterations
        return Brain(
            gate=NoTools(house.gate) if own else house.gate,
            providers=providers,
            clock=house.clock,
            max_iterations=stricter(mine, settings_of(house.policy()).max_iterations)
            or mine,
            max_tokens=self.settings.max_tokens,
            keeper=house.keeper,
            meter=house.meter,
        )

    async def async_report(
        self, turn: Turn, asked: str, result: TurnResult
    ) -> TurnReport:
        """Return how a turn ended that began with `asked`, in words."""
        if result.error is ErrorKind.AUTH:
            self._house.on_auth_failed()
        text = str(plain(result.text))
        question = None
        if result.parked is not None:
            question = await self._house.asking.question(result.parked)
        if question is not None:
            text = question.text
        elif not text or result.finish in _CUT_SHORT:
            words = await self._house.words.for_result(turn, asked, result)
            text = f"{text}\n\n{words}".strip()
        return TurnReport(
            decision_id=turn.decision_id,
            conversation_id=turn.caller.conversation_id or "",
            shown=show(text),
            spoken=speak(text),
            calls=tuple(call_json(outcome) for outcome in result.outcomes),
            finish=result.finish,
            outcomes=result.outcomes,
            parked=result.parked,
            expires_at=question.expires_at if question else None,
            again=question is not None and question.again,
        )

    def _system(
        self, caller: Caller, extra_instructions: str | None
    ) -> tuple[SystemBlock, ...]:
        if all(provider.traits.local for provider in self._providers):
            return ()
        house, settings = self._house, self.settings
        index = [
            IndexEntry(
                entity_id=facts.entity_id,
                name=facts.name,
                area=house.home.area_name(facts.area_id),
            )
            for facts in house.home.exposed()
            if caller.user_id is None
            or house.users.may_read(caller.user_id, facts.entity_id)
        ]
        blocks = build_system(
            settings.persona,
            settings.instructions,
            house.hass.config.location_name,
            index,
        )
        if extra_instructions:
            blocks = (*blocks, SystemBlock(text=extra_instructions, stable=False))
        return blocks

    async def _record(self, turn: Turn, result: TurnResult, seconds: float) -> None:
        """Write the turn's summary: counts, never words."""
        event = AuditEvent(
            type=AuditEventType.CHAT_COMPLETED,
            decision_id=turn.decision_id,
            caller=turn.caller,
            policy_rev=self._house.policy().revision,
            payload={
                "provider": result.provider,
                "model": result.model,
                "input_tokens": result.usage.input_tokens,
                "output_tokens": result.usage.output_tokens,
                "cache_read_tokens": result.usage.cache_read_tokens,
                "cache_write_tokens": result.usage.cache_write_tokens,
                "iterations": result.iterations,
                "tools": [outcome.tool for outcome in result.outcomes],
                "duration_ms": round(seconds * 1000),
                "finish": result.finish.value,
                "error": result.error.value if result.error else None,
            },
        )
        try:
            await self._house.audit.record(event)
        except AuditUnavailable:
            _LOGGER.warning("The summary of a turn could not be written to the trail")
