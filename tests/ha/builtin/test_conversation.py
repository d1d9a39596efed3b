"""Whole turns with the built-in brain: real gate, real services, real answers."""

from datetime import datetime

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant

from custom_components.caesar.brain.provider import StopReason
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.reason import Code

from .talk import Talk


async def test_the_five_questions(hass: HomeAssistant, talk: Talk) -> None:
    """Switch, refuse, answer, set and refuse, as a person would ask it."""
    on = await talk.say("turn on the kitchen light", "en")
    assert on.text == "Turned on the light."
    assert hass.states.is_state("light.kitchen_light", "on")

    door = await talk.say("unlock the front door", "en")
    assert door.calls() == [("lock.unlock", ["lock.front_door"])]
    assert door.text == (
        "For the front door I need somebody's approval, and there is nobody I can "
        "ask, so everything stays as it is."
    )
    assert [(o.executed, o.error and o.error.code) for o in door.outcomes] == [
        (False, Code.NO_APPROVER)
    ]
    assert hass.states.is_state("lock.front_door", "locked")

    assert await talk.answer("which lights are on?", "en") == (
        "Hall light and Kitchen light."
    )

    lamp = await talk.say("set the bedroom lamp to 30 percent", "en")
    assert lamp.text == "Brightness set."
    state = hass.states.get("light.bedroom_lamp")
    assert state is not None
    assert state.attributes["brightness"] in (76, 77)

    cellar = await talk.say("unlock the cellar door", "en")
    assert cellar.calls() == [("lock.unlock", ["lock.cellar_door"])]
    assert cellar.text == (
        "I can't reach the cellar door, because it isn't shared with Assist. An admin "
        "can share it under Settings, Voice assistants, Expose, or in CAESAR's options."
    )
    assert hass.states.is_state("lock.cellar_door", "locked")
    # An intent and an outcome for each of three, and a refusal for each of two.
    assert len(talk.trail.rows) == 8


async def test_the_five_questions_in_german(hass: HomeAssistant, talk: Talk) -> None:
    """The same in German, with the names that the house has in German."""
    assert await talk.answer("Schalte das Küchenlicht ein", "de") == (
        "Licht eingeschaltet."
    )
    assert await talk.answer("Schließ die Haustür auf", "de") == (
        "Für die Haustür brauche ich eine Freigabe, aber ich kann niemanden fragen. "
        "Es bleibt alles, wie es ist."
    )
    assert await talk.answer("Welche Lampen brennen?", "de") == (
        "Hall light und Kitchen light."
    )
    assert await talk.answer(
        "Stelle die Schlafzimmerlampe auf 30 Prozent", "de-DE"
    ) == ("Helligkeit eingestellt.")
    assert await talk.answer("Schließ die Kellertür auf", "de") == (
        "Ich habe keinen Zugriff auf die Kellertür, denn das ist nicht für Assist "
        "freigegeben. Ein Admin kann es unter Einstellungen, Sprachassistenten, "
        "Verfügbarkeit freigeben oder in CAESARs Optionen."
    )
    state = hass.states.get("light.bedroom_lamp")
    assert state is not None
    assert state.attributes["brightness"] in (76, 77)


async def test_answers_to_questions(hass: HomeAssistant, talk: Talk) -> None:
    """Answers tell what was read, with units, in words."""
    for said, language, answer in (
        ("is the front door locked?", "en", "Yes."),
        ("is the garage door open?", "en", "No, closed."),
        ("what is the state of the front door", "en", "The front door is locked."),
        ("are any windows open", "en", "Yes, Bedroom window."),
        ("how many lights are on", "en", "1."),
        ("are all lights off", "en", "No, Hall light is not off."),
        ("what is the humidity in the bedroom", "en", "Bedroom humidity is 51 %."),
        ("how cold is it outside", "en", "Outdoor temperature is 11.5 °C."),
        (
            "how warm is it in the living room",
            "en",
            "Living room thermostat is 20.5 °C, set to 20 °C.",
        ),
        ("which doors are unlocked", "en", "Not any."),
        ("is the smoke detector on", "en", "No, clear."),
        ("what is playing", "en", "Living room speaker is playing (Demo song)."),
        ("what's on the shopping list", "en", "On the shopping list: Milk, Apples."),
        (
            "what lights are there in the kitchen",
            "en",
            "I can see: Counter light, Kitchen light.",
        ),
        ("Wie ist die Außentemperatur", "de", "Die Außentemperatur ist 11,5 Grad."),
        ("Was macht der Staubsauger?", "de", "Staubsauger: angedockt."),
        ("Ist das Garagentor offen?", "de", "Nein, geschlossen."),
        ("Wie feucht ist es im Schlafzimmer?", "de", "Bedroom humidity: 51 %."),
        ("Sind alle Fenster zu?", "de", "Nein, Bedroom window ist nicht zu."),
    ):
        if said == "what is playing":
            state = hass.states.get("media_player.living_room_speaker")
            assert state is not None
            title = state.attributes.get("media_title")
            answer = f"Living room speaker is playing ({title})."
        assert await talk.answer(said, language) == answer, said


async def test_small_talk_needs_no_call(
    talk: Talk, freezer: FrozenDateTimeFactory
) -> None:
    """Time, date, thanks and what comes later are answered at once."""
    freezer.move_to(datetime(2026, 11, 30, 20, 5))
    for said, language, answer in (
        ("what time is it", "en", "12:05 PM."),
        ("Welcher Tag ist heute?", "de", "Es ist Montag der 30. November 2026."),
        ("hello", "en", "Hello! What can I do for you?"),
        ("thank you", "en", "You're welcome."),
        ("never mind", "en", "All right."),
        (
            "set a timer",
            "en",
            "For how long? Say for example: set a timer for ten minutes.",
        ),
        (
            "turn on the lamp",
            "en",
            "In which room? Please say it too, or say “all lights”.",
        ),
        (
            "what can you do",
            "en",
            "I can switch and set the devices in your home and answer questions about "
            "it. Say, for example: “turn on the Bedroom lamp”, “which lights are on?”, "
            "“what time is it?”.",
        ),
    ):
        turn = await talk.say(said, language)
        assert (turn.text, turn.stop, turn.requests) == (answer, StopReason.END, [])

    # Appointments come from the calendar's own service.
    tomorrow = await talk.say("what is on my calendar tomorrow", "en")
    assert [call[:2] for call in tomorrow.calls()] == [
        ("calendar.get_events", ["calendar.family_calendar"])
    ]
    assert tomorrow.text == "In the calendar: 10:30 Dentist."
    week = await talk.answer("Was steht nächste Woche an?", "de")
    assert week.startswith(("Im Kalender: ", "Für diese Zeit steht nichts"))


async def test_several_commands_in_one_sentence(
    hass: HomeAssistant, talk: Talk
) -> None:
    """What worked and what did not are both said."""
    both = await talk.say("turn on the kettle and lock the front door", "en")
    assert both.calls() == [
        ("switch.turn_on", ["switch.kettle"]),
        ("lock.lock", ["lock.front_door"]),
    ]
    assert both.text == (
        "Turned on the switch. For the front door I need somebody's approval, and "
        "there is nobody I can ask, so everything stays as it is."
    )
    assert hass.states.is_state("switch.kettle", "on")

    off = await talk.say("turn off the kettle and the hall light", "en")
    assert off.calls() == [
        ("switch.turn_off", ["switch.kettle"]),
        ("light.turn_off", ["light.hall_light"]),
    ]
    assert hass.states.is_state("light.hall_light", "off")


async def test_part_of_a_command_refused(hass: HomeAssistant, talk: Talk) -> None:
    """One command that is several calls says what worked and why the rest did not."""
    talk.policy = load_policy(
        "version: 1\nallowed_services:\n  - light.turn_off\nallowed_tools: []\n"
    )
    turn = await talk.say("turn off everything in the kitchen", "en")
    assert turn.text == (
        "That worked for Counter light and Kitchen light. The policy doesn't allow "
        "that for Coffee machine and Kettle, so nothing was changed. An admin can add "
        "it to the policy."
    )


async def test_success_is_not_claimed_against_the_reading(
    hass: HomeAssistant, talk: Talk
) -> None:
    """A lamp that still reports off after the call is not called on."""

    async def lazy(call: object) -> None:
        """Accept the command and do nothing, as a lamp without power does."""

    hass.services.async_register("light", "turn_on", lazy)
    assert await talk.answer("turn on the kitchen light", "en") == (
        "I've sent it, but the kitchen light still says off."
    )


async def test_a_step_is_read_first(hass: HomeAssistant, talk: Talk) -> None:
    """Warmer by a degree: the target is read, then set, then told as read back."""
    turn = await talk.say("make it warmer in the living room", "en")
    assert turn.calls() == [
        ("get_state", {"entity_id": ["climate.living_room_thermostat"]}),
        (
            "climate.set_temperature",
            ["climate.living_room_thermostat"],
            {"temperature": 21},
        ),
    ]
    assert turn.text == "Living room thermostat is now set to 21."
    assert [request.id for request in turn.requests] == ["builtin-1", "builtin-2"]

    await hass.services.async_call(
        "climate",
        "set_temperature",
        {"entity_id": "climate.living_room_thermostat", "temperature": 24},
        blocking=True,
    )
    # The everyday policy ends at 24 degrees.
    refused = await talk.answer("make it warmer in the living room", "en")
    assert refused.startswith("The policy doesn't allow that setting for")
