"""Sets the stage for all lies, and counts them."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

from custom_components.caesar.legion.keys import Identity
from house.moving_in import build_house
from proofs.crash_parts.findings import must
from proofs.hosts_parts.standing import House, standing_house
from proofs.hosts_parts.transcript import Transcript

from .flood import Mover, prove_flood
from .lies import EXTRA, cases
from .line import TOOL, Line, prove_line
from .peers import HousePeer, remember
from .sentences import greedy, prove_sentences
from .table import Told, all_honest, enact, honest, recant

# Counted, so that none gets lost.
LIES: Final = 36
ON_THE_LINE: Final = 9
# Python keeps some of what it used once.
MOST_MB: Final = 25.0
_SETTINGS: Final = """version: 1
allowed_services:
  - light.turn_on
sentinel:
  rate_limit_per_minute: 10000
allowed_tools:
"""


class Cast:
    """All peers of the proof."""

    def __init__(self, house_key: str) -> None:
        """Make them."""
        self.bystander = HousePeer("Bystander", "bystander")
        self.told = [
            Told(
                case=case,
                peer=HousePeer(
                    f"Peer {n:02}.", f"peer_{n:02}", timeout_s=case.timeout_s
                ),
            )
            for n, case in enumerate(cases(lambda: self.bystander))
        ]
        self.greedy, self.stranger = greedy("Greedy"), greedy("Stranger")
        self.line = Line(house_key)
        self.mover = Mover(house_key)

    @property
    def peers(self) -> list[HousePeer]:
        """Return those that answer byte by byte."""
        liars = [each.peer for each in self.told]
        return [self.bystander, *liars, self.greedy, self.stranger]

    async def enter(self, stack: AsyncExitStack) -> None:
        """Have all of them listen."""
        for peer in self.peers:
            await stack.enter_async_context(peer)
        await stack.enter_async_context(self.line)
        await self.mover.start()
        stack.push_async_callback(self.mover.stop)

    def remember(self, config: Path, identity: Identity) -> None:
        """Have the house remember all but the stranger."""
        enrolled = [p.enrolled for p in self.peers if p is not self.stranger]
        remember(config, identity, [*enrolled, self.line.enrolled, self.mover.enrolled])

    def policy(self) -> str:
        """Return a policy that grants all tools: it must not be what refuses."""
        names = [peer.spec.name for peer in self.peers]
        lines = (f"  - {name}\n" for name in (*names, EXTRA, TOOL, "moving_tool"))
        return _SETTINGS + "".join(lines)


async def prove(transcript: Transcript, config: Path, floods: Sequence[int]) -> None:
    """Have all lies told, and see each refused. Raises Unproven.

    `floods` are numbers of announcements.
    """
    identity = Identity.generate()
    cast = Cast(identity.public_key)
    async with AsyncExitStack() as stack:
        await cast.enter(stack)
        config.mkdir(mode=0o700)
        cast.remember(config, identity)
        house = await stack.enter_async_context(standing_house(config, cast.policy()))
        await build_house(house.owner, None)
        await house.invite("adult", "elder", "guest")
        transcript.say("Home Assistant runs, with the workers that it enrolled")
        await _lies(transcript, house, cast)
        attacks = await prove_line(house, cast.line, cast.bystander.identity)
        must(len(attacks) == ON_THE_LINE, f"{ON_THE_LINE} attacks: {len(attacks)}")
        transcript.say(f"{len(attacks)} attacks on the line")
        print(f"  {'attack':<35}{'worker':<19}{'trail':<12}worker's log")
        print("\n".join(attacks), flush=True)
        print("\n".join(await prove_sentences(house, cast.greedy, cast.stranger)))
        for number in floods:
            flood = await prove_flood(house, cast.mover, number)
            print("\n".join(flood), flush=True)
        await honest(house, cast.bystander)
        must(house.process.returncode is None, "Home Assistant runs")
    log = (config / "console.log").read_text(encoding="utf-8")
    must("Traceback" not in log, f"no traceback in the log: {log[-3000:]}")
    number = len(cast.told) + len(attacks) + 2
    transcript.say(
        f"{number} of {number} refused; no traceback in Home Assistant's log"
    )


async def _lies(transcript: Transcript, house: House, cast: Cast) -> None:
    liars = [each.peer for each in cast.told]
    must(len(liars) == LIES, f"{LIES} lies: {len(liars)}")
    await all_honest(house, [cast.bystander, *liars])
    before = house.resident_mb()
    transcript.say(f"{len(liars)} workers are honest, and are believed")
    lines = await enact(house, cast.told, cast.bystander)
    grown = house.resident_mb() - before
    must(grown < MOST_MB, f"memory has not grown: {grown:.1f} MB")
    transcript.say(f"each told a lie; memory {grown:+.1f} MB")
    print(f"  {'lie':<25}{'call':<18}{'on?':<6}{'repair':<16}trail")
    print("\n".join(lines), flush=True)
    await recant(house, cast.told)
    await all_honest(house, liars)
    left = [
        issue["issue_id"]
        for issue in await house.repairs("worker_")
        if any(issue["issue_id"].endswith(peer.subentry_id) for peer in liars)
    ]
    must(not left, f"no repair is left: {left}")
    transcript.say("all are honest again, and are believed again")
