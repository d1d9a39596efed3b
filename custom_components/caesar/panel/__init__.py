"""CAESAR's page in the sidebar, for admins: the file that is shown, and its data."""

from pathlib import Path
from typing import Final

from homeassistant.components import frontend, panel_custom
from homeassistant.components.http import StaticPathConfig
from homeassistant.core import HomeAssistant, callback
from homeassistant.loader import async_get_integration
from homeassistant.util.hass_dict import HassKey

from ..const import DEFAULT_TITLE, DOMAIN

_FOLDER: Final = Path(__file__).parent / "www"
_STATIC_URL: Final = "/caesar_static"
_FILE: Final = "caesar-panel.js"
_ICON: Final = "mdi:shield-account"
_SERVED: Final[HassKey[bool]] = HassKey(f"{DOMAIN}_panel_served")


async def async_show_panel(hass: HomeAssistant) -> None:
    """Put the page into the sidebar, if this Home Assistant has one.

    Only admins see it; what it shows is guarded by the commands themselves. The folder
    is public, and holds code only.
    """
    if frontend.DOMAIN not in hass.config.components:
        return
    if not hass.data.get(_SERVED):
        # A path that is served can't be taken back: once for this run.
        hass.data[_SERVED] = True
        await hass.http.async_register_static_paths(
            [StaticPathConfig(_STATIC_URL, str(_FOLDER), cache_headers=False)]
        )
    integration = await async_get_integration(hass, DOMAIN)
    await panel_custom.async_register_panel(
        hass,
        frontend_url_path=DOMAIN,
        webcomponent_name="caesar-panel",
        sidebar_title=DEFAULT_TITLE,
        sidebar_icon=_ICON,
        module_url=f"{_STATIC_URL}/{_FILE}?v={integration.version}",
        require_admin=True,
    )


@callback
def async_hide_panel(hass: HomeAssistant) -> None:
    """Take the page out of the sidebar."""
    if frontend.DOMAIN in hass.config.components:
        frontend.async_remove_panel(hass, DOMAIN, warn_if_unknown=False)
