"""Text to speech over Wyoming: espeak-ng, as a library.

    python -m tests.fakes.espeak_tts

prints its port, and speaks until it is stopped. It follows the Wyoming protocol's README
(rhasspy/wyoming, "Text to Speech") and espeak-ng's header speak_lib.h. It runs in the
environment of script/speech.sh.
"""

import asyncio
import ctypes
from importlib import import_module
from pathlib import Path
import sys
from typing import Any

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.info import Info, TtsProgram, TtsVoice
from wyoming.tts import Synthesize

from tests.fakes.wyoming_line import OURS, Line, serve

# The first is the voice that answers; the second is for the proof's microphone.
VOICES = ("en-us", "en-us+f3")
WORDS_A_MINUTE = 150
CHUNK = 4096

_SYNCHRONOUS = 2
_RATE = 1
_UTF8 = 1
_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class Espeak:
    """Speaks text to 16 bit samples of one channel; one text at a time."""

    def __init__(self) -> None:
        """Load the library with its data. Raises RuntimeError if it won't begin."""
        loader = import_module("espeakng_loader")
        self._library = ctypes.CDLL(loader.get_library_path())
        self._spoken = bytearray()
        folder = str(Path(loader.get_data_path()).parent).encode()
        self.rate: int = self._library.espeak_Initialize(_SYNCHRONOUS, 0, folder, 0)
        if self.rate <= 0:
            raise RuntimeError("espeak-ng does not begin")

        def take(samples: Any, count: int, _: int) -> int:
            if samples and count:
                self._spoken += ctypes.string_at(samples, count * 2)
            return 0

        # The library keeps no reference of its own.
        self._take = _CALLBACK(take)
        self._library.espeak_SetSynthCallback(self._take)

    def speak(self, text: str, voice: str) -> bytes:
        """Return the samples. Raises ValueError for a voice that isn't there."""
        if self._library.espeak_SetVoiceByName(voice.encode()) != 0:
            raise ValueError(f"no such voice: {voice}")
        self._library.espeak_SetParameter(_RATE, WORDS_A_MINUTE, 0)
        self._spoken.clear()
        data = text.encode() + b"\0"
        self._library.espeak_Synth(
            data, ctypes.c_size_t(len(data)), 0, 0, 0, _UTF8, None, None
        )
        self._library.espeak_Synchronize()
        return bytes(self._spoken)


def info() -> Info:
    """Return what it says of itself."""
    return Info(
        tts=[
            TtsProgram(
                name="espeak",
                description="espeak-ng",
                attribution=OURS,
                installed=True,
                version="1",
                voices=[
                    TtsVoice(
                        name=name,
                        description=name,
                        attribution=OURS,
                        installed=True,
                        version="1",
                        languages=["en"],
                    )
                    for name in VOICES
                ],
            )
        ]
    )


async def main() -> None:
    """Speak what callers ask for."""
    espeak = Espeak()

    async def meet(line: Line) -> None:
        while (event := await line.read()) is not None:
            if not Synthesize.is_type(event.type):
                continue
            asked = Synthesize.from_event(event)
            voice = asked.voice.name if asked.voice and asked.voice.name else VOICES[0]
            samples = espeak.speak(asked.text, voice)
            print(f"{voice}: {asked.text}", file=sys.stderr, flush=True)
            sound = {"rate": espeak.rate, "width": 2, "channels": 1}
            await line.write(AudioStart(**sound))
            for start in range(0, len(samples), CHUNK):
                piece = samples[start : start + CHUNK]
                await line.write(AudioChunk(audio=piece, **sound))
            await line.write(AudioStop())

    await serve(info(), meet)


if __name__ == "__main__":
    asyncio.run(main())
