"""Throw hostile and random text at the calculator: a value or a plain refusal, at once.

Usage: script/prove calculator [--small] [--count N] [--seed N]

N inputs (10,000,000; 20,000 with --small) come from a grammar, from mutations of it and
from raw bytes, over two processes. While one is worked out, an audit hook of Python's
(PEP 578) ends it if anything is opened, compiled, run, imported or connected. Each must
end within its bound, in a result that is JSON or in a TaskError, and nothing else.
"""

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
import json
import multiprocessing
import os
import random
import resource
import socket
import subprocess
import sys
import time
from typing import Final

from custom_components.caesar.legion.tools.calculator.arithmetic import FUNCTIONS
from custom_components.caesar.legion.tools.calculator.offer import SPEC
from custom_components.caesar.legion.tools.calculator.tokens import PHRASES
from custom_components.caesar.legion.tools.calculator.units import UNITS
from custom_components.caesar.legion.tools.calculator.worker import calculate
from custom_components.caesar.legion.worker import TaskError

PROCESSES: Final = 2
CHUNK: Final = 10_000
COUNT: Final = 10_000_000
SMALL: Final = 20_000
# Of processor time: other work on the machine is not the calculator's.
BOUND_S: Final = 0.05
MEMORY_BYTES: Final = 1 << 30
LONGEST: Final = 256

_FORBIDDEN: Final = (
    "open",
    "exec",
    "compile",
    "import",
    "subprocess.",
    "socket.",
    "os.",
    "ctypes.",
    "pty.",
    "shutil.",
    "object.__",
    "sys.",
    "code.",
)
_FUNCTIONS: Final = tuple(FUNCTIONS)
_OPERATORS: Final = ("+", "-", "*", "/", "//", "%", "**", "^", ":", "mod")
_WORDS: Final = tuple(" ".join(phrase) for phrase in PHRASES)
_ALIKE: Final[dict[str, list[str]]] = {}
for _unit in UNITS:
    _names = (_unit.symbol, *_unit.names["en"], *_unit.names["de"])
    _ALIKE.setdefault(_unit.dimension, []).extend(_names)
_DIMENSIONS: Final = tuple(_ALIKE.values())
_UNITS: Final = tuple(name for names in _DIMENSIONS for name in names)
_HOSTILE: Final = (
    "__import__('os').system('id')",
    "().__class__.__bases__[0].__subclasses__()",
    "9**9**9**9",
    "10**10000000",
    "lambda: 0",
    "[x for x in range(10**10)]",
    "'a'*10**9",
    "f'{1:>1000000000}'",
    "round(2.345,2)",
    "1e999999999",
    "pow(2,10000,10**999)",
    "\x00",
    "\u0661\u0662",
    "1_000",
    "0x10",
    "1j",
    "nan",
    "inf",
)
_LANGUAGES: Final = ("en", "de", "de-CH", "fr", "", "x" * 40)


@dataclass(slots=True)
class Seen:
    """What came of a number of inputs. `worst` is in seconds, with its input."""

    values: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    worst: tuple[float, str] = (0.0, "")
    failures: list[str] = field(default_factory=list)

    def add(self, other: Seen) -> None:
        """Take in what another part saw."""
        self.values += other.values
        self.refused += other.refused
        self.worst = max(self.worst, other.worst)
        self.failures += other.failures


class Escape(BaseException):
    """The calculator reached for something that no calculator needs."""


_watching = False


def _watch(event: str, _arguments: object) -> None:
    if _watching and event.startswith(_FORBIDDEN):
        raise Escape(event)


def _start() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    # What a first use imports is none of an input's doing.
    calculate("sqrt(2) ** 3")
    calculate("5 miles in kilometres", language="de")
    sys.addaudithook(_watch)
    _try_the_hook()


def _try_the_hook() -> None:
    """Raise if the hook would let something through: else the proof proves nothing."""
    global _watching  # noqa: PLW0603 the hook, which lasts, has no other view of this
    for reach in (
        lambda: open(os.devnull, "rb").close(),  # noqa: PTH123 what an escape would use
        lambda: compile("1", "", "eval"),
        lambda: __import__("this_is_not_there"),
        lambda: subprocess.run(("true",), check=False),
        socket.socket,
    ):
        _watching = True
        try:
            reach()
        except Escape:
            continue
        finally:
            _watching = False
        raise AssertionError("the audit hook doesn't watch")


def _number(dice: random.Random) -> str:
    match dice.randrange(8):
        case 0:
            return str(dice.randrange(10 ** dice.choice((1, 2, 20, 200))))
        case 1:
            return f"{dice.uniform(-1e6, 1e6):.{dice.randrange(12)}f}"
        case 2:
            return f"{dice.randrange(100)}e{dice.randrange(-420, 420)}"
        case 3:
            return dice.choice(("pi", "e", "tau", "half", "twenty-five", "zwölf"))
        case 4:
            return f"{dice.randrange(1000)},{dice.randrange(1000):03}"
        case _:
            return str(dice.randrange(100))


def _expression(dice: random.Random, depth: int) -> str:
    kind = dice.randrange(9) if depth else 0
    inner = depth - 1
    match kind:
        case 1 | 2 | 3 | 4:
            sign = dice.choice(_OPERATORS)
            space = dice.choice(("", " "))
            left, right = _expression(dice, inner), _expression(dice, inner)
            return f"{left}{space}{sign}{space}{right}"
        case 5:
            values = [_expression(dice, inner) for _ in range(dice.randrange(1, 4))]
            return f"{dice.choice(_FUNCTIONS)}({', '.join(values)})"
        case 6:
            return f"({_expression(dice, inner)})"
        case 7:
            return f"{dice.choice('+-')}{_expression(dice, inner)}"
        case 8:
            return f"{_expression(dice, inner)}{dice.choice(('%', ' percent', '²'))}"
    return _number(dice)


def _said(dice: random.Random) -> str:
    parts = [
        dice.choice((_number(dice), dice.choice(_WORDS), dice.choice(_UNITS)))
        for _ in range(dice.randrange(1, 12))
    ]
    return " ".join(parts)


def _conversion(dice: random.Random) -> str:
    amount = _expression(dice, dice.randrange(3))
    into = dice.choice(("to", "in", "into", "nach", "as", "->"))
    names = dice.choice(_DIMENSIONS) if dice.randrange(5) else _UNITS
    return f"{amount} {dice.choice(names)} {into} {dice.choice(names)}"


def _mutated(dice: random.Random, text: str) -> str:
    alphabet = (
        "0123456789.,eE+-*/%^():;² abcmnpqrstx\u00e4\u00df°'\"_[]{}\\\x00\u0661\uff11"
    )
    letters = list(text)
    for _ in range(dice.randrange(1, 6)):
        at = dice.randrange(len(letters) + 1)
        match dice.randrange(4):
            case 0:
                letters.insert(at, dice.choice(alphabet))
            case 1:
                del letters[at : at + dice.randrange(4)]
            case 2:
                letters[at:at] = letters[at : at + dice.randrange(40)] * 2
            case _:
                letters[at : at + 1] = dice.choice(_HOSTILE)
    return "".join(letters)


def _input(dice: random.Random) -> str:
    match dice.randrange(10):
        case 0 | 1 | 2:
            text = _expression(dice, dice.randrange(1, 5))
        case 3:
            text = _said(dice)
        case 4:
            text = _conversion(dice)
        case 5 | 6:
            text = _mutated(dice, _expression(dice, 3))
        case 7:
            text = _mutated(dice, _conversion(dice))
        case 8:
            text = dice.randbytes(dice.randrange(80)).decode("utf-8", "replace")
        case _:
            piece = dice.choice((*_OPERATORS, *_HOSTILE, "(", "sqrt(", "9**", "1e300*"))
            text = (piece * LONGEST)[: dice.randrange(LONGEST)] + _number(dice)
    # One in a hundred is longer than the schema lets through.
    return text[: LONGEST if dice.randrange(100) else 4 * LONGEST]


def _one(text: str, unit: str | None, language: str, seen: Seen) -> None:
    global _watching  # noqa: PLW0603 the hook, which lasts, has no other view of this
    failure = None
    _watching = True
    began = time.process_time()
    try:
        result = calculate(text, unit=unit, language=language)
        took = time.process_time() - began
    except TaskError as err:
        took = time.process_time() - began
        seen.refused[err.code] += 1
    except BaseException as err:  # noqa: BLE001 whatever it is, it is a failure
        took = time.process_time() - began
        failure = f"{type(err).__name__}: {err}"
    else:
        seen.values += 1
        # Two readers: Python's own is too kind about large numbers.
        written = json.dumps(result, allow_nan=False)
        if isinstance(value := result["value"], int) and abs(value) >= 1 << 63:
            failure = f"a number of more than 64 bits in {written[:80]}"
    finally:
        _watching = False
    seen.worst = max(seen.worst, (took, text))
    if failure is not None or took > BOUND_S:
        seen.failures.append(f"{failure or f'{took:.3f} s'}: {text!r} {unit!r}")


def _part(seed: int, count: int) -> Seen:
    # Reproducible on purpose: nothing secret comes of it.
    dice = random.Random(seed)
    seen = Seen()
    for _ in range(count):
        unit = dice.choice(_UNITS) if dice.randrange(20) == 0 else None
        _one(_input(dice), unit, dice.choice(_LANGUAGES), seen)
    return seen


def prove(count: int, seed: int) -> Seen:
    """Work `count` inputs out in PROCESSES processes; the same seed, the same inputs."""
    sizes = [CHUNK] * (count // CHUNK) + [count % CHUNK] * bool(count % CHUNK)
    whole = Seen()
    with ProcessPoolExecutor(
        PROCESSES,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_start,
    ) as pool:
        seeds = range(seed, seed + len(sizes))
        for at, part in enumerate(pool.map(_part, seeds, sizes), 1):
            whole.add(part)
            if at % 50 == 0:
                print(f"  {at * CHUNK:,} inputs, worst {whole.worst[0] * 1000:.2f} ms")
    return whole


def main() -> int:
    """Run the proof; return 1 if a promise did not hold."""
    parser = argparse.ArgumentParser(prog="script/prove calculator")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    count = options.count or (SMALL if options.small else COUNT)
    began = time.monotonic()
    seen = prove(count, options.seed)
    for failure in seen.failures[:20]:
        print(f"NOT SO: {failure}")
    refused = sum(seen.refused.values())
    took, text = seen.worst
    print(
        f"{SPEC.name}: {count:,} inputs in {time.monotonic() - began:.0f} s: "
        f"{seen.values:,} values, {refused:,} refused ({dict(seen.refused)}), "
        f"{len(seen.failures)} failures; worst {took * 1000:.2f} ms of processor time "
        f"(bound {BOUND_S * 1000:.0f} ms) for {text[:LONGEST]!r}"
    )
    return 1 if seen.failures or seen.values + refused != count else 0


if __name__ == "__main__":
    sys.exit(main())
