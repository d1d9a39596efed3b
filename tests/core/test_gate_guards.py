"""The sentinel's guards at the real gate: each call is counted once and reported once."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.audit.event import AuditEvent, AuditRow
from custom_components.caesar.gate import ToolGate
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import Target
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.policy.home import EntityFacts, Expansion, StaticHome
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.policy.settings import PolicySettings
from custom_components.caesar.sentinel.circuit_breaker import (
    BreakerChange,
    CircuitBreakerGuard,
)
from custom_components.caesar.sentinel.dead_man import DeadManGuard
from custom_components.caesar.sentinel.rate_limiter import RateLimiterGuard
from custom_components.caesar.sentinel.sentinel import Sentinel
from custom_components.caesar.tool import ExecutorError
from custom_components.caesar.turn import Turn
from tests.fakes.parts import FakeTrail, GateUnderTest, small_home

KITCHEN: dict[str, Json] = {"entity_id": "light.kitchen"}
FAILED = ExecutorError(Code.TOOL_ERROR, "broken", maybe_done=True)


class Moving:
    """A house whose registries change at every look at their number, if it moves."""

    def __init__(self) -> None:
        """Stand still at first."""
        self.moves = False
        self._home: StaticHome = small_home()
        self._revision = 0

    @property
    def revision(self) -> int:
        """Return a number, a new one each time while the house moves."""
        self._revision += self.moves
        return self._revision

    def entity(self, entity_id: str) -> EntityFacts | None:
        """Return an entity."""
        return self._home.entity(entity_id)

    def expand(self, target: Target) -> Expansion:
        """Resolve a target."""
        return self._home.expand(target)

    def script(self, name: str) -> EntityFacts | None:
        """Return a script by its service's name."""
        return self._home.script(name)


class Guarded:
    """A gate with breaker, limiter and dead man over a house that can move."""

    def __init__(self) -> None:
        """Build it."""
        self.under = GateUnderTest()
        self.home = Moving()
        self.changes: list[BreakerChange] = []
        self.settings = PolicySettings()
        clock = self.under.clock
        self.under.gate = ToolGate(
            replace(
                self.under.gate._parts,
                home=self.home,
                sentinel=Sentinel(
                    [
                        CircuitBreakerGuard(
                            lambda: self.settings, clock, self.changes.append
                        ),
                        RateLimiterGuard(lambda: self.settings, clock, lambda _: None),
                        DeadManGuard(clock),
                    ]
                ),
            )
        )

    async def on(self, turn: Turn | None = None, **data: Any) -> Code | None:
        """Turn the light on; return the error's code."""
        outcome = await self.under.service(
            "light.turn_on", KITCHEN, data or None, turn=turn
        )
        return outcome.error.code if outcome.error else None

    async def read(self) -> Code | None:
        """Read the light; return the error's code."""
        outcome = await self.under.read("light.kitchen")
        return outcome.error.code if outcome.error else None

    def states(self) -> list[str]:
        """Return what the breaker became."""
        return [change.after.value for change in self.changes]


@pytest.fixture
def house() -> Guarded:
    """Return the gate."""
    return Guarded()


async def fail_thrice(house: Guarded) -> None:
    """Let the light fail until it rests."""
    house.under.executor.error = FAILED
    for _ in range(3):
        assert await house.on() is Code.TOOL_ERROR
    house.under.executor.error = None


@pytest.mark.parametrize("moves", [False, True])
async def test_a_rest_and_a_probe(house: Guarded, moves: bool) -> None:
    """What failed three times rests, is tried once, and is well again.

    Also in a house that changes all the time, where every call is looked at again.
    """
    await fail_thrice(house)
    house.home.moves = moves
    refused = await house.under.service("light.turn_on", KITCHEN)
    assert refused.error is not None
    assert refused.error.code is Code.CIRCUIT_OPEN
    assert refused.error.retry_after == 300
    assert refused.error.retryable
    house.under.clock.advance(300)
    assert await house.on() is None
    assert house.states() == ["open", "half_open", "closed"]
    assert len(house.under.executor.done) == 1


async def test_two_calls_at_once_are_one_probe(house: Guarded) -> None:
    """The second is refused while the first is under way; both are reported."""
    house.under.executor.error = FAILED
    for _ in range(3):
        assert await house.read() is Code.TOOL_ERROR
    house.under.executor.error = None
    house.under.executor.gate = asyncio.Event()
    house.under.clock.advance(300)
    first = asyncio.create_task(house.read())
    await house.under.until_running()
    assert await house.read() is Code.CIRCUIT_OPEN
    house.under.executor.gate.set()
    assert await first is None
    assert await house.read() is None
    assert house.states() == ["open", "half_open", "closed"]


async def test_a_probe_that_can_not_be_recorded_gives_its_place_back(
    house: Guarded,
) -> None:
    """It never ran, so the next one may try."""
    await fail_thrice(house)
    house.under.clock.advance(300)
    house.under.trail.down_for = "intend"
    assert await house.on() is Code.AUDIT_UNAVAILABLE
    house.under.trail.down_for = None
    assert await house.on() is None
    assert house.states() == ["open", "half_open", "closed"]


async def test_refusals_of_the_policy_never_open_it(house: Guarded) -> None:
    """Nor do a person's, nor bad input."""
    for _ in range(5):
        denied = await house.under.service("light.turn_off", KITCHEN)
        assert denied.error is not None
        asked = await house.under.service("lock.unlock", {"entity_id": "lock.shed"})
        assert asked.error is not None
        assert asked.error.code is Code.NO_APPROVER
    house.under.executor.error = ExecutorError(Code.INVALID_INPUT, "no such value")
    for _ in range(5):
        assert await house.on() is Code.INVALID_INPUT
    assert house.states() == []


@pytest.mark.parametrize("moves", [False, True])
async def test_the_last_call_that_has_room_runs(house: Guarded, moves: bool) -> None:
    """It isn't refused for its own place; the next one is, with the time to wait."""
    house.settings = PolicySettings(rate_limit_per_minute=3)
    house.home.moves = moves
    assert [await house.on(brightness=n) for n in range(1, 4)] == [None] * 3
    refused = await house.under.service("light.turn_on", KITCHEN)
    assert refused.error is not None
    assert refused.error.code is Code.RATE_LIMITED
    assert refused.error.retry_after == 60
    assert len(house.under.executor.done) == 3


async def test_what_is_refused_is_not_counted(house: Guarded) -> None:
    """A denied call takes nobody's room."""
    house.settings = PolicySettings(rate_limit_per_minute=1)
    for _ in range(5):
        assert await house.under.service("light.turn_off", KITCHEN)
    assert await house.on() is None
    assert await house.on() is Code.RATE_LIMITED


@pytest.mark.parametrize("moves", [False, True])
async def test_twenty_changes_of_an_automation(house: Guarded, moves: bool) -> None:
    """The twentieth runs, the next does not."""
    house.home.moves = moves

    def turn() -> Turn:
        own = house.under.turn(origin=Origin.AUTOMATION, user_id=None)
        own.session = f"session-{len(house.under.executor.done)}"
        return own

    for _ in range(20):
        assert await house.on(turn()) is None
    assert await house.on(turn()) is Code.RATE_LIMITED
    assert len(house.under.executor.done) == 20


class Late(FakeTrail):
    """A trail during whose intents something happens in the house."""

    home: Moving

    async def intend(self, event: AuditEvent) -> AuditRow:
        """Write it, while the house moves."""
        self.home.moves = True
        return await super().intend(event)


async def test_a_house_that_moves_during_the_intent(house: Guarded) -> None:
    """The call was let in already: what it holds is its own."""
    house.settings = PolicySettings(rate_limit_per_minute=1)
    trail = Late()
    trail.home = house.home
    house.under.gate = ToolGate(replace(house.under.gate._parts, audit=trail))
    assert await house.on() is None
    assert len(house.under.executor.done) == 1
