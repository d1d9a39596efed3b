"""Conditions of rules (`when:`), compiled and judged by Home Assistant's own engine.

Only a plain True grants. Beyond the engine, a condition is not met while
- an entity, zone or helper that it names doesn't exist, templates included: inside
  `not`, and in a template, what isn't there reads as "no";
- an entity that it asks inside a `not` is unavailable or unknown, or has no such
  attribute: "not armed" must not hold because the panel has lost its connection;
- an entity that a template reads is unavailable or unknown: nobody can tell what its
  "no" or its default stands for;
- a template of it uses a word that means nothing.
"""

import asyncio
from collections.abc import Iterator, Mapping
from contextvars import copy_context
from copy import deepcopy
from dataclasses import dataclass
import logging
import threading
from typing import Any, Final

from homeassistant.const import STATE_UNAVAILABLE, STATE_UNKNOWN
from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import HomeAssistantError, TemplateError
from homeassistant.helpers import condition as ha_condition, config_validation as cv
from homeassistant.helpers.template import Template
from homeassistant.helpers.trace import trace_clear
import probatio

from ..legion.canonical import Json
from ..policy.home import ConditionResult
from ..policy.problem import PolicyError, Problem, ProblemCode
from .condition_shapes import BadCondition, Leaf, check_shape, leaves

_LOGGER = logging.getLogger(__name__)
# Compiling is work on the event loop: a few conditions, then others get their turn.
_AT_A_TIME: Final = 20
_UNSURE: Final = frozenset({STATE_UNAVAILABLE, STATE_UNKNOWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingEntity:
    """Something that a condition names and that doesn't exist."""

    condition_id: str
    entity_id: str


class _Probe:
    """A template rendered once more, strictly, to see what it reads."""

    def __init__(self, hass: HomeAssistant, leaf: Leaf, text: str) -> None:
        self._hass = hass
        self._leaf = leaf
        self._template = Template(text, hass)

    def read(self) -> set[str]:
        """Return the entities it reads now. Raises TemplateError."""
        found: set[str] = set()
        for variables in self._variables():
            info = self._template.async_render_to_info(
                variables, strict=True, parse_result=False
            )
            info.result()
            found |= info.entities
        return found

    def _variables(self) -> Iterator[dict[str, Any]]:
        if self._leaf.kind != "numeric_state":
            yield {}
            return
        for entity_id in self._leaf.asked:
            yield {"state": self._hass.states.get(entity_id)}


class _Compiled:
    """One rule's `when`: the engine's checkers, all of which must hold."""

    def __init__(
        self,
        hass: HomeAssistant,
        checkers: list[ha_condition.ConditionChecker],
        found: list[Leaf],
    ) -> None:
        self._hass = hass
        self._checkers = checkers
        self._leaves = found
        self._probes = [
            (leaf, _Probe(hass, leaf, text))
            for leaf in found
            for text in leaf.templates
        ]

    def judge(self) -> ConditionResult:
        """Return the result. May raise anything that the engine raises."""
        trace_clear()
        if problem := self._problem():
            return ConditionResult(met=False, problem=problem)
        return ConditionResult(
            met=all(checker.async_check() is True for checker in self._checkers)
        )

    def missing(self) -> list[str]:
        """Return the entities named, also by templates, that don't exist."""
        named = {entity_id for leaf in self._leaves for entity_id in leaf.named}
        for _, probe in self._probes:
            try:
                named |= probe.read()
            except TemplateError:
                continue
        return sorted(each for each in named if self._hass.states.get(each) is None)

    def unload(self) -> None:
        """Release what the engine holds."""
        for checker in self._checkers:
            checker.async_unload()

    def _problem(self) -> str | None:
        for leaf in self._leaves:
            if problem := self._unsure(
                leaf.named, leaf.asked, must_be_known=leaf.negated
            ):
                return problem
            if leaf.negated and (problem := self._without_attribute(leaf)):
                return problem
        for leaf, probe in self._probes:
            read = probe.read()
            if leaf.kind == "numeric_state":
                # Its template is given these, and so does not look them up.
                read |= set(leaf.asked)
            if problem := self._unsure(read, read, must_be_known=True):
                return problem
        return None

    def _without_attribute(self, leaf: Leaf) -> str | None:
        for entity_id in leaf.asked if leaf.attribute else ():
            state = self._hass.states.get(entity_id)
            if state is None or state.attributes.get(leaf.attribute or "") is None:
                return f"{entity_id} has no '{leaf.attribute}' at the moment"
        return None

    def _unsure(
        self,
        named: frozenset[str] | set[str],
        asked: tuple[str, ...] | set[str],
        *,
        must_be_known: bool,
    ) -> str | None:
        """Return which of the entities makes the answer unsure, and why."""
        for entity_id in sorted(named):
            if self._hass.states.get(entity_id) is None:
                return f"{entity_id} doesn't exist"
        for entity_id in sorted(asked) if must_be_known else ():
            state = self._hass.states.get(entity_id)
            if state is None or state.state in _UNSURE:
                return f"{entity_id} is not known at the moment"
        return None


class CompiledConditions:
    """All conditions of one policy; implements the policy's ConditionChecker.

    Lives on the event loop; asked from any other thread it answers not met.
    """

    def __init__(self, hass: HomeAssistant, by_id: Mapping[str, _Compiled]) -> None:
        """Hold what `async_compile` has made."""
        self._hass = hass
        self._by_id = dict(by_id)

    def check(self, condition_id: str) -> ConditionResult:
        """Return the result now; a condition that raises is not met."""
        compiled = self._by_id.get(condition_id)
        if compiled is None:
            return ConditionResult(
                met=False, problem=f"unknown condition {condition_id}"
            )
        if self._hass.loop_thread_id != threading.get_ident():
            return ConditionResult(met=False, problem="asked outside the event loop")
        try:
            # A context of its own: the engine writes traces into the caller's.
            return copy_context().run(compiled.judge)
        except Exception as err:  # noqa: BLE001 the engine and templates raise anything
            _LOGGER.debug("Condition %s: %s", condition_id, err)
            return ConditionResult(met=False, problem=str(err) or type(err).__name__)

    @callback
    def missing(self) -> tuple[MissingEntity, ...]:
        """Return what the conditions name and what doesn't exist now."""
        return tuple(
            MissingEntity(condition_id=condition_id, entity_id=entity_id)
            for condition_id, compiled in self._by_id.items()
            for entity_id in copy_context().run(compiled.missing)
        )

    @callback
    def async_unload(self) -> None:
        """Let go of everything; afterwards no condition is met."""
        while self._by_id:
            self._by_id.popitem()[1].unload()


class ConditionsInForce:
    """The conditions of whichever policy is in force; swapped with the policy."""

    def __init__(self) -> None:
        """Begin with none: no condition is met."""
        self._now: CompiledConditions | None = None

    def check(self, condition_id: str) -> ConditionResult:
        """Return the result now; not met while no policy is loaded."""
        if self._now is None:
            return ConditionResult(met=False, problem="no policy is loaded")
        return self._now.check(condition_id)

    @callback
    def missing(self) -> tuple[MissingEntity, ...]:
        """Return what the conditions name and what doesn't exist now."""
        return self._now.missing() if self._now else ()

    @callback
    def async_swap(self, new: CompiledConditions | None) -> None:
        """Put other conditions into force and unload those before."""
        old, self._now = self._now, new
        if old is not None:
            old.async_unload()


async def async_compile(
    hass: HomeAssistant,
    conditions: Mapping[str, Json],
    places: Mapping[str, tuple[int, int]],
) -> CompiledConditions:
    """Compile the `when` of every rule; the caller unloads the result.

    `conditions` has each `when` by its id, `places` its line and column. Raises
    PolicyError with every condition that Home Assistant, or a policy, can't have.
    """
    compiled: dict[str, _Compiled] = {}
    problems: list[Problem] = []
    for number, (condition_id, when) in enumerate(conditions.items(), 1):
        if number % _AT_A_TIME == 0:
            await asyncio.sleep(0)
        try:
            compiled[condition_id] = await _async_compile_one(hass, when)
        except BadCondition as err:
            line, column = places[condition_id]
            problems.append(
                Problem(
                    line=line,
                    column=column,
                    path=condition_id,
                    code=ProblemCode.BAD_VALUE,
                    message=str(err),
                )
            )
    result = CompiledConditions(hass, compiled)
    if problems:
        result.async_unload()
        raise PolicyError(problems)
    return result


async def _async_compile_one(hass: HomeAssistant, when: Json) -> _Compiled:
    """Raises BadCondition."""
    check_shape(when)
    checkers: list[ha_condition.ConditionChecker] = []
    try:
        # The schemas change what they are given.
        validated = cv.CONDITIONS_SCHEMA(deepcopy(when))
        configs = [
            await ha_condition.async_validate_condition_config(hass, each)
            for each in validated
        ]
        found = [leaf for config in configs for leaf in leaves(config)]
        for config in configs:
            checker = await ha_condition.async_from_config(hass, config)
            checkers.append(checker)
        return _Compiled(hass, checkers, found)
    except BadCondition:
        _unload(checkers)
        raise
    except (probatio.Invalid, HomeAssistantError) as err:
        _unload(checkers)
        raise BadCondition(f"Home Assistant can't read this condition: {err}.") from err
    except Exception as err:
        # A platform of Home Assistant's that fails must not stop CAESAR's set-up.
        _LOGGER.exception("A condition of the policy could not be compiled")
        _unload(checkers)
        raise BadCondition(
            f"Home Assistant failed with this condition ({type(err).__name__})."
        ) from err


def _unload(checkers: list[ha_condition.ConditionChecker]) -> None:
    for checker in checkers:
        checker.async_unload()
