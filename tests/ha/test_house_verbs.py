"""What CAESAR did with tools of its own is told in words, never by a tool's name."""

import json
from pathlib import Path
from typing import Final

import pytest

import custom_components.caesar
from custom_components.caesar.adapters.activity_words import verb_of
from custom_components.caesar.policy.impact import HOUSE_TOOLS, Impact

TEXTS: Final = Path(custom_components.caesar.__file__).parent / "translations"
CHANGING: Final = (
    "forget_conversation",
    *(tool for tool, impact in HOUSE_TOOLS.items() if impact is not Impact.READ),
)


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("tool", CHANGING)
def test_each_that_changes_something_has_words(tool: str, language: str) -> None:
    """To be done, done, and not done."""
    texts = json.loads((TEXTS / f"{language}.json").read_text(encoding="utf-8"))
    verb = verb_of(tool, "")
    assert verb != "other"
    for way in ("do", "done", "not"):
        assert f"activity_{way}_{verb}" in texts["exceptions"]


def test_words_of_services_need_something_that_they_are_about() -> None:
    """Without a target the service is named."""
    assert verb_of("lock.unlock", "Front door") == "unlock"
    assert verb_of("fan.turn_on", "Fan") == "turn_on"
    assert verb_of("lock.unlock", "") == "other"
    assert verb_of("toaster.eject", "Toaster") == "other"
    assert verb_of("timer_start", "Kitchen") == "other"
