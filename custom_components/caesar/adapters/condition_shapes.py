"""Which conditions (`when:`) a policy may have, and what they name.

Home Assistant lets through what must never widen a rule: a disabled member counts as
met, an `and` or a list of entities without members is true, and inside `not` all that
can't be found is true. Those shapes are refused here, whoever wrote the loader.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from homeassistant.const import (
    CONF_ABOVE,
    CONF_AFTER,
    CONF_ATTRIBUTE,
    CONF_BEFORE,
    CONF_BELOW,
    CONF_CONDITION,
    CONF_CONDITIONS,
    CONF_ENABLED,
    CONF_ENTITY_ID,
    CONF_FOR,
    CONF_OPTIONS,
    CONF_STATE,
    CONF_VALUE_TEMPLATE,
    CONF_WEEKDAY,
    CONF_ZONE,
    Platform,
)
from homeassistant.core import split_entity_id, valid_entity_id
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.template import Template
import jinja2
from jinja2 import nodes

from ..legion.canonical import Json

COMPOUNDS: Final = frozenset({"and", "or", "not"})
LEAVES: Final = frozenset({"time", "sun", "state", "numeric_state", "zone", "template"})
# The words that are domains of entities: only with one of these is "a.b" taken for one.
_DOMAINS: Final = frozenset(map(str, Platform)) | frozenset(
    {"automation", "counter", "group", "input_boolean", "input_button"}
    | {"input_datetime", "input_number", "input_select", "input_text", "person"}
    | {"plant", "proximity", "schedule", "script", "sun", "timer", "zone"}
)
_JINJA: Final = jinja2.Environment(
    extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"], autoescape=True
)


class BadCondition(Exception):
    """A condition that a policy can't have; `str()` says why, in English."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One condition that has no members.

    `negated` says that it stands inside a `not`. `named` are the entities that its
    keys and templates name, `asked` those whose own state its keys ask for, or of
    which they ask for `attribute`.
    """

    kind: str
    negated: bool
    named: frozenset[str]
    asked: tuple[str, ...]
    attribute: str | None
    templates: tuple[str, ...]


def check_shape(when: Json) -> None:
    """Refuse what Home Assistant would take but a policy must not have.

    Raises BadCondition.
    """
    _refuse_enabled(when)
    items = when if isinstance(when, list) else [when]
    if not items:
        raise BadCondition("There is no condition in this list.")
    for item in items:
        _check_item(item)


def leaves(config: Mapping[str, Any], negated: bool = False) -> Iterator[Leaf]:
    """Yield the leaves of a condition that Home Assistant has validated.

    Raises BadCondition for one that is always true, or always false.
    """
    kind = config[CONF_CONDITION]
    if CONF_ENABLED in config:
        raise BadCondition(_ENABLED)
    if kind in COMPOUNDS:
        if not config[CONF_CONDITIONS]:
            raise BadCondition(f"'{kind}' needs at least one condition.")
        for member in config[CONF_CONDITIONS]:
            yield from leaves(member, negated or kind == "not")
        return
    if kind not in LEAVES:
        raise BadCondition(_unknown(kind))
    yield _leaf(kind, {**config, **config.get(CONF_OPTIONS, {})}, negated)


_ENABLED: Final = (
    "'enabled' can't be used here: Home Assistant counts a condition that is switched"
    " off as met. Remove the condition instead."
)


def _refuse_enabled(node: Json) -> None:
    if isinstance(node, Mapping):
        if CONF_ENABLED in node:
            raise BadCondition(_ENABLED)
        for child in node.values():
            _refuse_enabled(child)
    elif isinstance(node, list):
        for child in node:
            _refuse_enabled(child)


def _check_item(item: Json) -> None:
    if isinstance(item, str):
        if not _is_dynamic(item):
            raise BadCondition("A condition in words must be a template, {{ ... }}.")
        return
    if not isinstance(item, Mapping):
        raise BadCondition("A condition is a block of keys, or a template.")
    kind = item.get(CONF_CONDITION)
    if isinstance(kind, list):
        _check_members("condition", kind)
    elif isinstance(kind, str):
        if kind in COMPOUNDS:
            _check_members(kind, item.get(CONF_CONDITIONS))
        elif kind not in LEAVES:
            raise BadCondition(_unknown(kind))
    else:
        shorthand = [key for key in item if key in COMPOUNDS]
        if len(shorthand) != 1:
            raise BadCondition("The key 'condition' is missing here.")
        _check_members(shorthand[0], item[shorthand[0]])


def _check_members(kind: str, members: Json) -> None:
    if isinstance(members, (str, Mapping)) and members:
        members = [members]
    if not isinstance(members, list) or not members:
        raise BadCondition(f"'{kind}' needs at least one condition.")
    for member in members:
        _check_item(member)


def _unknown(kind: str) -> str:
    return (
        f"A condition '{kind}' can't be used in a policy. Possible are"
        f" {', '.join(sorted(LEAVES))}, and, or, not."
    )


def _is_dynamic(text: str) -> bool:
    return "{{" in text or "{%" in text


def _leaf(kind: str, config: Mapping[str, Any], negated: bool) -> Leaf:
    asked: tuple[str, ...] = ()
    named: set[str] = set()
    if kind in {"state", "numeric_state", "zone"}:
        asked = _ids(config.get(CONF_ENTITY_ID))
        if not asked:
            raise BadCondition(f"This '{kind}' condition names no entity.")
    if kind == "zone":
        zones = _ids(config.get(CONF_ZONE))
        if not zones:
            raise BadCondition("This 'zone' condition names no zone.")
        named.update(zones)
    elif kind == "state":
        named.update(_state_entities(config[CONF_STATE]))
    elif kind == "numeric_state":
        _check_range(config.get(CONF_ABOVE), config.get(CONF_BELOW))
        bounds = (config.get(CONF_ABOVE), config.get(CONF_BELOW))
        named.update(bound for bound in bounds if isinstance(bound, str))
    elif kind == "time":
        times = (config.get(CONF_AFTER), config.get(CONF_BEFORE))
        if times[0] is not None and times[0] == times[1]:
            raise BadCondition("'after' and 'before' are the same: that is any time.")
        if CONF_WEEKDAY in config and not config[CONF_WEEKDAY]:
            raise BadCondition("This 'time' condition names no weekday.")
        asked = tuple(each for each in times if isinstance(each, str))
    templates = tuple(
        _templates([config.get(CONF_VALUE_TEMPLATE), config.get(CONF_FOR)])
    )
    if kind == "template" and not _is_dynamic(templates[0]):
        raise BadCondition(
            "This template has no {{ ... }}: it would always be the same."
        )
    for text in templates:
        named.update(_names_in(text))
    return Leaf(
        kind=kind,
        negated=negated,
        named=frozenset({*named, *asked}),
        asked=asked,
        attribute=config.get(CONF_ATTRIBUTE),
        templates=templates,
    )


def _ids(value: Any) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value or ())


def _state_entities(states: Any) -> Iterator[str]:
    """Yield the helpers that are named in place of a state."""
    states = states if isinstance(states, list) else [states]
    if not states:
        raise BadCondition("This 'state' condition names no state.")
    for each in states:
        if isinstance(each, str) and cv.INPUT_ENTITY_ID.match(each):
            yield each


def _check_range(above: Any, below: Any) -> None:
    numbers = isinstance(above, (int, float)) and isinstance(below, (int, float))
    if numbers and above >= below:
        raise BadCondition(f"Nothing is above {above} and below {below}.")


def _templates(value: Any) -> Iterator[str]:
    """Yield the texts of the templates in a value, at any depth."""
    if isinstance(value, Template):
        yield value.template
    elif isinstance(value, Mapping):
        yield from _templates(list(value.values()))
    elif isinstance(value, list):
        for each in value:
            yield from _templates(each)


def _names_in(text: str) -> Iterator[str]:
    """Yield the entities that a template names in so many words."""
    try:
        tree = _JINJA.parse(text)
    except jinja2.TemplateError as err:
        raise BadCondition(f"This template can't be read: {err}.") from err
    for node in tree.find_all((nodes.Const, nodes.Getattr)):
        match node:
            case nodes.Const(value=str(word)):
                pass
            case nodes.Getattr(
                node=nodes.Getattr(node=nodes.Name(name="states"), attr=domain),
                attr=name,
            ):
                word = f"{domain}.{name}"
            case _:
                continue
        if valid_entity_id(word) and split_entity_id(word)[0] in _DOMAINS:
            yield word
