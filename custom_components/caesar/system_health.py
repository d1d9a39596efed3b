"""What Home Assistant's system report says of CAESAR: how it is, and no name."""

from typing import Any

from homeassistant.components.system_health import SystemHealthRegistration
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.loader import async_get_integration

from .const import DOMAIN
from .runtime import CaesarConfigEntry


@callback
def async_register(hass: HomeAssistant, register: SystemHealthRegistration) -> None:
    """Register the report; every user of this Home Assistant can read it."""
    register.async_register_info(
        _async_info, f"/config/integrations/integration/{DOMAIN}"
    )


async def _async_info(hass: HomeAssistant) -> dict[str, Any]:
    """Return the report."""
    integration = await async_get_integration(hass, DOMAIN)
    report: dict[str, Any] = {"version": str(integration.version)}
    entries: list[CaesarConfigEntry] = hass.config_entries.async_loaded_entries(DOMAIN)
    for entry in entries:
        house = entry.runtime_data
        workers = house.workers.statuses()
        trail = ir.async_get(hass).async_get_issue(DOMAIN, "audit_unavailable")
        report |= {
            "agents": len(house.assistants),
            "policy": "ok" if house.policy_file.loaded else "denies_all",
            "trail": "ok" if trail is None else "unavailable",
            "workers": f"{sum(each.online for each in workers)}/{len(workers)}",
            "waiting": len(house.approvals.desk.pending()),
        }
    return report
