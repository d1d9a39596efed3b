"""The family starter: who may do what, in a house with children's rooms."""

from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.directory import Named, NameKind
from custom_components.caesar.policy.family import fill_family
from custom_components.caesar.policy.home import NoConditions
from custom_components.caesar.policy.loader import load_policy

from .house import facts, home_of, service

TEXT: Final = Path("custom_components/caesar/starters/family.yaml").read_text()
ROOMS: Final = ("nursery", "mia_s_room")
OTHERS: Final = ("kitchen", "living_room")
HOME: Final = home_of(
    facts("light.nursery", area_id="nursery"),
    facts("light.kitchen", area_id="kitchen"),
    facts("cover.nursery", area_id="nursery"),
    facts("media_player.nursery", area_id="nursery"),
    facts("lock.front", area_id="kitchen"),
    facts("climate.nursery", area_id="nursery"),
)


class Areas:
    """A directory of the rooms."""

    def find(self, kind: NameKind, word: str) -> tuple[Named, ...]:
        """Return the area of this id."""
        known = kind is NameKind.AREA and word in (*ROOMS, *OTHERS)
        return (Named(id=word, name=word),) if known else ()

    def names(self, kind: NameKind) -> tuple[str, ...]:
        """Return all names."""
        return (*ROOMS, *OTHERS)


load: Final = partial(load_policy, directory=Areas())


def voice(area: str | None) -> Caller:
    """Return somebody who speaks to a satellite."""
    return Caller(
        origin=Origin.VOICE,
        satellite_id="assist_satellite.x",
        device_id="d",
        area_id=area,
        agent_id="a",
        context_id="c",
    )


def user(**given: Any) -> Caller:
    """Return somebody who is logged in."""
    return Caller(
        origin=Origin.CHAT, user_id="u", agent_id="a", context_id="c", **given
    )


PARENT: Final = user(is_admin=True)
# A child who says to be in the kitchen is a child all the same.
CHILD: Final = user(area_id="kitchen", device_id="d", satellite_id="s")
CALLERS: Final = {
    "parent": PARENT,
    "child": CHILD,
    "nursery": voice("nursery"),
    "kitchen": voice("kitchen"),
    "nowhere": voice(None),
    "automation": Caller(origin=Origin.AUTOMATION, agent_id="a", context_id="c"),
}


@pytest.mark.parametrize(
    ("call", "verdicts"),
    [
        (service("light.turn_on", "light.nursery"), "allow allow allow allow allow"),
        (service("light.turn_on", "light.kitchen"), "allow deny deny allow deny"),
        (service("cover.open_cover", "cover.nursery"), "allow allow allow allow allow"),
        (service("lock.unlock", "lock.front"), "ask deny deny ask deny"),
        (
            service(
                "media_player.volume_set",
                "media_player.nursery",
                {"volume_level": 0.9},
            ),
            "allow deny deny allow deny",
        ),
        (
            service(
                "media_player.volume_set",
                "media_player.nursery",
                {"volume_level": 0.4},
            ),
            "allow allow allow allow allow",
        ),
        (
            service("climate.set_temperature", "climate.nursery", {"temperature": 21}),
            "allow deny deny allow deny",
        ),
        (
            service("homeassistant.turn_on", "light.kitchen"),
            "allow deny deny allow deny",
        ),
        (service("todo.get_items"), "allow allow allow allow allow"),
    ],
)
def test_who_may_do_what(call: Any, verdicts: str) -> None:
    """Parent, child, a satellite in a child's room, in the kitchen, and in no room."""
    policy = load(fill_family(TEXT, ROOMS, OTHERS))
    assert policy.lints == ()
    who = ("parent", "child", "nursery", "kitchen", "nowhere")
    found = [
        policy.evaluate(call, CALLERS[each], HOME, NoConditions()).verdict.value
        for each in who
    ]
    assert " ".join(found) == verdicts


def test_no_childrens_room_yet() -> None:
    """Their rules are remarks; every satellite is the family's, a child may nothing."""
    text = fill_family(TEXT, (), OTHERS)
    policy = load(text)
    assert policy.lints == ()
    assert "  # - {service: light.turn_on, target: {area_id: [childrens_room]}}" in text
    assert not any(each.id == "childrens_room" for each in policy.ids_named())
    light = service("light.turn_on", "light.nursery")
    for who, verdict in (("child", "deny"), ("nursery", "allow"), ("parent", "allow")):
        decision = policy.evaluate(light, CALLERS[who], HOME, NoConditions())
        assert decision.verdict.value == verdict, who


def test_only_childrens_rooms() -> None:
    """No satellite is known to be outside of one, so none has a grown-up's rights."""
    policy = load(fill_family(TEXT, ROOMS, ()))
    assert policy.lints == ()
    for who in ("nursery", "nowhere", "automation"):
        lock = service("lock.unlock", "lock.front")
        decision = policy.evaluate(lock, CALLERS[who], HOME, NoConditions())
        assert decision.verdict.value == "deny", who
