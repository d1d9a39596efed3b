"""What recall says of what it found."""

from freezegun.api import FrozenDateTimeFactory
from homeassistant.core import HomeAssistant

from custom_components.caesar.adapters.recall import _local, _say
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.wording import async_wording


async def test_how_it_is_said(
    hass: HomeAssistant, freezer: FrozenDateTimeFactory
) -> None:
    """In both languages it says that it looked for words, and when it was."""
    row: dict[str, Json] = {
        "ts": "2026-11-30 23:30:00+00:00",
        "payload": {"question": "q", "reply": "r"},
    }
    # The tests' house is in a zone of its own: US/Pacific.
    freezer.move_to("2026-12-01 20:00:00+00:00")
    for language, how, said in (
        (
            "en",
            "Found by its words. ",
            "Yesterday at 3:30 PM you said: “q”. I answered: “r”",
        ),
        (
            "de",
            "Nach den Wörtern gesucht. ",
            "Gestern um 15:30 Uhr sagtest du: „q“. Ich antwortete: „r“",
        ),
    ):
        wording = await async_wording(hass, language)
        assert _say(wording, [row], by_words=True) == f"{how}{said}"
        assert _say(wording, [row], by_words=False) == said
        nothing = _say(wording, [], by_words=True)
        assert nothing
        assert nothing != _say(wording, [], by_words=False)
    assert _local("2026-11-30 23:30:00") == _local("2026-11-30 23:30:00+00:00")
