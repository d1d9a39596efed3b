"""Intents that the owner has added: a tool each, listed or denied, asked, in the trail."""

from pathlib import Path
from typing import Any, Final

from homeassistant.auth.models import User
from homeassistant.core import Context, Event, HomeAssistant, callback
from homeassistant.helpers import intent
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.policy.call import tool_id
from house.in_hass import async_build_house
from tests.ha.approvals import KITCHEN, say, speech, waiting
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.test_timers import tool_rows

POLICY: Final = """
version: 1
allowed_services: []
allowed_tools:
  - tool: intent__FeedTheCat
    approval: never
    tainted: allow
  - intent__WaterPlants
"""
SENTENCES: Final = """
language: en
intents:
  FeedTheCat:
    data:
      - sentences: ["feed the cat [{portions} portions]"]
  WaterPlants:
    data:
      - sentences: ["water the plants"]
  OpenTheHatch:
    data:
      - sentences: ["open the hatch"]
lists:
  portions:
    range: {from: 1, to: 9}
"""
SCRIPT: Final[dict[str, Any]] = {
    "FeedTheCat": {
        "action": [
            {"action": "light.turn_on", "target": {"entity_id": KITCHEN}},
        ],
        "speech": {"text": "The cat has {{ portions | default(1) }} portions."},
    },
    "WaterPlants": {"speech": {"text": "Watered."}},
    "OpenTheHatch": {"speech": {"text": "Opened."}},
    "HassTurnOff": {"speech": {"text": "Overridden."}},
}


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in a house whose owner has added sentences and intents."""
    hass.loop.set_debug(False)

    def write() -> None:
        folder = Path(hass.config.path("custom_sentences", "en"))
        folder.mkdir(parents=True)
        (folder / "own.yaml").write_text(SENTENCES)

    await hass.async_add_executor_job(write)
    await async_build_house(hass)
    assert await async_setup_component(hass, "intent_script", {"intent_script": SCRIPT})
    await hass.services.async_call(
        "light", "turn_off", {"entity_id": KITCHEN}, blocking=True
    )
    return await async_move_in(hass, hass_admin_user.id, POLICY)


async def test_a_listed_one_is_carried_out(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Its slots arrive, its words are said, its calls are a child of the turn's."""
    contexts: list[Context] = []

    @callback
    def called(event: Event[Any]) -> None:
        if event.data["service"] == "turn_on":
            contexts.append(event.context)

    hass.bus.async_listen("call_service", called)
    answer = speech(await say(house, "feed the cat 3 portions"))
    assert answer == "The cat has 3 portions."
    assert house.state(KITCHEN) == "on"
    (context,) = contexts
    assert context.user_id == house.user_id
    rows = await tool_rows(house, "intent__FeedTheCat")
    assert [row["type"] for row in rows] == ["tool.intended", "tool.called"]
    assert rows[0]["input"] == {"portions": 3}
    assert rows[0]["decision"]["impact"] == "destructive"
    assert rows[0]["connector"] == "home"


async def test_why_names_it_in_words(hass: HomeAssistant, house: CaesarHouse) -> None:
    """As a person says it; one that is gone by now is not named."""
    await say(house, "feed the cat")
    said = speech(await say(house, "why did you do that"))
    assert "you asked me to use your own sentence “feed the cat”." in said
    german = speech(await say(house, "Warum hast du das gemacht?", language="de"))
    assert "deinen eigenen Satz „feed the cat“" in german
    intent.async_remove(hass, "FeedTheCat")
    said = speech(await say(house, "why did you do that"))
    assert "you asked me to use something that doesn't exist here." in said


async def test_what_is_not_listed_is_denied_and_the_rest_asks(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Nobody sees through an intent, so it asks unless its entry says otherwise."""
    await say(house, "open the hatch")
    (row,) = await tool_rows(house, "intent__OpenTheHatch")
    assert row["type"] == "tool.denied"
    assert row["decision"]["code"] == "not_listed"
    visitor = Context(user_id=MockUser(name="Guest").add_to_hass(hass).id)
    assert speech(await say(house, "open the hatch", context=visitor)) == (
        "The policy doesn't allow your own sentence “open the hatch”. An admin can add it"
        " to the policy."
    )
    asked = speech(await say(house, "water the plants"))
    assert asked.startswith("Shall I use your own sentence “water plants”?")
    (question,) = waiting(house)
    assert tool_id(question.call) == "intent__WaterPlants"
    assert speech(await say(house, "yes")) == "Watered."


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("intent__HassTurnOff", {"name": "Front door"}, "unknown_tool"),
        ("intent__HassStartTimer", {"minutes": 1}, "unknown_tool"),
        ("intent__Nothing", {}, "unknown_tool"),
        ("intent__FeedTheCat", {"portions": {"a": 1}}, "invalid_input"),
        ("intent__FeedTheCat", {"portions": "x" * 300}, "invalid_input"),
        ("intent__FeedTheCat", {f"s{n}": 1 for n in range(30)}, "invalid_input"),
    ],
)
async def test_home_assistants_own_are_never_called(
    house: CaesarHouse, tool: str, arguments: dict[str, Any], code: str
) -> None:
    """Not by a model either, overridden or not; and slots are checked."""
    report = await house.obey(tool, arguments)
    assert report.calls[0]["code"] == code


async def test_what_it_says_is_nobodys_word(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Its words are untrusted and private; a failing handler is a failure."""
    report = await house.obey("intent__FeedTheCat", {})
    assert {each.value for each in report.outcomes[0].taint} == {
        "untrusted",
        "private",
    }

    class Broken(intent.IntentHandler):
        intent_type = "WaterPlants"

        async def async_handle(self, intent_obj: intent.Intent) -> Any:
            raise intent.IntentHandleError("/config/secrets.yaml")

    intent.async_register(hass, Broken())
    await say(house, "water the plants")
    answer = speech(await say(house, "yes"))
    assert answer.startswith("Your own sentence “water plants” didn't work just now.")
