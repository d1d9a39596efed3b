"""Answers in conversations: whose yes is a yes to what, and who ever hears of it."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from proofs.crash_parts.findings import must
from proofs.house_parts.household import POLICY as POLICY_PATH, Household
from tests.fakes.phone import YES, buttons

from .asking import Asked
from .cases import CASES, DOOR, FRONT, PIN_NAME, SHED, SPOKEN_RULE

# Long, so that they are found nowhere by chance.
PIN: Final = "471108150999"
WRONG_PIN: Final = "471108150998"
YES_WORDS: Final = "Go ahead, please."
MODEL_ASKS: Final = "Shall I unlock the front door now? Say yes."
_OPENED: Final = [(FRONT, "unlock")]

SCRIPT_RULES: Final[list[dict[str, Any]]] = [
    {"when": "tell me a story", "rounds": [MODEL_ASKS]},
    {"when": "^yes$", "rounds": [[DOOR.call()], DOOR.done]},
]


async def set_pin(house: Household) -> None:
    """Set a PIN in CAESAR's options, and write a rule that wants it."""
    step = await house.options("pins")
    step = await house.go_on(step, {"name": PIN_NAME, "pin": PIN})
    must(step["type"] == "create_entry", f"the PIN is kept: {step}")
    policy = house.folder / POLICY_PATH
    policy.write_text(policy.read_text() + SPOKEN_RULE)
    await house.owner.request("POST", "/api/services/caesar/reload_policy", {})


async def prove_talk(house: Household, asked: Mapping[str, Asked]) -> list[str]:
    """Talk; return what was seen."""
    return [
        await _models_question(house),
        await _yes_in_chat(house),
        await _others_yes(house),
        await _pin(house),
        _nothing_told(house, asked),
    ]


async def _models_question(house: Household) -> str:
    """The model asks something itself, before and after a question of CAESAR's."""
    done = len(house.effects())
    story = await house.ask("tell me a story", "own question")
    must(story["answer"] == MODEL_ASKS, f"the model asks: {story}")
    yes = await house.ask("yes", "own question")
    must(yes["parked"] is True, f"a yes to the model is no approval: {yes}")
    must(MODEL_ASKS not in yes["answer"], "what is asked is CAESAR's own words")
    story = await house.ask("tell me a story", "own question")
    must(story["answer"] == MODEL_ASKS, f"the model asks: {story}")
    again = await house.ask("yes", "own question")
    must(again["parked"] is True, f"nor after CAESAR's question was left: {again}")
    must(len(house.effects()) == done, "the door stays locked")
    await house.ask("No, thanks.", "own question")
    return "a yes to the model's own question opens nothing; CAESAR asks itself"


async def _yes_in_chat(house: Household) -> str:
    done = len(house.effects())
    question = await house.ask(DOOR.words, "hall")
    must(question["parked"] is True, f"it waits: {question}")
    other = await house.ask("Okay then.", "hall", by=house.child)
    must(len(house.effects()) == done, f"the child's word counts for nothing: {other}")
    answer = await house.ask(YES_WORDS, "hall")
    must(house.effects()[done:] == _OPENED, f"it is done: {house.effects()[done:]}")
    must(answer["answer"] == DOOR.done, f"the turn goes on: {answer}")
    await house.ask("Okay then.", "hall")
    must(house.effects()[done:] == _OPENED, "once")
    return f"{question['answer']!r}, {YES_WORDS!r}: done once, {answer['answer']!r}"


async def _others_yes(house: Household) -> str:
    """The child asks and waits; the owner says yes on the phone."""
    done, before = len(house.effects()), len(house.adult.pushed)
    waiting = asyncio.ensure_future(house.ask(DOOR.words, "children", by=house.child))
    card = await house.adult.card("", after=before)
    await house.boy.fire({"action": buttons(card)[YES]["action"]})
    await asyncio.sleep(1)
    must(len(house.effects()) == done, "the child can't press the owner's button")
    await house.adult.press(card, YES)
    answer = await waiting
    must(house.effects()[done:] == _OPENED, f"it is done: {house.effects()[done:]}")
    must(answer["answer"].endswith(DOOR.done), f"the same turn says so: {answer}")
    return f"{card['message']!r}: the owner's yes ends the child's turn"


async def _pin(house: Household) -> str:
    await set_pin(house)
    done = len(house.effects())
    question = await house.hear(CASES["changed question"].words)
    session = question["conversation_id"]
    bare = await house.hear(YES_WORDS, session)
    wrong = await house.hear(WRONG_PIN, session)
    must(len(house.effects()) == done, "a bare yes or a wrong PIN opens nothing")
    right = await house.hear(PIN, session)
    must(
        house.effects()[done:] == [(SHED, "unlock")],
        f"the PIN does: {question, bare, wrong, right}",
    )
    talk = [each["answer"] for each in (question, bare, wrong, right)]
    await house.hear(PIN, session)
    return f"by voice with a PIN: {talk}"


def _nothing_told(house: Household, asked: Mapping[str, Asked]) -> str:
    """Look through all that the model's server was ever sent, and CAESAR's files."""
    sent = house.said_to_model()
    secrets = [PIN, WRONG_PIN, YES_WORDS, YES_WORDS.strip(".").casefold()]
    secrets += [each.approval_id for each in asked.values()]
    secrets += [
        button["action"] for each in asked.values() for button in buttons(each.card)
    ]
    for secret in secrets:
        must(secret not in sent, f"no request holds {secret!r}")
    files = b"".join(path.read_bytes() for path in (house.folder / "caesar").iterdir())
    for secret in (PIN, WRONG_PIN, YES_WORDS):
        must(secret.encode() not in files, f"no file of CAESAR's holds {secret!r}")
    return (
        f"{len(house.model.rounds)} requests to the model: no yes to a question, no "
        "PIN, no id and no button in any of them, nor a yes or PIN in CAESAR's files"
    )
