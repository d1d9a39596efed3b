"""Builds what answers "why", "what did you do" and "what may I"."""

from collections.abc import Callable

from homeassistant.core import HomeAssistant

from .adapters.approvals import Approvals
from .adapters.audit_log import HouseAuditLog
from .adapters.home import HomeAssistantHome
from .adapters.past import PastParts, past_tools
from .adapters.permitted import permitted_tool
from .adapters.policy_file import PolicyFile
from .adapters.users import Users
from .gate import GateParts
from .tool import Tool


def tell_tools(
    hass: HomeAssistant,
    home: HomeAssistantHome,
    users: Users,
    audit: HouseAuditLog,
    policy_file: PolicyFile,
    later: Callable[[], tuple[GateParts, Approvals]],
) -> tuple[Tool, ...]:
    """Return the reads; what is built after them is asked for `later`."""
    past = PastParts(
        hass=hass,
        home=home,
        users=users,
        path=lambda: audit.path,
        revision=lambda: policy_file.policy.revision,
        find=lambda approval_id: later()[1].desk.find(approval_id),
    )
    return (*past_tools(past), permitted_tool(hass, home, users, lambda: later()[0]))
