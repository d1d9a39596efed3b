"""The tool `calendar_read`: what is on the calendars of a CalDAV server (RFC 4791).

It knows no verb that writes. Heavy packages are imported when the first question comes.
"""

from importlib.util import find_spec
from typing import Final

from ...environment import Environment, SettingsError
from ...worker import Worker
from .spec import SPEC

# At the versions that Home Assistant 2026.10 pins in its own integration `caldav`.
# recurring-ical-events comes with caldav; no final release of caldav may share an
# environment with Home Assistant, for it brings another package named urllib3.
CALENDAR_REQUIREMENTS: Final = (
    "caldav==3.3.0a1",
    "icalendar==6.3.1",
    "recurring-ical-events==3.8.2",
    "httpx>=0.28,<0.29",
)
_PACKAGES: Final = ("caldav", "icalendar", "recurring_ical_events", "httpx")

__all__ = ["CALENDAR_REQUIREMENTS", "SPEC", "create"]


def create(environment: Environment) -> Worker:
    """Return the worker with the settings of `CAESAR_TOOLS__CALENDAR__*`.

    Raises SettingsError, also where the packages are missing.
    """
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise SettingsError(
            f"Reading calendars needs packages that are missing ({', '.join(missing)});"
            f" install {', '.join(CALENDAR_REQUIREMENTS)}."
        )
    from .settings import settings_of  # noqa: PLC0415 others need not pay for it
    from .worker import CalendarWorker  # noqa: PLC0415 others need not pay for it

    return CalendarWorker(settings_of(environment))
