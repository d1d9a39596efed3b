"""Ten questions are asked, and Home Assistant is killed; files change behind its back."""

import asyncio
from asyncio.subprocess import Process
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
import sqlite3
from typing import Any, Final

from proofs.crash_parts.findings import must
from proofs.house_parts.household import POLICY as POLICY_PATH, Household
from tests.fakes.phone import FakePhone, Push

from .cases import CASES, DOOR, GARAGE_RULE, POLICY, Case

CHILD: Final = "child"
_DATABASE: Final = Path("caesar") / "caesar.db"
_TABLES: Final = ("pending_approvals", "tool_loop_checkpoints")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question that waits, and the card on the phone of who may answer it."""

    case: Case
    decision_id: str
    approval_id: str
    phone: FakePhone
    card: Push


async def ask_all(house: Household, process: Process) -> dict[str, Asked]:
    """Ask for everything, one question in each conversation; then kill the house."""
    people = [
        (house.owner, house.adult),
        *[await house.grown_up(name) for name in ("Carer", "Dad", "Eldest")],
    ]
    asked: dict[str, Asked] = {}
    for number, (name, case) in enumerate(CASES.items()):
        # Nobody has more than three questions open at a time.
        client, phone = people[number % len(people)]
        before = len(phone.pushed)
        response = await house.ask(case.words, name, by=client)
        must(response["parked"] is True, f"{name} waits for a person: {response}")
        asked[name] = Asked(
            case=case,
            decision_id=response["decision_id"],
            approval_id=await _newest(house, asked),
            phone=phone,
            card=await phone.card("", after=before),
        )
    # The child may not answer: the turn waits for the owner, and dies with the house.
    before = len(house.adult.pushed)
    waiting = asyncio.ensure_future(house.ask(DOOR.words, CHILD, by=house.child))
    card = await house.adult.card("", after=before)
    asked[CHILD] = Asked(
        case=DOOR,
        decision_id="",
        approval_id=await _newest(house, asked),
        phone=house.adult,
        card=card,
    )
    await house.until_written()
    must(not house.boy.pushed, "the child's phone is not asked")
    must(not house.effects(), "nothing happens while questions wait")
    process.kill()
    await process.wait()
    await asyncio.wait({waiting})
    waiting.exception()
    return asked


async def _newest(house: Household, asked: Mapping[str, Asked]) -> str:
    """Return the id of the one question that is new."""
    listed = await house.owner.action("caesar.pending", {})
    known = {each.approval_id for each in asked.values()}
    [new] = {each["approval_id"] for each in listed["approvals"]} - known
    return str(new)


def change_behind_its_back(folder: Path, asked: Mapping[str, Asked]) -> None:
    """Tamper with the database, narrow the policy, rewrite a script."""
    with closing(sqlite3.connect(folder / _DATABASE)) as db:
        _spoil(db, "pending_approvals", "id", asked["changed question"])
        _spoil(db, "tool_loop_checkpoints", "approval_id", asked["changed turn"])
        _swap(db, asked["swapped"].approval_id, asked["swapped too"].approval_id)
        changed = db.execute(
            "UPDATE pending_approvals SET standing = 'approved', decided_at = created_at"
            " WHERE id = ?",
            (asked["forged yes"].approval_id,),
        )
        must(changed.rowcount == 1, "the row is there")
        db.commit()
    policy = folder / POLICY_PATH
    text = policy.read_text()
    must(text == POLICY, "the policy is the file as it was given")
    policy.write_text(text.replace(GARAGE_RULE, ""))
    scripts = folder / "scripts.yaml"
    text = scripts.read_text()
    must("lock.front_door" in text, "the script opens the front door")
    scripts.write_text(text.replace("lock.front_door", "lock.shed"))


def _spoil(db: sqlite3.Connection, table: str, key: str, asked: Asked) -> None:
    """Change one byte in the middle of what is sealed."""
    found = db.execute(
        f"SELECT sealed FROM {table} WHERE {key} = ?",  # noqa: S608 - words of our own
        (asked.approval_id,),
    ).fetchone()
    sealed = bytearray(found[0])
    sealed[len(sealed) // 2] ^= 1
    db.execute(
        f"UPDATE {table} SET sealed = ? WHERE {key} = ?",  # noqa: S608 - words of our own
        (bytes(sealed), asked.approval_id),
    )


def _swap(db: sqlite3.Connection, one: str, other: str) -> None:
    """Put each question's call in the place of the other's, in both tables."""
    for table, key in zip(_TABLES, ("id", "approval_id"), strict=True):
        sealed: dict[str, Any] = dict(
            db.execute(
                f"SELECT {key}, sealed FROM {table} WHERE {key} IN (?, ?)",  # noqa: S608 - words of our own
                (one, other),
            )
        )
        for mine, its in ((one, other), (other, one)):
            db.execute(
                f"UPDATE {table} SET sealed = ? WHERE {key} = ?",  # noqa: S608 - words of our own
                (sealed[its], mine),
            )
