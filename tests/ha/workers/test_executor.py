"""Tool calls of a turn, carried out by real workers."""

import asyncio
from collections.abc import Mapping

from homeassistant.auth.models import User
from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.report import TurnReport
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.errors import LegionCode, LegionError
from custom_components.caesar.legion.messages import WorkerReply
from custom_components.caesar.legion.worker import Task, TaskError
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import Taint, ToolOutcome
from tests.ha.house import CaesarHouse, async_move_in

from .hosts import (
    BINS,
    EVERYTHING,
    GATE,
    Host,
    changed,
    events_of,
    registry_of,
    status_of,
    until,
)

POLICY = """version: 1
allowed_tools:
  - tool: bin_days
    approval: never
  - tool: open_gate
    approval: never
"""
NO_TOOLS = "version: 1\nallowed_services:\n  - light.turn_on\n"
ASKED = "version: 1\nallowed_tools:\n  - tool: open_gate\n    approval: always\n"


@pytest.fixture
async def shed(hass: HomeAssistant, hass_admin_user: User, host: Host) -> CaesarHouse:
    """Return a house whose shed tells the bin days and opens the gate."""
    await host.start(BINS, GATE)
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        POLICY,
        [host.subentry(BINS, GATE, confirmed=EVERYTHING)],
    )
    await until(hass, lambda: len(registry_of(house).tools()) == 2, "not heard")
    return house


def outcome_of(report: TurnReport) -> ToolOutcome:
    """Return the outcome of a turn's one call."""
    [outcome] = report.outcomes
    return outcome


def code_of(report: TurnReport) -> Code | None:
    """Return the code of the error of a turn's one call."""
    error = outcome_of(report).error
    return None if error is None else error.code


async def test_a_call_reaches_the_worker_and_the_trail_knows_which(
    shed: CaesarHouse, host: Host
) -> None:
    """The result goes to the brain, worker and task id to the trail only."""
    report = await shed.obey("bin_days", {"bin": "paper"})
    outcome = outcome_of(report)
    assert outcome.data == {"tool": "bin_days", "say": "Monday."}
    assert outcome.facts["worker"] == "shed"
    assert outcome.taint == frozenset()
    [task] = host.tasks
    assert task.id == outcome.facts["task_id"]
    assert dict(task.input) == {"bin": "paper"}
    assert task.decision_id == report.decision_id
    assert task.hints.language == "en"
    assert task.hints.timezone == shed.hass.config.time_zone
    [row] = await shed.trail(report.decision_id)
    assert (row["connector"], row["action"], row["result"]) == (
        "legion",
        "bin_days",
        "ok",
    )
    [called] = await events_of(shed, "tool.called")
    assert called["worker"] == "shed"
    assert called["task_id"] == task.id


async def test_unlisted_tools_are_denied_and_shown(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """A worker alone grants nothing; its first call says what to add."""
    await host.start(BINS)
    house = await async_move_in(
        hass, hass_admin_user.id, NO_TOOLS, [host.subentry(BINS)]
    )
    await until(hass, lambda: bool(registry_of(house).tools()), "not heard")
    report = await house.obey("bin_days", {})
    assert code_of(report) is Code.NOT_LISTED
    assert host.tasks == []


async def test_unconfirmed_results_taint_the_turn(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """Taint follows what a person confirmed, not what the worker says of itself."""
    await host.start(BINS)
    house = await async_move_in(hass, hass_admin_user.id, POLICY, [host.subentry(BINS)])
    await until(hass, lambda: bool(registry_of(house).tools()), "not heard")
    report = await house.obey("bin_days", {})
    assert outcome_of(report).taint == {Taint.UNTRUSTED, Taint.PRIVATE}


async def test_the_rules_hosts_go_along_as_a_hint(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """And are enforced on the answer whatever the worker makes of them."""
    await host.start(BINS)
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        "version: 1\nallowed_tools:\n  - tool: bin_days\n    approval: never\n"
        "    input:\n      domain_allowlist: [example.org]\n",
        [host.subentry(BINS)],
    )

    async def foreign(_task: Task) -> Mapping[str, Json]:
        return {
            "results": [
                {"url": "https://evil.example/"},
                {"url": "https://example.org/"},
            ]
        }

    host.handler = foreign
    await until(hass, lambda: bool(registry_of(house).tools()), "not heard")
    report = await house.obey("bin_days", {})
    assert host.tasks[0].hints.domain_allowlist == ("example.org",)
    data = outcome_of(report).data
    assert isinstance(data, Mapping)
    assert data["results"] == [{"url": "https://example.org/"}]


async def test_a_tools_error_is_words_and_no_failure_of_the_worker(
    shed: CaesarHouse, host: Host
) -> None:
    """A read that failed has done nothing; the circuit stays closed."""

    async def fails(_task: Task) -> Mapping[str, Json]:
        raise TaskError("There is no such bin.")

    host.handler = fails
    for _ in range(5):
        report = await shed.obey("bin_days", {})
        error = outcome_of(report).error
        assert error is not None
        assert (error.code, error.message) == (Code.TOOL_ERROR, "There is no such bin.")
    assert len(host.tasks) == 5
    assert status_of(shed, host).online


async def test_a_change_that_failed_may_have_happened(
    shed: CaesarHouse, host: Host
) -> None:
    """Nobody can tell how far it came."""

    async def fails(_task: Task) -> Mapping[str, Json]:
        raise TaskError("Stuck half-way.")

    host.handler = fails
    outcome = outcome_of(await shed.obey("open_gate", {}))
    assert outcome.executed
    assert outcome.facts["worker"] == "shed"


async def test_a_killed_worker_opens_the_circuit_and_the_turn_answers(
    shed: CaesarHouse, host: Host
) -> None:
    """Three calls say that the helper is away, then the circuit does."""
    await host.stop()
    codes = [code_of(await shed.obey("bin_days", {"bin": str(n)})) for n in range(4)]
    assert codes == [Code.NO_WORKER] * 3 + [Code.CIRCUIT_OPEN]
    assert not status_of(shed, host).online
    [opened] = await events_of(shed, "sentinel.breaker")
    assert (opened["connector"], opened["to"]) == ("bin_days", "open")


async def test_nobody_is_asked_for_what_cannot_be_done(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """A question about a worker that is away would be a waste of a person's time."""
    house = await async_move_in(hass, hass_admin_user.id, ASKED, [host.subentry(GATE)])
    report = await house.obey("open_gate", {})
    assert code_of(report) is Code.NO_WORKER
    assert report.parked is None


async def test_changed_tools_are_refused_with_the_reason(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """Not even a rule that allows the tool lets a changed one run."""
    await host.start(changed(BINS, description="Opens the gate."))
    house = await async_move_in(hass, hass_admin_user.id, POLICY, [host.subentry(BINS)])
    await until(hass, lambda: bool(status_of(house, host).changed), "not heard")
    outcome = outcome_of(await house.obey("bin_days", {}))
    assert outcome.error is not None
    assert outcome.error.code is Code.CAPABILITY_DENIED
    assert "Repairs" in outcome.error.message
    assert host.tasks == []


async def test_slow_workers_time_out_and_stay(
    hass: HomeAssistant, hass_admin_user: User, host: Host
) -> None:
    """A worker that is slow once is still there; the turn does not wait for ever."""
    hasty = changed(GATE, timeout_s=1)
    await host.start(hasty)
    house = await async_move_in(
        hass, hass_admin_user.id, POLICY, [host.subentry(hasty, confirmed=EVERYTHING)]
    )
    await until(hass, lambda: len(registry_of(house).tools()) == 1, "not heard")
    never = asyncio.Event()

    async def waits(_task: Task) -> Mapping[str, Json]:
        await never.wait()
        return {}

    host.handler = waits
    report = await house.obey("open_gate", {})
    assert code_of(report) in {Code.TIMEOUT, Code.STILL_RUNNING}
    assert status_of(house, host).online


@pytest.fixture
async def pair(
    hass: HomeAssistant, hass_admin_user: User, host: Host, other: Host
) -> CaesarHouse:
    """Return a house with two workers for one tool."""
    await host.start(BINS)
    await other.start(BINS)
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        POLICY,
        [
            host.subentry(BINS, confirmed=EVERYTHING),
            other.subentry(BINS, confirmed=EVERYTHING, title="Attic"),
        ],
    )
    await until(
        hass, lambda: len(registry_of(house).well("bin_days")) == 2, "not heard"
    )
    return house


async def test_two_workers_take_turns(
    pair: CaesarHouse, host: Host, other: Host
) -> None:
    """Each carries out every second call."""
    for number in range(6):
        assert code_of(await pair.obey("bin_days", {"bin": str(number)})) is None
    assert (len(host.tasks), len(other.tasks)) == (3, 3)


async def test_another_worker_takes_over_what_was_never_accepted(
    pair: CaesarHouse, host: Host, other: Host
) -> None:
    """The first call after a death is answered too."""
    await host.stop()
    outcomes = [
        outcome_of(await pair.obey("bin_days", {"bin": str(n)})) for n in range(3)
    ]
    assert [outcome.error for outcome in outcomes] == [None] * 3
    assert {outcome.facts["worker"] for outcome in outcomes} == {"attic"}
    assert 2 in {outcome.facts["attempt"] for outcome in outcomes}
    assert len(other.tasks) == 3


async def test_what_was_accepted_is_never_sent_again(
    pair: CaesarHouse, host: Host, other: Host
) -> None:
    """A worker that dies at work may have done it."""

    async def dies(_task: Task) -> Mapping[str, Json]:
        raise asyncio.CancelledError

    host.handler = other.handler = dies
    report = await pair.obey("bin_days", {})
    assert code_of(report) is not None
    assert len(host.tasks) + len(other.tasks) == 1


class _Client:
    """A wire on which anything can come back."""

    def __init__(self, reply: WorkerReply | LegionError) -> None:
        self.reply = reply

    async def dispatch(self, *_: object, **__: object) -> WorkerReply:
        """Answer with what the test wants."""
        if isinstance(self.reply, LegionError):
            raise self.reply
        return self.reply


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (
            WorkerReply(task_id="another", worker_id="shed", success=True, result={}),
            "task_id",
        ),
        (LegionError(LegionCode.BAD_SIGNATURE, "bad", accepted=True), "bad_signature"),
        (LegionError(LegionCode.BAD_REPLY, "bad", accepted=True), "bad_reply"),
        (LegionError(LegionCode.TOO_LARGE, "bad", accepted=True), "too_large"),
    ],
)
async def test_hostile_answers_are_refused_and_written_down(
    shed: CaesarHouse, reply: WorkerReply | LegionError, reason: str
) -> None:
    """The turn goes on; what may have been done is said to be so."""
    executor = shed.entry.runtime_data.legion.tools.executor
    executor._client = _Client(reply)
    outcome = outcome_of(await shed.obey("open_gate", {}))
    assert outcome.error is not None
    assert outcome.error.code is Code.TOOL_ERROR
    assert outcome.executed
    [row] = await events_of(shed, "worker.rejected")
    assert row["reason"] == reason
    assert row["worker_id"] == "shed"
