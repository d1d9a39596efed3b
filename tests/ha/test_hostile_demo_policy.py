"""The list of hostile inputs, item 9: what may be wrong with a policy file.

A bad file never widens anything: loaded in a running house the last good one stays, at
a start everything is denied.
"""

from pathlib import Path
import re
from time import monotonic
from typing import Final

from homeassistant.const import ATTR_ENTITY_ID
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import issue_registry as ir
import pytest

from custom_components.caesar.const import DOMAIN
from tests.ha.approvals import approvals, waiting
from tests.ha.demo_platforms import FRONT, LIGHT, Demo
from tests.ha.house import CaesarHouse
from tests.ha.test_hostile import call
from tests.ha.test_hostile_demo import another_policy, demo, house

__all__ = ["demo", "house"]

GOOD: Final = "version: 1\nallowed_services: [light.toggle]\n"
OPEN_DOOR: Final = "{service: lock.unlock, approval: never}"
HEAD: Final = f"version: 1\nallowed_services:\n  - {OPEN_DOOR}\n"
BAD: Final = {
    "corrupt": f"version: 1\nallowed_services: [{OPEN_DOOR}\n",
    "no text": "version: 1\x00\nallowed_services: []\n",
    "no map": f"- {OPEN_DOOR}\n",
    "no version": f"allowed_services: [{OPEN_DOOR}]\n",
    "another version": f"version: 2\nallowed_services: [{OPEN_DOOR}]\n",
    "unknown key": f"version: 1\nallowed_service: [{OPEN_DOOR}]\n",
    "unknown key of a rule": f"{HEAD}  - {{service: lock.open, targets: {{}}}}\n",
    "unknown key of a target": f"{HEAD}  - {{service: lock.open, target: {{x: y}}}}\n",
    "doubled key": f"{HEAD}allowed_services: []\n",
    "doubled key of a rule": f"{HEAD}  - {{service: lock.open, service: lock.lock}}\n",
    "empty target": f"{HEAD}  - {{service: lock.open, target: {{}}}}\n",
    "empty whom": f"{HEAD}  - {{service: lock.open, for: {{}}}}\n",
    "nobody there": f"{HEAD}  - {{service: lock.open, for: {{user: [Nobody]}}}}\n",
    "anchor": f"version: 1\nallowed_services: [&door {OPEN_DOOR}, *door]\n",
    "merge": f"version: 1\nallowed_services: [{{<<: {OPEN_DOOR}}}]\n",
    "tag": f"version: 1\nallowed_services: !include [{OPEN_DOOR}]\n",
    "two documents": f"{HEAD}---\n{HEAD}",
    "star": "version: 1\nallowed_services: ['*']\n",
    "star of a domain": "version: 1\nallowed_services: ['lock.*']\n",
    "template": "version: 1\nallowed_services: ['{{ \"lock.unlock\" }}']\n",
    "approval of another kind": f"{HEAD}  - {{service: lock.open, approval: no}}\n",
    "locked without approval": f"{HEAD}  - {{service: shell_command.touch, "
    "approval: never}\n",
    "an expression with no end": f"{HEAD}  - {{service: text.set_value, "
    'data: {value: {pattern: "(a+)+$["}}}\n',
}
DENIED_AND_ALLOWED: Final = {
    "by name": "lock.unlock",
    "by the tool's name": "lock__unlock",
    "by a glob": "lock.*",
    "all": "'*'",
    "the tool for all": "call_service",
}


def _write(hass: HomeAssistant, text: str) -> None:
    Path(hass.config.path("caesar", "policy.yaml")).write_text(text)


async def _code(house: CaesarHouse, service: str, entity_id: str) -> str:
    """Return what comes of a call; a question is taken back."""
    report = await house.obey(*call(service, {ATTR_ENTITY_ID: entity_id}))
    await house.hass.async_block_till_done()
    for pending in waiting(house):
        await approvals(house).desk.withdraw(pending.id)
    [made] = report.calls
    return str(made["code"])


async def test_a_bad_file_changes_nothing(
    hass: HomeAssistant, house: CaesarHouse, demo: Demo
) -> None:
    """The last good one goes on, its grants and no others; the repair says the line."""
    await another_policy(house, GOOD)
    for told, text in BAD.items():
        with pytest.raises(ServiceValidationError) as caught:
            await another_policy(house, text)
        assert caught.value.translation_key == "policy_invalid", told
        assert (DOMAIN, "policy_invalid") in ir.async_get(hass).issues, told
    demo.listen()
    assert await _code(house, "lock.unlock", FRONT) == "not_listed"
    assert [each for each in demo.calls if each.startswith("lock.")] == []
    assert await _code(house, "light.toggle", LIGHT) == "allowed"


async def test_a_bad_file_at_start_denies_everything(
    hass: HomeAssistant, house: CaesarHouse, demo: Demo
) -> None:
    """Reads too; nothing is put in its place."""
    for told in ("corrupt", "doubled key", "merge", "star"):
        await hass.async_add_executor_job(_write, hass, BAD[told])
        assert await hass.config_entries.async_reload(house.entry.entry_id)
        await hass.async_block_till_done()
        for service, entity_id in (("lock.unlock", FRONT), ("light.turn_on", LIGHT)):
            assert await _code(house, service, entity_id) == "policy_denied", told
        read = await house.obey("get_state", {ATTR_ENTITY_ID: [FRONT]})
        assert read.calls[0]["code"] == "policy_denied", told
    assert house.state(FRONT) == "locked"
    assert house.state(LIGHT) == "off"


async def test_empty_both_and_slow(
    hass: HomeAssistant, house: CaesarHouse, demo: Demo
) -> None:
    """An empty file grants reading only, a deny wins, no pattern takes long."""
    demo.listen()
    for text in ("", "\n# nothing\n", "version: 1\n"):
        await another_policy(house, text)
        assert await _code(house, "lock.unlock", FRONT) == "not_listed", text
        assert await _code(house, "light.turn_on", LIGHT) == "not_listed", text
        read = await house.obey("get_state", {ATTR_ENTITY_ID: [FRONT]})
        assert read.calls[0]["outcome"] == "ok", text
    for told, glob in DENIED_AND_ALLOWED.items():
        await another_policy(house, f"{HEAD}bot:\n  tool_policy:\n    deny: [{glob}]\n")
        assert await _code(house, "lock.unlock", FRONT) == "policy_denied", told
    assert [each for each in demo.calls if not each.startswith("caesar.")] == []
    slow = '{value: {pattern: "(a|aa)+b"}}'
    rule = f"{{service: text.set_value, data: {slow}, approval: never}}"
    text = f"version: 1\nallowed_services: [{rule}]\n"
    await another_policy(house, text)
    begun = monotonic()
    long = call("text.set_value", {ATTR_ENTITY_ID: "text.text"}, value="a" * 90)
    report = await house.obey(*long)
    assert report.calls[0]["verdict"] == "deny"
    assert monotonic() - begun < 5
    # What Python's own expressions would need for this can't be waited for.
    assert re.fullmatch("(a|aa)+b", "a" * 20) is None
    assert house.state("text.text") == "Hello world"
