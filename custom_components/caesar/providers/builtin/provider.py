"""The built-in brain: no model, no key, no network.

Understands everyday sentences with Home Assistant's own recogniser, a few of CAESAR's
own and those of tools, and turns them into the tool calls that a model would make; the gate
judges these like any other. Acts on nothing itself and calls no intent handler.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final, override

from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar

from ...brain.provider import (
    Completed,
    CompletionRequest,
    Message,
    Provider,
    ProviderEvent,
    ProviderTraits,
    StopReason,
    TextDelta,
    ToolResultMessage,
    UserMessage,
    VendorBlock,
)
from ...legion.spec import ToolSpec
from ...policy.caller import Caller, Origin
from ...turn import PastCall, ToolOutcome, ToolRequest, Turn
from ...wording import async_wording
from .answers import answer
from .choosing import choose, in_room, timer_sentence
from .follow import follow_requests
from .heard import Heard
from .match import Ask, CalendarTool, which
from .open_question import HOW_LONG, WHICH_ROOM, OpenQuestion
from .plan import Job, Kind, Plan, Request, say
from .recognise import Recogniser
from .sentences import without_fillers
from .speaker import Speaker
from .timers import COMMAND, PLAN_COMMAND, START_TIMER, is_never_mind
from .tool_answers import clean
from .tool_sentences import ToolHeard, ToolSentences
from .understand import understand
from .unknown import examples, unknown_text
from .why import is_about_the_last

NAME: Final = "builtin"
CALENDAR_READ: Final = "calendar_read"
# Recognising takes the longer, the longer a text is; nobody says that much at once.
MAX_HEARD: Final = 500
MAX_TITLE: Final = 60


class BuiltinProvider(Provider):
    """Implements the brain's Provider on top of Home Assistant's recogniser."""

    def __init__(
        self,
        hass: HomeAssistant,
        tools: Callable[[], Iterable[ToolSpec]] = tuple,
        may_grant: Callable[[str], bool] = lambda _tool: False,
        *,
        enrolled: Callable[[], Iterable[ToolSpec]] | None = None,
        is_tool: Callable[[str], bool] = lambda _name: False,
    ) -> None:
        """Understand sentences about this house, and those of `tools`.

        `tools` returns those that can be called now beside CAESAR's own, `may_grant`
        whether the policy lists one for anybody. `enrolled` returns those that are away
        too: who asks for one is told that, and not that nothing was understood.
        `is_tool` tells whether the house itself has a tool of a name.
        """
        self._hass = hass
        self._recogniser = Recogniser(hass)
        self._tools = tools
        self._enrolled = enrolled or tools
        self._may_grant = may_grant
        self._is_tool = is_tool
        self._sentences = ToolSentences()
        self._hearing = asyncio.Lock()

    @property
    @override
    def name(self) -> str:
        """Return the name that goes into the trail."""
        return NAME

    @property
    @override
    def traits(self) -> ProviderTraits:
        """Return that nothing leaves the house and nothing costs."""
        return ProviderTraits(local=True, literal=True, streaming=False)

    @override
    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Understand the last message, or answer from what came of its calls."""
        text, since = _last_question(request.messages)
        plan, outcomes = _progress(since)
        if plan is None:
            plan = await self._understood(text, request.turn)
            if plan is None:
                yield Completed(stop=StopReason.NOT_UNDERSTOOD)
                return
            plan = plan.numbered(1)
        else:
            plan, more = follow_requests(plan, outcomes)
            if not more:
                async for event in self._told(plan, outcomes, request.turn):
                    yield event
                return
        waiting = [item for item in plan.requests if item.id not in outcomes]
        if not waiting:
            async for event in self._told(plan, outcomes, request.turn):
                yield event
            return
        for item in waiting:
            yield ToolRequest(id=item.id, name=item.tool, arguments=item.arguments)
        yield VendorBlock(provider=NAME, data=plan.as_json())
        yield Completed(stop=StopReason.TOOL_USE)

    @override
    async def check(self) -> None:
        """Need nothing that could be missing."""

    @override
    async def close(self) -> None:
        """Stop listening to the registries."""
        self._recogniser.close()

    async def prepare(self, language: str) -> None:
        """Load and parse a language's sentences, so that the first turn is quick.

        Takes a second or so, most of it in the executor.
        """
        nobody = Caller(origin=Origin.AUTOMATION, agent_id="", context_id="")
        await self._recogniser.hear(NAME, language, nobody)

    async def prepare_tools(self, language: str) -> None:
        """Read the sentences of the tools that exist now, in the executor."""
        async with self._hearing:
            await self._hass.async_add_executor_job(
                self._sentences.prepare, tuple(self._enrolled()), language
            )

    async def not_understood_text(
        self, language: str, text: str = "", caller: Caller | None = None
    ) -> str:
        """Return what to say when no brain understood.

        With the text and its caller it names what is unknown ("I don't know anything
        called dishwasher"); without, it only says what can be said.
        """
        wording = await async_wording(self._hass, language)
        if _is_sentence(text) and caller:
            heard = await self._recogniser.hear_unknown(text, language, caller)
            if heard and (
                unknown := unknown_text(wording, heard, text, self._recogniser.names())
            ):
                return unknown
        return wording.text(
            "brain_not_understood", examples=examples(self._hass, wording)
        )

    async def _told(
        self, plan: Plan, outcomes: dict[str, ToolOutcome], turn: Turn
    ) -> AsyncGenerator[ProviderEvent]:
        yield TextDelta(text=await self._answer(plan, outcomes, turn))
        yield Completed(stop=StopReason.END, again=plan.asks, question=plan.question)

    async def _understood(self, text: str, turn: Turn) -> Plan | None:
        """Return the plan of a message: an answer, a follow-up or a new sentence."""
        return (
            await self._answered(text, turn)
            or await self._follow_up(text, turn)
            or await self._plan(text, turn)
        )

    async def _plan(self, text: str, turn: Turn) -> Plan | None:
        if not _is_sentence(text):
            return None
        heard = await self._recogniser.hear(text.strip(), turn.language, turn.caller)
        if turn.words_only and any(map(is_about_the_last, heard)):
            return None
        if turn.question is not None and [*map(is_never_mind, heard)] == [True]:
            return Plan(jobs=(say("brain_nevermind"),))
        plan = understand(tuple(self._ask(item, turn) for item in heard))
        if plan and not await self._understood_later(plan, turn):
            return None
        return plan or await self._plan_of_tool(text.strip(), turn)

    async def _follow_up(self, text: str, turn: Turn) -> Plan | None:
        """Return the plan of a sentence about the turn before, None if it is none."""
        if not turn.last or not _is_sentence(text):
            return None
        heard = await self._recogniser.hear_follow_up(text.strip(), turn.language)
        if heard is None:
            return None
        return understand((self._ask(heard, turn, last=turn.last),))

    async def _answered(self, text: str, turn: Turn) -> Plan | None:
        """Return the plan of what was asked about, once it is answered; else None."""
        question = OpenQuestion.from_json(turn.question or {})
        if question is None or not _is_sentence(text):
            return None
        if question.heard.intent == WHICH_ROOM:
            heard = in_room(self._hass, question.heard, text, turn.language)
            return understand((self._ask(heard, turn),)) if heard else None
        if question.heard.intent == HOW_LONG:
            return await self._timer(text, turn)
        house = self._recogniser.names()
        choice = choose(self._hass, question, text, turn.language, house)
        if choice is None:
            return None
        ask = self._ask(question.heard, turn, last=question.last)
        if choice.unclear:
            return Plan(jobs=(which(ask, choice.states),))
        only = frozenset(state.entity_id for state in choice.states)
        return understand((replace(ask, only=only),))

    async def _timer(self, text: str, turn: Turn) -> Plan | None:
        """Return the plan of a timer whose time was said on its own."""
        sentence = timer_sentence(text, turn.language)
        heard = await self._recogniser.hear(sentence, turn.language, turn.caller)
        if [each.intent for each in heard] != [START_TIMER]:
            return None
        if heard[0].string(COMMAND):
            return None
        return understand((self._ask(heard[0], turn),))

    def _ask(self, heard: Heard, turn: Turn, last: Sequence[PastCall] = ()) -> Ask:
        return Ask(
            hass=self._hass,
            heard=heard,
            caller=turn.caller,
            language=turn.language,
            calendar=self._calendar(tuple(self._tools())),
            is_tool=self._is_tool,
            last=tuple(last),
        )

    async def _understood_later(self, plan: Plan, turn: Turn) -> bool:
        """Return whether each command that is given for later is understood now."""
        for request in plan.requests:
            if request.tool == PLAN_COMMAND:
                command = str(request.arguments["command"])
                if await self._plan(command, turn) is None:
                    return False
        return True

    async def _plan_of_tool(self, text: str, turn: Turn) -> Plan | None:
        """Return the plan of a tool whose sentence was said, None if none was."""
        tools = tuple(self._enrolled())
        if not tools:
            return None
        plain = without_fillers(text, turn.language.partition("-")[0])
        async with self._hearing:
            for said in dict.fromkeys((text, plain)):
                # What a worker wrote is read and compared outside of the event loop.
                found = await self._hass.async_add_executor_job(
                    self._sentences.find, tools, said, turn.language
                )
                if found is not None:
                    return Plan(jobs=(_job_of(found),))
        return None

    def _room(self, turn: Turn) -> str | None:
        """Return the room of the satellite that was spoken to just now."""
        caller = turn.caller
        if caller.origin is not Origin.VOICE or turn.planned or not caller.area_id:
            return None
        area = ar.async_get(self._hass).async_get_area(caller.area_id)
        return area.name if area else None

    def _calendar(self, tools: tuple[ToolSpec, ...]) -> CalendarTool | None:
        if all(tool.name != CALENDAR_READ for tool in tools):
            return None
        return CalendarTool(name=CALENDAR_READ, granted=self._may_grant(CALENDAR_READ))

    async def _answer(
        self, plan: Plan, outcomes: dict[str, ToolOutcome], turn: Turn
    ) -> str:
        wording = await async_wording(self._hass, turn.language)
        speaker = Speaker(
            hass=self._hass,
            language=turn.language,
            wording=wording,
            responses=await self._recogniser.responses(turn.language),
            errors=await self._recogniser.errors(turn.language),
            admin=turn.caller.is_admin,
            room=self._room(turn),
        )
        jobs = [
            replace(job, texts={"examples": examples(self._hass, wording)})
            if job.kind is Kind.SAY and job.say == "brain_help"
            else job
            for job in plan.jobs
        ]
        return await answer(speaker, jobs, outcomes)


def _job_of(found: ToolHeard) -> Job:
    request = Request(tool=found.tool.name, arguments=found.arguments)
    texts = {"tool": clean(found.tool.title, MAX_TITLE)}
    return Job(kind=Kind.TOOL, requests=(request,), texts=texts)


def _is_sentence(text: str) -> bool:
    """Return whether a text is one that somebody could say."""
    return 0 < len(text.strip()) <= MAX_HEARD


def _last_question(messages: Sequence[Message]) -> tuple[str, Sequence[Message]]:
    """Return what was said last, and the messages that came after it."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, UserMessage):
            return message.text, messages[index + 1 :]
    return "", ()


def _progress(
    messages: Iterable[Message],
) -> tuple[Plan | None, dict[str, ToolOutcome]]:
    """Return this brain's own latest plan, and what has come of its calls."""
    plan: Plan | None = None
    outcomes: dict[str, ToolOutcome] = {}
    for message in messages:
        if isinstance(message, ToolResultMessage):
            outcomes[message.outcome.request_id] = message.outcome
        elif not isinstance(message, UserMessage):
            for block in message.vendor:
                if block.provider == NAME:
                    plan = Plan.from_json(block.data)
    return plan, outcomes
