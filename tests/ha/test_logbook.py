"""Activity: what people read about what CAESAR did, and what they can believe."""

from datetime import timedelta
from typing import Any

from homeassistant.components.logbook.models import EventAsRow, LazyEventPartialState
from homeassistant.core import Context, Event, HomeAssistant, callback
from homeassistant.helpers.translation import async_load_integrations
from homeassistant.setup import async_setup_component
from homeassistant.util.ulid import ulid_now, ulid_to_bytes
import pytest
from pytest_homeassistant_custom_component.common import async_capture_events
from pytest_homeassistant_custom_component.components.recorder.common import (
    async_wait_recording_done,
)

from custom_components.caesar.adapters.activity import HouseActivity
from custom_components.caesar.adapters.activity_seal import async_set_key, seal
from custom_components.caesar.audit.event import AuditRow
from custom_components.caesar.const import DOMAIN
from custom_components.caesar.logbook import async_describe_events
from custom_components.caesar.policy.call import ServiceCall, Target
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.home import EntityFacts, StaticHome
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.turn import ToolDecision, ToolError, ToolOutcome, Turn
from custom_components.caesar.wording import async_wording

NAMES = {
    "light.kitchen": "Kitchen light",
    "light.hall": "Hall {tool} light",
    "lock.front_door": "Front door",
}
ROW = AuditRow(seq=7, row_hash="a" * 64)


class _Users:
    def acting_id(self, origin: Origin, user_id: str | None) -> str:
        return user_id or f"own-{origin}"


class _Told:
    """CAESAR's activity in a house of three things, and how Activity words it."""

    def __init__(self, hass: HomeAssistant) -> None:
        self.hass = hass
        self.events: list[Event[Any]] = []
        for kind in ("called", "failed", "denied"):
            hass.bus.async_listen(f"caesar_tool_{kind}", self._keep)
        self.activity = HouseActivity(
            hass,
            StaticHome(
                facts={
                    entity_id: EntityFacts(
                        entity_id=entity_id, name=name, domain=entity_id.split(".")[0]
                    )
                    for entity_id, name in NAMES.items()
                }
            ),
            _Users(),
        )
        self._describe: dict[str, Any] = {}

        def describe(domain: str, event_type: str, how: Any) -> None:
            assert domain == DOMAIN
            self._describe[event_type] = how

        async_describe_events(hass, describe)

    @callback
    def _keep(self, event: Event[Any]) -> None:
        self.events.append(event)

    def entry(self, event: Event[Any]) -> dict[str, Any]:
        """Return an event as Activity shows it."""
        row = EventAsRow(
            row_id=1,
            event_type=event.event_type,
            event_data=None,
            time_fired_ts=0,
            context_id_bin=ulid_to_bytes(event.context.id),
            context_user_id_bin=None,
            context_parent_id_bin=None,
            state=None,
            entity_id=None,
            icon=None,
            attributes=None,
            context_only=None,
            data=event.data,
            context=event.context,
        )
        how = self._describe[str(event.event_type)]
        entry: dict[str, Any] = how(LazyEventPartialState(row, {}))
        return entry

    def last(self) -> str:
        """Return the last event as a sentence."""
        entry = self.entry(self.events[-1])
        return f"{entry['name']} {entry['message']}"


@pytest.fixture
async def told(hass: HomeAssistant) -> _Told:
    """Return a house whose translations are loaded."""
    async_set_key(hass, b"k" * 32)
    hass.config.components.add(DOMAIN)
    for language in ("en", "de"):
        hass.config.language = language
        await async_load_integrations(hass, {DOMAIN})
    hass.config.language = "en"
    return _Told(hass)


def _call(service: str, *entities: str) -> ServiceCall:
    domain, _, name = service.partition(".")
    return ServiceCall(domain=domain, service=name, target=Target(entity_id=entities))


def _turn() -> Turn:
    caller = Caller(
        origin=Origin.VOICE, agent_id="conversation.caesar", context_id=ulid_now()
    )
    return Turn(decision_id="decision-1", caller=caller, language="en", deadline=0)


def _decision(call: ServiceCall) -> ToolDecision:
    return ToolDecision(
        policy=PolicyDecision(
            verdict=Verdict.ALLOW,
            reason=Reason(code=Code.ALLOWED),
            pinned=call.target.entity_id,
            policy_rev="rev",
        ),
        verdict=Verdict.ALLOW,
    )


def _outcome(call: ServiceCall, code: Code) -> ToolOutcome:
    return ToolOutcome(
        request_id="1",
        tool=f"{call.domain}.{call.service}",
        target=call.target.entity_id,
        error=ToolError(code=code, message="no"),
        seq=7,
    )


def _do(told: _Told, service: str, *entities: str) -> str:
    call = _call(service, *entities)
    told.activity.intended(call, _decision(call), _turn(), ROW, ulid_now())
    return told.last()


@pytest.mark.parametrize(
    ("service", "entities", "english", "german"),
    [
        (
            "light.turn_on",
            ["light.kitchen"],
            "CAESAR turned on Kitchen light",
            "CAESAR hat Kitchen light eingeschaltet",
        ),
        (
            "light.turn_off",
            ["light.kitchen", "light.hall"],
            "CAESAR turned off Kitchen light and Hall {tool} light",
            "CAESAR hat Kitchen light und Hall {tool} light ausgeschaltet",
        ),
        (
            "lock.unlock",
            ["lock.front_door"],
            "CAESAR unlocked Front door",
            "CAESAR hat Front door aufgeschlossen",
        ),
        (
            "light.turn_on",
            ["light.kitchen", *(f"light.l{number}" for number in range(6))],
            "CAESAR turned on Kitchen light, light.l0, light.l1, light.l2, light.l3"
            " and 2 more",
            "CAESAR hat Kitchen light, light.l0, light.l1, light.l2, light.l3"
            " und 2 weitere eingeschaltet",
        ),
        (
            "mqtt.publish",
            [],
            "CAESAR used mqtt.publish",
            "CAESAR hat mqtt.publish  benutzt",
        ),
    ],
)
async def test_what_was_done(
    told: _Told, service: str, entities: list[str], english: str, german: str
) -> None:
    """In Home Assistant's language, with names and not ids."""
    assert _do(told, service, *entities) == english
    told.hass.config.language = "de"
    assert told.last() == german.replace("  ", " ")
    told.hass.config.language = "fi"
    assert told.last() == english


async def test_a_translation_by_another_name(hass: HomeAssistant, told: _Told) -> None:
    """Portuguese speaks Brazil's, which a question for approval loads."""
    await async_wording(hass, "pt")
    hass.config.language = "pt"
    said = _do(told, "light.turn_on", "light.kitchen")
    assert said == "CAESAR ligou Kitchen light"


async def test_what_failed_and_what_was_refused(told: _Told) -> None:
    """Both say why."""
    light = _call("light.turn_on", "light.kitchen")
    door = _call("lock.unlock", "lock.front_door")
    told.activity.failed(light, _outcome(light, Code.TIMEOUT), _turn(), ulid_now())
    assert told.last() == "CAESAR could not turn on Kitchen light: no answer in time"
    told.hass.config.language = "de"
    assert told.last() == (
        "CAESAR konnte Kitchen light nicht einschalten: keine Antwort in"
        " angemessener Zeit"
    )
    told.activity.denied(door, _outcome(door, Code.NO_APPROVER), _turn(), ROW)
    assert told.last() == (
        "CAESAR durfte Front door nicht aufschließen: braucht eine Freigabe"
    )
    told.hass.config.language = "en"
    assert told.last() == (
        "CAESAR was not allowed to unlock Front door: needs approval"
    )
    told.activity.denied(door, _outcome(door, Code.TOOL_ERROR), _turn(), None)
    assert told.last().endswith("something went wrong")
    assert "seq" not in told.events[-1].data


async def test_every_reason_has_words(told: _Told) -> None:
    """No code reaches people."""
    door = _call("lock.unlock", "lock.front_door")
    for code in Code:
        told.activity.denied(door, _outcome(door, code), _turn(), ROW)
        assert "_" not in told.last()


async def test_an_event_says_what_it_is_linked_to(told: _Told) -> None:
    """The call's own context, the user it goes out as, the row; never words."""
    call = _call("light.turn_on", "light.kitchen")
    turn, context_id = _turn(), ulid_now()
    told.activity.intended(call, _decision(call), turn, ROW, context_id)
    (event,) = told.events
    assert event.context.id == context_id
    assert event.context.parent_id == turn.caller.context_id
    assert event.context.user_id == "own-voice"
    data = dict(event.data)
    assert len(data.pop("seal")) == 64
    assert data == {
        "agent": "CAESAR",
        "tool": "light.turn_on",
        "names": ["Kitchen light"],
        "entity_id": ["light.kitchen"],
        "count": 1,
        "decision_id": "decision-1",
        "origin": "voice",
        "seq": 7,
        "row_hash": "a" * 64,
    }
    entry = told.entry(event)
    assert entry["name"] == "CAESAR"
    # The frontend would put the entity's name in the place of the agent's.
    assert "entity_id" not in entry


async def test_an_event_that_caesar_did_not_fire(told: _Told) -> None:
    """A companion app can fire anything, and replay what it has seen."""
    _do(told, "light.turn_on", "light.kitchen")
    good = told.events[-1]
    forged: list[Event[Any]] = [
        Event(good.event_type, {**good.data, "names": ["Safe"]}, context=good.context),
        Event(good.event_type, dict(good.data), context=Context()),
        Event("caesar_tool_denied", dict(good.data), context=good.context),
        Event(good.event_type, {"message": "hello"}, context=good.context),
        Event(good.event_type, {"seal": 5}, context=good.context),
        Event(good.event_type, {"seal": "x", "n": float("nan")}, context=good.context),
        Event(good.event_type, {"seal": "ü"}, context=good.context),
    ]
    for event in forged:
        entry = told.entry(event)
        assert entry["name"] == "CAESAR"
        assert entry["message"] == "did not do this: the entry is not from CAESAR"
    assert told.entry(good)["message"] == "turned on Kitchen light"


async def test_without_a_key_nothing_is_claimed(hass: HomeAssistant) -> None:
    """Before CAESAR has started, no event can be told from a forged one."""
    hass.config.components.add(DOMAIN)
    await async_load_integrations(hass, {DOMAIN})
    told = _Told(hass)
    event: Event[Any] = Event("caesar_tool_called", {"seal": "x"}, context=Context())
    assert "can't be checked" in told.entry(event)["message"]
    assert len(seal(hass, "x", "y", {})) == 64


async def test_activity_never_stops_what_is_done(
    told: _Told, caplog: pytest.LogCaptureFixture
) -> None:
    """What goes wrong in it is logged, and that is all."""

    def broken(origin: Origin, user_id: str | None) -> str:
        raise RuntimeError("no users")

    told.activity._users.acting_id = broken  # type: ignore[method-assign]  # a fault to live with
    call = _call("light.turn_on", "light.kitchen")
    told.activity.intended(call, _decision(call), _turn(), ROW, ulid_now())
    assert told.events == []
    assert "could not be fired" in caplog.text


async def test_home_assistants_own_activity_shows_it(
    recorder_mock: Any,
    hass: HomeAssistant,
    hass_ws_client: Any,
) -> None:
    """Through the recorder and the logbook's own API, credited to the call."""
    for domain in ("homeassistant", "http", "logbook"):
        assert await async_setup_component(hass, domain, {})
    async_set_key(hass, b"k" * 32)
    hass.config.components.add(DOMAIN)
    await async_load_integrations(hass, {DOMAIN})
    # What the logbook does when it finds our platform.
    config = hass.data["logbook"]

    def describe(domain: str, event_type: str, how: Any) -> None:
        config.external_events[event_type] = (domain, how)

    async_describe_events(hass, describe)
    told = _Told(hass)
    captured = async_capture_events(hass, "caesar_tool_called")
    call, context_id = _call("light.turn_on", "light.kitchen"), ulid_now()
    hass.states.async_set("light.kitchen", "off")
    await hass.async_block_till_done()
    told.activity.intended(call, _decision(call), _turn(), ROW, context_id)
    hass.states.async_set("light.kitchen", "on", context=Context(id=context_id))
    await hass.async_block_till_done()
    await async_wait_recording_done(hass)
    client = await hass_ws_client()
    await client.send_json_auto_id(
        {
            "type": "logbook/get_events",
            "start_time": (captured[0].time_fired - timedelta(minutes=1)).isoformat(),
        }
    )
    entries = (await client.receive_json())["result"]
    own = [entry for entry in entries if entry.get("domain") == DOMAIN]
    assert [(entry["name"], entry["message"]) for entry in own] == [
        ("CAESAR", "turned on Kitchen light")
    ]
    (light,) = [entry for entry in entries if entry.get("state") == "on"]
    assert light["context_event_type"] == "caesar_tool_called"
    assert light["context_name"] == "CAESAR"
    assert light["context_message"] == "turned on Kitchen light"
