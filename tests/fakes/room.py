"""Sound in a room: a microphone hears a quiet noise where a file has none at all."""

from array import array
from collections.abc import Iterator
from pathlib import Path
import random
import wave

from wyoming.audio import AudioChunk, AudioChunkConverter

RATE = 16_000
LEAD_S = 0.2
NOISE = 20.0
# Of 16 bits; a voice is above it, the room below.
AUDIBLE = 400

_WIDTH = 2


def write_wav(path: Path, samples: bytes, rate: int) -> None:
    """Keep samples of 16 bit and one channel."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(_WIDTH)
        file.setframerate(rate)
        file.writeframes(samples)


def read_wav(path: Path) -> array[int]:
    """Return a file's samples of one channel, as 16 bit at 16 kHz."""
    with wave.open(str(path), "rb") as file:
        chunk = AudioChunk(
            rate=file.getframerate(),
            width=file.getsampwidth(),
            channels=file.getnchannels(),
            audio=file.readframes(file.getnframes()),
        )
    converter = AudioChunkConverter(rate=RATE, width=_WIDTH, channels=1)
    return array("h", converter.convert(chunk).audio)


def heard(sound: array[int], trail_s: float) -> array[int]:
    """Return the sound as a microphone hears it, with the room before and after."""
    rest = array("h", bytes(int(RATE * LEAD_S) * _WIDTH))
    after = array("h", bytes(int(RATE * trail_s) * _WIDTH))
    dice = random.Random(1)
    return array(
        "h",
        (
            max(-32_768, min(32_767, each + round(dice.gauss(0, NOISE))))
            for each in rest + sound + after
        ),
    )


def audible_s(sound: array[int]) -> tuple[float, float]:
    """Return when a voice is first and last heard, in seconds; (0, 0) if never."""
    loud = list(_loud(sound))
    return (loud[0] / RATE, loud[-1] / RATE) if loud else (0.0, 0.0)


def _loud(sound: array[int]) -> Iterator[int]:
    return (at for at, each in enumerate(sound) if abs(each) > AUDIBLE)
