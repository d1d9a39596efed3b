"""CAESAR's sentences for people, in the language of the turn.

They are the messages of the translations' category `exceptions`, in whole sentences
that can be spoken. A language that CAESAR has no translation for gets English; most
have what is said in answers only, and English for the rest.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
import re
import string
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations

from .const import DOMAIN
from .policy.impact import INTENT_PREFIX
from .policy.reason import Code, Reason

_MOST_NAMES: Final = 5
_NEAR: Final = {0: "today", 1: "yesterday", -1: "tomorrow"}
_WEEK_DAYS: Final = 6
# The translation of a language whose name alone has none.
_TAGS: Final = {"pt": "pt-BR", "zh": "zh-Hans"}
_BETWEEN_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")
_MARKS: Final = str.maketrans({mark: f"\\{mark}" for mark in string.punctuation})
# Values that name what a refusal is about.
_SUBJECTS: Final = ("entity", "entities", "entity_id")
# A code whose sentence depends on one of its values.
_VARIANTS: Final = {
    Code.CAPABILITY_DENIED: "why",
    Code.CALLER_NOT_COVERED: "scope",
    Code.RATE_LIMITED: "why",
    Code.TAINTED: "why",
}


def plain(text: str) -> str:
    """Return a text for a description, in which nothing of it is markup.

    What a call or a worker says was written by whoever made it: it must not become a
    link, nor a picture that is fetched from somewhere, nor a line of its own.
    """
    return one_line(text).translate(_MARKS)


def one_line(text: str) -> str:
    """Return a text without line ends and signs that can't be seen.

    Some of those turn the direction of what comes after them.
    """
    seen = "".join(sign if sign.isprintable() else " " for sign in text)
    return " ".join(seen.split())


def sentence_name(tool: str) -> str:
    """Return an own intent's tool in words: "feed the cat" of intent__FeedTheCat.

    Empty for any other tool.
    """
    name = tool.removeprefix(INTENT_PREFIX)
    return "" if name == tool else _BETWEEN_WORDS.sub(" ", name).strip().lower()


class _Blanks(dict[str, str]):
    """Fills in what a reason does not say with nothing."""

    def __missing__(self, key: str) -> str:
        """Return no text for an unknown placeholder."""
        return ""


class Wording:
    """The sentences of one language, loaded once for as long as an answer takes."""

    def __init__(self, messages: Mapping[str, str]) -> None:
        """Speak with these messages; use `async_wording` to get them."""
        self._messages = messages

    def has(self, key: str) -> bool:
        """Return whether there is a sentence under a key."""
        return key in self._messages

    def text(self, key: str, /, **values: str) -> str:
        """Return a sentence with its placeholders filled in; empty if unknown."""
        filled = self._messages.get(key, "").format_map(_Blanks(values))
        return " ".join(filled.split())

    def names(self, names: Iterable[str]) -> str:
        """Return "A, B and C"; of many names the first few and how many more."""
        every = list(dict.fromkeys(names))
        if len(every) > _MOST_NAMES:
            rest = len(every) - _MOST_NAMES
            every = [*every[:_MOST_NAMES], self.text("names_more", count=str(rest))]
        if len(every) < 2:
            return "".join(every)
        return self.text("names_joined", first=", ".join(every[:-1]), last=every[-1])

    def clock(self, when: datetime) -> str:
        """Return a time of day as people of the language say it."""
        if self.text("past_clock") == "12":
            half = "AM" if when.hour < 12 else "PM"
            return f"{when.hour % 12 or 12}:{when.minute:02} {half}"
        return self.text("past_time", time=f"{when.hour}:{when.minute:02}")

    def moment(self, when: datetime, now: datetime, kind: str = "past") -> str:
        """Return "Today at 2:05 PM": a day and a time, as a sentence begins with them.

        Both in local time. Of the kind `past_point` it is as it stands within one.
        """
        days = (now.date() - when.date()).days
        time = self.clock(when)
        if near := _NEAR.get(days):
            return self.text(f"{kind}_{near}", time=time)
        if 0 < days <= _WEEK_DAYS:
            weekday = self.text("brain_weekdays").split(", ")[when.weekday()]
            return self.text(f"{kind}_weekday", weekday=weekday, time=time)
        year = "" if when.year == now.year else "_year"
        return self.text(
            f"{kind}_date{year}",
            day=str(when.day),
            month=self.text("moment_months").split(", ")[when.month - 1],
            year=str(when.year),
            time=time,
        )

    def reason(self, reason: Reason, names: Mapping[str, str]) -> str:
        """Return why something was not done, as a sentence for a person.

        `names` are the names of the entities of the call by their ids.
        """
        values = dict(reason.values)
        key = reason.code.value
        if variant := values.get(_VARIANTS.get(reason.code, "")):
            key = variant if self.has(variant := f"{key}_{variant}") else key
        return self.text(key, **{**values, "target": self._target(values, names)})

    def _target(self, values: Mapping[str, str], names: Mapping[str, str]) -> str:
        said = [
            names[entity_id]
            for subject in _SUBJECTS
            for entity_id in values.get(subject, "").replace(",", " ").split()
            if entity_id in names
        ]
        return self.names(said or names.values()) or self.text("names_none")


def translation_of(language: str) -> str:
    """Return the translation that a language speaks: "de" for "de-CH".

    All of Portuguese speaks Brazil's, all of Chinese the simplified one.
    """
    base = language.replace("_", "-").partition("-")[0].casefold()
    return _TAGS.get(base, base)


async def async_wording(hass: HomeAssistant, language: str) -> Wording:
    """Return the sentences of a language; "de-CH" speaks "de"."""
    prefix = f"component.{DOMAIN}.exceptions."
    found = await async_get_translations(
        hass, translation_of(language), "exceptions", {DOMAIN}
    )
    return Wording(
        {
            key.removeprefix(prefix).removesuffix(".message"): message
            for key, message in found.items()
            if key.startswith(prefix)
        }
    )


async def reason_text(
    hass: HomeAssistant, language: str, reason: Reason, names: Mapping[str, str]
) -> str:
    """Return why something was not done, in the language of the turn.

    `names` are the friendly names of the call's entities by their ids.
    """
    return (await async_wording(hass, language)).reason(reason, names)
