"""Who may do what under one policy file, asked for by each of them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from house.answers import Turn
from house.ask import AskByAutomation
from house.trail import with_calls
from proofs.crash_parts.findings import must
from proofs.house_parts.household import Household, until
from tests.fakes.phone import NO

POLICY: Final = """\
version: 1
# One file for everybody in the house.
allowed_services:
  - service: light.turn_on
    name: kitchen light
    target: {entity_id: [light.kitchen_light]}
  - service: light.turn_on
    name: night light
    for: {area: [Children's room]}   # whoever speaks to the satellite there
    target: {entity_id: [light.night_light]}
  - service: switch.turn_on
    name: pump
    for: {user: [Owner]}
    target: {entity_id: [switch.garden_pump]}
  - service: vacuum.start
    name: vacuum
    for: {user: [Child]}
  - service: fan.turn_on
    name: fan
    for: {admin: true}
  - service: lock.unlock
    name: front door
    for: {origin: [chat]}
    target: {entity_id: [lock.front_door]}
    approval: always
  - service: media_player.volume_set
    name: wake up
    for: {origin: [automation]}
    target: {entity_id: [media_player.music_box]}
  - service: light.turn_on
    name: reading light
    for: {origin: [agent]}
    target: {entity_id: [light.reading_light]}
    tainted: allow
allowed_tools:
  - tool: get_state
    for: {origin: [chat, voice]}
    input: {entity_id: [lock.front_door]}
"""

type Ask = Callable[[str], Awaitable[Turn]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Something that everybody asks for; `may` is what becomes of it, by who asks.

    `yes`, or the code of the refusal.
    """

    words: str
    tool: str
    input: Mapping[str, Any]
    may: Mapping[str, str]

    def rule(self) -> dict[str, Any]:
        """Return what the model does when it hears the words."""
        call = {"tool": self.tool.replace(".", "__", 1), "input": dict(self.input)}
        return {"when": self.words, "rounds": [[call], "I am done."]}


OWNER: Final = "owner"
CHILD: Final = "child"
SATELLITE: Final = "satellite"
AUTOMATION: Final = "automation"
# Where the owner lets automations do what the policy allows, and one vouches for its
# text.
ACTING: Final = "acting automation"
WHO: Final = (OWNER, CHILD, SATELLITE, AUTOMATION, ACTING)
_NOT: Final = "caller_not_covered"
_ASKED: Final = "approval_needed"


def _may(
    owner: str, child: str, satellite: str, automation: str, acting: str = _NOT
) -> dict[str, str]:
    may = (owner, child, satellite, automation, acting)
    return dict(zip(WHO, may, strict=True))


def _on(entity_id: str) -> dict[str, str]:
    return {"entity_id": entity_id}


WISHES: Final = (
    Wish(
        words="kitchen bright",
        tool="light.turn_on",
        input=_on("light.kitchen_light"),
        may=_may("yes", "yes", "yes", _NOT, "yes"),
    ),
    Wish(
        words="glow softly",
        tool="light.turn_on",
        input=_on("light.night_light"),
        may=_may(_NOT, _NOT, "yes", _NOT),
    ),
    Wish(
        words="water flows",
        tool="switch.turn_on",
        input=_on("switch.garden_pump"),
        may=_may("yes", _NOT, _NOT, _NOT),
    ),
    Wish(
        words="crumbs everywhere",
        tool="vacuum.start",
        input=_on("vacuum.robot_vacuum"),
        may=_may(_NOT, "yes", _NOT, _NOT),
    ),
    Wish(
        words="sweaty night",
        tool="fan.turn_on",
        input=_on("fan.bedroom_fan"),
        may=_may("yes", _NOT, _NOT, _NOT),
    ),
    Wish(
        words="granny arrives",
        tool="lock.unlock",
        input=_on("lock.front_door"),
        may=_may(_ASKED, "approval_denied", _NOT, _NOT),
    ),
    Wish(
        words="wakey wakey",
        tool="media_player.volume_set",
        input={**_on("media_player.music_box"), "volume_level": 0.5},
        may=_may(_NOT, _NOT, _NOT, _NOT, "yes"),
    ),
    Wish(
        words="bolted or not",
        tool="get_state",
        input={"entity_id": ["lock.front_door"]},
        may=_may("yes", "yes", "yes", _NOT),
    ),
)


async def prove_matrix(house: Household) -> str:
    """Let everybody ask for everything; return the table of what came of it."""
    seen: dict[str, list[str]] = {wish.words: [] for wish in WISHES}
    async with house.owner.socket() as socket:
        await socket.command("subscribe_events", event_type="demo_house_answer")
        answers = socket.events()
        automation = AskByAutomation(house.owner, answers, {})
        acting = AskByAutomation(house.owner, answers, {"trusted": True})
        ways: dict[str, Ask] = {
            OWNER: lambda text: as_user(house, text, f"{OWNER} {text}"),
            CHILD: lambda text: _child(house, text),
            SATELLITE: lambda text: by_voice(house, text),
            AUTOMATION: lambda text: automation(text, "en"),
            ACTING: lambda text: acting(text, "en"),
        }
        for who in WHO:
            if who == ACTING:
                step = await house.options("automations")
                await house.go_on(step, {"automation_tools": "policy"})
                await until(house.is_loaded)
            for wish in WISHES:
                before = len(house.effects())
                [call] = (await ways[who](wish.words)).calls
                got = "yes" if call["outcome"] == "ok" else str(call["code"])
                must(got == wish.may[who], f"{who}, {wish.words}: {call}")
                changes = got == "yes" and wish.tool != "get_state"
                must(
                    len(house.effects()) == before + changes,
                    f"{who}, {wish.words}: {house.effects()[before:]}",
                )
                seen[wish.words].append(_cell(got, call))
    return _table(seen)


async def as_user(
    house: Household, text: str, conversation: str, *, child: bool = False
) -> Turn:
    """Ask over REST."""
    by = house.child if child else house.owner
    return Turn.of(text, await house.ask(text, conversation, by=by))


async def _child(house: Household, text: str) -> Turn:
    """Ask as the child; the owner, if asked, says no on the phone."""
    before = len(house.adult.pushed)
    asking = asyncio.ensure_future(as_user(house, text, f"{CHILD} {text}", child=True))
    if text == "granny arrives":
        await house.adult.press(await house.adult.card("Child", after=before), NO)
    return await asking


async def by_voice(house: Household, text: str) -> Turn:
    """Say it to the satellite; what came of it is in the trail."""
    heard = await house.hear(text)
    turn = Turn(
        text=text,
        answer=heard["answer"],
        decision_id=(heard["extra_data"] or {}).get("decision_id"),
    )
    [told] = await asyncio.to_thread(with_calls, [turn], house.folder)
    return told


def _cell(got: str, call: Mapping[str, Any]) -> str:
    return f"yes ({call['rule']})" if got == "yes" and call["rule"] else got


def _table(seen: Mapping[str, list[str]]) -> str:
    head = ["", *WHO]
    rows = [
        [f"{wish.tool} {wish.input['entity_id']}", *seen[wish.words]] for wish in WISHES
    ]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in (head, *rows)
    )
