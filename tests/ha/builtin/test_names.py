"""Names, rooms and languages, as the built-in brain understands them."""

import json

from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar, entity_registry as er

from custom_components.caesar.brain.provider import StopReason, VendorBlock
from custom_components.caesar.policy.caller import Origin
from custom_components.caesar.providers.builtin.plan import Plan

from .talk import Talk, short


async def test_names_that_several_things_have(hass: HomeAssistant, talk: Talk) -> None:
    """Asks which one; whoever speaks from a room means the one that is there."""
    registry = er.async_get(hass)
    for entity_id in ("light.reading_light", "light.counter_light"):
        registry.async_update_entity(entity_id, aliases=[er.COMPUTED_NAME, "Work lamp"])
    ask = await talk.say("turn on the work lamp", "en")
    assert ask.requests == []
    assert ask.text == (
        "Several things are called work lamp: Counter light (Kitchen), Reading light "
        "(Bedroom). Which one do you mean?"
    )
    named = await talk.say("turn on the work lamp in the bedroom", "en")
    assert named.calls() == [("light.turn_on", ["light.reading_light"])]
    kitchen = ar.async_get(hass).async_get_area_by_name("Kitchen")
    assert kitchen is not None
    here = await talk.say("turn on the work lamp", "en", area_id=kitchen.id)
    assert here.calls() == [("light.turn_on", ["light.counter_light"])]


async def test_the_room_of_a_satellite(hass: HomeAssistant, talk: Talk) -> None:
    """Lights without a room are those of the room in which they are spoken of."""
    satellite = er.async_get(hass).async_get(
        "assist_satellite.childrens_room_satellite"
    )
    area = ar.async_get(hass).async_get_area_by_name("Children's room")
    assert satellite is not None
    assert area is not None
    place = {
        "origin": Origin.VOICE,
        "satellite_id": satellite.entity_id,
        "device_id": satellite.device_id,
        "area_id": area.id,
        "floor_id": area.floor_id,
    }
    lights = ["light.childrens_room_light", "light.night_light"]
    for said, language, call in (
        ("turn on the lights", "en", ("light.turn_on", lights)),
        ("Licht aus", "de", ("light.turn_off", lights)),
        (
            "make it brighter",
            "en",
            ("light.turn_on", lights, {"brightness_step_pct": 20}),
        ),
        (
            "next song",
            "en",
            ("media_player.media_next_track", ["media_player.music_box"]),
        ),
    ):
        turn = await talk.plan(said, language, **place)
        assert [short(request) for request in turn.requests] == [call], said


async def test_not_understood(talk: Talk) -> None:
    """Unknown names are said to be unknown; anything else gets three examples."""
    caller = talk.turn("en").caller
    for said, language, answer in (
        (
            "turn on the dishwasher",
            "en",
            "I don't know anything called dishwasher. It may have another name in "
            "Home Assistant.",
        ),
        ("turn on the lights in the attic", "en", "I don't know a room called attic."),
        (
            "Schalte den Geschirrspüler ein",
            "de",
            "Ich kenne nichts mit dem Namen Geschirrspüler. Vielleicht heißt es in "
            "Home Assistant anders.",
        ),
        (
            "search the web for the boiling point of ethanol",
            "en",
            "I didn't understand that. You can say, for example: “turn on the Bedroom "
            "lamp”, “which lights are on?”, “what time is it?”.",
        ),
        (
            "mach es aus",
            "de",
            "Das habe ich nicht verstanden. Du kannst zum Beispiel sagen: „Schalte "
            "Bedroom lamp ein“, „Welche Lichter sind an?“, „Wie spät ist es?“.",
        ),
    ):
        turn = await talk.say(said, language)
        assert (turn.stop, turn.text) == (StopReason.NOT_UNDERSTOOD, "")
        text = await talk.provider.not_understood_text(language, said, caller)
        assert text == answer
    # Without the sentence, only what can be said.
    assert (await talk.provider.not_understood_text("en")).startswith("I didn't")
    assert (await talk.say("   ", "en")).stop is StopReason.NOT_UNDERSTOOD
    assert (await talk.say("bonjour", "xx")).stop is StopReason.NOT_UNDERSTOOD


async def test_new_names_are_known_at_once(hass: HomeAssistant, talk: Talk) -> None:
    """Renaming, sharing and taking away are heard without a restart."""
    assert (await talk.say("dim the zebra to 20 percent", "en")).requests == []
    er.async_get(hass).async_update_entity(
        "light.floor_lamp", aliases=[er.COMPUTED_NAME, "Zebra"]
    )
    turn = await talk.plan("dim the zebra to 20 percent", "en")
    assert [request.name for request in turn.requests] == ["call_service"]


async def test_other_languages(talk: Talk) -> None:
    """Home Assistant's own sentences and answers work in any of its languages."""
    turn = await talk.say("Allume Kitchen light", "fr")
    assert turn.calls() == [("light.turn_on", ["light.kitchen_light"])]
    assert turn.text == "Allumé."
    door = await talk.say("Déverrouille Front door", "fr")
    assert door.calls() == [("lock.unlock", ["lock.front_door"])]
    assert door.text.startswith("Il me faut une approbation pour Front door")
    finnish = await talk.say("Sytytä Kitchen light", "fi")
    assert finnish.calls() == [("light.turn_on", ["light.kitchen_light"])]
    unknown = await talk.provider.not_understood_text("fi")
    assert unknown.startswith("I didn't understand that.")


async def test_sentences_that_somebody_added(talk: Talk) -> None:
    """A custom sentence has a handler of its own, which is never called from here."""
    agent = talk.provider._recogniser._agent()
    assert agent is not None
    loaded = await agent.async_get_or_load_intents("en")
    assert loaded is not None
    added = {
        "language": "en",
        "intents": {
            "LaunchRocket": {"data": [{"sentences": ["launch the rocket"]}]},
            "HassTurnOff": {
                "data": [
                    {
                        "sentences": ["open sesame {name}"],
                        "metadata": {"hass_custom_sentence": True},
                    }
                ]
            },
        },
    }
    loaded.intents.intents.update(type(loaded.intents).from_dict(added).intents)
    for said in ("launch the rocket", "open sesame Front door"):
        assert (await talk.say(said, "en")).stop is StopReason.NOT_UNDERSTOOD


async def test_a_plan_can_be_kept_on_disk(talk: Talk) -> None:
    """The vendor block is plain JSON, and reads back as the same plan."""
    assert (talk.provider.name, talk.provider.traits.local) == ("builtin", True)
    await talk.provider.check()
    for said in (
        "turn on the kitchen light and lock the front door",
        "make it warmer in the living room",
        "which lights are on",
        "make it warmer and turn on the kettle",
    ):
        now = await talk.plan(said, "en")
        (block,) = now.vendor
        assert isinstance(block, VendorBlock)
        assert block.provider == "builtin"
        kept = json.loads(json.dumps(block.data))
        assert Plan.from_json(kept) == Plan.from_json(block.data)
        assert [request.id for request in Plan.from_json(kept).requests] == [
            request.id for request in now.requests
        ]
