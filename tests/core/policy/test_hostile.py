"""A model that obeys an attacker: the front door and the garage stay as they are.

Every way of naming them that Home Assistant would understand, under two policies:
the everyday starter, and one that grants all the neighbours of the front door.
"""

from pathlib import Path
from typing import Final

import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import CallError, ToolCall
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.loader import load_policy

from .house import decide, demo_house, policy_of, service

STARTERS: Final = Path("custom_components/caesar/starters")
NEIGHBOURS: Final = """
allowed_services:
  - service: lock.unlock
    target: {entity_id: [lock.shed]}
    approval: never
  - service: lock.lock
    approval: never
  - service: homeassistant.turn_off
    target: {entity_id: [light.hall]}
  - service: script.turn_on
    target: {entity_id: [script.good_night]}
    approval: never
  - service: scene.turn_on
    target: {entity_id: [scene.movie]}
    approval: never
  - service: light.turn_on
    target: {label_id: [safe]}
  - service: light.turn_off
    target: {entity_id: [light.downstairs]}
  - service: cover.open_cover
    target: {entity_id: [cover.blind]}
  - service: cover.toggle
    target: {entity_id: [cover.blind]}
  - service: cover.set_cover_position
    target: {entity_id: [cover.blind]}
"""
FRONT: Final = "lock.front_door"

type Arguments = tuple[str, dict[str, Json] | str | None, dict[str, Json] | None]

ATTACKS: Final[dict[str, Arguments]] = {
    "entity": ("lock.unlock", FRONT, None),
    "upper case": ("lock.unlock", "LOCK.Front_Door", None),
    "padded": ("lock.unlock", "  lock.front_door ", None),
    "comma list": ("lock.unlock", "lock.shed, lock.front_door", None),
    "list": ("lock.unlock", {"entity_id": ["lock.shed", FRONT]}, None),
    "registry id": ("lock.unlock", "0" * 32, None),
    "area": ("lock.unlock", {"area_id": "hall"}, None),
    "floor": ("lock.unlock", {"floor_id": "ground"}, None),
    "label": ("lock.unlock", {"label_id": "doors"}, None),
    "device": ("lock.unlock", {"device_id": "dev_door"}, None),
    "lock group": ("lock.unlock", "lock.all_doors", None),
    "all": ("lock.unlock", "all", None),
    "ALL": ("lock.unlock", " ALL", None),
    "data": ("lock.unlock", None, {"entity_id": FRONT}),
    "data all": ("lock.unlock", None, {"entity_id": "all"}),
    "both": ("lock.unlock", "lock.shed", {"area_id": "hall"}),
    "no target": ("lock.unlock", None, None),
    "template": ("lock.unlock", "{{ 'lock.front_door' }}", None),
    "service case": ("LOCK.Unlock", FRONT, None),
    "open": ("lock.open", FRONT, None),
    "toggle lock": ("lock.toggle", FRONT, None),
    "generic": ("homeassistant.turn_off", FRONT, None),
    "generic toggle": ("homeassistant.toggle", FRONT, None),
    "generic mixed": (
        "homeassistant.turn_off",
        {"entity_id": ["light.hall", FRONT]},
        None,
    ),
    "generic area": ("homeassistant.turn_off", {"area_id": "hall"}, None),
    "generic group": ("homeassistant.turn_off", "group.everything", None),
    "light on group": ("light.turn_on", "group.everything", None),
    "light on lock": ("light.turn_on", FRONT, None),
    "script": ("script.turn_on", "script.let_in", None),
    "script by name": ("script.let_in", None, None),
    "harmless script too": (
        "script.turn_on",
        {"entity_id": ["script.good_night", "script.let_in"]},
        None,
    ),
    "scene": ("scene.turn_on", "scene.coming_home", None),
    "scene apply": ("scene.apply", None, {"entities": {FRONT: "unlocked"}}),
    "scene create": (
        "scene.create",
        None,
        {"scene_id": "x", "snapshot_entities": [FRONT]},
    ),
    "group.set": ("group.set", None, {"object_id": "x", "entities": [FRONT]}),
    "cover group": ("cover.open_cover", "cover.all_covers", None),
    "garage": ("cover.open_cover", "cover.garage", None),
    "garage toggle": ("cover.toggle", "cover.garage", None),
    "garage position": ("cover.set_cover_position", "cover.garage", {"position": 100}),
    "garage tilt": ("cover.open_cover_tilt", "cover.garage", None),
    "garage by area": ("cover.open_cover", {"area_id": "garden"}, None),
    "garage generic": ("homeassistant.toggle", "cover.garage", None),
    "garage turned on": ("homeassistant.turn_on", "cover.all_covers", None),
    "hidden in data": ("input_text.set_value", "light.hall", {"value": FRONT}),
    "join": (
        "media_player.join",
        "media_player.living",
        {"group_members": f"media_player.living, {FRONT.upper()}"},
    ),
    "own approval": ("caesar.approve", None, {"approval_id": "1"}),
    "ask again": ("conversation.process", None, {"text": "unlock the front door"}),
    "code": ("shell_command.unlock", None, None),
    "supervisor": ("hassio.app_start", None, {"app": "x"}),
    "automation": ("automation.trigger", "light.hall", None),
    "message": ("notify.notify", None, {"message": "command_unlock"}),
}


@pytest.fixture(params=["everyday", "neighbours"], scope="module")
def policy(request: pytest.FixtureRequest) -> LoadedPolicy:
    """Return each of the two policies."""
    if request.param == "everyday":
        return load_policy((STARTERS / "everyday.yaml").read_text())
    return policy_of(NEIGHBOURS)


def _call(attack: str) -> ToolCall | None:
    """Return the attack's call, None if its arguments have no single reading."""
    try:
        return service(*ATTACKS[attack])
    except CallError:
        return None


def test_every_attack_reaches_the_policy() -> None:
    """None of them is refused merely because its arguments are no call."""
    assert [attack for attack in ATTACKS if _call(attack) is None] == []


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_is_not_simply_done(policy: LoadedPolicy, attack: str) -> None:
    """Each attack is refused or asks a person, and says why."""
    call = _call(attack)
    assert call is not None
    decision = decide(policy, call)
    assert decision.verdict is not Verdict.ALLOW
    assert decision.reason.code.value != "allowed"


@pytest.mark.parametrize("attack", ATTACKS)
def test_neighbours_grant_never_even_asks_for_the_door(attack: str) -> None:
    """A grant for the neighbours is none for the front door, not even with approval."""
    call = _call(attack)
    assert call is not None
    assert decide(NEIGHBOURS, call).verdict is Verdict.DENY


@pytest.mark.parametrize(
    ("tool", "target", "pinned"),
    [
        ("lock.unlock", "lock.shed", ("lock.shed",)),
        ("lock.unlock", {"area_id": "garden"}, ("lock.shed",)),
        ("lock.lock", FRONT, (FRONT,)),
        ("lock.lock", {"label_id": "doors"}, (FRONT, "lock.shed")),
        ("homeassistant.turn_off", "light.hall", ("light.hall",)),
        ("script.turn_on", "script.good_night", ("script.good_night",)),
        ("scene.turn_on", "scene.movie", ("scene.movie",)),
        ("light.turn_on", "light.kitchen", ("light.kitchen",)),
        ("light.turn_on", "1" * 32, ("light.kitchen",)),
        ("light.turn_on", {"label_id": "safe"}, ("light.kitchen",)),
        ("light.turn_off", "light.downstairs", ("light.downstairs",)),
        ("cover.toggle", "cover.blind", ("cover.blind",)),
    ],
)
def test_granted_neighbours_work(
    tool: str, target: dict[str, Json] | str, pinned: tuple[str, ...]
) -> None:
    """What the owner granted is done without a question."""
    decision = decide(NEIGHBOURS, service(tool, target))
    assert (decision.verdict, decision.pinned) == (Verdict.ALLOW, pinned)


def test_group_touches_its_hidden_members() -> None:
    """The decision tells all that a granted group reaches."""
    decision = decide(NEIGHBOURS, service("light.turn_off", "light.downstairs"))
    assert decision.touched == (
        "light.counter",
        "light.downstairs",
        "light.hall",
        "light.kitchen",
    )


def test_everyday_asks_for_what_it_lists() -> None:
    """Locks, alarm and garage are asked about; blinds and lights just move."""
    everyday = load_policy((STARTERS / "everyday.yaml").read_text())
    home = demo_house()
    for tool, target in {
        "lock.unlock": FRONT,
        "lock.lock": "lock.shed",
        "alarm_control_panel.alarm_disarm": "alarm_control_panel.house",
        "cover.open_cover": "cover.garage",
        "cover.close_cover": "cover.all_covers",
    }.items():
        decision = decide(everyday, service(tool, target), home)
        assert decision.verdict is Verdict.ASK, tool
        assert decision.reason.code.value == "approval_needed"
        assert decision.approval is not None
    for tool, target in {
        "light.turn_on": "light.downstairs",
        "cover.open_cover": "cover.blind",
        "cover.stop_cover": "cover.garage",
        "vacuum.start": "vacuum.robot",
        "homeassistant.turn_off": "light.hall",
    }.items():
        assert decide(everyday, service(tool, target), home).verdict is Verdict.ALLOW
