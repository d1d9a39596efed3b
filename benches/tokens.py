"""What a turn costs in tokens, as the home grows: CAESAR beside core's Anthropic agent.

Usage: script/bench tokens [--small] [--tokenizer NODE_MODULES]

The same model's server, the same home, the same words, one after the other in one
Home Assistant. A token is four characters of the request's JSON; with --tokenizer (a
folder `node_modules` that holds gpt-tokenizer) the first request is also counted by
o200k. The server bills cache reads by the vendor's rules: one run as a model that keeps
prefixes of 1,024 tokens or more (Sonnet), one of 4,096 (Haiku 4.5). The bounds of
DESIGN 10 are checked: a breach ends with 1. The model is scripted: it shows what its
prompt lets it do in one go, not what a real one makes of it.
"""

import argparse
import asyncio
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
import json
from multiprocessing import get_context
from pathlib import Path
import subprocess
import sys
import tempfile
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "demo"))

from benches.turn_parts.cache import Billed, Body, PromptCache, before_the_conversation
from benches.turn_parts.home import Home, home
from benches.turn_parts.model import Obedient

SIZES: Final = (10, 100, 1_000, 10_000)
AGENTS: Final = ("core", "CAESAR")
TASKS: Final = (
    "turn on the kitchen light",
    "turn on the kitchen ceiling",
    "is the kitchen ceiling on?",
    "hello",
)
MOST_TOKENS: Final = 3_000
MOST_GROWTH: Final = 1.2
MINIMA: Final = {"Sonnet": 1_024, "Haiku 4.5": 4_096}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn: its requests, what they were billed, the lights that it turned on."""

    requests: tuple[Body, ...]
    billed: tuple[Billed, ...]
    lit: int

    @property
    def sent(self) -> int:
        """Return the tokens of all round trips."""
        return sum(each.sent for each in self.billed)


async def ask(house: Home, api: Obedient, agent: str, text: str) -> Turn:
    """Say something and return what it cost."""
    before = len(api.rounds)
    await house.say(agent, text)
    turn = Turn(
        requests=tuple(api.rounds[before:]),
        billed=tuple(api.billed[before:]),
        lit=len(house.lit()),
    )
    assert len(turn.requests) == len(turn.billed) > 0, (agent, text)
    return turn


def measured(count: int) -> dict[str, dict[str, Turn]]:
    """Measure in a process of its own: it holds one Home Assistant, not two."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_measured, count).result()


def _measured(count: int) -> dict[str, dict[str, Turn]]:
    return asyncio.run(measure(count))


async def measure(count: int) -> dict[str, dict[str, Turn]]:
    """Return the turns of both agents in a home of so many lights."""
    async with Obedient(PromptCache(0)) as api, home(count, api.url) as house:
        found = {
            agent: {task: await ask(house, api, agent, task) for task in TASKS}
            for agent in AGENTS
        }
        before = len(api.rounds)
        await house.say("CAESAR, built in", TASKS[1])
        assert len(house.lit()) == 1, "the built-in brain did not act"
        assert len(api.rounds) == before, "the built-in brain asked a model"
        return found


def billed_again(turns: dict[str, Turn], minimum: int) -> Iterator[tuple[str, Billed]]:
    """Yield what the first request of each turn costs where a prefix has a minimum."""
    cache = PromptCache(minimum)
    for task, turn in turns.items():
        bills = [cache.ask(request) for request in turn.requests]
        yield task, bills[0]


def show(count: int, found: dict[str, dict[str, Turn]]) -> None:
    """Print the figures of a home."""
    for agent, turns in found.items():
        first = turns[TASKS[0]].requests[0]
        reads = [
            f"{name} {bills[1][1].read:>6,} of {bills[1][1].sent:>6,}"
            for name, minimum in MINIMA.items()
            if (bills := list(billed_again(turns, minimum)))
        ]
        print(
            f"{count:>6,} {agent:7} {before_the_conversation(first):>8,}"
            + "".join(
                f" {turns[task].sent:>9,} / {len(turns[task].requests)}"
                for task in TASKS
            )
            + f"   turn two reads: {'; '.join(reads)}"
        )


def problems(found: dict[int, dict[str, dict[str, Turn]]]) -> Iterator[str]:
    """Yield what breaks a promise."""
    sizes = {
        count: before_the_conversation(agents["CAESAR"][TASKS[0]].requests[0])
        for count, agents in found.items()
    }
    for count, size in sizes.items():
        if size > MOST_TOKENS:
            yield f"{size} tokens before the conversation at {count} entities"
        if count > 100 and 100 in sizes and size > MOST_GROWTH * sizes[100]:
            yield f"{count} entities: {size / sizes[100]:.2f} times those of 100"
    for count, agents in found.items():
        turns = agents["CAESAR"]
        for task in TASKS[:2]:
            if not turns[task].lit:
                yield f"{count} entities: '{task}' turned nothing on"
            if len(turns[task].requests) > 2:
                yield f"{count} entities: '{task}' took more than two round trips"
        two = dict(billed_again(turns, MINIMA["Sonnet"]))[TASKS[1]]
        if count >= 100 and not two.read:
            yield f"{count} entities: turn two reads nothing of turn one's cache"


def count_really(bodies: dict[str, Body], modules: Path) -> None:
    """Print the tokens of requests by a real tokenizer, which Node runs."""
    program = (
        "const {encode}=require('gpt-tokenizer/encoding/o200k_base');"
        "const texts=JSON.parse(require('fs').readFileSync(process.argv[1],'utf8'));"
        "for(const [k,v] of Object.entries(texts))console.log(k,encode(v).length,"
        "'of',v.length,'characters');"
    )
    texts = {
        name: json.dumps(
            {key: value for key, value in body.items() if key != "messages"},
            ensure_ascii=False,
            separators=(",", ":"),
        )
        for name, body in bodies.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.json"
        path.write_text(json.dumps(texts), encoding="utf-8")
        told = subprocess.run(
            ["node", "-e", program, str(path)],
            env={"NODE_PATH": str(modules), "PATH": "/usr/bin:/bin:/usr/local/bin"},
            check=True,
            capture_output=True,
            text=True,
        )
    print("before the conversation, by o200k:")
    print(told.stdout, end="")


def main() -> int:
    """Measure and print; return 1 if a promise does not hold."""
    parser = argparse.ArgumentParser(prog="script/bench tokens")
    parser.add_argument("--small", action="store_true", help="100 and 1,000 entities")
    parser.add_argument("--tokenizer", type=Path, metavar="NODE_MODULES")
    options = parser.parse_args()
    print("tokens of a turn / its round trips; the first column: before the")
    print("conversation, in the first request of the first turn")
    print(" lights agent     before  " + "  ".join(f"{task!r}" for task in TASKS))
    found: dict[int, dict[str, dict[str, Turn]]] = {}
    for count in SIZES[1:3] if options.small else SIZES:
        found[count] = measured(count)
        show(count, found[count])
    print("the built-in brain: 0 tokens, 0 round trips, at every size")
    if options.tokenizer is not None:
        bodies = {
            f"{count} {agent}": turns[TASKS[0]].requests[0]
            for count, agents in found.items()
            for agent, turns in agents.items()
        }
        count_really(bodies, options.tokenizer)
    broken = list(problems(found))
    for problem in broken:
        print(f"NOT SO: {problem}")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main())
