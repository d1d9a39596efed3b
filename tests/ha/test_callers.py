"""Who asks, and what that makes of the same words."""

from typing import Any

from homeassistant.auth.models import User
from homeassistant.components import conversation
from homeassistant.core import Context, Event, HomeAssistant
import pytest

from custom_components.caesar.adapters.callers import KEEP_CONTEXTS_S, OwnContexts
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.fakes.clock import FakeClock
from tests.fakes.loop_guard import loop_guard
from tests.ha.house import CaesarHouse, async_move_in

SATELLITE = "assist_satellite.childrens_room_satellite"


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house with the everyday policy."""
    await async_build_house(hass)
    return await async_move_in(hass, hass_admin_user.id)


async def converse(
    hass: HomeAssistant, text: str, context: Context, **more: Any
) -> conversation.ConversationResult:
    """Talk to CAESAR as Assist does."""
    return await conversation.async_converse(
        hass, text, None, context, "en", agent_id="conversation.caesar", **more
    )


def calls(context_user: list[Any], hass: HomeAssistant) -> None:
    """Keep the users that service calls go out as."""

    def keep(event: Event) -> None:
        if event.data["domain"] != "caesar":
            context_user.append(
                (event.data["domain"], event.context.user_id, event.context.parent_id)
            )

    hass.bus.async_listen("call_service", keep)


async def test_chat_acts_as_the_user(hass: HomeAssistant, house: CaesarHouse) -> None:
    """A call goes out as the user, in a context below the turn's."""
    seen: list[Any] = []
    calls(seen, hass)
    turn = Context(user_id=house.user_id)
    with loop_guard():
        result = await converse(hass, "turn on the kitchen light", turn)
    assert house.state("light.kitchen_light") == "on"
    assert seen == [("light", house.user_id, turn.id)]
    spoken = result.response.speech["plain"]
    assert spoken["speech"] == "Turned on the light."
    rows = await house.trail(spoken["extra_data"]["decision_id"])
    assert [(row["connector"], row["action"]) for row in rows] == [("light", "turn_on")]


async def test_a_satellite_acts_as_caesars_own_user(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """No rights of the last person who clicked: a system user that is no admin."""
    seen: list[Any] = []
    calls(seen, hass)
    result = await converse(
        hass, "turn on the night light", Context(), satellite_id=SATELLITE
    )
    [(domain, user_id, _)] = seen
    user = await hass.auth.async_get_user(user_id)
    assert domain == "light"
    assert user is not None
    assert (user.name, user.system_generated, user.is_admin) == (
        "CAESAR voice",
        True,
        False,
    )
    assert house.state("light.night_light") == "on"
    [row] = await house.trail(
        result.response.speech["plain"]["extra_data"]["decision_id"]
    )
    assert row["result"] == "ok"


async def test_no_user_and_no_known_satellite_is_an_automation(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """It reads, and changes nothing."""
    for context, satellite in (
        (Context(), None),
        (Context(), "assist_satellite.made_up"),
        (Context(), "light.kitchen_light"),
    ):
        answer = await converse(
            hass, "turn on the bedroom lamp", context, satellite_id=satellite
        )
        assert house.state("light.bedroom_lamp") == "off"
        assert "automation" in answer.response.speech["plain"]["speech"]
    read = await house.ask("is the front door locked?", context=Context())
    assert read["calls"][0]["outcome"] == "ok"


async def test_a_user_who_names_a_satellite_stays_that_user(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Any user can send any satellite: it only says which room is meant."""
    seen: list[Any] = []
    calls(seen, hass)
    await converse(
        hass,
        "turn on the night light",
        Context(user_id=house.user_id),
        satellite_id=SATELLITE,
    )
    assert [user_id for _, user_id, _ in seen] == [house.user_id]


async def test_permissions_of_the_user_hold(
    hass: HomeAssistant, house: CaesarHouse, hass_read_only_user: User
) -> None:
    """Who may only read in Home Assistant may only read here."""
    context = Context(user_id=hass_read_only_user.id)
    denied = await house.ask("turn on the kitchen light", context=context)
    read = await house.ask("is the front door locked?", context=context)
    assert denied["calls"][0]["code"] == "capability_denied"
    assert read["calls"][0]["outcome"] == "ok"


async def test_an_inactive_user_may_nothing(
    hass: HomeAssistant, house: CaesarHouse, hass_read_only_user: User
) -> None:
    """A user who was switched off, or is unknown, reaches nothing."""
    await hass.auth.async_update_user(hass_read_only_user, is_active=False)
    for user_id in (hass_read_only_user.id, "nobody"):
        answer = await house.ask(
            "is the front door locked?", context=Context(user_id=user_id)
        )
        assert answer["calls"][0]["outcome"] != "ok" or (
            "locked" not in answer["answer"].lower()
        )


async def test_a_script_that_asks_caesar_again_gets_no_tools(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """What CAESAR starts can't talk CAESAR into more."""
    turn = Context(user_id=house.user_id)
    contexts: list[Context] = []

    def keep(event: Event) -> None:
        if event.data["domain"] == "light":
            contexts.append(event.context)

    hass.bus.async_listen("call_service", keep)
    await house.ask("turn on the kitchen light", context=turn)
    [own] = contexts
    for again in (own, Context(user_id=house.user_id, parent_id=own.id)):
        answer = await house.ask("turn off the kitchen light", context=again)
        assert answer["calls"][0]["verdict"] == "deny"
        assert house.state("light.kitchen_light") == "on"


def test_own_contexts_are_forgotten_after_ten_minutes() -> None:
    """Memory is bounded in time and number."""
    clock = FakeClock()
    contexts = OwnContexts(clock)
    contexts.add("one")
    assert contexts.holds(Context(id="one"))
    clock.advance(KEEP_CONTEXTS_S + 1)
    assert not contexts.holds(Context(id="one"))
    contexts.add("two")
    assert contexts.holds(Context(id="x", parent_id="two"))
    assert not contexts.holds(Context(id="one"))
