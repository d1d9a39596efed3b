"""What is read from the steps of Home Assistant's scripts, one kind at a time."""

from typing import Any, Final

from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.components.script import ScriptEntity
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.caesar.adapters.contents import contents_of
from custom_components.caesar.policy.actions import Contents
from custom_components.caesar.policy.call import Target, tool_id
from tests.ha.test_hostile import call
from tests.ha.test_reach import ASKED, Attacked, attacked
from tests.ha.test_reach_inside import HALL, OPEN, inside, lit, reload, scripted, unlock

__all__ = ["attacked"]

CONDITION: Final = {"condition": "template", "value_template": "{{ true }}"}
SEEN: Final[dict[str, tuple[list[dict[str, Any]], list[str]]]] = {
    "nothing": ([], []),
    "two": ([lit(), unlock()], ["light.turn_on", "lock.unlock"]),
    "scene": ([{"scene": "scene.welcome_home"}], ["scene.turn_on"]),
    "waits": (
        [
            {"delay": "00:00:01"},
            {"delay": {"seconds": "{{ 1 }}"}},
            {"wait_template": "{{ true }}"},
            CONDITION,
            {"variables": {"x": "{{ 1 }}"}},
            {"set_conversation_response": "ok"},
            {"stop": "enough"},
        ],
        [],
    ),
    "choose": (
        [
            {
                "choose": [
                    {"conditions": [CONDITION], "sequence": [lit()]},
                    {"conditions": [], "sequence": [unlock()]},
                ],
                "default": [{"action": "lock.lock"}],
            }
        ],
        ["light.turn_on", "lock.unlock", "lock.lock"],
    ),
    "if": (
        [{"if": [CONDITION], "then": [lit()], "else": [unlock()]}],
        ["light.turn_on", "lock.unlock"],
    ),
    "loops": (
        [
            {"repeat": {"count": 2, "sequence": [lit()]}},
            {"repeat": {"for_each": ["{{ 1 }}"], "sequence": [lit()]}},
            {"repeat": {"while": [CONDITION], "sequence": [unlock()]}},
        ],
        ["light.turn_on", "light.turn_on", "lock.unlock"],
    ),
    "parallel": (
        [{"parallel": [lit(), {"sequence": [unlock()]}]}, {"sequence": [lit()]}],
        ["light.turn_on", "lock.unlock", "light.turn_on"],
    ),
    "switched off": ([{**unlock(), "enabled": False}, lit()], ["light.turn_on"]),
    "perhaps": ([{**unlock(), "enabled": "{{ false }}"}], ["lock.unlock"]),
}
UNSEEN: Final[dict[str, tuple[list[dict[str, Any]], list[str]]]] = {
    "event": ([{"event": "open_sesame"}, lit()], ["light.turn_on"]),
    "templated name": ([{"action": "{{ x }}"}], []),
    "templated data": (
        [{**lit(), "data": {"brightness": "{{ 1 }}"}}],
        ["light.turn_on"],
    ),
    "templated target": ([unlock("{{ 'lock.shed' }}")], ["lock.unlock"]),
    "all templated": (
        [{"action": "light.turn_on", "data": "{{ x }}"}],
        ["light.turn_on"],
    ),
    "in the depth": (
        [{"if": [], "then": [{"repeat": {"count": 1, "sequence": [{"event": "x"}]}}]}],
        [],
    ),
    "trigger": (
        [{"wait_for_trigger": [{"trigger": "event", "event_type": "x"}]}],
        [],
    ),
    "two targets": (
        [{**unlock(), "data": {ATTR_ENTITY_ID: "lock.shed"}}],
        ["lock.unlock"],
    ),
}


@pytest.mark.parametrize("name", [*SEEN, *UNSEEN])
async def test_steps(hass: HomeAssistant, attacked: Attacked, name: str) -> None:
    """Every branch is read; what isn't literal leaves the rest unknown."""
    steps, names = (SEEN | UNSEEN)[name]
    await scripted(hass, nightly=steps)
    assert attacked.house.state("script.nightly") == "off"
    found = inside(hass, "script.nightly")
    assert [tool_id(act) for act in found.acts] == names
    assert found.whole is (name in SEEN)


async def test_an_action_of_a_device(hass: HomeAssistant, attacked: Attacked) -> None:
    """What a device does is its integration's affair."""
    entry = er.async_get(hass).async_get(HALL)
    assert entry is not None
    step = {"device_id": entry.device_id, "domain": "light", "type": "turn_on"}
    await scripted(hass, nightly=[{**step, ATTR_ENTITY_ID: entry.id}])
    assert attacked.house.state("script.nightly") == "off"
    found = inside(hass, "script.nightly")
    assert (found.acts, found.whole) == ((), False)


async def test_what_a_step_means(hass: HomeAssistant, attacked: Attacked) -> None:
    """Targets as Home Assistant reads them; `all` is everything of the domain."""
    hall = er.async_get(hass).async_get(HALL)
    assert hall is not None
    await scripted(
        hass,
        nightly=[
            lit(hall.id),
            {"action": "light.turn_on", "data": {ATTR_ENTITY_ID: [HALL]}},
            {"service": "light.turn_on", ATTR_ENTITY_ID: HALL},
            {"action": "lock.unlock", "target": {"area_id": "hall"}},
            {"action": "lock.unlock", "data": {ATTR_ENTITY_ID: "all"}},
            {"action": "homeassistant.turn_off", "data": {ATTR_ENTITY_ID: "all"}},
        ],
    )
    acts = inside(hass, "script.nightly").acts
    assert [act.target for act in acts] == [
        Target(entity_id=(hall.id,)),
        Target(entity_id=(HALL,)),
        Target(entity_id=(HALL,)),
        Target(area_id=("hall",)),
        Target(entity_id=tuple(sorted(hass.states.async_entity_ids("lock")))),
        Target(entity_id=("all",)),
    ]


async def test_what_can_not_be_read(hass: HomeAssistant, attacked: Attacked) -> None:
    """A broken script, a foreign scene and one that is gone: nothing is known."""
    await reload(hass, script={"nightly": {"sequence": [{"nonsense": 1}]}})
    assert attacked.house.state("script.nightly") == "unavailable"
    broken = inside(hass, "script.nightly")
    assert (broken.acts, broken.whole) == ((), False)
    for entity_id in ("scene.of_a_bridge", "automation.gone"):
        hass.states.async_set(entity_id, "on")
        assert inside(hass, entity_id) == Contents(whole=False, fingerprint="")
    assert contents_of(hass, HALL) is None


async def test_another_home_assistant(
    hass: HomeAssistant,
    attacked: Attacked,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One that keeps steps otherwise makes them unknown, and breaks no reading."""
    monkeypatch.setattr(ScriptEntity, "script", property(lambda _: 1 / 0), False)
    assert inside(hass, "script.bedtime") == Contents(whole=False, fingerprint="")
    assert "script.bedtime" in caplog.text
    assert await attacked.code("find_entities", {"name": "hall"}) == "allowed"


async def helper(hass: HomeAssistant, kind: str, **options: Any) -> str:
    """Make a template helper as the UI does, share it, and return its entity."""
    entry = MockConfigEntry(
        domain="template",
        title=f"Opener {kind}",
        options={"name": f"Opener {kind}", "template_type": kind, **options},
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    [made] = er.async_entries_for_config_entry(er.async_get(hass), entry.entry_id)
    async_expose_entity(hass, "conversation", made.entity_id, True)
    return made.entity_id


@pytest.mark.parametrize("attacked", [OPEN], ids=["open"], indirect=True)
async def test_a_template_helper(hass: HomeAssistant, attacked: Attacked) -> None:
    """One made in the UI is read, and read again when it was changed."""
    generic = "homeassistant.turn_on"
    for number, (on, code) in enumerate(
        (
            ([lit()], "allowed"),
            ([lit(), unlock()], ASKED),
            ([{"action": "light.turn_on", "data": "{{ x }}"}], ASKED),
        )
    ):
        switch = await helper(
            hass,
            "switch",
            turn_on=[lit()],
            turn_off=on,
            additional_options={"availability": "{{ true }}"},
        )
        await scripted(hass, nightly=[{"action": generic, ATTR_ENTITY_ID: switch}])
        assert await attacked.code(*call("script.nightly")) == code, number
    entry = er.async_get(hass).async_get(switch)
    assert entry is not None
    made = hass.config_entries.async_get_entry(entry.config_entry_id or "")
    assert made is not None
    for off, code in (([lit()], "allowed"), ([{"nonsense": 1}], ASKED)):
        hass.config_entries.async_update_entry(
            made, options={**made.options, "turn_off": off}
        )
        await hass.async_block_till_done()
        assert await attacked.code(*call("script.nightly")) == code, off
    sensor = await helper(hass, "sensor", state="{{ 1 }}")
    assert contents_of(hass, sensor) is None
    assert attacked.house.state("lock.front_door") == "locked"
