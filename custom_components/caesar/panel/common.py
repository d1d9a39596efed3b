"""What the page's commands share: who may use them, the house, words and names."""

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Any, Final

from homeassistant.components import websocket_api
from homeassistant.components.websocket_api import ActiveConnection
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
import probatio

from ..actions.common import loaded_runtime, refused
from ..const import DOMAIN
from ..policy.replay import reason_of
from ..runtime import CaesarConfigEntry, CaesarRuntime
from ..wording import Wording

LANGUAGE: Final = "language"
# A language's tag; nothing that could be a path.
LANGUAGE_FIELD: Final[Mapping[Any, Any]] = {
    probatio.Optional(LANGUAGE, default="en"): probatio.All(
        cv.string, probatio.Match(r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*$")
    )
}

type Message = dict[str, Any]
type Handler = Callable[
    [HomeAssistant, ActiveConnection, Message, CaesarRuntime], Awaitable[Any]
]
type Registered = Callable[[HomeAssistant, ActiveConnection, Message], None]


def command(
    name: str, fields: Mapping[Any, Any] | None = None
) -> Callable[[Handler], Registered]:
    """Make a command `caesar/NAME` of a function: for admins, while a house is loaded.

    What the function returns is the command's result, None if it answered by itself.
    The admin must be an active one, and nobody of CAESAR's own.
    """

    def decorate(handler: Handler) -> Registered:
        @websocket_api.websocket_command(
            {probatio.Required("type"): f"caesar/{name}", **(fields or {})}
        )
        @websocket_api.require_admin
        @websocket_api.async_response
        @wraps(handler)
        async def handle(
            hass: HomeAssistant, connection: ActiveConnection, msg: Message
        ) -> None:
            house = loaded_runtime(hass)
            user = connection.user
            if not user.is_active or house.users.is_own(user.id):
                raise refused("admin_required")
            answer = await handler(hass, connection, msg, house)
            if answer is not None:
                connection.send_result(msg["id"], answer)

        return handle

    return decorate


def entry_of(hass: HomeAssistant) -> CaesarConfigEntry:
    """Return CAESAR's entry, of which there is one, while its house is loaded."""
    entries: list[CaesarConfigEntry] = hass.config_entries.async_loaded_entries(DOMAIN)
    return entries[0]


def why(house: CaesarRuntime, wording: Wording, decision: Mapping[str, Any]) -> str:
    """Return why a call of the trail was decided so, in words."""
    reason = reason_of(decision)
    if reason is None:
        return ""
    return wording.reason(reason, house.home.names(reason.words()))
