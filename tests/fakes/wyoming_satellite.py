"""A voice satellite: a microphone that is told what it hears, a loudspeaker that keeps it.

    python -m tests.fakes.wyoming_satellite NAME AREA FOLDER

prints its port, then a line of JSON for each event that Home Assistant sends: `at` (of
time.monotonic), `type`, `data`. Sound goes into FOLDER and is told as `heard`, with its
`path`. A line on its input is the path of a WAV file: the microphone hears it now, at
the pace of speech, and then the room's noise until Home Assistant has heard enough. The
end of the voice is told as `spoken`.

It follows the Wyoming protocol's README (rhasspy/wyoming, "Satellite", "Pipelines",
"Timers") and what Home Assistant sends (components/wyoming/assist_satellite.py).
"""

from array import array
import asyncio
from collections.abc import Callable, Mapping
import json
from pathlib import Path
import sys
import time
from typing import Any, Final

from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Info, Satellite
from wyoming.ping import Ping, Pong
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.satellite import RunSatellite
from wyoming.snd import Played
from wyoming.vad import VoiceStopped

from tests.fakes.room import RATE, audible_s, heard, read_wav, write_wav
from tests.fakes.wyoming_line import OURS, Line, serve

# A chunk is 64 ms, as of wyoming-satellite.
SAMPLES: Final = 1024
# The longest that it goes on after the voice.
ROOM_S: Final = 5.0

type Tell = Callable[[str, Mapping[str, Any]], None]


class Loudspeaker:
    """Keeps what is played, a file each."""

    def __init__(self, folder: Path) -> None:
        """Keep it here."""
        self._folder = folder
        self._sound = bytearray()
        self._rate = 0
        self._count = 0

    def begin(self, start: AudioStart) -> None:
        """Begin a sound."""
        self._rate = start.rate
        self._sound.clear()

    def play(self, chunk: AudioChunk) -> bool:
        """Play a piece; return whether it is the first."""
        first = not self._sound
        self._sound += chunk.audio
        return first

    def end(self) -> Path:
        """End the sound; return where it is."""
        self._count += 1
        path = self._folder / f"heard-{self._count}.wav"
        write_wav(path, bytes(self._sound), self._rate)
        return path


class Microphone:
    """Sends a sound at the pace at which it is heard."""

    def __init__(self, line: Line, tell: Tell) -> None:
        """Send over this line."""
        self._line = line
        self._tell = tell
        self._enough = asyncio.Event()

    def enough(self) -> None:
        """Home Assistant needs to hear no more."""
        self._enough.set()

    async def hear(self, sound: array[int]) -> None:
        """Begin a pipeline, and send the sound and then the room."""
        in_room = heard(sound, ROOM_S)
        _, last = audible_s(in_room)
        end = int(last * RATE)
        # The one before may not have noticed yet that it is to end.
        self._enough = enough = asyncio.Event()
        await self._line.write(
            RunPipeline(start_stage=PipelineStage.ASR, end_stage=PipelineStage.TTS)
        )
        began = time.monotonic()
        for start in range(0, len(in_room), SAMPLES):
            # What a chunk holds has been heard when it is sent.
            upto = start + SAMPLES
            await asyncio.sleep(max(0.0, began + upto / RATE - time.monotonic()))
            # A person ends the sentence, even if its end isn't waited for.
            if enough.is_set() and start > end:
                return
            audio = in_room[start:upto].tobytes()
            await self._line.write(
                AudioChunk(rate=RATE, width=2, channels=1, audio=audio)
            )
            if start <= end < upto:
                self._tell("spoken", {})


class Room:
    """A satellite, with whoever is connected."""

    def __init__(self, folder: Path) -> None:
        """Keep sounds here."""
        self._loudspeaker = Loudspeaker(folder)
        self._microphone: Microphone | None = None
        self._hearing: set[asyncio.Task[None]] = set()

    async def meet(self, line: Line) -> None:
        """Serve a connection; the one that says `run-satellite` is the pipelines'."""
        while (event := await line.read()) is not None:
            if Ping.is_type(event.type):
                await line.write(Pong(text=Ping.from_event(event).text))
            elif RunSatellite.is_type(event.type):
                self._microphone = Microphone(line, tell)
                tell(event.type, event.data)
            else:
                await self._take(line, event)

    def hear(self, path: Path) -> None:
        """Let the microphone hear a file."""
        if self._microphone is None:
            tell("error", {"text": "nobody has said run-satellite", "code": None})
            return
        task = asyncio.create_task(self._microphone.hear(read_wav(path)))
        self._hearing.add(task)
        task.add_done_callback(self._hearing.discard)

    async def _take(self, line: Line, event: Event) -> None:
        """Do what an event of a pipeline, an announcement or a timer says; tell it."""
        if AudioStart.is_type(event.type):
            self._loudspeaker.begin(AudioStart.from_event(event))
            return
        if AudioChunk.is_type(event.type):
            if self._loudspeaker.play(AudioChunk.from_event(event)):
                tell("audio", {})
            return
        if AudioStop.is_type(event.type):
            path = self._loudspeaker.end()
            await line.write(Played())
            tell("heard", {"path": str(path)})
            return
        ends = (VoiceStopped, Transcript, Error)
        if self._microphone and any(each.is_type(event.type) for each in ends):
            self._microphone.enough()
        tell(event.type, event.data)


def tell(kind: str, data: Mapping[str, Any]) -> None:
    """Print an event with its time."""
    said = {"at": time.monotonic(), "type": kind, "data": data}
    print(json.dumps(said), flush=True)


async def main(name: str, area: str, folder: Path) -> None:
    """Be a satellite until the input closes."""
    satellite = Satellite(
        name=name,
        description="a satellite of the tests",
        attribution=OURS,
        installed=True,
        version="1",
        area=area,
        has_vad=False,
    )
    room = Room(folder)
    asked = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(asked), sys.stdin
    )
    serving = asyncio.create_task(serve(Info(satellite=satellite), room.meet))
    while path := (await asked.readline()).decode().strip():
        room.hear(Path(path))
    serving.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
