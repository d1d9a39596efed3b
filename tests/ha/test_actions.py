"""The actions: what they answer, and what they refuse."""

from pathlib import Path
from typing import Any

from homeassistant.auth.models import User
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import issue_registry as ir
import probatio
import pytest

from custom_components.caesar.const import DOMAIN
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.loop_guard import loop_guard
from tests.ha.house import CaesarHouse, async_move_in


@pytest.fixture
async def house(
    hass: HomeAssistant, hass_admin_user: User, request: pytest.FixtureRequest
) -> CaesarHouse:
    """Return CAESAR in the demo house; the parameter is the policy's text."""
    await async_build_house(hass)
    return await async_move_in(
        hass, hass_admin_user.id, getattr(request, "param", None)
    )


async def call(
    house: CaesarHouse, action: str, data: dict[str, Any], context: Context | None
) -> Any:
    """Call one of CAESAR's actions."""
    return await house.hass.services.async_call(
        DOMAIN,
        action,
        data,
        blocking=True,
        context=context or Context(user_id=house.user_id),
        return_response=action != "reload_policy",
    )


async def test_ask_answers_with_its_calls(house: CaesarHouse) -> None:
    """Text, decision id, conversation id and what was tried."""
    with loop_guard():
        answer = await house.ask("unlock the front door")
    assert set(answer) == {
        "answer",
        "decision_id",
        "conversation_id",
        "calls",
        "parked",
        "expires_at",
    }
    assert answer["answer"] == "Shall I unlock Front door (Hall)? Say yes or no."
    assert answer["parked"] is True
    [made] = answer["calls"]
    assert made == {
        "tool": "lock.unlock",
        "target": ["lock.front_door"],
        "verdict": "ask",
        "code": "approval_needed",
        "rule": made["rule"],
        "outcome": "none",
    }
    assert made["rule"]
    assert house.state("lock.front_door") == "locked"


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"text": "   "}, "text_empty"),
        ({"text": "x" * 10_001}, "text_too_long"),
        ({"text": "hi", "agent": "conversation.nobody"}, "unknown_agent"),
        ({"text": "hi", "language": "klingonese"}, "unknown_language"),
        ({"text": "hi", "language": "1"}, "unknown_language"),
    ],
)
async def test_ask_refuses_bad_input(
    house: CaesarHouse, data: dict[str, Any], key: str
) -> None:
    """A translated error names the field."""
    with pytest.raises(ServiceValidationError) as caught:
        await call(house, "ask", data, None)
    assert caught.value.translation_key == key
    assert str(caught.value)
    assert "{" not in str(caught.value)


@pytest.mark.parametrize("data", [{}, {"text": 7}, {"text": "hi", "colour": "red"}])
async def test_ask_refuses_what_is_no_question(
    house: CaesarHouse, data: dict[str, Any]
) -> None:
    """Home Assistant's own schema names the field."""
    with pytest.raises(probatio.Invalid):
        await call(house, "ask", data, None)


async def test_ask_finds_the_agent_by_entity_and_by_name(house: CaesarHouse) -> None:
    """An agent is meant by its entity id or its title."""
    for agent in ("conversation.caesar", "CAESAR"):
        answer = await call(house, "ask", {"text": "hello", "agent": agent}, None)
        assert answer["answer"]


async def test_not_loaded(hass: HomeAssistant, house: CaesarHouse) -> None:
    """An action of an unloaded house says so."""
    assert await hass.config_entries.async_unload(house.entry.entry_id)
    with pytest.raises(ServiceValidationError) as caught:
        await house.ask("hello")
    assert caught.value.translation_key == "not_loaded"


@pytest.mark.parametrize(
    ("action", "data"),
    [
        ("verify_audit", {}),
        ("export_audit", {"decision_id": "x"}),
        ("reload_policy", {}),
    ],
)
async def test_admin_actions_are_for_admins_in_person(
    hass: HomeAssistant,
    house: CaesarHouse,
    hass_read_only_user: User,
    action: str,
    data: dict[str, Any],
) -> None:
    """No user, no admin, a script in between, CAESAR itself: all refused."""
    own = next(
        user.id
        for user in await hass.auth.async_get_users()
        if user.name == "CAESAR automations"
    )
    contexts = [
        Context(user_id=hass_read_only_user.id),
        Context(user_id=own),
        Context(user_id=house.user_id, parent_id="a-script"),
        Context(user_id="nobody"),
    ]
    if action != "reload_policy":
        contexts.append(Context())
    for context in contexts:
        with pytest.raises(ServiceValidationError) as caught:
            await call(house, action, data, context)
        assert caught.value.translation_key == "admin_required"


async def test_export_and_verify(house: CaesarHouse) -> None:
    """A turn's rows in order, and a chain that holds."""
    answer = await house.ask("turn on the kitchen light")
    exported = await call(
        house, "export_audit", {"decision_id": answer["decision_id"]}, None
    )
    assert [row["event_type"] for row in exported["rows"]] == [
        "tool.intended",
        "service.called",
        "chat.completed",
    ]
    with pytest.raises(ServiceValidationError) as caught:
        await call(house, "export_audit", {"decision_id": "unknown"}, None)
    assert caught.value.translation_key == "unknown_decision"
    verified = await call(house, "verify_audit", {}, None)
    assert verified["ok"] is True


async def test_reload_policy(hass: HomeAssistant, house: CaesarHouse) -> None:
    """A good file is in force at once; a bad one changes nothing and says the line."""
    path = Path(hass.config.path("caesar", "policy.yaml"))

    async def write(text: str) -> None:
        await hass.async_add_executor_job(path.write_text, text)

    await write("version: 1\nallowed_services: []\n")
    await call(house, "reload_policy", {}, None)
    denied = await house.ask("turn on the kitchen light")
    assert denied["calls"][0]["code"] == "not_listed"

    await write("version: 1\nallowed_service: [light.turn_on]\n")
    with pytest.raises(ServiceValidationError) as caught:
        await call(house, "reload_policy", {}, None)
    assert caught.value.translation_key == "policy_invalid"
    assert caught.value.translation_placeholders is not None
    assert caught.value.translation_placeholders["line"] == "2"
    assert (DOMAIN, "policy_invalid") in ir.async_get(hass).issues
    still = await house.ask("turn on the kitchen light")
    assert still["calls"][0]["code"] == "not_listed"

    await write("version: 1\nallowed_services: [light.turn_on]\n")
    await call(house, "reload_policy", {}, Context())
    assert (DOMAIN, "policy_invalid") not in ir.async_get(hass).issues
    assert (await house.ask("turn on the kitchen light"))["calls"][0]["outcome"] == "ok"


@pytest.mark.parametrize(
    "house", ["version: 2\n", "version: [\n", "\x00", "- a\n"], indirect=True
)
async def test_a_bad_file_at_start_denies_everything(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Reads too, and the answer says why; CAESAR is loaded all the same."""
    assert house.entry.state is ConfigEntryState.LOADED
    for text in ("turn on the kitchen light", "is the front door locked?"):
        answer = await house.ask(text)
        assert answer["calls"][0]["code"] == "policy_denied"
        assert answer["calls"][0]["outcome"] == "none"
    assert (DOMAIN, "policy_invalid") in ir.async_get(hass).issues
    assert house.state("light.kitchen_light") == "off"


async def test_a_link_out_of_the_folder_is_no_policy(
    hass: HomeAssistant, hass_admin_user: User, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A policy file that points elsewhere is refused, not followed."""
    outside = tmp_path_factory.mktemp("outside") / "policy.yaml"
    path = Path(hass.config.path("caesar", "policy.yaml"))

    def link() -> None:
        outside.write_text("version: 1\nallowed_services: [light.turn_on]\n")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(outside)

    await hass.async_add_executor_job(link)
    await async_build_house(hass)
    house = await async_move_in(hass, hass_admin_user.id)
    answer = await house.ask("turn on the kitchen light")
    assert answer["calls"][0]["code"] == "policy_denied"


async def test_the_file_is_the_owners_alone(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """The starter policy is written with mode 0600, once."""
    path = Path(hass.config.path("caesar", "policy.yaml"))
    mode = await hass.async_add_executor_job(lambda: path.stat().st_mode & 0o777)
    assert mode == 0o600
