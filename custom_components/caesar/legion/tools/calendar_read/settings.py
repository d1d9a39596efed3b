"""Where the calendars are: `CAESAR_TOOLS__CALENDAR__*`."""

from dataclasses import dataclass, field

from yarl import URL

from ...environment import Environment, SettingsError
from .spec import DEFAULT_EVENTS, DEFAULT_RANGE_DAYS, MAX_EVENTS, MAX_RANGE_DAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One CalDAV account, and how much may be asked of it at once.

    `calendar_names` restricts which calendars are read; empty means all.
    """

    url: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    calendar_names: tuple[str, ...] = ()
    default_range_days: int = DEFAULT_RANGE_DAYS
    max_range_days: int = MAX_RANGE_DAYS
    default_events: int = DEFAULT_EVENTS
    max_events: int = MAX_EVENTS


def settings_of(environment: Environment) -> Settings:
    """Return the settings of an environment. Raises SettingsError."""
    section = environment.section("calendar")
    named = section.variable
    address = section.require("caldav_url")
    try:
        url = URL(address)
        good = url.scheme in {"http", "https"} and bool(url.host)
    except ValueError:
        good = False
    if not good:
        raise SettingsError(
            f"{named('CALDAV_URL')} is no address of a calendar server;"
            " it begins with https://"
        )
    if url.user is not None or url.password is not None:
        raise SettingsError(
            f"{named('CALDAV_URL')} holds a user name or a password;"
            f" put them into {named('USERNAME')} and {named('PASSWORD')}"
        )
    username = section.text("username")
    password = section.secret("password")
    if username and not password:
        raise SettingsError(
            f"{named('PASSWORD')} is missing; set it, or {named('PASSWORD_FILE')}"
        )
    if password and not username:
        raise SettingsError(f"{named('USERNAME')} is missing; set it")
    most_days = section.number("max_range_days", MAX_RANGE_DAYS, 1, MAX_RANGE_DAYS)
    most_events = section.number("max_event_limit", MAX_EVENTS, 1, MAX_EVENTS)
    days = min(DEFAULT_RANGE_DAYS, most_days)
    events = min(DEFAULT_EVENTS, most_events)
    return Settings(
        url=str(url),
        username=username or None,
        password=password or None,
        calendar_names=section.names("calendar_names"),
        default_range_days=section.number("default_range_days", days, 1, most_days),
        max_range_days=most_days,
        default_events=section.number("default_event_limit", events, 1, most_events),
        max_events=most_events,
    )
