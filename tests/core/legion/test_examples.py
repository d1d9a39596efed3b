"""What people copy works: a tool of one's own, and a worker in another language."""

import asyncio
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date, timedelta
import json
from pathlib import Path
import re
import secrets
import shutil
import time

import aiohttp
from multidict import CIMultiDict
import pytest
from yarl import URL

from custom_components.caesar.legion import cli
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.errors import LegionCode, LegionError
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import (
    DispatchRequest,
    Hints,
    WorkerAddress,
)
from custom_components.caesar.legion.signatures import sign_request
from custom_components.caesar.legion.signed import Request
from custom_components.caesar.legion.wire import MAX_REQUEST_BYTES, dispatch_to_bytes

from .processes import BASE, line_of, process

pytestmark = pytest.mark.usefixtures("socket_enabled")

EXAMPLES = Path(__file__).parents[3] / "examples"
HOME = Identity.generate()
OWN = Identity.generate()


def dispatch(tool: str, language: str = "en", **values: Json) -> DispatchRequest:
    """Return a task for a tool."""
    return DispatchRequest(
        task_id=secrets.token_hex(16),
        tool=tool,
        input=values,
        decision_id="d",
        deadline_ms=5_000,
        hints=Hints(language=language, timezone="UTC"),
    )


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """Return a session that asks for itself, for what no good client would send."""
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def client(session: aiohttp.ClientSession) -> HttpWorkerClient:
    """Return Home Assistant's side of the wire."""
    return HttpWorkerClient(session, HOME)


@pytest.fixture
def seed(tmp_path: Path) -> Path:
    """Return the worker's seed file."""
    file = tmp_path / "seed"
    file.write_text(OWN.seed + "\n", encoding="utf-8")
    file.chmod(0o600)
    return file


def settings(seed: Path, **more: str) -> dict[str, str]:
    """Return the environment of a worker."""
    return {
        "CAESAR_LEGION__WORKER_ID": "example",
        "CAESAR_LEGION__SEED_PATH": str(seed),
        "CAESAR_LEGION__HA_PUBLIC_KEY": HOME.public_key,
        "CAESAR_LEGION__LISTEN_HOST": "127.0.0.1",
        "CAESAR_LEGION__LISTEN_PORT": "0",
        **more,
    }


def worker_on(port: str) -> WorkerAddress:
    """Return the address of the example."""
    return WorkerAddress(url=f"http://127.0.0.1:{port}", public_key=OWN.public_key)


@pytest.mark.parametrize(
    ("days", "language", "say"),
    [
        (0, "en", "paper: today"),
        (1, "en", "paper: tomorrow"),
        (12, "fr", "paper: in 12 days"),
        (1, "de", "paper: morgen"),
        (2, "de", "paper: in 2 Tagen"),
    ],
)
async def test_bin_days(
    client: HttpWorkerClient,
    seed: Path,
    tmp_path: Path,
    days: int,
    language: str,
    say: str,
) -> None:
    """The tool of one's own says it in the language of the house."""
    now = time.gmtime()
    today = date(now.tm_year, now.tm_mon, now.tm_mday)
    lines = [
        f"{today + timedelta(days=40)} glass",
        f"{today - timedelta(days=3)} plastics",
        f"{today + timedelta(days=days)} paper",
    ]
    file = tmp_path / "bins.txt"
    file.write_text("\n".join(lines), encoding="utf-8")
    environment = settings(seed, CAESAR_TOOLS__BIN_DAYS__PATH=str(file))
    arguments = ("cli", "legion", "serve", "bin_days:BinDays", "--no-announce")
    async with process(*arguments, environment=environment, folder=EXAMPLES) as running:
        line = await line_of(running.stderr, "serves bin_days")
        where = worker_on(line.split()[-1])
        health = await client.health(where)
        assert health.tools[0].name == "bin_days"
        assert set(health.tools[0].sentences) == {"en", "de"}
        request = dispatch("bin_days", language)
        reply = await client.dispatch(where, request, max_reply_bytes=9_999)
        assert reply.result is not None
        assert reply.result["say"] == say
        file.write_text("", encoding="utf-8")
        request = dispatch("bin_days", language)
        reply = await client.dispatch(where, request, max_reply_bytes=9_999)
        assert (reply.success, reply.error) == (
            False,
            "The list of bin days has come to its end.",
        )


def test_a_tool_of_ones_own_is_short() -> None:
    """Under 40 lines, all of it counted."""
    text = (EXAMPLES / "bin_days.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 40


@asynccontextmanager
async def node(
    seed: Path, more: Mapping[str, str] | None = None
) -> AsyncIterator[WorkerAddress]:
    """Run the worker in Node as long as the block lasts."""
    program = shutil.which("node")
    assert program is not None, "node is missing: apt-get install nodejs"
    running = await asyncio.create_subprocess_exec(
        program,
        str(EXAMPLES / "node-worker" / "worker.mjs"),
        stdin=DEVNULL,
        stdout=PIPE,
        env={**BASE, **settings(seed), **(more or {})},
    )
    try:
        line = await line_of(running.stdout, "listens on port")
        assert OWN.public_key in line
        yield worker_on(re.findall(r"port (\d+)", line)[0])
    finally:
        running.kill()
        await running.communicate()


async def test_node_answers(client: HttpWorkerClient, seed: Path) -> None:
    """It registers by its hello and throws the die; all of it signed both ways."""
    async with node(seed) as where:
        health = await client.health(where)
        assert (health.worker_id, health.version) == ("example", "1.0")
        assert [spec.name for spec in health.tools] == ["dice"]
        thrown = set()
        for _ in range(60):
            request = dispatch("dice", "de", sides=3)
            reply = await client.dispatch(where, request, max_reply_bytes=9_999)
            assert reply.result is not None
            assert (
                reply.result["say"] == f"Du hast eine {reply.result['value']} geworfen."
            )
            thrown.add(reply.result["value"])
        assert thrown == {1, 2, 3}
        wrong = dispatch("dice", sides=101)
        reply = await client.dispatch(where, wrong, max_reply_bytes=9_999)
        assert (reply.success, reply.code) == (False, "invalid_input")
        with pytest.raises(LegionError) as caught:
            await client.dispatch(where, dispatch("other"), max_reply_bytes=9_999)
        assert caught.value.code is LegionCode.NO_CAPABILITY
        await client.goodbye(where, "enough")


async def test_node_does_a_task_once(
    session: aiohttp.ClientSession, client: HttpWorkerClient, seed: Path
) -> None:
    """The die is thrown once for one task id, which is good for one task."""
    async with node(seed) as where:
        request = dispatch("dice", sides=100)
        replies = [
            await client.dispatch(where, request, max_reply_bytes=9_999)
            for _ in range(8)
        ]
        assert len({str(reply.result) for reply in replies}) == 1
        other = replace(request, input={"sides": 99})
        with pytest.raises(LegionError) as caught:
            await client.dispatch(where, other, max_reply_bytes=9_999)
        assert caught.value.code is LegionCode.BAD_REQUEST
        epoch, body = (await client.health(where)).epoch, dispatch_to_bytes(other)
        status, text = await sent(session, signed(where, epoch, body), body)
        assert (status, json.loads(text)["code"]) == (409, "conflict")


async def test_node_is_found_again_after_its_restart(
    client: HttpWorkerClient, seed: Path
) -> None:
    """A new start has a new epoch, which the client learns by itself."""
    async with node(seed) as where:
        await client.dispatch(where, dispatch("dice"), max_reply_bytes=9_999)
    port = {"CAESAR_LEGION__LISTEN_PORT": str(URL(where.url).port)}
    async with node(seed, port) as again:
        assert again == where
        await client.dispatch(where, dispatch("dice"), max_reply_bytes=9_999)


async def test_node_trusts_one_key(
    session: aiohttp.ClientSession, client: HttpWorkerClient, seed: Path
) -> None:
    """Neither a stranger's nor its own; and the client believes no other worker."""
    async with node(seed) as where:
        for identity in (Identity.generate(), OWN):
            with pytest.raises(LegionError):
                await HttpWorkerClient(session, identity).health(where)
        with pytest.raises(LegionError) as caught:
            await client.health(replace(where, public_key=HOME.public_key))
        assert caught.value.code is LegionCode.BAD_SIGNATURE


async def sent(
    session: aiohttp.ClientSession,
    request: Request,
    body: bytes | None,
    path: str | None = None,
) -> tuple[int, str]:
    """Send these very headers and bytes; return status and text."""
    url = URL(request.url)
    if path is not None:
        url = url.with_path(path)
    async with session.request(
        request.method, url, headers=request.headers, data=body
    ) as response:
        return response.status, await response.text()


def signed(
    where: WorkerAddress,
    epoch: str,
    body: bytes,
    *,
    now: float | None = None,
    identity: Identity = HOME,
) -> Request:
    """Return a dispatch of dice, signed."""
    headers: CIMultiDict[str] = CIMultiDict({"Content-Type": "application/json"})
    headers["Caesar-Epoch"] = epoch
    url = f"{where.url}/v1/dispatch/tool.dice"
    request = Request(method="POST", url=url, headers=headers)
    sign_request(identity, request, body, now=time.time() if now is None else now)
    return request


async def test_node_refuses_hostile_peers(
    session: aiohttp.ClientSession, client: HttpWorkerClient, seed: Path
) -> None:
    """One bare 401 for all of it, and good ones are served before and after."""
    async with node(seed) as where:
        epoch = (await client.health(where)).epoch
        body = dispatch_to_bytes(dispatch("dice"))

        def good() -> Request:
            return signed(where, epoch, body)

        def bent(**headers: str | None) -> Request:
            request = good()
            for name, value in headers.items():
                key = name.replace("_", "-")
                if value is None:
                    del request.headers[key]
                else:
                    request.headers[key] = value
            return request

        first = good()
        status, text = await sent(session, first, body)
        assert status == 200
        assert json.loads(text)["success"] is True
        doubled = good()
        doubled.headers.add("Signature", doubled.headers["Signature"])
        other_tag = good()
        other_tag.headers["Signature-Input"] = other_tag.headers[
            "Signature-Input"
        ].replace("legion/1", "legion/2")
        late, early = time.time() - 95, time.time() + 65
        refused = {
            "replay": (first, body),
            "unsigned": (bent(signature=None, signature_input=None), body),
            "no digest": (bent(content_digest=None), body),
            "tampered body": (good(), body.replace(b"dice", b"mice", 1)),
            "longer body": (good(), body + b" "),
            "tampered header": (bent(caesar_epoch=epoch[::-1]), body),
            "another type": (bent(content_type="text/plain"), body),
            "another host": (bent(host="elsewhere:80"), body),
            "two signatures": (doubled, body),
            "another tag": (other_tag, body),
            "broken signature": (bent(signature="caesar=:AAAA:"), body),
            "of another start": (signed(where, "A" * 24, body), body),
            "stale": (signed(where, epoch, body, now=late), body),
            "from the future": (signed(where, epoch, body, now=early), body),
            "a stranger": (
                signed(where, epoch, body, identity=Identity.generate()),
                body,
            ),
        }
        for name, (request, content) in refused.items():
            assert await sent(session, request, content) == (401, ""), name
        assert await sent(session, good(), body, path="/v1/goodbye") == (401, "")
        for path in ("", "/v1/hello", "/v1/dispatch/tool.dice"):
            async with session.get(where.url + path) as response:
                assert (response.status, await response.text()) == (401, "")
        assert (await sent(session, good(), body))[0] == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"null", 400),
        (b'{"protocol":2,"tool":"dice","input":{}}', 400),
        (b'{"protocol":1,"tool":"other","input":{}}', 400),
        (b'{"protocol":1,"tool":"dice","input":7}', 400),
        (b" " * (MAX_REQUEST_BYTES + 1), 413),
    ],
)
async def test_node_survives_bad_messages_of_its_house(
    session: aiohttp.ClientSession,
    client: HttpWorkerClient,
    seed: Path,
    body: bytes,
    status: int,
) -> None:
    """Signed nonsense is refused with a signed word, and the worker lives on."""
    async with node(seed) as where:
        epoch = (await client.health(where)).epoch
        answered, text = await sent(session, signed(where, epoch, body), body)
        assert answered == status
        assert json.loads(text)["protocol"] == 1
        await client.health(where)


def test_the_unit_and_the_container_run_a_command_that_there_is() -> None:
    """What they start is understood by the command line."""
    unit = (EXAMPLES / "caesar-worker@.service").read_text(encoding="utf-8")
    (line,) = re.findall(r"^ExecStart=\S+/caesar (.*)$", unit, re.MULTILINE)
    options = cli._parser().parse_args(line.split())
    assert (str(options.seed), options.tools) == ("%d/seed", [])
    assert "LoadCredential=seed:" in unit
    container = (EXAMPLES / "Containerfile").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^ENTRYPOINT (.*)$", container, re.MULTILINE)
    command = json.loads(entry)
    assert command[0] == "caesar"
    options = cli._parser().parse_args([*command[1:], "--env", "/etc/caesar/x.env"])
    assert str(options.env) == "/etc/caesar/x.env"
