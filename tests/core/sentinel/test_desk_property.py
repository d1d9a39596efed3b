"""Whatever comes in whatever order: no use without a yes, none twice, none too late."""

import asyncio
from collections import Counter
from typing import Any

from hypothesis import given, settings, strategies as st

from custom_components.caesar.policy.reason import Code
from custom_components.caesar.sentinel.approvals import Answerer, Via
from custom_components.caesar.turn import ToolError, ToolOutcome
from tests.fakes.desk import ADMIN, CHILD, DeskUnderTest

TTL_S = 900
_WHICH = st.integers(0, 5)
_OWN = Answerer(via=Via.ACTION, user_id="caesar-voice", is_admin=True)
_STEP = st.one_of(
    st.tuples(st.just("ask"), st.integers(0, 2), st.booleans()),
    st.tuples(
        st.just("answer"),
        _WHICH,
        st.tuples(st.booleans(), st.sampled_from([ADMIN, ADMIN, CHILD, _OWN])),
    ),
    st.tuples(st.just("two answers"), _WHICH, st.booleans()),
    st.tuples(st.just("claim"), _WHICH, st.sampled_from(["", "", "digest"])),
    st.tuples(st.just("two claims"), _WHICH, st.none()),
    st.tuples(st.just("close"), _WHICH, st.booleans()),
    st.tuples(st.just("withdraw"), _WHICH, st.none()),
    st.tuples(st.just("wait"), st.sampled_from([1, 100, 450, 900]), st.none()),
    st.tuples(st.just("set back"), st.sampled_from([10, 5000]), st.none()),
    st.tuples(st.just("disk"), st.just(0), st.booleans()),
    st.tuples(st.just("crash"), st.just(0), st.none()),
    st.tuples(st.just("sweep"), st.just(0), st.none()),
)


class Story:
    """A desk, and what its users have seen of it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.house = DeskUnderTest()
        self.ids: list[str] = []
        self.asked_at: dict[str, float] = {}
        self.yes: set[str] = set()
        self.decided: Counter[str] = Counter()
        self.used: Counter[str] = Counter()
        self.ended: set[str] = set()
        self.set_back = False

    async def run(self, steps: list[Any]) -> None:
        """Play the steps and look after each whether all is well."""
        await self.house.desk.start()
        try:
            for step in steps:
                await self.play(*step)
                await self.house.settle()
                self.look()
        finally:
            self.house.store.down = False
            await self.house.desk.stop()
            await self.house.settle()

    async def play(self, what: str, which: int, more: Any) -> None:
        """Play one step."""
        house, desk = self.house, self.house.desk
        if what == "ask":
            turn = house.turn(f"turn-{len(self.ids)}", seconds=0, session=f"s-{which}")
            lock = "lock.shed" if more else "lock.front_door"
            result = await desk.request(house.asks(turn, entity_id=lock))
            if result.approval_id and result.approval_id not in self.ids:
                self.ids.append(result.approval_id)
                self.asked_at[result.approval_id] = house.clock()
        elif what == "wait":
            house.clock.advance(which)
            house.now.advance(which)
        elif what == "set back":
            house.now.seconds -= which
            self.set_back = True
        elif what == "disk":
            house.store.down = more
        elif what == "crash":
            await desk.stop()
            await house.settle()
            house.restart()
            await house.desk.start()
            if self.set_back:
                # Nobody can know then how long it has waited: its whole time anew.
                self.asked_at = dict.fromkeys(self.asked_at, house.clock())
        elif what == "sweep":
            await desk.sweep()
        elif which < len(self.ids):
            await self.play_one(what, self.ids[which], more)

    async def play_one(self, what: str, approval_id: str, more: Any) -> None:
        """Play a step about one question."""
        house, desk = self.house, self.house.desk
        if what == "answer":
            await self.answer(approval_id, *more)
        elif what == "two answers":
            await asyncio.gather(
                self.answer(approval_id, more, ADMIN),
                self.answer(approval_id, not more, ADMIN),
            )
        elif what == "withdraw":
            await desk.withdraw(approval_id)
            if not house.store.down:
                self.ended.add(approval_id)
        elif what == "close":
            error = None if more else ToolError(code=Code.TOOL_ERROR, message="no")
            outcome = ToolOutcome(request_id="r", tool="lock.unlock", error=error)
            await desk.close(approval_id, outcome)
        elif desk.find(approval_id) is not None:
            other = {more: "0" * 64} if more else {}
            count = 2 if what == "two claims" else 1
            claims = await asyncio.gather(
                *(house.claim(approval_id, **other) for _ in range(count))
            )
            self.used[approval_id] += sum(claims)
            if any(claims):
                assert not more
                assert approval_id in self.yes
                assert approval_id not in self.ended
                assert house.clock() - self.asked_at[approval_id] < TTL_S
                assert house.store.standing(approval_id) == "executing"

    async def answer(self, approval_id: str, yes: bool, who: Answerer) -> None:
        """Give an answer and remember what it was told."""
        answer = await self.house.desk.answer(approval_id, yes, who)
        if answer.ok:
            assert who is ADMIN or (who is CHILD and not yes)
            assert self.house.clock() - self.asked_at[approval_id] < TTL_S
            self.decided[approval_id] += 1
            if yes:
                self.yes.add(approval_id)

    def look(self) -> None:
        """No question is used twice or answered twice, and few wait."""
        assert all(count <= 1 for count in self.used.values())
        assert all(count <= 1 for count in self.decided.values())
        assert len(self.house.desk.pending()) <= 20


@settings(max_examples=300, deadline=None)
@given(st.lists(_STEP, min_size=5, max_size=40))
def test_no_story_uses_a_yes_wrongly(steps: list[Any]) -> None:
    """With answers at the same moment, crashes, clocks set back, and a disk that fails."""
    asyncio.run(Story().run(steps))
