"""Share what was asked for: the way out of "not shared with Assist"."""

from homeassistant.components.homeassistant.exposed_entities import (
    async_expose_entity,
    async_should_expose,
)
from homeassistant.core import HomeAssistant
import pytest
from pytest_homeassistant_custom_component.typing import ClientSessionGenerator

from .dialog import EVERYDAY, Options, verdict

CELLAR = "lock.cellar_door"
KETTLE = "switch.kettle"


def shared(hass: HomeAssistant, entity_id: str) -> bool:
    """Return whether Assist may see an entity."""
    return async_should_expose(hass, "conversation", entity_id)


async def test_nothing(options: Options) -> None:
    """Says so."""
    await options.menu("share")
    assert options.shown["reason"] == "nothing_unshared"


async def test_shared_in_one_click(hass: HomeAssistant, options: Options) -> None:
    """What was asked for most comes first, nothing is ticked; then it can be done."""
    async_expose_entity(hass, "conversation", KETTLE, should_expose=False)
    await hass.async_block_till_done()
    answer = await options.house.ask("unlock the cellar door")
    assert "Expose" in answer["answer"]
    for _ in range(2):
        assert await verdict(options, "switch.turn_on", entity_id=KETTLE) == (
            "capability_denied"
        )

    await options.menu("share")
    assert options.options_of("shared") == [KETTLE, CELLAR]
    assert "default" not in options.field("shared")
    await options.send()
    assert options.shown["errors"] == {"base": "no_change"}
    assert not shared(hass, KETTLE)
    await options.send(shared=[KETTLE])
    assert options.shown["reason"] == "shared"
    assert shared(hass, KETTLE)
    assert not shared(hass, CELLAR)
    assert await verdict(options, "switch.turn_on", entity_id=KETTLE) == "done"

    await options.menu("share")
    assert options.options_of("shared") == [CELLAR]
    # Sharing gives no right: the policy still wants to be asked.
    await options.send(shared=[CELLAR])
    assert await verdict(options, "lock.unlock", entity_id=CELLAR) != "done"


async def test_only_what_was_asked_for(hass: HomeAssistant, options: Options) -> None:
    """An id that isn't in the list is refused by the form."""
    async_expose_entity(hass, "conversation", KETTLE, should_expose=False)
    await options.house.ask("unlock the cellar door")
    await options.menu("share")
    response = await options.client.post(
        f"/api/config/config_entries/options/flow/{options.shown['flow_id']}",
        json={"shared": [KETTLE]},
    )
    assert response.status == 400
    assert not shared(hass, KETTLE)


@pytest.mark.parametrize("options", [EVERYDAY], indirect=True)
async def test_not_without_an_admin(
    hass: HomeAssistant,
    options: Options,
    hass_read_only_access_token: str,
    hass_client: ClientSessionGenerator,
) -> None:
    """Others don't get the form; code that opens it without a person doesn't either."""
    await options.house.ask("unlock the cellar door")
    other = await hass_client(hass_read_only_access_token)
    response = await other.post(
        "/api/config/config_entries/options/flow",
        json={"handler": options.house.entry.entry_id},
    )
    assert response.status in (401, 403)
    flow = hass.config_entries.options
    shown = await flow.async_init(options.house.entry.entry_id)
    shown = await flow.async_configure(shown["flow_id"], {"next_step_id": "share"})
    assert shown["reason"] == "not_admin"
