"""Why something was done, and why not."""

from homeassistant.core import Context, HomeAssistant
import pytest

from custom_components.caesar.brain.provider import Completed, StopReason, TextDelta
from custom_components.caesar.policy.caller import Caller, Origin
from tests.fakes.provider import ScriptedProvider
from tests.ha.approvals import KITCHEN
from tests.ha.house import CaesarHouse
from tests.ha.past import asked_tool, boy, house, intend, say_of, told

__all__ = ["boy", "house"]


async def test_why_an_admin(house: CaesarHouse) -> None:
    """What was asked, which rule and line, and what came of it; the last one counts."""
    await told(house, "turn on the kitchen light")
    await told(house, "turn off the kitchen light")
    english = await told(house, "why did you do that?")
    assert "you asked me to turn off Kitchen light." in english
    assert "The policy allows that in line 5, lights out." in english
    assert english.endswith("It was done.")
    german = await told(house, "Warum hast du das gemacht?", language="de")
    assert "hast du mich gebeten: Kitchen light ausschalten." in german
    assert "in Zeile 5, lights out. Das ist geschehen." in german
    by_name = await told(house, "why did you turn on the kitchen light")
    assert "turn off Kitchen light" in by_name


async def test_why_anybody_else(house: CaesarHouse, boy: Context) -> None:
    """No line and no rule; and nothing of what others had done."""
    await told(house, "turn off the kitchen light")
    assert await told(house, "why did you do that", boy, conversation_id="b") == (
        "I haven't changed anything for you lately."
    )
    await told(house, "turn on the night light", boy, conversation_id="b")
    said = await told(house, "why did you do that", boy, conversation_id="b")
    assert "you asked me to turn on Night light. The policy allows that." in said
    assert "line" not in said
    assert "lights out" not in said


async def test_that_is_of_this_conversation(house: CaesarHouse) -> None:
    """If anything was done in it."""
    await told(house, "turn on the kitchen light", conversation_id="one")
    await told(house, "turn on the night light", conversation_id="two")
    assert "Kitchen light" in await told(
        house, "why did you do that", conversation_id="one"
    )
    assert "Night light" in await told(
        house, "why did you do that", conversation_id="two"
    )
    assert "Night light" in await told(
        house, "why did you do that", conversation_id="new"
    )


async def test_why_not(house: CaesarHouse, boy: Context) -> None:
    """The refusal's own reason, and where it could be allowed."""
    assert await told(house, "why not?") == "I haven't refused you anything lately."
    await told(house, "open the bedroom blind", boy, conversation_id="b")
    said = await told(house, "why not?", boy, conversation_id="b")
    assert "you asked me to open Bedroom blind." in said
    assert "not for you or from this place" in said
    assert "An admin finds it under Settings, Devices & services, CAESAR" in said
    await told(house, "close the bedroom blind")
    said = await told(house, "why not?")
    assert "you asked me to close Bedroom blind." in said
    assert "You can allow it under Settings, Devices & services, CAESAR" in said
    # What was done is not what was refused.
    await told(house, "turn on the kitchen light")
    assert "close Bedroom blind" in await told(house, "why not?")


@pytest.mark.parametrize(
    ("answer", "verdict", "ended"),
    [
        ("yes", "You said yes to it.", "It was done."),
        ("no", "You said no to it.", "The approval for Front door was refused"),
    ],
)
async def test_who_said_yes_or_no(
    house: CaesarHouse, answer: str, verdict: str, ended: str
) -> None:
    """A question is one call, and told as it ended."""
    await told(house, "unlock the front door")
    waits = say_of(await asked_tool(house, "what_happened"))
    assert "I changed nothing. One still waits for a yes: unlock Front door." in waits
    await told(house, "unlock the front door")
    await told(house, answer)
    for question in ("why", "what_happened"):
        said = say_of(await asked_tool(house, question, what="front door"))
        assert "you asked me to unlock Front door." in said
        assert verdict in said
        assert ended in said
        assert "more" not in said


async def test_a_question_that_was_withdrawn(house: CaesarHouse) -> None:
    """Nobody said yes; and nothing says that it was done."""
    await told(house, "unlock the front door")
    approvals = house.entry.runtime_data.approvals
    (pending,) = approvals.desk.pending()
    await approvals.desk.withdraw(pending.id)
    said = await told(house, "why not")
    assert "Nobody said yes, so it wasn't done." in said
    assert "It was done" not in said
    assert "ask for a yes again" in said


async def test_what_is_not_shared_has_no_name(house: CaesarHouse, boy: Context) -> None:
    """A model that knows an id does not learn a name by asking why it was refused."""
    outcome = await asked_tool(house, "lock__unlock", boy, entity_id="lock.cellar_door")
    assert outcome.error is not None
    said = say_of(await asked_tool(house, "why", boy, refused=True))
    assert "Cellar" not in said
    assert "unlock something that isn't shared with you" in said


async def test_names_are_text(house: CaesarHouse) -> None:
    """A lamp's name can't be a link, a picture, markup or a line of its own."""
    state = house.hass.states.get(KITCHEN)
    assert state is not None
    name = "![x](http://198.51.100.1/x.png) <img src=y>\n\n- **Allowed**"
    house.hass.states.async_set(
        KITCHEN, "off", {**state.attributes, "friendly_name": name}
    )
    await asked_tool(house, "light__turn_on", entity_id=KITCHEN)
    await asked_tool(house, "light__turn_off", entity_id=KITCHEN)
    for question in (
        "what did you do today",
        "why did you do that",
        "what may I do here",
    ):
        said = await told(house, question)
        assert "198.51.100.1" not in said
        assert "<img" not in said
        assert "**" not in said
        assert all(line.startswith("- ") for line in said.split("\n")[1:])


async def test_what_broke_off(house: CaesarHouse, hass: HomeAssistant) -> None:
    """A call without an outcome runs; after a restart nobody knows."""
    caller = Caller(
        origin=Origin.CHAT,
        user_id=house.user_id,
        is_admin=True,
        agent_id="agent",
        context_id="context",
    )
    await intend(house, caller)
    assert await told(house, "what did you do today") == (
        "Today I changed nothing. One is still running: turn on Kitchen light."
    )
    assert await hass.config_entries.async_reload(house.entry.entry_id)
    await hass.async_block_till_done()
    said = await told(house, "why did you do that")
    assert "It broke off, and nobody knows whether it was done." in said
    assert "It was done" not in said


async def test_what_failed(house: CaesarHouse, hass: HomeAssistant) -> None:
    """It is said to have failed, with the reason that was given then."""
    await asked_tool(house, "light__turn_on", entity_id=KITCHEN, brightness="much")
    said = await told(house, "what did you do today")
    assert said.startswith("Today I changed nothing. One didn't work: turn on Kitchen")


async def test_why_in_a_talk_with_a_model(house: CaesarHouse) -> None:
    """After words alone a bare "why" is about these: the model's to answer."""
    model = ScriptedProvider(
        [[TextDelta(text="The model's."), Completed(stop=StopReason.END)]]
    )
    own = house.assistant._providers
    house.assistant._providers = (*own, model)
    # In a new conversation nothing was said yet: it is about what was done.
    assert "haven't changed" in await told(house, "why did you do that")
    assert await told(house, "tell me about cats") == "The model's."
    for bare in ("why not?", "why did you do that"):
        assert await told(house, bare) == "The model's."
    by_name = await told(house, "why did you turn on the kitchen light")
    assert by_name != "The model's."
    await told(house, "turn on the kitchen light")
    assert "turn on Kitchen light" in await told(house, "why did you do that")
    await told(house, "close the bedroom blind")
    assert "close Bedroom blind" in await told(house, "why not?")
    # Without a model nobody else could answer.
    await told(house, "tell me about cats")
    house.assistant._providers = own
    assert "close Bedroom blind" in await told(house, "why not?")
