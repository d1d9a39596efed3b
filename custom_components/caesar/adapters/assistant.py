"""One agent of the house: from a person's words to a report of the turn."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

from homeassistant.core import Context

from ..brain.chain import Link, link_of
from ..brain.checkpoint import Answers, Checkpoint
from ..brain.loop import Brain, Finish, LoopEvent, TurnResult
from ..brain.provider import Provider, SystemBlock, TextDelta
from ..brain.reply import show
from ..brain.session import Remembered, SessionKey, exchange_of
from ..brain.speech import spoken
from ..policy.caller import Caller
from ..turn import ToolScope, Turn
from .agent_house import AgentSettings, House
from .asking import Answered, AnswerHeard, Said
from .callers import async_build_caller
from .ending import async_record, async_report
from .guards import settings_of, stricter
from .no_tools import NoTools
from .report import TurnReport
from .system_prompt import system_blocks
from .turns import OtherAgent, new_turn, session_key

# What the memory holds in the place of an answer to a question of CAESAR's.
ANSWERED: Final = "(CAESAR's question was answered.)"


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

    @property
    def brains(self) -> tuple[str, ...]:
        """Return who thinks for this agent, in the order in which they are asked."""
        return tuple(provider.name for provider in self._providers)

    @property
    def models(self) -> tuple[Link, ...]:
        """Return those of its brains that are counted, in their order."""
        links = map(link_of, self._providers)
        return tuple(link for link in links if not link.traits.local)

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
            house.memory.close_question(key)
            async for answer in self._after_answer(heard, turn):
                yield answer
            return
        before = await self._recall(turn, key, follows=follows)
        brain = self._brain(self._only(direct), context)
        events = self._begun(brain, turn, text, before, extra_instructions)
        kept = None if direct else text
        async for event in self._told(events, turn, kept, before.mark):
            self._note_said(event, key.text)
            yield event

    async def async_run_later(self, text: str, turn: Turn) -> TurnReport:
        """Run a whole turn whose words were said earlier, and return its report.

        They answer no question: what was planned must never be somebody's yes.
        """
        house, key = self._house, session_key(turn.caller)
        house.asking.said(key.text)
        # Nobody knows what "it" will be by then.
        before = await self._recall(turn, key, follows=False)
        events = self._begun(self._brain(self._providers), turn, text, before)
        return await _report_of(self._told(events, turn, text, before.mark))

    def _begun(
        self,
        brain: Brain,
        turn: Turn,
        text: str,
        before: Remembered,
        extra_instructions: str | None = None,
    ) -> AsyncIterator[LoopEvent]:
        """Return the events of a turn that goes on from what is remembered."""
        return brain.run(
            turn,
            text,
            history=before.messages,
            system=self._system(turn.caller, extra_instructions, text, before),
        )

    async def _recall(
        self, turn: Turn, key: SessionKey, *, follows: bool
    ) -> Remembered:
        """Return the conversation so far; the turn knows its taint, and what "it" is.

        Not the latter if it doesn't follow on the turn that CAESAR remembers.
        """
        before = await self._house.memory.recall(key)
        turn.carried = before.taint
        if before.last is not None and self.models:
            turn.words_only = not before.last.last_calls
        if follows:
            turn.last = before.meant
            turn.question = before.question
        return before

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
            spoken=spoken(heard.text),
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
                checkpoint,
                turn,
                answers,
                system=self._system(turn.caller, None, checkpoint.asked),
            ),
            turn,
            # The words it began with are in the memory already, with the question.
            None if direct else ANSWERED,
            self._house.memory.mark,
        ):
            yield event

    async def _told(
        self,
        events: AsyncIterator[LoopEvent],
        turn: Turn,
        text: str | None,
        mark: int | None = None,
    ) -> AsyncIterator[LoopEvent | TurnReport]:
        """Pass a turn's events on; remember, record and report how it ended.

        A turn without text (a direct call) is no part of a conversation; nor is one
        whose conversation was forgotten after `mark`.
        """
        started = self._house.clock()
        async for event in events:
            yield event
            if isinstance(event, TurnResult):
                yield await self._ended(turn, text, event, started, mark)

    async def async_give_up(self, turn: Turn, finish: Finish) -> TurnReport:
        """End a parked turn that can't go on; its conversation hears of that too."""
        result = TurnResult(text="", finish=finish)
        return await self._ended(turn, ANSWERED, result, self._house.clock())

    async def _ended(
        self,
        turn: Turn,
        text: str | None,
        result: TurnResult,
        started: float,
        mark: int | None = None,
    ) -> TurnReport:
        house, keeping = self._house, None
        report = await async_report(house, turn, text or "", result)
        if text is not None:
            keeping = house.memory.add(
                session_key(turn.caller),
                exchange_of(turn, text, report.shown, result.outcomes, result.question),
                turn.caller,
                mark=mark,
            )
        seconds = house.clock() - started
        await house.endings.write(async_record(house, turn, result, seconds, keeping))
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
        return await _report_of(
            self.async_run(
                text,
                context,
                language=language,
                conversation_id=conversation_id,
                device_id=device_id,
                tools=tools,
                trusted=trusted,
                direct=direct,
                other=other,
            )
        )

    def _system(
        self,
        caller: Caller,
        extra_instructions: str | None,
        text: str,
        before: Remembered | None = None,
    ) -> tuple[SystemBlock, ...]:
        if all(provider.traits.local for provider in self._providers):
            return ()
        return system_blocks(
            self._house,
            self.settings,
            caller,
            extra_instructions,
            text=text,
            lately=before.last.touched if before and before.last else (),
        )

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


async def _report_of(
    events: AsyncIterator[LoopEvent | AnswerHeard | TurnReport],
) -> TurnReport:
    """Run a turn to its end and return its report."""
    report: TurnReport | None = None
    async for event in events:
        if isinstance(event, TurnReport):
            report = event
    assert report is not None  # a turn always ends in words
    return report
