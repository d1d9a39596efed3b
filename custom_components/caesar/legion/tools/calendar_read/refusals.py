"""What reading calendars says when it can't be done, in English and German."""

from collections.abc import Mapping
from typing import Final

from ..error_words import ErrorWords
from .problems import PASSING, Problem, words


def _wrong(en: str, de: str) -> ErrorWords:
    return ErrorWords(code="invalid_input", en=en, de=de)


TIME_ZONE: Final = ErrorWords(
    code="unknown_time_zone",
    en="The worker doesn't know the home's time zone",
    de="Der Worker kennt die Zeitzone des Zuhauses nicht",
)
DAY_OR_SPAN: Final = _wrong(
    "give either `day`, or `from` and `to`",
    "gib entweder `day` an, oder `from` und `to`",
)
UNREADABLE: Final = _wrong(
    "a date or time can't be read",
    "ein Datum oder eine Uhrzeit ist nicht zu lesen",
)
ORDER: Final = _wrong("`to` must be after `from`", "`to` muss nach `from` liegen")
TOO_LONG: Final = _wrong(
    "at most {days} days can be read at once",
    "höchstens {days} Tage lassen sich auf einmal lesen",
)
LIMIT: Final = _wrong(
    "`limit` must be a whole number from 1",
    "`limit` muss eine ganze Zahl ab 1 sein",
)
NO_TEXT: Final = _wrong("`{key}` must be a text", "`{key}` muss ein Text sein")

_GERMAN: Final[Mapping[Problem, str]] = {
    Problem.UNREACHABLE: "Der Kalenderserver ist nicht erreichbar",
    Problem.TLS: "Dem Zertifikat des Kalenderservers wird nicht vertraut",
    Problem.TIMEOUT: "Der Kalenderserver hat zu lange gebraucht",
    Problem.AUTH: (
        "Der Kalenderserver lehnt Benutzernamen oder Passwort ab; ein Konto mit"
        " Anmeldung in zwei Schritten braucht ein App-Passwort"
    ),
    Problem.FORBIDDEN: "Das Konto darf das nicht lesen",
    Problem.NOT_FOUND: "Unter dieser Adresse gibt es keinen Kalender",
    Problem.NOT_CALDAV: "Diese Adresse ist nicht die eines CalDAV-Servers",
    Problem.MOVED_AWAY: (
        "Der Kalenderserver verweist auf einen anderen Host; dorthin wird das Passwort"
        " nicht geschickt"
    ),
    Problem.BUSY: "Der Kalenderserver bittet, später wiederzukommen",
    Problem.SERVER: "Der Kalenderserver hat einen Fehler",
    Problem.TOO_LARGE: (
        "Die Antwort des Kalenders ist zu groß; frag nach weniger Tagen"
    ),
    Problem.TOO_HEAVY: "Der Kalender lässt sich nicht schnell genug berechnen",
    Problem.NO_SUCH_CALENDAR: "Das Konto hat keinen Kalender mit diesem Namen",
    Problem.NO_CALENDARS: "Das Konto hat keine Kalender",
    Problem.REPEATS_TOO_OFTEN: "Weggelassen: Termine, die sich zu oft wiederholen",
    Problem.BROKEN_EVENTS: "Weggelassen: Termine, die nicht zu verstehen sind",
}
PROBLEMS: Final[Mapping[Problem, ErrorWords]] = {
    problem: ErrorWords(
        code=problem.value,
        en=words(problem),
        de=_GERMAN[problem],
        retryable=problem in PASSING,
    )
    for problem in Problem
}
