"""What waits for a person: the list as it changes, and a yes or a no."""

from typing import Any, Final

from homeassistant.components.websocket_api import ActiveConnection
from homeassistant.core import Event, HomeAssistant, callback
from homeassistant.helpers import config_validation as cv
import probatio

from ..actions.common import refused, time_of
from ..const import EVENT_TOOL_CALLED, EVENT_TOOL_DENIED, EVENT_TOOL_FAILED
from ..policy.call import tool_id
from ..runtime import CaesarRuntime
from ..sentinel.approvals import Answerer, PendingApproval, Via
from .common import LANGUAGE, LANGUAGE_FIELD, Message, command

_CALLS: Final = (EVENT_TOOL_CALLED, EVENT_TOOL_DENIED, EVENT_TOOL_FAILED)


@command("waiting", LANGUAGE_FIELD)
async def ws_waiting(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> list[dict[str, Any]]:
    """Return what waits and this admin may answer, oldest first."""
    return [
        {
            "approval_id": pending.id,
            "text": await house.approvals.facts.card(pending, msg[LANGUAGE]),
            "tool": tool_id(pending.call),
            "entities": house.approvals.facts.names(pending),
            "created_at": time_of(pending.created_at),
            "expires_at": time_of(pending.expires_at),
        }
        for pending in house.approvals.visible_to(_answerer(connection))
    ]


@command(
    "answer",
    {probatio.Required("approval_id"): cv.string, probatio.Required("yes"): cv.boolean},
)
async def ws_answer(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> dict[str, Any]:
    """Answer one question, as the user of this connection."""
    answer = await house.approvals.async_answer(
        msg["approval_id"], msg["yes"], _answerer(connection)
    )
    if not answer.ok:
        raise refused(answer.code.value)
    return {}


@command("watch")
async def ws_watch(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> None:
    """Say whenever something waits, was answered or was done, until the page closes.

    Not what: a page asks for that. So an event that somebody else fires does no harm.
    """

    @callback
    def waiting(_pending: PendingApproval) -> None:
        connection.send_event(msg["id"], {"changed": "waiting"})

    @callback
    def called(_event: Event) -> None:
        connection.send_event(msg["id"], {"changed": "trail"})

    ends = (
        house.approvals.listen(waiting),
        *(hass.bus.async_listen(each, called) for each in _CALLS),
    )

    @callback
    def end() -> None:
        for each in ends:
            each()

    connection.subscriptions[msg["id"]] = end
    connection.send_result(msg["id"])


def _answerer(connection: ActiveConnection) -> Answerer:
    user = connection.user
    return Answerer(via=Via.PANEL, user_id=user.id, is_admin=user.is_admin)
