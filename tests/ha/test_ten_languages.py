"""One conversation in each language: a refusal, an approval, yes, no, and why."""

import json
from pathlib import Path
import re

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

import custom_components.caesar
from custom_components.caesar.sentinel.approvals import Standing
from custom_components.caesar.wording import async_wording
from house.in_hass import async_build_house
from tests.ha.approvals import FRONT_DOOR, POLICY, say, speech, standing, waiting
from tests.ha.house import CaesarHouse, async_move_in

ENGLISH = json.loads(
    (Path(custom_components.caesar.__file__).parent / "translations/en.json").read_text(
        encoding="utf-8"
    )
)["exceptions"]
# What is the same in all languages: names, and the label of a form in English.
_NAMES = re.compile(
    r"Front door|Bedroom blind|Hall|CAESAR|Home Assistant|Assist|Refused|PIN"
)
_WORDS = re.compile(r"[^\W\d_]+")
# Of the twelve only English has these; our messages are full of them.
ONLY_ENGLISH = frozenset(
    _WORDS.findall(
        "the that this what which with without you your its have been are not nothing"
        " can could may shall say yes asked asking allowed policy rule changed done"
        " unlock unlocked close closed please later somebody nobody today because and"
        " then there"
    )
)
SAID = {
    # Refused; asked about; yes; no; why not; what was done today.
    "cs": (
        "Zavři Bedroom blind",
        "Odemkni Front door",
        "Ano, prosím.",
        "raději ne",
        "Proč ne?",
        "Co jsi dnes udělal?",
    ),
    "es": (
        "Cierra Bedroom blind",
        "Desbloquea Front door",
        "Sí, por favor.",
        "mejor no",
        "¿Por qué no?",
        "¿Qué has hecho hoy?",
    ),
    "fr": (
        "Ferme Bedroom blind",
        "Déverrouille Front door",
        "Oui, s’il te plaît.",
        "surtout pas",
        "Pourquoi tu ne peux pas ?",
        "Qu’as-tu fait aujourd’hui ?",
    ),
    "it": (
        "Chiudi Bedroom blind",
        "Sblocca Front door",
        "Sì, grazie.",
        "meglio di no",
        "Perché non puoi?",
        "Cosa hai fatto oggi?",
    ),
    "nl": (
        "Sluit Bedroom blind",
        "Ontgrendel Front door",
        "Ja, graag.",
        "liever niet",
        "Waarom niet?",
        "Wat heb je vandaag gedaan?",
    ),
    "pl": (
        "Zamknij Bedroom blind",
        "Odblokuj Front door",
        "Tak, proszę.",
        "lepiej nie",
        "Dlaczego nie?",
        "Co dziś zrobiłeś?",
    ),
    "pt-BR": (
        "Feche Bedroom blind",
        "Destranque Front door",
        "Sim, por favor.",
        "melhor não",
        "Por que não?",
        "O que você fez hoje?",
    ),
    "ru": (
        "Закрой Bedroom blind",
        "Отопри Front door",
        "Да, пожалуйста.",
        "лучше не надо",
        "Почему нет?",
        "Что ты сегодня сделал?",
    ),
    "sv": (
        "Stäng Bedroom blind",
        "Lås upp Front door",
        "Ja, tack.",
        "helst inte",
        "Varför inte?",
        "Vad har du gjort idag?",
    ),
    "zh-CN": (
        "关闭Bedroom blind",
        "解锁Front door",
        "好的，谢谢。",
        "先不要",
        "为什么不行？",
        "你今天做了什么？",
    ),
}


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house, under a policy that asks before locks open."""
    hass.loop.set_debug(False)
    hass_admin_user.name = "Adult"
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id, POLICY)


@pytest.mark.parametrize("language", sorted(SAID))
async def test_a_conversation(house: CaesarHouse, language: str) -> None:
    """Everything is said and heard in the language, and nothing of it in English."""
    refused, asks, yes, no, why_not, happened = SAID[language]
    wording = await async_wording(house.hass, language)
    answers: list[str] = []

    async def told(text: str) -> str:
        answers.append(speech(await say(house, text, language=language)))
        return answers[-1]

    assert await told(refused) == wording.text("not_listed", target="Bedroom blind")
    place = wording.text("approval_in_area", name="Front door", area="Hall")
    action = wording.text("activity_do_unlock", targets=place)
    question = wording.text("approval_question", action=action)
    how = wording.text("approval_say_yes_no")
    assert await told(asks) == f"{question} {how}"
    [first] = waiting(house)
    await told(yes)
    assert house.state(FRONT_DOOR) == "unlocked"
    assert standing(house, first.id) is Standing.DONE
    await house.hass.services.async_call(
        "lock", "lock", {"entity_id": FRONT_DOOR}, blocking=True
    )
    assert await told(asks) == f"{question} {how}"
    [second] = waiting(house)
    assert await told(no) == wording.text("approval_denied", target="Front door")
    assert house.state(FRONT_DOOR) == "locked"
    assert standing(house, second.id) is Standing.DENIED
    assert wording.text("past_you_denied") in await told(why_not)
    today = await told(happened)
    assert wording.text("past_period_today") in today
    assert today.count("\n- ") == 3
    assert wording.text("past_short_refused") in today
    for each in answers:
        words = {word.casefold() for word in _WORDS.findall(_NAMES.sub(" ", each))}
        assert not words & ONLY_ENGLISH, each
        assert each not in {said["message"] for said in ENGLISH.values()}
