"""The policy file on the disk: full disks, links, and what is no plain file."""

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
from homeassistant.exceptions import ServiceValidationError
import pytest

from custom_components.caesar.adapters.policy_store import (
    PolicyFileChanged,
    PolicyNotWritten,
    PolicyStore,
    UnreadablePolicyFile,
)
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.test_policy_file import (
    LIGHTS,
    NOTHING,
    file_of,
    light_may_go_on,
    path_of,
    write,
)


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house."""
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id, LIGHTS)


async def test_a_full_disk_changes_nothing(
    house: CaesarHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that can't be written leaves the policy in force alone."""
    policy_file = file_of(house)

    def full(*_: object) -> None:
        raise PolicyNotWritten("no space left")

    monkeypatch.setattr(PolicyStore, "_write", full)
    with pytest.raises(PolicyNotWritten) as caught:
        await policy_file.async_save(
            NOTHING, expected_revision=policy_file.revision, by=house.user_id
        )
    assert "no space left" in str(caught.value)
    assert await light_may_go_on(house)
    assert not await policy_file.async_is_changed()


async def test_a_link_made_later_is_refused(
    house: CaesarHouse, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Saving never writes outside of the configuration folder."""
    policy_file = file_of(house)
    outside = tmp_path_factory.mktemp("outside") / "policy.yaml"
    path = path_of(house)

    def link() -> None:
        outside.write_text(LIGHTS)
        path.unlink()
        path.symlink_to(outside)

    await house.hass.async_add_executor_job(link)
    with pytest.raises(PolicyFileChanged):
        await policy_file.async_save(
            NOTHING, expected_revision=policy_file.revision, by=house.user_id
        )
    with pytest.raises(UnreadablePolicyFile):
        await policy_file.async_restore()
    assert await house.hass.async_add_executor_job(outside.read_text) == LIGHTS


async def test_a_link_inside_the_folder_stays_a_link(house: CaesarHouse) -> None:
    """Who keeps the policy elsewhere in the folder keeps it there."""
    policy_file = file_of(house)
    path = path_of(house)
    real = path.parent.parent / "my_policy.yaml"

    def link() -> None:
        path.rename(real)
        path.symlink_to(real)

    await house.hass.async_add_executor_job(link)
    await policy_file.async_save(
        NOTHING, expected_revision=policy_file.revision, by=house.user_id
    )
    assert await house.hass.async_add_executor_job(path.is_symlink)
    assert await house.hass.async_add_executor_job(real.read_text) == NOTHING


async def test_too_large(house: CaesarHouse) -> None:
    """More than 2 MiB is no policy."""
    await write(house, "version: 1\n" + "# x\n" * 600_000)
    with pytest.raises(ServiceValidationError) as caught:
        await file_of(house).async_reload()
    assert caught.value.translation_key == "policy_invalid"
    assert await light_may_go_on(house)


async def test_no_plain_file(house: CaesarHouse) -> None:
    """A folder, or a pipe that would wait for ever, is no policy."""
    path = path_of(house)

    def swap() -> None:
        path.unlink()
        path.mkdir()

    await house.hass.async_add_executor_job(swap)
    with pytest.raises(ServiceValidationError) as caught:
        await file_of(house).async_reload()
    assert "no plain file" in str(caught.value)
