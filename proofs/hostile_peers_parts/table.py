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
# Rows of a turn that say what came of a call.
ENDS: Final = ("tool.called", "tool.denied", "tool.invalid")


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A lie, and the peer that tells it."""

    case: Case
    peer: HousePeer


async def all_honest(house: House, peers: Sequence[HousePeer]) -> None:
    """See that each is well, and that its tool works."""

    async def well() -> bool:
        sensors = await house.sensors()
        on = [name for name, state in sensors.items() if state["state"] == "on"]
        return all(any(name.startswith(p.title) for name in on) for p in peers)

    await until(well, "all peers are well")
    await asyncio.gather(*(honest(house, peer) for peer in peers))


async def honest(house: House, peer: HousePeer) -> None:
    """See that a peer that doesn't lie is believed."""
    done = await house.call(peer.spec.name)
    must(done["ok"] and done["data"] == GOOD, f"{peer.title} works: {done}")


async def enact(house: House, told: Sequence[Told], bystander: HousePeer) -> list[str]:
    """Have all lies told; return a line for each. Raises Unproven if one is believed."""
    for each in told:
        each.peer.says = {} if each.case.says is None else each.case.says(each.peer)
    await house.reload()
    await honest_soon(house, bystander)
    for each in told:
        if each.case.answer is not None:
            each.peer.answer = _answer(each)
    return list(
        await asyncio.gather(*(_one(house, each, bystander) for each in told))
    )


async def recant(house: House, told: Sequence[Told]) -> None:
    """Have none of them lie any more."""
    for each in told:
        each.peer.says, each.peer.answer = {}, None
    await house.reload()


async def honest_soon(house: House, peer: HousePeer) -> None:
    """Wait for a peer that was loaded anew."""
    await house.until_on(peer.title)
    await honest(house, peer)


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
    rows = await house.rows(answer["decision_id"], *ENDS)
    must(len(rows) == 1, f"{case.name}: one row says how it ended: {rows}")
    trail = [_how(rows[0], case)]
    if case.reason:
        await until(lambda: _is_rejected(house, told), f"{case.name}: {case.reason}")
        trail.append(f"worker.rejected {case.reason}")
    await honest(house, bystander)
    sensor = await _sensor(house, told)
    if case.repair:
        id_ = f"{case.repair}_{peer.subentry_id}"
        must(bool(await house.repairs(id_)), f"{case.name}: a repair {case.repair}")
    return (
        f"  {case.name:<25}{case.code:<18}{sensor:<6}"
        f"{case.repair or '-':<16}{', '.join(trail)}"
    )


def _how(row: dict[str, Any], case: Case) -> str:
    """Return what the row of the call says."""
    code = row["outcome"]["error"] if "outcome" in row else row.get("code")
    must(code == case.code, f"{case.name}: the trail says {case.code}: {row}")
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
        return state == ("off" if told.case.away else "on")

    await until(is_so, f"{told.case.name}: the sensor", 5)
    return state


async def _is_rejected(house: House, told: Told) -> bool:
    rows = await house.query(
        "SELECT payload FROM audit_log WHERE event_type = 'worker.rejected'"
        " AND payload ->> '$.worker' = ?",
        told.peer.subentry_id,
    )
    return any(row["reason"] == told.case.reason for row in rows)
