"""A house with a satellite in the hall, and Assist that hears and speaks."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp

from house.client import Client, Site
from house.moving_in import build_house, set_up_caesar, set_up_wyoming
from house.onboarding import owner as owner_of, until_running, until_up
from house.options import Brain, BrainKind
from house.process import home_assistant
from house.seed import free_port, prepare
from proofs.crash_parts.findings import must
from proofs.house_parts.household import POLICY, until

from .programs import SatelliteProcess, listener, satellite, say, speaker

AREA: Final = "Hall"
NAME: Final = "Ear"
SATELLITE: Final = "assist_satellite.hall_ear"
CHOOSE: Final = "select.hall_ear_assistant"
VAD: Final = "select.hall_ear_finished_speaking_detection"
VOICE: Final = "Voice"
LOCAL: Final = "Only Home Assistant"
CAESAR: Final = "conversation.caesar"
FORMER: Final = "conversation.home_assistant"
TOOL: Final = "intent__FeedTheCat"

CONFIGURATION: Final = """
input_boolean:
  cat_fed:
    name: Cat fed
intent_script:
  FeedTheCat:
    action:
      - action: input_boolean.turn_on
        target:
          entity_id: input_boolean.cat_fed
    speech:
      text: The cat is happy
"""
SENTENCES: Final = """
language: en
intents:
  FeedTheCat:
    data:
      - sentences:
          - feed the hungry cat
"""
# Appended to the starter policy's allowed_tools.
RULE: Final = f"""
  - tool: {TOOL}
    name: who feeds the cat
    approval: never
    for: {{area: [{AREA}]}}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """The house. `pipelines` are the ids of the voice assistants by name."""

    config: Path
    sounds: Path
    site: Site
    owner: Client
    ear: SatelliteProcess
    pipelines: dict[str, str]

    async def state(self, entity_id: str) -> str:
        """Return a state."""
        found = await self.owner.request("GET", f"/api/states/{entity_id}")
        return str(found["state"])

    async def serve(self, action: str, **data: Any) -> None:
        """Run an action that answers nothing."""
        await self.owner.request(
            "POST", f"/api/services/{action.replace('.', '/')}", data
        )

    async def choose(self, pipeline: str) -> None:
        """Have the satellite use a voice assistant."""
        await self.serve("select.select_option", entity_id=CHOOSE, option=pipeline)

    async def revoke(self, rule: str) -> None:
        """Take a line out of the policy, as its owner would by hand."""
        path = self.config / POLICY
        text = path.read_text(encoding="utf-8")
        must(text.count(rule) == 1, f"the policy has the line {rule!r}")
        path.write_text(text.replace(rule, ""), encoding="utf-8")
        await self.serve("caesar.reload_policy")

    async def last_run(self, pipeline: str) -> list[dict[str, Any]]:
        """Return the events of a voice assistant's last run, once it has ended."""
        identifier = self.pipelines[pipeline]
        found: list[dict[str, Any]] = []

        async def has_ended() -> bool:
            async with self.owner.socket() as socket:
                listed = await socket.command(
                    "assist_pipeline/pipeline_debug/list", pipeline_id=identifier
                )
                run = listed["pipeline_runs"][-1]["pipeline_run_id"]
                got = await socket.command(
                    "assist_pipeline/pipeline_debug/get",
                    pipeline_id=identifier,
                    pipeline_run_id=run,
                )
            found[:] = got["events"]
            return bool(found[-1]["type"] == "run-end")

        await until(has_ended)
        return found

    async def remove_caesar(self) -> None:
        """Remove the entry, as the three dots of its page do."""
        path = "/api/config/config_entries/entry"
        [entry] = await self.owner.request("GET", f"{path}?domain=caesar")
        await self.owner.request("DELETE", f"{path}/{entry['entry_id']}")


@asynccontextmanager
async def home(
    folder: Path, python: str, sentences: list[str], rule: str
) -> AsyncIterator[Home]:
    """Start all of it; CAESAR is set up and has taken the voice assistant.

    `rule` is appended to the starter policy.
    """
    config, sounds = folder / "config", folder / "sounds"
    config.mkdir()
    sounds.mkdir()
    port = free_port()
    _prepare(config, port)
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        process = await enter(home_assistant(config))
        hears, speaks, ear = await asyncio.gather(
            enter(listener(python, sounds, sentences)),
            enter(speaker(python, sounds)),
            enter(satellite(NAME, AREA, sounds)),
        )
        for sentence in sentences:
            await say(speaks, sentence, sound_of(sounds, sentence))
        session = await enter(aiohttp.ClientSession())
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        await until_up(site, process)
        owner = await owner_of(site)
        await until_running(owner, process)
        await build_house(owner, None)
        for server in (hears, speaks, ear.port):
            await set_up_wyoming(owner, server)
        pipelines = {name: await _assistant(owner, name) for name in (VOICE, LOCAL)}
        async with owner.socket() as socket:
            await socket.command(
                "assist_pipeline/pipeline/set_preferred", pipeline_id=pipelines[VOICE]
            )
        house = Home(
            config=config,
            sounds=sounds,
            site=site,
            owner=owner,
            ear=ear,
            pipelines=pipelines,
        )
        await _set_up(house, rule)
        yield house


def sound_of(folder: Path, sentence: str) -> Path:
    """Return the file with a sentence."""
    return folder / f"say-{sentence.replace(' ', '-')}.wav"


async def _set_up(house: Home, rule: str) -> None:
    """Set CAESAR up by its forms, and add the rule as its owner would by hand."""
    await set_up_caesar(
        house.owner,
        Brain(kind=BrainKind.BUILTIN),
        "everyday",
        [house.pipelines[VOICE]],
    )
    path = house.config / POLICY
    with path.open("a", encoding="utf-8") as file:
        file.write(rule)
    await house.serve("caesar.reload_policy")
    await house.ear.next(("run-satellite",), 0)
    must(await house.state(SATELLITE) == "idle", "the satellite is there")


async def _assistant(owner: Client, name: str) -> str:
    """Make a voice assistant of Home Assistant's own agent; return its id."""
    async with owner.socket() as socket:
        created = await socket.command(
            "assist_pipeline/pipeline/create",
            name=name,
            language="en",
            conversation_engine=FORMER,
            conversation_language="en",
            stt_engine="stt.sphinx",
            stt_language="en",
            tts_engine="tts.espeak",
            tts_language="en",
            tts_voice=None,
            wake_word_entity=None,
            wake_word_id=None,
            prefer_local_intents=False,
        )
    return str(created["id"])


def _prepare(config: Path, port: int) -> None:
    prepare(config, port, None)
    path = config / "configuration.yaml"
    written = path.read_text(encoding="utf-8")
    # A satellite fetches an announcement from there.
    written = written.replace(
        "  language: en\n",
        f"  language: en\n  internal_url: http://127.0.0.1:{port}\n",
    )
    path.write_text(written + CONFIGURATION, encoding="utf-8")
    sentences = config / "custom_sentences" / "en" / "cat.yaml"
    sentences.parent.mkdir(parents=True)
    sentences.write_text(SENTENCES, encoding="utf-8")
