"""What a proof checks of a trail that somebody left behind, and how it reports."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
import json
from pathlib import Path
import sqlite3
import tempfile
import time

from custom_components.caesar.audit.chain import Head, Signer, head_from_json
from custom_components.caesar.audit.verify import Check, verify

SECRETS = ".storage/caesar.audit"


class Unproven(Exception):
    """A promise did not hold."""


def must(holds: bool, promise: str) -> None:
    """Raise Unproven unless it holds."""
    if not holds:
        raise Unproven(promise)


def prove_all(name: str, parts: Iterable[tuple[str, Callable[[Path], str]]]) -> bool:
    """Run the parts of a proof, each in an empty folder; return whether all hold.

    A part returns what there is to say, or raises Unproven.
    """
    good = True
    for part, prove in parts:
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix=f"caesar-{name}-") as folder:
            try:
                said, holds = prove(Path(folder)), True
            except Unproven as err:
                said, holds = f"NOT SO: {err}", False
        good = good and holds
        print(f"{part} ({time.monotonic() - started:.1f} s): {said}", flush=True)
    return good


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A trail as it lies on the disk.

    `rows` are numbers and hashes, `intents` the calls' own context ids by number,
    `open` the intents without outcome, `changing` those that were to change something.
    """

    rows: dict[int, str]
    intents: dict[int, str]
    open: frozenset[int]
    changing: frozenset[int]
    interrupted: frozenset[int]


NOTHING = Left(
    rows={},
    intents={},
    open=frozenset(),
    changing=frozenset(),
    interrupted=frozenset(),
)


def left_in(database: Path) -> Left:
    """Read it, as another program would."""
    db = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        rows = dict(db.execute("SELECT chain_seq, row_hash FROM audit_log"))
        intents = dict(
            db.execute(
                "SELECT chain_seq, payload ->> '$.context_id' FROM audit_log"
                " WHERE event_type = 'tool.intended'"
            )
        )
        changing = frozenset(
            seq
            for (seq,) in db.execute(
                "SELECT chain_seq FROM audit_log WHERE event_type = 'tool.intended'"
                " AND payload ->> '$.decision.impact' <> 'read'"
            )
        )
        done = dict(
            db.execute(
                "SELECT intent_seq, payload ->> '$.outcome.error' FROM audit_log"
                " WHERE intent_seq IS NOT NULL"
            )
        )
    finally:
        db.close()
    return Left(
        rows=rows,
        intents=intents,
        open=frozenset(intents.keys() - done.keys()),
        changing=changing,
        interrupted=frozenset(
            seq for seq, error in done.items() if error == "interrupted"
        ),
    )


def check(database: Path, config: Path) -> Check:
    """Verify the whole chain with the key and head that Home Assistant keeps."""
    signer, head = secrets_of(config)
    return verify(database, signer, head)


def secrets_of(config: Path) -> tuple[Signer, Head | None]:
    """Return the house's key and the newest head outside the file."""
    data = json.loads((config / SECRETS).read_text())["data"]
    return Signer(bytes.fromhex(data["key"])), head_from_json(data["head"])


def effects_in(log: Path) -> list[str]:
    """Return the context ids of the effects that the device wrote down, in order."""
    if not log.exists():
        return []
    return [json.loads(line)["context_id"] for line in log.read_text().splitlines()]
