"""The answer as a person says it, in English and German."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from .days import DayKind, date_of
from .window import Window

MOST_SPOKEN: Final = 8
LONGEST_TITLE: Final = 60
WEEKDAYS: Final = (
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event as it is answered: dates of an all-day one include the last day."""

    title: str
    start: date
    end: date
    all_day: bool
    calendar: str
    location: str = ""
    description: str = ""

    @property
    def first_day(self) -> date:
        """Return the day on which it begins."""
        return date_of(self.start)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tongue:
    """The words of a language. `{}` stands for what its name says."""

    weekdays: Sequence[str]
    months: Sequence[str]
    labels: Mapping[DayKind, str]
    on_weekday: str
    date: str
    on_date: str
    next_days: str
    that_time: str
    all_day: str
    until: str
    title_until: str
    untitled: str
    more: str
    nothing: str
    nothing_past: str
    unread: str
    left_out: str
    lower_label: bool


_EN: Final = _Tongue(
    weekdays=WEEKDAYS,
    months=(
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    labels={
        DayKind.TODAY: "Today",
        DayKind.TOMORROW: "Tomorrow",
        DayKind.AFTER_TOMORROW: "The day after tomorrow",
        DayKind.YESTERDAY: "Yesterday",
        DayKind.THIS_WEEK: "This week",
        DayKind.NEXT_WEEK: "Next week",
        DayKind.WEEKEND: "This weekend",
        DayKind.THIS_MONTH: "This month",
        DayKind.NEXT_MONTH: "Next month",
    },
    on_weekday="On {weekday}",
    date="{weekday} {day} {month}",
    on_date="On {weekday} {day} {month}",
    next_days="In the next {days} days",
    that_time="In that time",
    all_day="all day {title}",
    until="until {time} {title}",
    title_until="{title} until {day}",
    untitled="an event without a title",
    more="and {count} more",
    nothing="Nothing {label}.",
    nothing_past="Nothing {label}.",
    unread="I could not read {names}.",
    left_out="Some events could not be worked out.",
    lower_label=True,
)
_DE: Final = _Tongue(
    weekdays=(
        "Montag",
        "Dienstag",
        "Mittwoch",
        "Donnerstag",
        "Freitag",
        "Samstag",
        "Sonntag",
    ),
    months=(
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ),
    labels={
        DayKind.TODAY: "Heute",
        DayKind.TOMORROW: "Morgen",
        DayKind.AFTER_TOMORROW: "Übermorgen",
        DayKind.YESTERDAY: "Gestern",
        DayKind.THIS_WEEK: "Diese Woche",
        DayKind.NEXT_WEEK: "Nächste Woche",
        DayKind.WEEKEND: "Am Wochenende",
        DayKind.THIS_MONTH: "Diesen Monat",
        DayKind.NEXT_MONTH: "Nächsten Monat",
    },
    on_weekday="Am {weekday}",
    date="{weekday}, {day}. {month}",
    on_date="Am {weekday}, dem {day}. {month}",
    next_days="In den nächsten {days} Tagen",
    that_time="In dieser Zeit",
    all_day="ganztägig {title}",
    until="bis {time} {title}",
    title_until="{title} bis {day}",
    untitled="ein Termin ohne Titel",
    more="und {count} weitere",
    nothing="{label} steht nichts an.",
    nothing_past="{label} stand nichts an.",
    unread="Das konnte ich nicht lesen: {names}.",
    left_out="Einige Termine ließen sich nicht berechnen.",
    lower_label=False,
)


def say(
    language: str,
    window: Window,
    events: Sequence[Event],
    total: int,
    unread: Sequence[str],
    *,
    left_out: bool,
) -> str:
    """Return what a person hears: the events of a window, of which there are `total`.

    `unread` names calendars that are missing, `left_out` says that some events are.
    Other languages than German hear English.
    """
    tag = language.casefold().replace("_", "-")
    tongue = _DE if tag.split("-")[0] == "de" else _EN
    half_day = tongue is _EN and tag != "en-gb"
    parts = [_listing(tongue, window, events, total, half_day=half_day)]
    if unread:
        parts.append(tongue.unread.format(names=", ".join(unread)))
    if left_out:
        parts.append(tongue.left_out)
    return " ".join(parts)


def _listing(
    tongue: _Tongue,
    window: Window,
    events: Sequence[Event],
    total: int,
    *,
    half_day: bool,
) -> str:
    label = _label(tongue, window)
    if not events:
        past = window.end.date() <= window.today
        template = tongue.nothing_past if past else tongue.nothing
        if tongue.lower_label:
            label = label[0].lower() + label[1:]
        return template.format(label=label)
    first = window.start.date()
    one_day = window.days is not None and window.days.first == window.days.last
    groups: list[str] = []
    heard: date | None = None
    for event in events[:MOST_SPOKEN]:
        day = max(event.first_day, first)
        words = _event(tongue, event, window, one_day=one_day, half_day=half_day)
        if one_day or day == heard:
            groups.append((", " if groups else "") + words)
        else:
            name = _day(tongue, day, window)
            groups.append(("; " if groups else "") + f"{name} {words}")
        heard = day
    rest = total - min(len(events), MOST_SPOKEN)
    ending = f", {tongue.more.format(count=rest)}" if rest > 0 else ""
    return f"{label}: {''.join(groups)}{ending}."


def _label(tongue: _Tongue, window: Window) -> str:
    """Return the words for the days that were asked about."""
    days = window.days
    if days is None:
        if window.asked:
            return tongue.that_time
        length = (window.end.date() - window.start.date()).days
        return tongue.next_days.format(days=length)
    if (label := tongue.labels.get(days.kind)) is not None:
        return label
    template = tongue.on_date if days.kind is DayKind.DATE else tongue.on_weekday
    return _dated(tongue, template, days.first)


def _day(tongue: _Tongue, day: date, window: Window) -> str:
    """Return a day's name: where only one such day can be meant, the weekday."""
    first = window.start.date()
    week = first == window.today or (window.end - window.start).days <= 7
    near = week and 0 <= (day - first).days < 7
    return _dated(tongue, "{weekday}" if near else tongue.date, day)


def _dated(tongue: _Tongue, template: str, day: date) -> str:
    return template.format(
        weekday=tongue.weekdays[day.weekday()],
        day=day.day,
        month=tongue.months[day.month - 1],
    )


def _event(
    tongue: _Tongue, event: Event, window: Window, *, one_day: bool, half_day: bool
) -> str:
    title = event.title or tongue.untitled
    if len(title) > LONGEST_TITLE:
        title = title[: LONGEST_TITLE - 1].rstrip() + "…"
    start, end = event.start, event.end
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        if one_day or start == end:
            return tongue.all_day.format(title=title)
        return tongue.title_until.format(title=title, day=_day(tongue, end, window))
    if start >= window.start or not one_day:
        return f"{_clock(start, half_day=half_day)} {title}"
    if end < window.end:
        return tongue.until.format(title=title, time=_clock(end, half_day=half_day))
    return tongue.all_day.format(title=title)


def _clock(moment: datetime, *, half_day: bool) -> str:
    if not half_day:
        return f"{moment.hour}:{moment.minute:02}"
    half = "AM" if moment.hour < 12 else "PM"
    return f"{moment.hour % 12 or 12}:{moment.minute:02} {half}"
