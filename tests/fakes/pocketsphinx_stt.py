"""Speech to text over Wyoming: pocketsphinx, with a grammar of the sentences it may hear.

    python -m tests.fakes.pocketsphinx_stt FILE

FILE has a sentence a line, of words of the CMU dictionary. It prints its port, and
listens until it is stopped. It follows the Wyoming protocol's README (rhasspy/wyoming,
"Speech to Text") and the JSpeech Grammar Format (W3C note of 2000). It runs in the
environment of script/speech.sh.
"""

import asyncio
from importlib import import_module
from pathlib import Path
import sys
import tempfile
from typing import Any

from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioChunkConverter, AudioStart, AudioStop
from wyoming.info import AsrModel, AsrProgram, Info

from tests.fakes.wyoming_line import OURS, Line, serve

RATE = 16_000


class Recogniser:
    """Hears one of a few sentences in samples of 16 kHz, 16 bit, one channel."""

    def __init__(self, sentences: list[str]) -> None:
        """Know these sentences. Raises RuntimeError for words that have no sound."""
        rules = " | ".join(sentences)
        grammar = f"#JSGF V1.0;\ngrammar house;\npublic <said> = {rules} ;\n"
        with tempfile.NamedTemporaryFile("w", suffix=".gram") as file:
            file.write(grammar)
            file.flush()
            self._decoder: Any = import_module("pocketsphinx").Decoder(
                samprate=RATE, loglevel="FATAL", jsgf=file.name, lm=None
            )

    def hear(self, samples: bytes) -> str:
        """Return the sentence; empty if it is none of them."""
        self._decoder.start_utt()
        self._decoder.process_raw(samples, full_utt=True)
        self._decoder.end_utt()
        found = self._decoder.hyp()
        return str(found.hypstr) if found else ""


def info() -> Info:
    """Return what it says of itself."""
    model = AsrModel(
        name="grammar",
        description="a grammar of a few sentences",
        attribution=OURS,
        installed=True,
        version="1",
        languages=["en"],
    )
    return Info(
        asr=[
            AsrProgram(
                name="sphinx",
                description="pocketsphinx",
                attribution=OURS,
                installed=True,
                version="1",
                models=[model],
            )
        ]
    )


async def main(path: Path) -> None:
    """Hear what callers send."""
    recogniser = Recogniser(path.read_text(encoding="utf-8").splitlines())

    async def meet(line: Line) -> None:
        samples = bytearray()
        converter = AudioChunkConverter(rate=RATE, width=2, channels=1)
        while (event := await line.read()) is not None:
            if AudioStart.is_type(event.type):
                samples.clear()
            elif AudioChunk.is_type(event.type):
                samples += converter.convert(AudioChunk.from_event(event)).audio
            elif AudioStop.is_type(event.type):
                text = recogniser.hear(bytes(samples))
                print(f"{len(samples) / 2 / RATE:.1f} s: {text}", file=sys.stderr)
                await line.write(Transcript(text=text))

    await serve(info(), meet)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
