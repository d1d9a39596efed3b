"""The family's calendar: what is in it depends on today's date only."""

from datetime import datetime, time, timedelta
from typing import override

from homeassistant.components.calendar import CalendarEntity, CalendarEvent
from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity_platform import AddConfigEntryEntitiesCallback
from homeassistant.util import dt as dt_util

from .entity import HouseEntity
from .runtime import DemoHouseConfigEntry

# Days from today, start, hours, what.
APPOINTMENTS = (
    (0, time(18), 1, "Piano lesson"),
    (1, time(10, 30), 1, "Dentist"),
    (2, time(19), 3, "Dinner with the neighbours"),
    (7, time(8), 2, "Car to the garage"),
)


async def async_setup_entry(
    hass: HomeAssistant,
    entry: DemoHouseConfigEntry,
    async_add_entities: AddConfigEntryEntitiesCallback,
) -> None:
    """Set up the calendars."""
    house = entry.runtime_data
    async_add_entities(
        HouseCalendar(thing, house) for thing in house.things("calendar")
    )


class HouseCalendar(HouseEntity, CalendarEntity):
    """A calendar that can be read only."""

    @property
    @override
    def event(self) -> CalendarEvent | None:
        """Return the appointment that is on now, or the next one."""
        now = dt_util.now()
        return next((event for event in _appointments(now) if event.end > now), None)

    @override
    async def async_get_events(
        self, hass: HomeAssistant, start_date: datetime, end_date: datetime
    ) -> list[CalendarEvent]:
        """Return the appointments that touch the time between the two dates."""
        return [
            event
            for event in _appointments(dt_util.now())
            if event.start_datetime_local < end_date
            and event.end_datetime_local > start_date
        ]


def _appointments(now: datetime) -> list[CalendarEvent]:
    midnight = dt_util.start_of_local_day(now)
    return [
        CalendarEvent(
            summary=summary,
            start=(begin := datetime.combine(day, at, tzinfo=midnight.tzinfo)),
            end=begin + timedelta(hours=hours),
        )
        for days, at, hours, summary in APPOINTMENTS
        for day in (midnight.date() + timedelta(days=days),)
    ]
