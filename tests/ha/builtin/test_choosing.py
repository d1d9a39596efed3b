"""Short answers to "which one do you mean?"."""

from typing import Any

from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
import pytest

from custom_components.caesar.brain.exchange_bytes import from_bytes, to_bytes
from custom_components.caesar.brain.provider import StopReason
from custom_components.caesar.brain.session import exchange_of, remembered
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.wording import async_wording

from .talk import Conversation, Talk
from .test_sentences import line_of

LAMPS = (
    "light.counter_light",
    "light.floor_lamp",
    "light.kitchen_light",
    "light.reading_light",
)
"""As they are read out: two in the kitchen, one each in living room and bedroom."""
ASKS = {
    "en": "turn on the work lamp",
    "de": "Schalte die Arbeitslampe ein",
}
FURTHER = {
    "cs": ("Zapni Work lamp", "tu druhou", "ta v Bedroom", "číslo tři", "všechny"),
    "es": ("Enciende Work lamp", "la segunda", "la de Bedroom", "número tres", "todas"),
    "fr": ("Allume Work lamp", "la deuxième", "dans Bedroom", "numéro trois", "toutes"),
    "it": ("Accendi Work lamp", "la seconda", "in Bedroom", "numero tre", "tutte"),
    "nl": ("Zet Work lamp aan", "de tweede", "in Bedroom", "nummer drie", "allemaal"),
    "pl": ("Włącz Work lamp", "tę drugą", "ta w Bedroom", "numer trzy", "wszystkie"),
    "pt-BR": ("Ligue Work lamp", "a segunda", "no Bedroom", "número três", "todas"),
    "ru": ("Включи Work lamp", "вторую", "в Bedroom", "номер три", "все"),
    "sv": ("Slå på Work lamp", "den andra", "den i Bedroom", "nummer tre", "alla"),
}
"""Asked for; the second, that in the bedroom, number three, all of them."""
ONE_OF_FOUR = {
    "en": {
        "Floor lamp": "floor_lamp",
        "the floor lamp, please": "floor_lamp",
        "I mean the reading light": "reading_light",
        "reading": "reading_light",
        "the one in the bedroom": "reading_light",
        "bedroom": "reading_light",
        "in the living room": "floor_lamp",
        "the counter one": "counter_light",
        "the first": "counter_light",
        "the second one": "floor_lamp",
        "the second lamp": "floor_lamp",
        "number three": "kitchen_light",
        "lamp number two": "floor_lamp",
        "4": "reading_light",
        "the last one please": "reading_light",
        "all of them": "counter_light floor_lamp kitchen_light reading_light",
        "left": "counter_light",
        "the left one": "counter_light",
        "kitchen light": "kitchen_light",
    },
    "de": {
        "Stehlampe": "floor_lamp",
        "die Stehlampe bitte": "floor_lamp",
        "ich meine die Leselampe": "reading_light",
        "die im Schlafzimmer": "reading_light",
        "Schlafzimmer": "reading_light",
        "im Wohnzimmer": "floor_lamp",
        "die erste": "counter_light",
        "der zweite": "floor_lamp",
        "die zweite Lampe": "floor_lamp",
        "Nummer drei": "kitchen_light",
        "die letzte": "reading_light",
        "alle": "counter_light floor_lamp kitchen_light reading_light",
        "die linke": "counter_light",
        "den linken": "counter_light",
    },
}
NO_ANSWER = {
    "en": (
        "never mind",
        "no",
        "not the kitchen light",
        "both",
        "the fifth",
        "the second fan",
        "the first and the second",
        "number nine",
        "not number two",
        "anything but number two",
        "just a second",
        "one second please",
        "wait a second",
        "0",
        "one",
        "the",
        "work lamp",
        "the garage",
        "turn off the floor lamp",
        "the bedroom lamp",
        "the one that is in the bedroom on the shelf by the window there",
    ),
    "de": (
        "nein",
        "beide",
        "die fünfte",
        "Arbeitslampe",
        "die Garage",
        "mach es aus",
        "nicht Nummer zwei",
        "ja, erst mal",
    ),
}

ROOM_OR_TIME = {
    "en": (
        ("turn on the lamp", "kitchen", "turn on the lights in the kitchen"),
        ("turn on the lamp", "in the kitchen please", "kitchen lights on"),
        ("turn the light off", "upstairs", "turn off all lights upstairs"),
        ("turn on the lamp", "all lights", "turn on all lights"),
        ("turn on the lamp", "the attic", "the attic"),
        ("turn on the lamp", "hello", "hello"),
        ("set a timer", "ten minutes", "set a timer for ten minutes"),
        ("set a timer", "for 30 seconds", "set a timer for 30 seconds"),
        ("set a timer", "kitchen", "kitchen"),
        ("set a timer", "1 minute and unlock the front door", "nonsense"),
    ),
    "de": (
        ("Mach die Lampe an", "Küche", "Mach in der Küche das Licht an"),
        ("Licht aus", "im Obergeschoss", "Mach oben das Licht aus"),
        ("Mach die Lampe an", "alle Lichter", "Schalte alle Lichter ein"),
        ("Stell einen Timer", "zehn Minuten", "Timer auf zehn Minuten"),
        ("Stell einen Timer", "auf 30 Sekunden", "Timer auf 30 Sekunden"),
    ),
}
"""A sentence that asks back, a short answer, and the whole sentence for both."""


@pytest.fixture(autouse=True)
def work_lamps(hass: HomeAssistant, talk: Talk) -> None:
    """Give several lamps one name; one of them is also called the left one."""
    registry = er.async_get(hass)
    for entity_id in LAMPS:
        entry = registry.async_get(entity_id)
        assert entry is not None
        names = [*entry.aliases, "Work lamp", "Arbeitslampe"]
        if entity_id == LAMPS[0]:
            names += ["Left lamp", "Linke Lampe"]
        registry.async_update_entity(entity_id, aliases=names)


async def say(
    talk: Talk, text: str, language: str = "en", **caller: Any
) -> Conversation:
    """Say something in a conversation that goes over the disk after each turn."""
    turn = talk.turn(language, **caller)
    said = await talk.say(text, language, **caller)
    exchange = from_bytes(
        to_bytes(exchange_of(turn, text, said.text, said.outcomes, said.question))
    )
    before = remembered([exchange])
    talk.last, talk.question = before.meant, before.question
    return said


@pytest.mark.parametrize("language", ["en", "de"])
async def test_short_answers(talk: Talk, language: str) -> None:
    """A name, a room or a number chooses one; the call is the one that was asked for."""
    wrong = []
    for answer, lamps in ONE_OF_FOUR[language].items():
        asked = await say(talk, ASKS[language], language)
        assert asked.again
        assert asked.requests == []
        now = await talk.plan(answer, language)
        ids = " ".join(f"light.{lamp}" for lamp in lamps.split())
        got = "; ".join(map(line_of, now.requests)) or now.text
        if got != f"light.turn_on {ids}":
            wrong.append(f"{answer}: {now.stop} {got}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("language", ["en", "de"])
async def test_anything_else_is_a_new_sentence(talk: Talk, language: str) -> None:
    """It is heard as if nothing had been asked."""
    wrong = []
    for text in NO_ANSWER[language]:
        talk.question = None
        alone = await talk.plan(text, language)
        await say(talk, ASKS[language], language)
        now = await talk.plan(text, language)
        if (now.text, now.stop, now.requests) != (
            alone.text,
            alone.stop,
            alone.requests,
        ):
            wrong.append(f"{text}: {now.stop} {now.text} {now.requests}")
    assert not wrong, "\n".join(wrong)


async def test_the_call_is_judged_like_any_other(talk: Talk) -> None:
    """Of what an answer chooses nothing is allowed because it was asked about."""
    await say(talk, "turn on the work lamp")
    done = await say(talk, "the floor lamp")
    assert [outcome.executed for outcome in done.outcomes] == [True]
    assert done.text == "Turned on the light."
    # The answer was the next message; the one after it is none, but may mean the lamp.
    assert talk.question is None
    off = await say(talk, "turn it off")
    assert off.calls() == [("light.turn_off", ["light.floor_lamp"])]
    talk.policy = load_policy("version: 1\nallowed_services: [switch.turn_on]\n")
    await say(talk, "turn on the work lamp")
    refused = await say(talk, "the floor lamp")
    assert [outcome.executed for outcome in refused.outcomes] == [False]


async def test_an_answer_that_leaves_some_open(talk: Talk) -> None:
    """Two are in the kitchen: these are asked about, in the same way."""
    await say(talk, "turn on the work lamp")
    asked = await say(talk, "kitchen")
    assert asked.text == (
        "Which one do you mean: Counter light (Kitchen), Kitchen light (Kitchen)?"
    )
    assert asked.again
    both = await say(talk, "both")
    assert both.calls() == [
        ("light.turn_on", ["light.counter_light", "light.kitchen_light"])
    ]


async def test_what_was_read_out(hass: HomeAssistant, talk: Talk) -> None:
    """Numbers count what was read out; "all" means no more than that."""
    registry = er.async_get(hass)
    lights = sorted(state.entity_id for state in hass.states.async_all("light"))
    assert len(lights) > 6
    for entity_id in lights:
        registry.async_update_entity(
            entity_id, aliases=[er.COMPUTED_NAME, "Work lamp", "Arbeitslampe"]
        )
    asked = await say(talk, "turn on the work lamp")
    question = talk.question
    assert "…" in asked.text
    sixth = await talk.plan("the sixth", "en")
    assert list(map(line_of, sixth.requests)) == [f"light.turn_on {lights[5]}"]
    for text in ("all", "the last one", "number 7"):
        talk.question = question
        now = await talk.plan(text, "en")
        assert (now.stop, now.requests) == (StopReason.NOT_UNDERSTOOD, []), text


async def test_what_is_gone_since(hass: HomeAssistant, talk: Talk) -> None:
    """Whatever isn't there or isn't shared any more can't be chosen; numbers stay."""
    await say(talk, "turn on the work lamp")
    hass.states.async_remove("light.counter_light")
    async_expose_entity(hass, "conversation", "light.floor_lamp", False)
    for text in ("the first", "the second", "left", "living room"):
        now = await talk.plan(text, "en")
        assert now.requests == [], text
    third = await talk.plan("the third", "en")
    assert list(map(line_of, third.requests)) == ["light.turn_on light.kitchen_light"]


async def test_other_questions(talk: Talk) -> None:
    """Follow-ups, players and thermostats that ask which one are answered so too."""
    for first, then, answer, call in (
        (
            "turn on the kettle and the coffee machine",
            "turn it off",
            "the kettle",
            "switch.turn_off switch.kettle",
        ),
        (
            "turn on the kettle and the coffee machine",
            "turn it off",
            "both",
            "switch.turn_off switch.coffee_machine switch.kettle",
        ),
        (
            "turn on the shelf light",
            "the lamp too",
            "the ceiling",
            "light.turn_on light.ceiling_light",
        ),
        (
            "hello",
            "make it warmer",
            "in the bedroom",
            "get_state climate.bedroom_thermostat",
        ),
        (
            "hello",
            "is the work lamp on",
            "the second",
            "get_state light.floor_lamp",
        ),
    ):
        await say(talk, first)
        asked = await say(talk, then)
        assert asked.again, asked.text
        now = await talk.plan(answer, "en")
        assert "; ".join(map(line_of, now.requests)) == call, asked.text


async def test_names_in_any_language(talk: Talk) -> None:
    """Where CAESAR has no words of its own, names and rooms are understood."""
    await say(talk, "Sytytä Work lamp", "fi")
    assert talk.question is not None
    now = await talk.plan("Floor lamp", "fi")
    assert list(map(line_of, now.requests)) == ["light.turn_on light.floor_lamp"]
    room = await talk.plan("Bedroom", "fi")
    assert list(map(line_of, room.requests)) == ["light.turn_on light.reading_light"]


async def test_further_languages(talk: Talk) -> None:
    """A number, a room or all, in the words around them; anything else is no answer."""
    wrong = []
    for language, (asks, *answers) in FURTHER.items():
        wanted = (LAMPS[1], LAMPS[3], LAMPS[2], " ".join(LAMPS))
        for answer, ids in zip(answers, wanted, strict=True):
            asked = await say(talk, asks, language)
            assert asked.again, language
            now = await talk.plan(answer, language)
            got = "; ".join(map(line_of, now.requests)) or now.text
            if got != f"light.turn_on {ids}":
                wrong.append(f"{language} | {answer}: {now.stop} {got}")
        nothing = await talk.plan("xyzzy", language)
        assert nothing.requests == []
    assert not wrong, "\n".join(wrong)


async def test_a_question_of_another_making(talk: Talk) -> None:
    """What can't be read as a question is none."""
    await say(talk, "turn on the work lamp")
    assert talk.question is not None
    whole = dict(talk.question)
    for wrong in ({}, whole | {"source": "worker"}, whole | {"last": [1]}):
        talk.question = wrong
        assert (await talk.plan("the second", "en")).requests == [], wrong


@pytest.mark.parametrize("language", ["en", "de"])
async def test_a_room_or_a_time(talk: Talk, language: str) -> None:
    """As shortly are "in which room?" and "for how long?" answered."""
    for first, answer, whole in ROOM_OR_TIME[language]:
        talk.question = None
        alone = await talk.plan(whole, language)
        asked = await say(talk, first, language)
        assert asked.again, asked.text
        now = await talk.plan(answer, language)
        assert now.requests == alone.requests, answer
        assert (now.stop, now.text) == (alone.stop, alone.text), answer


@pytest.mark.parametrize(
    ("language", "text", "planned"),
    [
        ("en", "forget it", "cancel the last plan"),
        ("en", "cancel that", "cancel everything I planned"),
        ("de", "Vergiss das", "Streiche meinen Plan"),
        ("fr", "oublie \u00e7a", "annule la commande pr\u00e9vue"),
        ("it", "annullalo", "annulla il comando programmato"),
        ("zh-CN", "\u53d6\u6d88\u90a3\u4e2a", "\u53d6\u6d88\u8fd9\u6761\u547d\u4ee4"),
    ],
)
async def test_forget_it_means_the_question(
    talk: Talk, language: str, text: str, planned: str
) -> None:
    """Not a command that was given for later, an hour ago; that has to be named."""
    whole = {"de": ASKS["de"], "fr": "Allume Work lamp"}.get(language, ASKS["en"])
    asking = language if language in ("de", "fr") else "en"
    await say(talk, whole, asking)
    assert talk.question is not None
    assert (await talk.plan(text, language)).requests == []
    wording = await async_wording(talk.hass, language)
    assert (await talk.plan(text, language)).text == wording.text("brain_nevermind")
    named = await talk.plan(planned, language)
    assert [request.name for request in named.requests] == ["cancel_planned"]
    talk.question = None
    alone = await talk.plan(text, language)
    assert [request.name for request in alone.requests] == ["cancel_planned"]
