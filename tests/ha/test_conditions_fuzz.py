"""Conditions made at random, compared with plain logic: no shape grants by accident."""

from collections.abc import Callable
from random import Random
from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.conditions import async_compile
from custom_components.caesar.policy.problem import PolicyError

ROUNDS = 400
GROUPS: dict[str, Callable[[list[bool]], bool]] = {
    "and": all,
    "or": any,
    "not": lambda members: not any(members),
}


class Tree:
    """A random condition with what it should say; `spoilt` says how it was broken."""

    def __init__(self, random: Random, spoil: str | None) -> None:
        """Make a tree, and break one place of it if told to."""
        self._random = random
        self._spoil = spoil
        self.spoilt = False
        self.when, self.wanted = self._group(3)

    def _group(self, depth: int) -> tuple[Any, bool]:
        word = self._random.choice(list(GROUPS))
        size = self._random.randint(1, 3)
        members = [self._member(depth - 1) for _ in range(size)]
        wanted = GROUPS[word]([met for _, met in members])
        raw: Any = [each for each, _ in members]
        if self._break("empty"):
            raw = self._random.choice([[], None, {}])
        elif len(raw) == 1 and isinstance(raw[0], dict) and self._random.random() < 0.5:
            [raw] = raw
        if self._random.random() < 0.5:
            return self._with_enabled({word: raw}), wanted
        return self._with_enabled({"condition": word, "conditions": raw}), wanted

    def _member(self, depth: int) -> tuple[Any, bool]:
        if depth and self._random.random() < 0.5:
            return self._group(depth)
        wanted = self._random.random() < 0.5
        name = "on" if wanted else "off"
        if self._break("typo"):
            name = "onn"
        if self._random.random() < 0.3:
            return f"{{{{ is_state('light.{name}', 'on') }}}}", wanted
        leaf = {"condition": "state", "entity_id": f"light.{name}", "state": "on"}
        return self._with_enabled(leaf), wanted

    def _with_enabled(self, item: dict[str, Any]) -> dict[str, Any]:
        if self._break("enabled"):
            item["enabled"] = self._random.choice([True, False, "no", "{{ false }}"])
        return item

    def _break(self, how: str) -> bool:
        if self._spoil != how or self.spoilt or self._random.random() < 0.6:
            return False
        self.spoilt = True
        return True


@pytest.fixture(autouse=True)
def _lights(hass: HomeAssistant) -> None:
    hass.states.async_set("light.on", "on")
    hass.states.async_set("light.off", "off")


async def met(hass: HomeAssistant, when: Any) -> bool:
    """Compile, ask once, unload."""
    compiled = await async_compile(hass, {"id": when}, {"id": (1, 1)})
    try:
        return compiled.check("id").met
    finally:
        compiled.async_unload()


async def test_means_what_it_says(hass: HomeAssistant) -> None:
    """The engine's answer is that of plain and, or, not."""
    random = Random(20261130)
    seen = set()
    for _ in range(ROUNDS):
        tree = Tree(random, None)
        assert await met(hass, tree.when) is tree.wanted, tree.when
        seen.add(tree.wanted)
    assert seen == {True, False}


async def test_a_misspelt_name_anywhere_is_never_met(hass: HomeAssistant) -> None:
    """However many `not` stand around it, and whatever else would be enough."""
    random = Random(11)
    spoilt = 0
    for _ in range(ROUNDS):
        tree = Tree(random, "typo")
        if tree.spoilt:
            spoilt += 1
            assert not await met(hass, tree.when), tree.when
    assert spoilt > ROUNDS / 2


@pytest.mark.parametrize("how", ["empty", "enabled"])
async def test_a_broken_shape_anywhere_is_refused(
    hass: HomeAssistant, how: str
) -> None:
    """An empty group or a switch at any depth."""
    random = Random(12)
    spoilt = 0
    for _ in range(ROUNDS):
        tree = Tree(random, how)
        if tree.spoilt:
            spoilt += 1
            with pytest.raises(PolicyError):
                await met(hass, tree.when)
    assert spoilt > ROUNDS / 2
