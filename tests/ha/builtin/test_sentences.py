"""What people say, and what the built-in brain asks of the gate for it.

The tables are `sentences_en.txt` and `sentences_de.txt`: one line a sentence.
"""

from collections.abc import Iterator
import json
from pathlib import Path
import re

from homeassistant.core import Event, HomeAssistant
import pytest

from custom_components.caesar.brain.periods import Period
from custom_components.caesar.brain.provider import StopReason
from custom_components.caesar.providers.builtin.sentences import sentences_of
from custom_components.caesar.turn import ToolRequest

from .talk import Talk

GROUPS = {
    "@blinds": (
        "cover.bedroom_blind cover.childrens_room_blind cover.living_room_blind"
    ),
    "@lights": (
        "light.bedroom_lamp light.ceiling_light light.childrens_room_light "
        "light.counter_light light.floor_lamp light.garden_lights light.hall_light "
        "light.kitchen_light light.living_room_lights light.night_light "
        "light.reading_light light.shelf_light"
    ),
    "@lights_downstairs": (
        "light.ceiling_light light.counter_light light.floor_lamp light.hall_light "
        "light.kitchen_light light.shelf_light"
    ),
    "@lights_upstairs": (
        "light.bedroom_lamp light.childrens_room_light light.night_light "
        "light.reading_light"
    ),
    "@locks": "lock.front_door lock.outside_locks lock.shed",
}
_GROUP = re.compile(r"@\w+")


def table(language: str) -> Iterator[tuple[str, str]]:
    """Yield sentences with what they should ask for, groups spelt out."""
    path = Path(__file__).with_name(f"sentences_{language}.txt")
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            said, _, asked = line.partition(" =>")
            yield said, _GROUP.sub(lambda group: GROUPS[group[0]], asked).strip()


TABLES = {language: list(table(language)) for language in ("en", "de")}


def line_of(request: ToolRequest) -> str:
    """Return a request as the tables write it."""
    arguments = dict(request.arguments or {})
    if request.name == "call_service":
        target, rest = arguments["target"], arguments["data"]
        assert isinstance(target, dict)
        ids, name = target["entity_id"], f"{arguments['domain']}.{arguments['service']}"
    else:
        ids, name = arguments.pop("entity_id", []), request.name
        rest = arguments
    assert isinstance(ids, list)
    words = [name, *map(str, ids)]
    if rest:
        words.append(json.dumps(rest, ensure_ascii=False))
    return " ".join(words)


@pytest.mark.parametrize("language", ["en", "de"])
async def test_sentences(hass: HomeAssistant, talk: Talk, language: str) -> None:
    """Each sentence asks for exactly these calls, and nothing is done by the brain."""
    called: list[Event] = []
    hass.bus.async_listen("call_service", called.append)
    hass.bus.async_listen("state_changed", called.append)
    wrong = []
    for said, wanted in TABLES[language]:
        now = await talk.plan(said, language)
        asked = "; ".join(map(line_of, now.requests))
        stop = StopReason.TOOL_USE if wanted else StopReason.NOT_UNDERSTOOD
        if (asked, now.stop, now.text) != (wanted, stop, ""):
            wrong.append(f"{said}\n  {now.stop} {asked} {now.text}\n  {wanted}")
    assert not wrong, "\n".join(wrong)
    assert not called
    assert len(TABLES[language]) > 200
    # Big letters, a question mark or a please mean the same.
    please = {"en": "could you please {}?", "de": "{} bitte!"}[language]
    for said, wanted in TABLES[language][:12]:
        for text in (said.upper(), please.format(said.rstrip("?"))):
            now = await talk.plan(text, language)
            assert "; ".join(map(line_of, now.requests)) == wanted, text


@pytest.mark.parametrize("language", ["en", "de"])
def test_each_time_that_is_named_is_a_period(language: str) -> None:
    """And each period has words in both languages."""
    sentences = sentences_of(language)
    assert sentences is not None
    assert {each["out"] for each in sentences["lists"]["past"]["values"]} == {*Period}
