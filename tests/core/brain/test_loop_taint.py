"""When text that was read taints a turn: after its round, and only whom it can lead."""

import pytest

from custom_components.caesar.brain.loop import Brain
from custom_components.caesar.brain.provider import (
    Completed,
    ProviderEvent,
    ProviderTraits,
    StopReason,
    TextDelta,
)
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import Taint, ToolOutcome, ToolRequest, Turn
from tests.fakes.parts import GateUnderTest
from tests.fakes.provider import ScriptedProvider

END = Completed(stop=StopReason.END)
CALLS = Completed(stop=StopReason.TOOL_USE)
BOTH = {Taint.UNTRUSTED, Taint.PRIVATE}


class Reading:
    """A gate whose every call reads such text, and which keeps what turns it saw."""

    def __init__(self) -> None:
        """See nothing yet."""
        self.seen: list[tuple[str, frozenset[Taint]]] = []

    def offered(self, turn: Turn) -> tuple[()]:
        """Offer nothing."""
        return ()

    def is_read(self, name: str) -> bool:
        """Run reads side by side, all else in order."""
        return name == "read"

    async def dispatch(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        """Read."""
        self.seen.append((request.id, frozenset(turn.taint)))
        return ToolOutcome(
            request_id=request.id, tool=request.name, taint=frozenset(BOTH)
        )

    async def skip(self, request: ToolRequest, turn: Turn, code: Code) -> ToolOutcome:
        """Not come to this."""
        raise AssertionError(code)


def call(id_: str, name: str = "read") -> ToolRequest:
    """Return a call."""
    return ToolRequest(id=id_, name=name, arguments={})


STEPS: list[list[ProviderEvent]] = [
    [call("1"), call("2", "act"), call("3"), CALLS],
    [call("4", "act"), CALLS],
    [TextDelta(text="Done."), END],
]


async def run(gate: Reading, turn: Turn, *providers: ScriptedProvider) -> None:
    """Run the turn to its end."""
    brain = Brain(gate=gate, providers=providers, clock=GateUnderTest().clock)
    async for _ in brain.run(turn, "hello"):
        pass


@pytest.mark.parametrize("local", [False, True])
async def test_a_round_shares_the_taint_of_its_beginning(local: bool) -> None:
    """Nothing of it is tainted by it; all of the next is. A model at home is a model."""
    gate, turn = Reading(), GateUnderTest().turn()
    await run(gate, turn, ScriptedProvider(STEPS, local=local))
    seen = dict(gate.seen)
    assert [seen[id_] for id_ in "123"] == [frozenset()] * 3
    assert seen["4"] == BOTH
    assert turn.taint == BOTH


async def test_a_literal_brain_is_not_led_by_what_it_reads() -> None:
    """Neither by its own results nor by the history; it doesn't look at that."""
    gate, turn = Reading(), GateUnderTest().turn()
    turn.carried = frozenset(BOTH)
    await run(gate, turn, ScriptedProvider(STEPS, literal=True))
    assert {taint for _, taint in gate.seen} == {frozenset[Taint]()}
    assert turn.taint == set()


async def test_a_literal_brain_is_led_by_its_sentence() -> None:
    """An automation's text taints it too."""
    gate, turn = Reading(), GateUnderTest().turn()
    turn.taint.add(Taint.UNTRUSTED)
    await run(gate, turn, ScriptedProvider(STEPS, literal=True))
    assert {taint for _, taint in gate.seen} == {frozenset({Taint.UNTRUSTED})}


async def test_a_model_is_tainted_by_the_history_it_is_shown() -> None:
    """From its first call on, also if it has the turn after the built-in brain."""
    gate, turn = Reading(), GateUnderTest().turn()
    turn.carried = frozenset({Taint.PRIVATE})
    passing = ScriptedProvider(
        [[Completed(stop=StopReason.NOT_UNDERSTOOD)]], local=True, literal=True
    )
    await run(gate, turn, passing, ScriptedProvider(STEPS))
    assert dict(gate.seen)["1"] == {Taint.PRIVATE}


def test_who_says_nothing_is_led_by_what_it_reads() -> None:
    """A provider is literal only where it says so."""
    assert not ProviderTraits().literal
    assert not ProviderTraits(local=True).literal
