"""What the repairs put right: the last good policy, a file changed by hand."""

from pathlib import Path
from typing import Any

from homeassistant.auth.models import User
from homeassistant.components.repairs import DOMAIN as REPAIRS, repairs_flow_manager
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import issue_registry as ir
from homeassistant.setup import async_setup_component
import pytest

from custom_components.caesar.const import DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.test_policy_file import (
    BAD,
    LIGHTS,
    NOTHING,
    issue,
    light_may_go_on,
    on_disk,
    rows,
    write,
)


async def begin(hass: HomeAssistant, issue_id: str) -> dict[str, Any]:
    """Open a repair as the frontend does."""
    assert await async_setup_component(hass, REPAIRS, {})
    manager = repairs_flow_manager(hass)
    assert manager is not None
    flow = await manager.async_init(DOMAIN, data={"issue_id": issue_id})
    return dict(flow)


async def submit(hass: HomeAssistant, flow: dict[str, Any]) -> dict[str, Any]:
    """Press Submit."""
    manager = repairs_flow_manager(hass)
    assert manager is not None
    return dict(await manager.async_configure(flow["flow_id"], {}))


async def put(hass: HomeAssistant, name: str, text: str) -> None:
    """Put a file beside the policy."""
    path = Path(hass.config.path("caesar", name))

    def put_there() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    await hass.async_add_executor_job(put_there)


@pytest.fixture
async def house(
    hass: HomeAssistant, hass_admin_user: User, request: pytest.FixtureRequest
) -> CaesarHouse:
    """Return CAESAR in the demo house; parameters: the policy, and the last good."""
    policy, good = getattr(request, "param", (LIGHTS, None))
    if good is not None:
        await put(hass, "policy.last_good.yaml", good)
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id, policy)


@pytest.mark.parametrize("house", [(BAD, LIGHTS)], indirect=True)
async def test_the_last_good_one_after_a_bad_start(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Everything is denied; a yes makes the last good text the file again."""
    assert not await light_may_go_on(house)
    found = issue(house, "policy_invalid")
    assert found is not None
    assert (found.is_fixable, found.translation_key) == (True, "policy_invalid_start")
    flow = await begin(hass, "policy_invalid")
    assert flow["type"] is FlowResultType.FORM
    assert flow["description_placeholders"]["line"] == "2"
    assert (await submit(hass, flow))["type"] is FlowResultType.CREATE_ENTRY
    assert await on_disk(house) == (LIGHTS, 0o600)
    assert await on_disk(house, "policy.bad.yaml") == (BAD, 0o600)
    assert issue(house, "policy_invalid") is None
    assert await light_may_go_on(house)
    assert [(kind, row["how"]) for kind, row in await rows(house)] == [
        ("policy.load_failed", "start"),
        ("policy.loaded", "restore"),
    ]


@pytest.mark.parametrize("house", [(BAD, None)], indirect=True)
async def test_nothing_to_go_back_to(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Then the repair only says what is wrong."""
    found = issue(house, "policy_invalid")
    assert found is not None
    assert (found.is_fixable, found.translation_key) == (False, "policy_invalid_only")


@pytest.mark.parametrize("house", [(BAD, LIGHTS)], indirect=True)
async def test_the_last_good_one_is_gone(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Somebody deleted it while the repair was open: nothing is changed."""
    flow = await begin(hass, "policy_invalid")
    good = Path(hass.config.path("caesar", "policy.last_good.yaml"))
    await hass.async_add_executor_job(good.unlink)
    result = await submit(hass, flow)
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "nothing_kept")
    assert (await on_disk(house))[0] == BAD


@pytest.mark.parametrize("house", [(BAD, BAD.replace("1", "2"))], indirect=True)
async def test_a_last_good_one_that_is_no_longer_good(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """It is not put into force, and nothing is written."""
    result = await submit(hass, await begin(hass, "policy_invalid"))
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "still_bad")
    assert (await on_disk(house))[0] == BAD
    assert issue(house, "policy_invalid") is not None
    assert not await light_may_go_on(house)


async def test_the_last_good_one_while_it_is_in_force(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """A bad reload changed nothing; the repair puts the file back too."""
    await write(house, BAD)
    with pytest.raises(ServiceValidationError):
        await house.entry.runtime_data.policy_file.async_reload()
    found = issue(house, "policy_invalid")
    assert found is not None
    assert found.translation_key == "policy_invalid"
    result = await submit(hass, await begin(hass, "policy_invalid"))
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert (await on_disk(house))[0] == LIGHTS
    assert await light_may_go_on(house)


async def test_load_the_changed_file(hass: HomeAssistant, house: CaesarHouse) -> None:
    """A file changed by hand is loaded when the owner says so."""
    await write(house, NOTHING)
    assert await house.entry.runtime_data.policy_file.async_is_changed()
    result = await submit(hass, await begin(hass, "policy_changed"))
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert issue(house, "policy_changed") is None
    assert not await light_may_go_on(house)


async def test_the_changed_file_is_bad(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Then its line is said, and the other repair takes over."""
    await write(house, BAD)
    assert await house.entry.runtime_data.policy_file.async_is_changed()
    result = await submit(hass, await begin(hass, "policy_changed"))
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "still_bad")
    assert result["description_placeholders"]["line"] == "2"
    assert issue(house, "policy_changed") is None
    assert issue(house, "policy_invalid") is not None
    assert await light_may_go_on(house)


async def test_caesar_is_not_running(hass: HomeAssistant, house: CaesarHouse) -> None:
    """The repair says so and does nothing."""
    await write(house, NOTHING)
    assert await house.entry.runtime_data.policy_file.async_is_changed()
    flow = await begin(hass, "policy_changed")
    assert await hass.config_entries.async_unload(house.entry.entry_id)
    result = await submit(hass, flow)
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "not_loaded")


@pytest.mark.parametrize("issue_id", ["audit_interrupted", "audit_chain_broken"])
async def test_the_trails_repairs_are_only_acknowledged(
    hass: HomeAssistant, house: CaesarHouse, issue_id: str
) -> None:
    """A yes takes the message away, as before."""
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        is_fixable=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key=issue_id,
        translation_placeholders={"count": "1", "calls": "- x"},
    )
    flow = await begin(hass, issue_id)
    assert flow["description_placeholders"] == {"count": "1", "calls": "- x"}
    assert (await submit(hass, flow))["type"] is FlowResultType.CREATE_ENTRY
    assert issue(house, issue_id) is None
