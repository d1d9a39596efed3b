"""Tries the settings of a tool before they are kept, in a process of its own."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from homeassistant.core import HomeAssistant

from ..const import DOMAIN, SUBENTRY_CALENDAR, SUBENTRY_RECALL, SUBENTRY_WEB_SEARCH
from ..legion.canonical import Json
from ..legion.errors import LegionError
from ..legion.messages import WorkerAddress, WorkerReply
from .local_worker import async_install_for
from .worker_process import ProcessFailed, WorkerProcess

# The tool of each kind of settings, what it is sent, and one harmless question.
_QUESTIONS: Final[Mapping[str, tuple[str, str, Mapping[str, Json]]]] = {
    SUBENTRY_WEB_SEARCH: (
        "web_search",
        "web_search",
        {"query": "Home Assistant", "limit": 1},
    ),
    SUBENTRY_CALENDAR: ("calendar_read", "calendar_read", {"limit": 1}),
    SUBENTRY_RECALL: ("semantic_recall", "semantic_recall__try", {}),
}

type AskOnce = Callable[
    [WorkerAddress, str, Mapping[str, Json]], Awaitable[WorkerReply]
]


class TrialError(Exception):
    """Settings that don't work.

    `key` is `settings` (the tool refuses them), `not_started` (the process is at
    fault), or the tool's own word for what went wrong when it tried (`failed` if it
    has none); `message` is English, without secrets.
    """

    def __init__(self, key: str, message: str) -> None:
        """Keep what a form shows."""
        super().__init__(message)
        self.key: Final = key
        self.message: Final = message


class Trials:
    """Starts a process for a trial, asks it one thing and ends it."""

    def __init__(self, hass: HomeAssistant, public_key: str, ask: AskOnce) -> None:
        """Ask with `ask`, in the name of the holder of `public_key`."""
        self._hass = hass
        self._public_key = public_key
        self._ask = ask

    async def async_try(
        self, kind: str, environment: Mapping[str, str]
    ) -> Mapping[str, Json]:
        """Return the answer of the tool of these settings. Raises TrialError."""
        tool, message, question = _QUESTIONS[kind]
        await async_install_for(self._hass, tool)
        try:
            process = await WorkerProcess.start(
                self._hass, (tool,), environment, self._public_key
            )
        except ProcessFailed as err:
            raise TrialError("not_started", str(err)) from err
        try:
            if (why := process.ready.failed.get(tool)) is not None:
                raise TrialError("settings", why)
            reply = await self._ask(process.ready.address, message, question)
        except LegionError as err:
            raise TrialError("failed", err.message) from err
        finally:
            await process.stop()
        if not reply.success or reply.result is None:
            raise TrialError(
                reply.code or "failed", reply.error or "The tool did not say why."
            )
        return reply.result


async def async_try_settings(
    hass: HomeAssistant, kind: str, environment: Mapping[str, str]
) -> Mapping[str, Json]:
    """Try settings (`local_settings.environment_of`) and return the tool's answer.

    Takes as long as the tool takes, at most half a minute. Raises TrialError.
    """
    entries: list[Any] = hass.config_entries.async_loaded_entries(DOMAIN)
    if not entries:
        raise TrialError("not_started", "CAESAR is not loaded.")
    trials: Trials = entries[0].runtime_data.legion.trials
    return await trials.async_try(kind, environment)
