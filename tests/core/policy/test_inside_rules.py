"""What follows from what is inside: approvals, rules, patterns, counts, reads."""

from dataclasses import replace

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import ToolCall, tool_id
from custom_components.caesar.policy.decision import Verdict, decision_digest
from custom_components.caesar.policy.home import EntityFacts
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code

from .house import decide, facts, service
from .test_inside import HOUSE, LIGHT_ON, holder

DESTRUCTIVE = Impact.DESTRUCTIVE


def _digests(call: ToolCall, changed: EntityFacts) -> tuple[str, str]:
    """Return what an approval binds, before and after a change of the house."""
    known = {**HOUSE.facts, changed.entity_id: changed}
    return (
        decision_digest(decide("", call, HOUSE)),
        decision_digest(decide("", call, replace(HOUSE, facts=known))),
    )


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        (service("script.dim"), holder("script.dim", LIGHT_ON, print="edited")),
        (service("script.by_script"), holder("script.dim", LIGHT_ON, print="edited")),
        (
            service("script.turn_on", "script.partly"),
            holder("script.partly", LIGHT_ON, whole=False, print="edited"),
        ),
        (service("script.in_area"), facts("light.far", area_id="hall")),
        (service("script.lights"), facts("group.lights", members=("light.hall",))),
        (
            service("scene.apply", None, {"entities": {"group.lights": "on"}}),
            facts("group.lights", members=("light.hall",)),
        ),
        (
            service("scene.turn_on", "scene.movie"),
            holder("scene.movie", LIGHT_ON, print="edited"),
        ),
    ],
)
def test_an_edit_is_asked_about_again(call: ToolCall, changed: EntityFacts) -> None:
    """What was approved is what stood inside, and what it reached."""
    before, after = _digests(call, changed)
    assert before != after


def test_other_edits_change_nothing() -> None:
    """A script that the call doesn't start, and a light that it doesn't reach."""
    call = service("script.turn_on", "script.dim")
    for changed in (
        holder("script.unlock", LIGHT_ON, print="edited"),
        facts("light.far", area_id="hall"),
    ):
        before, after = _digests(call, changed)
        assert before == after
    assert decide("", service("light.turn_on", "light.hall"), HOUSE).content == ""


def test_never_and_locked_hold_inside_too() -> None:
    """No rule grants a script that approves; one that runs code is asked about."""
    rule = "allowed_services: [{service: script.turn_on, approval: never}]"
    for name in ("approves", "approves_partly", "asks", "deep_end"):
        call = service("script.turn_on", f"script.{name}")
        decision = decide(rule, call, HOUSE)
        assert decision.verdict is Verdict.DENY, name
        assert decision.reason.values["why"] == "never"
    shell = decide(rule, service("script.turn_on", "script.shell"), HOUSE)
    assert shell.verdict is Verdict.ASK
    dim = decide(rule, service("script.turn_on", "script.dim"), HOUSE)
    assert dim.verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("rule", "call", "verdict"),
    [
        ("scene.turn_on", service("scene.turn_on", "scene.movie"), Verdict.ALLOW),
        ("scene.turn_on", service("scene.turn_on", "scene.welcome"), Verdict.ASK),
        ("script.dim", service("script.dim"), Verdict.ALLOW),
        ("script.unlock", service("script.unlock"), Verdict.ASK),
    ],
)
def test_a_grant_asks_where_it_must(
    rule: str, call: ToolCall, verdict: Verdict
) -> None:
    """A bare rule lets the harmless one through and asks about the other."""
    assert decide(f"allowed_services: [{rule}]", call, HOUSE).verdict is verdict


DENIES = """
bot: {tool_policy: {deny: ["lock.*"]}}
allowed_services: [%s]
"""


@pytest.mark.parametrize(
    ("call", "denied"),
    [
        (service("script.unlock"), True),
        (service("script.turn_on", "script.by_bad_script"), True),
        (service("script.turn_on", "script.in_area"), False),
        (service("script.dim"), False),
        (service("scene.turn_on", "scene.welcome"), True),
        (service("script.by_generic"), True),
        (service("script.all_in_area"), True),
        (service("scene.apply", None, {"entities": {"lock.front": "x"}}), True),
        (service("scene.apply", None, {"entities": {"light.hall": "on"}}), False),
        (service("automation.trigger", "automation.unlocks"), True),
    ],
)
def test_what_a_pattern_denies_is_denied_inside_too(
    call: ToolCall, denied: bool
) -> None:
    """A script is no way round the owner's `deny`."""
    decision = decide(DENIES % tool_id(call), call, HOUSE)
    assert (decision.verdict is Verdict.DENY) is denied
    if denied:
        assert decision.reason.values["why"] == "deny"


def test_a_class_of_the_owner_lowers_nothing_that_is_inside() -> None:
    """`impact` is about what a name tells, and these names tell nothing."""
    for name, target in (
        ("scene.turn_on", "scene.welcome"),
        ("script.unlock", None),
        ("automation.trigger", "automation.unlocks"),
    ):
        lowered = f"impact: {{reversible: [{name}]}}\nallowed_services: [{name}]"
        assert decide(lowered, service(name, target), HOUSE).impact is DESTRUCTIVE
    raised = "impact: {destructive: [script.dim]}\nallowed_services: [script.dim]"
    assert decide(raised, service("script.dim"), HOUSE).impact is DESTRUCTIVE


def test_the_entities_inside_are_counted() -> None:
    """`max_entities` is about what is touched, and asks if that isn't known."""
    rule = "allowed_services: [{service: %s, approval: never, max_entities: 1}]"
    for name, verdict in (
        ("scene.turn_on", Verdict.ASK),
        ("script.dim", Verdict.ALLOW),
        ("script.partly", Verdict.ASK),
        ("script.long", Verdict.ASK),
        ("script.other", Verdict.ASK),
    ):
        target = "scene.movie" if name == "scene.turn_on" else None
        decision = decide(rule % name, service(name, target), HOUSE)
        assert decision.verdict is verdict, name
        if verdict is Verdict.ASK:
            assert decision.reason.code is Code.TOO_MANY_ENTITIES, name


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("recorder.get_statistics", {"statistic_ids": ["light.hall"]}, "allowed"),
        (
            "recorder.get_statistics",
            {"statistic_ids": ["light.hall", "energy:bill"]},
            "invalid_input",
        ),
        (
            "recorder.get_statistics",
            {"statistic_ids": "light.hall, sensor.gone"},
            "invalid_input",
        ),
        ("media_player.browse_media", {}, "allowed"),
        ("media_player.browse_media", {"media_content_id": "library"}, "allowed"),
        (
            "media_player.browse_media",
            {"media_content_id": "media-source://radio_browser/country/DE"},
            "allowed",
        ),
        (
            "media_player.browse_media",
            {"media_content_id": "media-source://camera"},
            "invalid_input",
        ),
        (
            "media_player.browse_media",
            {"media_content_id": "Media-Source://camera/x"},
            "invalid_input",
        ),
        (
            "media_player.search_media",
            {"x": {"y": ["media-source://media_source/local"]}},
            "invalid_input",
        ),
        (
            "media_player.browse_media",
            {"media_content_id": "media-source://camera/light.hall"},
            "allowed",
        ),
    ],
)
def test_reads_stay_within_entities(
    name: str, data: dict[str, Json], code: str
) -> None:
    """What is listed belongs to an entity, whose sharing is asked about."""
    assert decide("", service(name, None, data), HOUSE).reason.code.value == code
