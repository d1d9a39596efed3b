"""A story of one house: how it begins, goes on after each death, and is looked at."""

from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
import json
from pathlib import Path
import shutil
import tempfile
from typing import Any, Final

from hypothesis.stateful import RuleBasedStateMachine

from custom_components.caesar.audit.chain import Signer
from custom_components.caesar.audit.verify import verify
from custom_components.caesar.policy.caller import Caller
from custom_components.caesar.policy.loader import PolicyError, load_policy
from custom_components.caesar.sentinel.approvals import Answerer
from custom_components.caesar.turn import ToolRequest, Turn

from .clockwork import Clockwork
from .disk import KEY, Switches
from .house import House
from .notebook import Notebook
from .town import CALLERS, Register, Rulebook, Town
from .turns import TURN_S, Ground

TOTALS: Final[Counter[str]] = Counter()
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - faster than a disk, where there is one
type Rounds = Sequence[Sequence[tuple[str, Mapping[str, Any] | None]]]


class Stage(RuleBasedStateMachine):
    """One house, from its first start to its last; what happens comes on top."""

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
