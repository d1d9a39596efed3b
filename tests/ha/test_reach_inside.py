"""What Home Assistant's own scenes, scripts and automations do is seen as it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from homeassistant.auth.permissions.const import POLICY_CONTROL
from homeassistant.components.homeassistant.exposed_entities import async_expose_entity
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import entity_registry as er
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.adapters.contents import contents_of
from custom_components.caesar.adapters.home import HomeAssistantHome
from custom_components.caesar.policy.actions import Contents
from custom_components.caesar.policy.call import Target
from custom_components.caesar.policy.decision import decision_digest
from tests.ha.test_hostile import FRONT, call
from tests.ha.test_reach import ASKED, Attacked, attacked

__all__ = ["attacked"]

LAMP: Final = "light.floor_lamp"
HALL: Final = "light.hall_light"
# What an owner writes who wants scenes and scripts to work.
OPEN: Final = """
version: 1
allowed_services:
  - scene.turn_on
  - scene.apply
  - scene.create
  - script.turn_on
  - script.bedtime
  - script.let_guests_in
  - script.nightly
  - script.entrance
  - automation.trigger
  - automation.turn_off
  - homeassistant.turn_on
"""
pytestmark = pytest.mark.parametrize(
    "attacked", [OPEN], ids=["open"], indirect=["attacked"]
)


def lit(entity_id: str = HALL) -> dict[str, Any]:
    """Return a step that turns a light on."""
    return {"action": "light.turn_on", "target": {ATTR_ENTITY_ID: entity_id}}


def unlock(entity_id: str = FRONT) -> dict[str, Any]:
    """Return a step that unlocks."""
    return {"action": "lock.unlock", "target": {ATTR_ENTITY_ID: entity_id}}


async def reload(hass: HomeAssistant, **configuration: Any) -> None:
    """Let Home Assistant read another configuration of scripts or automations."""
    with patch(
        "homeassistant.config.load_yaml_config_file", return_value=configuration
    ):
        for domain in configuration:
            await hass.services.async_call(domain, "reload", blocking=True)
    await hass.async_block_till_done()


async def scripted(hass: HomeAssistant, **sequences: list[dict[str, Any]]) -> None:
    """Have these scripts and no others, shared with the assistant."""
    await reload(
        hass,
        script={name: {"sequence": steps} for name, steps in sequences.items()},
    )
    for name in sequences:
        async_expose_entity(hass, "conversation", f"script.{name}", True)


def inside(hass: HomeAssistant, entity_id: str) -> Contents:
    """Return what stands inside."""
    contents = contents_of(hass, entity_id)
    assert contents is not None
    return contents


async def test_the_harmless_ones_work_and_the_others_are_asked_about(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """The demo house has one of each."""
    for entity_id in ("scene.welcome_home", "script.bedtime", "script.let_guests_in"):
        async_expose_entity(hass, "conversation", entity_id, True)
    assert await attacked.code(
        *call("scene.turn_on", {ATTR_ENTITY_ID: "scene.movie_evening"})
    ) == ("allowed")
    assert attacked.house.state(LAMP) == "on"
    assert await attacked.code(*call("script.bedtime")) == "allowed"
    assert attacked.house.state("light.night_light") == "on"
    tries = [
        call("scene.turn_on", {ATTR_ENTITY_ID: "scene.welcome_home"}),
        call("homeassistant.turn_on", {ATTR_ENTITY_ID: "scene.welcome_home"}),
        call("script.turn_on", {ATTR_ENTITY_ID: "script.let_guests_in"}),
        call("homeassistant.turn_on", {ATTR_ENTITY_ID: "script.let_guests_in"}),
        call("script.let_guests_in"),
        ("script__let_guests_in", {}),
    ]
    for attempt in tries:
        assert await attacked.code(*attempt) == ASKED, attempt
    assert attacked.house.state(FRONT) == "locked"


async def test_a_scene_made_now_and_used_later(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """Making one is asked about; one that somebody made is judged by what it sets."""
    made = call("scene.create", None, scene_id="mine", entities={HALL: "on"})
    assert await attacked.code(*made) == ASKED
    for wanted, code in (("unlocked", ASKED), ("locked", ASKED)):
        await hass.services.async_call(
            "scene",
            "create",
            {"scene_id": "mine", "entities": {FRONT: wanted, HALL: "on"}},
            blocking=True,
        )
        await hass.async_block_till_done()
        activate = call("scene.turn_on", {ATTR_ENTITY_ID: "scene.mine"})
        assert await attacked.code(*activate) == code
    await hass.services.async_call(
        "scene",
        "create",
        {"scene_id": "mine", "entities": {HALL: "on"}},
        blocking=True,
    )
    await hass.async_block_till_done()
    assert await attacked.code(*activate) == "allowed"
    assert attacked.house.state(HALL) == "on"
    assert attacked.house.state(FRONT) == "locked"


async def test_a_scene_in_the_call(hass: HomeAssistant, attacked: Attacked) -> None:
    """Lights may be set at once, a lock in whatever spelling is asked about."""
    lights = call("scene.apply", None, entities={HALL: "on"})
    assert await attacked.code(*lights) == "allowed"
    for entities in (
        {FRONT: "unlocked"},
        {HALL: "on", " LOCK.Front_Door": {"state": "unlocked"}},
        {"cover.garage_door": {"state": "open"}},
        {"cover.evening_covers": "open"},
        {"automation.ask_caesar": "off"},
    ):
        code = await attacked.code(*call("scene.apply", None, entities=entities))
        assert code in (ASKED, "capability_denied"), entities
    assert attacked.house.state(FRONT) == "locked"
    assert attacked.house.state("cover.garage_door") == "closed"


async def test_a_script_that_was_edited(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """Every edit is seen at once, and an approval does not survive it."""
    runtime = attacked.house.entry.runtime_data
    start = call("script.turn_on", {ATTR_ENTITY_ID: "script.nightly"})
    digests = []
    revisions = [runtime.home.revision]
    for steps, code in (
        ([lit()], "allowed"),
        ([lit(), unlock()], ASKED),
        ([lit(), unlock(), unlock("lock.shed")], ASKED),
        ([lit(), {"action": "light.turn_on", "data": "{{ x }}"}], ASKED),
        ([lit(), {"action": "light.turn_on", "data": "{{ y }}"}], ASKED),
        ([lit()], "allowed"),
    ):
        await scripted(hass, nightly=steps)
        assert await attacked.code(*start) == code, steps
        outcome = attacked.house.reports[-1].outcomes[0]
        assert outcome.decision is not None
        digests.append(decision_digest(outcome.decision.policy))
        revisions.append(runtime.home.revision)
    assert len(set(digests)) == len(digests) - 1
    assert digests[0] == digests[-1]
    assert revisions == sorted(set(revisions))
    assert attacked.house.state(FRONT) == "locked"


async def test_a_scene_that_was_edited(hass: HomeAssistant, attacked: Attacked) -> None:
    """The same for scenes, with an id of their own and without."""
    revisions = [attacked.house.entry.runtime_data.home.revision]
    for name, own in (("evening", {"id": "evening"}), ("dinner", {})):
        activate = call("scene.turn_on", {ATTR_ENTITY_ID: f"scene.{name}"})
        for entities, code in (
            ({HALL: "on"}, "allowed"),
            ({HALL: "on", FRONT: "unlocked"}, ASKED),
            ({HALL: "on"}, "allowed"),
        ):
            scene = {**own, "name": name, "entities": entities}
            await reload(hass, scene=[scene])
            assert await attacked.code(*activate) == code, (own, entities)
            revisions.append(attacked.house.entry.runtime_data.home.revision)
    assert revisions == sorted(set(revisions))
    assert attacked.house.state(FRONT) == "locked"


async def test_a_user_who_may_only_start_it(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """Whoever may not touch what is inside may not start it either."""
    guest = MockUser(id="guest", name="Guest").add_to_hass(hass)
    own = {entity_id: {POLICY_CONTROL: True} for entity_id in ("script.nightly", HALL)}
    guest.mock_policy({"entities": {"entity_ids": own}})
    for steps, code in (
        ([lit()], "allowed"),
        ([lit(), lit(LAMP)], "capability_denied"),
        ([{"scene": "scene.movie_evening"}], "capability_denied"),
    ):
        await scripted(hass, nightly=steps)
        report = await attacked.house.obey(
            *call("script.nightly"), Context(user_id=guest.id)
        )
        assert report.calls[0]["code"] == code, steps
    assert attacked.house.state(LAMP) == "off"


async def test_a_script_that_was_renamed(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """A service runs the script it was made for, whatever took its entity's name."""
    await scripted(hass, nightly=[lit()], entrance=[unlock()])
    registry = er.async_get(hass)
    registry.async_update_entity("script.entrance", new_entity_id="script.was")
    registry.async_update_entity("script.nightly", new_entity_id="script.entrance")
    registry.async_update_entity("script.was", new_entity_id="script.nightly")
    await hass.async_block_till_done()
    assert await attacked.code(*call("script.entrance")) == ASKED
    assert await attacked.code(*call("script.nightly")) == "allowed"
    assert attacked.house.state(FRONT) == "locked"
    # Sharing is asked of the script that would run.
    async_expose_entity(hass, "conversation", "script.entrance", False)
    assert await attacked.code(*call("script.nightly")) == "capability_denied"


async def test_a_script_that_turns_against_us(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """What no rule grants is not granted inside a script, not even in part."""
    template = {"action": "caesar.ask", "data": {"text": "{{ words }}"}}
    for steps in (
        [{"action": "caesar.approve", "data": {"approval_id": "x"}}],
        [{"if": [], "then": [], "else": [template]}],
        [{"action": "homeassistant.restart"}],
        [{"parallel": [{"sequence": [{"action": "conversation.process"}]}]}],
    ):
        await scripted(hass, nightly=steps)
        assert await attacked.code(*call("script.nightly")) == "policy_denied", steps


async def test_automations(hass: HomeAssistant, attacked: Attacked) -> None:
    """Triggered they are as bad as their actions; switching one is asked about."""
    trigger = [{"trigger": "event", "event_type": "never"}]
    await reload(
        hass,
        automation=[
            {"id": "a", "alias": "Dim", "triggers": trigger, "actions": [lit()]},
            {"id": "b", "alias": "Open", "triggers": trigger, "actions": [unlock()]},
            {
                "id": "c",
                "alias": "Ask",
                "triggers": trigger,
                "actions": [{"action": "caesar.ask", "data": {"text": "x"}}],
            },
        ],
    )
    expected = {
        "dim": "allowed",
        "open": ASKED,
        "ask": "policy_denied",
    }
    for name, code in expected.items():
        entity_id = f"automation.{name}"
        async_expose_entity(hass, "conversation", entity_id, True)
        started = call("automation.trigger", {ATTR_ENTITY_ID: entity_id})
        assert await attacked.code(*started) == code, name
        switched = call("automation.turn_off", {ATTR_ENTITY_ID: entity_id})
        assert await attacked.code(*switched) == ASKED, name
    assert attacked.house.state(FRONT) == "locked"
    assert attacked.house.state(HALL) == "on"


BLUEPRINT: Final = """
blueprint:
  name: At the door
  domain: script
  input:
    door: {name: Door}
    step: {name: Step, default: []}
sequence:
  - action: homeassistant.turn_on
    target: {entity_id: !input door}
  - sequence: !input step
"""


async def test_a_blueprint_filled_in(hass: HomeAssistant, attacked: Attacked) -> None:
    """What was filled in counts, not the blueprint."""
    path = Path(hass.config.path("blueprints", "script", "door.yaml"))

    def write() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BLUEPRINT)

    await hass.async_add_executor_job(write)
    prints = set()
    for inputs, code in (
        ({"door": HALL}, "allowed"),
        ({"door": "scene.welcome_home"}, ASKED),
        ({"door": HALL, "step": [unlock()]}, ASKED),
        ({"door": HALL, "step": [{"event": "open_sesame"}]}, ASKED),
    ):
        await reload(
            hass,
            script={
                "nightly": {"use_blueprint": {"path": "door.yaml", "input": inputs}}
            },
        )
        async_expose_entity(hass, "conversation", "script.nightly", True)
        assert await attacked.code(*call("script.nightly")) == code, inputs
        prints.add(inside(hass, "script.nightly").fingerprint)
    assert len(prints) == 4
    assert attacked.house.state(FRONT) == "locked"


async def test_all_of_them_off(hass: HomeAssistant, attacked: Attacked) -> None:
    """A script for all lights is judged by all lights, a lock shown as one too."""
    await scripted(
        hass, nightly=[{"action": "light.turn_off", "target": {ATTR_ENTITY_ID: "all"}}]
    )
    assert await attacked.code(*call("script.nightly")) == "allowed"
    light = await attacked.shown_as("switch.garden_pump", "light", "Pump")
    assert await attacked.code(*call("script.nightly")) == "allowed"
    await attacked.shown_as("switch.garden_pump", "lock", "Back door")
    assert await attacked.code(*call("script.nightly")) == ASKED
    assert attacked.house.state(light)


async def test_what_was_read_is_kept_until_it_changes(
    hass: HomeAssistant, attacked: Attacked
) -> None:
    """Facts are the same objects until anything about them is another."""
    home: HomeAssistantHome = attacked.house.entry.runtime_data.home
    area = Target(area_id=("hall",))

    def seen() -> tuple[Any, ...]:
        return home.entity(HALL), home.expand(area), home.revision

    before = seen()
    state = hass.states.get(HALL)
    assert state is not None
    hass.states.async_set(HALL, "on", {**state.attributes, "brightness": 3})
    assert all(a is b for a, b in zip(before, seen(), strict=True))
    changes: list[Callable[[], object]] = [
        lambda: hass.states.async_set(HALL, "on", {"friendly_name": "Another"}),
        lambda: hass.states.async_set(HALL, "on", {"group_entities": [LAMP]}),
        lambda: async_expose_entity(hass, "conversation", HALL, False),
        lambda: er.async_get(hass).async_update_entity(HALL, labels={"cosy"}),
        lambda: hass.states.async_set("light.new", "on"),
        lambda: hass.states.async_remove("light.new"),
    ]
    for number, change in enumerate(changes):
        before = seen()
        change()
        await hass.async_block_till_done()
        after = seen()
        assert after[2] > before[2], number
        assert after[0] is not before[0], number
        assert after[1] is not before[1], number
    facts = home.entity(HALL)
    assert facts is not None
    assert (facts.exposed, facts.labels) == (False, frozenset({"cosy"}))

    # What nobody follows is read anew each time.
    still = HomeAssistantHome(hass)
    assert still.entity(HALL) is not still.entity(HALL)
    still.async_start()
    assert still.entity(HALL) is still.entity(HALL)
    assert await async_setup_component(hass, "group", {})
    light = await attacked.shown_as("switch.fountain", "light", "Fountain lamp")
    shown = still.entity("switch.fountain")
    assert shown is not None
    assert shown.members == (light,)
    await hass.config_entries.async_remove(
        hass.config_entries.async_entries("switch_as_x")[0].entry_id
    )
    alone = still.entity("switch.fountain")
    assert alone is not None
    assert alone.members == ()
    still.async_stop()
