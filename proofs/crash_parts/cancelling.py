"""Cancels a turn at every await point of a service in two steps."""

import asyncio
from pathlib import Path

from .findings import left_in, must
from .small_house import DATABASE, SmallHouse, small_house

# More steps of the loop than a call takes.
MOST_STEPS = 60


def prove_cancelling(folder: Path) -> str:
    """Return at how many points it was cancelled."""
    return asyncio.run(_prove(folder))


async def _prove(folder: Path) -> str:
    steps: dict[str, list[str]] = {}

    async def two_steps(context_id: str) -> None:
        steps[context_id] = ["first"]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        steps[context_id].append("second")

    both = none = 0
    async with small_house(folder, two_steps) as house:
        for point in range(MOST_STEPS):
            before = len(steps)
            await _cancelled_after(house, point)
            await _quiet(house)
            new = list(steps.values())[before:]
            must(new in ([], [["first", "second"]]), f"both steps or none: {new}")
            both += len(new)
            none += not new
    left = left_in(folder / DATABASE)
    must(not left.open, "each call has its outcome")
    must(set(steps) <= set(left.intents.values()), "each effect has its intent")
    must(both > 0 and none > 0, f"both kinds were met: {both}, {none}")
    return (
        f"cancelled at {MOST_STEPS} points of the loop: both steps {both} times, "
        f"none {none} times, half never; {len(left.intents)} intents, each with one "
        "outcome"
    )


async def _cancelled_after(house: SmallHouse, turns_of_the_loop: int) -> None:
    """Cancel a call after so many turns of the loop, or slices of a millisecond."""
    task = asyncio.ensure_future(house.act())
    for number in range(turns_of_the_loop):
        # The first ones are turns; later ones wait for the writer's thread.
        await asyncio.sleep(0 if number < 20 else 0.001)
    task.cancel()
    await asyncio.wait({task})


async def _quiet(house: SmallHouse) -> None:
    """Wait until what the cancelled turn left running is concluded.

    Calls that change something go one at a time, so another one comes after it.
    """
    seen = asyncio.all_tasks() - {asyncio.current_task()}
    running = {task for task in seen if task.get_name().startswith("caesar light")}
    if running:
        await asyncio.wait(running)
    await house.audit.async_export("")
