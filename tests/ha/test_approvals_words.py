"""What counts as a yes, a no or a PIN, in twelve languages, and what doesn't."""

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.answers import (
    Heard,
    hear,
    is_bare_pin,
    normal_pin,
    pin_in,
)
from custom_components.caesar.wording import async_wording
from tests.ha.builtin.test_further_languages import LANGUAGES, table

CANCEL = "cancel_planned"
YES, NO, OTHER = Heard.YES, Heard.NO, Heard.OTHER


@pytest.mark.parametrize(
    ("language", "text", "heard"),
    [
        ("en", "yes", YES),
        ("en", "  Yes, please! ", YES),
        ("en-GB", "OK, do it.", YES),
        ("en", "ＹＥＳ", YES),
        ("en", "just do it", YES),
        ("en", "yes \N{THUMBS UP SIGN}", YES),
        ("en", "no \N{FACE WITH ROLLING EYES}", NO),
        ("en", "no thanks", NO),
        ("en", "please don't do that", NO),
        ("en", "please don\u2019t", NO),
        ("en", "not now", NO),
        ("de", "Ja, bitte.", YES),
        ("de-CH", "In Ordnung", YES),
        ("de", "Nein, danke!", NO),
        ("de", "bloss nicht", NO),
        ("es", "¡Sí, por favor!", YES),
        ("es", "mejor no", NO),
        ("fr", "D\u2019accord, merci", YES),
        ("fr", "surtout pas", NO),
        ("it", "sì, grazie", YES),
        ("it", "meglio di no", NO),
        ("nl", "doe maar", YES),
        ("nl", "doe het maar", YES),
        ("nl", "laat maar", NO),
        ("nl", "stop maar", NO),
        ("pl", "tak, proszę", YES),
        ("pl", "nie", NO),
        ("pt-BR", "pode sim", YES),
        ("pt", "não", NO),
        ("ru", "Да, пожалуйста", YES),
        ("ru", "не надо", NO),
        ("sv", "gör det", YES),
        ("sv", "låt bli", NO),
        ("cs", "ano, prosím", YES),
        ("cs", "raději ne", NO),
        ("zh-CN", "好的，谢谢", YES),
        ("zh-Hant", "沒問題", YES),
        ("zh", "不要", NO),
        # A language without a list of its own hears English.
        ("fi", "ok", YES),
        ("fi", "no", NO),
    ],
)
def test_the_whole_message_is_an_answer(language: str, text: str, heard: Heard) -> None:
    """Punctuation, case, width and politeness don't matter."""
    assert hear(text, language) is heard


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ("cancel that", "forget it", "drop that", "stop it")),
        ("de", ("vergiss das", "vergiss es", "brich das ab", "streich das")),
        *(
            (language, tuple(said for said, call in table(language) if call == CANCEL))
            for language in LANGUAGES
        ),
    ],
)
def test_what_cancels_a_plan_is_a_no(language: str, texts: tuple[str, ...]) -> None:
    """While a question is open it means the question, and no command for later."""
    assert texts
    assert {hear(text, language) for text in texts} == {NO}


@pytest.mark.parametrize(
    ("language", "yes", "no"),
    [
        ("en", "yes", "no"),
        ("de", "Ja", "Nein"),
        ("cs", "ano", "ne"),
        ("es", "sí", "no"),
        ("fr", "oui", "non"),
        ("it", "sì", "no"),
        ("nl", "ja", "nee"),
        ("pl", "„tak”", "„nie”"),
        ("pt-BR", "sim", "não"),
        ("ru", "«да»", "«нет»"),
        ("sv", "ja", "nej"),
        ("zh-CN", "“好的”", "“不要”"),
    ],
)
async def test_what_a_question_asks_for_is_heard(
    hass: HomeAssistant, language: str, yes: str, no: str
) -> None:
    """The very words of "say yes or no", and of "say the PIN, or no"."""
    wording = await async_wording(hass, language)
    how = wording.text("approval_say_yes_no")
    assert yes in how
    assert no in how
    assert no.casefold() in wording.text("approval_say_pin").casefold()
    assert hear(yes, language) is YES
    assert hear(no, language) is NO


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", ""),
        ("en", "?"),
        ("en", "please"),
        ("en", "yes but first the lights"),
        ("en", "yes no"),
        ("en", "not yes"),
        ("en", "do not allow it"),
        ("en", "yesterday"),
        ("en", "say yes"),
        ("en", "y e s"),
        ("en", "y"),
        ("en", "yes " * 20),
        # A yes in colloquial Polish, a "well" in Czech.
        ("pl", "no"),
        ("cs", "no"),
        ("cs", "a"),
        ("de", "sí"),
        ("de", "nicht erlaubt"),
        ("zh", "好不好"),
        # "Yes, but", "right?", "oh, come on": made of a yes, and none.
        ("nl", "ja maar"),
        ("zh", "对吧"),
        ("ru", "Да ладно"),
        ("ru", "ага, конечно"),
        ("ru", "Ага, сейчас!"),
        # Broken off; doubted by a mark or a picture.
        ("en", "okay, just"),
        ("en", "yes \u2753"),
        ("en", "yes\u2047"),
        ("en", "yes\u203d"),
        ("en", "sure \N{FACE WITH ROLLING EYES}"),
        ("de", "ja \N{THUMBS DOWN SIGN}"),
        ("xx", "ja"),
    ],
)
def test_anything_else_is_none(language: str, text: str) -> None:
    """What is not wholly a yes is none, however much of one it holds."""
    assert hear(text, language) is OTHER


@pytest.mark.parametrize(
    ("language", "text", "digits", "bare"),
    [
        ("en", "1234", "1234", True),
        ("en", "1 2 3 4", "1234", True),
        ("en", "the PIN is 12 34, please", "1234", True),
        ("en", "one two oh four", "1204", True),
        ("de", "eins zwo drei vier", "1234", True),
        ("fr", "zéro un deux trois", "0123", True),
        ("zh", "一二三四", "1234", True),
        ("zh-CN", "我的密码是一二三四", "1234", True),
        ("fr", "le code PIN est un deux trois quatre", "1234", True),
        ("es", "el código es uno dos tres cuatro", "1234", True),
        ("it", "il codice è 1234", "1234", True),
        ("nl", "mijn pincode is een twee drie vier", "1234", True),
        ("pl", "mój PIN to jeden dwa trzy cztery", "1234", True),
        ("pt-BR", "meu código é um dois três meia", "1236", True),
        ("ru", "мой ПИН-код один два три четыре", "1234", True),
        ("sv", "PIN-koden är ett två tre fyra", "1234", True),
        ("cs", "můj PIN je jedna dva tři čtyři", "1234", True),
        ("en", "１２３４", "1234", True),
        ("ar", "\u0661\u0662\u0663\u0664", "1234", True),
        # Not alone, but a PIN may be in it: it is kept from a model all the same.
        ("en", "unlock it, code1234", "1234", False),
        ("en", "turn it on at 18:30", "1830", False),
    ],
)
def test_a_pin_is_found_however_it_is_said(
    language: str, text: str, digits: str, bare: bool
) -> None:
    """Digits, digit words, apart or together."""
    assert pin_in(text, language) == digits
    assert is_bare_pin(text, language) is bare


@pytest.mark.parametrize("text", ["turn it to 21", "yes", "", "123"])
def test_what_is_no_pin(text: str) -> None:
    """Fewer than four digits are none."""
    assert pin_in(text, "en") is None
    assert not is_bare_pin(text, "en")


def test_a_pin_has_four_to_twelve_digits() -> None:
    """And nothing else; other scripts' digits are digits."""
    assert normal_pin(" 1234 ") == "1234"
    assert normal_pin("１２３４") == "1234"
    for bad in ("123", "1" * 13, "12a4", "12 34", "²²²²", "-123", ""):
        assert normal_pin(bad) is None
