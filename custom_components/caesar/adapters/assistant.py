"""One agent of the house: from a person's words to a report of the turn."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
import logging
from typing import Any, Final, Protocol
import uuid

from homeassistant.core import Context, HomeAssistant

from ..audit.event import AuditEvent, AuditEventType, AuditLog, AuditUnavailable
from ..brain.loop import Brain, Finish, Gate, LoopEvent, TurnResult
from ..brain.prompt import IndexEntry, Persona, build_system
from ..brain.provider import ErrorKind, Provider, SystemBlock
from ..brain.reply import show, speak
from ..brain.session import Exchange, SessionKey, Sessions
from ..legion.spec import ToolSpec
from ..policy.caller import Caller, Origin
from ..policy.decision import Policy, Verdict
from ..policy.reason import Code
from ..result import plain
from ..turn import Taint, ToolOutcome, ToolRequest, ToolScope, Turn
from .callers import OwnContexts, async_build_caller
from .home import HomeAssistantHome
from .users import Users

_LOGGER = logging.getLogger(__name__)

TURN_LIMIT_S: Final = 240.0


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
    clock: Callable[[], float]
    words: Words
    on_auth_failed: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """How a turn ended, for whoever asked.

    `shown` is rich text, `spoken` what a voice says, `calls` what was tried.
    """

    decision_id: str
    conversation_id: str
    shown: str
    spoken: str
    calls: tuple[Mapping[str, Any], ...]
    finish: Finish
    outcomes: tuple[ToolOutcome, ...]


class _NoTools:
    """The gate of a turn that CAESAR's own call has started: it opens nothing."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def offered(self, turn: Turn) -> tuple[ToolSpec, ...]:
        return ()

    def is_read(self, name: str) -> bool:
        return False

    async def dispatch(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        return await self._gate.skip(request, turn, Code.CALLER_NOT_COVERED)

    async def skip(self, request: ToolRequest, turn: Turn, code: Code) -> ToolOutcome:
        return await self._gate.skip(request, turn, code)


class Assistant:
    """Runs the turns of one agent."""

    def __init__(
        self, house: House, settings: AgentSettings, providers: Sequence[Provider]
    ) -> None:
        """Answer with these providers, in their order."""
        self._house = house
        self.settings = settings
        self._providers = tuple(providers)

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
    ) -> AsyncIterator[LoopEvent | TurnReport]:
        """Run a turn: the loop's events as they come, and the report at the end.

        `tools` may narrow what the turn can reach, never widen it; `trusted` is an
        automation's word that its text is its own.
        """
        house, started = self._house, self._house.clock()
        caller = await async_build_caller(
            house.hass,
            house.users,
            context,
            agent_id=self.settings.agent_id,
            conversation_id=conversation_id,
            device_id=device_id,
            satellite_id=satellite_id,
        )
        turn = Turn(
            decision_id=uuid.uuid4().hex,
            caller=caller,
            language=language,
            deadline=started + TURN_LIMIT_S,
            tools=tools,
        )
        key = _session_key(caller)
        turn.session = key.text
        if caller.origin is Origin.AUTOMATION and not trusted:
            turn.taint.add(Taint.UNTRUSTED)
        async for event in self._brain(context).run(
            turn,
            text,
            history=house.sessions.history(key),
            system=self._system(caller, extra_instructions),
        ):
            yield event
            if isinstance(event, TurnResult):
                report = await self._report(turn, text, event)
                house.sessions.add(key, Exchange(text=text, answer=report.shown))
                await self._record(turn, event, house.clock() - started)
                yield report

    async def async_ask(
        self,
        text: str,
        context: Context,
        *,
        language: str,
        conversation_id: str,
        tools: ToolScope = ToolScope.POLICY,
        trusted: bool = False,
    ) -> TurnReport:
        """Run a whole turn and return its report."""
        report: TurnReport | None = None
        async for event in self.async_run(
            text,
            context,
            language=language,
            conversation_id=conversation_id,
            tools=tools,
            trusted=trusted,
        ):
            if isinstance(event, TurnReport):
                report = event
        assert report is not None  # a turn always ends in words
        return report

    def _brain(self, context: Context) -> Brain:
        house = self._house
        return Brain(
            gate=_NoTools(house.gate) if house.contexts.holds(context) else house.gate,
            providers=self._providers,
            clock=house.clock,
            max_iterations=self.settings.max_iterations,
            max_tokens=self.settings.max_tokens,
        )

    async def _report(self, turn: Turn, asked: str, result: TurnResult) -> TurnReport:
        if result.error is ErrorKind.AUTH:
            self._house.on_auth_failed()
        text = str(plain(result.text))
        if not text or result.finish in (Finish.PROVIDER_ERROR, Finish.TIMEOUT):
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


def call_json(outcome: ToolOutcome) -> dict[str, Any]:
    """Return a call as `caesar.ask` answers it."""
    decision = outcome.decision
    allowed = decision is not None and decision.verdict is Verdict.ALLOW
    code = Code.ALLOWED
    if outcome.error is not None:
        code = outcome.error.code
    elif decision is not None:
        code = decision.reason.code
    result = "none"
    if allowed:
        result = "ok" if outcome.error is None else "error"
    rule = decision.policy.rule if decision else None
    return {
        "tool": outcome.tool,
        "target": list(outcome.target),
        "verdict": decision.verdict.value if decision else Verdict.DENY.value,
        "code": code.value,
        "rule": rule.name if rule else None,
        "outcome": result,
    }


def _session_key(caller: Caller) -> SessionKey:
    channel = f"conv:{caller.conversation_id}"
    if caller.origin is Origin.VOICE:
        channel = f"device:{caller.device_id or caller.satellite_id}"
    return SessionKey(agent_id=caller.agent_id, channel=channel, user_id=caller.user_id)
