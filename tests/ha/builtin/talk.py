"""Talks to the built-in brain through the real gate, in the real demo house.

Only the trail, the people who see messages and the clock are fakes.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from homeassistant.core import HomeAssistant

from custom_components.caesar.adapters.callers import OwnContexts
from custom_components.caesar.adapters.home import HomeAssistantHome
from custom_components.caesar.adapters.reads import ReadExecutor, read_tools
from custom_components.caesar.adapters.service_calls import ServiceExecutor
from custom_components.caesar.adapters.toolbox import HouseToolbox
from custom_components.caesar.adapters.users import Users
from custom_components.caesar.brain.provider import (
    AssistantMessage,
    Completed,
    CompletionRequest,
    Message,
    StopReason,
    TextDelta,
    ToolResultMessage,
    UserMessage,
    VendorBlock,
)
from custom_components.caesar.gate import GateParts, ToolGate
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import Policy
from custom_components.caesar.policy.home import NoConditions
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.providers.builtin import BuiltinProvider
from custom_components.caesar.sentinel.capability import CapabilityGuard
from custom_components.caesar.sentinel.nobody import NobodyToAsk
from custom_components.caesar.sentinel.scope import ScopeGuard
from custom_components.caesar.sentinel.sentinel import Sentinel
from custom_components.caesar.turn import (
    PastCall,
    ToolOutcome,
    ToolRequest,
    ToolScope,
    Turn,
)
from tests.fakes.parts import FakeActivity, FakeTrail
from tests.fakes.tools import FakeTools, WorkerTools


@dataclass(slots=True, kw_only=True)
class Round:
    """One round of the provider."""

    text: str = ""
    requests: list[ToolRequest] = field(default_factory=list)
    vendor: list[VendorBlock] = field(default_factory=list)
    stop: StopReason | None = None
    again: bool = False
    question: Mapping[str, Json] | None = None


@dataclass(slots=True, kw_only=True)
class Conversation:
    """A whole turn: what was asked for, what came of it, what was said.

    `again` and `question` as a `Completed` has them.
    """

    text: str
    stop: StopReason
    requests: list[ToolRequest]
    outcomes: list[ToolOutcome]
    again: bool = False
    question: Mapping[str, Json] | None = None

    def calls(self) -> list[tuple[Any, ...]]:
        """Return the calls in the short form of the tables."""
        return [short(request) for request in self.requests]


def short(request: ToolRequest) -> tuple[Any, ...]:
    """Return ("light.turn_on", [ids], {data}) for a service, else (tool, {input})."""
    arguments = dict(request.arguments or {})
    if request.name != "call_service":
        return (request.name, arguments)
    target = arguments["target"]
    assert isinstance(target, dict)
    name = f"{arguments['domain']}.{arguments['service']}"
    if data := arguments["data"]:
        return (name, target["entity_id"], data)
    return (name, target["entity_id"])


class Talk:
    """A person in the house who says something."""

    def __init__(self, hass: HomeAssistant, policy_text: str) -> None:
        """Use `async_start` before talking."""
        self.hass = hass
        self.tools = FakeTools()
        self.provider = BuiltinProvider(hass, self._tools, self._grantable)
        self.policy: Policy = load_policy(policy_text)
        self.trail = FakeTrail()
        self.last: tuple[PastCall, ...] = ()
        self.question: Mapping[str, Json] | None = None
        self.home = HomeAssistantHome(hass)
        self.users = Users(hass)
        numbers = iter(range(1, 100_000))
        self.gate = ToolGate(
            GateParts(
                toolbox=self._toolbox(),
                policy=lambda: self.policy,
                home=self.home,
                conditions=NoConditions(),
                sentinel=Sentinel(
                    [
                        CapabilityGuard(self.home, self.users),
                        ScopeGuard(lambda: ToolScope.READ),
                    ]
                ),
                approver=NobodyToAsk(),
                audit=self.trail,
                activity=FakeActivity(),
                spawn=self._spawn,
                clock=hass.loop.time,
                new_context_id=lambda: f"context-{next(numbers)}",
            )
        )

    async def async_start(self) -> None:
        """Get to know users and registries."""
        await self.users.async_start()
        self.home.async_start()

    async def async_stop(self) -> None:
        """Stop listening."""
        await self.provider.close()
        self.home.async_stop()

    def turn(self, language: str, **caller: Any) -> Turn:
        """Return a turn of a person at a browser, or whoever `caller` says."""
        caller.setdefault("origin", Origin.CHAT)
        return Turn(
            decision_id="decision-1",
            caller=Caller(agent_id="agent-1", context_id="turn-context", **caller),
            language=language,
            deadline=self.hass.loop.time() + 60,
            last=self.last,
            question=self.question,
        )

    async def plan(self, text: str, language: str, **caller: Any) -> Round:
        """Return the first round only: nothing is carried out."""
        return await self._round(
            [UserMessage(text=text)], self.turn(language, **caller)
        )

    async def say(self, text: str, language: str, **caller: Any) -> Conversation:
        """Return the whole turn, with every call taken through the gate."""
        turn = self.turn(language, **caller)
        messages: list[Message] = [UserMessage(text=text)]
        requests: list[ToolRequest] = []
        outcomes: list[ToolOutcome] = []
        for _ in range(5):
            now = await self._round(messages, turn)
            assert now.stop is not None
            if now.stop is not StopReason.TOOL_USE:
                return Conversation(
                    text=now.text,
                    stop=now.stop,
                    requests=requests,
                    outcomes=outcomes,
                    again=now.again,
                    question=now.question,
                )
            messages.append(
                AssistantMessage(
                    text=now.text,
                    requests=tuple(now.requests),
                    vendor=tuple(now.vendor),
                )
            )
            for request in now.requests:
                outcome = await self.gate.dispatch(request, turn)
                requests.append(request)
                outcomes.append(outcome)
                messages.append(ToolResultMessage(outcome=outcome))
        raise AssertionError(f"no end: {text}")

    async def answer(self, text: str, language: str, **caller: Any) -> str:
        """Return what is said."""
        return (await self.say(text, language, **caller)).text

    async def _round(self, messages: Sequence[Message], turn: Turn) -> Round:
        request = CompletionRequest(system=(), messages=tuple(messages), turn=turn)
        now = Round()
        async for event in self.provider.stream(request):
            assert now.stop is None, "Completed is the last event"
            match event:
                case TextDelta():
                    now.text += event.text
                case ToolRequest():
                    now.requests.append(event)
                case VendorBlock():
                    now.vendor.append(event)
                case Completed():
                    now.stop, now.again = event.stop, event.again
                    now.question = event.question
        return now

    def _toolbox(self) -> HouseToolbox:
        contexts = OwnContexts(self.hass.loop.time)
        return HouseToolbox(
            self.hass,
            read_tools(ReadExecutor(self.hass, self.home, self.users)),
            ServiceExecutor(self.hass, self.home, self.users, contexts),
            self._grantable,
            WorkerTools(self.tools),
        )

    def _tools(self) -> tuple[ToolSpec, ...]:
        return self.tools.tools()

    def _grantable(self, tool: str) -> bool:
        return self.policy.may_grant(tool)

    def _spawn(
        self, coro: Coroutine[Any, Any, ToolOutcome], name: str
    ) -> asyncio.Task[ToolOutcome]:
        return self.hass.async_create_task(coro, name)
