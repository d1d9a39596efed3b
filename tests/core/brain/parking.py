"""A gate that parks what a test says, and a keeper in memory: for parked turns."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from custom_components.caesar.brain.checkpoint import (
    Answered,
    Answers,
    Checkpoint,
    from_bytes,
    to_bytes,
    turn_of,
)
from custom_components.caesar.brain.loop import Brain, Finish, LoopEvent, TurnResult
from custom_components.caesar.brain.provider import (
    Completed,
    StopReason,
    TextDelta,
    Usage,
    VendorBlock,
)
from custom_components.caesar.flight import error_of
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.turn import (
    ApprovedCall,
    Taint,
    ToolOutcome,
    ToolRequest,
    Turn,
)
from tests.fakes.clock import FakeClock
from tests.fakes.provider import ScriptedProvider, Step


def call(number: int, name: str = "call_service") -> ToolRequest:
    """Return a call that changes something."""
    return ToolRequest(
        id=f"r{number}", name=name, arguments={"n": number}, raw=f'{{"n": {number}}}'
    )


def read(number: int) -> ToolRequest:
    """Return a read."""
    return call(number, "get_state")


def yes(approval_id: str = "a-r2") -> Answered:
    """Return a yes in hand."""
    return Answered(
        code=Code.ALLOWED,
        approved=ApprovedCall(
            approval_id=approval_id,
            args_hash="hash",
            digest="digest",
            decided_by="user-1",
            via="phone",
        ),
    )


def no(code: Code = Code.APPROVAL_DENIED) -> Answered:
    """Return a no of some kind."""
    return Answered(code=code, decided_by="user-1", via="phone")


class ParkingGate:
    """Parks each call whose id is in `parks`, once for each time it stands there.

    The approval of `r2` is `a-r2`, and the next one of it `a-r2+`.
    """

    def __init__(self) -> None:
        """Park nothing."""
        self.parks: list[str] = []
        self.dispatched: list[tuple[ToolRequest, dict[str, ApprovedCall]]] = []
        self.skipped: list[tuple[str, Code]] = []
        self.taint: dict[str, frozenset[Taint]] = {}
        self.taint_seen: list[set[Taint]] = []
        self.says: dict[str, str] = {}
        self.waits: dict[str, asyncio.Event] = {}
        self.cancelled: list[str] = []

    def offered(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Offer nothing."""
        return ()

    def is_read(self, name: str) -> bool:
        """Know one read."""
        return name == "get_state"

    async def dispatch(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        """Carry a call out, or park it."""
        before = sum(done.id == request.id for done, _ in self.dispatched)
        self.dispatched.append((request, dict(turn.approved)))
        self.taint_seen.append(set(turn.taint))
        if request.id in self.says and turn.say is not None:
            turn.say(self.says[request.id])
        if request.id in self.waits:
            try:
                await self.waits[request.id].wait()
            except asyncio.CancelledError:
                self.cancelled.append(request.id)
                raise
        if request.id in self.parks:
            self.parks.remove(request.id)
            return ToolOutcome(
                request_id=request.id,
                tool=request.name,
                error=error_of(Reason(code=Code.APPROVAL_NEEDED)),
                parked=f"a-{request.id}{'+' * before}",
            )
        return ToolOutcome(
            request_id=request.id,
            tool=request.name,
            data={"done": request.id},
            executed=True,
            taint=self.taint.get(request.id, frozenset()),
        )

    async def skip(self, request: ToolRequest, turn: Turn, code: Code) -> ToolOutcome:
        """Keep what was skipped."""
        self.skipped.append((request.id, code))
        return ToolOutcome(
            request_id=request.id,
            tool=request.name,
            error=error_of(Reason(code=code)),
        )

    def ids(self) -> list[str]:
        """Return the ids of what was dispatched, in order."""
        return [request.id for request, _ in self.dispatched]


class MemoryKeeper:
    """Keeps checkpoints as bytes, like the real one; `full` refuses them."""

    def __init__(self) -> None:
        """Start empty."""
        self.kept: list[bytes] = []
        self.full = False

    async def keep(self, checkpoint: Checkpoint) -> bool:
        """Keep it."""
        if self.full:
            return False
        self.kept.append(to_bytes(checkpoint))
        return True

    def last(self) -> Checkpoint:
        """Return the newest one, read back."""
        return from_bytes(self.kept[-1])


@dataclass(slots=True)
class Ended:
    """How a turn ended, and what came before it."""

    result: TurnResult
    events: list[LoopEvent] = field(default_factory=list)


def turn_now(clock: FakeClock) -> Turn:
    """Return a turn of a user in a chat."""
    return Turn(
        decision_id="decision-1",
        caller=Caller(
            origin=Origin.CHAT, user_id="user-1", agent_id="agent-1", context_id="c"
        ),
        language="en",
        deadline=clock() + 240,
        session="agent-1|conv:1|user-1",
    )


async def ended(events: Sequence[LoopEvent]) -> Ended:
    """Return the events of a turn with its result apart."""
    *before, result = events
    assert isinstance(result, TurnResult)
    return Ended(result=result, events=before)


async def run(brain: Brain, turn: Turn) -> Ended:
    """Run a turn to its end."""
    return await ended([event async for event in brain.run(turn, "do three things")])


CALLS = Completed(stop=StopReason.TOOL_USE, usage=Usage(input_tokens=10), model="m-1")
END = Completed(stop=StopReason.END, usage=Usage(output_tokens=5))
ANSWER: Step = [TextDelta(text="All done."), END]


class World:
    """A brain with all that a restart does not lose, and all that it does."""

    def __init__(self, *steps: Step, max_iterations: int = 5) -> None:
        """Let the provider play these steps."""
        self.clock = FakeClock()
        self.keeper = MemoryKeeper()
        self.max_iterations = max_iterations
        self.restart(*steps)

    def restart(self, *steps: Step) -> None:
        """Lose all but what was kept; the provider plays these steps from now on."""
        self.gate = ParkingGate()
        self.provider = ScriptedProvider(steps, name="model")
        self.brain = Brain(
            gate=self.gate,
            providers=[self.provider],
            clock=self.clock,
            max_iterations=self.max_iterations,
            keeper=self.keeper,
        )

    async def run(self) -> Ended:
        """Run a turn of a user."""
        self.turn = turn_now(self.clock)
        return await run(self.brain, self.turn)

    async def resume(self, answers: Answers) -> Ended:
        """Go on with what was kept last."""
        kept = self.keeper.last()
        self.turn = turn_of(kept, kept.caller, self.clock() + 240)
        return await ended(
            [event async for event in self.brain.resume(kept, self.turn, answers)]
        )


async def three_with_the_second_parked() -> World:
    """Return a world in which a turn of three calls waits at its second."""
    block = VendorBlock(provider="model", data=({"type": "thinking"},))
    world = World([TextDelta(text="Ok."), call(1), call(2), call(3), block, CALLS])
    world.gate.parks = ["r2"]
    parked = await world.run()
    assert parked.result.finish is Finish.PARKED
    return world
