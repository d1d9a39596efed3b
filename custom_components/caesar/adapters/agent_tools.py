"""CAESAR's tools for other conversation agents, by the same path as everybody's.

Each call is a turn of its own: one call, as `caesar.call_tool` makes it, with the
origin `agent`. What the other agent's model has read CAESAR can't know (ADR-0016).
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from homeassistant.core import Context

from ..brain.loop import DEFAULT_ITERATIONS
from ..brain.prompt import Persona
from ..brain.provider import Provider
from ..legion.canonical import Json
from ..legion.spec import ToolSpec
from ..policy.caller import Caller
from ..policy.reason import Code
from ..repeats import is_read
from ..turn import Taint, ToolOutcome, ToolScope
from .agent_house import AgentSettings, House
from .assistant import Assistant
from .callers import async_build_caller
from .forgetting import FORGET
from .report import TurnReport
from .turns import MAX_CALL_BYTES, OtherAgent, new_turn

# In the place of an agent of CAESAR's own; no subentry has such an id.
AGENT_ID: Final = "other_agents"
# Its own prompt, memory or history may hold what it was told for a long time.
PRIVATE_S: Final = 86_400.0
# The same change once more within this time is a loop, not a wish.
REPEAT_S: Final = 10.0
MAX_SESSIONS: Final = 200
HOW_TO_APPROVE: Final = (
    "A person is asked on their phone, or answers with Home Assistant's action"
    " caesar.approve. No words here answer it. If they say yes it is carried out"
    " without you; do not call it again."
)

type AsText = Callable[[str, Mapping[str, Json]], str]

_SETTINGS: Final = AgentSettings(
    agent_id=AGENT_ID,
    title="",
    persona=Persona(name="", tone=""),
    instructions="",
    max_iterations=DEFAULT_ITERATIONS,
    max_tokens=1,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Another agent, as Home Assistant describes it.

    `platform` is the integration that runs it. `device_id` is its own word and only
    says which room is meant; `language` is a tag.
    """

    platform: str
    context: Context
    language: str
    device_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAnswer:
    """What an agent is told: a JSON object; `failed` says that it is an error."""

    data: dict[str, Any]
    failed: bool = False


@dataclass(slots=True, kw_only=True)
class _Session:
    """What an agent has done for one user: its last calls, and what it was told.

    `seen` are outcomes by the call's hash, `at` when they were new. `running` holds
    the calls on their way, by their text.
    """

    seen: dict[str, ToolOutcome] = field(default_factory=dict)
    at: dict[str, float] = field(default_factory=dict)
    running: dict[str, asyncio.Event] = field(default_factory=dict)
    private_until: float = float("-inf")

    def settle(self, now: float) -> None:
        """Forget calls of long ago; what was read is read anew, for the house goes on."""
        for hashed, outcome in list(self.seen.items()):
            since = self.at.setdefault(hashed, now)
            if is_read(outcome) or now - since >= REPEAT_S:
                del self.seen[hashed], self.at[hashed]

    @asynccontextmanager
    async def alone(self, text: str) -> AsyncIterator[None]:
        """Let the same call wait until the first of it is over: it may be a loop."""
        while (running := self.running.get(text)) is not None:
            await running.wait()
        self.running[text] = over = asyncio.Event()
        try:
            yield
        finally:
            del self.running[text]
            over.set()


class AgentTools:
    """Shows CAESAR's tools to other agents, and makes their calls."""

    def __init__(self, house: House, direct: Provider, as_text: AsText) -> None:
        """Make calls in this house, by the provider for single ones and in its words.

        `as_text` raises TypeError, ValueError or RecursionError for what is no JSON.
        """
        self.assistant = Assistant(house, _SETTINGS, (direct,), direct)
        self._house = house
        self._as_text = as_text
        self._sessions: OrderedDict[tuple[str, str | None], _Session] = OrderedDict()

    async def async_offered(self, asker: Asker) -> tuple[ToolSpec, ...]:
        """Return what this agent may be shown; nothing if CAESAR itself called it."""
        house = self._house
        if house.contexts.holds(asker.context):
            return ()
        caller = await self._caller(asker)
        turn = new_turn(
            caller, asker.language, house.clock(), ToolScope.POLICY, trusted=False
        )
        # What other agents say is not remembered here, so there is nothing to forget.
        return tuple(
            spec for spec in house.gate.offered(turn) if spec.name != FORGET.name
        )

    async def async_room(self, asker: Asker) -> str | None:
        """Return the room that the agent is used in, if it says so, for its prompt."""
        area_id = (await self._caller(asker)).area_id
        name = self._house.home.area_name(area_id)
        return f"{name} (area_id {area_id})" if name else None

    async def async_use(
        self, asker: Asker, tool: str, arguments: Mapping[str, Json]
    ) -> AgentAnswer:
        """Make one call by the one path, and return what the agent is told."""
        try:
            text = self._as_text(tool, arguments)
            size = len(text.encode())
        except (TypeError, ValueError, RecursionError) as err:
            return _unusable(f"The arguments are no JSON: {str(err)[:100]}")
        if size > MAX_CALL_BYTES:
            return _unusable(f"The call is longer than {MAX_CALL_BYTES} bytes.")
        house, session = self._house, self._session(asker)
        async with session.alone(text):
            session.settle(house.clock())
            report = await self.assistant.async_ask(
                text,
                asker.context,
                language=asker.language,
                conversation_id=asker.platform,
                device_id=asker.device_id,
                direct=True,
                other=OtherAgent(
                    private=session.private_until > house.clock(), seen=session.seen
                ),
            )
            session.settle(house.clock())
        [outcome] = report.outcomes
        if Taint.PRIVATE in outcome.taint:
            session.private_until = house.clock() + PRIVATE_S
        return _answer(report, outcome)

    async def _caller(self, asker: Asker) -> Caller:
        return await async_build_caller(
            self._house.hass,
            self._house.users,
            asker.context,
            agent_id=AGENT_ID,
            conversation_id=asker.platform,
            device_id=asker.device_id,
            by_agent=True,
        )

    def _session(self, asker: Asker) -> _Session:
        key = (asker.platform, asker.context.user_id)
        session = self._sessions.setdefault(key, _Session())
        self._sessions.move_to_end(key)
        while len(self._sessions) > MAX_SESSIONS:
            self._sessions.popitem(last=False)
        return session


def _answer(report: TurnReport, outcome: ToolOutcome) -> AgentAnswer:
    if (error := outcome.error) is None:
        data: dict[str, Any] = {"result": outcome.data}
        if outcome.truncated:
            data["truncated"] = True
        return AgentAnswer(data={**data, "decision_id": report.decision_id})
    told = error.message
    if report.parked is not None:
        told = f"{told} {HOW_TO_APPROVE}"
    return AgentAnswer(
        data={
            "error": error.code.value,
            "error_text": told,
            "retryable": error.retryable,
            "retry_after": error.retry_after,
            "decision_id": report.decision_id,
        },
        failed=True,
    )


def _unusable(text: str) -> AgentAnswer:
    return AgentAnswer(
        data={"error": Code.INVALID_INPUT.value, "error_text": text}, failed=True
    )
