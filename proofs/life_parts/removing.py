"""CAESAR is removed as a person does it in the page, and set up again."""

import json
from pathlib import Path
from typing import Any, Final

from custom_components.caesar.legion.keys import Identity
from house.moving_in import AGENT, set_up_caesar
from house.options import Brain, BrainKind
from proofs.crash_parts.findings import check, left_in, must
from proofs.hosts_parts.transcript import Transcript
from proofs.house_parts.household import POLICY as POLICY_PATH, Household, until
from proofs.local_worker_parts.processes import gone
from proofs.memory_parts.real import files_with

from .furnishing import (
    HOME,
    PIN_NAME,
    POLICY,
    SAID,
    TALK,
    Before,
    change,
    give_pin,
    pipelines,
    rename,
    seed,
)
from .houses import DATABASE, ENTRIES, entry_of, notices, repairs, rows

_BUTLER: Final = "conversation.butler"
_CLAUDE: Final = "conversation.claude_of_the_house"
_OWN_USERS: Final = ("CAESAR voice", "CAESAR automations")
_ERASED: Final = (
    "bot_memory",
    "pending_approvals",
    "planned_commands",
    "tool_loop_checkpoints",
)
_WORKER_S: Final = 10.0
_LEFT: Final = ".storage/caesar.audit"


async def remove(house: Household, before: Before, told: Transcript) -> None:
    """Rename agents, let the owner change one assistant, and remove the entry."""
    owner = house.owner
    await house.ask("open the garage door", "yard")
    await change(owner, "Attic", conversation_engine=before.other)
    await rename(owner, AGENT, _BUTLER)
    await rename(owner, before.other, _CLAUDE)
    await until(lambda: _answers(house, "Bath", _BUTLER))
    trail, policy = _kept(house)
    public = Identity.from_seed(seed(house.folder)).public_key
    entry = await entry_of(owner)
    await owner.request("DELETE", f"{ENTRIES}/{entry['entry_id']}")

    now = {name: _had(each) for name, each in (await pipelines(owner)).items()}
    wanted = {
        # Given by set-up or options: what they had, under its name of today.
        "Bath": (_CLAUDE, True),
        # The owner has given it to another agent since; Home Assistant doesn't follow.
        "Attic": (before.other, False),
        # Never CAESAR's.
        "Study": (before.other, True),
        # Chosen by hand: what they had before isn't known.
        "CAESAR": (HOME, False),
        "CAESAR (Deutsch)": (HOME, False),
    }
    must({name: now[name] for name in wanted} == wanted, f"given back: {now}")
    told.say(f"removal: the voice assistants' agents are {_agents(now)}")
    heard = await house.hear("turn on the kitchen light")
    must("PIN" not in heard["answer"], f"Home Assistant answers: {heard}")
    must(await house.state("light.kitchen_light") == "on", f"and acts: {heard}")
    told.say(f"removal: the satellite hears from Home Assistant {heard['answer']!r}")

    must(gone(public, _WORKER_S), "the local worker's process is gone")
    await _erased(house, told)
    left, kept = _kept(house)
    must(kept == policy, "the policy stays")
    must(trail.items() <= left.items(), "so does every row of the trail")
    must(check(house.folder / DATABASE, house.folder).ok, "which verifies")
    said = await notices(owner)
    [text] = said.values()
    for place in (house.folder / "caesar", house.folder / _LEFT):
        must(str(place) in text, f"the owner is told of {place}: {text}")
    told.say(f"removal: {len(left)} rows and the policy stay; {text!r}")


async def _erased(house: Household, told: Transcript) -> None:
    """See that nothing of CAESAR's own is left, on the disk and in Home Assistant."""
    full = [
        table
        for table in _ERASED
        if rows(house.folder, f"SELECT 1 FROM {table}")  # noqa: S608 - names of our own
    ]
    must(not full, f"nothing that was said or waits: {full}")
    words = files_with(house.folder / "caesar", [SAID])
    must(not words, f"no word in any file: {words}")
    storage = house.folder / ".storage"
    left = sorted(f".storage/{path.name}" for path in storage.glob("caesar*"))
    must(left == [_LEFT], f"no other file of CAESAR's: {left}")
    keys = json.loads((house.folder / _LEFT).read_text())["data"]
    must("vault" not in keys, "the key of what was said is forgotten")
    async with house.owner.socket() as socket:
        users = await socket.command("config/auth/list")
        entities = await socket.command("config/entity_registry/list")
        devices = await socket.command("config/device_registry/list")
    names = {user["name"] for user in users}
    must(names.isdisjoint(_OWN_USERS), f"no user of CAESAR's: {names}")
    ours = [each for each in entities if each["platform"] == "caesar"]
    ours += [each for each in devices if each["manufacturer"] == "CAESAR"]
    must(not ours, f"no entity and no device: {ours}")
    must(not (found := await repairs(house.owner)), f"no repair: {found}")
    told.say(
        "removal: memory, questions, planned commands, keys, PINs, users, entities, "
        "devices, repairs and the worker's process are gone"
    )


async def set_up_again(house: Household, before: Before, told: Transcript) -> None:
    """Go through the form anew: policy and trail go on, nothing is remembered."""
    trail, policy = _kept(house)
    await set_up_caesar(
        house.owner, Brain(kind=BrainKind.SCRIPTED), house.folder / POLICY_PATH
    )
    # PINs are keys, and gone: the policy names one, so nothing is allowed before it
    # is given anew.
    problem = (await repairs(house.owner))["policy_invalid_start"]
    line = problem["translation_placeholders"]["line"]
    must(f"pin: {PIN_NAME}" in POLICY.splitlines()[int(line) - 1], f"{problem}")
    refused = await house.ask("turn on the kitchen light", "no PIN")
    must(refused["calls"][0]["outcome"] != "ok", f"all is denied: {refused}")
    await give_pin(house)
    must(not (found := await repairs(house.owner)), f"no repair: {found}")
    done = await house.ask("turn on the kitchen light", "no PIN")
    must(done["calls"][0]["outcome"] == "ok", f"then it is as before: {done}")
    await house.ask("and what was that", TALK)
    sent = str(house.model.rounds[-1]["messages"])
    must(SAID not in sent, f"nothing is remembered: {sent}")
    checked = await house.owner.action("caesar.verify_audit", {})
    now, kept = _kept(house)
    must(kept == policy, "the policy is the one of before")
    must(
        checked["ok"] is True and trail.items() <= now.items(), f"one trail: {checked}"
    )
    must(seed(house.folder) != before.seed, "workers meet a new house")
    must(not (said := await notices(house.owner)), f"the notice is gone: {said}")
    told.say(
        f"set up again: the form keeps the policy, whose PIN must be given anew; {len(trail)} old rows and "
        f"{len(now) - len(trail)} new ones are one trail; nothing is remembered"
    )


async def _answers(house: Household, name: str, engine: str) -> bool:
    return _had((await pipelines(house.owner))[name])[0] == engine


def _had(pipeline: dict[str, Any]) -> tuple[str, bool]:
    return pipeline["conversation_engine"], pipeline["prefer_local_intents"]


def _agents(now: dict[str, tuple[str, bool]]) -> str:
    return ", ".join(f"{name}: {engine}" for name, (engine, _) in now.items())


def _kept(house: Household) -> tuple[dict[int, str], bytes]:
    """Return the trail's rows and the policy."""
    path: Path = house.folder / DATABASE
    return left_in(path).rows, (house.folder / POLICY_PATH).read_bytes()
