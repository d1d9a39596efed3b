"""The tables of CAESAR's file, one module a step, applied in the order of their names.

A step is a module `sNNN_name` with `STATEMENTS`. `PRAGMA user_version` holds the
number of the last one applied; a step that was released is never changed, only
followed by another. Later tables (memory, approvals) are steps like these.
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
import pkgutil
import re
import sqlite3

_NAME = re.compile(r"s(\d{3})_\w+")


class SchemaTooNew(Exception):
    """The file was written by a newer version of CAESAR; it is left as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: its number, and what it executes."""

    number: int
    name: str
    statements: tuple[str, ...]


@cache
def steps() -> tuple[Step, ...]:
    """Return all steps in order. Imports modules: not for an event loop."""
    found = []
    for module in pkgutil.iter_modules(__path__):
        if match := _NAME.fullmatch(module.name):
            statements = import_module(f"{__name__}.{module.name}").STATEMENTS
            found.append(
                Step(
                    number=int(match[1]),
                    name=module.name,
                    statements=tuple(statements),
                )
            )
    return tuple(sorted(found, key=lambda step: step.number))


def apply(db: sqlite3.Connection, known: tuple[Step, ...] | None = None) -> None:
    """Bring the file up to the last step, one transaction a step.

    Raises SchemaTooNew, and sqlite3.Error when the file can't be written or read.
    """
    known = steps() if known is None else known
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if version > known[-1].number:
        raise SchemaTooNew(f"schema {version} > {known[-1].number}")
    for step in known:
        if step.number <= version:
            continue
        db.execute("BEGIN IMMEDIATE")
        try:
            for statement in step.statements:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {step.number:d}")
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise
