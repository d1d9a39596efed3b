"""Tells each lie to a real house, and looks at all places where it must show."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from proofs.crash_parts.findings import must
from proofs.hosts_parts.standing import House, until

from .lies import Case
from .peers import HousePeer

GOOD: Final = {"value": 4}
SIDE_BY_SIDE: Final = 6
# Rows of a turn that say what came of a call.
ENDS: Final = ("tool.called", "tool.denied", "tool.invalid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A lie, and the peer that tells it."""

    case: Case
    peer: HousePeer


async def all_honest(house: House, peers: Sequence[HousePeer]) -> None:
    """See that each is well, and that its tool works."""
    await _until_well(house, peers)
    few = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(peer: HousePeer) -> None:
        async with few:
            await honest(house, peer)

    await asyncio.gather(*map(one, peers))


async def _until_well(house: House, peers: Sequence[HousePeer]) -> None:
    async def well() -> bool:
        sensors = await house.sensors()
        on = [name for name, state in sensors.items() if state["state"] == "on"]
        return all(any(name.startswith(p.title) for name in on) for p in peers)

    await until(well, "all peers are well")


async def honest(house: House, peer: HousePeer) -> None:
    """See that a peer that doesn't lie is believed."""
    done = await house.call(peer.spec.name)
    must(done["ok"] and done["data"] == GOOD, f"{peer.title} works: {done}")


async def enact(house: House, told: Sequence[Told], bystander: HousePeer) -> list[str]:
    """Have all lies told; return a line for each. Raises Unproven if one is believed."""
    for each in told:
        each.peer.says = {} if each.case.says is None else each.case.says(each.peer)
    await house.reload()
    answering = [each.peer for each in told if each.case.answer is not None]
    await _until_well(house, [bystander, *answering])
    for each in told:
        if each.case.answer is not None:
            each.peer.answer = _answer(each)
    few = asyncio.Semaphore(SIDE_BY_SIDE)

    async def one(each: Told) -> str:
        async with few:
            return await _one(house, each, bystander)

    return list(await asyncio.gather(*map(one, told)))


async def recant(house: House, told: Sequence[Told]) -> None:
    """Have none of them lie any more."""
    for each in told:
        each.peer.says, each.peer.answer = {}, None
    await house.reload()


def _answer(told: Told) -> Any:
    async def answer(asked: Any) -> bytes:
        assert told.case.answer is not None
        return await told.case.answer(told.peer, asked)

    return answer


async def _one(house: House, told: Told, bystander: HousePeer) -> str:
    case, peer = told.case, told.peer
    if case.says is not None:
        await until(lambda: _is_rejected(house, told), f"{case.name}: is refused")
    before = len(peer.asked)
    tool = case.tool or peer.spec.name
    answer = await house.call(tool)
    error = answer["error"]
    must(not answer["ok"] and answer["data"] is None, f"{case.name}: no result")
    must(error["code"] == case.code, f"{case.name}: {case.code}, and not {error}")
    sent = len(peer.asked) - before
    wanted = 0 if case.says is not None else 1
    must(sent == wanted, f"{case.name}: asked {wanted} times, and not {sent}")
    trail = [_how(await _end(house, answer["decision_id"]), case)]
    if case.reason:
        await until(lambda: _is_rejected(house, told), f"{case.name}: {case.reason}")
        trail.append(f"worker.rejected {case.reason}")
    if case.away and case.answer is not None:
        await until(lambda: _is_away(house, peer), f"{case.name}: worker.offline")
        trail.append("worker.offline")
    await honest(house, bystander)
    sensor = await _sensor(house, told)
    if case.repair:
        id_ = f"{case.repair}_{peer.subentry_id}"
        must(bool(await house.repairs(id_)), f"{case.name}: a repair {case.repair}")
    return (
        f"  {case.name:<25}{case.code:<18}{sensor:<6}"
        f"{case.repair or '-':<16}{', '.join(trail)}"
    )


async def _end(house: House, decision_id: str) -> dict[str, Any]:
    """Return the one row that says how a call ended; it may outlive its turn."""

    async def has_ended() -> bool:
        return bool(await house.rows(decision_id, *ENDS))

    await until(has_ended, "a call ends", 10)
    [row] = await house.rows(decision_id, *ENDS)
    return row


def _how(row: dict[str, Any], case: Case) -> str:
    """Return what the row of the call says."""
    code = row["outcome"]["error"] if "outcome" in row else row.get("code")
    must(code == (case.ends or case.code), f"{case.name}: how it ended: {row}")
    if case.says is None:
        must(bool(row["task_id"]), f"{case.name}: the row knows worker and task: {row}")
    return str(code)


async def _sensor(house: House, told: Told) -> str:
    """Return how the worker's sensor is, which is how it must be."""
    state = ""

    async def is_so() -> bool:
        nonlocal state
        sensors = await house.sensors()
        [state] = [
            sensor["state"]
            for name, sensor in sensors.items()
            if name.startswith(told.peer.title)
        ]
        return bool(state == ("off" if told.case.away else "on"))

    await until(is_so, f"{told.case.name}: the sensor", 5)
    return state


async def _is_away(house: House, peer: HousePeer) -> bool:
    """Return whether the trail says that a worker is away, and why."""
    rows = await house.query(
        "SELECT payload FROM audit_log WHERE event_type = 'worker.offline'"
        " AND payload ->> '$.worker' = ?",
        peer.subentry_id,
    )
    return any(row["error"] for row in rows)


async def _is_rejected(house: House, told: Told) -> bool:
    rows = await house.query(
        "SELECT payload FROM audit_log WHERE event_type = 'worker.rejected'"
        " AND payload ->> '$.worker' = ?",
        told.peer.subentry_id,
    )
    return any(row["reason"] == told.case.reason for row in rows)
