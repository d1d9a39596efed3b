"""Programs that speak the Wyoming protocol: one port, and a handler for each caller.

It follows the protocol's README (rhasspy/wyoming): an event is a line of JSON with its
type, data and payload; `describe` is answered by `info`. Also run by Pythons that are
older than ours, see script/speech.sh.
"""

import asyncio
from collections.abc import Awaitable, Callable

from wyoming.event import Event, Eventable, async_read_event, async_write_event
from wyoming.info import Attribution, Describe, Info

LOOPBACK = "127.0.0.1"
OURS = Attribution(name="tests", url="")


class Line:
    """One caller's connection."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, info: Info
    ) -> None:
        """Answer to `describe` with this info."""
        self._reader = reader
        self._writer = writer
        self._info = info

    async def read(self) -> Event | None:
        """Return the next event that isn't `describe`; None at the end."""
        while (event := await async_read_event(self._reader)) is not None:
            if not Describe.is_type(event.type):
                return event
            await self.write(self._info)
        return None

    async def write(self, said: Eventable) -> None:
        """Send an event."""
        await async_write_event(said.event(), self._writer)


async def serve(info: Info, meet: Callable[[Line], Awaitable[None]]) -> None:
    """Listen on a free port, print it, and meet each caller, until cancelled."""

    async def connected(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            await meet(Line(reader, writer, info))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, LOOPBACK, 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
