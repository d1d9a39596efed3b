"""Saying that strangers knock, without letting them fill the log."""

from collections import OrderedDict
from collections.abc import Callable
import logging
import time
from typing import Final

from aiohttp.http_exceptions import HttpProcessingError

EACH: Final = 5
WINDOW_S: Final = 300.0
MAX_SOURCES: Final = 256

_LOGGER = logging.getLogger(__name__)


def http_log() -> logging.Logger:
    """Return a log for aiohttp's server, without what strangers can make it write.

    For every head that is no HTTP it would write a traceback.
    """
    log = logging.getLogger(f"{__name__}.http")
    log.filters[:] = [_is_ours]
    return log


def _is_ours(record: logging.LogRecord) -> bool:
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or not issubclass(kind, HttpProcessingError)


class RefusalLog:
    """Logs the first five refusals of a source in five minutes, and the number after.

    It locks nobody out: whoever shares an address with Home Assistant could then shut
    it out with five bad requests. A stranger costs little, since a key that is not
    trusted is refused before anything is computed.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Count by a clock in seconds."""
        self._clock = clock
        self._sources: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def add(self, source: str, reason: str) -> None:
        """Take note of a refusal."""
        now = self._clock()
        since, count = self._sources.pop(source, (now, 0))
        if now - since > WINDOW_S:
            if count > EACH:
                _LOGGER.warning("%s was refused %d times more", source, count - EACH)
            since, count = now, 0
        self._sources[source] = (since, count + 1)
        if len(self._sources) > MAX_SOURCES:
            self._sources.popitem(last=False)
        if count < EACH:
            _LOGGER.warning("Refused a request from %s: %s", source, reason)
