"""The approval desk: every question to a person, and every answer, goes over it.

A question is bound to one exact call and to what it resolved to, is answered once and
used once, and lapses to a no. What a model says never comes here.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
import logging
from typing import Any, Final

from ..policy.call import ToolCall, tool_id
from ..policy.caller import Caller, Origin
from ..policy.reason import Code
from ..turn import ApprovalResult, ToolOutcome, Turn
from .answering import asker_may_answer, may_approve, may_refuse, same_asker
from .approvals import Answerer, PendingApproval, Standing
from .channels import Channels
from .desk_parts import Answer, Channel, DeskEvent, DeskParts
from .guard import ApprovalRequest
from .ledger import OPEN, Ledger, Listener, StoreUnavailable
from .noting import Noting
from .once import allow_once
from .questions import draft, is_same, no_in_turn, refused, result_of, too_many

__all__ = ["Answer", "ApprovalDesk", "Channel", "DeskEvent", "DeskParts"]

_LOGGER = logging.getLogger(__name__)

# How long a turn waits for somebody else's answer, in seconds.
WAITS_S: Final = {Origin.CHAT: 25.0, Origin.AGENT: 25.0, Origin.VOICE: 12.0}
# What a turn needs after a yes, to carry the call out and say so.
AFTERWARDS_S: Final = 10.0
_LOOK_EVERY_S: Final = 30.0


class ApprovalDesk:
    """Implements `Approver`; asks over its channels, and takes the answers."""

    def __init__(self, parts: DeskParts) -> None:
        """Stand on these parts; nothing is read before `start`."""
        self._parts = parts
        self._ledger = Ledger(parts.store, now=parts.now, clock=parts.clock)
        self.noting = Noting()
        self._channels = Channels(parts.spawn)
        self._ledger.listen(self._channels.tell)
        # When a question was last said in its conversation.
        self._said: dict[str, float] = {}
        # How many turns a question belongs to.
        self._turns: Counter[str] = Counter()
        self._stopped = True
        self._watch: asyncio.Task[Any] | None = None

    def add_channel(self, channel: Channel) -> None:
        """Ask over this channel too; before `start`."""
        self._channels.add(channel)

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Call back with every question that is asked or changes its standing.

        The change is on disk by then. Before `start`, to hear what a restart has
        ended. Returns what ends the listening.
        """
        return self._ledger.listen(callback)

    async def start(self) -> None:
        """Load what was open; what was half done is interrupted, never repeated."""
        self._stopped = False
        await self.sweep()
        self._watch = self._parts.spawn(self._keep_looking(), "caesar approvals")

    async def stop(self) -> None:
        """Take no more questions; what waits is parked and stays on disk."""
        self._stopped = True
        self._ledger.wake_all()
        watch, self._watch = self._watch, None
        if watch is not None:
            watch.cancel()
            await asyncio.wait({watch})

    async def ask_again(self) -> None:
        """Ask all channels once more for what waits: after a restart, when all is up."""
        for pending in self.pending():
            await self._channels.ask(pending)

    def pending(self, session: str | None = None) -> tuple[PendingApproval, ...]:
        """Return what waits for an answer, of one session or of all, oldest first."""
        return tuple(
            pending
            for pending in self._ledger.all()
            if pending.standing is Standing.WAITING
            and not self._ledger.is_over(pending)
            and session in (None, pending.session)
        )

    def find(self, approval_id: str) -> PendingApproval | None:
        """Return a question of the last day by its id."""
        return self._ledger.get(approval_id)

    def may_answer(self, pending: PendingApproval, answerer: Answerer) -> bool:
        """Return whether a yes of theirs would count now."""
        said = self._said.get(pending.id)
        return may_approve(
            pending,
            answerer,
            own_users=self._parts.own_users(),
            said_ago=None if said is None else self._parts.clock() - said,
        )

    async def request(self, asked: ApprovalRequest) -> ApprovalResult:
        """Ask; see `Approver`. Raises nothing but CancelledError."""
        tool = tool_id(asked.call)
        try:
            return await self._request(asked, tool)
        except StoreUnavailable:
            return refused(Code.AUDIT_UNAVAILABLE, tool)
        except Exception:
            # A question that was not put properly is a no.
            _LOGGER.exception("A question to a person could not be asked")
            return refused(Code.NO_APPROVER, tool)

    async def answer(self, approval_id: str, yes: bool, answerer: Answerer) -> Answer:
        """Take an answer; the first one counts. Raises nothing but CancelledError.

        Goes on to its end when whoever gave it goes away.
        """
        work = self._answer(approval_id, yes, answerer)
        return await self._to_its_end(work, "caesar answer")

    async def claim(
        self, approval_id: str, *, args_hash: str, digest: str, caller: Caller
    ) -> bool:
        """Take an approval for its one execution; see `Approver`. Never raises."""
        ledger, why = self._ledger, Code.ALLOWED
        async with ledger.moving:
            pending = ledger.get(approval_id)
            if pending is None:
                why = Code.UNKNOWN_APPROVAL
            elif pending.standing is not Standing.APPROVED:
                why = Code.ALREADY_DECIDED
            elif (
                (pending.args_hash, pending.digest) != (args_hash, digest)
            ) or not same_asker(pending.caller, caller):
                why = Code.APPROVAL_DENIED
            elif ledger.is_over(pending):
                why = Code.APPROVAL_EXPIRED
                await ledger.end(pending, Standing.EXPIRED)
            else:
                why = await self._move(pending, Standing.EXECUTING)
        if why is not Code.ALLOWED:
            await self._note(DeskEvent.REJECTED, pending, approval_id, why)
        return why is Code.ALLOWED

    async def close(self, approval_id: str, outcome: ToolOutcome) -> None:
        """Note what came of the one execution, or that there will be none."""
        async with self._ledger.moving:
            pending = self._ledger.get(approval_id)
            if pending is None:
                return
            if pending.standing is Standing.EXECUTING:
                ok = outcome.error is None
                await self._ledger.end(
                    pending, Standing.DONE if ok else Standing.FAILED
                )
            elif pending.standing is Standing.APPROVED:
                await self._ledger.end(pending, Standing.FAILED)

    async def withdraw(self, approval_id: str) -> None:
        """End a question that nobody waits for any more. Never raises."""
        with self.noting.of([approval_id]):
            async with self._ledger.moving:
                pending = self._ledger.get(approval_id)
                if pending is None or pending.standing not in OPEN:
                    return
                await self._ledger.end(pending, Standing.EXPIRED)
            await self._note(DeskEvent.DECIDED, pending, approval_id, Code.CANCELLED)

    async def allow_once(self, call: ToolCall, caller: Caller, by: Answerer) -> Answer:
        """Let exactly this call of this asker through once, within five minutes.

        Runs nothing. Only for an admin, and never by what is said in a conversation.
        """
        return await allow_once(self._parts, call, caller, by)

    async def forget(self, covered: Callable[[PendingApproval], bool]) -> int:
        """End questions and remove them, but for calls that run just now.

        Returns how many went. Raises StoreUnavailable.
        """
        for pending in self._ledger.all():
            if covered(pending):
                await self.withdraw(pending.id)
        async with self._ledger.moving:
            gone = [
                pending.id
                for pending in self._ledger.all()
                if covered(pending) and pending.standing is not Standing.EXECUTING
            ]
            await self._ledger.forget(gone)
        return len(gone)

    async def sweep(self) -> None:
        """Let lapse what is over, forget what was decided long ago. Never raises."""
        with self.noting.of([pending.id for pending in self._ledger.all()]):
            async with self._ledger.moving:
                await self._ledger.load()
                lapsed = await self._ledger.lapse()
                await self._ledger.forget_old()
                for gone in [each for each in self._turns if not self.find(each)]:
                    self._turns.pop(gone)
                    self._said.pop(gone, None)
            for old in lapsed:
                await self._note(DeskEvent.DECIDED, old, old.id, Code.APPROVAL_EXPIRED)

    async def _request(self, asked: ApprovalRequest, tool: str) -> ApprovalResult:
        turn, parts = asked.turn, self._parts
        if self._stopped:
            return refused(Code.NO_APPROVER, tool)
        if no := no_in_turn(self._ledger.all(), turn, tool):
            return result_of(no)
        new = draft(
            asked,
            parts.home,
            new_id=parts.new_id(),
            now=parts.now(),
            ttl_s=parts.ttl_s(),
        )
        opened: list[str] = []
        try:
            pending = await self._to_its_end(self._open(new, opened), "caesar question")
            if pending is None:
                await self._note(DeskEvent.REJECTED, new, new.id, Code.RATE_LIMITED)
                return refused(Code.RATE_LIMITED, tool)
            result = await self._put(pending, turn, fresh=pending is new)
        except asyncio.CancelledError:
            # The turn is over; what nobody waits for must not be answered with a yes.
            self._parts.spawn(self._leave(opened), "caesar question withdrawn")
            raise
        return result or refused(Code.NO_APPROVER, tool)

    async def _open(
        self, new: PendingApproval, opened: list[str]
    ) -> PendingApproval | None:
        """Keep a question, or return the same one that waits already; None: enough."""
        async with self._ledger.moving:
            pending = next((old for old in self.pending() if is_same(old, new)), None)
            if pending is None:
                if too_many(self._ledger.all(), new):
                    return None
                await self._ledger.add(new)
                pending = new
            self._turns[pending.id] += 1
            opened.append(pending.id)
            return pending

    async def _put(
        self, pending: PendingApproval, turn: Turn, *, fresh: bool
    ) -> ApprovalResult | None:
        """Ask people and wait for them; None if nobody could be asked."""
        if asker_may_answer(pending, own_users=self._parts.own_users()):
            # The question is the turn's last word; other channels have it too.
            self._said[pending.id] = self._parts.clock()
            if fresh:
                await self._requested(pending, (turn.caller.origin.value,))
                self._parts.spawn(self._channels.ask(pending), "caesar asks")
            return result_of(self._ledger.get(pending.id) or pending)
        if fresh:
            reached = await self._channels.ask(pending)
            if not reached and await self._forget_unheard(pending):
                return None
            await self._requested(pending, [heard.channel for heard in reached])
        await self._wait(pending, turn)
        now = self._ledger.get(pending.id)
        return result_of(now) if now else None

    async def _wait(self, pending: PendingApproval, turn: Turn) -> None:
        """Wait for somebody else's answer, having said whom CAESAR has asked."""
        left = turn.deadline - self._parts.clock() - AFTERWARDS_S
        seconds = min(WAITS_S.get(turn.caller.origin, 0.0), left)
        if seconds <= 0 or self._ledger.get(pending.id) is not pending:
            return
        if turn.say is not None:
            reached = self._channels.reached(pending.id)
            turn.say(await self._parts.waiting_text(pending, reached))
        await self._ledger.until_settled(pending.id, seconds)

    async def _forget_unheard(self, pending: PendingApproval) -> bool:
        """Leave no question behind that nobody has heard; False if it was answered."""
        async with self._ledger.moving:
            now = self._ledger.get(pending.id)
            if now is not None and now.standing is not Standing.WAITING:
                return False
            with suppress(StoreUnavailable):
                await self._ledger.forget([pending.id])
        await self._note(DeskEvent.DECIDED, pending, pending.id, Code.NO_APPROVER)
        return True

    async def _leave(self, opened: list[str]) -> None:
        """End the questions of a cancelled turn that belong to no other."""
        async with self._ledger.moving:
            self._turns.subtract(opened)
            alone = [each for each in opened if self._turns[each] <= 0]
        for approval_id in alone:
            await self.withdraw(approval_id)

    async def _answer(self, approval_id: str, yes: bool, answerer: Answerer) -> Answer:
        with self.noting.of([approval_id]):
            async with self._ledger.moving:
                pending = self._ledger.get(approval_id)
                code = self._counts(pending, yes, answerer)
                if pending is not None and code is Code.ALLOWED:
                    standing = Standing.APPROVED if yes else Standing.DENIED
                    code = await self._move(pending, standing, answerer)
                elif pending is not None and code is Code.APPROVAL_EXPIRED:
                    if pending.standing is Standing.WAITING:
                        await self._ledger.end(pending, Standing.EXPIRED)
                now = self._ledger.get(approval_id)
            ok = code is Code.ALLOWED
            event = DeskEvent.DECIDED if ok else DeskEvent.REJECTED
            await self._note(event, now, approval_id, code, answerer)
        # Who may not answer learns nothing of the question either.
        told = None if code is Code.CALLER_NOT_COVERED else now
        return Answer(ok=ok, code=code, pending=told)

    def _counts(
        self, pending: PendingApproval | None, yes: bool, answerer: Answerer
    ) -> Code:
        """Return ALLOWED if an answer counts now, else why not."""
        if pending is None:
            return Code.UNKNOWN_APPROVAL
        own = self._parts.own_users()
        if not (
            self.may_answer(pending, answerer)
            if yes
            else may_refuse(pending, answerer, own_users=own)
        ):
            return Code.CALLER_NOT_COVERED
        if pending.standing is Standing.EXPIRED:
            return Code.APPROVAL_EXPIRED
        if pending.standing is not Standing.WAITING:
            return Code.ALREADY_DECIDED
        if self._ledger.is_over(pending):
            return Code.APPROVAL_EXPIRED
        return Code.ALLOWED

    async def _move(
        self, pending: PendingApproval, standing: Standing, by: Answerer | None = None
    ) -> Code:
        try:
            moved = await self._ledger.move(pending, standing, by)
        except StoreUnavailable:
            return Code.AUDIT_UNAVAILABLE
        return Code.ALLOWED if moved else Code.ALREADY_DECIDED

    async def _requested(
        self, pending: PendingApproval, channels: Collection[str]
    ) -> None:
        await self._parts.trail.note(
            DeskEvent.REQUESTED, pending, {"channels": list(channels)}
        )

    async def _note(
        self,
        event: DeskEvent,
        pending: PendingApproval | None,
        approval_id: str,
        code: Code,
        answerer: Answerer | None = None,
    ) -> None:
        now = self._ledger.get(approval_id)
        await self._parts.trail.note(
            event,
            pending,
            {
                "approval_id": approval_id[:64],
                "verdict": now.standing.value if now else None,
                "why": code.value,
                "decided_by": answerer.user_id if answerer else None,
                "via": answerer.via.value if answerer else None,
            },
        )

    async def _keep_looking(self) -> None:
        """Sweep for ever; a question may lapse some seconds after its time."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY_S):
                    await asyncio.Event().wait()
            try:
                await self.sweep()
            except Exception:  # the next look must come, or no question runs out
                _LOGGER.exception("Open questions could not be looked through")

    async def _to_its_end[T](self, work: Coroutine[Any, Any, T], name: str) -> T:
        """Run something that no cancelled caller may leave half done."""
        task: asyncio.Task[T] = self._parts.spawn(work, name)
        return await asyncio.shield(task)
