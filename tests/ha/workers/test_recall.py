"""Recalling in a house: real processes, the asker's own rows, and a helper that lies."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
import json
import math
from types import MappingProxyType
from typing import Any, ClassVar

from homeassistant.auth.models import User
from homeassistant.config_entries import ConfigSubentryData
from homeassistant.core import HomeAssistant
import pytest

from custom_components.caesar.adapters.memory import HouseMemory
from custom_components.caesar.adapters.memory_rows import Scope
from custom_components.caesar.adapters.recall_rows import (
    EventSource,
    Owners,
    SpokenSource,
)
from custom_components.caesar.adapters.turns import session_key
from custom_components.caesar.adapters.workers import async_tell
from custom_components.caesar.audit.event import AuditEvent, AuditEventType
from custom_components.caesar.brain.session import Exchange
from custom_components.caesar.const import CONF_BACKEND, SUBENTRY_RECALL
from custom_components.caesar.legion import tasks
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.environment import Environment
from custom_components.caesar.legion.messages import WorkerReply
from custom_components.caesar.legion.server import WorkerServer
from custom_components.caesar.legion.tools import semantic_recall
from custom_components.caesar.legion.tools.recall.specs import SEMANTIC_RECALL, messages
from custom_components.caesar.legion.wire import reply_to_bytes
from custom_components.caesar.legion.worker import Task, Worker
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.reason import Code
from custom_components.caesar.turn import Taint
from tests.ha.house import CaesarHouse, async_move_in

from .hosts import Host, registry_of, until

POLICY = "version: 1\nallowed_tools:\n  - recall_memory\n  - semantic_recall\n"
NO_LOCAL = ConfigSubentryData(
    data=MappingProxyType({CONF_BACKEND: "off"}),
    subentry_type=SUBENTRY_RECALL,
    title="Off",
    unique_id=SUBENTRY_RECALL,
)


def memory_of(house: CaesarHouse) -> HouseMemory:
    """Return the house's memory."""
    memory: HouseMemory = house.entry.runtime_data.memory.memory
    return memory


async def say(
    house: CaesarHouse, who: str | Caller | None, text: str, answer: str
) -> int:
    """Remember a turn; return its row."""
    if not isinstance(who, Caller):
        origin = Origin.CHAT if who else Origin.AUTOMATION
        who = Caller(origin=origin, user_id=who, agent_id="agent", context_id="c")
    id_ = await memory_of(house).add(
        session_key(who), Exchange(text=text, answer=answer), who
    )
    assert id_ is not None
    return id_


def at_satellite(device: str, agent: str = "agent") -> Caller:
    """Return somebody who speaks to a satellite."""
    return Caller(
        origin=Origin.VOICE,
        user_id=None,
        agent_id=agent,
        context_id="c",
        device_id=device,
        satellite_id=f"assist_satellite.{device}",
    )


async def recall(house: CaesarHouse, tool: str, **given: Json) -> Any:
    """Call a recall tool once its worker has been fed; return the outcome."""
    for _ in range(100):
        report = await house.obey(tool, given)
        [outcome] = report.outcomes
        if outcome.error is None or outcome.error.code is not Code.NO_WORKER:
            return outcome
        await asyncio.sleep(0.05)
    raise AssertionError("never fed")


async def recall_something(house: CaesarHouse, tool: str, **given: Json) -> Any:
    """Call a recall tool until it has something to tell; return the outcome."""
    for _ in range(100):
        outcome = await recall(house, tool, **given)
        if outcome.error is not None or outcome.data["count"]:
            return outcome
        await asyncio.sleep(0.05)
    raise AssertionError("never found")


@pytest.mark.usefixtures("local_worker", "house_key")
async def test_only_ones_own_words_until_they_are_forgotten(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """An administrator too; the feed and its messages are no tools of any brain."""
    house = await async_move_in(hass, hass_admin_user.id, POLICY)
    mine = await say(house, hass_admin_user.id, "How old is the boiler?", "Ten years.")
    await say(house, "kid", "The boiler is my secret", "I won't tell.")
    await say(house, None, "The boiler of nobody", "Hm.")
    await until(
        hass,
        lambda: len(registry_of(house).well("semantic_recall")) == 1,
        "no worker",
    )
    outcome = await recall_something(house, "semantic_recall", query="boiler")
    assert [each["memory_id"] for each in outcome.data["results"]] == [mine]
    assert outcome.data["results"][0]["payload"] == {
        "question": "How old is the boiler?",
        "reply": "Ten years.",
        "tools": [],
    }
    assert outcome.data["found_by"] == "words"
    assert outcome.data["say"].startswith("Found by its words. Today at ")
    assert outcome.taint == {Taint.PRIVATE, Taint.UNTRUSTED}
    for kind, shown in (
        ("tool.called", {"tools", "outcome"}),
        ("chat.completed", {"question", "reply", "tools"}),
    ):
        past = await recall_something(house, "recall_memory", limit=1, event_type=kind)
        [event] = past.data["events"]
        assert (event["event_type"], set(event["payload"])) == (kind, shown)

    for ending in ("__feed", "__find", "__try"):
        report = await house.obey(f"semantic_recall{ending}", {"run": "x"})
        assert report.outcomes[0].error is not None
        # Such a name is a service's, and there is none: it never leads to a worker.
        assert report.outcomes[0].error.code is Code.NOT_LISTED
        assert not report.outcomes[0].executed

    await memory_of(house).forget(Scope(user_id=hass_admin_user.id))
    outcome = await recall(house, "semantic_recall", query="boiler")
    assert outcome.data["count"] == 0


class Liar(Worker):
    """Takes every feed, and answers with whatever the test says."""

    tools = (SEMANTIC_RECALL,)
    messages: ClassVar = messages(SEMANTIC_RECALL.name)

    def __init__(self) -> None:
        """Answer with nothing yet."""
        self.hits: Json = []
        self.fed: list[Json] = []
        self.asked = 0
        self.late_s = 0.0
        self.remembers = True

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Take a feed as it must be taken; answer with lies."""
        if task.tool.endswith("__feed"):
            rows = task.input["rows"]
            assert isinstance(rows, list)
            self.fed += rows
            last = rows[-1][0] if rows else task.input["after"]
            return {"last": last, "rows": len(self.fed)}
        self.asked += 1
        await asyncio.sleep(self.late_s)
        return {"fed": self.remembers, "found_by": "meaning", "hits": self.hits}


@pytest.fixture
async def liar(host: Host) -> AsyncIterator[Liar]:
    """Return a worker that lies, served under the host's key."""
    one = Liar()
    server = WorkerServer("shed", [one], host.identity, [host.trusted], version="1")
    host.port = await server.start("127.0.0.1", 0)
    yield one
    await server.stop()


async def test_nothing_is_shown_of_a_helper_that_lies(
    hass: HomeAssistant, hass_admin_user: User, host: Host, liar: Liar
) -> None:
    """Foreign, invented, double, too many, odd scores: all of it is dropped."""
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        POLICY,
        [NO_LOCAL, host.subentry(SEMANTIC_RECALL, confirmed=("read_only",))],
    )
    mine = await say(house, hass_admin_user.id, "my boiler", "yes")
    foreign = await say(house, "kid", "a secret", "no")
    gone = await say(house, hass_admin_user.id, "my stove", "yes")
    registry = registry_of(house)
    await until(hass, lambda: len(liar.fed) == 3, "not fed")
    assert "kid" not in str(liar.fed)
    lies: list[Json] = [
        [[mine, 0.9], [foreign, 0.8]],
        [[99, 0.9]],
        [[mine, 0.9], [mine, 0.8]],
        [[mine, 1.5]],
        [[mine, -1]],
        [[mine, True]],
        [[True, 0.5]],
        [["1", 0.5]],
        [[mine, 0.5], [gone, 0.4], [foreign, 0.1], [mine, 0.1], [1, 0.1], [2, 0.1]],
        "hits",
        None,
    ]
    for lie in lies:
        liar.hits = lie
        await registry.async_refresh_all()
        [outcome] = (await house.obey("semantic_recall", {"query": "x"})).outcomes
        assert outcome.error is not None, lie
        assert outcome.error.code is Code.TOOL_ERROR, lie
        assert "boiler" not in str(outcome.data)
        assert not registry.well("semantic_recall"), lie
    liar.hits = [[gone, 0.9], [mine, 0.8]]
    await registry.async_refresh_all()
    [outcome] = (await house.obey("semantic_recall", {"query": "x"})).outcomes
    assert isinstance(outcome.data, dict)
    assert outcome.data["count"] == 2
    with pytest.raises(AssertionError):
        await async_tell(None, None, "semantic_recall", {})  # type: ignore[arg-type]  # refused before it is sent


async def test_late_answers_and_scores_that_are_no_numbers(
    hass: HomeAssistant,
    hass_admin_user: User,
    host: Host,
    liar: Liar,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """JSON knows no NaN, so one that writes it has not answered at all."""
    short = replace(SEMANTIC_RECALL, timeout_s=0.3)
    liar.__dict__["tools"] = (short,)
    server = WorkerServer("shed", [liar], host.identity, [host.trusted], version="1")
    host.port = await server.start("127.0.0.1", 0)
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        POLICY,
        [NO_LOCAL, host.subentry(short, confirmed=("read_only",))],
    )
    mine = await say(house, hass_admin_user.id, "my boiler", "yes")
    await until(hass, lambda: len(liar.fed) == 1, "not fed")
    liar.hits, liar.late_s = [[mine, 0.9]], 5.0
    [outcome] = (await house.obey("semantic_recall", {"query": "x"})).outcomes
    assert liar.asked == 1
    assert outcome.error is not None
    assert outcome.error.code in (Code.TIMEOUT, Code.STILL_RUNNING)
    assert outcome.data is None

    liar.hits, liar.late_s = [[mine, math.nan]], 0.0
    monkeypatch.setattr(tasks, "reply_to_bytes", _with_nan)
    await registry_of(house).async_refresh_all()
    [outcome] = (await house.obey("semantic_recall", {"query": "x"})).outcomes
    assert liar.asked == 2
    assert outcome.error is not None
    assert outcome.error.code is Code.TOOL_ERROR
    assert "boiler" not in str(outcome)
    await server.stop()


def _with_nan(reply: WorkerReply) -> bytes:
    """Write a reply as no JSON may be written."""
    sound: dict[str, Json] = json.loads(reply_to_bytes(replace(reply, result={})))
    return json.dumps(sound | {"result": reply.result}).encode()


async def test_two_helpers_and_one_of_them_lies(
    hass: HomeAssistant,
    hass_admin_user: User,
    host: Host,
    other: Host,
    liar: Liar,
) -> None:
    """Both are fed, each for itself; the liar alone is taken away, and the other asked."""
    honest = WorkerServer(
        "attic",
        [semantic_recall.create(Environment({}))],
        other.identity,
        [other.trusted],
        version="1",
    )
    other.port = await honest.start("127.0.0.1", 0)
    confirmed = ("read_only",)
    house = await async_move_in(
        hass,
        hass_admin_user.id,
        POLICY,
        [
            NO_LOCAL,
            host.subentry(SEMANTIC_RECALL, confirmed=confirmed),
            other.subentry(SEMANTIC_RECALL, confirmed=confirmed, title="Attic"),
        ],
    )
    registry = registry_of(house)
    await until(hass, lambda: len(registry.well("semantic_recall")) == 2, "not both")
    mine = await say(house, hass_admin_user.id, "my boiler", "yes")
    foreign = await say(house, "kid", "the boiler, secretly", "no")
    await until(hass, lambda: len(liar.fed) == 2, "not fed")
    liar.hits = [[foreign, 0.9]]
    heard = []
    for _ in range(4):
        outcome = await recall(house, "semantic_recall", query="boiler")
        assert "secretly" not in str(outcome)
        heard.append(outcome.error.code if outcome.error else outcome.data)
    assert liar.asked == 1
    assert heard.count(Code.TOOL_ERROR) == 1
    [left] = registry.well("semantic_recall")
    assert left.address.public_key == other.key
    assert isinstance(heard[-1], Mapping)
    assert [each["memory_id"] for each in heard[-1]["results"]] == [mine]
    await honest.stop()


@pytest.mark.usefixtures("house_key")
async def test_whose_rows_a_satellite_may_have(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """What was said there to that agent; nothing of a user, nor of another room."""
    house = await async_move_in(hass, hass_admin_user.id, POLICY, [NO_LOCAL])
    kitchen, bedroom = at_satellite("kitchen"), at_satellite("bedroom")
    here = await say(house, kitchen, "boiler here", "yes")
    await say(house, bedroom, "boiler there", "yes")
    await say(house, at_satellite("kitchen", "second"), "boiler of another", "yes")
    await say(house, hass_admin_user.id, "boiler of mine", "yes")
    await say(house, None, "boiler of nobody", "yes")
    owners = Owners(memory_of(house))
    rows = await SpokenSource(memory_of(house), owners).after(0, 100)
    assert len(rows) == 5
    assert [row.id for row in rows if row.owner in owners.of(kitchen)] == [here]
    robot = Caller(
        origin=Origin.AUTOMATION, user_id=None, agent_id="agent", context_id="c"
    )
    assert owners.of(robot) == frozenset()


@pytest.mark.usefixtures("house_key")
async def test_whose_events_they_are(
    hass: HomeAssistant, hass_admin_user: User
) -> None:
    """Of the trail too: those of a user, or of a satellite; of an automation nobody's."""
    house = await async_move_in(hass, hass_admin_user.id, POLICY, [NO_LOCAL])
    kitchen, bedroom = at_satellite("kitchen"), at_satellite("bedroom")
    mine = Caller(
        origin=Origin.CHAT,
        user_id=hass_admin_user.id,
        agent_id="agent",
        context_id="c",
    )
    robot = replace(mine, origin=Origin.AUTOMATION, user_id=None)
    audit = house.entry.runtime_data.audit
    for who in (kitchen, bedroom, mine, robot, None):
        await audit.record(
            AuditEvent(
                type=AuditEventType.TOOL_CALLED,
                decision_id="d",
                caller=who,
                policy_rev="r",
                payload={"tool": "calculator"},
            )
        )
    owners = Owners(memory_of(house))
    rows = await EventSource(audit, memory_of(house), owners).after(0, 100)
    had = [
        [each for each, row in enumerate(rows) if row.owner in owners.of(who)]
        for who in (kitchen, bedroom, mine, robot)
    ]
    assert (len(rows), had) == (5, [[0], [1], [2], []])
