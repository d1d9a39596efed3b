"""One process of the local worker, from its first line to its end."""

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from dataclasses import dataclass
import json
import logging
import os
from pathlib import Path
import signal
from typing import Final, Self

from homeassistant.core import HomeAssistant

from ..legion.keys import Identity
from ..legion.messages import WorkerAddress
from .worker_launch import Launch, environment, prepare

_LOGGER = logging.getLogger(__name__)

# A small computer that starts Home Assistant at the same time takes its while.
READY_S: Final = 60.0
STOP_S: Final = 6.0
_LINE_MAX: Final = 65_536
_WORDS_MAX: Final = 400


class ProcessFailed(Exception):
    """The process did not start, or did not say where it listens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """What the process said: where it is, and which tools it can't serve, and why."""

    address: WorkerAddress
    failed: Mapping[str, str]


class WorkerProcess:
    """A running process that is known to listen; `stop` ends it in any case."""

    def __init__(self, hass: HomeAssistant, launch: Launch, process: Process) -> None:
        """Hold a process; `start` makes one."""
        self._hass = hass
        self._launch = launch
        self._process = process
        self._words = b""
        self._drains: list[asyncio.Task[None]] = []
        self.ready: Ready

    @property
    def pid(self) -> int:
        """Return its process id."""
        return self._process.pid

    @classmethod
    async def start(
        cls,
        hass: HomeAssistant,
        tools: tuple[str, ...],
        settings: Mapping[str, str],
        public_key: str,
    ) -> Self:
        """Start a process that serves these tools to the holder of `public_key`.

        Raises ProcessFailed, and then nothing is left of it.
        """
        identity = await hass.async_add_executor_job(Identity.generate)
        try:
            launch = await hass.async_add_executor_job(
                prepare, Path(hass.config.config_dir)
            )
        except OSError as err:
            raise ProcessFailed(f"its files can't be prepared: {err}") from err
        values = {
            **settings,
            "CAESAR_LEGION__SEED": identity.seed,
            "CAESAR_LEGION__HA_PUBLIC_KEY": public_key,
            "CAESAR_LEGION__TOOLS": json.dumps(tools),
        }
        try:
            process = await asyncio.create_subprocess_exec(
                *launch.command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd="/",
                env=environment(hass.config.time_zone, values),
                limit=_LINE_MAX,
                # One signal then reaches its children too.
                start_new_session=True,
            )
        except OSError as err:
            await hass.async_add_executor_job(launch.clean_up)
            raise ProcessFailed(f"it can't be started: {err}") from err
        started = cls(hass, launch, process)
        try:
            await started._listen(identity.public_key)
        except BaseException:
            # Whatever ends the wait, a cancellation too: nobody else knows the process.
            await asyncio.shield(started.stop())
            raise
        return started

    async def wait(self) -> str:
        """Wait for its end; return what there is to say about it."""
        code = await self._process.wait()
        await asyncio.gather(*self._drains, return_exceptions=True)
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        words = self._words.decode(errors="replace").strip()
        return f"{how}: {words}" if words else how

    async def stop(self) -> None:
        """End it, kindly first; nothing of it is left on return."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await self._process.wait()
        except TimeoutError:
            _LOGGER.warning("The local worker did not stop and is killed")
        finally:
            self._kill()
            await self._process.wait()
            for drain in self._drains:
                drain.cancel()
            await self._hass.async_add_executor_job(self._launch.clean_up)

    def _kill(self) -> None:
        """Kill what is left of its session: itself, and children of its own."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError, PermissionError:
            return

    async def _listen(self, public_key: str) -> None:
        """Read the one line. Raises ProcessFailed."""
        stdout, stderr = self._process.stdout, self._process.stderr
        assert stdout is not None
        assert stderr is not None
        self._drains.append(
            self._hass.async_create_background_task(
                self._drain(stderr, keep=True), "caesar local worker's words"
            )
        )
        try:
            async with asyncio.timeout(READY_S):
                line = await stdout.readline()
        except TimeoutError, ValueError:
            raise ProcessFailed("it did not say where it listens") from None
        if not line:
            raise ProcessFailed(await self.wait())
        self.ready = _ready(line, public_key)
        self._drains.append(
            self._hass.async_create_background_task(
                self._drain(stdout), "caesar local worker's output"
            )
        )

    async def _drain(self, stream: asyncio.StreamReader, *, keep: bool = False) -> None:
        """Read on, so that it never waits for us; keep the last words for people."""
        while chunk := await stream.read(_LINE_MAX):
            if keep:
                self._words = (self._words + chunk)[-_WORDS_MAX:]


def _ready(line: bytes, public_key: str) -> Ready:
    try:
        said = json.loads(line)
        port, key, failed = said["port"], said["public_key"], said["failed"]
    except ValueError, KeyError, TypeError, RecursionError:
        raise ProcessFailed("its first line can't be read") from None
    if (
        not isinstance(port, int)
        or not 0 < port < 65536
        or key != public_key
        or not isinstance(failed, dict)
    ):
        raise ProcessFailed("its first line is not what was expected")
    return Ready(
        address=WorkerAddress(url=f"http://127.0.0.1:{port}", public_key=key),
        failed={str(tool): str(why)[:_WORDS_MAX] for tool, why in failed.items()},
    )
