"""Who may answer "which one do you mean?", and when."""

from homeassistant.auth.models import User
from homeassistant.components import conversation
from homeassistant.components.conversation import ConversationResult
from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import entity_registry as er
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.brain import session
import custom_components.demo_house  # noqa: F401  before Home Assistant looks for it
from house.in_hass import async_build_house
from tests.ha.house import CaesarHouse, async_move_in
from tests.ha.person import restart

SATELLITE = "assist_satellite.childrens_room_satellite"
LAMPS = ("light.counter_light", "light.floor_lamp")
QUESTION = "turn on the work lamp"


@pytest.fixture
async def house(hass: HomeAssistant, hass_admin_user: User) -> CaesarHouse:
    """Return CAESAR in the demo house, where two lamps have one name."""
    await async_build_house(hass)
    for entity_id in LAMPS:
        er.async_get(hass).async_update_entity(
            entity_id, aliases=[er.COMPUTED_NAME, "Work lamp"]
        )
    return await async_move_in(hass, hass_admin_user.id)


class Somebody:
    """A person in one conversation; without a user at a satellite."""

    def __init__(self, house: CaesarHouse, user_id: str | None = None) -> None:
        """Begin to talk with the next message."""
        self._house = house
        self._user_id = user_id
        self.conversation_id: str | None = None

    async def say(self, text: str) -> ConversationResult:
        """Say something."""
        result = await conversation.async_converse(
            self._house.hass,
            text,
            self.conversation_id,
            Context(user_id=self._user_id),
            "en",
            agent_id="conversation.caesar",
            satellite_id=None if self._user_id else SATELLITE,
        )
        self.conversation_id = result.conversation_id
        return result


def lit(house: CaesarHouse) -> set[str]:
    """Return which of the lamps are on; then turn them off."""
    on = {entity_id for entity_id in LAMPS if house.state(entity_id) == "on"}
    for entity_id in LAMPS:
        house.hass.states.async_set(entity_id, "off")
    return on


async def test_only_whoever_was_asked_may_answer(
    house: CaesarHouse, hass: HomeAssistant
) -> None:
    """Nobody else chooses, in the same conversation neither; nor at another place."""
    asked = Somebody(house, house.user_id)
    answer = await asked.say(QUESTION)
    assert answer.continue_conversation
    other = MockUser(name="Guest").add_to_hass(hass)
    stranger = Somebody(house, other.id)
    stranger.conversation_id = asked.conversation_id
    await stranger.say("the second")
    voice = Somebody(house)
    voice.conversation_id = asked.conversation_id
    await voice.say("the second")
    assert lit(house) == set()
    # Others' words aren't in this conversation; the question is open still.
    done = await asked.say("the second")
    assert lit(house) == {"light.floor_lamp"}
    assert not done.continue_conversation
    await asked.say("the first")
    assert lit(house) == set()


async def test_only_the_next_message_answers(house: CaesarHouse) -> None:
    """Not the one after; nor one that is too late."""
    person = Somebody(house, house.user_id)
    await person.say(QUESTION)
    await person.say("hello")
    await person.say("the second")
    assert lit(house) == set()
    # A message whose turn was broken off has been heard all the same.
    await person.say(QUESTION)
    memory = house.assistant._house.memory
    (key,) = memory._sessions
    assert (await memory.recall(key)).question is not None
    await person.say("the second")
    assert lit(house) == set()


async def test_too_late(house: CaesarHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who answers after five minutes asks anew."""
    person = Somebody(house, house.user_id)
    await person.say(QUESTION)
    monkeypatch.setattr(session, "MEANT_S", -1)
    await person.say("the second")
    assert lit(house) == set()


async def test_an_answer_after_a_restart(house: CaesarHouse) -> None:
    """The question is kept with the conversation."""
    person = Somebody(house, house.user_id)
    await person.say(QUESTION)
    await restart(house)
    await person.say("the second")
    assert lit(house) == {"light.floor_lamp"}


async def test_at_a_satellite(house: CaesarHouse) -> None:
    """It is asked there too, where none of the lamps is in its room; and answered."""
    person = Somebody(house)
    assert (await person.say(QUESTION)).continue_conversation
    await person.say("the one in the living room")
    assert lit(house) == {"light.floor_lamp"}
