"""The rooms that the family starter is filled in with, when it is first written."""

from collections.abc import Callable
from functools import partial

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import area_registry as ar

from ..const import CONF_CHILDRENS_ROOMS, StarterPolicy
from ..policy.family import fill_family


@callback
def starter_filling(
    hass: HomeAssistant, entry: ConfigEntry, starter: StarterPolicy
) -> Callable[[str], str]:
    """Return what makes a starter's text this house's own."""
    if starter is not StarterPolicy.FAMILY:
        return str
    known = {area.id for area in ar.async_get(hass).async_list_areas()}
    rooms = known & set(entry.data.get(CONF_CHILDRENS_ROOMS, ()))
    return partial(fill_family, rooms=rooms, others=known - rooms)
