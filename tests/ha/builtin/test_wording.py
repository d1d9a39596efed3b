"""The sentences for people: every reason, in every language that we have."""

from itertools import product
import json
from pathlib import Path
import string

from freezegun.api import FrozenDateTimeFactory
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import HomeAssistant
from homeassistant.helpers.translation import async_get_translations
import pytest

from checks._spoken import WHOLE, is_spoken
import custom_components.caesar
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.wording import (
    Wording,
    async_wording,
    reason_text,
    translation_of,
)

from .talk import Talk

TRANSLATIONS = Path(custom_components.caesar.__file__).parent / "translations"
MESSAGES = {
    path.stem: {
        key: value["message"]
        for key, value in json.loads(path.read_text(encoding="utf-8"))[
            "exceptions"
        ].items()
    }
    for path in sorted(TRANSLATIONS.glob("*.json"))
}
# English, German, and the ten that most homes speak beside them.
TEN = ("cs", "es", "fr", "it", "nl", "pl", "pt-BR", "ru", "sv", "zh-Hans")
LANGUAGES = sorted(("de", "en", *TEN))
NAMES = {"lock.front_door": "Front door", "lock.shed": "Shed"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_is_a_sentence(language: str) -> None:
    """Short enough to be spoken, complete, and nothing of the code shines through."""
    wording = Wording(MESSAGES[language])
    for code, names in product(Code, (NAMES, {"lock.shed": "Shed"}, {})):
        text = wording.reason(Reason(code=code), names)
        assert text.endswith((".", "?", "。")), text
        # A Chinese sign is a word.
        assert (3 if language == "zh-Hans" else 10) < len(text) < 260, text
        assert "{" not in text
        assert "_" not in text
        assert "  " not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_differ_by_code(language: str) -> None:
    """No two reasons sound the same: a person can tell them apart."""
    wording = Wording(MESSAGES[language])
    texts = [wording.reason(Reason(code=code), NAMES) for code in Code]
    assert len(set(texts)) == len(texts)


def test_languages_have_files() -> None:
    """Twelve languages; each reason is among the messages that all of them need."""
    assert sorted(MESSAGES) == LANGUAGES
    assert sorted({*MESSAGES} - {*TEN}) == sorted(WHOLE)
    assert [code.value for code in Code if not is_spoken(code.value)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders(language: str) -> None:
    """Each sentence of ours says the same things in all languages."""
    parse = string.Formatter().parse
    for key, said in MESSAGES[language].items():
        fields = [
            {field for _, field, _, _ in parse(text) if field}
            for text in (MESSAGES["en"][key], said)
        ]
        assert fields[0] == fields[1], key
    days = MESSAGES[language]["brain_weekdays"].split(", ")
    assert len(set(days)) == len(days) == 7


@pytest.mark.parametrize("language", TEN)
def test_nothing_is_left_in_english(language: str) -> None:
    """But what has no words, and the few words that both languages spell alike."""
    wordless = string.punctuation + string.digits + " “”"
    same = set()
    for key, said in MESSAGES[language].items():
        texts = [text for text, _, _, _ in string.Formatter().parse(said)]
        words = "".join(texts).replace("CAESAR", "").strip(wordless)
        if words and said == MESSAGES["en"][key]:
            same.add(key)
    assert same <= {"may_climates", "may_helpers", "may_scripts", "try_open"}


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
    french = await reason_text(hass, "fr-CA", reason, {"lock.shed": "Cabanon"})
    assert french.startswith("Il me faut une approbation pour Cabanon")
    english = await reason_text(hass, "fi", reason, {"lock.shed": "Shed"})
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


@pytest.mark.parametrize(
    ("language", "tag"),
    [
        ("pt", "pt-BR"),
        ("pt-BR", "pt-BR"),
        ("pt_PT", "pt-BR"),
        ("zh-CN", "zh-Hans"),
        ("zh-TW", "zh-Hans"),
        ("NL", "nl"),
        ("fi", "fi"),
    ],
)
def test_tags(language: str, tag: str) -> None:
    """A pipeline's language and Home Assistant's name of a translation differ."""
    assert translation_of(language) == tag


@pytest.mark.parametrize("language", TEN)
async def test_the_rest_is_english(hass: HomeAssistant, language: str) -> None:
    """Home Assistant lays a file with some of the texts over the English one."""
    wording = await async_wording(hass, language)
    assert wording.text("turn_unchanged") == MESSAGES[language]["turn_unchanged"]
    assert wording.text("not_loaded") == MESSAGES["en"]["not_loaded"]
    titles = await async_get_translations(hass, language, "config", {"caesar"})
    english = await async_get_translations(hass, "en", "config", {"caesar"})
    assert titles == english
    assert titles
