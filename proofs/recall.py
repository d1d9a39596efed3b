"""Find sixteen remembered sentences by questions that share no word with them.

Usage: script/prove recall [--small] [--rows N]

The sentences and questions are our own. Found by words (the worker as it is), and by
meaning with each embedder: wordllama's table, and Ollama's and OpenAI's wire over a fake
server that has that table's vectors. At least 14 of 16 must be among the first three for
each of those. Then N rows (100,000) are fed as a house feeds them, and questions timed.

`--small` installs nothing: it has 2,000 rows, and the fake server's vectors are hashed
words. Such vectors know no meaning, so each sentence must be found by itself, by words
and over both wires, and the answer must say by which.
"""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
import random
import re
import resource
import statistics
import subprocess
import sys
import time
from typing import Any, Final

from custom_components.caesar.legion.environment import Environment
from custom_components.caesar.legion.tools import semantic_recall
from custom_components.caesar.legion.tools.recall.embedders import TableEmbedder
from custom_components.caesar.legion.worker import Task, Worker
from tests.fakes.embeddings_api import Embed, FakeEmbeddings, hashed

ROWS: Final = 100_000
SMALL: Final = 2_000
BATCH: Final = 200
WANTED: Final = 14
FIRST: Final = 3
PAIRS: Final = (
    ("The boiler lost pressure again", "Was there trouble with heating water?"),
    ("Grandma arrives by train on Friday", "When is our elderly relative visiting?"),
    ("The dog needs his injection next week", "Does a pet have to see the vet?"),
    ("I parked the car behind the school", "Where did I leave my vehicle?"),
    ("The dishwasher leaks onto the floor", "Which kitchen appliance spills?"),
    ("Buy milk, bread and eggs", "What groceries do we want?"),
    ("The baby finally fell asleep at nine", "How late did our infant go to bed?"),
    ("The roses want pruning in March", "When should garden flowers be cut?"),
    ("My flight to Lisbon leaves at noon", "What time does my plane depart?"),
    ("The wifi password is on the fridge", "How can guests get internet access?"),
    ("We owe the plumber two hundred euros", "Do I have to pay some repairman money?"),
    ("The smoke alarm beeped all night", "Which fire detector made noise?"),
    ("Turn the bedroom down, it is too warm", "Did anybody find it hot for sleeping?"),
    ("Emma has piano lessons on Tuesdays", "On which weekday is music class?"),
    (
        "The solar panels made little power today",
        "How much electricity came off our roof?",
    ),
    ("The doctor wants me to take pills daily", "What medicine must I swallow?"),
)
SENTENCES: Final = tuple(sentence for sentence, _ in PAIRS)
ROOT: Final = Path(__file__).resolve().parent.parent
_WORD: Final = re.compile(r"\w+")


async def send(worker: Worker, ending: str, **given: Any) -> Any:
    """Send a worker the house's message."""
    name = worker.tools[0].name + ending
    return await worker.handle(Task(id="0", tool=name, input=given))


async def feed(worker: Worker, texts: Sequence[str]) -> float:
    """Feed texts as rows of one owner, and wait for their vectors; return seconds."""
    began = time.perf_counter()
    last = 0
    for start in range(0, len(texts), BATCH):
        batch = texts[start : start + BATCH]
        rows = [[start + n, "a", "k", text] for n, text in enumerate(batch, start=1)]
        answer = await send(worker, "__feed", run="r", after=last, rows=rows, erase=[])
        last = answer["last"]
        await asyncio.sleep(0)
    while True:
        answer = await send(worker, "__feed", run="r", after=last, rows=[], erase=[])
        if not answer["waiting"]:
            return time.perf_counter() - began
        await asyncio.sleep(0.01)


async def hits(worker: Worker, asked: Sequence[str]) -> int:
    """Return how many of the questions find their sentence among the first three."""
    found = 0
    for number, question in enumerate(asked, start=1):
        answer = await ask(worker, question)
        found += number in [hit[0] for hit in answer["hits"]]
    return found


async def ask(worker: Worker, question: str) -> Any:
    """Ask for the first three."""
    return await send(
        worker, "__find", run="r", owners=["a"], query=question, limit=FIRST
    )


async def measured(name: str, settings: dict[str, str], rows: int) -> tuple[int, int]:
    """Print what an embedder finds and what it costs.

    Return how many of the questions find their sentence, and how many of the sentences
    themselves do.
    """
    values = {f"CAESAR_TOOLS__RECALL__{key}": each for key, each in settings.items()}
    worker = semantic_recall.create(Environment(values))
    await worker.start()
    await feed(worker, SENTENCES)
    found = await hits(worker, [question for _, question in PAIRS])
    same = await hits(worker, SENTENCES)
    await worker.stop()
    worker = semantic_recall.create(Environment(values))
    await worker.start()
    words = sorted({word for pair in PAIRS for text in pair for word in text.split()})
    rng = random.Random(5)
    seconds = await feed(
        worker, [" ".join(rng.choices(words, k=20)) for _ in range(rows)]
    )
    times = []
    spent = time.process_time()
    for _, question in PAIRS:
        began = time.perf_counter()
        answer = await ask(worker, question)
        times.append(time.perf_counter() - began)
    spent = (time.process_time() - spent) / len(PAIRS)
    await worker.stop()
    by = "words" if settings["EMBEDDER"] == "words" else "meaning"
    if answer["found_by"] != by:
        raise AssertionError(f"{name} found by {answer['found_by']}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{name:<16} {found:2}/{len(PAIRS)} by {by:<8} {rows} rows fed in "
        f"{seconds:.1f} s, a question {statistics.median(times) * 1000:.1f} ms "
        f"(slowest {max(times) * 1000:.0f}, of a processor {spent * 1000:.0f} each), "
        f"the process's peak so far {peak:.0f} MB",
        flush=True,
    )
    return found, same


async def over_the_wire(kind: str, embed: Embed, rows: int) -> tuple[int, int]:
    """Measure an embedder that asks a server with these vectors."""
    server = FakeEmbeddings(embed)
    settings = {"EMBEDDER": kind, "URL": await server.start(), "MODEL": "m"}
    try:
        return await measured(f"{kind}'s wire", settings, rows)
    finally:
        await server.stop()


async def prove(rows: int, small: bool) -> str:
    """Measure all; return what does not hold."""
    for sentence, question in PAIRS:
        shared = {w.lower() for w in _WORD.findall(sentence)} & {
            w.lower() for w in _WORD.findall(question)
        }
        if shared - {"the", "is", "i", "to", "my", "it", "on", "me"}:
            return f"{question!r} shares {shared} with its sentence"
    results = {"words": await measured("words", {"EMBEDDER": "words"}, rows)}
    if not small:
        settings = {"EMBEDDER": "wordllama"}
        results["wordllama"] = await measured("wordllama", settings, rows)
    for kind in ("ollama", "openai"):
        embed = hashed if small else TableEmbedder().vectors
        results[kind] = await over_the_wire(kind, embed, rows)
    for name, (found, same) in results.items():
        if same != len(PAIRS):
            return f"{name}: {len(PAIRS) - same} sentences are not found by themselves"
        if not small and name != "words" and found < WANTED:
            return f"{name}: {found} of {len(PAIRS)}, and {WANTED} are promised"
    return ""


def borrow_table() -> None:
    """Let this process find wordllama in the environment that is its own.

    What both have, numpy, stays ours: that folder is looked into last.
    """
    done = subprocess.run(
        [ROOT / "script" / "embeddings.sh"], check=True, stdout=subprocess.PIPE
    )
    home = Path(done.stdout.decode().strip()).parent.parent
    (packages,) = home.glob("lib/python*/site-packages")
    sys.path.append(str(packages))


def main() -> int:
    """Return 0 if the promise holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--rows", type=int)
    options = parser.parse_args()
    if not options.small:
        borrow_table()
    rows = options.rows or (SMALL if options.small else ROWS)
    wrong = asyncio.run(prove(rows, options.small))
    print(wrong or "All of it holds.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
