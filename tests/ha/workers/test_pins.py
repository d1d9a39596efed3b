"""What of a worker's words counts; the house's own key."""

from dataclasses import replace
from typing import Any

from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.worker_issues import _names
from custom_components.caesar.adapters.worker_keys import (
    async_load_identity,
    async_remove_identity,
)
from custom_components.caesar.adapters.worker_pins import (
    ALL,
    HARMLESS,
    compare,
    interface_hash,
    read_pins,
    trusted_pins,
    worst,
)
from custom_components.caesar.const import CONF_CONFIRMED, CONF_TOOLS
from custom_components.caesar.legion.keys import KeyTextError
from custom_components.caesar.legion.spec import Annotations
from custom_components.caesar.legion.spec_json import spec_as_json

from .hosts import BINS, GATE, SAFE


@pytest.mark.parametrize("name", sorted(ALL - {"destructive", "idempotent"}))
def test_a_claim_counts_only_if_it_is_made_and_confirmed(name: str) -> None:
    """Everything else has its least safe value."""
    harmless = HARMLESS[name]
    claims = replace(BINS, annotations=replace(Annotations(), **{name: harmless}))
    assert worst(claims, ()) == Annotations()
    assert getattr(worst(claims, {name}), name) is harmless
    assert worst(claims, ALL - {name}) == Annotations()
    assert worst(replace(claims, annotations=Annotations()), ALL) == Annotations()


def test_who_changes_nothing_needs_no_undoing() -> None:
    """The form asks once, not three times."""
    assert worst(BINS, {"read_only"}).destructive is False
    assert worst(BINS, {"read_only"}).untrusted_result is True


def test_a_tool_declared_twice_is_not_what_was_pinned() -> None:
    """Whichever of the two comes first."""
    pins, refused = read_pins(
        {CONF_TOOLS: {"bin_days": spec_as_json(BINS)}, CONF_CONFIRMED: {}}
    )
    assert refused == {}
    other = replace(BINS, description="Something else.")
    for declared in ((BINS, other), (other, BINS)):
        said = compare(pins, declared)
        assert said.served == frozenset()
        assert list(said.changed) == ["bin_days"]


@pytest.mark.parametrize(
    ("name", "pinned"),
    [
        ("bin_days", {}),
        ("bin_days", spec_as_json(GATE)),
        ("bin_days", {**spec_as_json(BINS), "more": 1}),
        ("bin_days", None),
    ],
)
def test_a_pin_that_is_no_pin_is_refused(name: str, pinned: object) -> None:
    """Somebody edited the storage: the tool isn't there, the rest is."""
    pins, refused = read_pins(
        {CONF_TOOLS: {name: pinned, "open_gate": spec_as_json(GATE)}}
    )
    assert list(pins) == ["open_gate"]
    assert list(refused) == [name]


def test_an_interface_is_input_and_annotations() -> None:
    """Words may differ between two workers that serve one tool."""
    assert interface_hash(replace(BINS, description="x", title="y")) == interface_hash(
        BINS
    )
    assert interface_hash(replace(BINS, annotations=Annotations())) != interface_hash(
        BINS
    )
    assert interface_hash(
        replace(BINS, input_schema={"type": "object"})
    ) != interface_hash(BINS)


def test_of_our_own_tools_only_the_calculator_vouches_for_its_results() -> None:
    """What the others bring was written by strangers, whatever their files say."""
    pins = trusted_pins([replace(BINS, name="calculator"), BINS])
    assert pins["calculator"].effective.annotations == SAFE
    assert pins["bin_days"].effective.annotations == replace(
        SAFE, untrusted_result=True
    )


def test_names_in_a_repair_are_few_and_plain() -> None:
    """A worker's words are no markup."""
    shown = _names([f"tool_{number}" for number in range(9)])
    assert shown.count(",") == 4
    assert shown.endswith("(+4)")
    assert "tool\\_0" in shown


async def test_the_house_has_one_key(hass: HomeAssistant) -> None:
    """Made once, and again only after the entry was removed."""
    first = await async_load_identity(hass)
    assert (await async_load_identity(hass)).public_key == first.public_key
    await async_remove_identity(hass)
    assert (await async_load_identity(hass)).public_key != first.public_key


async def test_a_damaged_key_is_an_error_and_not_a_new_key(
    hass: HomeAssistant, hass_storage: dict[str, Any]
) -> None:
    """A new one would lock out every worker without a word."""
    identity = await async_load_identity(hass)
    kept = hass_storage["caesar.legion"]["data"]
    assert kept == {"seed": identity.seed}
    kept["seed"] = identity.seed[:-1] + ("A" if identity.seed[-1] != "A" else "B")
    with pytest.raises(KeyTextError):
        await async_load_identity(hass)
