"""The worker that Home Assistant runs for itself: its line, its tools, its end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
import json
from pathlib import Path
import signal
import sys
import time
from typing import Any, ClassVar

import aiohttp
import pytest

from custom_components.caesar.legion import boot, bundled, local
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.environment import Environment, SettingsError
from custom_components.caesar.legion.errors import LegionError
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import DispatchRequest, WorkerAddress
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.legion.version import VERSION
from custom_components.caesar.legion.worker import Task, Worker

from .processes import BOOT_FILE, ended, line_of, process
from .workers import until

pytestmark = pytest.mark.usefixtures("socket_enabled")

HOME = Identity.generate()
OWN = Identity.generate()


def settings(*tools: str, **more: str) -> dict[str, str]:
    """Return what Home Assistant would give to the process."""
    return {
        local.SEED: OWN.seed,
        local.HA_PUBLIC_KEY: HOME.public_key,
        local.TOOLS: json.dumps(tools),
        **more,
    }


@pytest.fixture
async def client() -> AsyncIterator[HttpWorkerClient]:
    """Return Home Assistant's side of the wire."""
    async with aiohttp.ClientSession() as session:
        yield HttpWorkerClient(session, HOME)


def address(line: dict[str, Any]) -> WorkerAddress:
    """Return where the process said it listens."""
    return WorkerAddress(
        url=f"http://127.0.0.1:{line['port']}", public_key=line["public_key"]
    )


def _unheard(_: Callable[[], None]) -> None:
    """Never say that it is enough."""


async def test_it_serves_what_it_was_told_to(client: HttpWorkerClient) -> None:
    """A signed dispatch to the process that the line names is answered."""
    async with process("local", environment=settings("calculator")) as running:
        line = json.loads(await line_of(running.stdout))
        assert line == {
            "port": line["port"],
            "public_key": OWN.public_key,
            "worker_id": "local",
            "failed": {},
        }
        request = DispatchRequest(
            task_id="1" * 32,
            tool="calculator",
            input={"expression": "249 * 17%"},
            decision_id="2" * 32,
            deadline_ms=5_000,
        )
        reply = await client.dispatch(address(line), request, max_reply_bytes=10_000)
        assert reply.success, reply.error
        assert reply.result is not None
        assert "42.33" in json.dumps(reply.result)


async def test_a_tool_without_its_settings_is_left_out(
    client: HttpWorkerClient,
) -> None:
    """The others are served, and the line names what is missing."""
    tools = settings("web_search", "calculator", "weather")
    async with process("local", environment=tools) as running:
        line = json.loads(await line_of(running.stdout))
        assert set(line["failed"]) == {"web_search", "weather"}
        assert "CAESAR_TOOLS__WEB_SEARCH__" in line["failed"]["web_search"]
        assert line["failed"]["weather"] == "There is no tool weather."
        health = await client.health(address(line))
        assert [spec.name for spec in health.tools] == ["calculator"]
        assert health.worker_id == "local"


async def test_it_ends_with_its_stdin() -> None:
    """A killed Home Assistant leaves no orphan."""
    async with process("local", environment=settings("calculator")) as running:
        await line_of(running.stdout)
        assert running.stdin is not None
        began = time.monotonic()
        running.stdin.close()
        assert await ended(running) == (0, "", "")
        assert time.monotonic() - began < local.GRACE_S


async def test_it_ends_although_its_loop_is_stuck() -> None:
    """A tool that never comes back can't keep the process."""
    stuck = (
        "import sys, time; sys.argv = ['boot.py']\n"
        f"import runpy; boot = runpy.run_path({str(BOOT_FILE)!r})\n"
        f"boot['load'](boot['Path']({str(BOOT_FILE)!r}).parent)\n"
        "from caesar_legion import local\n"
        "local.GRACE_S = 0.2\n"
        "local._stdin_closed(lambda: None)\n"
        "while True: pass\n"
    )
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-c", stuck, stdin=asyncio.subprocess.PIPE
    )
    assert running.stdin is not None
    running.stdin.close()
    async with asyncio.timeout(10):
        assert await running.wait() == 1


async def test_a_signal_stops_it_in_order() -> None:
    """SIGTERM ends it; SIGINT, which a terminal sends to all, does not."""
    async with process("local", environment=settings("calculator")) as running:
        line = json.loads(await line_of(running.stdout))
        running.send_signal(signal.SIGINT)
        async with aiohttp.ClientSession() as session:
            await HttpWorkerClient(session, HOME).health(address(line))
        running.send_signal(signal.SIGTERM)
        assert await ended(running) == (0, "", "")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        (local.SEED, "", f"{local.SEED} is missing"),
        (local.SEED, OWN.seed[:-1], f"{local.SEED} is not a seed"),
        (local.HA_PUBLIC_KEY, "", f"{local.HA_PUBLIC_KEY} is missing"),
        (local.HA_PUBLIC_KEY, "Unknown", f"{local.HA_PUBLIC_KEY} is not a public key"),
        (local.TOOLS, "calculator", f"{local.TOOLS} must be a JSON list"),
    ],
    # A key made anew would be another test for each process that collects them.
    ids=["no seed", "bad seed", "no key", "bad key", "no list"],
)
async def test_it_refuses_to_start_without_an_identity(
    name: str, value: str, words: str
) -> None:
    """One sentence, no traceback, no secret."""
    values = {**settings("calculator"), name: value}
    async with process("local", environment=values) as running:
        code, out, err = await ended(running)
    assert (code, out) == (2, "")
    assert err.startswith(words)
    assert err.count("\n") == 1
    assert OWN.seed[2:-1] not in err


async def test_arguments_are_refused() -> None:
    """A secret given as an argument would be seen by all users."""
    async with process("local", OWN.seed) as running:
        code, out, err = await ended(running)
    assert (code, out) == (2, "")
    assert OWN.seed not in err


async def test_strangers_get_nothing(client: HttpWorkerClient) -> None:
    """The worker's own key is not trusted here: nobody pings this one."""
    async with process("local", environment=settings("calculator")) as running:
        line = json.loads(await line_of(running.stdout))
        async with aiohttp.ClientSession() as session:
            for identity in (OWN, Identity.generate()):
                with pytest.raises(LegionError):
                    await HttpWorkerClient(session, identity).health(address(line))
        await client.health(address(line))


async def test_serving_in_this_process(client: HttpWorkerClient) -> None:
    """The line is said once, and the end is heard from whoever watches."""
    said: list[str] = []
    enough: list[Callable[[], None]] = []
    task = asyncio.create_task(
        local.serve(settings("calculator"), said.append, enough.append)
    )
    await until(lambda: bool(enough))
    where = address(json.loads(said[0]))
    await client.health(where)
    enough[0]()
    await task
    assert len(said) == 1
    with pytest.raises(LegionError):
        await client.health(where)


async def test_without_an_identity_nothing_is_served() -> None:
    """Neither with a broken one nor for a broken key of Home Assistant."""
    for name in (local.SEED, local.HA_PUBLIC_KEY):
        values = {**settings(), name: "U" + OWN.public_key}
        with pytest.raises(SettingsError, match=name):
            await local.serve(values, pytest.fail, _unheard)


def test_faults_of_tools_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package has a name; a fault is not the person's."""

    def lacking(_: Environment) -> Any:
        raise ModuleNotFoundError("No module named 'caldav'", name="caldav")

    def broken(_: Environment) -> Any:
        raise RuntimeError("s3cret")

    monkeypatch.setattr(local, "BUNDLED", {"lacking": lacking, "broken": broken})
    workers, failed = local.make(["lacking", "broken"], Environment({}))
    assert workers == {}
    assert failed == {
        "lacking": "The Python package caldav is missing.",
        "broken": "The tool has a fault (RuntimeError).",
    }


class Starting(Worker):
    """Offers one tool, whose start ends as it is told to."""

    tools: ClassVar[tuple[ToolSpec, ...]] = ()
    running: ClassVar[set[str]] = set()

    def __init__(self, name: str, error: Exception | None = None) -> None:
        """Raise `error`; without one, start."""
        self.name, self.error = name, error
        self.__dict__["tools"] = (
            ToolSpec(
                name=name,
                title=name,
                description="Says who it is.",
                input_schema={"type": "object"},
            ),
        )

    async def start(self) -> None:
        """Begin, once."""
        assert self.name not in self.running
        self.running.add(self.name)
        if self.error is not None:
            raise self.error
        if self.name == "slow":
            await asyncio.Event().wait()

    async def stop(self) -> None:
        """Leave nothing."""
        self.running.remove(self.name)
        if self.name == "broken":
            raise RuntimeError("once more")

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Answer anything."""
        return {"who": self.name}


async def test_a_tool_that_does_not_start_is_left_out(
    client: HttpWorkerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others are served; nothing that was begun stays."""
    errors = {
        "broken": RuntimeError("s3cret"),
        "unset": SettingsError("CAESAR_TOOLS__UNSET__KEY is missing"),
        "lacking": ModuleNotFoundError("No module named 'caldav'", name="caldav"),
        "slow": None,
        "well": None,
    }
    monkeypatch.setattr(local, "START_S", 0.05)
    monkeypatch.setattr(
        local,
        "BUNDLED",
        {
            name: lambda _, name=name, error=error: Starting(name, error)
            for name, error in errors.items()
        },
    )
    said: list[str] = []
    enough: list[Callable[[], None]] = []
    task = asyncio.create_task(
        local.serve(settings(*errors), said.append, enough.append)
    )
    await until(lambda: bool(enough))
    line = json.loads(said[0])
    assert line["failed"] == {
        "broken": "The tool has a fault (RuntimeError).",
        "unset": "CAESAR_TOOLS__UNSET__KEY is missing",
        "lacking": "The Python package caldav is missing.",
        "slow": "The tool did not start in time.",
    }
    assert Starting.running == {"well"}
    health = await client.health(address(line))
    assert [spec.name for spec in health.tools] == ["well"]
    request = DispatchRequest(
        task_id="1" * 32,
        tool="well",
        input={},
        decision_id="2" * 32,
        deadline_ms=5_000,
    )
    reply = await client.dispatch(address(line), request, max_reply_bytes=10_000)
    assert reply.result == {"who": "well"}
    enough[0]()
    await task
    assert Starting.running == set()


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["--path", "/x"], ["--path"]])
async def test_the_boot_file_says_how_it_is_used(arguments: list[str]) -> None:
    """It is started by programs, but also looked at by people."""
    async with process(*arguments) as running:
        code, out, err = await ended(running)
    assert (code, out) == (2, "")
    assert err == "usage: boot.py [--path FOLDER]... local | child | cli\n"


async def test_packages_may_lie_elsewhere(tmp_path: Path) -> None:
    """Home Assistant keeps those of integrations in a folder of its own at times."""
    (tmp_path / "extra.py").write_text("def main(data): return b'found'\n")
    async with process(
        "--path", str(tmp_path), "--path", str(tmp_path), "cli", "--version"
    ) as running:
        assert (await ended(running))[:2] == (0, f"caesar {VERSION}\n")


def test_bundled_tools_are_loaded_when_wanted() -> None:
    """All exist, and each names what it lacks."""
    assert list(bundled.BUNDLED) == [
        "calculator",
        "web_search",
        "calendar_read",
        "recall_memory",
        "semantic_recall",
    ]
    assert bundled.BUNDLED["calculator"](Environment({})).tools[0].name == "calculator"
    for name in ("web_search", "calendar_read"):
        with pytest.raises(SettingsError, match="CAESAR_TOOLS__"):
            bundled.BUNDLED[name](Environment({}))


def test_the_boot_file_makes_the_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder gets its other name, once."""
    for name in [name for name in sys.modules if name.startswith(boot.NAME)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("CAESAR_LEGION__SEED_PATH", raising=False)
    for _ in range(2):
        assert boot.main(["--path", "/nowhere", "cli", "legion", "keys"]) == 2
    assert sys.path.count("/nowhere") == 1
    package = sys.modules[boot.NAME]
    assert package.__file__ == str(BOOT_FILE.with_name("__init__.py"))
    assert "CAESAR_LEGION__SEED_PATH is missing" in capsys.readouterr().err
    assert boot.main([]) == 2
    for name in [name for name in sys.modules if name.startswith(boot.NAME)]:
        monkeypatch.delitem(sys.modules, name)


def test_the_whole_process_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without its settings it ends with 2; a Ctrl-C would not have ended it."""
    done: list[tuple[object, ...]] = []
    monkeypatch.setattr(signal, "signal", lambda *how: done.append(how))
    monkeypatch.delenv(local.SEED, raising=False)
    assert local.main([]) == 2
    assert done[0] == (signal.SIGINT, signal.SIG_IGN)
    assert capsys.readouterr().err.startswith(f"{local.SEED} is missing")
    assert local.main(["more"]) == 2
