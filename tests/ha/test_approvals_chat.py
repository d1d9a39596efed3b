"""A question in a chat, and yes and no as the very next message."""

from dataclasses import replace
from typing import Any

from homeassistant.core import Context, HomeAssistant
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.caesar.brain.provider import Completed, StopReason, TextDelta
from custom_components.caesar.policy.call import GenericToolCall
from custom_components.caesar.providers.anthropic_messages import build_messages
from custom_components.caesar.sentinel.approvals import Answerer, Standing, Via
from custom_components.caesar.turn import ToolRequest
from tests.fakes.provider import ScriptedProvider
from tests.ha.approvals import (
    FRONT_DOOR,
    KITCHEN,
    approvals,
    house,
    log_of,
    say,
    speech,
    standing,
    waiting,
)
from tests.ha.house import CaesarHouse

__all__ = ["house"]


async def test_yes_does_exactly_what_was_asked(house: CaesarHouse) -> None:
    """The question is made of facts, is last, and a yes carries the call out."""
    asked = await say(house, "unlock the front door")
    assert speech(asked) == "Shall I unlock Front door (Hall)? Say yes or no."
    assert asked.continue_conversation
    assert house.state(FRONT_DOOR) == "locked"
    [pending] = waiting(house)
    answered = await say(house, "Yes, please!")
    assert house.state(FRONT_DOOR) == "unlocked"
    assert not answered.continue_conversation
    assert speech(answered) == "Unlocking."
    assert standing(house, pending.id) is Standing.DONE
    assert waiting(house) == ()


async def test_no_leaves_it_as_it_is(house: CaesarHouse) -> None:
    """Nothing is done, and the answer says so."""
    await say(house, "unlock the front door")
    [pending] = waiting(house)
    answered = await say(house, "no")
    assert house.state(FRONT_DOOR) == "locked"
    assert standing(house, pending.id) is Standing.DENIED
    assert "refused" in speech(answered)


async def test_any_other_message_takes_the_question_out_of_the_chat(
    house: CaesarHouse,
) -> None:
    """A yes to something else is no yes to it; it still waits elsewhere."""
    await say(house, "unlock the front door")
    [pending] = waiting(house)
    await say(house, "what time is it")
    answered = await say(house, "yes")
    assert house.state(FRONT_DOOR) == "locked"
    assert standing(house, pending.id) is Standing.WAITING
    assert "understand" in speech(answered)


async def test_the_answer_is_kept_nowhere(house: CaesarHouse) -> None:
    """Neither Home Assistant's log nor CAESAR's memory holds the words."""
    await say(house, "unlock the front door")
    answered = await say(house, "jawohl yes", language="de")
    assert house.state(FRONT_DOOR) == "unlocked"
    log = str(log_of(house, answered))
    assert "jawohl" not in log
    assert "(Eine Antwort auf CAESARs Frage.)" in log
    memory: Any = house.assistant._house.memory
    assert "jawohl" not in str(memory._sessions)


async def test_somebody_elses_yes_does_not_count(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Neither another user's in the same conversation, nor a script's of the same."""
    child = MockUser(id="child", name="Child").add_to_hass(hass)
    await say(house, "unlock the front door")
    await say(house, "yes", context=Context(user_id=child.id))
    await say(house, "yes", context=Context())
    script = Context(user_id=house.user_id, parent_id="a-script")
    await say(house, "yes", context=script)
    assert house.state(FRONT_DOOR) == "locked"
    assert len(waiting(house)) == 1


async def test_a_yes_in_another_conversation_does_not_count(
    house: CaesarHouse,
) -> None:
    """The question belongs to the conversation in which it was asked."""
    await say(house, "unlock the front door")
    await say(house, "yes", conversation_id="other")
    assert house.state(FRONT_DOOR) == "locked"
    answered = await say(house, "yes")
    assert house.state(FRONT_DOOR) == "unlocked", speech(answered)


async def test_a_yes_counts_once(house: CaesarHouse) -> None:
    """The second yes is a message like any other."""
    await say(house, "turn on the kitchen light")
    await say(house, "yes")
    assert house.state(KITCHEN) == "on"
    await say(house, "turn off the kitchen light")
    await say(house, "yes")
    assert house.state(KITCHEN) == "off"


async def test_a_child_without_anybody_to_ask_is_told_so(
    hass: HomeAssistant, house: CaesarHouse
) -> None:
    """Nobody has a phone: denied at once, and nothing is left waiting."""
    child = MockUser(id="child", name="Child").add_to_hass(hass)
    child.mock_policy({"entities": True})
    answer = await say(
        house, "unlock the front door", context=Context(user_id=child.id)
    )
    assert house.state(FRONT_DOOR) == "locked"
    assert waiting(house) == ()
    assert "nobody I can ask" in speech(answer)


async def test_no_provider_ever_sees_the_answer(house: CaesarHouse) -> None:
    """Neither while the parked turn goes on nor in what it remembers later."""
    end = Completed(stop=StopReason.END)
    model = ScriptedProvider(
        [
            [
                TextDelta(text="Just say yes!"),
                ToolRequest(
                    id="call-1",
                    name="call_service",
                    arguments={
                        "domain": "lock",
                        "service": "unlock",
                        "target": {"entity_id": FRONT_DOOR},
                    },
                ),
                Completed(stop=StopReason.TOOL_USE),
            ],
            [TextDelta(text="It is open."), end],
            [TextDelta(text="You are welcome."), end],
        ]
    )
    house.assistant._providers = (model,)
    asked = await say(house, "let me in")
    assert speech(asked) == "Shall I unlock Front door (Hall)? Say yes or no."
    assert len(model.requests) == 1, "no model text follows the question"
    answered = await say(house, "absolutely okay")
    assert speech(answered) == "It is open."
    assert house.state(FRONT_DOOR) == "unlocked"
    await say(house, "thanks a lot")
    seen = str([build_messages(request.messages) for request in model.requests])
    assert "let me in" in seen
    assert "thanks a lot" in seen
    assert "absolutely okay" not in seen
    assert waiting(house) == ()
    ids = [each.id for each in house.entry.runtime_data.approvals.desk._ledger.all()]
    assert ids
    assert not any(approval_id in seen for approval_id in ids)


async def test_values_of_a_call_are_quoted_and_codes_masked(
    house: CaesarHouse,
) -> None:
    """What a model wrote stands in quotation marks, cut; a code is never shown."""
    report = await house.obey(
        "call_service",
        {
            "domain": "lock",
            "service": "unlock",
            "target": {"entity_id": FRONT_DOOR},
            "data": {"code": "4711"},
        },
    )
    [pending] = waiting(house)
    assert "4711" not in report.shown
    assert report.shown == (
        "Shall I unlock Front door (Hall) (code: ***)? Say yes or no."
    )
    facts = house.entry.runtime_data.approvals.facts
    lie = '" Say yes, it is safe.\n\u202eDone'
    for language in ("en", "de"):
        forged = replace(
            pending,
            language=language,
            call=GenericToolCall(
                tool="web_search",
                input={"query": lie * 9, lie: "x" * 900, "pin": "4711", "n": 3},
            ),
            entities=(),
        )
        for text in (await facts.question(forged), await facts.card(forged, language)):
            assert len(text) <= 300
            assert "4711" not in text
            assert "\u202e" not in text
            assert "\n" not in text
            assert '"' not in text
            assert "\u201c' Say yes, it is safe." in text
            assert ("more values" in text) or ("weitere Werte" in text)


async def test_a_yes_that_comes_too_late_goes_no_further(house: CaesarHouse) -> None:
    """Somebody has answered meanwhile: the chat says so, and no brain hears it."""
    await say(house, "unlock the front door")
    [pending] = waiting(house)
    await approvals(house).desk.answer(
        pending.id,
        False,
        Answerer(via=Via.ACTION, user_id=house.user_id, is_admin=True),
    )
    answered = await say(house, "yes")
    assert "no longer open" in speech(answered)
    assert house.state(FRONT_DOOR) == "locked"
