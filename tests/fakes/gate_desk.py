"""The real gate and the real desk over one small house and one clock."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from custom_components.caesar.sentinel.approvals import PendingApproval
from custom_components.caesar.turn import ApprovedCall, ToolOutcome, Turn

from .desk import ADMIN, DeskUnderTest
from .parts import GateUnderTest, small_home

KITCHEN: dict[str, Any] = {"entity_id": "light.kitchen"}
FRONT_DOOR: dict[str, Any] = {"entity_id": "lock.front_door"}
SHED: dict[str, Any] = {"entity_id": "lock.shed"}


@dataclass
class House:
    """A gate and a desk over one small house and one clock."""

    desk: DeskUnderTest = field(init=False)
    gate: GateUnderTest = field(init=False)

    def __post_init__(self) -> None:
        """Build both."""
        home = small_home()
        self.desk = DeskUnderTest(home=home)
        self.gate = GateUnderTest(
            home=home,
            clock=self.desk.clock,
            desk=self.desk.desk,
            allowances=self.desk.allowances,
        )

    @property
    def door_opened(self) -> int:
        """Return how often a door was opened."""
        return len(self.gate.executor.done)

    def turn(self, **more: Any) -> Turn:
        """Return a turn with no time to wait inline, but enough to run."""
        turn = self.gate.turn(user_id="child", **more)
        turn.deadline = self.gate.clock() + 10
        turn.session = "session-1"
        return turn

    async def park(self, turn: Turn) -> str:
        """Ask for the front door; return the question's id."""
        outcome = await self.gate.service("lock.unlock", FRONT_DOOR, turn=turn)
        assert outcome.parked is not None, outcome
        return outcome.parked

    async def resume(
        self,
        approval_id: str,
        target: dict[str, Any] = FRONT_DOOR,
        data: dict[str, Any] | None = None,
        **changes: Any,
    ) -> ToolOutcome:
        """Go on with the call, a yes in hand, as the turn that was parked does."""
        pending = self.desk.desk.find(approval_id)
        assert pending is not None
        turn = self.turn()
        turn.caller = pending.caller
        yes = ApprovedCall(
            approval_id=approval_id,
            args_hash=pending.args_hash,
            digest=pending.digest,
            decided_by=pending.decided_by,
            via=pending.via.value if pending.via else None,
            terms=pending.terms,
        )
        turn.approved["request-1"] = replace(yes, **changes)
        return await self.gate.service("lock.unlock", target, data, turn=turn)

    async def approve(self, approval_id: str) -> None:
        """Say yes."""
        assert (await self.desk.desk.answer(approval_id, True, ADMIN)).ok

    async def approve_as(self, user_id: str, approval_id: str) -> None:
        """Say yes as somebody else."""
        answerer = replace(ADMIN, user_id=user_id, is_admin=False)
        assert (await self.desk.desk.answer(approval_id, True, answerer)).ok


@pytest.fixture
async def house() -> AsyncIterator[House]:
    """Return a gate and a desk."""
    both = House()
    await both.desk.desk.start()
    yield both
    await both.desk.desk.stop()
    await both.desk.settle()


def join(gate: GateUnderTest, member: str) -> None:
    """Make the front door a group that reaches another lock as well."""
    door = gate.home.facts["lock.front_door"]
    gate.home.facts["lock.front_door"] = replace(door, members=(member,))
    object.__setattr__(gate.home, "revision", gate.home.revision + 1)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until it holds; fails after 5 s."""
    async with asyncio.timeout(5):
        while not condition():
            await asyncio.sleep(0)


def found(house: House, approval_id: str | None) -> PendingApproval:
    """Return a question by its id."""
    pending = house.desk.desk.find(str(approval_id))
    assert pending is not None
    return pending
