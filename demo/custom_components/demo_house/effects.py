"""Tells a process outside Home Assistant what really happened to a thing.

A switch that only lives in Home Assistant's memory is gone when Home Assistant
is killed. So each effect can be reported, before the state changes, either to a
file or over a Unix socket to `house.device`, which stands for the hardware.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
import json
import os
from pathlib import Path
from typing import Any, Protocol

from homeassistant.core import Context, HomeAssistant

UNIX_PREFIX = "unix:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One thing that was done to one entity, and the call that did it."""

    entity_id: str
    action: str
    context_id: str | None
    parent_id: str | None
    user_id: str | None
    data: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        entity_id: str,
        action: str,
        context: Context | None,
        data: Mapping[str, Any],
    ) -> Effect:
        """Return the effect of an action that runs in `context`."""
        return cls(
            entity_id=entity_id,
            action=action,
            context_id=context.id if context else None,
            parent_id=context.parent_id if context else None,
            user_id=context.user_id if context else None,
            data=data,
        )

    def as_line(self) -> str:
        """Return the effect as one line of JSON."""
        return json.dumps(asdict(self), default=str) + "\n"


class EffectLog(Protocol):
    """Where effects go."""

    async def write(self, effect: Effect) -> None:
        """Report an effect; returns when it has been taken. Raises OSError."""


class NoEffectLog:
    """Reports nothing: the everyday case."""

    async def write(self, effect: Effect) -> None:
        """Do nothing."""


class FileEffectLog:
    """Appends each effect to a file and waits until it is on disk."""

    def __init__(self, path: Path, run: Callable[..., asyncio.Future[None]]) -> None:
        """Take the file and Home Assistant's way to run a function off the loop."""
        self._path = path
        self._run = run

    async def write(self, effect: Effect) -> None:
        """Append the effect as a line."""
        await self._run(self._append, effect.as_line())

    def _append(self, line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


class SocketEffectLog:
    """Sends each effect to a device process and waits for its answer."""

    def __init__(self, path: Path) -> None:
        """Take the path of the Unix socket."""
        self._path = path

    async def write(self, effect: Effect) -> None:
        """Send the effect; the device answers once it has written it down."""
        reader, writer = await asyncio.open_unix_connection(self._path)
        try:
            writer.write(effect.as_line().encode())
            await writer.drain()
            if not await reader.readline():
                raise ConnectionResetError("The device took no note of the effect")
        finally:
            writer.close()


def effect_log(hass: HomeAssistant, where: str | None) -> EffectLog:
    """Return the log for `unix:/path/to/socket`, a file's path, or nothing."""
    if not where:
        return NoEffectLog()
    if where.startswith(UNIX_PREFIX):
        return SocketEffectLog(Path(where.removeprefix(UNIX_PREFIX)))
    return FileEffectLog(Path(where), hass.async_add_executor_job)
