"""Talks to a real Home Assistant, and looks for the words in everything it leaves."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
import json
from pathlib import Path
import re
import secrets
import sqlite3
from typing import Any, Final

import aiohttp

from house.client import Client, Site
from house.moving_in import AGENT, give_assist_to_caesar, set_up_caesar
from house.onboarding import owner as owner_of, until_running, until_up
from house.options import Brain, BrainKind
from house.process import LOG_FILE, home_assistant
from house.seed import free_port, prepare
from proofs.crash_parts.findings import Unproven, must
from tests.fakes.messages_api import FakeMessagesApi
from tests.fakes.messages_script import Rules

DATABASE: Final = "caesar/caesar.db"
ISSUE: Final = "memory_unreadable"
_ENCODINGS: Final = ("utf-8", "utf-16-le", "utf-16-be")
_LOGGER_OF: Final = re.compile(r"^\S+ \S+ [A-Z]+ \([^)]*\) \[([^\]]+)\]")


def word() -> str:
    """Return a word that nothing else in the house holds."""
    letters = str.maketrans("0123456789", "ghijklmnop")
    return f"quux{secrets.token_hex(8)}".translate(letters)


@dataclass(slots=True, kw_only=True)
class Words:
    """The words of this run: said, answered, and given to a tool."""

    said: list[str] = field(default_factory=lambda: [word() for _ in range(5)])
    answered: str = field(default_factory=word)
    given: str = field(default_factory=word)

    @property
    def secret(self) -> list[str]:
        """Return those that may be found nowhere."""
        return [*self.said, self.answered]

    def script(self) -> dict[str, Any]:
        """Return what the model does."""
        call = {"tool": "notify__nobody", "input": {"message": self.given}}
        return {
            "rules": [
                {"when": "remember", "rounds": [[{"text": f"Yes, {self.answered}."}]]},
                {
                    "when": "forget",
                    "rounds": [
                        [{"tool": "forget_conversation", "input": {}}],
                        [{"text": "It is forgotten."}],
                    ],
                },
                {"when": "tell", "rounds": [[call], [{"text": "I may not."}]]},
            ],
            "default": "I see.",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """The owner of a house, and the server of its model."""

    config: Path
    client: Client
    model: FakeMessagesApi

    async def say(self, text: str, conversation: str) -> dict[str, Any]:
        """Say something by `caesar.ask`."""
        data = {
            "text": text,
            "language": "en",
            "agent": AGENT,
            "conversation_id": conversation,
        }
        return await self.client.action("caesar.ask", data)

    async def type(self, text: str, conversation: str | None = None) -> str:
        """Type something as the browser's dialog does; return its name from then on."""
        async with self.client.socket() as socket:
            await socket.command(
                "assist_pipeline/run",
                start_stage="intent",
                end_stage="intent",
                input={"text": text},
                conversation_id=conversation,
            )
            async for data in socket.events():
                if data and "intent_output" in data:
                    return str(data["intent_output"]["conversation_id"])
        raise Unproven("the dialog gets an answer")

    def sent(self) -> str:
        """Return the conversation that the model was sent last."""
        return json.dumps(self.model.rounds[-1]["messages"], ensure_ascii=False)

    def turns_sent(self) -> int:
        """Return how many messages that was."""
        return len(self.model.rounds[-1]["messages"])

    async def chain_is_whole(self) -> bool:
        """Return whether the trail verifies."""
        check = await self.client.action("caesar.verify_audit", {})
        return check["ok"] is True

    async def reload(self) -> None:
        """Load CAESAR anew, which remembers nothing but what is on the disk."""
        path = "/api/config/config_entries/entry"
        [entry] = await self.client.request("GET", f"{path}?domain=caesar")
        await self.client.request("POST", f"{path}/{entry['entry_id']}/reload")

    async def told(self) -> bool:
        """Return whether a repair says that a conversation could not be read."""
        async with self.client.socket() as socket:
            listed = await socket.command("repairs/list_issues")
        return any(issue["issue_id"] == ISSUE for issue in listed["issues"])


@asynccontextmanager
async def house(
    config: Path, model: FakeMessagesApi
) -> AsyncIterator[tuple[Talk, asyncio.subprocess.Process]]:
    """Start a demo house with CAESAR on a folder; everything is in its log."""
    port = free_port()
    prepare(config, port, None)
    configuration = config / "configuration.yaml"
    written = configuration.read_text(encoding="utf-8")
    loud = written.replace("default: warning", "default: debug")
    must(loud != written, "the log holds everything")
    configuration.write_text(loud, encoding="utf-8")
    async with (
        home_assistant(config, model.url) as process,
        aiohttp.ClientSession() as session,
    ):
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        await until_up(site, process)
        client = await owner_of(site)
        await until_running(client, process)
        await set_up_caesar(client, Brain(kind=BrainKind.SCRIPTED), "everyday")
        await give_assist_to_caesar(client)
        yield Talk(config=config, client=client, model=model), process


def model_of(words: Words) -> FakeMessagesApi:
    """Return the model's server."""
    return FakeMessagesApi(Rules(words.script()))


def files_with(folder: Path, words: Iterable[str]) -> set[str]:
    """Return the files below a folder whose bytes hold one of the words."""
    needles = [each.encode(code) for each in words for code in _ENCODINGS]
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(needle in path.read_bytes() for needle in needles)
    }


def loggers_with(log: Path, words: Iterable[str]) -> set[str]:
    """Return who has written one of the words into the log."""
    needles, found, name = tuple(words), set(), ""
    for line in log.read_text(errors="replace").splitlines():
        if match := _LOGGER_OF.match(line):
            name = match[1]
        if any(needle in line for needle in needles):
            found.add(name)
    return found


def swap(database: Path) -> None:
    """Exchange what is sealed in the newest two rows, which are of two sessions."""
    db = sqlite3.connect(database)
    rows = db.execute(
        "SELECT id, session, sealed FROM bot_memory ORDER BY id DESC LIMIT 2"
    ).fetchall()
    (one, its_session, its_sealed), (other, session, sealed) = rows
    must(its_session != session, "they are of two conversations")
    db.execute("UPDATE bot_memory SET sealed = ? WHERE id = ?", (sealed, one))
    db.execute("UPDATE bot_memory SET sealed = ? WHERE id = ?", (its_sealed, other))
    db.commit()
    db.close()


def log_of(config: Path) -> Path:
    """Return Home Assistant's log of its last run."""
    return config / LOG_FILE
