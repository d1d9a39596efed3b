"""What is kept of a house is never kept beyond its state, nor for another call."""

from dataclasses import dataclass, replace
import json
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.policy.call import ServiceCall, Target
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.finding import MOST_KEPT
from custom_components.caesar.policy.home import EntityFacts, Expansion, StaticHome

from .house import demo_house, facts, home_of, service
from .people import ADULT, BOY, CALLERS, FakeConditions, ask, load, word

RULE: Final = (
    "allowed_services: [{service: light.turn_on, target: {area_id: kitchen}},"
    " {service: light.turn_on, for: {user: Boy}}]"
)
LIGHT: Final = service("light.turn_on", "light.hall")


@dataclass
class ChangingHome:
    """A house that changes, and says so by its revision."""

    now: StaticHome
    revision: int = 0
    looks: int = 0

    def entity(self, entity_id: str) -> EntityFacts | None:
        """Look an entity up."""
        self.looks += 1
        return self.now.entity(entity_id)

    def expand(self, target: Target) -> Expansion:
        """Resolve a target."""
        self.looks += 1
        return self.now.expand(target)

    def script(self, name: str) -> EntityFacts | None:
        """Look a script up."""
        return self.now.script(name)


def test_a_change_of_the_house_is_seen_at_once() -> None:
    """A light that moves into the kitchen is covered, one that leaves it isn't."""
    policy = load(RULE)
    inside = home_of(facts("light.hall", area_id="kitchen"))
    outside = home_of(facts("light.hall", area_id="hall"))
    home = ChangingHome(now=inside)
    for revision in range(1, 5):
        expected = "allow" if home.now is inside else "caller_not_covered"
        assert word(ask(policy, LIGHT, ADULT, home=home)) == expected
        assert word(ask(policy, LIGHT, ADULT, home=home)) == expected
        home.now = outside if home.now is inside else inside
        home.revision = revision


def test_another_house_is_another_house() -> None:
    """Even if its revision is the same."""
    policy = load(RULE)
    for area, expected in (("kitchen", "allow"), ("hall", "caller_not_covered")) * 2:
        home = home_of(facts("light.hall", area_id=area))
        assert word(ask(policy, LIGHT, ADULT, home=home)) == expected


def test_the_caller_is_not_kept() -> None:
    """Who asks is looked at every time."""
    policy, home = load(RULE), demo_house()
    for caller, expected in ((BOY, "allow"), (ADULT, "caller_not_covered")) * 2:
        assert word(ask(policy, LIGHT, caller, home=home)) == expected


def test_an_unchanged_house_is_not_looked_at_again() -> None:
    """That is what makes it quick."""
    policy, home = load(RULE), ChangingHome(now=demo_house())
    call = service("light.turn_on", {"area_id": "kitchen"}, {"brightness_pct": 5})
    ask(policy, call, home=home)
    looked = home.looks
    again = service("light.turn_on", {"area_id": "kitchen"}, {"brightness_pct": 5})
    ask(policy, again, home=home)
    assert home.looks == looked > 0
    home.revision += 1
    ask(policy, again, home=home)
    assert home.looks == 2 * looked


@pytest.mark.parametrize(
    "data",
    [
        [{"x": 1}, {"x": True}, {"x": 1.0}, {"x": "1"}, {"x": None}, {}],
        [{"x": {"y": 1}}, {"x": {"y": 2}}, {"x": [1]}, {"x": [True]}],
        [{"x": "lock.shed"}, {"x": "light.hall"}, {"y": "lock.shed"}],
    ],
)
def test_values_of_different_kinds_are_told_apart(data: list[dict[str, Any]]) -> None:
    """One is not true, and an entity in the data is not another one."""
    policy = load(
        "allowed_services: [{service: light.turn_on, data: {x: 1}},"
        " {service: light.turn_on, data: {y: {max_length: 99}}, approval: never}]"
    )
    home = demo_house()
    for _ in range(2):
        for given_data in data:
            call = service("light.turn_on", "light.hall", given_data)
            assert ask(policy, call, home=home) == ask(policy, call)


def test_only_so_much_is_kept() -> None:
    """A model can make any number of calls of any size."""
    policy, home = load(RULE), demo_house()
    for number in range(MOST_KEPT + 10):
        ask(policy, service("light.turn_on", "light.hall", {"x": number}), home=home)
    now = policy._findings._now
    assert now is not None
    assert 0 < len(now.findings) <= MOST_KEPT
    before = len(now.findings)
    for call in (
        service("light.turn_on", "light.hall", {"x": "a" * 600}),
        service("light.turn_on", "light.hall", {"a" * 600: 1}),
        service("light.turn_on", {"entity_id": [f"light.a{n}" for n in range(99)]}),
        service("light.turn_on", {"area_id": "a" * 600}),
        service("light.turn_on", "light.hall", {"x": [1]}),
    ):
        ask(policy, call, home=home)
        assert len(now.findings) == before


WORDS: Final = {
    "entity_id": [*demo_house().facts, "0" * 32, "1" * 32],
    "device_id": ["dev_hall", "dev_door"],
    "area_id": ["kitchen", "hall", "garden", "bedroom", "cellar"],
    "floor_id": ["ground", "first"],
    "label_id": ["doors", "safe"],
}
SERVICES: Final = (
    "light.turn_on",
    "lock.unlock",
    "cover.open_cover",
    "homeassistant.turn_on",
)
TARGETS: Final = st.fixed_dictionaries(
    {},
    optional={
        key: st.lists(st.sampled_from(ids), min_size=1, max_size=2)
        for key, ids in WORDS.items()
    },
)
MORE: Final = (
    "",
    ", approval: always",
    ", approval: never",
    ", tainted: allow",
    ", max_entities: 1",
    ", for: {user: Boy}",
    ", for: {area: kitchen}",
    ", data: {x: 1}",
    ", pin: front",
    ", when: {condition: sun, after: sunset}",
)


@st.composite
def _policies(draw: st.DrawFn) -> str:
    rules = []
    for _ in range(draw(st.integers(9, 14))):
        target = draw(TARGETS)
        named = f", target: {json.dumps(target)}" if target else ""
        more = draw(st.sampled_from(MORE))
        if not named and not more:
            more = MORE[1]
        name = draw(st.sampled_from(SERVICES))
        rules.append(f"  - {{service: {name}{named}{more}}}")
    return "allowed_services:\n" + "\n".join(rules)


@settings(max_examples=150, deadline=None)
@given(
    text=_policies(),
    calls=st.lists(
        st.tuples(st.sampled_from(SERVICES), TARGETS), min_size=1, max_size=6
    ),
    caller=st.sampled_from(sorted(CALLERS)),
    met=st.booleans(),
)
def test_index_and_memory_change_no_decision(
    text: str, calls: list[tuple[str, dict[str, Any]]], caller: str, met: bool
) -> None:
    """With and without index, for the first time and again: the same decision."""
    policy, home = load(text), demo_house()
    plain = replace(policy, indexes={})
    for name, target in calls:
        domain, _, word_ = name.partition(".")
        call = ServiceCall(
            domain=domain,
            service=word_,
            target=Target(**{key: tuple(ids) for key, ids in target.items()}),
        )
        first = _decide(policy, call, caller, met, home)
        assert _decide(policy, call, caller, met, home) == first
        assert _decide(plain, call, caller, met, demo_house()) == first


def _decide(
    policy: LoadedPolicy, call: ServiceCall, caller: str, met: bool, home: StaticHome
) -> object:
    return ask(policy, call, CALLERS[caller], FakeConditions(met=met), home)


def test_many_rules_of_one_service_are_indexed() -> None:
    """So that the test above is about something."""
    few = "{service: light.turn_on, target: {area_id: a}},"
    policy = load(f"allowed_services: [{few * 9}]")
    assert set(policy.indexes) == {"light.turn_on"}
    assert load(f"allowed_services: [{few * 8}]").indexes == {}
