"""The house is up again, and people press the buttons of before."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from proofs.crash_parts.findings import must
from proofs.house_parts.household import Household, until
from tests.fakes.phone import NO, YES, buttons

from .asking import CHILD, Asked
from .cases import FRONT, SHED

_QUIET_S: Final = 0.5
_OPENED: Final = (FRONT, "unlock")
REFUSED: Final = "refused"
# What the card says in the end of what is not done.
NOT_DONE: Final = {
    "changed question": "not open any more",
    "changed turn": "didn't work",
    "swapped": "not open any more",
    "swapped too": "not open any more",
    "forged yes": "not open any more",
    "policy": "didn't work",
    CHILD: "not open any more",
    REFUSED: "said no",
}
TURN: Final = (
    "approval.requested",
    "loop.checkpointed",
    "approval.decided",
    "loop.resumed",
    "tool.intended",
    "service.called",
)


async def prove_answers(house: Household, asked: Mapping[str, Asked]) -> list[str]:
    """Press the buttons; return what was seen."""
    await asyncio.sleep(_QUIET_S)
    must(not house.effects(), f"a start does nothing by itself: {house.effects()}")
    said = [
        await _door(house, asked["door"]),
        f"not done, whatever button was pressed:{await _nothing_happens(house, asked)}",
        f"asked again, then done once:{await _asked_again(house, asked)}",
    ]
    verdict = await house.owner.action("caesar.verify_audit", {})
    must(verdict["ok"] is True, f"the chain is whole: {verdict}")
    said.append(f"the chain of {verdict['rows']} rows is whole")
    return said


async def _door(house: Household, asked: Asked) -> str:
    yes = {"action": buttons(asked.card)[YES]["action"]}
    await house.boy.fire(yes)
    await asyncio.sleep(_QUIET_S)
    must(not house.effects(), "another's phone opens nothing")
    async with _finished(house) as events:
        await house.adult.fire(yes)
        told = await house.adult.replaced(asked.card, "Done:")
        await until(lambda: _is(len(house.effects()) == 1))
        event = await asyncio.wait_for(anext(events), 20)
    must(house.effects() == [_OPENED], f"it is done: {house.effects()}")
    must(event["decision_id"] == asked.decision_id, "the turn is told to be over")
    must(event["finish"] == "text", f"it ended in words: {event}")
    await house.adult.fire(yes)
    await house.boy.fire(yes)
    await asyncio.sleep(_QUIET_S)
    must(house.effects() == [_OPENED], f"once: {house.effects()}")
    rows = await house.rows(asked.decision_id)
    types = [row["event_type"] for row in rows]
    for kind in TURN:
        must(types.count(kind) == 1, f"one row {kind}: {types}")
    order = [types.index(kind) for kind in TURN]
    must(order == sorted(order), f"the rows are in their order: {types}")
    [decided] = [row for row in rows if row["event_type"] == "approval.decided"]
    must("phone" in str(decided["payload"]), f"the row says how: {decided}")
    await house.ask("anything else", "door")
    heard = str(house.model.rounds[-1]["messages"])
    must(asked.case.done in heard, "the conversation remembers how it ended")
    return (
        "killed while it waited, approved by the owner's phone: the front door is "
        f"unlocked once; the phone says {told!r}; the conversation remembers; the "
        f"trail holds one {', '.join(TURN)}; the child's phone opened nothing"
    )


async def _nothing_happens(house: Household, asked: Mapping[str, Asked]) -> str:
    """A yes to what was changed from outside, or is not allowed any more, or a no."""
    told: dict[str, str] = {}
    for name, words in NOT_DONE.items():
        which = NO if name == REFUSED else YES
        phone = asked[name].phone
        await phone.press(asked[name].card, which)
        told[name] = await phone.replaced(asked[name].card, words)
    await asyncio.sleep(_QUIET_S)
    must(house.effects() == [_OPENED], f"nothing of it is done: {house.effects()}")
    for name in NOT_DONE:
        await asked[name].phone.press(asked[name].card, YES)
    await asyncio.sleep(_QUIET_S)
    must(house.effects() == [_OPENED], f"nor at a second try: {house.effects()}")
    return "".join(f"\n  {name}: {text}" for name, text in told.items())


async def _asked_again(house: Household, asked: Mapping[str, Asked]) -> str:
    """What a call means has changed: the old yes is for something else."""
    await _regroup(house)
    said = []
    for name in ("script", "members"):
        done = len(house.effects())
        phone = asked[name].phone
        before = len(phone.pushed)
        await phone.press(asked[name].card, YES)
        again = await phone.card("", after=before)
        await asyncio.sleep(_QUIET_S)
        must(len(house.effects()) == done, f"{name}: nothing is done yet")
        await phone.press(asked[name].card, YES)
        await asyncio.sleep(_QUIET_S)
        must(len(house.effects()) == done, f"{name}: the first yes is used up")
        await phone.press(again, YES)
        await phone.replaced(again, "Done:")
        happened = house.effects()[done:]
        must(happened == [(SHED, "unlock")], f"{name}: {happened}")
        said.append(f"\n  {name}: {again['message']}")
        await house.owner.request(
            "POST", "/api/services/lock/lock", {"entity_id": [FRONT, SHED]}
        )
    return "".join(said)


async def _regroup(house: Household) -> None:
    """Take the front door out of the group of locks, as a person does."""
    entries = await house.owner.request(
        "GET", "/api/config/config_entries/entry?domain=group"
    )
    [group] = [entry for entry in entries if entry["title"] == "Outside locks"]
    flows = "/api/config/config_entries/options/flow"
    step = await house.owner.request("POST", flows, {"handler": group["entry_id"]})
    await house.owner.request(
        "POST",
        f"{flows}/{step['flow_id']}",
        {"entities": [SHED], "hide_members": False},
    )


async def _is(so: bool) -> bool:
    return so


@asynccontextmanager
async def _finished(house: Household) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """Give the events that say that a turn is over which had to wait."""
    async with house.owner.socket() as socket:
        await socket.command("subscribe_events", event_type="caesar_turn_finished")
        yield socket.events()
