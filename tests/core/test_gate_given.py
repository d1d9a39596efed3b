"""What of a call's data is remembered, so that it can be said again."""

import pytest

from custom_components.caesar.legion.canonical import Json
from tests.fakes.parts import GateUnderTest

from .test_gate import KITCHEN, under_test

__all__ = ["under_test"]


@pytest.mark.parametrize(
    ("data", "given"),
    [
        (None, {}),
        ({"brightness_pct": 30, "transition": 2}, {"brightness_pct": 30}),
        ({"rgb_color": [255, 0, 0]}, {"rgb_color": [255, 0, 0]}),
        ({"color_name": "red"}, {"color_name": "red"}),
        ({"color_name": "r" * 41}, {}),
        ({"color_name": ["red"]}, {}),
        ({"code": 1234, "message": "hello", "item": "milk"}, {}),
        ({"temperature": "{{ 7 }}", "position": True, "percentage": None}, {}),
        ({"rgb_color": [1, 2, 3, 4, 5], "hs_color": ["a", 1], "brightness": []}, {}),
    ],
)
async def test_levels_and_nothing_else(
    under_test: GateUnderTest, data: dict[str, Json] | None, given: dict[str, Json]
) -> None:
    """Numbers and modes of known names; no codes, no messages."""
    outcome = await under_test.service("light.turn_on", KITCHEN, data)
    assert outcome.given == given


async def test_a_read_has_none(under_test: GateUnderTest) -> None:
    """A read is asked again by its own words."""
    assert (await under_test.read("light.kitchen")).given == {}
