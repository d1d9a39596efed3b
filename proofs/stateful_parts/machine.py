"""A hostile model, an owner, people, a clock and death, in any order they like."""

from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
import json
from pathlib import Path
import shutil
import tempfile
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from custom_components.caesar.audit.chain import Signer
from custom_components.caesar.audit.verify import verify
from custom_components.caesar.policy.call import CallError, service_call
from custom_components.caesar.policy.caller import Caller
from custom_components.caesar.policy.loader import PolicyError, load_policy
from custom_components.caesar.sentinel.approvals import Answerer, Via
from custom_components.caesar.turn import ApprovedCall, ToolRequest, Turn

from . import oracle, wishes
from .clockwork import Clockwork
from .disk import KEY, Switches
from .house import TURN_S, Ground, House
from .notebook import ALLOWED_ONCE_S, Notebook, Once
from .town import CALLERS, GROUPINGS, OWN_USER, Limits, Register, Rulebook, Town

TOTALS: Final[Counter[str]] = Counter()
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - faster than a disk, where there is one
type Rounds = Sequence[Sequence[tuple[str, Mapping[str, Any] | None]]]


class Story(RuleBasedStateMachine):
    """One house, from its first start to its last."""

    def __init__(self) -> None:
        """Build nothing yet."""
        super().__init__()
        place = _MEMORY if _MEMORY.is_dir() else None
        self.folder = Path(tempfile.mkdtemp(prefix="caesar-story-", dir=place))
        self.loop = Clockwork()
        self.town = Town()
        self.notebook = Notebook(self.town)
        self.script: dict[str, Sequence[Sequence[ToolRequest]]] = {}
        self.policy = load_policy(self.town.book.text(), Register())
        self.switches = Switches()
        self.boots = 0
        self.unsure: Counter[str] = Counter()
        self.refused: list[tuple[str, Mapping[str, Any]]] = []
        self.house = self.boot()

    # The owner.

    @initialize(limits=wishes.limits(), data=st.data())
    def begin(self, limits: Limits, data: st.DataObject) -> None:
        """Write the first policy."""
        self.write(data.draw(wishes.rulebooks(limits)))

    @rule(data=st.data())
    def edit_policy(self, data: st.DataObject) -> None:
        """Write another policy."""
        self.write(data.draw(wishes.rulebooks(self.town.book.limits)))

    @rule(data=st.data())
    def change_a_little(self, data: st.DataObject) -> None:
        """Take an entry out, forbid by a pattern, share less, let guests come."""
        book = self.town.book
        match data.draw(st.sampled_from(["entry", "pattern", "flag", "bots", "home"])):
            case "entry" if book.rules:
                gone = data.draw(st.sampled_from(book.rules))
                kept = tuple(each for each in book.rules if each is not gone)
                self.write(replace(book, rules=kept))
            case "pattern":
                tool = data.draw(st.sampled_from(["light.*", "lock__*", "get_state"]))
                self.write(replace(book, deny=() if book.deny else (tool,)))
            case "flag":
                flags = self.town.flags
                flags["input_boolean.guests"] = not flags["input_boolean.guests"]
            case "bots":
                self.town.automations_act = not self.town.automations_act
            case _:
                self.change_home(data.draw(st.integers(0, 3)), data.draw(st.booleans()))
        self.step()

    def change_home(self, which: int, shared: bool) -> None:
        """Regroup the lights, and share one or not."""
        self.town.regroup(GROUPINGS[which])
        hall = self.town.things["light.hall"]
        area = "kitchen" if which == 1 else "hall"
        self.town.change(replace(hall, exposed=shared, area=area))

    @precondition(lambda self: bool(self.refused))
    @rule(data=st.data(), spoken=st.booleans())
    def allow_once(self, data: st.DataObject, spoken: bool) -> None:
        """Let a call through once, by hand or (which must not count) by voice."""
        name, raw = data.draw(st.sampled_from(self.refused))
        caller = CALLERS[name]
        target, given = raw.get("target"), raw.get("data")
        with suppress(CallError):
            call = service_call(raw["domain"], raw["service"], target, given)
            by = Answerer(
                via=Via.CHAT if spoken else Via.PANEL, user_id="owner", is_admin=True
            )
            done = self.hear(self.house.desk.allow_once(call, caller, by))
            means = oracle.meaning(self.town, raw)
            if done and done.ok and spoken:
                self.notebook.find("allowed once by what was said", raw)
            if done and done.ok and means is not None:
                until = self.loop.time() + ALLOWED_ONCE_S
                self.notebook.once.append(
                    Once(words=means.words, caller=caller, until=until)
                )
        self.step()
        self.speak_as(name, [[("call_service", raw)], [("call_service", raw)]])

    # The model, through whoever speaks.

    @rule(who=wishes.callers(), rounds=wishes.rounds())
    def speak(self, who: str, rounds: Rounds) -> None:
        """Begin a turn, in which the model writes these calls."""
        self.speak_as(who, rounds)

    @rule(who=wishes.callers(), call=wishes.acts())
    def speak_short(self, who: str, call: tuple[str, dict[str, Any]]) -> None:
        """Begin a turn with one call."""
        self.refused = [*self.refused, (who, call[1])][-4:]
        self.speak_as(who, [[call]])

    @precondition(lambda self: bool(self.refused))
    @rule(data=st.data())
    def speak_again(self, data: st.DataObject) -> None:
        """Write an earlier call once more."""
        who, raw = data.draw(st.sampled_from(self.refused))
        self.speak_as(who, [[("call_service", raw)]])

    @precondition(lambda self: bool(self.town.book.rules))
    @rule(data=st.data(), more=st.lists(wishes.reads(), max_size=1))
    def speak_by_the_rules(
        self, data: st.DataObject, more: list[tuple[str, dict[str, Any]]]
    ) -> None:
        """Write what some rule is about, maybe after having read something."""
        who, raw = data.draw(wishes.fitting(self.town.book.rules))
        self.refused = [*self.refused, (who, raw)][-4:]
        act = ("call_service", raw)
        self.speak_as(who, [more, [act]] if more else [[act]])

    @precondition(lambda self: bool(self.town.book.rules))
    @rule(data=st.data())
    def speak_plainly(self, data: st.DataObject) -> None:
        """Write what some rule is about, and nothing else."""
        who, raw = data.draw(wishes.fitting(self.town.book.rules))
        self.speak_as(who, [[("call_service", raw)]])

    @precondition(lambda self: bool(self.town.book.rules))
    @rule(data=st.data(), calls=st.integers(1, 3), seconds=st.sampled_from([19, 21]))
    def wear_out(self, data: st.DataObject, calls: int, seconds: int) -> None:
        """Call what fails, let it rest, and try it twice at the same time."""
        who, raw = data.draw(wishes.fitting(self.town.book.rules))
        self.switches.change(things_fail="after")
        for _ in range(calls):
            self.speak_as(who, [[("call_service", raw)]])
        self.switches.change(things_fail=None, hold_things=True)
        self.loop.pass_time(seconds)
        for _ in range(2):
            self.speak_as(who, [[("call_service", raw)]])
            self.loop.pass_time(6)
        self.recover()
        self.step()

    @precondition(lambda self: bool(self.town.book.rules))
    @rule(data=st.data())
    def speak_by_more_rules(self, data: st.DataObject) -> None:
        """Write several such calls in one turn."""
        fitting = wishes.fitting(self.town.book.rules)
        calls = data.draw(st.lists(fitting, min_size=2, max_size=3))
        self.speak_as(calls[0][0], [[("call_service", raw) for _, raw in calls]])

    @precondition(lambda self: bool(self.living()))
    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        """Cancel a turn: a barge-in, a closed browser."""
        turn = data.draw(st.sampled_from(self.living()))
        self.house.turns[turn].cancel()
        self.step()

    # The people.

    @precondition(lambda self: bool(self.open_questions()))
    @rule(data=st.data())
    def approve(self, data: st.DataObject) -> None:
        """Say yes as somebody who may."""
        approval_id = data.draw(st.sampled_from(self.open_questions()))
        approvers = self.notebook.asked[approval_id].approvers or ("owner",)
        by = Answerer(via=Via.PHONE, user_id=approvers[0], is_admin=False)
        self.give(approval_id, True, replace(by, is_admin=approvers[0] == "owner"))
        self.step()

    @precondition(lambda self: bool(self.open_questions()))
    @rule(
        data=st.data(),
        yes=st.sampled_from([True, True, True, False]),
        who=st.sampled_from(["owner", "child", "guest", OWN_USER]),
        via=st.sampled_from([Via.PHONE, Via.PANEL, Via.CHAT]),
        twice=st.booleans(),
    )
    def answer(
        self, data: st.DataObject, yes: bool, who: str, via: Via, twice: bool
    ) -> None:
        """Answer a question: whoever it is, however late, twice maybe."""
        approval_id = data.draw(st.sampled_from(self.open_questions()))
        session = self.notebook.asked[approval_id].session
        other = session if data.draw(st.booleans()) else "s-other"
        by = Answerer(
            via=via,
            user_id=who,
            is_admin=who in ("owner", OWN_USER),
            session=other if via is Via.CHAT else None,
        )
        self.give(approval_id, yes, by)
        if twice:
            self.give(approval_id, True, by)
        self.step()

    @precondition(lambda self: bool(self.open_questions()))
    @rule(data=st.data(), own=st.booleans())
    def say_yes(self, data: st.DataObject, own: bool) -> None:
        """Say yes aloud, in the session that asked or in another."""
        approval_id = data.draw(st.sampled_from(self.open_questions()))
        session = self.notebook.asked[approval_id].session if own else "s-other"
        by = Answerer(via=Via.VOICE, user_id=None, is_admin=False, session=session)
        self.give(approval_id, True, by)
        self.step()

    @precondition(lambda self: bool(self.open_questions()))
    @rule(data=st.data(), other=st.booleans())
    def replay(self, data: st.DataObject, other: bool) -> None:
        """Send a call with an answer in hand past the brain, as it was or changed."""
        approval_id = data.draw(st.sampled_from(self.open_questions()))
        pending = self.house.desk.find(approval_id)
        if pending is None:
            return
        asked = self.notebook.asked[approval_id]
        name, raw = self.notebook.requests[asked.turn, asked.request]
        if other:
            raw = {**raw, "data": {**(raw.get("data") or {}), "brightness_pct": 77}}
        TOTALS["replays"] += 1
        decision_id = f"{asked.turn}-again-{TOTALS['replays']}"
        request = self.request(decision_id, "r0c0", name, raw)
        turn = self.turn(decision_id, asked.caller, asked.session)
        turn.approved[request.id] = ApprovedCall(
            approval_id=approval_id,
            args_hash=pending.args_hash,
            digest=pending.digest,
            decided_by=pending.decided_by,
            via=pending.via.value if pending.via else None,
        )
        self.house.spawn(self.house.gate.dispatch(request, turn), decision_id)
        self.step()

    # Time, things, the disk, and death.

    @rule(seconds=st.sampled_from([1, 6, 20, 26, 61, 301, 950]))
    def wait(self, seconds: int) -> None:
        """Let time pass."""
        self.loop.pass_time(seconds)
        self.step()

    @rule(
        what=st.sampled_from(["disk_down", "hold_intents", "hold_things", "fail"]),
        how=st.sampled_from([None, "before", "after"]),
    )
    def hamper(self, what: str, how: str | None) -> None:
        """Let something be slow or broken."""
        if what == "fail":
            self.switches.change(things_fail=how)
        else:
            self.switches.change(**{what: True})
        self.step()

    @precondition(lambda self: self.switches.hampered)
    @rule()
    def mend(self) -> None:
        """Let all be well again."""
        self.recover()
        self.step()

    @rule(points=st.integers(-1, 30), after=st.booleans())
    def die(self, points: int, after: bool) -> None:
        """Let the process die soon, at some point in the middle of things, or now."""
        self.house.life.fuse, self.house.life.after = points, after
        self.house.life.dead = points < 0
        self.step()

    # Behind the scenes.

    def boot(self) -> House:
        """Start a process over the file."""
        self.boots += 1
        house = House(
            Ground(
                town=self.town,
                notebook=self.notebook,
                loop=self.loop,
                file=self.folder / "caesar.db",
                script=self.script,
                policy=self.policy,
                number=self.boots,
            ),
            self.switches,
        )
        house.start()
        return house

    def write(self, book: Rulebook) -> None:
        """Write a policy; one that is refused changes nothing."""
        TOTALS["policies"] += 1
        try:
            policy = load_policy(book.text(), Register())
        except PolicyError:
            TOTALS["policies refused"] += 1
        else:
            self.town.book = book
            self.policy = self.house.policy = policy
        self.step()

    def speak_as(self, who: str, rounds: Rounds) -> None:
        """Begin a turn of somebody's."""
        decision_id = f"turn-{len(self.script)}"
        self.script[decision_id] = [
            [
                self.request(decision_id, f"r{number}c{place}", *call)
                for place, call in enumerate(calls)
            ]
            for number, calls in enumerate(rounds)
        ]
        TOTALS["turns"] += 1
        self.house.begin(self.turn(decision_id, CALLERS[who], f"s-{who}"))
        self.step()

    def turn(self, decision_id: str, caller: Caller, session: str) -> Turn:
        """Return a new turn."""
        return Turn(
            decision_id=decision_id,
            caller=caller,
            language="en",
            deadline=self.loop.time() + TURN_S,
            session=session,
        )

    def request(
        self, turn: str, number: str, name: str, raw: Mapping[str, Any] | None
    ) -> ToolRequest:
        """Write a call down, for the model and for the oracle apart."""
        text = json.dumps(raw)
        self.notebook.requests[turn, number] = (name, json.loads(text) or {})
        arguments = None if raw is None else json.loads(text)
        return ToolRequest(id=number, name=name, arguments=arguments, raw=text)

    def give(self, approval_id: str, yes: bool, by: Answerer) -> None:
        """Give an answer, and note it if it counted."""
        asked, self.notebook.answering = self.notebook.asked[approval_id], by
        before = asked.answered
        answer = self.hear(self.house.desk.answer(approval_id, yes, by))
        if answer is not None and answer.ok != (asked.answered and not before):
            self.notebook.find("an answer of which the desk said otherwise", asked)
        if answer is not None:
            self.notebook.answering = None

    def hear[T](self, work: Coroutine[Any, Any, T]) -> T | None:
        """Return what the desk says; None if the process died over it."""
        task = self.house.spawn(work, "desk")
        self.loop.settle()
        return task.result() if task.done() else None

    def open_questions(self) -> list[str]:
        """Return questions that could be answered, and some that can't any more."""
        return list(self.notebook.asked)[-4:]

    def living(self) -> list[str]:
        """Return turns that are not over."""
        return [turn for turn, task in self.house.turns.items() if not task.done()]

    def step(self) -> None:
        """Let all come to rest, bury the dead, and look whether all is well."""
        TOTALS["steps"] += 1
        self.loop.settle()
        if self.house.life.dead:
            self.rise()
        assert not self.notebook.wrong, "\n".join(self.notebook.wrong)

    def rise(self) -> None:
        """Start anew over what the dead process has left on the disk."""
        TOTALS["crashes"] += 1
        lost = self.house.disk.behind
        self.house.bury()
        for turn, count in self.notebook.started.items():
            # Each had a row, or died before it; what was kept in memory is lost.
            ended = self.notebook.finished[turn] + self.notebook.cancelled[turn]
            self.unsure[turn] += max(count - ended - self.unsure[turn], 0) + lost
        self.switches.change(disk_down=False, hold_intents=False, hold_things=False)
        self.house = self.boot()

    def recover(self) -> None:
        """Let disk and things be well."""
        was_down = self.switches.disk_down
        self.switches.change(disk_down=False, hold_intents=False, hold_things=False)
        if was_down:
            self.house.disk.catch_up()

    def teardown(self) -> None:
        """Let everything end, and count the rows."""
        try:
            self.last_look()
        finally:
            for name, count in self.notebook.counts.items():
                TOTALS[name] += count
            self.house.bury()
            self.loop.close()
            shutil.rmtree(self.folder)

    def last_look(self) -> None:
        """See that no row is missing and the chain is whole."""
        self.house.life.fuse = None
        self.recover()
        self.loop.pass_time(TURN_S)
        self.step()
        rows = self.house.disk.dispatches()
        for turn, count in self.notebook.started.items():
            missing = count - rows.get(turn, 0)
            unsure = self.unsure[turn] + self.notebook.cancelled[turn]
            assert 0 <= missing <= unsure, (
                f"{turn}: {count} dispatches, {rows.get(turn, 0)} rows"
            )
        check = verify(self.folder / "caesar.db", Signer(KEY), None, whole=True)
        assert check.problem is None, check
