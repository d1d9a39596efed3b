"""A backup taken while people talk, and what comes back from it elsewhere."""

import asyncio
from asyncio.subprocess import Process
from contextlib import suppress
from dataclasses import replace
import io
import json
from pathlib import Path
import secrets
import tarfile
import time
from typing import Final

import aiohttp
from homeassistant.const import RESTART_EXIT_CODE

from custom_components.caesar.audit.chain import head_from_json
from house.onboarding import until_up
from house.process import home_assistant, stop
from house.seed import prepare
from proofs.crash_parts.findings import SECRETS, check, left_in, must
from proofs.hosts_parts.transcript import Transcript
from proofs.house_parts.household import Household, household, until
from tests.fakes.phone import YES

from .furnishing import (
    GARAGE,
    PIN,
    POLICY,
    SAID,
    SCRIPT,
    SHED,
    TALK,
    Before,
    calculates,
    furnish,
    live,
    pipelines,
    seed,
)
from .houses import DATABASE, complaints, entry_of, repairs
from .removing import remove, set_up_again

_AGENT: Final = "backup.local"
_BACKUP_S: Final = 60.0
_EXIT_S: Final = 30.0
_INTERRUPTED: Final = "audit_interrupted"
_INNER: Final = "homeassistant.tar.gz"
_OTHER_BYTES: Final = 20_000_000


async def live_on(folder: Path, told: Transcript, *, whole: bool) -> None:
    """Furnish a house, back it up, restore it, remove CAESAR, set it up again."""
    home = folder / "home"
    home.mkdir()
    async with household(home, POLICY, SCRIPT, more=("backup",)) as (house, process):
        other = await furnish(house)
        # Home Assistant writes its registries when it stops, or up to minutes later.
        await stop(process)
        async with house.up() as process:
            before = await live(house, other)
            backup = await _back_up(house, before, told)
            await stop(process)
        must(not (said := complaints(house.folder)), f"the log is clean: {said}")
        new = replace(house, folder=folder / "new")
        await _restore_anew(new, backup, told)
        async with new.up() as process:
            await _is_back(new, before, told, "restored elsewhere")
            await remove(new, before, told)
            await set_up_again(new, before, told)
        must(not (said := complaints(new.folder)), f"the log is clean: {said}")
        if whole:
            await _restore_here(house, backup, before, told)


async def _back_up(house: Household, before: Before, told: Transcript) -> Path:
    """Take a backup while people talk; return its file."""
    turns = 0
    # Something else to copy, or nobody could say a word in the time.
    (house.folder / "photos.bin").write_bytes(secrets.token_bytes(_OTHER_BYTES))

    async def talk(number: int) -> None:
        nonlocal turns
        while True:
            await house.ask(
                f"turn {'on' if turns % 2 else 'off'} the kitchen light", f"t{number}"
            )
            turns += 1

    talking = [asyncio.ensure_future(talk(number)) for number in range(2)]
    try:
        began = time.monotonic()
        async with house.owner.socket() as socket:
            await socket.command("backup/generate", agent_ids=[_AGENT], name="life")
            async with asyncio.timeout(_BACKUP_S):
                while True:
                    info = await socket.command("backup/info")
                    if info["state"] == "idle" and info["backups"]:
                        break
                    await asyncio.sleep(0.1)
        took = time.monotonic() - began
    finally:
        for each in talking:
            each.cancel()
        for each in talking:
            with suppress(asyncio.CancelledError):
                await each
    must(turns > 2, f"people talked meanwhile: {turns}")
    [path] = (house.folder / "backups").glob("*.tar")
    signed = await asyncio.to_thread(_signed_up_to, path)
    newest = max(before.rows)
    must(signed >= newest, f"all rows of before are signed: {signed} of {newest}")
    told.say(
        f"backup: {took:.1f} s, while {turns} turns were answered; "
        f"{len(before.rows)} rows were on record before"
    )
    return path


def _signed_up_to(backup: Path) -> int:
    """Return up to which row the backup's own head covers the trail.

    A head that is older than the backup's begin would let later rows be cut unseen.
    """
    with (
        tarfile.open(backup) as outer,
        outer.extractfile(_member(outer, _INNER)) or io.BytesIO() as packed,
        tarfile.open(fileobj=packed) as inner,
        inner.extractfile(_member(inner, SECRETS)) or io.BytesIO() as kept,
    ):
        head = head_from_json(json.load(kept)["data"]["head"])
    return head.link.seq if head else 0


def _member(archive: tarfile.TarFile, name: str) -> tarfile.TarInfo:
    [found] = [each for each in archive.getmembers() if each.name.endswith(name)]
    return found


async def _restore_anew(house: Household, backup: Path, told: Transcript) -> None:
    """Restore in a Home Assistant that nobody has used, by the page that greets."""
    new = house.folder
    new.mkdir()
    port = int(house.site.base.rpartition(":")[2])
    prepare(new, port, None)
    for link in (new / "custom_components").iterdir():
        link.unlink()
    for name in ("automations", "scenes", "scripts"):
        (new / f"{name}.yaml").write_text("")
    (new / "configuration.yaml").write_text("backup:\nfrontend:\nonboarding:\n")
    (new / ".storage" / "onboarding").unlink()
    async with home_assistant(new) as process:
        await until_up(house.site, process)
        form = aiohttp.FormData()
        form.add_field("file", backup.read_bytes(), filename=backup.name)
        session, base = house.site.session, f"{house.site.base}/api/onboarding/backup"

        async def greets() -> bool:
            async with session.get(f"{base}/info") as reply:
                return reply.ok and (await reply.json())["state"] == "idle"

        await until(greets)
        async with session.post(f"{base}/upload?agent_id={_AGENT}", data=form) as reply:
            must(reply.ok, f"the backup is taken: {await reply.text()}")
            known = (await reply.json())["backup_id"]
        wanted = {"backup_id": known, "agent_id": _AGENT}
        with suppress(aiohttp.ClientConnectionError):
            async with session.post(f"{base}/restore", json=wanted) as reply:
                must(reply.ok, f"it is restored: {await reply.text()}")
        await _restarts(process)
    await _unpacks(new)
    told.say("restore: a Home Assistant that never heard of CAESAR took the backup")


async def _restore_here(
    house: Household, backup: Path, before: Before, told: Transcript
) -> None:
    """Restore into the house that the backup is of, by the websocket's command."""
    async with house.up() as process:
        await house.ask("turn on the kitchen light", "after the backup")
        async with house.owner.socket() as socket:
            [known] = (await socket.command("backup/info"))["backups"]
            with suppress(TypeError):
                await socket.command(
                    "backup/restore", backup_id=known["backup_id"], agent_id=_AGENT
                )
        await _restarts(process)
    await _unpacks(house.folder)
    async with house.up():
        await _is_back(house, before, told, "restored over what came after")
    must(not (said := complaints(house.folder)), f"the log is clean: {said}")


async def _restarts(process: Process) -> None:
    """Wait until Home Assistant ends, as it does to be started anew."""
    async with asyncio.timeout(_EXIT_S):
        code = await process.wait()
    must(code == RESTART_EXIT_CODE, f"it asks to be started again: {code}")


async def _unpacks(folder: Path) -> None:
    """Start it: it puts the backup's files in place and asks for one start more."""
    async with home_assistant(folder) as process:
        await _restarts(process)


async def _is_back(
    house: Household, before: Before, told: Transcript, part: str
) -> None:
    """See that all is there that was there before the backup."""
    entry = await entry_of(house.owner)
    must(entry["state"] == "loaded", f"the entry is loaded: {entry}")
    checked = await house.owner.action("caesar.verify_audit", {})
    must(checked["ok"] is True, f"the trail verifies: {checked}")
    rows = left_in(house.folder / DATABASE).rows
    lost = before.rows.items() - rows.items()
    must(not lost, f"no row of before is lost or another one: {sorted(lost)}")
    must(check(house.folder / DATABASE, house.folder).ok, "the whole chain does")
    policy = (house.folder / "caesar" / "policy.yaml").read_bytes()
    must(policy == before.policy, "the policy is byte for byte the one of before")
    now = await pipelines(house.owner)
    must(now == before.pipelines, f"the voice assistants are as they were: {now}")
    told.say(
        f"{part}: all {len(before.rows)} rows of before, with "
        f"{len(rows) - len(before.rows)} later ones, verify; policy and "
        f"{len(now)} voice assistants as they were"
    )
    await _remembers(house)
    must(seed(house.folder) == before.seed, "workers know the house by its old key")
    await until(lambda: calculates(house))
    told.say(f"{part}: what was said is remembered; the local worker works out sums")
    await _goes_on(house, before, told, part)
    found = await repairs(house.owner)
    must(found.keys() <= {_INTERRUPTED}, f"no other repair: {found}")
    if found:
        # The copy was made between a call and its outcome.
        told.say(f"{part}: a repair names the call that the backup fell into")


async def _remembers(house: Household) -> None:
    await house.ask("and what was that", TALK)
    must(
        SAID in str(house.model.rounds[-1]["messages"]), "the words of before are sent"
    )


async def _goes_on(
    house: Household, before: Before, told: Transcript, part: str
) -> None:
    """Answer what waited by the old card, use the PIN by voice, see what is planned."""
    done = len(_effects(house, before))
    waiting = await house.owner.action("caesar.pending", {})
    must(len(waiting["approvals"]) == 1, f"the question waits: {waiting}")
    await house.adult.press(before.card, YES)
    await until(lambda: _did(house, before, done, (GARAGE, "open_cover")))
    heard = await house.hear("unlock the shed")
    said = await house.hear(PIN, heard["conversation_id"])
    await until(lambda: _did(house, before, done + 1, (SHED, "unlock")))
    planned = await house.ask("what have I planned", TALK)
    must("kitchen light" in planned["answer"].casefold(), f"it is planned: {planned}")
    told.say(
        f"{part}: the yes on the phone opens the garage; by voice: "
        f"{heard['answer']!r}, PIN, {said['answer']!r}; {planned['answer']!r}"
    )


async def _did(
    house: Household, before: Before, after: int, effect: tuple[str, str]
) -> bool:
    return effect in _effects(house, before)[after:]


def _effects(house: Household, before: Before) -> list[tuple[str, str]]:
    """Return what happened; all houses of the story write into the first one's file."""
    return replace(house, folder=before.home).effects()
