"""A real Home Assistant with two people, their phones, a satellite and a fake model."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
import json
from pathlib import Path
import time
from typing import Any, Final

import aiohttp

from house.client import Client, Site
from house.moving_in import AGENT, FLOWS, give_assist_to_caesar, set_up_caesar
from house.onboarding import (
    PASSWORD,
    child as child_of,
    log_in,
    owner as owner_of,
    until_running,
    until_up,
)
from house.options import Brain, BrainKind
from house.process import LOG_FILE, home_assistant
from house.seed import free_port, prepare
from tests.fakes.messages_api import FakeMessagesApi
from tests.fakes.messages_script import Rules
from tests.fakes.phone import FakePhone, FakePhones

EFFECTS: Final = "effects.jsonl"
OPTIONS: Final = "/api/config/config_entries/options/flow"
POLICY: Final = Path("caesar") / "policy.yaml"
# Home Assistant writes its registries ten seconds after their last change.
_WRITTEN_S: Final = 11.0
_WAIT_S: Final = 30.0


@dataclass(slots=True, kw_only=True)
class Household:
    """The house and who is in it. `adult` is the owner's phone, `boy` the child's."""

    folder: Path
    site: Site
    model: FakeMessagesApi
    phones: FakePhones
    owner: Client
    child: Client
    adult: FakePhone
    boy: FakePhone
    settled: float = 0.0

    @asynccontextmanager
    async def up(self) -> AsyncIterator[Process]:
        """Start Home Assistant again on what it left behind."""
        async with home_assistant(self.folder, self.model.url) as process:
            await until_up(self.site, process)
            await until_running(self.owner, process)
            yield process

    async def ask(
        self, text: str, conversation: str, *, by: Client | None = None
    ) -> dict[str, Any]:
        """Ask over REST and return the response."""
        data = {
            "text": text,
            "language": "en",
            "agent": AGENT,
            "conversation_id": conversation,
        }
        return await (by or self.owner).action("caesar.ask", data)

    async def hear(self, text: str, conversation: str | None = None) -> dict[str, Any]:
        """Say something to the satellite in the children's room."""
        data = {"text": text}
        if conversation is not None:
            data["conversation_id"] = conversation
        return await self.owner.action("demo_house.hear", data)

    async def state(self, entity_id: str) -> str:
        """Return a state."""
        found = await self.owner.request("GET", f"/api/states/{entity_id}")
        return str(found["state"])

    async def rows(self, decision_id: str) -> list[dict[str, Any]]:
        """Return all rows of the trail about a turn, oldest first."""
        found = await self.owner.action(
            "caesar.export_audit", {"decision_id": decision_id}
        )
        return list(found["rows"])

    def effects(self) -> list[tuple[str, str]]:
        """Return what really happened to things: entity and action, in order."""
        path = self.folder / EFFECTS
        if not path.exists():
            return []
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        return [(line["entity_id"], line["action"]) for line in lines]

    def said_to_model(self) -> str:
        """Return all that the model's server was ever sent."""
        return json.dumps([one.body for one in self.model.requests])

    def complaints(self) -> list[str]:
        """Return what the log holds against CAESAR."""
        log = (self.folder / LOG_FILE).read_text(errors="replace")
        return [
            line
            for line in log.splitlines()
            if "caesar" in line and ("ERROR" in line or "blocking call" in line)
        ]

    async def options(self, line: str) -> dict[str, Any]:
        """Open CAESAR's options, and a line of their menu."""
        [entry] = await self.owner.request(
            "GET", "/api/config/config_entries/entry?domain=caesar"
        )
        step = await self.owner.request("POST", OPTIONS, {"handler": entry["entry_id"]})
        return await self.go_on(step, {"next_step_id": line})

    async def is_loaded(self) -> bool:
        """Return whether CAESAR is there; new options make it start anew."""
        [entry] = await self.owner.request(
            "GET", "/api/config/config_entries/entry?domain=caesar"
        )
        return bool(entry["state"] == "loaded")

    async def go_on(
        self, step: Mapping[str, Any], answer: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Answer a step of the options; return the next one."""
        return dict(
            await self.owner.request("POST", f"{OPTIONS}/{step['flow_id']}", answer)
        )

    async def grown_up(self, name: str) -> tuple[Client, FakePhone]:
        """Let another administrator move in, with a phone."""
        async with self.owner.socket() as socket:
            created = await socket.command(
                "config/auth/create", name=name, group_ids=["system-admin"]
            )
            await socket.command(
                "config/auth_provider/homeassistant/create",
                user_id=created["user"]["id"],
                username=name.casefold(),
                password=PASSWORD,
            )
        client = await log_in(self.site, name.casefold())
        phone = await self.phones.register(client, name)
        await until(lambda: _can_be_told(self.owner, name.casefold()))
        self.settled = time.monotonic()
        return client, phone

    async def until_written(self) -> None:
        """Wait until Home Assistant has everything on the disk that it was told."""
        await asyncio.sleep(max(self.settled + _WRITTEN_S - time.monotonic(), 0))


@asynccontextmanager
async def household(
    folder: Path,
    policy: str,
    script: Mapping[str, Any],
    *,
    more: Sequence[str] = (),
) -> AsyncIterator[tuple[Household, Process]]:
    """Furnish a house with this policy, and a model that follows the script.

    `more` are further integrations of Home Assistant's that it is to have.
    """
    written = folder / "draft.yaml"
    written.write_text(policy, encoding="utf-8")
    config = folder / "config"
    config.mkdir()
    port = free_port()
    prepare(config, port, written)
    with (config / "configuration.yaml").open("a", encoding="utf-8") as file:
        file.writelines(f"{name}:\n" for name in ("mobile_app", *more))
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(aiohttp.ClientSession())
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        model = await stack.enter_async_context(FakeMessagesApi(Rules(script)))
        phones = await stack.enter_async_context(FakePhones(site))
        process = await stack.enter_async_context(home_assistant(config, model.url))
        await until_up(site, process)
        owner = await owner_of(site)
        await until_running(owner, process)
        child = await child_of(site, owner)
        await _furnish(owner, config / EFFECTS)
        await set_up_caesar(owner, Brain(kind=BrainKind.SCRIPTED), config / POLICY)
        await give_assist_to_caesar(owner)
        adult = await phones.register(owner, "Adult")
        boy = await phones.register(child, "Boy")
        await until(lambda: _can_be_told(owner, "adult", "boy"))
        yield (
            Household(
                folder=config,
                site=site,
                model=model,
                phones=phones,
                owner=owner,
                child=child,
                adult=adult,
                boy=boy,
                settled=time.monotonic(),
            ),
            process,
        )


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so. Raises TimeoutError."""
    async with asyncio.timeout(_WAIT_S):
        while not await is_so():
            await asyncio.sleep(0.1)


async def _furnish(owner: Client, effects: Path) -> None:
    step = await owner.request("POST", FLOWS, {"handler": "demo_house"})
    await owner.request("POST", f"{FLOWS}/{step['flow_id']}", {"effects": str(effects)})


async def _can_be_told(owner: Client, *names: str) -> bool:
    listed = await owner.request("GET", "/api/services")
    known = {
        service
        for domain in listed
        if domain["domain"] == "notify"
        for service in domain["services"]
    }
    return {f"mobile_app_{name}" for name in names} <= known
