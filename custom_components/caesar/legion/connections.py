"""Connections that say nothing: closed before they can use up a worker."""

import asyncio
from collections.abc import Callable
from typing import Final

from aiohttp import web

MAX_SILENT: Final = 128
SILENT_S: Final = 10.0


class Doorkeeper:
    """Makes the protocols of new connections, and closes those that dawdle.

    A connection has ten seconds for the whole of its first head. aiohttp has no such
    limit: somebody who drips a byte now and then would hold a connection for ever.
    """

    def __init__(self, *, silent_s: float = SILENT_S, most: int = MAX_SILENT) -> None:
        """Allow `most` connections to be silent, each for so many seconds."""
        self._silent_s = silent_s
        self._most = most
        self._silent: dict[asyncio.Protocol, asyncio.TimerHandle] = {}

    def watched(
        self, make: Callable[[], asyncio.Protocol]
    ) -> Callable[[], asyncio.Protocol]:
        """Return the factory `make` with an eye on what it makes."""

        def factory() -> asyncio.Protocol:
            protocol = make()
            if len(self._silent) >= self._most:
                # The one that has been silent longest makes room.
                self._close(next(iter(self._silent)))
            self._silent[protocol] = asyncio.get_running_loop().call_later(
                self._silent_s, self._close, protocol
            )
            return protocol

        return factory

    def spoke(self, protocol: asyncio.BaseProtocol) -> None:
        """Take note that a connection has sent a whole head."""
        if isinstance(protocol, asyncio.Protocol):
            timer = self._silent.pop(protocol, None)
            if timer is not None:
                timer.cancel()

    def close(self) -> None:
        """Close all that are silent."""
        for protocol in tuple(self._silent):
            self._close(protocol)

    def _close(self, protocol: asyncio.Protocol) -> None:
        self.spoke(protocol)
        if isinstance(protocol, web.RequestHandler):
            protocol.force_close()
            if protocol.transport is not None:
                protocol.transport.abort()
