"""What the tool says of itself, and how it is set up."""

from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
import re

from hassil import Intents, recognize_all
import pytest

from custom_components.caesar.legion.bundled import BUNDLED
from custom_components.caesar.legion.environment import Environment, SettingsError
from custom_components.caesar.legion.tools import calendar_read
from custom_components.caesar.legion.tools.calendar_read.days import DAY_PATTERN
from custom_components.caesar.legion.tools.calendar_read.settings import settings_of
from custom_components.caesar.legion.tools.calendar_read.spec import SPEC
from custom_components.caesar.legion.tools.calendar_read.worker import CalendarWorker
from custom_components.caesar.policy.call import CallError
from custom_components.caesar.tool import Tool, resolve
from custom_components.caesar.turn import ToolRequest

PREFIX = "CAESAR_TOOLS__CALENDAR__"
GOOD = {
    f"{PREFIX}CALDAV_URL": "https://cloud.example.org/remote.php/dav",
    f"{PREFIX}USERNAME": "owner",
    f"{PREFIX}PASSWORD": "s3cret",
}


def heard(language: str, text: str) -> list[str | None]:
    """Return the day of each way in which a sentence of the tool fits."""
    intents = Intents.from_dict(
        {
            "language": language,
            "intents": {
                "Read": {"data": [{"sentences": list(SPEC.sentences[language])}]}
            },
            "lists": {"day": {"wildcard": True}},
        }
    )
    return [
        str(result.entities["day"].value).strip() if "day" in result.entities else None
        for result in recognize_all(text, intents)
    ]


@pytest.mark.parametrize(
    ("language", "text", "day"),
    [
        ("en", "what is on my calendar tomorrow", "tomorrow"),
        ("en", "What's on our calendar on Friday?", "Friday"),
        ("en", "what is on the calendar", None),
        ("en", "what is planned for the day after tomorrow", "the day after tomorrow"),
        ("en", "which appointments do I have next week", "next week"),
        ("en", "do we have any appointments this weekend", "this weekend"),
        ("en", "read me my calendar for today", "today"),
        ("en", "do I have anything on Friday", "Friday"),
        ("en", "do we have anything planned for tomorrow", "tomorrow"),
        ("en", "is there anything on my calendar Friday", "Friday"),
        ("en", "Is there something on our calendar for today?", "today"),
        ("en", "is there anything tomorrow on the calendar", "tomorrow"),
        ("en", "is there anything on my calendar", None),
        ("de", "was steht morgen in meinem Kalender", "morgen"),
        ("de", "Was steht am Freitag in meinem Kalender?", "Freitag"),
        ("de", "was steht in unserem Kalender", None),
        ("de", "was ist heute im Kalender", "heute"),
        ("de", "welche Termine habe ich nächste Woche", "nächste Woche"),
        ("de", "was haben wir am Wochenende vor", "Wochenende"),
        ("de", "habe ich übermorgen einen Termin", "übermorgen"),
        ("de", "hab ich am Freitag Termine", "Freitag"),
        ("de", "steht am Freitag etwas in meinem Kalender", "Freitag"),
        ("de", "Steht morgen was im Kalender?", "morgen"),
        ("de", "steht etwas am Freitag in unserem Kalender", "Freitag"),
        ("de", "steht in meinem Kalender für heute etwas", "heute"),
        ("de", "steht etwas in meinem Kalender", None),
        ("de", "habe ich am Freitag etwas vor", "Freitag"),
        ("de", "haben wir morgen schon was vor", "morgen"),
        ("de", "was steht am Freitag an", "Freitag"),
        ("de", "steht diese Woche etwas an", "diese Woche"),
    ],
)
def test_sentences(language: str, text: str, day: str | None) -> None:
    """People are understood, and what they say for a day fits the schema."""
    found = heard(language, text)
    assert day in found
    assert day is None or re.search(DAY_PATTERN, day)


@pytest.mark.parametrize(
    ("arguments", "fits"),
    [
        ({}, True),
        ({"day": "tomorrow"}, True),
        ({"day": "Nächste Woche"}, True),
        ({"day": "someday"}, False),
        ({"day": "tomorrow; drop"}, False),
        ({"from": "2026-12-01", "to": "2026-12-02T10:00", "limit": 200}, True),
        ({"limit": 201}, False),
        ({"limit": True}, False),
        ({"calendar": "Work"}, False),
    ],
)
def test_schema(arguments: dict[str, object], fits: bool) -> None:
    """The gate's own check of a call."""
    request = ToolRequest(id="1", name=SPEC.name, arguments=arguments, raw="")  # type: ignore[arg-type]  # hostile input
    tool = Tool(spec=SPEC, executor=None, to_call=dict)  # type: ignore[arg-type]  # only the schema is asked
    box = type("Box", (), {"get": lambda self, name: tool})()
    with nullcontext() if fits else pytest.raises(CallError):
        resolve(box, request)


def test_annotations() -> None:
    """It reads private words that strangers may have written, and changes nothing."""
    kind = SPEC.annotations
    assert (kind.read_only, kind.destructive, kind.idempotent) == (True, False, True)
    assert (kind.private_data, kind.untrusted_result) == (True, True)
    assert kind.open_world is False


def test_made_from_the_environment() -> None:
    """With its defaults, and without its secrets in what is shown."""
    made = BUNDLED["calendar_read"](Environment(GOOD))
    assert isinstance(made, CalendarWorker)
    settings = settings_of(Environment(GOOD))
    assert "s3cret" not in repr(settings)
    assert (settings.default_range_days, settings.max_range_days) == (7, 365)
    assert (settings.default_events, settings.max_events) == (20, 200)
    assert settings.calendar_names == ()


def test_all_settings(tmp_path: Path) -> None:
    """Names, limits, and a password from a file."""
    secret = tmp_path / "password"
    secret.write_text("from a file\n", encoding="utf-8")
    settings = settings_of(
        Environment(
            {
                f"{PREFIX}CALDAV_URL": "http://127.0.0.1:5232",
                f"{PREFIX}USERNAME": "owner",
                f"{PREFIX}PASSWORD_FILE": str(secret),
                f"{PREFIX}CALENDAR_NAMES": '["Family", "House"]',
                f"{PREFIX}MAX_RANGE_DAYS": "3",
                f"{PREFIX}MAX_EVENT_LIMIT": "10",
            }
        )
    )
    assert settings.password == "from a file"
    assert settings.calendar_names == ("Family", "House")
    assert (settings.default_range_days, settings.max_range_days) == (3, 3)
    assert (settings.default_events, settings.max_events) == (10, 10)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"CALDAV_URL": ""}, "CALDAV_URL"),
        ({"CALDAV_URL": "cloud.example.org"}, "CALDAV_URL"),
        ({"CALDAV_URL": "ftp://cloud.example.org"}, "CALDAV_URL"),
        ({"CALDAV_URL": "https://"}, "CALDAV_URL"),
        ({"CALDAV_URL": "https://[bad"}, "CALDAV_URL"),
        ({"CALDAV_URL": "https://owner:s3cret@cloud.example.org"}, "PASSWORD"),
        ({"PASSWORD": ""}, "PASSWORD"),
        ({"USERNAME": ""}, "USERNAME"),
        ({"CALENDAR_NAMES": "Family"}, "CALENDAR_NAMES"),
        ({"MAX_EVENT_LIMIT": "500"}, "MAX_EVENT_LIMIT"),
    ],
)
def test_bad_settings(changes: dict[str, str], named: str) -> None:
    """The message names the variable, and holds no secret."""
    values = {**GOOD, **{PREFIX + key: value for key, value in changes.items()}}
    with pytest.raises(SettingsError) as caught:
        BUNDLED["calendar_read"](Environment(values))
    assert f"{PREFIX}{named}" in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_missing_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where caldav isn't installed, it is said what to install."""
    monkeypatch.setattr(
        calendar_read,
        "find_spec",
        lambda name: None if name == "caldav" else find_spec(name),
    )
    with pytest.raises(SettingsError, match=r"caldav==3\.3\.0a1"):
        calendar_read.create(Environment(GOOD))
