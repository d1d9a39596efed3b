"""What a call reaches: entities that stand for each other, and ids in its data."""

from typing import Any

import pytest

from custom_components.caesar.policy.call import ServiceCall
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.impact import Impact

from .house import decide, facts, home_of, service, verdict

ALLOW = (Verdict.ALLOW, "allowed")
OUTSIDE = (Verdict.DENY, "target_not_covered")
HOUSE = home_of(
    # Two switches that are shown as something else as well.
    facts("switch.opener", members=("lock.back", "light.opener")),
    facts("lock.back", members=("switch.opener",)),
    facts("light.opener", members=("switch.opener",)),
    facts("switch.pump", area_id="garden", members=("light.pump",)),
    facts("light.pump", area_id="garden", members=("switch.pump",)),
    facts("light.a", area_id="garden"),
    facts("light.far"),
    facts("light.garden", members=("light.a", "light.pump")),
    facts("light.mixed", area_id="garden", members=("light.a", "light.far")),
    facts("light.nest", members=("light.garden", "light.nest_2")),
    facts("light.nest_2", members=("light.nest", "light.a")),
    facts("light.loop", members=("light.loop_2",)),
    facts("light.loop_2", members=("light.loop",)),
    facts("lock.shed"),
    facts("camera.porch"),
)
RULE = "allowed_services: [{service: %s, approval: never, target: {%s}}]"


@pytest.mark.parametrize(
    ("rule", "call", "expected"),
    [
        # Standing for each other is no cover.
        (
            ("lock.unlock", "entity_id: lock.shed"),
            ("lock.unlock", "lock.back"),
            OUTSIDE,
        ),
        (
            ("switch.turn_on", "area_id: garden"),
            ("switch.turn_on", "switch.opener"),
            OUTSIDE,
        ),
        (
            ("light.turn_on", "area_id: garden"),
            ("light.turn_on", "light.opener"),
            OUTSIDE,
        ),
        (
            ("light.turn_on", "area_id: garden"),
            ("light.turn_on", "light.loop"),
            OUTSIDE,
        ),
        # What the rule selects is covered, whatever else it is shown as.
        (("light.turn_on", "area_id: garden"), ("light.turn_on", "light.pump"), ALLOW),
        (
            ("light.turn_on", "area_id: garden"),
            ("light.turn_on", "light.garden"),
            ALLOW,
        ),
        # A group is worth its members, to the end.
        (
            ("light.turn_on", "area_id: garden"),
            ("light.turn_on", "light.mixed"),
            OUTSIDE,
        ),
        (
            ("light.turn_on", "entity_id: light.mixed"),
            ("light.turn_on", "light.mixed"),
            ALLOW,
        ),
        (("lock.unlock", "entity_id: lock.back"), ("lock.unlock", "lock.back"), ALLOW),
        # Two groups that hold each other are no cover either.
        (
            ("light.turn_on", "area_id: garden"),
            ("light.turn_on", "light.nest"),
            OUTSIDE,
        ),
        (
            ("light.turn_on", "entity_id: light.nest_2, area_id: garden"),
            ("light.turn_on", "light.nest"),
            ALLOW,
        ),
    ],
)
def test_cover(
    rule: tuple[str, str], call: tuple[str, str], expected: tuple[Verdict, str]
) -> None:
    """A rule covers what it names or selects, and groups of that."""
    assert verdict(RULE % rule, service(*call), HOUSE) == expected


def test_the_end_that_is_outside_is_named() -> None:
    """The reason names the member that is outside, or the pair that has no end."""
    rule = RULE % ("light.turn_on", "area_id: garden")
    mixed = decide(rule, service("light.turn_on", "light.mixed"), HOUSE)
    assert mixed.reason.values["entities"] == "light.far"
    pair = decide(rule, service("light.turn_on", "light.loop"), HOUSE)
    assert pair.reason.values["entities"] == "light.loop, light.loop_2"


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ({"x": "light.a"}, ("light.a",)),
        ({"x": " LIGHT.A , lock.shed"}, ("light.a", "lock.shed")),
        ({"x": {"y": [{"light.a": 1}, ["lock.shed"]]}}, ("light.a", "lock.shed")),
        ({"x": "media-source://camera/camera.porch"}, ("camera.porch",)),
        ({"x": "Media-Source://camera/CAMERA%2Eporch?x=1"}, ("camera.porch",)),
        ({"x": "http://host/?a=light.a&b=lock%2eshed"}, ("light.a", "lock.shed")),
        # Words that people say are no ids.
        ({"x": "turn light.a on"}, ()),
        ({"x": "light.gone", "y": 1, "z": None}, ()),
    ],
)
def test_ids_in_the_data_are_named(
    data: dict[str, Any], named: tuple[str, ...]
) -> None:
    """Whatever field or address they stand in."""
    call = ServiceCall(domain="media_player", service="play_media", data=data)
    decision = decide("allowed_services: [media_player.play_media]", call, HOUSE)
    assert decision.named_in_data == named
    if {"camera.porch", "lock.shed"} & set(named):
        assert decision.impact is Impact.DESTRUCTIVE
