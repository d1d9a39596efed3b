"""Names of people, areas, devices, agents and PINs, as the policy file may use them."""

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar, device_registry as dr
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.caesar.adapters.directory import HouseDirectory, async_directory
from custom_components.caesar.policy.directory import Named, NameKind
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house."""
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id)


async def directory(house: CaesarHouse, *pins: str) -> HouseDirectory:
    """Take a snapshot."""
    return await async_directory(house.hass, house.entry, pins)


def ids(found: tuple[Named, ...]) -> list[str]:
    """Return the ids, sorted."""
    return sorted(named.id for named in found)


async def test_people(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Found by id and by name; two of one name are both found; no system users."""
    adult = await hass.auth.async_create_user("Adult  Two")
    other = await hass.auth.async_create_user("adult two")
    names = await directory(house)
    assert ids(names.find(NameKind.USER, " ADULT TWO ")) == sorted([adult.id, other.id])
    assert ids(names.find(NameKind.USER, adult.id)) == [adult.id]
    assert names.find(NameKind.USER, "nobody") == ()
    assert names.find(NameKind.USER, "") == ()
    assert names.find(NameKind.USER, "CAESAR voice") == ()
    own = next(u for u in await hass.auth.async_get_users() if u.system_generated)
    assert names.find(NameKind.USER, own.id) == ()
    assert names.find(NameKind.AREA, adult.id) == ()
    assert "CAESAR automations" not in names.names(NameKind.USER)


async def test_an_id_wins_over_a_name(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Who is named like another one's id isn't that other one."""
    adult = await hass.auth.async_create_user("Adult")
    await hass.auth.async_create_user(adult.id)
    names = await directory(house)
    assert ids(names.find(NameKind.USER, adult.id)) == [adult.id]


async def test_areas_and_devices(hass: HomeAssistant, house: CaesarHouse) -> None:
    """Aliases of areas too; a device by the name that its owner gave it."""
    areas = ar.async_get(hass)
    den = areas.async_create("The Den", aliases={"Cave"})
    entry = MockConfigEntry()
    entry.add_to_hass(hass)
    devices = dr.async_get(hass)
    tablet = devices.async_get_or_create(
        config_entry_id=entry.entry_id, identifiers={("x", "1")}, name="SM-T500"
    )
    devices.async_update_device(tablet.id, name_by_user="Children's tablet")
    names = await directory(house)
    for word in (den.id, "the den", "CAVE"):
        assert ids(names.find(NameKind.AREA, word)) == [den.id]
    assert ids(names.find(NameKind.DEVICE, "children's tablet")) == [tablet.id]
    assert names.find(NameKind.DEVICE, "SM-T500") == ()
    assert "The Den" in names.names(NameKind.AREA)


async def test_agents_and_pins(hass: HomeAssistant, house: CaesarHouse) -> None:
    """An agent by subentry, title or entity; a PIN by its name only."""
    [agent_id] = house.entry.subentries
    names = await directory(house, "front door")
    for word in (agent_id, "caesar", "conversation.caesar"):
        assert ids(names.find(NameKind.AGENT, word)) == [agent_id]
    assert ids(names.find(NameKind.PIN, "Front Door")) == ["front door"]
    assert list(names.names(NameKind.PIN)) == ["front door"]


async def test_equal_while_names_mean_the_same(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """A renamed area makes another directory; a light that goes on doesn't."""
    before = await directory(house)
    hass.states.async_set("light.new", "on")
    assert await directory(house) == before
    den = ar.async_get(hass).async_create("The Den")
    with_den = await directory(house)
    assert with_den != before
    ar.async_get(hass).async_update(den.id, name="The Cave")
    assert await directory(house) != with_den
    assert await directory(house, "front door") != await directory(house)
