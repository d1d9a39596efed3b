"""Houses on a disk: made from what an earlier version left, started, looked at."""

import base64
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, closing
import json
from pathlib import Path
import sqlite3
from typing import Any, Final

import aiohttp
import bcrypt
from homeassistant.auth.const import GROUP_ID_ADMIN
from homeassistant.config_entries import STORAGE_VERSION, STORAGE_VERSION_MINOR

from house.client import Client, Site
from house.onboarding import OWNER, PASSWORD, log_in, until_running, until_up
from house.process import LOG_FILE, home_assistant
from proofs.crash_parts.findings import must
from tests.ha.upgrade.kept import Left

DATABASE: Final = Path("caesar") / "caesar.db"
POLICY: Final = Path("caesar") / "policy.yaml"
ENTRIES: Final = "/api/config/config_entries/entry"
_STORAGE: Final = ".storage"
_CONFIG_ENTRIES: Final = f"{_STORAGE}/core.config_entries"


def store(config: Path, key: str, data: object, *, minor: int = 1) -> None:
    """Write a file of Home Assistant's storage."""
    folder = config / _STORAGE
    folder.mkdir(exist_ok=True)
    kept = {"version": 1, "minor_version": minor, "key": key, "data": data}
    (folder / key).write_text(json.dumps(kept), encoding="utf-8")


def move_in(config: Path, left: Left) -> None:
    """Have the house's owner and CAESAR's entry there before Home Assistant starts.

    The owner has the id of then: rows, sessions and questions name it.
    """
    hashed = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4))
    name = {"username": OWNER}
    store(
        config,
        "auth_provider.homeassistant",
        {"users": [name | {"password": base64.b64encode(hashed).decode()}]},
    )
    user = {
        "id": left.owner,
        "group_ids": [GROUP_ID_ADMIN],
        "is_owner": True,
        "is_active": True,
        "name": "Owner",
        "system_generated": False,
        "local_only": False,
    }
    credential = {
        "id": "0" * 32,
        "user_id": left.owner,
        "auth_provider_type": "homeassistant",
        "auth_provider_id": None,
        "data": name,
    }
    store(
        config,
        "auth",
        {
            "users": [user],
            "groups": [{"id": GROUP_ID_ADMIN, "name": "Administrators"}],
            "credentials": [credential],
            "refresh_tokens": [],
        },
    )
    must(STORAGE_VERSION == 1, "entries are kept as they were")
    store(
        config,
        "core.config_entries",
        {"entries": [left.entry]},
        minor=STORAGE_VERSION_MINOR,
    )
    for key, kept in left.storage.items():
        (config / _STORAGE / key).write_text(json.dumps(kept), encoding="utf-8")


def set_entry_version(config: Path, version: int) -> None:
    """Say that another major version of CAESAR has written its entry."""
    path = config / _CONFIG_ENTRIES
    kept = json.loads(path.read_text())
    [entry] = [each for each in kept["data"]["entries"] if each["domain"] == "caesar"]
    entry["version"] = version
    path.write_text(json.dumps(kept), encoding="utf-8")


@asynccontextmanager
async def started(config: Path, port: int) -> AsyncIterator[Client]:
    """Start Home Assistant on a prepared folder; give its owner."""
    async with home_assistant(config) as process, aiohttp.ClientSession() as session:
        site = Site(session=session, base=f"http://127.0.0.1:{port}")
        await until_up(site, process)
        owner = await log_in(site, OWNER)
        await until_running(owner, process)
        yield owner


async def entry_of(client: Client) -> dict[str, Any]:
    """Return CAESAR's entry, as Home Assistant's page sees it."""
    [entry] = await client.request("GET", f"{ENTRIES}?domain=caesar")
    return dict(entry)


async def repairs(client: Client) -> dict[str, dict[str, Any]]:
    """Return CAESAR's repairs by their translation's key."""
    async with client.socket() as socket:
        listed = await socket.command("repairs/list_issues")
    return {
        each["translation_key"]: each
        for each in listed["issues"]
        if each["domain"] == "caesar"
    }


async def notices(client: Client) -> dict[str, str]:
    """Return what the persistent notifications of CAESAR's say, by their ids."""
    async with client.socket() as socket:
        listed = await socket.command("persistent_notification/get")
    return {
        each["notification_id"]: each["message"]
        for each in listed
        if each["notification_id"].startswith("caesar")
    }


async def spoken_text(
    client: Client, language: str, category: str, key: str, values: Mapping[str, str]
) -> str:
    """Return a text as Home Assistant's page shows it in a language.

    Raises Unproven if there is none, or if a placeholder stays empty.
    """
    async with client.socket() as socket:
        found = await socket.command(
            "frontend/get_translations",
            language=language,
            category=category,
            integration=["caesar"],
        )
    text = found["resources"].get(f"component.caesar.{category}.{key}")
    must(bool(text), f"there is a text in {language} for {key}")
    return str(text).format_map(values)


def rows(config: Path, statement: str) -> list[tuple[Any, ...]]:
    """Return what CAESAR's file holds, read as another program would."""
    with closing(sqlite3.connect(f"file:{config / DATABASE}?mode=ro", uri=True)) as db:
        return db.execute(statement).fetchall()


def complaints(config: Path, but: Iterable[str] = ()) -> list[str]:
    """Return what Home Assistant's log holds of CAESAR that must not be there."""
    text = (config / LOG_FILE).read_text(errors="replace")
    return [
        line
        for line in text.splitlines()
        if ("caesar" in line.casefold() and ("ERROR" in line or "Traceback" in line))
        or "blocking call" in line
        if not any(each in line for each in but)
    ]


def bytes_of(config: Path) -> dict[str, bytes]:
    """Return all that CAESAR keeps: its folder and its parts of the storage."""
    found = [*(config / "caesar").rglob("*"), *(config / _STORAGE).glob("caesar*")]
    kept = {
        str(path.relative_to(config)): path.read_bytes()
        for path in found
        # SQLite's index of its log is no content.
        if path.is_file() and not path.name.endswith("-shm")
    }
    # Nor is a log with nothing in it.
    return {name: each for name, each in kept.items() if each or "-wal" not in name}
