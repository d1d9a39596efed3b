"""A house that has everything which a backup must bring back."""

import asyncio
from dataclasses import dataclass
import json
from pathlib import Path
from typing import Any, Final

from house.client import Client
from house.moving_in import AGENT, FLOWS, MODEL_KEY
from proofs.crash_parts.findings import left_in, must
from proofs.house_parts.household import Household, until
from proofs.memory_parts.real import word
from tests.fakes.phone import Push

from .houses import DATABASE, rows

PIN: Final = "471108150999"
PIN_NAME: Final = "cellar"
GARAGE: Final = "cover.garage_door"
SHED: Final = "lock.shed"
SAID: Final = word()
HOME: Final = "conversation.home_assistant"
TALK: Final = "kitchen table"
POLICY: Final = f"""\
# Written by the owner; every byte of it counts.
version: 1
allowed_services:
  - light.turn_on
  - light.turn_off
  - service: cover.open_cover
    name: garage
    target: {{entity_id: [{GARAGE}]}}
    approval: always
  - service: lock.unlock
    name: cellar
    for: {{origin: [voice]}}
    target: {{entity_id: [{SHED}]}}
    approval: always
    pin: {PIN_NAME}
allowed_tools:
  - calculator
  - plan_command
  - planned_commands
  - cancel_planned
"""
SCRIPT: Final[dict[str, Any]] = {
    "rules": [
        {"when": "remember", "rounds": [[{"text": "I will."}]]},
        {"when": "second opinion", "rounds": [[{"text": "Claude agrees."}]]},
    ],
    "default": "I see.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What there is when the backup is taken.

    `rows` are the trail's numbers and hashes, `card` the question on the owner's
    phone, `pipelines` the voice assistants as they are, by name; `other` is another
    integration's agent, as it is called then; `home` is the folder of the house.
    """

    home: Path
    rows: dict[int, str]
    policy: bytes
    seed: str
    card: Push
    pipelines: dict[str, dict[str, Any]]
    other: str


async def furnish(house: Household) -> str:
    """Set up another agent, three voice assistants, a PIN; return the agent's id."""
    other = await _other_agent(house.owner)
    for name, engine in (("Bath", other), ("Attic", HOME), ("Study", other)):
        await _assistant(house.owner, name, engine)
    by_name = await pipelines(house.owner)
    loads = _loads(house)
    step = await house.options("assistants")
    chosen = [by_name[name]["id"] for name in ("Bath", "Attic", "CAESAR")]
    step = await house.go_on(step, {"assistants": chosen})
    must(step["type"] == "create_entry", f"they are CAESAR's: {step}")
    await until(lambda: _loaded_again(house, loads))
    await give_pin(house)
    # What it had was CAESAR already, for somebody chose that by hand.
    given = {name: each["conversation_engine"] for name, each in by_name.items()}
    must(given["Bath"] == other and given["CAESAR"] == AGENT, f"as set up: {given}")
    now = await pipelines(house.owner)
    must(
        {now[name]["conversation_engine"] for name in ("Bath", "Attic", "CAESAR")}
        == {AGENT},
        f"they go through CAESAR: {now}",
    )
    return other


async def give_pin(house: Household) -> None:
    """Give the PIN that the policy names, in CAESAR's options."""
    step = await house.options("pins")
    step = await house.go_on(step, {"name": PIN_NAME, "pin": PIN})
    must(step["type"] == "create_entry", f"the PIN is kept: {step}")
    await house.owner.request("POST", "/api/services/caesar/reload_policy", {})


def _loads(house: Household) -> int:
    """Return how often CAESAR was loaded: each time it begins a boot of its trail."""
    [(count,)] = rows(house.folder, "SELECT count(*) FROM audit_boot")
    return int(count)


async def _loaded_again(house: Household, before: int) -> bool:
    return _loads(house) > before and await house.is_loaded()


async def live(house: Household, other: str) -> Before:
    """Say things that stay: remembered, waiting, planned; return what there is."""
    await house.ask(f"please remember {SAID}", TALK)
    asked = len(house.adult.pushed)
    question = await house.ask("open the garage door", "yard")
    must(question["parked"] is True, f"it waits: {question}")
    card = await house.adult.card("", after=asked)
    planned = await house.ask("turn on the kitchen light in two hours", TALK)
    must(planned["calls"][0]["outcome"] == "ok", f"it is planned: {planned}")
    await until(lambda: calculates(house))
    # The question's turn and its summary are written a moment after its answer.
    await asyncio.sleep(0.2)
    return Before(
        home=house.folder,
        rows=left_in(house.folder / DATABASE).rows,
        policy=(house.folder / "caesar" / "policy.yaml").read_bytes(),
        seed=seed(house.folder),
        card=card,
        pipelines=await pipelines(house.owner),
        other=other,
    )


async def calculates(house: Household) -> bool:
    """Return whether the local worker works out a sum."""
    said = await house.ask("what is 17 percent of 249", "sums")
    calls = said["calls"]
    return (
        bool(calls)
        and calls[0]["tool"] == "calculator"
        and (calls[0]["outcome"] == "ok")
    )


def seed(config: Path) -> str:
    """Return the key by which workers know this house."""
    kept = json.loads((config / ".storage" / "caesar.legion").read_text())
    return str(kept["data"]["seed"])


async def pipelines(client: Client) -> dict[str, dict[str, Any]]:
    """Return the voice assistants by their names."""
    async with client.socket() as socket:
        listed = await socket.command("assist_pipeline/pipeline/list")
    return {each["name"]: each for each in listed["pipelines"]}


async def change(client: Client, name: str, **settings: Any) -> None:
    """Change a voice assistant, as its owner does in Home Assistant's own page."""
    known = (await pipelines(client))[name]
    async with client.socket() as socket:
        await socket.command(
            "assist_pipeline/pipeline/update",
            pipeline_id=known.pop("id"),
            **{**known, **settings},
        )


async def rename(client: Client, entity_id: str, new: str) -> None:
    """Give an entity another id, as its owner does in its settings."""
    async with client.socket() as socket:
        await socket.command(
            "config/entity_registry/update", entity_id=entity_id, new_entity_id=new
        )


async def _assistant(client: Client, name: str, engine: str) -> None:
    known = next(iter((await pipelines(client)).values()))
    del known["id"]
    made = {"name": name, "conversation_engine": engine, "prefer_local_intents": True}
    async with client.socket() as socket:
        await socket.command("assist_pipeline/pipeline/create", **{**known, **made})


async def _other_agent(client: Client) -> str:
    """Set up Home Assistant's own integration of a model; return its agent's id."""
    step = await client.request("POST", FLOWS, {"handler": "anthropic"})
    step = await client.request(
        "POST", f"{FLOWS}/{step['flow_id']}", {"api_key": MODEL_KEY}
    )
    must(step["type"] == "create_entry", f"there is another agent: {step}")
    found = {
        each["entity_id"]
        for each in await client.states()
        if each["entity_id"].startswith("conversation.")
    } - {HOME, AGENT}
    must(len(found) == 1, f"it is one: {found}")
    return str(found.pop())
