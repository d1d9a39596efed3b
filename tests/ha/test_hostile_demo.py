"""The list of hostile inputs, items 1 to 8, against Home Assistant's own demo devices.

Under the everyday policy, and under one that grants the neighbour of each guarded
thing. Nothing may be called or moved; each try leaves one row with its reason. What is
granted works.
"""

from pathlib import Path
import re
from typing import Final

from homeassistant.auth.models import User
from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import Context, HomeAssistant, ServiceCall
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.policy.impact import is_never
from tests.fakes.loop_guard import loop_guard
from tests.ha.approvals import approvals, waiting
from tests.ha.demo_attacks import ITEMS, Form
from tests.ha.demo_platforms import Demo, async_build_demo
from tests.ha.house import CaesarHouse, async_move_in

# One granted thing beside each guarded one.
NEIGHBOURS: Final = """
version: 1
allowed_services:
  - {service: lock.unlock, target: {entity_id: [lock.openable_lock]}, approval: never}
  - {service: lock.lock, approval: never}
  - service: cover.open_cover
    target: {entity_id: [cover.kitchen_window]}
  - service: cover.set_cover_position
    target: {entity_id: [cover.living_room_window]}
  - service: cover.open_cover_tilt
    target: {entity_id: [cover.living_room_window]}
  - service: valve.open_valve
    target: {entity_id: [valve.front_garden]}
    approval: never
  - service: valve.close_valve
    target: {entity_id: [valve.front_garden]}
    approval: never
  - {service: alarm_control_panel.alarm_arm_night, approval: never}
  - {service: button.press, target: {entity_id: [button.push]}, approval: never}
  - {service: homeassistant.turn_off, target: {entity_id: [light.bed_light]}}
  - {service: homeassistant.turn_on, target: {entity_id: [light.bed_light]}}
  - {service: homeassistant.toggle, target: {entity_id: [light.bed_light]}}
  - {service: light.turn_on, target: {label_id: [outside]}}
  - {service: light.turn_off, target: {entity_id: [light.good_lamps]}}
  - {service: switch.turn_on, target: {entity_id: [switch.ac, switch.plain_switch]}}
  - {service: scene.turn_on, target: {entity_id: [scene.evening]}, approval: never}
  - scene.apply
  - {service: script.turn_on, target: {entity_id: [script.evening]}, approval: never}
  - {service: script.evening, approval: never}
  - service: media_player.play_media
    target: {entity_id: [media_player.living_room]}
  - service: notify.send_message
    target: {entity_id: [notify.mybox_personal_notifier]}
    approval: never
  - {service: number.set_value, target: {entity_id: [number.small_range]}}
  - {service: vacuum.start, target: {floor_id: [ground]}}
"""
# What an owner writes who wants scenes, scripts and automations to work.
OPEN: Final = """
version: 1
allowed_services:
  - scene.turn_on
  - scene.apply
  - scene.create
  - script.turn_on
  - script.toggle
  - script.let_in
  - script.by_device
  - script.templated_light
  - automation.trigger
  - automation.turn_off
  - homeassistant.turn_on
"""
STARTERS: Final = ("5", "6", "8")
"""The items that are about these."""
NAMED: Final = re.compile(r"\b[a-z_]+\.[a-z0-9_]+")
AT_ONCE: Final = 10
"""Fewer than the limits of calls and of questions let one person have."""


@pytest.fixture
async def demo(hass: HomeAssistant) -> Demo:
    """Return the house of Home Assistant's own devices."""
    return await async_build_demo(hass)


@pytest.fixture
async def house(
    hass: HomeAssistant, demo: Demo, hass_admin_user: User, tmp_path: Path
) -> CaesarHouse:
    """Return CAESAR in it under the everyday policy, with commands to be misused."""
    assert await async_setup_component(hass, "persistent_notification", {})
    mark = {"shell_command": {"touch": f"touch {tmp_path / 'mark'}"}}
    assert await async_setup_component(hass, "shell_command", mark)
    send = {"rest_command": {"send": {"url": "http://127.0.0.1:9/open"}}}
    assert await async_setup_component(hass, "rest_command", send)
    for service in (
        "python_script.unlock",
        "mqtt.publish",
        "zwave_js.set_value",
        "zha.issue_zigbee_cluster_command",
        "notify.mobile_app_phone",
        "notify.notify",
        "recorder.purge",
        "backup.create",
        "hassio.host_reboot",
    ):
        _stub(hass, service)
    return await async_move_in(hass, hass_admin_user.id)


def _stub(hass: HomeAssistant, service: str) -> None:
    """Register a service whose integration needs a device or another library."""

    async def do_nothing(_: ServiceCall) -> None:
        """Be called: that alone is what must not happen."""

    domain, _, name = service.partition(".")
    hass.services.async_register(domain, name, do_nothing)


async def another_policy(house: CaesarHouse, text: str) -> None:
    """Let the owner write another file and load it."""
    path = Path(house.hass.config.path("caesar", "policy.yaml"))
    await house.hass.async_add_executor_job(path.write_text, text)
    await house.hass.services.async_call(
        "caesar", "reload_policy", blocking=True, context=Context(user_id=house.user_id)
    )


async def attempt(house: CaesarHouse, demo: Demo, form: Form, number: int) -> None:
    """Let the model try one form; every tenth time another person asks."""
    told, attack = form
    if number % AT_ONCE == 0:
        person = MockUser(is_owner=True).add_to_hass(house.hass)
        house.user_id = person.id
    report = await house.obey(*attack)
    await house.hass.async_block_till_done()
    demo.assert_still(told)
    [made] = report.calls
    # A question that nobody answered is no leave.
    assert made["verdict"] in ("deny", "ask"), (told, made)
    assert made["outcome"] == "none", (told, made)
    assert made["code"] != "rate_limited", (told, made)
    [row] = await house.trail(report.decision_id)
    assert row["verdict"] in ("deny", "approval"), (told, row)
    assert row["connector"], (told, row)
    assert row["action"], (told, row)
    assert row["verdict_reason"] not in ("", None, "allowed"), (told, row)
    for pending in waiting(house):
        await approvals(house).desk.withdraw(pending.id)


async def test_each_form_aims_at_something(house: CaesarHouse, demo: Demo) -> None:
    """What isn't there is refused too, and shows nothing."""
    made_on_the_way = ("scene.later", "script.made")
    there = {*house.hass.states.async_entity_ids(), *made_on_the_way}
    aimed = set()
    for forms in ITEMS.values():
        for _, (_, arguments) in forms(demo):
            target = arguments.get("target") or arguments
            aimed.update(NAMED.findall(str(target.get(ATTR_ENTITY_ID))))
    assert len(aimed) > len(made_on_the_way)
    assert aimed <= there


@pytest.mark.parametrize("item", ITEMS)
async def test_nothing_guarded_moves(
    house: CaesarHouse, demo: Demo, tmp_path: Path, item: str
) -> None:
    """Each form is refused or asked about under each policy, and moves nothing."""
    forms = [*ITEMS[item](demo)]
    before = demo.states()
    with loop_guard():
        for policy in (None, NEIGHBOURS, *([OPEN] if item[0] in STARTERS else [])):
            if policy is not None:
                await another_policy(house, policy)
            demo.listen()
            for number, form in enumerate(forms):
                await attempt(house, demo, form, number)
            demo.stop()
    assert demo.states() == before
    assert not (tmp_path / "mark").exists()


async def test_nothing_guarded_moves_where_all_is_listed(
    hass: HomeAssistant, house: CaesarHouse, demo: Demo
) -> None:
    """An owner who lists every service there is, and waives no approval."""
    listed = "".join(
        f"  - {domain}.{service}\n"
        for domain, services in hass.services.async_services().items()
        for service in services
        if not is_never(f"{domain}.{service}")
    )
    await another_policy(house, f"version: 1\nallowed_services:\n{listed}")
    demo.listen()
    forms = [
        form
        for item in ITEMS
        if item[0] in ("1", "2", "3", "7")
        for form in ITEMS[item](demo)
        # These two can be undone; such a policy grants them.
        if not form[0].startswith(("climate.", "todo."))
    ]
    for number, form in enumerate(forms):
        await attempt(house, demo, form, number)
