"""What stands in Home Assistant's scenes, scripts, automations and template helpers.

Read from what will run, after blueprints were filled in. Only what is literal is
read as calls; whatever else could act (a template in a call, an event, a device
action) makes the rest unknown. What can only wait or choose acts on nothing: all
branches count as run.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
import logging
from math import isfinite
from typing import Any, Final

from homeassistant.components.automation import AutomationEntity, BaseAutomationEntity
from homeassistant.components.homeassistant.scene import HomeAssistantScene
from homeassistant.components.script import BaseScriptEntity, ScriptEntity
from homeassistant.const import (
    ATTR_ENTITY_ID,
    CONF_ACTION,
    CONF_CHOOSE,
    CONF_DEFAULT,
    CONF_ELSE,
    CONF_ENABLED,
    CONF_PARALLEL,
    CONF_REPEAT,
    CONF_SCENE,
    CONF_SEQUENCE,
    CONF_SERVICE_DATA,
    CONF_SERVICE_DATA_TEMPLATE,
    CONF_SERVICE_TEMPLATE,
    CONF_TARGET,
    CONF_THEN,
    ENTITY_MATCH_ALL,
)
from homeassistant.core import HomeAssistant, State, split_entity_id
from homeassistant.helpers import config_validation as cv, entity_registry as er
from homeassistant.helpers.entity import Entity
from homeassistant.helpers.entity_component import DATA_INSTANCES
from homeassistant.helpers.template import Template
import probatio

from ..legion.canonical import Json, sha256_json
from ..policy.actions import CONTENT_DOMAINS, SCENE_APPLY, Contents
from ..policy.call import CallError, ServiceCall, service_call
from ..policy.impact import ENTITY_DOMAINS
from .members import NEVER_ACT, TEMPLATE

_LOGGER: Final = logging.getLogger(__name__)
# Steps that decide when or whether others run, and do nothing to the home.
_IDLE: Final = frozenset(
    {
        cv.SCRIPT_ACTION_CHECK_CONDITION,
        cv.SCRIPT_ACTION_DELAY,
        cv.SCRIPT_ACTION_SET_CONVERSATION_RESPONSE,
        cv.SCRIPT_ACTION_STOP,
        cv.SCRIPT_ACTION_VARIABLES,
        cv.SCRIPT_ACTION_WAIT_TEMPLATE,
    }
)
_MORE_OPTIONS: Final = "additional_options"
_DATA_KEYS: Final = (CONF_SERVICE_DATA, CONF_SERVICE_DATA_TEMPLATE)


def contents_of(hass: HomeAssistant, entity_id: str) -> Contents | None:
    """Return what starting this entity does; None if nothing is inside.

    A template helper that was made in the UI is started by any service: all of its
    actions count. One from YAML keeps them to itself, and is opaque (members.py).
    """
    domain = split_entity_id(entity_id)[0]
    if domain in NEVER_ACT:
        return None
    try:
        if domain in CONTENT_DOMAINS:
            return _of_own(hass, domain, entity_id)
        return _of_helper(hass, entity_id)
    except Exception:
        # Another Home Assistant may keep them otherwise. What can't be read is
        # unknown; that must not stop all that asks about the house.
        _LOGGER.exception("Could not read what %s does", entity_id)
        return Contents(whole=False, fingerprint="")


def _of_own(hass: HomeAssistant, domain: str, entity_id: str) -> Contents:
    component = hass.data.get(DATA_INSTANCES, {}).get(domain)
    entity = component.get_entity(entity_id) if component else None
    if isinstance(entity, HomeAssistantScene):
        return _of_scene(entity)
    calls = _Calls(hass)
    if isinstance(entity, ScriptEntity):
        calls.read(entity.script.sequence)
    elif isinstance(entity, AutomationEntity):
        calls.read(entity.action_script.sequence)
    else:
        calls.whole = False
    return Contents(
        acts=tuple(calls.acts), whole=calls.whole, fingerprint=_fingerprint(entity)
    )


def _of_scene(scene: HomeAssistantScene) -> Contents:
    wanted = {
        entity_id: _wanted(state)
        for entity_id, state in scene.scene_config.states.items()
    }
    domain, _, service = SCENE_APPLY.partition(".")
    return Contents(
        acts=(ServiceCall(domain=domain, service=service, data={"entities": wanted}),),
        whole=True,
        fingerprint=sha256_json(wanted),
    )


def _of_helper(hass: HomeAssistant, entity_id: str) -> Contents | None:
    entry = er.async_get(hass).async_get(entity_id)
    if entry is None or entry.platform != TEMPLATE or entry.config_entry_id is None:
        return None
    helper = hass.config_entries.async_get_entry(entry.config_entry_id)
    if helper is None:
        return None
    options = dict(helper.options)
    options.update(options.pop(_MORE_OPTIONS, None) or {})
    calls = _Calls(hass)
    for value in options.values():
        if isinstance(value, (list, dict)):
            try:
                # Validation changes what it is given.
                calls.read(cv.SCRIPT_SCHEMA(deepcopy(value)))
            except probatio.Invalid, TypeError, ValueError:
                calls.whole = False
    return Contents(
        acts=tuple(calls.acts),
        whole=calls.whole,
        fingerprint=sha256_json(_plain(options)),
    )


def _wanted(state: State) -> dict[str, Json]:
    attributes = {str(key): _plain(value) for key, value in state.attributes.items()}
    return {**attributes, "state": state.state}


def _fingerprint(entity: Entity | None) -> str:
    """Return the SHA-256 of the configuration, blueprints filled in."""
    if isinstance(entity, (BaseScriptEntity, BaseAutomationEntity)):
        return sha256_json(_plain(entity.raw_config))
    return ""


class _Calls:
    """The service calls in a sequence of steps, all branches of it."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Begin with none."""
        self._hass = hass
        self.acts: list[ServiceCall] = []
        self.whole = True

    def read(self, steps: Sequence[Mapping[str, Any]]) -> None:
        """Add the calls of these steps; `whole` falls with what isn't literal."""
        for step in steps:
            if step.get(CONF_ENABLED) is not False:
                self._step(step)

    def _step(self, step: Mapping[str, Any]) -> None:
        try:
            kind = cv.determine_script_action(dict(step))
        except ValueError:
            self.whole = False
            return
        if kind == cv.SCRIPT_ACTION_CALL_SERVICE:
            self._call(step)
        elif kind == cv.SCRIPT_ACTION_ACTIVATE_SCENE:
            self._add("scene", "turn_on", {ATTR_ENTITY_ID: step[CONF_SCENE]}, {})
        elif kind not in _IDLE:
            branches = list(_branches(kind, step))
            self.whole = self.whole and bool(branches)
            for branch in branches:
                self.read(branch)

    def _call(self, step: Mapping[str, Any]) -> None:
        """Add a call; one that is filled in when it runs counts by its name."""
        name = step.get(CONF_ACTION, step.get(CONF_SERVICE_TEMPLATE))
        if not isinstance(name, str):
            self.whole = False
            return
        domain, _, service = name.partition(".")
        target = step.get(CONF_TARGET) or {}
        parts = [step[key] for key in _DATA_KEYS if key in step]
        if _has_template([target, *parts]):
            self.whole = False
            self.acts.append(ServiceCall(domain=domain, service=service))
            return
        data = {key: value for part in parts for key, value in part.items()}
        if ATTR_ENTITY_ID in step:
            target = {**target, ATTR_ENTITY_ID: step[ATTR_ENTITY_ID]}
        self._add(domain, service, target, data)

    def _add(
        self,
        domain: str,
        service: str,
        target: Mapping[str, Any],
        data: Mapping[str, Any],
    ) -> None:
        plain = {str(key): _plain(value) for key, value in data.items()}
        aimed = {str(key): _plain(value) for key, value in target.items()}
        for part in (plain, aimed):
            if part.get(ATTR_ENTITY_ID) in (ENTITY_MATCH_ALL, [ENTITY_MATCH_ALL]):
                part[ATTR_ENTITY_ID] = self._all(domain)
        try:
            self.acts.append(service_call(domain, service, aimed, plain))
        except CallError:
            self.whole = False
            self.acts.append(ServiceCall(domain=domain, service=service))

    def _all(self, domain: str) -> list[Json]:
        """Return what `all` means: every entity of the service's own domain."""
        if domain in ENTITY_DOMAINS:
            return [*sorted(self._hass.states.async_entity_ids(domain))]
        return [ENTITY_MATCH_ALL]


def _branches(kind: str, step: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    """Yield the sequences inside a step; none if it is of no kind that has any."""
    if kind == cv.SCRIPT_ACTION_CHOOSE:
        yield from (option[CONF_SEQUENCE] for option in step[CONF_CHOOSE])
        yield step.get(CONF_DEFAULT, ())
    elif kind == cv.SCRIPT_ACTION_IF:
        yield step[CONF_THEN]
        yield step.get(CONF_ELSE, ())
    elif kind == cv.SCRIPT_ACTION_REPEAT:
        yield step[CONF_REPEAT][CONF_SEQUENCE]
    elif kind == cv.SCRIPT_ACTION_SEQUENCE:
        yield step[CONF_SEQUENCE]
    elif kind == cv.SCRIPT_ACTION_PARALLEL:
        yield from (branch[CONF_SEQUENCE] for branch in step[CONF_PARALLEL])


def _has_template(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_template, value.values()))
    if isinstance(value, (list, tuple)):
        return any(map(_has_template, value))
    return isinstance(value, Template)


def _plain(value: object) -> Json:
    """Return YAML as JSON; what is none of both becomes its text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    return str(value)
