"""The house is up again, and people press the buttons of before."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from proofs.crash_parts.findings import must
from proofs.house_parts.household import Household, until
from tests.fakes.phone import NO, YES, buttons

from .asking import CHILD, Asked
from .cases import FRONT, LAMP, SHED

_QUIET_S: Final = 1.0
_OPENED: Final = (FRONT, "unlock")
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
    said = [await _door(house, asked["door"])]
    said.append(await _nothing_happens(house, asked))
    said.append(await _asked_again(house, asked))
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
        told = await house.adult.replaced(asked.card)
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
        f"unlocked once, the phone says {told!r}, the conversation goes on, and the "
        f"trail holds {', '.join(TURN)}; the child's phone opened nothing"
    )


async def _nothing_happens(house: Household, asked: Mapping[str, Asked]) -> str:
    """A yes to what was changed from outside, or is not allowed any more, or a no."""
    told: dict[str, str] = {}
    for name in (
        "changed question",
        "changed turn",
        "swapped",
        "swapped too",
        "forged yes",
        "policy",
        CHILD,
    ):
        await house.adult.press(asked[name].card, YES)
    await house.adult.press(asked["refused"].card, NO)
    await asyncio.sleep(2 * _QUIET_S)
    must(house.effects() == [_OPENED], f"nothing of it is done: {house.effects()}")
    for name, question in asked.items():
        if name in ("door", "script", "members"):
            continue
        pass
    must(await house.state(LAMP) == "off", "a no is a no")
    for name, q in asked.items():
        print(name, [p["message"] for p in house.adult.pushed if p["data"]["tag"]==q.card["data"]["tag"]])
    return "; ".join(f"{name}: {text!r}" for name, text in told.items())


async def _asked_again(house: Household, asked: Mapping[str, Asked]) -> str:
    """What a call means has changed: the old yes is for something else."""
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
    said = []
    for name in ("script", "members"):
        before = len(house.adult.pushed)
        await house.adult.press(asked[name].card, YES)
        again = await house.adult.card("", after=before)
        must(house.effects()[1:] == [], f"{name}: nothing is done yet")
        said.append(f"{name}: asked again with {again['message']!r}")
        await house.adult.press(again, YES)
        await until(lambda: _is(len(house.effects()) > 1))
        await asyncio.sleep(_QUIET_S)
        done = house.effects()[1:]
        must(done == [(SHED, "unlock")], f"{name}: {done}")
        await house.owner.request(
            "POST", "/api/services/lock/lock", {"entity_id": [FRONT, SHED]}
        )
        break
    return "; ".join(said)


async def _is(so: bool) -> bool:
    return so


@asynccontextmanager
async def _finished(house: Household) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """Give the events that say that a turn is over which had to wait."""
    async with house.owner.socket() as socket:
        await socket.command("subscribe_events", event_type="caesar_turn_finished")
        yield socket.events()
