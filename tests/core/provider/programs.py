"""The fakes of the models' APIs as programs of their own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
import subprocess
import sys

ROOT = Path(__file__).parents[3]


@contextmanager
def program(module: str, script: Path, how: str) -> Iterator[str]:
    """Run a fake, giving its address; it must end well, `how` it is told to."""
    with subprocess.Popen(
        [sys.executable, "-m", module, "--script", str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        if how == "terminate":
            process.terminate()
        else:
            process.stdin.close()
        assert process.wait(timeout=20) == 0
