"""Impact: by what happens, not by the name of the service."""

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.impact import Impact, service_impact

from .house import decide, demo_house, facts, home_of, service, tool

READ, REVERSIBLE = Impact.READ, Impact.REVERSIBLE
DESTRUCTIVE, LOCKED, NEVER = Impact.DESTRUCTIVE, Impact.LOCKED, Impact.NEVER


def test_classes_are_ordered() -> None:
    """The worst of two classes is their maximum."""
    assert READ < REVERSIBLE < DESTRUCTIVE < LOCKED < NEVER


@pytest.mark.parametrize(
    ("name", "impact"),
    [
        ("weather.get_forecasts", READ),
        ("todo.get_items", READ),
        ("calculator", READ),
        ("get_state", READ),
        ("light.turn_on", REVERSIBLE),
        ("climate.set_temperature", REVERSIBLE),
        ("vacuum.start", REVERSIBLE),
        ("timer.cancel", REVERSIBLE),
        ("todo.remove_item", REVERSIBLE),
        ("lawn_mower.dock", REVERSIBLE),
        ("homeassistant.update_entity", REVERSIBLE),
        ("todo.remove_completed_items", DESTRUCTIVE),
        ("lawn_mower.start_mowing", DESTRUCTIVE),
        ("vacuum.send_command", DESTRUCTIVE),
        ("counter.reset", DESTRUCTIVE),
        ("lock.lock", DESTRUCTIVE),
        ("valve.close_valve", DESTRUCTIVE),
        ("siren.turn_on", DESTRUCTIVE),
        ("button.press", DESTRUCTIVE),
        ("scene.turn_on", DESTRUCTIVE),
        ("script.anything", DESTRUCTIVE),
        ("notify.mobile_app_x", DESTRUCTIVE),
        ("light.reload", DESTRUCTIVE),
        ("homeassistant.reload_all", DESTRUCTIVE),
        ("system_bridge.power_command", DESTRUCTIVE),
        ("frob", DESTRUCTIVE),
        ("shell_command.x", LOCKED),
        ("python_script.x", LOCKED),
        ("pyscript.reload", LOCKED),
        ("caesar.approve", NEVER),
        ("hassio.host_reboot", NEVER),
        ("conversation.process", NEVER),
    ],
)
def test_by_name(name: str, impact: Impact) -> None:
    """What a name alone tells."""
    assert service_impact(name) is impact


@pytest.mark.parametrize(
    ("name", "target", "data", "impact"),
    [
        ("cover.open_cover", "cover.blind", None, REVERSIBLE),
        ("cover.open_cover", "cover.garage", None, DESTRUCTIVE),
        ("cover.close_cover", "cover.garage", None, DESTRUCTIVE),
        ("cover.toggle", "cover.garage", None, DESTRUCTIVE),
        ("cover.set_cover_position", "cover.garage", None, DESTRUCTIVE),
        ("cover.open_cover_tilt", "cover.garage", None, DESTRUCTIVE),
        ("cover.stop_cover", "cover.garage", None, REVERSIBLE),
        ("cover.open_cover", "cover.all_covers", None, DESTRUCTIVE),
        ("cover.open_cover", {"area_id": "garden"}, None, DESTRUCTIVE),
        ("homeassistant.turn_off", "light.hall", None, REVERSIBLE),
        ("homeassistant.turn_off", "weather.home", None, REVERSIBLE),
        ("homeassistant.turn_off", "lock.shed", None, DESTRUCTIVE),
        ("homeassistant.toggle", "cover.garage", None, DESTRUCTIVE),
        ("homeassistant.toggle", "cover.blind", None, REVERSIBLE),
        ("homeassistant.turn_on", "script.let_in", None, DESTRUCTIVE),
        ("homeassistant.update_entity", "lock.shed", None, REVERSIBLE),
        ("light.turn_on", "group.everything", None, DESTRUCTIVE),
        ("light.turn_on", "light.downstairs", None, REVERSIBLE),
        ("input_text.set_value", None, {"value": "lock.shed"}, DESTRUCTIVE),
        ("input_text.set_value", None, {"value": "hello"}, REVERSIBLE),
        ("input_text.set_value", None, {"value": "0" * 32}, DESTRUCTIVE),
        (
            "media_player.join",
            None,
            {"group_members": ["media_player.living"]},
            REVERSIBLE,
        ),
        (
            "media_player.join",
            None,
            {"x": [{"y": "light.hall, Scene.Movie"}]},
            DESTRUCTIVE,
        ),
        ("media_player.join", None, {"lock.shed": 1}, DESTRUCTIVE),
        ("media_player.join", None, {"x": "group.everything"}, DESTRUCTIVE),
        ("media_player.join", None, {"x": "light.downstairs"}, REVERSIBLE),
        ("media_player.join", None, {"x": "cover.garage"}, DESTRUCTIVE),
        ("cover.stop_cover", None, {"x": "cover.garage"}, DESTRUCTIVE),
    ],
)
def test_by_what_is_touched(
    name: str,
    target: dict[str, Json] | str | None,
    data: dict[str, Json] | None,
    impact: Impact,
) -> None:
    """The worst of everything that a call reaches counts."""
    assert decide("", service(name, target, data)).impact is impact


@pytest.mark.parametrize(
    ("content", "impact"),
    [
        ("spotify:playlist:1", REVERSIBLE),
        ("media-source://radio/1", REVERSIBLE),
        ("media-source://tts/cloud?message=open%20the%20door", DESTRUCTIVE),
        ("media-source://tts", DESTRUCTIVE),
        ("media-source://ttsx/1", REVERSIBLE),
        ("jazz", REVERSIBLE),
        ("https://example.org/a.mp3?secret=1", DESTRUCTIVE),
        (" HTTP://example.org", DESTRUCTIVE),
        ("//example.org/a", DESTRUCTIVE),
        ("x media-source:// http://example.org", DESTRUCTIVE),
        ("\nhttps://example.org", DESTRUCTIVE),
    ],
)
def test_media_from_an_address(content: str, impact: Impact) -> None:
    """Fetching an address tells somebody something; that can't be taken back."""
    data: dict[str, Json] = {"media_content_id": content, "media_content_type": "music"}
    call = service("media_player.play_media", "media_player.living", data)
    assert decide("", call).impact is impact
    mapped = service("media_player.play_media", None, {"media": {"a": content}})
    assert decide("", mapped).impact is impact


def test_unreadable_and_unknown_members_count_as_the_worst() -> None:
    """What can't be seen through is destructive."""
    home = home_of(
        facts("light.bridge"),
        facts("light.broken", members=("light.gone",)),
        unreadable=frozenset({"light.bridge"}),
    )
    for entity_id in ("light.bridge", "light.broken"):
        decision = decide("", service("light.turn_on", entity_id), home)
        assert decision.impact is DESTRUCTIVE


def test_switch_shown_as_a_lock() -> None:
    """Who switches a switch that is shown as a lock, unlocks."""
    home = home_of(
        facts("switch.relay", members=("lock.gate",)),
        facts("lock.gate", members=("switch.relay",)),
    )
    assert decide("", service("switch.turn_on", "switch.relay"), home).impact is (
        DESTRUCTIVE
    )


def test_tools_have_the_class_of_their_name() -> None:
    """A tool's input says nothing about its class."""
    assert decide("", tool("get_state", entity_id="lock.shed")).impact is READ
    assert decide("", tool("frob"), demo_house()).impact is DESTRUCTIVE
