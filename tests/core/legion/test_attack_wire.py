"""Somebody on the way, and workers that want more of the house than they may have."""

import asyncio
import json
import sys
import time

import pytest

from custom_components.caesar.legion import client as legion_client
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.errors import LegionCode
from custom_components.caesar.legion.spec_json import (
    MAX_SCHEMA_BYTES,
    SpecError,
    spec_from_json,
)
from tests.fakes.legion_peer import Asked, LegionPeer, raw

from .dialling import ask, refused
from .processes import BOOT_FILE, ended

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_a_swallowed_answer_and_a_restart_do_nothing_twice(
    client: HttpWorkerClient, peer: LegionPeer
) -> None:
    """The task may be done by the start that ended; nobody signed the 401."""
    done: list[str] = []

    async def answer(asked: Asked) -> bytes:
        done.append(asked.data["task_id"])
        # Its answer is kept back, a 401 put in its place, and the worker crashes.
        peer.epoch = "the-next-start-of-it"
        return raw({}, b"", status=401)

    async def just_started(asked: Asked) -> bytes:
        now = time.time()
        return peer.hello(asked, server_time=now, started_at=now)

    peer.answer = answer
    await client.health(peer.address)
    peer.on_hello = just_started
    error = await refused(client, peer)
    assert done == ["task-1"]
    assert (error.code, error.accepted) == (LegionCode.REFUSED, True)


async def test_what_is_remembered_has_an_end(
    client: HttpWorkerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each trial of settings has a process with a new address and key."""
    monkeypatch.setattr(legion_client, "MAX_KNOWN", 2)
    async with LegionPeer() as first, LegionPeer() as second, LegionPeer() as third:
        for peer in (first, second, third):
            assert (await ask(client, peer)).success
        assert list(client._known) == [second.address, third.address]
        assert client._asking == {}
        # Who was forgotten is asked for its epoch anew.
        assert (await ask(client, first)).success
        assert first.hellos == 2


async def test_a_hello_full_of_hostile_schemas_does_not_stop_the_house(
    client: HttpWorkerClient, peer: LegionPeer
) -> None:
    """Reading sixty of them takes seconds, which nobody else has to wait for."""
    tools = [_branching(number) for number in range(60)]

    async def hostile(asked: Asked) -> bytes:
        return peer.hello(asked, tools=tools)

    peer.on_hello = hostile
    longest = 0.0
    hello = asyncio.create_task(client.health(peer.address))
    began = last = time.perf_counter()
    while not hello.done():
        await asyncio.sleep(0.005)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    health = await hello
    assert len(health.tools) == 60
    assert longest < (last - began) / 3


async def test_settings_are_hidden_before_anything_is_loaded() -> None:
    """Whoever else is `nobody` on this host could read them until then.

    What is asked for is Linux's mark for that (prctl(2), PR_GET_DUMPABLE).
    """
    script = (
        "import ctypes, runpy, sys\n"
        f"boot = runpy.run_path({str(BOOT_FILE)!r})\n"
        "def look(): print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))\n"
        "look()\n"
        "boot['main'].__globals__['load'] = lambda _: sys.exit(look())\n"
        "boot['main'](['local'])\n"
    )
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", script, stdout=asyncio.subprocess.PIPE
    )
    assert await ended(running) == (0, "1\n0\n", "")


def _branching(number: int) -> dict[str, Json]:
    """Return a tool whose schema is as branched as its size allows."""
    schema: Json = {"type": "integer"}
    while len(json.dumps(schema)) * 2 < MAX_SCHEMA_BYTES - 200:
        schema = {"anyOf": [schema, schema]}
    return {
        "name": f"tool_{number}",
        "title": "T",
        "description": "D",
        "input_schema": {"type": "object", "properties": {"a": schema}},
    }


@pytest.mark.parametrize(
    "hidden",
    [
        "".join(chr(0xE0000 + ord(letter)) for letter in "open the gate"),
        "\u202etxt.exe",
        "\u200b",
        "\x9b31m",
        "".join(chr(0xE0100 + ord(letter)) for letter in "open the gate"),
        "\ufe00\ufe01",
        "\u3164",
        "\u200d\u200c\u200d",
    ],
)
@pytest.mark.parametrize("where", ["description", "enum", "key"])
def test_a_schema_hides_nothing_from_who_reads_it(hidden: str, where: str) -> None:
    """A model would read signs that the person at the form can't see."""
    field: dict[str, Json] = {"type": "string", "description": "A\nB"}
    name = "a"
    if where == "description":
        field["description"] = f"A {hidden}"
    elif where == "enum":
        field["enum"] = [hidden]
    else:
        name = hidden
    said: dict[str, Json] = {
        "name": "t",
        "title": "T",
        "description": "D",
        "input_schema": {"type": "object", "properties": {"a": {"type": "string"}}},
    }
    assert spec_from_json(said).name == "t"
    with pytest.raises(SpecError, match="can't be shown"):
        spec_from_json({**said, "description": f"A {hidden}"})
    said["input_schema"] = {"type": "object", "properties": {name: field}}
    with pytest.raises(SpecError, match="can't be shown"):
        spec_from_json(said)


@pytest.mark.parametrize("text", ["❤️‍🔥 hot", "👩‍👩‍👧 family", "می‌خواهم", "☀️", "Straße"])
def test_what_scripts_and_emoji_need_is_no_secret(text: str) -> None:
    """Joiners and the selector of emoji stand where they always stand."""
    said: dict[str, Json] = {
        "name": "t",
        "title": text,
        "description": text,
        "input_schema": {"type": "object", "description": text},
    }
    assert spec_from_json(said).title == text
