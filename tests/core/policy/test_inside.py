"""Scenes, scripts and automations are as bad as what they do."""

from typing import Any

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.actions import Contents
from custom_components.caesar.policy.call import ServiceCall
from custom_components.caesar.policy.home import EntityFacts, StaticHome
from custom_components.caesar.policy.impact import Impact

from .house import decide, facts, home_of, service

REVERSIBLE, DESTRUCTIVE = Impact.REVERSIBLE, Impact.DESTRUCTIVE
LOCKED, NEVER = Impact.LOCKED, Impact.NEVER


def act(name: str, target: Any = None, **data: Json) -> ServiceCall:
    """Return one call of a script."""
    if isinstance(target, list):
        target = {"entity_id": target}
    made = service(name, target, data)
    assert isinstance(made, ServiceCall)
    return made


def holder(entity_id: str, *acts: ServiceCall, **more: Any) -> EntityFacts:
    """Return a script or automation that makes these calls."""
    whole = more.pop("whole", True)
    inside = Contents(acts=acts, whole=whole, fingerprint=more.pop("print", entity_id))
    return facts(entity_id, contents=inside, **more)


def scene(entity_id: str, entities: Json) -> EntityFacts:
    """Return a scene of Home Assistant's own."""
    return holder(entity_id, act("scene.apply", None, entities=entities))


def _chain(length: int, last: ServiceCall) -> list[EntityFacts]:
    """Return scripts that start each other, down to this call."""
    links = [
        holder(f"script.link_{number}", act(f"script.link_{number + 1}"))
        for number in range(length)
    ]
    return [*links, holder(f"script.link_{length}", last)]


LIGHT_ON = act("light.turn_on", "light.hall")
UNLOCK = act("lock.unlock", "lock.front")
THINGS = (
    facts("light.hall", area_id="hall"),
    facts("light.hidden", area_id="hall", exposed=False),
    facts("light.bridge"),
    facts("lock.front", area_id="hall"),
    facts("cover.garage", device_class="garage"),
    facts("cover.blind"),
    facts("media_player.tv"),
    facts("input_boolean.away"),
    facts("group.mixed", members=("light.hall", "lock.front")),
    facts("group.lights", members=("light.hall", "light.hidden")),
    facts("group.scenes", members=("scene.welcome",)),
    scene("scene.movie", {"light.hall": "off", "cover.blind": {"state": "closed"}}),
    scene("scene.welcome", {"light.hall": "on", "lock.front": "unlocked"}),
    scene("scene.garage", {"cover.garage": {"state": "closed"}}),
    scene("scene.gone", {"light.gone": "on"}),
    scene("scene.group", {"group.mixed": "on"}),
    scene("scene.bridge", {"light.bridge": "on"}),
    scene("scene.disarms", {"automation.alarm": "off"}),
    scene("scene.starts", {"script.approves": "on"}),
    scene("scene.none", {}),
    scene("scene.tunes", {"media_player.tv": {"media_content_id": "jazz"}}),
    scene("scene.tells", {"media_player.tv": {"media_content_id": "http://x/?a"}}),
    scene("scene.shows", {"media_player.tv": {"entity_picture": "http://x/p.png"}}),
    facts("scene.of_a_bridge"),
    holder("script.dim", LIGHT_ON),
    holder("script.idle"),
    holder("script.unlock", LIGHT_ON, UNLOCK),
    holder("script.partly", LIGHT_ON, whole=False),
    holder("script.in_area", act("light.turn_off", {"area_id": "hall"})),
    holder("script.all_in_area", act("homeassistant.turn_off", {"area_id": "hall"})),
    holder("script.in_no_area", act("light.turn_off", {"area_id": "nowhere"})),
    holder("script.everything", act("light.turn_off", "all")),
    holder("script.other", act("light.turn_off", "light.gone")),
    holder("script.lights", act("light.turn_off", "group.lights")),
    holder("script.grouped", act("light.turn_off", "group.mixed")),
    holder("script.by_scene", act("scene.turn_on", "scene.movie")),
    holder("script.by_bad_scene", act("scene.turn_on", "scene.welcome")),
    holder("script.by_generic", act("homeassistant.turn_on", "scene.welcome")),
    holder("script.by_script", act("script.dim")),
    holder("script.by_turn_on", act("script.turn_on", "script.unlock")),
    holder("script.by_bad_script", act("script.unlock")),
    holder("script.by_lost_script", act("script.lost")),
    holder("script.reads", act("weather.get_forecasts", "light.hall")),
    holder("script.tells", act("notify.phone", None, message="hello")),
    holder("script.garage", act("cover.close_cover", "cover.garage")),
    holder("script.stops", act("cover.stop_cover", "cover.garage")),
    holder("script.template", act("light.turn_on", "light.hall", x="{{ 1 }}")),
    holder("script.shell", act("shell_command.x")),
    holder("script.shell_partly", act("shell_command.x"), whole=False),
    holder("script.approves", act("caesar.approve", None, approval_id="x")),
    holder("script.approves_partly", act("caesar.approve"), whole=False),
    holder("script.asks", act("conversation.process", None, text="unlock")),
    holder("script.beside", act("script.turn_on", ["script.gone", "script.ends"])),
    holder("script.ends", act("homeassistant.restart")),
    holder("script.deep_end", act("script.turn_on", "script.ends")),
    holder("script.itself", LIGHT_ON, act("script.turn_on", "script.itself")),
    holder("script.a", act("script.b")),
    holder("script.b", act("script.a")),
    holder("script.twice", act("script.dim"), act("script.dim")),
    holder("script.long", *[LIGHT_ON] * 400),
    holder("script.switches", act("automation.turn_off", "automation.alarm")),
    holder("script.triggers", act("automation.trigger", "automation.unlocks")),
    *_chain(5, LIGHT_ON),
    holder("switch.harmless", LIGHT_ON),
    holder("switch.opener", LIGHT_ON, UNLOCK),
    holder("switch.unknown", whole=False),
    holder("switch.itself", act("switch.turn_on", "switch.itself")),
    scene("scene.opener", {"switch.opener": "on"}),
    holder("script.opener", act("switch.toggle", "switch.opener")),
    holder("automation.dims", LIGHT_ON),
    holder("automation.unlocks", UNLOCK),
    holder("automation.alarm", LIGHT_ON),
    facts("script.broken"),
)
HOUSE = home_of(*THINGS, unreadable=frozenset({"light.bridge", "scene.of_a_bridge"}))


def impact_in(home: StaticHome, name: str, target: Any = None, **data: Json) -> Impact:
    """Return the class of a call in a house."""
    return decide("", service(name, target, data), home).impact


@pytest.mark.parametrize(
    ("entity_id", "impact"),
    [
        ("scene.movie", REVERSIBLE),
        ("scene.welcome", DESTRUCTIVE),
        ("scene.garage", DESTRUCTIVE),
        ("scene.gone", DESTRUCTIVE),
        ("scene.group", DESTRUCTIVE),
        ("scene.bridge", DESTRUCTIVE),
        ("scene.disarms", DESTRUCTIVE),
        ("scene.starts", NEVER),
        ("scene.none", DESTRUCTIVE),
        ("scene.tunes", REVERSIBLE),
        ("scene.tells", DESTRUCTIVE),
        ("scene.shows", REVERSIBLE),
        ("scene.of_a_bridge", DESTRUCTIVE),
        ("script.dim", REVERSIBLE),
        ("script.idle", REVERSIBLE),
        ("script.unlock", DESTRUCTIVE),
        ("script.partly", DESTRUCTIVE),
        ("script.in_area", REVERSIBLE),
        ("script.all_in_area", DESTRUCTIVE),
        ("script.in_no_area", REVERSIBLE),
        ("script.everything", DESTRUCTIVE),
        ("script.other", DESTRUCTIVE),
        ("script.lights", REVERSIBLE),
        ("script.grouped", DESTRUCTIVE),
        ("script.by_scene", REVERSIBLE),
        ("script.by_bad_scene", DESTRUCTIVE),
        ("script.by_generic", DESTRUCTIVE),
        ("script.by_script", REVERSIBLE),
        ("script.by_turn_on", DESTRUCTIVE),
        ("script.by_bad_script", DESTRUCTIVE),
        ("script.by_lost_script", DESTRUCTIVE),
        ("script.reads", REVERSIBLE),
        ("script.tells", DESTRUCTIVE),
        ("script.garage", DESTRUCTIVE),
        ("script.stops", REVERSIBLE),
        ("script.template", DESTRUCTIVE),
        ("script.shell", LOCKED),
        ("script.shell_partly", LOCKED),
        ("script.approves", NEVER),
        ("script.approves_partly", NEVER),
        ("script.asks", NEVER),
        ("script.ends", NEVER),
        ("script.deep_end", NEVER),
        ("script.beside", NEVER),
        ("script.itself", DESTRUCTIVE),
        ("script.a", DESTRUCTIVE),
        ("script.twice", REVERSIBLE),
        ("script.long", DESTRUCTIVE),
        ("script.switches", DESTRUCTIVE),
        ("script.triggers", DESTRUCTIVE),
        ("script.link_0", REVERSIBLE),
        ("script.broken", DESTRUCTIVE),
    ],
)
def test_by_what_is_inside(entity_id: str, impact: Impact) -> None:
    """By its own domain's service, by the generic one, and by its own name."""
    domain = entity_id.partition(".")[0]
    ways: list[tuple[str, str | None]] = [
        (f"{domain}.turn_on", entity_id),
        ("homeassistant.turn_on", entity_id),
    ]
    if domain == "script":
        ways += [
            ("script.turn_off", entity_id),
            ("script.toggle", entity_id),
            (entity_id, None),
        ]
    for way in ways:
        assert impact_in(HOUSE, *way) is impact, way


@pytest.mark.parametrize(
    ("name", "target", "impact"),
    [
        ("automation.trigger", "automation.dims", REVERSIBLE),
        ("automation.trigger", "automation.unlocks", DESTRUCTIVE),
        ("automation.trigger", "light.hall", DESTRUCTIVE),
        ("automation.turn_on", "automation.dims", DESTRUCTIVE),
        ("automation.turn_off", "automation.dims", DESTRUCTIVE),
        ("automation.toggle", "automation.dims", DESTRUCTIVE),
        ("homeassistant.turn_on", "automation.dims", DESTRUCTIVE),
        ("homeassistant.toggle", "automation.dims", DESTRUCTIVE),
        ("homeassistant.turn_on", "group.scenes", DESTRUCTIVE),
        ("light.turn_on", "scene.movie", DESTRUCTIVE),
        ("scene.turn_on", None, DESTRUCTIVE),
        ("scene.turn_on", "light.hall", DESTRUCTIVE),
        ("scene.delete", "scene.movie", DESTRUCTIVE),
        ("scene.reload", None, DESTRUCTIVE),
        ("script.reload", None, DESTRUCTIVE),
        ("script.turn_on", None, DESTRUCTIVE),
        ("script.nobody", None, DESTRUCTIVE),
    ],
)
def test_other_ways(name: str, target: str | None, impact: Impact) -> None:
    """Automations may be triggered; switching them changes what happens later."""
    assert impact_in(HOUSE, name, target) is impact


@pytest.mark.parametrize(
    ("name", "target", "impact"),
    [
        ("switch.turn_on", "switch.harmless", REVERSIBLE),
        ("switch.turn_off", "switch.opener", DESTRUCTIVE),
        ("switch.toggle", "switch.unknown", DESTRUCTIVE),
        ("switch.turn_on", "switch.itself", DESTRUCTIVE),
        ("homeassistant.turn_on", "switch.opener", DESTRUCTIVE),
        ("homeassistant.update_entity", "switch.opener", REVERSIBLE),
        ("weather.get_forecasts", "switch.opener", Impact.READ),
        ("light.turn_on", "switch.opener", DESTRUCTIVE),
        ("scene.turn_on", "scene.opener", DESTRUCTIVE),
        ("script.opener", None, DESTRUCTIVE),
    ],
)
def test_a_helper_made_of_scripts(
    name: str, target: str | None, impact: Impact
) -> None:
    """Any service on it may run any of its actions."""
    assert impact_in(HOUSE, name, target) is impact


def test_a_helper_named_in_the_data() -> None:
    """It may be run by whatever service knows what to do with the id."""
    data: Json = ["switch.opener"]
    assert impact_in(HOUSE, "media_player.join", None, x=data) is DESTRUCTIVE
    assert impact_in(HOUSE, "media_player.join", None, x="switch.harmless") is (
        REVERSIBLE
    )


@pytest.mark.parametrize(
    ("entities", "impact"),
    [
        ({"light.hall": "on"}, REVERSIBLE),
        ({" Light.Hall ": {"state": "on", "brightness": 9}}, REVERSIBLE),
        ({"light.hall": "on", "lock.front": "unlocked"}, DESTRUCTIVE),
        ({"LOCK.front": {"state": "unlocked"}}, DESTRUCTIVE),
        ({"lock.gone": "unlocked"}, DESTRUCTIVE),
        ({"cover.blind": "open"}, REVERSIBLE),
        ({"cover.garage": "open"}, DESTRUCTIVE),
        ({"group.mixed": "off"}, DESTRUCTIVE),
        ({"group.lights": "off"}, REVERSIBLE),
        ({"light.bridge": "on"}, DESTRUCTIVE),
        ({"automation.dims": "on"}, DESTRUCTIVE),
        ({"script.dim": "on"}, REVERSIBLE),
        ({"script.unlock": "on"}, DESTRUCTIVE),
        ({"script.shell": "on"}, LOCKED),
        ({"script.ends": "on"}, NEVER),
        ({"media_player.tv": {"x": {"media_content_id": "https://x/y"}}}, DESTRUCTIVE),
        ({}, DESTRUCTIVE),
        ([], DESTRUCTIVE),
        ("light.hall", DESTRUCTIVE),
        (None, DESTRUCTIVE),
    ],
)
def test_a_scene_in_the_data(entities: Json, impact: Impact) -> None:
    """Applied at once: as bad as what it sets. Kept for later: destructive."""
    assert impact_in(HOUSE, "scene.apply", None, entities=entities) is impact
    assert impact_in(HOUSE, "scene.create", None, entities=entities) is DESTRUCTIVE


def test_too_deep_is_not_looked_into() -> None:
    """Eight scripts down is as far as anybody looks."""
    deep = home_of(*THINGS, *_chain(12, LIGHT_ON))
    assert impact_in(deep, "script.link_0") is DESTRUCTIVE
    assert impact_in(deep, "script.link_6") is REVERSIBLE


def test_what_is_inside_is_touched() -> None:
    """Shared or not, named one by one or behind an area."""
    decision = decide("", service("script.turn_on", "script.by_scene"), HOUSE)
    assert decision.pinned == ("script.by_scene",)
    assert decision.touched == (
        "cover.blind",
        "light.hall",
        "scene.movie",
        "script.by_scene",
    )
    area = decide("", service("script.in_area"), HOUSE)
    assert area.touched == ("light.hall", "light.hidden", "script.in_area")
    # Its own service names it, so sharing is asked of it.
    assert area.named_in_data == ("script.in_area",)
    assert area.pinned == ()
