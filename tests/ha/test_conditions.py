"""Conditions of rules: what Home Assistant's engine is given, and what it may grant."""

from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
import pytest

from custom_components.caesar.adapters.conditions import (
    CompiledConditions,
    async_compile,
)
from custom_components.caesar.policy.problem import PolicyError

ID = "allowed_services[1].when"
LIGHT_ON = {"condition": "state", "entity_id": "light.hall", "state": "on"}
TYPO = {"condition": "state", "entity_id": "light.hal", "state": "on"}


async def compile_one(hass: HomeAssistant, when: Any) -> CompiledConditions:
    """Compile one `when`."""
    return await async_compile(hass, {ID: when}, {ID: (7, 5)})


async def met(hass: HomeAssistant, when: Any) -> bool:
    """Compile, ask once, unload."""
    compiled = await compile_one(hass, when)
    try:
        return compiled.check(ID).met
    finally:
        compiled.async_unload()


@pytest.fixture(autouse=True)
def _house(hass: HomeAssistant) -> None:
    hass.states.async_set("light.hall", "on", {"brightness": 100})
    hass.states.async_set("sensor.dark", "12")
    hass.states.async_set("alarm_control_panel.home", "disarmed")
    hass.states.async_set("input_number.limit", "20")
    hass.states.async_set("input_select.wanted", "on")


@pytest.mark.parametrize(
    "when",
    [
        [],
        {},
        None,
        7,
        True,
        "",
        "is_state('light.hall', 'on')",
        [LIGHT_ON, None],
        [LIGHT_ON, "on"],
        {"condition": "and", "conditions": []},
        {"condition": "or", "conditions": []},
        {"condition": "not", "conditions": []},
        {"condition": "and", "conditions": None},
        {"condition": "and", "conditions": {}},
        {"condition": "and"},
        {"condition": []},
        {"and": []},
        {"not": {}},
        {"not": None},
        {"or": [LIGHT_ON], "and": [LIGHT_ON]},
        [LIGHT_ON, {"or": [{"and": []}]}],
        {**LIGHT_ON, "enabled": True},
        {**LIGHT_ON, "enabled": False},
        {**LIGHT_ON, "enabled": "{{ false }}"},
        {"and": [LIGHT_ON, {**LIGHT_ON, "enabled": False}]},
        {"not": [{**LIGHT_ON, "enabled": False}]},
        {"condition": "and", "conditions": [LIGHT_ON], "enabled": False},
        {"condition": [{**LIGHT_ON, "enabled": False}]},
        {"condition": "trigger", "id": "a"},
        {"not": {"condition": "trigger", "id": "a"}},
        {"condition": "device", "device_id": "a", "domain": "light", "type": "is_on"},
        {"condition": "sun.is_up"},
        {"condition": "zone.in_zone", "options": {"zone": "zone.home"}},
        {"condition": "light.is_on", "target": {"entity_id": "light.hall"}},
        {"condition": "nonsense"},
        {"condition": "state", "entity_id": [], "state": "on"},
        {"condition": "state", "entity_id": "", "state": "on"},
        {"condition": "state", "entity_id": "light.hall", "state": []},
        {"condition": "state", "entity_id": "light.hall", "state": True},
        {"condition": "state", "entity_id": "light.hall"},
        {**LIGHT_ON, "stat": "on"},
        {"condition": "state", "entity_id": "not an id", "state": "on"},
        {"condition": "numeric_state", "entity_id": [], "above": 1},
        {"condition": "numeric_state", "entity_id": "sensor.dark"},
        {"not": {"condition": "numeric_state", "entity_id": "sensor.dark", "above": 9,
                 "below": 3}},
        {"condition": "zone", "entity_id": [], "zone": "zone.home"},
        {"condition": "zone", "entity_id": "person.adult", "zone": []},
        {"condition": "time"},
        {"condition": "time", "weekday": []},
        {"condition": "time", "after": "08:00:00", "before": "08:00:00"},
        {"condition": "time", "after": "nonsense"},
        {"condition": "sun"},
        {"condition": "template", "value_template": ""},
        {"condition": "template", "value_template": "true"},
        {"not": {"condition": "template", "value_template": "is_state('a.b', 'on')"}},
        {"condition": "template", "value_template": "{{ is_state('light.hall' }}"},
        "{{ nonsense( }}",
    ],
)  # fmt: skip
async def test_refused_with_its_place(hass: HomeAssistant, when: Any) -> None:
    """What could never be false, or never tell, is refused at its line."""
    with pytest.raises(PolicyError) as caught:
        await compile_one(hass, when)
    [problem] = caught.value.problems
    assert (problem.line, problem.column, problem.path) == (7, 5, ID)
    assert problem.message


async def test_all_faults_are_told(hass: HomeAssistant) -> None:
    """Every bad condition of a file is named, not only the first."""
    with pytest.raises(PolicyError) as caught:
        await async_compile(
            hass,
            {"a": [], "b": LIGHT_ON, "c": {"condition": "device"}},
            {"a": (3, 1), "b": (4, 1), "c": (9, 1)},
        )
    assert [problem.line for problem in caught.value.problems] == [3, 9]


@pytest.mark.parametrize(
    ("when", "wanted"),
    [
        (LIGHT_ON, True),
        ([LIGHT_ON, LIGHT_ON], True),
        ({**LIGHT_ON, "state": "off"}, False),
        ([LIGHT_ON, {**LIGHT_ON, "state": "off"}], False),
        ({"condition": [LIGHT_ON, {**LIGHT_ON, "state": "off"}]}, False),
        ({"or": [LIGHT_ON, {**LIGHT_ON, "state": "off"}]}, True),
        ({"not": LIGHT_ON}, False),
        ({"not": {**LIGHT_ON, "state": "off"}}, True),
        ({**LIGHT_ON, "state": "input_select.wanted"}, True),
        ({**LIGHT_ON, "state": ["off", "on"]}, True),
        ({**LIGHT_ON, "for": {"minutes": 5}}, False),
        ({**LIGHT_ON, "attribute": "brightness", "state": 100}, True),
        ({"condition": "numeric_state", "entity_id": "sensor.dark", "below": 20}, True),
        ({"condition": "numeric_state", "entity_id": "sensor.dark", "above": 12}, False),
        (
            {
                "condition": "numeric_state",
                "entity_id": "sensor.dark",
                "below": "input_number.limit",
            },
            True,
        ),
        (
            {
                "condition": "numeric_state",
                "entity_id": "light.hall",
                "value_template": "{{ state.attributes.brightness / 2 }}",
                "below": 51,
            },
            True,
        ),
        ("{{ is_state('light.hall', 'on') }}", True),
        ("{{ states.light.hall.state == 'off' }}", False),
        ("{{ 'perhaps' }}", False),
        ("{{ 1 }}", False),
    ],
)  # fmt: skip
async def test_judged_by_the_engine(
    hass: HomeAssistant, when: Any, wanted: bool
) -> None:
    """States, numbers, helpers, templates, and what joins them."""
    assert await met(hass, when) is wanted


@pytest.mark.parametrize(
    "when",
    [
        TYPO,
        {"not": TYPO},
        {"not": [LIGHT_ON, TYPO]},
        {"not": {"not": TYPO}},
        {"or": [LIGHT_ON, TYPO]},
        {"not": {**LIGHT_ON, "state": "input_select.wantd"}},
        {
            "not": {
                "condition": "numeric_state",
                "entity_id": "sensor.dark",
                "below": "input_number.limt",
            }
        },
        {"not": {"condition": "time", "after": "input_datetime.bedtime"}},
        {"not": {"condition": "zone", "entity_id": "person.ana", "zone": "zone.home"}},
        "{{ not is_state('light.hal', 'on') }}",
        "{{ states('sensor.drk') | float(99) > 50 }}",
        "{{ states.light.hal.state != 'on' }}",
        "{{ 'light.hal' | states != 'on' }}",
        "{{ is_state('light.hall', 'on') or is_state('light.hal', 'on') }}",
        "{{ not is_state('light.' ~ 'hal', 'on') }}",
        {"condition": "not", "conditions": ["{{ is_state('light.hal', 'on') }}"]},
        {**LIGHT_ON, "for": {"minutes": "{{ states('input_number.limt') | int(0) }}"}},
    ],
)
async def test_a_misspelt_name_is_never_met_and_is_reported(
    hass: HomeAssistant, when: Any
) -> None:
    """Inside `not`, and in templates, what isn't there would read as a no."""
    assert await async_setup_component(hass, "zone", {})
    compiled = await compile_one(hass, when)
    result = compiled.check(ID)
    assert result.met is False
    assert result.problem
    assert "doesn't exist" in result.problem
    assert compiled.missing()
    assert {each.condition_id for each in compiled.missing()} == {ID}
    compiled.async_unload()


async def test_what_comes_to_exist_is_judged(hass: HomeAssistant) -> None:
    """A helper made later, or an integration that starts late, needs no reload."""
    compiled = await compile_one(hass, {"not": TYPO})
    assert compiled.check(ID).met is False
    hass.states.async_set("light.hal", "off")
    assert compiled.check(ID).met is True
    assert compiled.missing() == ()
    compiled.async_unload()


@pytest.mark.parametrize("lost", ["unavailable", "unknown"])
@pytest.mark.parametrize(
    "when",
    [
        {"not": {**LIGHT_ON, "state": "off"}},
        {"not": {"not": LIGHT_ON}},
        {"not": {"condition": "numeric_state", "entity_id": "light.hall", "above": 1}},
        {"not": "{{ is_state('light.hall', 'off') }}"},
    ],
)
async def test_a_not_needs_an_answer(hass: HomeAssistant, when: Any, lost: str) -> None:
    """'Not off' must not hold because the light has lost its connection."""
    hass.states.async_set("light.hall", lost)
    compiled = await compile_one(hass, when)
    assert compiled.check(ID).met is False
    compiled.async_unload()


@pytest.mark.parametrize("attribute", ["brightnes", "color_mode"])
async def test_a_not_needs_the_attribute(hass: HomeAssistant, attribute: str) -> None:
    """A misspelt attribute, or one without a value, is no answer either."""
    hass.states.async_set("light.hall", "on", {"brightness": 9, "color_mode": None})
    dim = {
        "condition": "numeric_state",
        "entity_id": "light.hall",
        "attribute": "brightness",
        "above": 50,
    }
    assert await met(hass, {"not": dim})
    assert not await met(hass, {"not": {**dim, "attribute": attribute}})


async def test_unavailable_can_be_asked_for(hass: HomeAssistant) -> None:
    """Outside of a `not` it is a state like any other."""
    hass.states.async_set("light.hall", "unavailable")
    assert await met(hass, {**LIGHT_ON, "state": "unavailable"})


@pytest.mark.parametrize(
    "template",
    ["{{ not is_admin }}", "{{ nothing | default(true) and not nothin }}",
     "{{ this.entity_id != 'x' }}", "{{ trigger.id != 'x' }}", "{{ 1 / 0 }}"],
)  # fmt: skip
async def test_a_word_that_means_nothing_in_a_template(
    hass: HomeAssistant, template: str
) -> None:
    """A misspelt word would be empty, and so perhaps true."""
    compiled = await compile_one(hass, template)
    result = compiled.check(ID)
    assert (result.met, bool(result.problem)) == (False, True)
    compiled.async_unload()


async def test_raising_is_not_met(hass: HomeAssistant) -> None:
    """A number that is none, also inside `not`: the engine raises."""
    text = {"condition": "numeric_state", "entity_id": "light.hall", "above": 1}
    for when in (text, {"not": text}, {"or": [text]}):
        compiled = await compile_one(hass, when)
        result = compiled.check(ID)
        assert result.met is False
        assert result.problem
        compiled.async_unload()
