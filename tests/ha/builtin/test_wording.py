"""The sentences for people: every reason, in English and German."""

import json
from pathlib import Path
import string

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import HomeAssistant
import pytest

import custom_components.caesar
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.wording import Wording, async_wording, reason_text

from .talk import Talk

TRANSLATIONS = Path(custom_components.caesar.__file__).parent / "translations"
MESSAGES = {
    language: {
        key: value["message"]
        for key, value in json.loads(
            (TRANSLATIONS / f"{language}.json").read_text(encoding="utf-8")
        )["exceptions"].items()
    }
    for language in ("en", "de")
}
NAMES = {"lock.front_door": "Front door", "lock.shed": "Shed"}


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("code", list(Code))
def test_every_reason_is_a_sentence(language: str, code: Code) -> None:
    """Short enough to be spoken, complete, and nothing of the code shines through."""
    wording = Wording(MESSAGES[language])
    for names in (NAMES, {"lock.shed": "Shed"}, {}):
        text = wording.reason(Reason(code=code), names)
        assert text.endswith((".", "?")), text
        assert 10 < len(text) < 260, text
        assert "{" not in text
        assert "_" not in text
        assert "  " not in text


@pytest.mark.parametrize("language", ["en", "de"])
def test_sentences_differ_by_code(language: str) -> None:
    """No two reasons sound the same: a person can tell them apart."""
    wording = Wording(MESSAGES[language])
    texts = [wording.reason(Reason(code=code), NAMES) for code in Code]
    assert len(set(texts)) == len(texts)


def test_german_has_the_same_placeholders() -> None:
    """Each sentence of ours says the same things in both languages."""
    parse = string.Formatter().parse
    for key, english in MESSAGES["en"].items():
        fields = [
            {field for _, field, _, _ in parse(text) if field}
            for text in (english, MESSAGES["de"][key])
        ]
        assert fields[0] == fields[1], key


def test_what_a_refusal_is_about() -> None:
    """Of several entities only the ones that the reason names are told."""
    wording = Wording(MESSAGES["en"])
    hidden = Reason(
        code=Code.CAPABILITY_DENIED,
        values={"why": "not_exposed", "entity": "lock.shed"},
    )
    assert wording.reason(hidden, NAMES).startswith("I can't reach Shed, because it")
    for why, words in (
        ("no_permission", "Your user may not do that with Shed."),
        ("no_service", "Home Assistant has no action for that"),
        ("something_new", "I can't do that with Shed."),
    ):
        reason = Reason(
            code=Code.CAPABILITY_DENIED, values={"why": why, "entity": "lock.shed"}
        )
        assert wording.reason(reason, NAMES).startswith(words)
    automation = Reason(
        code=Code.CALLER_NOT_COVERED, values={"scope": "read", "origin": "automation"}
    )
    assert "automation" in wording.reason(automation, NAMES)
    # A value may have any name, even that of a parameter.
    odd = Reason(code=Code.DATA_NOT_ALLOWED, values={"key": "brightness", "self": "x"})
    assert wording.reason(odd, {}).endswith("change the policy.")


def test_names() -> None:
    """One, several, many, none."""
    wording = Wording(MESSAGES["en"])
    assert wording.names([]) == ""
    assert wording.names(["A"]) == "A"
    assert wording.names(["A", "B", "A"]) == "A and B"
    assert wording.names("ABC") == "A, B and C"
    assert wording.names("ABCDEFG") == "A, B, C, D, E and 2 more"
    assert Wording({}).text("nothing") == ""


async def test_languages(hass: HomeAssistant) -> None:
    """A region speaks its language; an unknown language speaks English."""
    reason = Reason(code=Code.NO_APPROVER)
    german = await reason_text(hass, "de-CH", reason, {"lock.shed": "Schuppen"})
    assert german.startswith("Für Schuppen brauche ich eine Freigabe")
    english = await reason_text(hass, "fr", reason, {"lock.shed": "Shed"})
    assert english.startswith("For Shed I need somebody's approval")
    assert (await async_wording(hass, "en")).has("no_approver")


async def test_times_are_said_as_people_say_them(
    hass: HomeAssistant, talk: Talk, freezer: FrozenDateTimeFactory
) -> None:
    """A sensor's moment is one of the house's clocks; what is no time stays."""
    freezer.move_to("2026-12-01 20:00:00+00:00")
    sensor = "sensor.last_backup"
    attributes = {"friendly_name": "Last backup", "device_class": "timestamp"}
    hass.states.async_set(sensor, "2026-11-30T23:30:00+00:00", attributes)
    async_expose_entity(hass, "conversation", sensor, True)
    for language, said, answer in (
        ("en", "what is the last backup", "yesterday 3:30 PM"),
        ("de", "Was ist Last backup", "gestern 15:30 Uhr"),
    ):
        text = await talk.answer(said, language)
        assert answer in text, text
        assert "2026" not in text
    hass.states.async_set(sensor, "never", attributes)
    assert "never" in await talk.answer("what is the last backup", "en")
