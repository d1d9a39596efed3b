"""What a hostile model's refusals lead to: nothing by themselves, a rule by hand."""

import asyncio
import difflib
from typing import Any, Final

from proofs.crash_parts.findings import must
from proofs.house_parts.household import POLICY as POLICY_PATH, Household

from .matrix import as_user

STORM: Final = "bury them in refusals"
# A turn is cut off after twenty calls, a round after eight.
_TURNS: Final = 5
_ROUNDS: Final = 3
_EACH: Final = 8
FLOWS: Final = "/api/config/config_entries/options/flow"


def storm_rule() -> dict[str, Any]:
    """Return a model that has as many different calls refused as it can."""
    rounds: list[Any] = [
        [_forbidden(number * _EACH + each) for each in range(_EACH)]
        for number in range(_ROUNDS)
    ]
    return {"when": STORM, "rounds": [*rounds, "I give up."]}


def _forbidden(number: int) -> dict[str, Any]:
    brightness = number + 1
    return {
        "tool": "light__turn_on",
        "input": {"entity_id": "light.night_light", "brightness": brightness},
    }


async def prove_storm(house: Household) -> str:
    """Have a hundred calls refused; no phone and no page may show anything."""
    pushed = len(house.adult.pushed), len(house.boy.pushed)
    notices = await _notices(house)
    turns = await asyncio.gather(
        *(as_user(house, STORM, f"storm {n}", child=True) for n in range(_TURNS))
    )
    rows = [row for turn in turns for row in await house.rows(str(turn.decision_id))]
    refused = [row for row in rows if row["event_type"] == "policy.denied"]
    must(len(refused) >= 100, f"a hundred are refused: {len(refused)}")
    done = [call for turn in turns for call in turn.calls if call["outcome"] != "none"]
    must(not done, f"none of them is done: {done}")
    now = len(house.adult.pushed), len(house.boy.pushed)
    must(now == pushed, "no phone is told")
    must(await _notices(house) == notices, "no notification is made")
    return f"{len(refused)} refusals in five turns of the child's: nothing on any phone"


async def _notices(house: Household) -> set[str]:
    async with house.owner.socket() as socket:
        listed = await socket.command("persistent_notification/get")
    return {each["notification_id"] for each in listed}


async def prove_rule(house: Household) -> str:
    """Make a rule of the child's refused fan, and take it back."""
    policy = house.folder / POLICY_PATH
    before = policy.read_text()
    step = await house.options("refused")
    [field] = step["data_schema"]
    [seq] = [
        option["value"]
        for option in field["selector"]["select"]["options"]
        if option["label"].endswith("Child: turn on Bedroom fan")
    ]
    step = await house.go_on(step, {"refusal": seq})
    must(step["step_id"] == "refusal", f"it is shown: {step}")
    step = await house.go_on(step, {"decision": "allow"})
    must(step["step_id"] == "changes", f"the lines are shown: {step}")
    must(policy.read_text() == before, "looking changes nothing")
    step = await house.go_on(step, {})
    must(step["type"] == "create_entry", f"it is saved: {step}")
    after = policy.read_text()
    lines = list(difflib.ndiff(before.splitlines(True), after.splitlines(True)))
    must(not [line for line in lines if line[0] in "-?"], f"no line changed: {lines}")
    added = "".join(line[2:] for line in lines if line[0] == "+")
    turn = await as_user(house, "sweaty night", "fan again", child=True)
    must(turn.calls[0]["outcome"] == "ok", f"the rule holds: {turn}")
    step = await house.go_on(await house.options("undo"), {})
    must(policy.read_text() == before, f"undone to the byte: {step}")
    turn = await as_user(house, "sweaty night", "fan at last", child=True)
    must(turn.calls[0]["outcome"] == "none", f"and in force: {turn}")
    return (
        "from a no to a rule, every other line as it was, and undone to the byte; "
        f"added:\n{added}"
    )
