"""The story of two workers on another host, and what Home Assistant makes of it."""

import asyncio
from asyncio.subprocess import Process
from contextlib import AsyncExitStack
from pathlib import Path
import signal
import time
from typing import Final

from house.moving_in import build_house, set_up_caesar
from house.options import Brain, BrainKind
from proofs.crash_parts.findings import must

from .away import Desk, Installing, Settings, end
from .network import WORKERS_ADDRESS, Host
from .standing import FOUND, House, Step, standing_house, until
from .transcript import Transcript

QUESTION: Final = "which bin goes out next"
ANSWER: Final = "paper"
TOOL: Final = "bin_days"
PORT: Final = 8765
MOVED: Final = 8799
SECOND: Final = 8866
# A worker that comes back does not have to wait for it.
REST_S: Final = 10
# A turn with a tool that hangs ends with the tool's own second, and two for the way.
LONGEST_TURN_S: Final = 6.0
BREAKER: Final = (
    "SELECT payload FROM audit_log WHERE event_type = 'sentinel.breaker'"
    " ORDER BY chain_seq"
)
POLICY: Final = f"""version: 1
allowed_services:
  - light.turn_on
sentinel:
  circuit_breaker_cooldown_secs: {REST_S}
"""


async def tell(
    transcript: Transcript,
    host: Host,
    installing: Installing,
    folder: Path,
    *,
    whole: bool,
) -> None:
    """Go through all of it. Raises Unproven where it is otherwise."""
    async with AsyncExitStack() as stack:
        house = await stack.enter_async_context(
            standing_house(folder / "config", POLICY)
        )
        transcript.say("Home Assistant runs on the first host")
        await move_in(house)
        holds = await asyncio.to_thread(installing.done)
        transcript.say(f"the second host has {holds}, and no Home Assistant")
        desk = Desk(host, folder / "environment", folder / "desk")
        await Story(transcript, house, desk, stack).all(whole=whole)
    log = (folder / "config" / "console.log").read_text(encoding="utf-8")
    must(
        "Traceback" not in log, f"Home Assistant's log has no traceback: {log[-3000:]}"
    )


async def move_in(house: House) -> None:
    """Set CAESAR up, through its own form."""
    await build_house(house.owner, None)
    await set_up_caesar(house.owner, Brain(kind=BrainKind.BUILTIN), "everyday")


class Story:
    """Each step says what came of it, and when."""

    def __init__(
        self, transcript: Transcript, house: House, desk: Desk, stack: AsyncExitStack
    ) -> None:
        """Take the stage; what is started ends with `stack`."""
        self._say = transcript.say
        self._house = house
        self._desk = desk
        self._stack = stack
        self._serving = ""

    async def all(self, *, whole: bool) -> None:
        """Tell it in order."""
        key = await self._house_key()
        attic = await self._desk.make("attic", key)
        process = await self._start(attic, PORT)
        await self._enrol(attic, rule=True)
        await self._asked("attic")
        await self._killed(process)
        if whole:
            process = await self._back(attic, PORT, "at the same port")
            await self._breaker("closed")
            await end(process)
            await until(self._is_off, "the next hello finds it away")
        process = await self._back(attic, MOVED, "at another port")
        cellar = await self._desk.make("cellar", key)
        second = await self._start(cellar, SECOND)
        await self._enrol(cellar, rule=False)
        await self._in_turn()
        await self._taken_over(process)
        await self._frozen(second, whole=whole)

    async def _house_key(self) -> str:
        """Read the house's key where a person does."""
        form = await self._house.begin("worker")
        key: str = form["description_placeholders"]["house_key"]
        await self._house.shut(form)
        return key

    async def _start(self, made: Settings, port: int) -> Process:
        process = await self._stack.enter_async_context(self._desk.serving(made, port))
        self._say(f"{made.name} serves {TOOL} at {WORKERS_ADDRESS}:{port}, announced")
        return process

    async def _enrol(self, made: Settings, *, rule: bool) -> None:
        """Go from the repair to the form, as a person does, and compare the key."""
        began = time.monotonic()
        house = self._house

        async def is_found() -> bool:
            return bool(await house.repairs(FOUND))

        await until(is_found, f"{made.name} is found")
        [issue] = await house.repairs(FOUND)
        said = issue["translation_placeholders"]
        must(said["key"] == made.public_key, "the repair shows the key that it printed")
        self._say(
            f"Home Assistant found {said['name']} {time.monotonic() - began:.1f} s after"
            " its announcement; its key is compared"
        )
        step = await house.mend(issue["issue_id"])
        step = await house.go_on(step, next_step_id="compare")
        must(
            step["description_placeholders"]["key"] == made.public_key,
            "the dialog shows the key that the worker printed",
        )
        step = await house.go_on(step, same_key=True)
        must(step["type"] == "abort" and "next_flow" in step, f"a form opens: {step}")
        form = await house.form(step["next_flow"][1])
        await self._fill(form, made, rule=rule)
        await house.until_on(made.name)
        must(not await house.repairs(FOUND), "the repair is gone")
        self._say(f"{made.name} was added, and its sensor is on")

    async def _fill(self, form: Step, made: Settings, *, rule: bool) -> None:
        must(form["step_id"] == "tools", f"the form shows what it offers: {form}")
        must(QUESTION[:5] in str(form["description_placeholders"]), "its sentences too")
        claims = [f"{TOOL}.{name}" for name in ("read_only", "open_world")]
        step = await self._house.fill(
            form, name=made.name, tools=[TOOL], confirmed=claims
        )
        if rule:
            must(step.get("step_id") == "rule", f"the policy lacks a line: {step}")
            step = await self._house.fill(step, rule="allow")
        must(step["type"] == "create_entry", f"it is added: {step}")

    async def _asked(self, *workers: str, attempt: int = 1) -> str:
        """Ask; see the answer, and in the trail which of these workers gave it."""
        turn = await self._house.ask(QUESTION)
        must(ANSWER in turn.answer.lower(), f"it is answered: {turn}")
        assert turn.decision_id is not None
        [row] = await self._house.rows(turn.decision_id, "tool.called")
        must(row["worker"] in workers, f"by {workers}: {row}")
        must(row["attempt"] == attempt, f"at attempt {attempt}: {row}")
        worker: str = row["worker"]
        again = f", attempt {attempt}" if attempt > 1 else ""
        self._say(
            f"“{QUESTION}?” – “{turn.answer}” ({worker}, task {row['task_id']}{again})"
        )
        return worker

    async def _refused(self, code: str) -> None:
        """Ask; get words, soon, and no answer."""
        began = time.monotonic()
        turn = await self._house.ask(QUESTION)
        took = time.monotonic() - began
        must(
            bool(turn.answer) and ANSWER not in turn.answer.lower(),
            f"it says so: {turn}",
        )
        must([call["code"] for call in turn.calls] == [code], f"{code}: {turn.calls}")
        must(took < LONGEST_TURN_S, f"within {LONGEST_TURN_S} s: {took:.1f}")
        self._say(f"“{QUESTION}?” – “{turn.answer}” ({code}, {took:.2f} s)")

    async def _killed(self, process: Process) -> None:
        await end(process)
        self._say("it is killed with signal 9")
        for _ in range(3):
            await self._refused("no_worker")
        await self._refused("circuit_open")
        await self._breaker("open")
        await until(self._is_off, "the sensor is off")
        [row] = await self._house.query(
            "SELECT payload FROM audit_log WHERE event_type = 'worker.offline'"
        )
        self._say(f"its sensor is off; the trail: worker.offline, {row['error']}")

    async def _breaker(self, state: str) -> None:
        rows = await self._house.query(BREAKER)
        must(rows[-1]["to"] == state, f"the breaker is {state}: {rows}")
        self._say(f"the trail: sentinel.breaker, {rows[-1]['from']} to {state}")

    async def _has_opened_again(self) -> bool:
        rows = await self._house.query(BREAKER)
        return [row["to"] for row in rows].count("open") == 2

    async def _is_off(self) -> bool:
        return not await self._house.is_on("attic")

    async def _back(self, made: Settings, port: int, how: str) -> Process:
        process = await self._start(made, port)
        began = time.monotonic()
        await self._house.until_on(made.name)
        self._say(f"found again {how} in {time.monotonic() - began:.1f} s, no click")
        await self._asked(made.name)
        return process

    async def _in_turn(self) -> None:
        asked = {await self._asked("attic", "cellar") for _ in range(2)}
        must(asked == {"attic", "cellar"}, f"they take turns: {asked}")

    async def _taken_over(self, process: Process) -> None:
        await end(process)
        self._say("attic, whose turn it is, is killed")
        await self._asked("cellar", attempt=2)
        for _ in range(2):
            await self._asked("cellar")

    async def _frozen(self, process: Process, *, whole: bool) -> None:
        """A worker that is there and says nothing: words, a breaker, and no hang."""
        process.send_signal(signal.SIGSTOP)
        self._say("cellar freezes (signal STOP)")
        for _ in range(3):
            await self._refused("still_running")
        # A turn does not wait for as long as the call, which may still end well.
        await until(self._has_opened_again, "the breaker opens", 10)
        await self._refused("circuit_open")
        process.send_signal(signal.SIGCONT)
        if whole:
            await asyncio.sleep(REST_S)
            await self._house.until_on("cellar")
            await self._asked("cellar")
            await self._breaker("closed")
