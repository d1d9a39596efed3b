"""One conversation in each language: refused, asked, yes, no, why, later, forgotten."""

from collections.abc import Awaitable, Callable
import json
from pathlib import Path
import re

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

import custom_components.caesar
from custom_components.caesar.sentinel.approvals import Standing
from custom_components.caesar.wording import Wording, async_wording
from house.in_hass import async_build_house
from tests.ha.approvals import FRONT_DOOR, POLICY, say, speech, standing, waiting
from tests.ha.builtin.test_further_languages import table
from tests.ha.house import CaesarHouse, async_move_in

TRANSLATIONS = Path(custom_components.caesar.__file__).parent / "translations"
ENGLISH = {
    each["message"]
    for each in json.loads((TRANSLATIONS / "en.json").read_text(encoding="utf-8"))[
        "exceptions"
    ].values()
}
# What is the same in all languages: names, and the label of a form in English.
_NAMES = re.compile(
    r"Front door|Bedroom blind|Kitchen light|Hall|CAESAR|Home Assistant|Assist|Refused|PIN"
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
    # Refused; asked about; yes; no. The rest is in the table of sentences.
    "cs": (
        "Zavři Bedroom blind",
        "Odemkni Front door",
        "Ano, prosím.",
        "raději ne",
    ),
    "es": (
        "Cierra Bedroom blind",
        "Desbloquea Front door",
        "Sí, por favor.",
        "mejor no",
    ),
    "fr": (
        "Ferme Bedroom blind",
        "Déverrouille Front door",
        "Oui, s’il te plaît.",
        "surtout pas",
    ),
    "it": (
        "Chiudi Bedroom blind",
        "Sblocca Front door",
        "Sì, grazie.",
        "meglio di no",
    ),
    "nl": (
        "Sluit Bedroom blind",
        "Ontgrendel Front door",
        "Ja, graag.",
        "liever niet",
    ),
    "pl": (
        "Zamknij Bedroom blind",
        "Odblokuj Front door",
        "Tak, proszę.",
        "lepiej nie",
    ),
    "pt-BR": (
        "Feche Bedroom blind",
        "Destranque Front door",
        "Sim, por favor.",
        "melhor não",
    ),
    "ru": (
        "Закрой Bedroom blind",
        "Отопри Front door",
        "Да, пожалуйста.",
        "лучше не надо",
    ),
    "sv": (
        "Stäng Bedroom blind",
        "Lås upp Front door",
        "Ja, tack.",
        "helst inte",
    ),
    "zh-CN": (
        "关闭Bedroom blind",
        "解锁Front door",
        "好的，谢谢。",
        "先不要",
    ),
}


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house, under a policy that asks before locks open."""
    hass.loop.set_debug(False)
    hass_admin_user.name = "Adult"
    await async_build_house(hass)
    tools = "[plan_command, planned_commands, cancel_planned, forget_conversation]"
    policy = POLICY.replace("allowed_tools: []", f"allowed_tools: {tools}")
    return await async_move_in(hass, hass_admin_user.id, policy)


@pytest.mark.parametrize("language", sorted(SAID))
async def test_a_conversation(house: CaesarHouse, language: str) -> None:
    """Everything is said and heard in the language, and nothing of it in English."""
    refused, asks, yes, no = SAID[language]
    wording = await async_wording(house.hass, language)
    answers: list[str] = []

    async def told(text: str) -> str:
        answers.append(speech(await say(house, text, language=language)))
        return answers[-1]

    assert await told(refused) == wording.text("not_listed", target="Bedroom blind")
    place = wording.text("approval_in_area", name="Front door", area="Hall")
    action = wording.text("activity_do_unlock", targets=place)
    question = wording.text("approval_question", action=action)
    question = f"{question} {wording.text('approval_say_yes_no')}"
    assert await told(asks) == question
    [first] = waiting(house)
    await told(yes)
    assert house.state(FRONT_DOOR) == "unlocked"
    assert standing(house, first.id) is Standing.DONE
    await house.hass.services.async_call(
        "lock", "lock", {"entity_id": FRONT_DOOR}, blocking=True
    )
    assert await told(asks) == question
    [second] = waiting(house)
    assert await told(no) == wording.text("approval_denied", target="Front door")
    assert house.state(FRONT_DOOR) == "locked"
    assert standing(house, second.id) is Standing.DENIED
    await _about_it(wording, language, told)
    for each in answers:
        words = {word.casefold() for word in _WORDS.findall(_NAMES.sub(" ", each))}
        assert not words & ONLY_ENGLISH, each
        assert each not in ENGLISH


async def _about_it(
    wording: Wording, language: str, told: Callable[[str], Awaitable[str]]
) -> None:
    """Ask what was done and why not, plan something, and forget it all."""
    # The first sentence of each kind.
    asked = {wanted: said for said, wanted in reversed([*table(language)])}
    later = next(said for wanted, said in asked.items() if "plan_command " in wanted)
    assert wording.text("past_you_denied") in await told(asked['why {"refused": true}'])
    today = await told(asked["what_happened"])
    assert wording.text("past_period_today") in today
    assert today.count("\n- ") == 3
    assert wording.text("past_short_refused") in today
    assert wording.text("may_house") in await told(asked["what_may_i"])
    await told(later)
    planned = await told(asked["planned_commands"])
    assert planned.startswith(wording.text("planned_list", plans="").strip(". 。"))
    assert "Kitchen light" in planned
    assert "Kitchen light" in await told(asked["cancel_planned"])
    assert await told(asked["planned_commands"]) == wording.text("planned_none")
    assert await told(asked["forget_conversation"]) == wording.text("brain_forgotten")
