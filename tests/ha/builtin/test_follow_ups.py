"""Sentences that mean what the turn before was about."""

from typing import Any

import pytest

from custom_components.caesar.brain.provider import StopReason
from custom_components.caesar.brain.session import exchange_of, meant
from custom_components.caesar.policy.loader import load_policy

from .talk import Talk
from .test_sentences import TABLES, line_of

KITCHEN = "light.turn_on light.kitchen_light"
DIALOGS: dict[str, list[tuple[str, ...]]] = {
    "en": [
        (
            "turn on the kitchen light",
            "turn it off",
            "light.turn_off light.kitchen_light",
        ),
        (
            "turn on the kitchen light",
            "turn it off again",
            "light.turn_off light.kitchen_light",
        ),
        ("turn off the kitchen light", "and turn it back on please", ""),
        ("turn off the kitchen light", "switch it back on", KITCHEN),
        (
            "is the kitchen light on?",
            "turn it off",
            "light.turn_off light.kitchen_light",
        ),
        (
            "turn on the kitchen light",
            "and the bedroom lamp too",
            "light.turn_on light.bedroom_lamp",
        ),
        ("turn on the kitchen light", "and the kettle", "switch.turn_on switch.kettle"),
        (
            "turn on the kitchen light",
            "the lamp too",
            "light.turn_on light.counter_light",
        ),
        (
            "turn on the kitchen light",
            "in the bedroom as well",
            "light.turn_on light.bedroom_lamp light.reading_light",
        ),
        (
            "turn on the kitchen light",
            "brighter",
            'light.turn_on light.kitchen_light {"brightness_step_pct": 20}',
        ),
        (
            "turn on the kitchen light",
            "make it a bit darker",
            'light.turn_on light.kitchen_light {"brightness_step_pct": -20}',
        ),
        (
            "set the bedroom lamp to 30 percent",
            "the floor lamp too",
            'light.turn_on light.floor_lamp {"brightness_pct": 30}',
        ),
        (
            "how warm is it in the living room",
            "a bit warmer",
            "get_state climate.living_room_thermostat",
        ),
        (
            "how warm is it in the living room",
            "and in the bedroom?",
            "get_state climate.bedroom_thermostat",
        ),
        (
            "how warm is it in the living room",
            "what about the bedroom?",
            "get_state climate.bedroom_thermostat",
        ),
        (
            "is the kitchen light on?",
            "what about the hall light?",
            "get_state light.hall_light",
        ),
        (
            "close the bedroom blind",
            "open it again",
            "cover.open_cover cover.bedroom_blind",
        ),
        (
            "close the bedroom blind",
            "the living room blind too",
            "cover.close_cover cover.living_room_blind",
        ),
        ("is the front door locked?", "unlock it", "lock.unlock lock.front_door"),
        (
            "which lights are on?",
            "turn them off",
            "light.turn_off light.bedroom_lamp light.hall_light light.kitchen_light",
        ),
        (
            "turn on the kettle and the coffee machine",
            "turn them both off",
            "switch.turn_off switch.coffee_machine switch.kettle",
        ),
        (
            "turn on the kettle and the coffee machine",
            "turn it off",
            "Which one do you mean: Coffee machine (Kitchen), Kettle (Kitchen)?",
        ),
        (
            "turn on the kitchen light and turn off the counter light",
            "the bedroom lamp too",
            "",
        ),
        (
            "turn on the shelf light and turn off the floor lamp",
            "the lamp too",
            "",
        ),
        (
            "set the kitchen light to 20 percent and the counter light to 50 percent",
            "the bedroom lamp too",
            "",
        ),
        (
            "set the shelf light to 20 percent and the floor lamp to 50 percent",
            "the lamp too",
            "",
        ),
        ("mute the television", "the music box too", ""),
        (
            "stop the bedroom blind",
            "the living room blind too",
            "cover.stop_cover cover.living_room_blind",
        ),
        ("turn on the kitchen light", "what about the bedroom?", ""),
        ("turn on the kitchen light", "unlock it", ""),
        ("turn on the kitchen light", "a bit warmer", ""),
        ("turn on the kitchen light", "the front door too", ""),
        ("is the front door locked?", "turn it off", ""),
        ("is the kitchen light on?", "and the lamp?", ""),
        ("activate movie night", "turn it off", ""),
        ("make it warmer in the living room", "in the bedroom as well", ""),
        (
            "set the living room thermostat to 21 degrees",
            "in the bedroom as well",
            'climate.set_temperature climate.bedroom_thermostat {"temperature": 21}',
        ),
        (
            "turn off the lights in the kitchen",
            "turn them on again",
            "light.turn_on light.counter_light light.kitchen_light",
        ),
    ],
    "de": [
        (
            "Schalte das Küchenlicht ein",
            "Mach es wieder aus",
            "light.turn_off light.kitchen_light",
        ),
        (
            "Ist das Küchenlicht an?",
            "mach es bitte aus",
            "light.turn_off light.kitchen_light",
        ),
        (
            "Schalte das Küchenlicht ein",
            "und die Schlafzimmerlampe auch",
            "light.turn_on light.bedroom_lamp",
        ),
        (
            "Schalte das Küchenlicht ein",
            "und den Wasserkocher",
            "switch.turn_on switch.kettle",
        ),
        (
            "Schalte das Küchenlicht ein",
            "und die Lampe auch",
            "light.turn_on light.counter_light",
        ),
        (
            "Schalte das Küchenlicht ein",
            "auch im Schlafzimmer",
            "light.turn_on light.bedroom_lamp light.reading_light",
        ),
        (
            "Schalte das Küchenlicht ein",
            "heller",
            'light.turn_on light.kitchen_light {"brightness_step_pct": 20}',
        ),
        (
            "Schalte das Küchenlicht ein",
            "mach es noch etwas dunkler",
            'light.turn_on light.kitchen_light {"brightness_step_pct": -20}',
        ),
        (
            "Stelle die Schlafzimmerlampe auf 30 Prozent",
            "die Stehlampe auch",
            'light.turn_on light.floor_lamp {"brightness_pct": 30}',
        ),
        (
            "Wie warm ist es im Wohnzimmer?",
            "etwas wärmer",
            "get_state climate.living_room_thermostat",
        ),
        (
            "Wie warm ist es im Wohnzimmer?",
            "und im Schlafzimmer?",
            "get_state climate.bedroom_thermostat",
        ),
        (
            "Ist das Küchenlicht an?",
            "was ist mit dem Flurlicht?",
            "get_state light.hall_light",
        ),
        (
            "Mach das Schlafzimmerrollo zu",
            "mach es wieder auf",
            "cover.open_cover cover.bedroom_blind",
        ),
        (
            "Ist die Haustür abgeschlossen?",
            "schließ sie auf",
            "lock.unlock lock.front_door",
        ),
        (
            "Mach in der Küche das Licht aus",
            "mach sie wieder an",
            "light.turn_on light.counter_light light.kitchen_light",
        ),
    ],
}


async def speak(talk: Talk, text: str, language: str, **caller: Any) -> None:
    """Say something, and remember of it what a house would."""
    talk.last = ()
    turn = talk.turn(language, **caller)
    said = await talk.say(text, language, **caller)
    exchange = exchange_of(turn, text, said.text, said.outcomes)
    talk.last = meant(exchange, exchange.at)


@pytest.mark.parametrize("language", ["en", "de"])
async def test_follow_ups(talk: Talk, language: str) -> None:
    """Each asks for exactly these calls after that sentence."""
    wrong = []
    for first, then, wanted in DIALOGS[language]:
        await speak(talk, first, language)
        now = await talk.plan(then, language)
        asked = "; ".join(map(line_of, now.requests)) or now.text
        if asked != wanted:
            wrong.append(
                f"{first} / {then}\n  {now.stop} {asked} {now.text} {talk.last}\n  {wanted}"
            )
    assert not wrong, "\n".join(wrong)


# Of the tables, what means something else after a turn than without one.
FOLLOWING = {"turn it off", "Mach es aus"}


@pytest.mark.parametrize("language", ["en", "de"])
async def test_everyday_sentences_follow_nothing(talk: Talk, language: str) -> None:
    """Said after another sentence, each asks for what it asks for alone."""
    first = {"en": "turn on the kitchen light", "de": "Schalte das Küchenlicht ein"}
    await speak(talk, first[language], language)
    assert talk.last
    wrong = []
    for said, _ in TABLES[language]:
        heard = await talk.provider._follow_up(said, talk.turn(language))
        if (heard is not None) is not (said in FOLLOWING):
            wrong.append(f"{said}\n  {heard}")
    assert not wrong, "\n".join(wrong)


async def test_what_may_be_meant(talk: Talk) -> None:
    """Nothing that was refused or is gone; a chain of them goes on."""
    talk.policy = load_policy("version: 1\nallowed_services: [light.turn_on]\n")
    await speak(talk, "turn off the kitchen light", "en")
    assert list(talk.last) == []
    now = await talk.plan("turn it off", "en")
    assert (now.stop, now.requests) == (StopReason.NOT_UNDERSTOOD, [])
    # A half that was refused is not meant either.
    await speak(talk, "turn on the kettle and the kitchen light", "en")
    assert [call.target for call in talk.last] == [("light.kitchen_light",)]
    # The gate judges what follows: nothing is allowed because something else was.
    refused = await talk.say("turn it off", "en")
    assert [each.executed for each in refused.outcomes] == [False]
    # One follow-up after the other, each of the one before.
    for said, light in (
        ("and the bedroom lamp too", "light.bedroom_lamp"),
        ("and the floor lamp", "light.floor_lamp"),
    ):
        turn = talk.turn("en")
        told = await talk.say(said, "en")
        assert list(map(line_of, told.requests)) == [f"light.turn_on {light}"]
        exchange = exchange_of(turn, said, told.text, told.outcomes)
        talk.last = meant(exchange, exchange.at)
    assert told.text == "Turned on the light."
    # A command for later is no follow-up: who knows what "it" is then.
    later = await talk.plan("turn it off in ten minutes", "en")
    assert later.stop is StopReason.NOT_UNDERSTOOD
    talk.hass.states.async_remove("light.floor_lamp")
    assert (await talk.plan("brighter", "en")).stop is StopReason.NOT_UNDERSTOOD
