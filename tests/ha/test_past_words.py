"""The words for calls of the past, in both languages; no house is needed."""

from datetime import datetime, timedelta
import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import custom_components.caesar
from custom_components.caesar.adapters.past_words import (
    MAX_LINES,
    Ended,
    Told,
    lines,
    plain_name,
    span_text,
    story,
    summary,
)
from custom_components.caesar.adapters.permitted_words import (
    DEEDS,
    Judged,
    shown,
    spoken,
)
from custom_components.caesar.brain.periods import Period, Span, span_of
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.wording import Wording

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 12, 1, 14, 5, tzinfo=ZONE)  # a Tuesday
TODAY = span_of(Period.TODAY, NOW)


def wording(language: str) -> Wording:
    """Return all sentences of a language."""
    folder = Path(custom_components.caesar.__file__).parent / "translations"
    said = json.loads((folder / f"{language}.json").read_text())["exceptions"]
    return Wording({key: text["message"] for key, text in said.items()})


EN, DE = wording("en"), wording("de")
DONE = Told(when=NOW, action="turn on Lamp", ended=Ended.DONE)


@pytest.mark.parametrize(
    ("before", "english", "german"),
    [
        (timedelta(), "Today at 2:05 PM", "Heute um 14:05 Uhr"),
        (timedelta(hours=14), "Today at 12:05 AM", "Heute um 0:05 Uhr"),
        (timedelta(hours=15), "Yesterday at 11:05 PM", "Gestern um 23:05 Uhr"),
        (timedelta(days=2), "On Sunday at 2:05 PM", "Am Sonntag um 14:05 Uhr"),
        (timedelta(hours=-10), "Tomorrow at 12:05 AM", "Morgen um 0:05 Uhr"),
        (
            timedelta(days=7),
            "On November 24 at 2:05 PM",
            "Am 24. November um 14:05 Uhr",
        ),
        (
            timedelta(days=-2),
            "On December 3 at 2:05 PM",
            "Am 3. Dezember um 14:05 Uhr",
        ),
        (
            timedelta(days=365),
            "On December 1, 2025 at 2:05 PM",
            "Am 1. Dezember 2025 um 14:05 Uhr",
        ),
    ],
)
def test_moments(before: timedelta, english: str, german: str) -> None:
    """Today, yesterday, a weekday, a date; the clock as the language has it.

    Never as a machine writes it.
    """
    assert EN.moment(NOW - before, NOW) == english
    assert DE.moment(NOW - before, NOW) == german


def test_spans() -> None:
    """A name if it has one, else from when to when."""
    assert span_text(EN, span_of(Period.NIGHT, NOW), NOW) == "Last night"
    since = NOW - timedelta(days=1, hours=2)
    open_end = Span(since=since, until=NOW + timedelta(hours=1))
    assert span_text(EN, open_end, NOW) == "Since yesterday 12:05 PM"
    closed = Span(since=since, until=NOW - timedelta(hours=1))
    assert span_text(DE, closed, NOW) == "Von gestern 12:05 Uhr bis heute 13:05 Uhr"


@pytest.mark.parametrize(
    ("ended", "english"),
    [
        (Ended.DONE, "It was done."),
        (Ended.RUNNING, "It is still running."),
        (Ended.INTERRUPTED, "It broke off, and nobody knows whether it was done."),
        (Ended.FAILED, "It didn't work."),
        (Ended.REFUSED, "It was refused."),
        (Ended.WAITING, "It still waits for somebody's yes."),
        (Ended.LAPSED, "Nobody said yes, so it wasn't done."),
    ],
)
def test_what_came_of_it_is_told_truly(ended: Ended, english: str) -> None:
    """Only what was done is said to be done, in each language."""
    told = Told(when=NOW, action="unlock Door", ended=ended, rule="The policy allows.")
    said = story(EN, told, NOW, admin=False)
    assert said.startswith("Today at 2:05 PM you asked me to unlock Door. ")
    assert english in said
    assert ("The policy allows." in said) is (
        ended not in (Ended.REFUSED, Ended.LAPSED)
    )
    assert DE.text(f"past_is_{ended.value}") in story(DE, told, NOW, admin=False)
    counted = summary(EN, [told], TODAY, NOW, more=False)
    assert ("I did one thing" in counted) is (ended is Ended.DONE)
    assert ("I changed nothing" in counted) is (ended is not Ended.DONE)


def test_what_would_help() -> None:
    """Where a rule could allow it, it is said where; an admin is told otherwise."""
    told = Told(
        when=NOW,
        action="unlock Door",
        ended=Ended.REFUSED,
        code=Code.NOT_LISTED,
        because="The policy doesn't allow that.",
    )
    where = "Settings, Devices & services, CAESAR, Configure: Refused."
    assert story(EN, told, NOW, admin=True).endswith(f"You can allow it under {where}")
    assert story(EN, told, NOW, admin=False).endswith(
        f"An admin finds it under {where}"
    )


def test_a_summary_is_short() -> None:
    """Counts, and the last three by name; what was asked twice is named once."""
    calls = [
        Told(when=NOW, action=f"turn on Lamp {number % 6}", ended=Ended.DONE)
        for number in range(40)
    ]
    calls.append(Told(when=NOW, action="unlock Door", ended=Ended.REFUSED))
    assert summary(EN, calls, TODAY, NOW, more=False) == (
        "Today I did 40 things: turn on Lamp 0, turn on Lamp 1, turn on Lamp 2 and "
        "3 more. I refused one: unlock Door."
    )
    assert "I did 40+ things" in summary(EN, calls, TODAY, NOW, more=True)
    assert summary(DE, [], TODAY, NOW, more=False) == "Heute habe ich nichts verändert."
    shown_lines = lines(EN, calls, NOW, others=False)
    assert len(shown_lines) == MAX_LINES + 1
    assert shown_lines[-1] == "And 29 more before that."


def test_only_refusals() -> None:
    """Who asks for refusals isn't told that nothing was changed: nobody looked."""
    none = summary(EN, [], TODAY, NOW, more=False, refused=True)
    assert none == "Today I refused nothing."
    refused = Told(when=NOW, action="unlock Door", ended=Ended.REFUSED)
    said = summary(EN, [refused], TODAY, NOW, more=False, refused=True)
    assert said == "Today: I refused one: unlock Door."


def test_lines_name_who_asked() -> None:
    """If there are several."""
    other = Told(when=NOW, who="Boy", action="turn on Lamp", ended=Ended.DONE)
    assert lines(EN, [other, DONE], NOW, others=True) == [
        "Today at 2:05 PM, Boy: turn on Lamp (done).",
        "Today at 2:05 PM, you: turn on Lamp (done).",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("[Lamp](https://example.org/x)", "Lamp"),
        ("![x](https://example.org/x.png)", "x"),
        ("<img src=x>Lamp", "< img src=x>Lamp"),
        ("Lamp\n\n- allowed", "Lamp - allowed"),
        ("La\u202emp\u0000", "La mp"),
        ("**Lamp**", "Lamp"),
        ("x" * 90, "x" * 47 + "…"),
        ("{who} {0}", "{who} {0}"),
    ],
)
def test_names_are_plain_text(name: str, said: str) -> None:
    """Whatever somebody called a lamp."""
    assert plain_name(name) == said
    told = Told(when=NOW, action=f"turn on {plain_name(name)}", ended=Ended.DONE)
    assert f"turn on {said}." in story(EN, told, NOW, admin=True)


def test_what_is_allowed_is_grouped() -> None:
    """Two by their names, more by their number; each kind under its verdict."""
    lights, locking = DEEDS[0], next(each for each in DEEDS if each.service == "unlock")
    judged = [
        Judged(
            deed=lights, names={Verdict.ALLOW: ["A", "B", "C"], Verdict.DENY: ["D"]}
        ),
        Judged(deed=locking, names={Verdict.ASK: ["Front door", "Shed"]}),
    ]
    assert spoken(EN, judged, "Hall") == (
        "For Hall: Allowed: turn on 3 lights. I ask first: unlock Front door and Shed."
        " Not allowed: turn on D."
    )
    assert spoken(DE, judged, "") == (
        "Für das ganze Haus: Erlaubt: 3 Lampen einschalten. Vorher frage ich: "
        "Front door und Shed aufschließen. Nicht erlaubt: D einschalten."
    )
    assert shown(EN, judged) == [
        "Allowed: turn on A, B and C.",
        "I ask first: unlock Front door and Shed.",
        "Not allowed: turn on D.",
    ]
    nothing = "There is nothing here that I could control for you."
    assert spoken(EN, [], "Hall") == nothing


def test_many_names_on_a_screen() -> None:
    """As many as can be read, and how many more there are."""
    names = [f"L{number}" for number in range(9)]
    judged = [Judged(deed=DEEDS[0], names={Verdict.ALLOW: names})]
    assert shown(EN, judged) == ["Allowed: turn on L0, L1, L2, L3 and 5 more."]


@pytest.mark.parametrize("language", [EN, DE])
def test_every_deed_has_its_words(language: Wording) -> None:
    """And every end of a call."""
    for deed in DEEDS:
        assert language.text(f"may_{deed.label}", count="3").startswith("3 ")
        said = spoken(language, [Judged(deed=deed, names={Verdict.ALLOW: ["X"]})], "")
        assert f"{deed.domain}.{deed.service}" not in said
    for ended in Ended:
        for key in ("is", "short"):
            assert language.has(f"past_{key}_{ended.value}")
        for number in ("one", "many"):
            assert language.has(f"past_count_{ended.value}_{number}")
