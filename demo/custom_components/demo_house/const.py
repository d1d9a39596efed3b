"""Names used all over the demo house."""

from typing import Final

from homeassistant.const import Platform

DOMAIN: Final = "demo_house"

CONF_EFFECTS: Final = "effects"
CONF_GENERATED: Final = "generated"
CONF_FURNISHED: Final = "furnished"

ENV_EFFECTS: Final = "DEMO_HOUSE_EFFECTS"

SERVICE_HEAR: Final = "hear"
SERVICE_SLOW_TWO_STEP: Final = "slow_two_step"

PLATFORMS: Final = (
    Platform.ALARM_CONTROL_PANEL,
    Platform.ASSIST_SATELLITE,
    Platform.BINARY_SENSOR,
    Platform.CALENDAR,
    Platform.CLIMATE,
    Platform.COVER,
    Platform.FAN,
    Platform.LIGHT,
    Platform.LOCK,
    Platform.MEDIA_PLAYER,
    Platform.SENSOR,
    Platform.SWITCH,
    Platform.TODO,
    Platform.VACUUM,
)
