"""No request, well or badly formed, makes a worker's server fail or do what it must not.

Usage: script/prove legion_http [--small]

First schemathesis, by an OpenAPI description made from the specifications of the tools,
through a proxy that signs each request and checks the signature of each reply. Then raw
bytes: signed requests bent anywhere, on connections of their own; what was bent counts
for nothing, what was not is answered. Real sockets and the real server.
"""

import asyncio
from collections import Counter
import os
from pathlib import Path
import random
import sys
from tempfile import TemporaryDirectory
from typing import Final

from custom_components.caesar.legion.messages import DispatchRequest
from custom_components.caesar.legion.wire import dispatch_to_bytes

from .legion_http_parts.stage import LOOPBACK, Stage, stage

ROOT: Final = Path(__file__).resolve().parent.parent
HOOKS: Final = "proofs.legion_http_parts.hooks"
# An unknown method is a 404 here, and refused input can be a 200 that says so: the
# checks of our own see to that.
LEFT_OUT: Final = "unsupported_method,negative_data_rejection,missing_required_header"
SEED: Final = 9421
ANSWER_S: Final = 1.0
AT_ONCE: Final = 16
WAITING: Final = "no answer yet"


async def schemathesis(made: Stage, examples: int) -> int:
    """Return the exit code of schemathesis, whose report goes to stdout."""
    command = await _line("script/schemathesis.sh")
    # It keeps what it found where it runs, and would begin with that the next time.
    with TemporaryDirectory(prefix="caesar-legion-http-") as folder:
        process = await asyncio.create_subprocess_exec(
            command,
            "run",
            f"{made.url}/openapi.json",
            f"--exclude-checks={LEFT_OUT}",
            f"--max-examples={examples}",
            f"--seed={SEED}",
            "--phases=examples,coverage,fuzzing",
            "--generation-database=none",
            "--no-color",
            cwd=folder,
            env={**os.environ, "SCHEMATHESIS_HOOKS": HOOKS, "PYTHONPATH": str(ROOT)},
        )
        return await process.wait()


async def bent_bytes(made: Stage, count: int) -> Counter[str]:
    """Send bent requests, and return how often which status came back."""
    chance = random.Random(SEED)
    found: Counter[str] = Counter()
    numbers = iter(range(count))

    async def lane() -> None:
        for number in numbers:
            whole = _request(made, number)
            sent = whole if number % 10 == 0 else _bent(whole, chance)
            answer = await _answer(made, sent)
            if not _is_right(answer, sent, whole, number):
                raise SystemExit(f"{answer!r} to {sent!r}")
            found[_status(answer)] += 1

    async with asyncio.TaskGroup() as lanes:
        for _ in range(AT_ONCE):
            lanes.create_task(lane())
    return found


def _is_right(answer: bytes, sent: bytes, whole: bytes, number: int) -> bool:
    """Return whether an answer is one that these bytes may have.

    Where only the writing of what is signed was bent (a blank, the case of a name, a
    parameter twice), what is carried out is what was signed.
    """
    status = _status(answer)
    done = b'"result":{"input":{"text":"hello"}}' in answer
    if status == "200":
        return done and b'"task_id":"raw-%d"' % number in answer
    return sent != whole and status in {"400", "401", "413", WAITING}


def _status(answer: bytes) -> str:
    return answer.split(b" ", 2)[1].decode() if answer else WAITING


def _request(made: Stage, number: int) -> bytes:
    body = dispatch_to_bytes(
        DispatchRequest(
            task_id=f"raw-{number}",
            tool="everything",
            input={"text": "hello"},
            decision_id="d",
            deadline_ms=1_000,
        )
    )
    path = "/v1/dispatch/tool.everything"
    request = made.signed("POST", path, body)
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: {made.worker.url.removeprefix('http://')}",
        f"Content-Length: {len(body)}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in request.headers.items()),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def _bent(data: bytes, chance: random.Random) -> bytes:
    """Return the bytes with one to three of them changed, doubled, lost or moved."""
    bent = bytearray(data)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(bent))
        match chance.randrange(4):
            case 0:
                bent[place] = chance.randrange(256)
            case 1:
                bent[place:place] = bent[place : place + chance.randint(1, 20)]
            case 2:
                del bent[place : place + chance.randint(1, 20)]
            case _:
                other = chance.randrange(len(bent))
                bent[place], bent[other] = bent[other], bent[place]
    return bytes(bent)


async def _answer(made: Stage, sent: bytes) -> bytes:
    """Return the answer, nothing if the worker waits for the rest."""
    port = int(made.worker.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        writer.write(sent)
        async with asyncio.timeout(ANSWER_S):
            return await reader.read()
    except TimeoutError:
        return b""
    finally:
        writer.close()


async def _line(script: str) -> str:
    process = await asyncio.create_subprocess_exec(
        ROOT / script, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    out, _ = await process.communicate()
    if process.returncode:
        raise SystemExit(f"{script} failed")
    return out.decode().split("\n", maxsplit=1)[0]


async def prove(examples: int, bent: int) -> int:
    """Run both."""
    async with stage() as made:
        code = await schemathesis(made, examples)
        if code or made.passed < examples:
            print(f"schemathesis: exit code {code} after {made.passed} requests")
            return 1
        print(f"schemathesis: {made.passed} requests, 0 failures; {made.statuses}")
        found = await bent_bytes(made, bent)
        print(f"bent bytes: {bent} requests, 0 failures; {dict(found)}")
        if made.server.inflight:
            print("a task was left behind")
            return 1
    return 0


def main() -> int:
    """Prove it."""
    small = "--small" in sys.argv[1:]
    return asyncio.run(prove(25 if small else 500, 1_000 if small else 20_000))


if __name__ == "__main__":
    raise SystemExit(main())
