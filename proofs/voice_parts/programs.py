"""The real programs beside Home Assistant: what hears, what speaks, and a satellite."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import signal
import sys
from typing import Any, Final

from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.tts import Synthesize, SynthesizeVoice

from house.process import stop, tied_to_us
from house.seed import ROOT
from proofs.crash_parts.findings import must
from tests.fakes.espeak_tts import VOICES
from tests.fakes.room import RATE, heard, read_wav, write_wav

HERE: Final = "127.0.0.1"
START_S: Final = 20.0
# As long as Home Assistant waits for the end of a sentence.
TURN_S: Final = 20.0
TRAIL_S: Final = 0.7
_SAID: Final = "said.log"


async def speech_python() -> str:
    """Return the Python that hears and speaks, which is set up if it isn't there."""
    process = await asyncio.create_subprocess_exec(
        ROOT / "script" / "speech.sh", stdin=asyncio.subprocess.DEVNULL, stdout=PIPE
    )
    output, _ = await process.communicate()
    must(process.returncode == 0, "speech can be set up")
    return output.decode().strip()


@asynccontextmanager
async def listener(
    python: str, folder: Path, sentences: list[str]
) -> AsyncIterator[int]:
    """Run what hears one of these sentences; gives its port."""
    path = folder / f"sentences-{len(list(folder.glob('sentences-*')))}.txt"
    path.write_text("\n".join(sentences), encoding="utf-8")
    log = folder / "heard.log"
    arguments = ("tests.fakes.pocketsphinx_stt", str(path))
    async with _program(python, *arguments, log=log) as started:
        yield started[1]


@asynccontextmanager
async def speaker(python: str, folder: Path) -> AsyncIterator[int]:
    """Run what speaks; gives its port. What it is given is kept, see `said_in`."""
    log = folder / _SAID
    async with _program(python, "tests.fakes.espeak_tts", log=log) as started:
        yield started[1]


def said_in(folder: Path) -> list[str]:
    """Return the texts that Home Assistant has had spoken, in order."""
    lines = (folder / _SAID).read_text(encoding="utf-8").splitlines()
    own = f"{VOICES[0]}: "
    return [line.removeprefix(own) for line in lines if line.startswith(own)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An event at the satellite; `at` is of time.monotonic."""

    at: float
    kind: str
    data: Mapping[str, Any]


@dataclass(slots=True, eq=False)
class SatelliteProcess:
    """A satellite that runs, and all that Home Assistant has sent it."""

    process: Process
    port: int
    told: list[Told] = field(default_factory=list)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def listen(self) -> None:
        """Take what it says, until it ends."""
        assert self.process.stdout is not None
        while line := await self.process.stdout.readline():
            said = json.loads(line)
            async with self._news:
                self.told.append(
                    Told(at=said["at"], kind=said["type"], data=said["data"])
                )
                self._news.notify_all()

    def hear(self, path: Path) -> int:
        """Let its microphone hear a file; return where what follows begins."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path}\n".encode())
        return len(self.told)

    async def next(self, kinds: Iterable[str], since: int) -> Told:
        """Return the first event of these kinds since then. Raises Unproven."""
        found: list[Told] = []

        def is_there() -> bool:
            found[:] = [each for each in self.told[since:] if each.kind in kinds]
            return bool(found)

        try:
            async with asyncio.timeout(TURN_S), self._news:
                await self._news.wait_for(is_there)
        except TimeoutError:
            seen = [(each.kind, dict(each.data)) for each in self.told[since:]]
            must(False, f"the satellite gets one of {sorted(kinds)}: {seen}")
        return found[0]


@asynccontextmanager
async def satellite(
    name: str, area: str, folder: Path
) -> AsyncIterator[SatelliteProcess]:
    """Run a satellite, which keeps what it hears in the folder."""
    arguments = (name, area, str(folder))
    async with _program(
        sys.executable, "tests.fakes.wyoming_satellite", *arguments
    ) as (process, port):
        running = SatelliteProcess(process, port)
        listening = asyncio.create_task(running.listen())
        try:
            yield running
        finally:
            listening.cancel()


async def say(port: int, text: str, path: Path) -> None:
    """Have a sentence spoken into a file, by the voice that isn't the answers'."""
    sound, rate = bytearray(), 0
    async with asyncio.timeout(START_S), AsyncTcpClient(HERE, port) as client:
        voice = SynthesizeVoice(name=VOICES[1])
        await client.write_event(Synthesize(text=text, voice=voice).event())
        while (event := await client.read_event()) is not None:
            if AudioChunk.is_type(event.type):
                chunk = AudioChunk.from_event(event)
                sound += chunk.audio
                rate = chunk.rate
            elif AudioStop.is_type(event.type):
                break
    must(bool(sound), f"espeak-ng says {text!r}")
    write_wav(path, bytes(sound), rate)


async def recognise(port: int, path: Path) -> str:
    """Return what is heard in a file that is played in a room."""
    sound = heard(read_wav(path), TRAIL_S).tobytes()
    form = {"rate": RATE, "width": 2, "channels": 1}
    async with asyncio.timeout(START_S), AsyncTcpClient(HERE, port) as client:
        await client.write_event(AudioStart(**form).event())
        await client.write_event(AudioChunk(audio=sound, **form).event())
        await client.write_event(AudioStop().event())
        while (event := await client.read_event()) is not None:
            if Transcript.is_type(event.type):
                return Transcript.from_event(event).text
    return ""


@asynccontextmanager
async def _program(
    python: str, module: str, *arguments: str, log: Path | None = None
) -> AsyncIterator[tuple[Process, int]]:
    """Run a module that prints its port first; it is stopped at the end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (log or Path(os.devnull)).open("ab") as errors:
        process = await asyncio.create_subprocess_exec(
            *tied_to_us(),
            *(python, "-m", module, *arguments),
            cwd=ROOT,
            env=environment,
            stdin=PIPE,
            stdout=PIPE,
            stderr=errors,
            start_new_session=True,
        )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            line = (await process.stdout.readline()).strip()
        must(line.isdigit(), f"{module} starts")
        yield process, int(line)
    finally:
        await asyncio.shield(stop(process, by=signal.SIGTERM))
