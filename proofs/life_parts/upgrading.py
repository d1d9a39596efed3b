"""A house of the first version goes on with today's, and meets a newer one kindly."""

import asyncio
from contextlib import closing
from pathlib import Path
import sqlite3
from typing import Any, Final

from custom_components.caesar.audit import schema
from house.client import Client
from house.moving_in import AGENT, build_house
from house.seed import free_port, prepare
from proofs.crash_parts.findings import must
from proofs.hosts_parts.transcript import Transcript
from tests.ha.upgrade.kept import FIRST, unpack

from .houses import (
    DATABASE,
    POLICY,
    bytes_of,
    complaints,
    entry_of,
    move_in,
    notices,
    repairs,
    rows,
    set_entry_version,
    spoken_text,
    started,
)

# A turn of then that switched a light, and what was used before.
OLD_TURN: Final = "22d0ce2121144f668b16bc92c2a38007"
_USED: Final = [("2026-11-30", 777), ("2026-12-01", 1234)]
_NEWER: Final = 900
_END_S: Final = 10.0
_LANGUAGES: Final = {"en": "Install the newer version", "de": "die neuere Version"}


async def upgrade(config: Path, told: Transcript) -> int:
    """Start today's CAESAR on what 0.1.0 left; return the port of the house."""
    config.mkdir()
    port = free_port()
    prepare(config, port, None)
    left = unpack(FIRST, config)
    move_in(config, left)
    before = (config / POLICY).read_bytes()
    [(old,)] = rows(config, "SELECT count(*) FROM audit_log")
    async with started(config, port) as owner:
        entry = await entry_of(owner)
        must(entry["state"] == "loaded", f"the entry is loaded: {entry}")
        policy = await _panel(owner, "policy")
        must((config / POLICY).read_bytes() == before, "the policy's file is as it was")
        must(policy["text"].encode() == before, "and in force")
        checked = await owner.action("caesar.verify_audit", {})
        must(checked["ok"] is True and checked["rows"] > old, f"it verifies: {checked}")
        exported = await owner.action("caesar.export_audit", {"decision_id": OLD_TURN})
        must(len(exported["rows"]) == 3, f"an old turn's rows: {exported}")
        page = await _panel(owner, "trail", decision_id=OLD_TURN)
        must([each["result"] for each in page] == ["ok"], f"and its page: {page}")
        told.say(
            f"upgrade: {FIRST} is loaded; policy byte for byte; {old} old rows verify "
            f"with {checked['rows'] - old} new ones; the panel shows {page[0]['who']}: "
            f"{page[0]['tool']}, {page[0]['result']}"
        )
        told.say(f"upgrade: {await _expired(owner, config)}")
        await build_house(owner, None)
        await _answers(owner, told, "upgrade")
        must(not (found := await repairs(owner)), f"no repair: {found}")
    [(version,)] = rows(config, "PRAGMA user_version")
    must(version == schema.steps()[-1].number, f"the file is of today: {version}")
    used = rows(config, "SELECT day, sum(tokens) FROM usage GROUP BY day ORDER BY day")
    must(used[: len(_USED)] == _USED, f"what was used before counts: {used}")
    must(not (said := complaints(config)), f"the log is clean: {said}")
    told.say(f"upgrade: schema 9 became {version}; the log holds no error of CAESAR's")
    return port


async def _expired(owner: Client, config: Path) -> str:
    """Two questions waited, for a quarter of an hour: nobody can answer them now."""
    waiting = await owner.action("caesar.pending", {})
    must(waiting == {"approvals": []}, f"nothing waits any more: {waiting}")
    async with asyncio.timeout(_END_S):
        while rows(config, "SELECT 1 FROM tool_loop_checkpoints"):
            await asyncio.sleep(0.05)
    ended = rows(
        config,
        "SELECT r.payload ->> '$.verdict', c.payload ->> '$.finish'"
        " FROM audit_log r JOIN audit_log c USING (decision_id)"
        " WHERE r.event_type = 'approval.decided' AND c.event_type = 'chat.completed'"
        " AND c.chain_seq > r.chain_seq",
    )
    must(ended == [("expired", "expired")] * 2, f"both turns are over: {ended}")
    return "two questions of then are expired, and their turns ended with that"


async def _answers(owner: Client, told: Transcript, part: str) -> None:
    """Say something; it is understood, done and on record."""
    for text, result in (
        ("turn on the kitchen light", "ok"),
        ("unlock the front door", "approval_needed"),
    ):
        said = await _ask(owner, text)
        [call] = said["calls"]
        must(result in (call["outcome"], call["code"]), f"{text}: {said}")
        told.say(f"{part}: {text!r}: {said['answer']!r}")
        await _ask(owner, "no")
    checked = await owner.action("caesar.verify_audit", {})
    must(checked["ok"] is True, f"the trail verifies: {checked}")


async def _ask(owner: Client, text: str) -> dict[str, Any]:
    data = {"text": text, "language": "en", "agent": AGENT, "conversation_id": "life"}
    return await owner.action("caesar.ask", data)


async def _panel(owner: Client, name: str, **fields: Any) -> Any:
    async with owner.socket() as socket:
        return await socket.command(f"caesar/{name}", **fields)


async def downgrade(config: Path, port: int, told: Transcript) -> None:
    """Meet a newer file, then a newer entry, then go back to today's."""
    [(version,)] = rows(config, "PRAGMA user_version")
    await asyncio.to_thread(_mark, config, _NEWER)
    before = bytes_of(config)
    async with started(config, port) as owner:
        await _meets_newer_file(owner, told)
    same(before, config, "downgrade")
    must(
        not (said := complaints(config, but=["The trail can't be written: schema"])),
        f"the log says that once: {said}",
    )
    told.say(f"downgrade: {len(before)} files of CAESAR's are byte for byte as before")

    set_entry_version(config, 2)
    async with started(config, port) as owner:
        entry = await entry_of(owner)
        must(entry["state"] == "migration_error", f"it is not set up: {entry}")
        await _home_runs(owner)
    same(before, config, "a newer entry")
    told.say("downgrade: a newer entry is not set up, nothing is written, HA runs")

    set_entry_version(config, 1)
    await asyncio.to_thread(_mark, config, version)
    async with started(config, port) as owner:
        must(not (found := await repairs(owner)), f"no repair: {found}")
        await _answers(owner, told, "the newer one is back")
    must(not (said := complaints(config)), f"the log is clean: {said}")


async def _meets_newer_file(owner: Client, told: Transcript) -> None:
    must((await entry_of(owner))["state"] == "loaded", "the entry is loaded")
    said = await _ask(owner, "turn on the kitchen light")
    must(said["calls"][0]["code"] == "audit_unavailable", f"refused: {said}")
    told.say(f"downgrade: 'turn on the kitchen light': {said['answer']!r}")
    read = await _ask(owner, "is the kitchen light on")
    must(read["calls"][0]["outcome"] == "ok", f"a question is answered: {read}")
    told.say(f"downgrade: 'is the kitchen light on': {read['answer']!r}")
    issue = (await repairs(owner))["audit_newer"]
    for language, what in _LANGUAGES.items():
        text = await spoken_text(
            owner,
            language,
            "issues",
            "audit_newer.description",
            issue["translation_placeholders"],
        )
        must(what in text and str(_NEWER) in text, f"it says what to do: {text}")
        told.say(f"downgrade: the repair in {language}: {' '.join(text.split())}")
    must(not (found := await notices(owner)), f"nothing else: {found}")
    await _home_runs(owner)


async def _home_runs(owner: Client) -> None:
    light = {"entity_id": "light.kitchen_light"}
    await owner.request("POST", "/api/services/light/turn_off", light)
    state = await owner.request("GET", "/api/states/light.kitchen_light")
    must(state["state"] == "off", f"Home Assistant runs: {state}")


def _mark(config: Path, version: int) -> None:
    """Say that the file is of this schema."""
    with closing(sqlite3.connect(config / DATABASE)) as db:
        db.execute(f"PRAGMA user_version = {version:d}")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def same(before: dict[str, bytes], config: Path, part: str) -> None:
    """Raise Unproven unless all that CAESAR keeps is as it was."""
    now = bytes_of(config)
    changed = {
        each for each in before.keys() | now if before.get(each) != now.get(each)
    }
    must(not changed, f"{part}: nothing is written: {sorted(changed)}")
