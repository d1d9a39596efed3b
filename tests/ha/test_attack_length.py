"""A message of any length: the built-in brain is not kept busy for minutes by it."""

from typing import Any

import pytest

from custom_components.caesar.providers.builtin.provider import MAX_HEARD
from tests.ha.approvals import house, say, speech
from tests.ha.house import CaesarHouse

__all__ = ["house"]


async def test_no_endless_sentence_is_parsed(
    house: CaesarHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody says this: it is not understood, at once."""
    builtin: Any = house.assistant._providers[0]
    recogniser = builtin.provider._recogniser
    heard: list[int] = []
    for name in ("hear", "hear_unknown"):
        original = getattr(recogniser, name)

        async def spy(text: str, *more: Any, _original: Any = original) -> Any:
            heard.append(len(text))
            return await _original(text, *more)

        monkeypatch.setattr(recogniser, name, spy)
    answer = await say(house, "turn off the kitchen light and " * 2000)
    assert "understand" in speech(answer)
    assert heard == []
    await say(house, f"turn off the kitchen light{' ' * MAX_HEARD}")
    assert heard
