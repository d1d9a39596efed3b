"""The tool in the process that Home Assistant runs, over the signed wire."""

import json

import aiohttp

from custom_components.caesar.legion import local
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import (
    DispatchRequest,
    Hints,
    WorkerAddress,
    WorkerReply,
)
from custom_components.caesar.legion.spec_json import spec_as_json, spec_from_json
from custom_components.caesar.legion.tools.calendar_read.spec import SPEC
from tests.core.legion.calendar_read.places import Place, titles
from tests.core.legion.processes import line_of, process

HOME, OWN = Identity.generate(), Identity.generate()
PREFIX = "CAESAR_TOOLS__CALENDAR__"


async def asked(place: Place, password: str) -> tuple[WorkerReply, str]:
    """Ask a process of its own for a day; return its reply, and all that it showed."""
    environment = {
        local.SEED: OWN.seed,
        local.HA_PUBLIC_KEY: HOME.public_key,
        local.TOOLS: '["calendar_read"]',
        f"{PREFIX}CALDAV_URL": place.url,
        f"{PREFIX}USERNAME": place.username,
        f"{PREFIX}PASSWORD": password,
        f"{PREFIX}CALENDAR_NAMES": '["shapes"]',
    }
    request = DispatchRequest(
        task_id="1" * 32,
        tool="calendar_read",
        input={"from": "2026-10-27", "to": "2026-10-27"},
        decision_id="2" * 32,
        deadline_ms=15_000,
        hints=Hints(language="de", timezone="Europe/Berlin"),
    )
    async with (
        process("local", environment=environment) as running,
        aiohttp.ClientSession() as session,
    ):
        line = await line_of(running.stdout)
        told = json.loads(line)
        assert told["failed"] == {}
        client = HttpWorkerClient(session, HOME)
        address = WorkerAddress(
            url=f"http://127.0.0.1:{told['port']}", public_key=told["public_key"]
        )
        health = await client.health(address)
        assert health.tools == (SPEC,)
        reply = await client.dispatch(
            address, request, max_reply_bytes=SPEC.max_reply_bytes
        )
        assert running.stdin is not None
        running.stdin.close()
        out, err = await running.communicate()
    return reply, line + repr(health) + out.decode() + err.decode()


async def test_a_question_over_the_wire(place: Place) -> None:
    """The process finds its packages, starts its child, and answers in the language."""
    reply, _ = await asked(place, place.password)
    assert reply.success, reply.error
    assert reply.result is not None
    assert "late in UTC" in titles(reply.result)
    assert "0:30 late in UTC" in str(reply.result["say"])


async def test_no_secret_is_shown(filled: dict[str, Place]) -> None:
    """Neither in the reply to a refused login, nor in what the process writes."""
    reply, shown = await asked(filled["Radicale"], "a-wrong-secret")
    assert (reply.success, reply.code, reply.retryable) == (False, "auth", False)
    assert "App-Passwort" in str(reply.error)
    assert "a-wrong-secret" not in shown + repr(reply)


def test_the_spec_survives_the_wire() -> None:
    """It is pinned by its hash, so it must come back as it was."""
    assert spec_from_json(json.loads(json.dumps(spec_as_json(SPEC)))) == SPEC
