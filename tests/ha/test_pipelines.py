"""Voice assistants go through CAESAR after the set-up, and get back what they had."""

from typing import Any

from homeassistant.auth.models import User
from homeassistant.config_entries import ConfigEntry, ConfigEntryState
from homeassistant.core import Context, HomeAssistant
from homeassistant.data_entry_flow import FlowResultType, InvalidData
from homeassistant.helpers import device_registry as dr, entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry
from pytest_homeassistant_custom_component.typing import WebSocketGenerator

from custom_components.caesar.flows import first_words
from custom_components.caesar.providers.builtin.recognise import Recogniser
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.assistants import (
    CAESAR,
    HOME,
    another,
    change,
    first,
    had,
    set_up,
    store,
    to_the_assistants,
)

SATELLITE = "satellite-of-the-kitchen"


@pytest.fixture(autouse=True)
async def _house(hass: HomeAssistant) -> None:
    """Build the demo house, with Assist and its first voice assistant."""
    await async_build_house(hass)


async def choose(hass: HomeAssistant, entry: ConfigEntry, chosen: list[str]) -> None:
    """Choose in the options which assistants go through CAESAR."""
    flow = hass.config_entries.options
    shown = await flow.async_init(entry.entry_id)
    shown = await flow.async_configure(shown["flow_id"], {"next_step_id": "assistants"})
    assert shown["step_id"] == "assistants"
    fields = {"assistants": chosen} if chosen else {}
    shown = await flow.async_configure(shown["flow_id"], fields)
    assert shown["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED


def options_of(shown: Any) -> list[dict[str, str]]:
    """Return the voice assistants that a form offers."""
    selector = next(iter(shown["data_schema"].schema.values()))
    offered: list[dict[str, str]] = selector.config["options"]
    return offered


async def test_given_and_given_back(hass: HomeAssistant) -> None:
    """The rest of an assistant stays; so do those that weren't chosen."""
    other = await another(hass, "Bath", prefer_local_intents=True)
    chosen = first(hass).id
    await change(hass, chosen, prefer_local_intents=True, tts_language="en")
    before = {each: store(hass).data[each].to_json() for each in (chosen, other)}

    entry = (await set_up(hass, [chosen]))["result"]

    given = store(hass).data[chosen].to_json()
    assert given == before[chosen] | {
        "conversation_engine": CAESAR,
        "prefer_local_intents": False,
    }
    assert store(hass).data[other].to_json() == before[other]
    assert entry.options == {
        "assistants": {
            chosen: {"conversation_engine": HOME, "prefer_local_intents": True}
        }
    }

    await hass.config_entries.async_remove(entry.entry_id)
    await hass.async_block_till_done()
    after = {each: store(hass).data[each].to_json() for each in (chosen, other)}
    assert after == before


async def test_preferred_is_ticked_and_offered_first(hass: HomeAssistant) -> None:
    """Two of the same name are told apart; unknown ids are refused."""
    await another(hass, "Home Assistant", language="de")
    shown = await to_the_assistants(hass)
    assert [each["label"] for each in options_of(shown)] == [
        "Home Assistant (en)",
        "Home Assistant (de)",
    ]
    assert options_of(shown)[0]["value"] == first(hass).id
    key = next(iter(shown["data_schema"].schema))
    assert key.description == {"suggested_value": [first(hass).id]}
    with pytest.raises(InvalidData):
        await hass.config_entries.flow.async_configure(
            shown["flow_id"], {"assistants": ["no-such-assistant"]}
        )


async def test_none_is_fine(hass: HomeAssistant) -> None:
    """Nothing is changed and nothing kept; the sentences are there all the same."""
    before = first(hass).to_json()
    result = await set_up(hass, [])
    assert first(hass).to_json() == before
    assert result["result"].options == {}
    assert result["description"] == "try"
    assert "Turn on" in result["description_placeholders"]["sentences"]


async def test_only_those_that_still_are_caesars(hass: HomeAssistant) -> None:
    """What the owner changed in between stays as the owner left it."""
    kept = await another(hass, "Bath")
    gone = await another(hass, "Attic")
    entry = (await set_up(hass, [first(hass).id, kept, gone]))["result"]
    await change(hass, kept, conversation_engine="conversation.else")
    await store(hass).async_delete_item(gone)
    # A start anew gives nothing to CAESAR that the owner took from it.
    assert await hass.config_entries.async_reload(entry.entry_id)
    assert had(hass, kept) == ("conversation.else", False)

    await hass.config_entries.async_remove(entry.entry_id)
    assert had(hass, kept) == ("conversation.else", False)
    assert had(hass, first(hass).id) == (HOME, False)
    assert gone not in store(hass).data


async def test_chosen_by_hand(hass: HomeAssistant) -> None:
    """An assistant given to CAESAR in Home Assistant's page isn't left without agent."""
    entry = (await set_up(hass, []))["result"]
    await change(hass, first(hass).id, conversation_engine=CAESAR)
    await hass.config_entries.async_remove(entry.entry_id)
    assert had(hass, first(hass).id) == (HOME, False)


async def test_former_agent_is_gone(hass: HomeAssistant) -> None:
    """Home Assistant's own answers then; one that only doesn't run comes back."""
    asleep = MockConfigEntry(domain="other")
    asleep.add_to_hass(hass)
    registered = er.async_get(hass).async_get_or_create(
        "conversation", "other", "1", config_entry=asleep
    )
    sleeper = await another(hass, "Bath", conversation_engine=registered.entity_id)
    lost = await another(hass, "Attic", conversation_engine="conversation.lost")
    entry = (await set_up(hass, [sleeper, lost]))["result"]
    assert had(hass, sleeper) == had(hass, lost) == (CAESAR, False)
    await hass.config_entries.async_remove(entry.entry_id)
    assert had(hass, sleeper) == (registered.entity_id, False)
    assert had(hass, lost) == (HOME, False)


async def test_options(hass: HomeAssistant) -> None:
    """The same choice later: given, taken back, and what was kept goes with it."""
    one, two = first(hass).id, await another(hass, "Bath", prefer_local_intents=True)
    entry = (await set_up(hass, [one]))["result"]

    await choose(hass, entry, [one, two])
    assert had(hass, one) == had(hass, two) == (CAESAR, False)
    assert list(entry.options["assistants"]) == [one, two]

    await choose(hass, entry, [one])
    assert had(hass, two) == (HOME, True)
    assert list(entry.options["assistants"]) == [one]

    await choose(hass, entry, [])
    assert had(hass, one) == (HOME, False)
    assert entry.options["assistants"] == {}


async def test_second_agent_keeps_its_assistant(hass: HomeAssistant) -> None:
    """Choosing again doesn't move an assistant from one agent of CAESAR's to another."""
    entry = (await set_up(hass, [first(hass).id]))["result"]
    mine = er.async_get(hass).async_get(CAESAR)
    assert mine is not None
    er.async_get(hass).async_update_entity(CAESAR, new_entity_id="conversation.butler")
    await hass.async_block_till_done()
    await change(hass, first(hass).id, conversation_engine="conversation.butler")
    await choose(hass, entry, [first(hass).id])
    assert had(hass, first(hass).id) == ("conversation.butler", False)
    await hass.config_entries.async_remove(entry.entry_id)
    assert had(hass, first(hass).id) == (HOME, False)


@pytest.mark.parametrize(
    ("policy", "language", "sentences"),
    [
        (
            "everyday",
            "en",
            ["Turn on Bedroom lamp", "Which lights are on?", "Unlock Front door"],
        ),
        (
            "everyday",
            "de",
            ["Schalte Bedroom lamp ein", "Welche Lichter sind an?"],
        ),
        ("read_only", "en", ["Which lights are on?", "Is Front door locked?"]),
        ("read_only", "de", ["Welche Lichter sind an?"]),
    ],
)
async def test_sentences_that_work_here(
    hass: HomeAssistant,
    hass_admin_user: User,
    policy: str,
    language: str,
    sentences: list[str],
) -> None:
    """Of what is shared, in the assistant's language; said, each is understood."""
    await change(hass, first(hass).id, language=language)
    result = await set_up(hass, [first(hass).id], policy)
    assert result["description"] == "talk_and_try"
    placeholders = result["description_placeholders"]
    assert placeholders["assistants"] == "Home Assistant"
    shown = placeholders["sentences"].replace("\\", "").splitlines()
    assert len(shown) == 3
    assert {f"- {each}" for each in sentences} <= set(shown)
    for line in shown:
        answer = await hass.services.async_call(
            "conversation",
            "process",
            {"text": line[2:], "language": language, "agent_id": CAESAR},
            blocking=True,
            return_response=True,
            context=Context(user_id=hass_admin_user.id),
        )
        assert isinstance(answer, dict)
        response: Any = answer["response"]
        assert response["response_type"] != "error", (line, response)


@pytest.mark.parametrize("slow", [True, False])
async def test_sentences_spoil_no_set_up(
    hass: HomeAssistant,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    slow: bool,
) -> None:
    """Who is slow gets none, and no traceback; a fault gets none, and is told."""

    async def hear(*_: object) -> tuple[object, ...]:
        if slow:
            await hass.loop.create_future()
        raise RuntimeError

    monkeypatch.setattr(first_words, "PATIENCE_S", 0.01)
    monkeypatch.setattr(Recogniser, "hear", hear)
    result = await set_up(hass, [first(hass).id])
    assert result["description"] == "talk"
    assert first(hass).conversation_engine == CAESAR
    told = "No sentences to try could be found" in caplog.text
    assert told is not slow


async def test_a_satellite_reaches_caesar_until_it_is_removed(
    hass: HomeAssistant, hass_ws_client: WebSocketGenerator
) -> None:
    """A turn with a device, as a satellite runs it over the websocket."""
    config = MockConfigEntry(domain="other")
    config.add_to_hass(hass)
    device = dr.async_get(hass).async_get_or_create(
        config_entry_id=config.entry_id, identifiers={("other", SATELLITE)}
    )
    client = await hass_ws_client(hass)

    async def turn(text: str) -> str:
        """Say something at the device; return which agent answered."""
        await client.send_json_auto_id(
            {
                "type": "assist_pipeline/run",
                "start_stage": "intent",
                "end_stage": "intent",
                "input": {"text": text},
                "device_id": device.id,
            }
        )
        engine = ""
        while True:
            message = await client.receive_json()
            if message["type"] == "result":
                assert message["success"], message
                continue
            event = message["event"]
            if event["type"] == "intent-start":
                engine = event["data"]["engine"]
            if event["type"] == "run-end":
                return str(engine)

    assert await turn("turn on the kitchen light") == HOME
    entry = (await set_up(hass, [first(hass).id]))["result"]
    assert await turn("turn off the kitchen light") == CAESAR
    assert hass.states.is_state("light.kitchen_light", "off")
    await hass.config_entries.async_remove(entry.entry_id)
    assert await turn("turn on the kitchen light") == HOME
    assert hass.states.is_state("light.kitchen_light", "on")
