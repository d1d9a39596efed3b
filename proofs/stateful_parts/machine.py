"""A hostile model, an owner, people, a clock and death, in any order they like."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from custom_components.caesar.policy.call import CallError, service_call
from custom_components.caesar.sentinel.approvals import Answerer, Via
from custom_components.caesar.turn import ApprovedCall

from . import oracle, wishes
from .notebook import ALLOWED_ONCE_S, Once
from .stage import TOTALS, Rounds, Stage
from .town import CALLERS, GROUPINGS, OWN_USER, Limits


class Story(Stage):
    """One house, from its first start to its last."""

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
            terms=pending.terms,
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
