"""What can go wrong with a calendar, in words that a person understands."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Problem(StrEnum):
    """Why a calendar, or a whole server, could not be read."""

    UNREACHABLE = "unreachable"
    TLS = "tls"
    TIMEOUT = "timeout"
    AUTH = "auth"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    NOT_CALDAV = "not_caldav"
    MOVED_AWAY = "moved_away"
    BUSY = "busy"
    SERVER = "server"
    TOO_LARGE = "too_large"
    TOO_HEAVY = "too_heavy"
    NO_SUCH_CALENDAR = "no_such_calendar"
    NO_CALENDARS = "no_calendars"
    REPEATS_TOO_OFTEN = "repeats_too_often"
    BROKEN_EVENTS = "broken_events"


_TEXTS: Final[Mapping[Problem, str]] = {
    Problem.UNREACHABLE: "The calendar server can't be reached",
    Problem.TLS: "The calendar server's certificate is not trusted",
    Problem.TIMEOUT: "The calendar server took too long",
    Problem.AUTH: (
        "The calendar server refuses the user name or the password; an account with"
        " two-step login needs an app password"
    ),
    Problem.FORBIDDEN: "The account is not allowed to read this",
    Problem.NOT_FOUND: "There is no calendar at this address",
    Problem.NOT_CALDAV: "This address is not that of a CalDAV server",
    Problem.MOVED_AWAY: (
        "The calendar server points to another host; the password is not sent there"
    ),
    Problem.BUSY: "The calendar server asks to come back later",
    Problem.SERVER: "The calendar server has a fault",
    Problem.TOO_LARGE: "The calendar's answer is too large; ask for fewer days",
    Problem.TOO_HEAVY: "The calendar takes too long to work out",
    Problem.NO_SUCH_CALENDAR: "The account has no calendar of this name",
    Problem.NO_CALENDARS: "The account has no calendars",
    Problem.REPEATS_TOO_OFTEN: "Left out: events that repeat too often",
    Problem.BROKEN_EVENTS: "Left out: events that can't be understood",
}
# A later try may go better without anybody doing anything.
PASSING: Final = frozenset(
    {Problem.UNREACHABLE, Problem.TIMEOUT, Problem.BUSY, Problem.SERVER}
)
# Some events are missing, but the calendar was read.
PARTIAL: Final = frozenset({Problem.REPEATS_TOO_OFTEN, Problem.BROKEN_EVENTS})


class CalendarProblem(Exception):
    """Something could not be read. Its text holds no address and no secret."""

    def __init__(self, problem: Problem) -> None:
        """Keep what went wrong."""
        super().__init__(words(problem))
        self.problem: Final = problem


def words(problem: Problem) -> str:
    """Return a problem in plain English."""
    return _TEXTS[problem]
