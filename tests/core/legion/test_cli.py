"""The command `caesar`: what it makes, shows, serves and refuses."""

import asyncio
import os
from pathlib import Path
import signal
import stat
import sys

import aiohttp
import pytest

from custom_components.caesar.legion import cli, serving
from custom_components.caesar.legion.cli import main
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.environment import Environment, SettingsError
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import WorkerAddress
from custom_components.caesar.legion.version import VERSION

from .processes import ended, line_of, process
from .workers import until

pytestmark = pytest.mark.usefixtures("socket_enabled")

HOME = Identity.generate()
# A tool as somebody might write it, good and bad.
TOOL = """
from caesar_legion import Task, ToolSpec, Worker

class Hello(Worker):
    tools = (ToolSpec(name="hello", title="Hello", description="Greets.",
                      input_schema={"type": "object"}),)
    async def handle(self, task: Task):
        return {"say": "Hello"}

class BadName(Hello):
    tools = (ToolSpec(name="Bad Name", title="x", description="x",
                      input_schema={"type": "object"}),)

class Lost(Hello):
    def __init__(self):
        open("/nowhere/at/all")

NOTHING = 3
"""


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have no settings, and a home of one's own."""
    for name in list(os.environ):
        if name.upper().startswith("CAESAR_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


@pytest.fixture
def minted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """Return the settings of a new worker that trusts HOME."""
    code = main(
        ["legion", "new-worker", "--name", "attic", "--ha-key", HOME.public_key]
    )
    assert code == 0
    capsys.readouterr()
    settings = tmp_path / ".config" / "caesar" / "attic.env"
    text = settings.read_text().replace("LISTEN_PORT=8765", "LISTEN_PORT=0")
    settings.write_text(text.replace("HOST=0.0.0.0", "HOST=127.0.0.1"))
    return settings


def test_a_new_worker_gets_its_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The secret is in a file that nobody else may read, and is never shown."""
    assert main(["legion", "new-worker", "--name", "attic"]) == 0
    shown, err = capsys.readouterr()
    folder = tmp_path / ".config" / "caesar"
    seed = folder / "attic.seed"
    identity = Identity.from_seed(seed.read_text().strip())
    assert stat.S_IMODE(seed.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert err == ""
    assert identity.public_key in shown
    assert str(seed) in shown
    settings = (folder / "attic.env").read_text()
    assert f"CAESAR_LEGION__SEED_PATH={seed}" in settings
    assert "#CAESAR_LEGION__HA_PUBLIC_KEY=" in settings
    assert identity.seed not in shown + settings


def test_a_new_worker_overwrites_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A seed that is lost can't be made again."""
    arguments = ["legion", "new-worker", "--name", "attic", "--dir", str(tmp_path)]
    assert main(arguments) == 0
    before = (tmp_path / "attic.seed").read_text()
    assert main(arguments) == 2
    assert "is there already" in capsys.readouterr().err
    (tmp_path / "attic.env").unlink()
    assert main(arguments) == 2
    assert (tmp_path / "attic.seed").read_text() == before


@pytest.mark.parametrize("name", ["", "Attic", "../attic", "a b", "-a", "a" * 49])
def test_a_name_is_a_plain_word(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It becomes a file's name and a name on the network."""
    arguments = ["legion", "new-worker", f"--name={name}", "--dir", str(tmp_path / "x")]
    assert main(arguments) == 2
    assert "A worker's name has up to 48" in capsys.readouterr().err
    assert list(tmp_path.rglob("*.seed")) == []


def test_a_mistyped_key_is_refused_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Its checksum tells."""
    key = HOME.public_key[:-1] + ("A" if HOME.public_key[-1] != "A" else "B")
    assert main(["legion", "new-worker", "--name", "attic", "--ha-key", key]) == 2
    assert "--ha-key is not a public key" in capsys.readouterr().err


def test_a_folder_that_can_not_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The reason is the system's."""
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file" / "below")
    assert main(["legion", "new-worker", "--name", "a", "--dir", folder]) == 2
    assert "Not a directory" in capsys.readouterr().err


def test_keys_shows_and_verifies(
    minted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Stdout holds the key and nothing else."""
    assert main(["legion", "keys", "--env", str(minted)]) == 0
    shown, err = capsys.readouterr()
    assert err == ""
    key = shown.strip()
    assert shown == key + "\n"
    assert f"Its public key: {key}" in minted.read_text()
    seed = str(minted.with_suffix(".seed"))
    assert main(["legion", "keys", "--seed", seed, "--check", key]) == 0
    assert capsys.readouterr().out == "the same\n"
    assert main(["legion", "keys", "--seed", seed, "--check", HOME.public_key]) == 1
    assert capsys.readouterr().out == f"another: this is {key}\n"
    assert main(["legion", "keys", "--seed", seed, "--check", "U123"]) == 2


def test_a_seed_that_others_can_read_is_named(
    minted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It still works: the person decides."""
    seed = minted.with_suffix(".seed")
    seed.chmod(0o644)
    assert main(["legion", "keys", "--seed", str(seed)]) == 0
    assert f"run: chmod 600 {seed}" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"", b"SUAAAA", b"\xff\xff", b"x" * 9_000])
def test_a_file_without_a_seed(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it holds is not repeated."""
    file = tmp_path / "seed"
    file.write_bytes(content)
    assert main(["legion", "keys", "--seed", str(file)]) == 2
    assert capsys.readouterr().err == (
        f"caesar: {file} holds no seed: it must be one line that begins with SU.\n"
    )


def test_the_file_of_settings_is_read_like_a_unit_file(
    minted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comments, quotes, capitals; and what the process has wins."""
    file = tmp_path / "x.env"
    seed = minted.with_suffix(".seed")
    file.write_text(f'# a\n; b\n\n caesar_legion__seed_path = "{seed}" \nX=\'\n')
    assert main(["legion", "keys", "--env", str(file)]) == 0
    monkeypatch.setenv("CAESAR_LEGION__SEED_PATH", str(tmp_path / "other"))
    assert main(["legion", "keys", "--env", str(file)]) == 2


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"NAME\n", "Line 1 of"),
        (b"\xff", "is not a text file"),
        (None, "No such file"),
    ],
)
def test_a_bad_file_of_settings(
    content: bytes | None,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is named, and why."""
    file = tmp_path / "x.env"
    if content is not None:
        file.write_bytes(content)
    assert main(["legion", "keys", "--env", str(file)]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("drop", "arguments", "words"),
    [
        ("SEED_PATH", [], "CAESAR_LEGION__SEED_PATH is missing"),
        ("WORKER_ID", [], "CAESAR_LEGION__WORKER_ID is missing"),
        ("HA_PUBLIC_KEY", [], "CAESAR_LEGION__HA_PUBLIC_KEY is missing"),
        ("TOOLS", [], "Nothing to serve. Name a tool: calculator,"),
        ("", ["weather"], "There is no tool weather. There are: calculator,"),
        ("", ["nowhere:Tool"], "needs the Python module nowhere"),
        ("", ["json:Tool"], "json has no worker Tool"),
        ("", ["web_search"], "CAESAR_TOOLS__WEB_SEARCH__"),
        ("", ["--name", "a b"], "CAESAR_LEGION__WORKER_ID must be up to 64"),
        ("", ["--ha-key", "U1"], "CAESAR_LEGION__HA_PUBLIC_KEY is not a public key"),
        ("", ["--port", "70000"], "--port must be from 0 to 65535"),
        ("", ["--seed", "/nowhere"], "cannot be read: No such file"),
        ("", ["--host", "203.0.113.7"], "Cannot listen on 203.0.113.7 port 0"),
        ("", ["--host", "attic"], "must be an IPv4 address"),
    ],
)
def test_serve_says_what_is_missing(
    drop: str,
    arguments: list[str],
    words: str,
    minted: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One sentence and the exit code 2."""
    lines = minted.read_text().splitlines()
    kept = [line for line in lines if not drop or f"__{drop}=" not in line]
    minted.write_text("\n".join(kept))
    options = [*arguments, "--env", str(minted), "--no-announce"]
    assert main(["legion", "serve", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err


def test_ones_own_tool_may_be_broken(
    minted: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is found where the command is typed; its mistakes are named."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    own = TOOL.replace("caesar_legion", "custom_components.caesar.legion")
    (tmp_path / "own_tool.py").write_text(own)
    monkeypatch.chdir(tmp_path)
    workers = serving.make_workers(
        ["own_tool:Hello", "own_tool:Hello"], Environment({})
    )
    assert [spec.name for worker in workers for spec in worker.tools] == ["hello"]
    for name, words in (
        ("NOTHING", "own_tool has no worker NOTHING"),
        ("BadName", "A tool cannot be offered: "),
        ("Lost", "own_tool:Lost cannot be made: No such file"),
    ):
        options = [f"own_tool:{name}", "--env", str(minted), "--no-announce"]
        assert main(["legion", "serve", *options]) == 2
        assert words in capsys.readouterr().err
    with pytest.raises(SettingsError, match="needs the Python module"):
        serving.make_workers(["own_tool.deeper:Hello"], Environment({}))


async def test_serve_and_ping(minted: Path, tmp_path: Path) -> None:
    """A person sees that it runs, on the host itself, without Home Assistant."""
    (tmp_path / "own_tool.py").write_text(TOOL)
    with minted.open("a") as file:
        file.write("CAESAR_TOOLS__WEB_SEARCH__BRAVE_KEY=x\n")
    serve = ("cli", "legion", "serve", "own_tool:Hello", "--env", str(minted))
    async with process(*serve, "--no-announce", folder=tmp_path) as running:
        said = await line_of(running.stderr)
        assert said == (
            "caesar: CAESAR_TOOLS__WEB_SEARCH__BRAVE_KEY is not a setting that anything"
            " here reads; did you mean CAESAR_TOOLS__WEB_SEARCH__BRAVE_API_KEY?\n"
        )
        said = await line_of(running.stderr, "attic serves hello on 127.0.0.1 port ")
        url = f"http://127.0.0.1:{said.split()[-1]}"
        key = (await line_of(running.stderr, "its public key is")).split()[-1]
        ping = ("cli", "legion", "ping", url, "--key", key, "--env", str(minted))
        async with process(*ping) as asking:
            code, out, err = await ended(asking)
        assert (code, err) == (0, "")
        assert out.startswith(f"attic, version {VERSION}, answers in ")
        assert out.endswith(" ms and serves: hello\n")
        async with aiohttp.ClientSession() as session:
            client = HttpWorkerClient(session, HOME)
            where = WorkerAddress(url=url, public_key=key)
            await client.health(where)
            await client.goodbye(where, "removed in Home Assistant")
        await line_of(running.stderr, "says goodbye: removed in Home Assistant")
        running.send_signal(signal.SIGINT)
        assert await ended(running) == (0, "", "")


@pytest.mark.parametrize("announced", [True, False])
async def test_serving_in_this_process(
    announced: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """From the settings to a server that ends by a signal, announced or not."""
    caplog.set_level("INFO", "custom_components.caesar.legion")
    own = Identity.generate()
    values = {
        "CAESAR_LEGION__WORKER_ID": "attic",
        "CAESAR_LEGION__HA_PUBLIC_KEY": HOME.public_key,
        "CAESAR_LEGION__LISTEN_HOST": "127.0.0.1",
        "CAESAR_LEGION__LISTEN_PORT": "0",
        "CAESAR_LEGION__TOOLS": '["calculator"]',
    }
    environment = Environment(values)
    post = serving.post_of(environment, announced=announced)
    workers = serving.make_workers([], environment)
    task = asyncio.create_task(serving.serve(post, own, workers))
    said = "announced on" if announced else "its public key is"
    await until(lambda: said in caplog.text)
    (line,) = (text for text in caplog.messages if "serves calculator" in text)
    where = WorkerAddress(
        url=f"http://127.0.0.1:{line.split()[-1]}", public_key=own.public_key
    )
    async with aiohttp.ClientSession() as session:
        health = await HttpWorkerClient(session, HOME).health(where)
        await HttpWorkerClient(session, own).goodbye(where, "enough")
    assert health.worker_id == "attic"
    assert "says goodbye: enough" in caplog.text
    os.kill(os.getpid(), signal.SIGTERM)
    async with asyncio.timeout(10):
        await task
    assert ("announced on" in caplog.text) is announced


async def test_ping_of_somebody_else(minted: Path, tmp_path: Path) -> None:
    """The exit code is 1, and the reason is told."""
    other = tmp_path / "other.seed"
    other.write_text(Identity.generate().seed)
    other.chmod(0o600)
    serve = ("cli", "legion", "serve-tool", "own_tool:Hello", "--env", str(minted))
    (tmp_path / "own_tool.py").write_text(TOOL)
    async with process(*serve, "--no-announce", folder=tmp_path) as running:
        said = await line_of(running.stderr, "serves hello")
        url = f"http://127.0.0.1:{said.split()[-1]}"
        key = (await line_of(running.stderr, "its public key is")).split()[-1]
        for options, words in (
            (["--key", key, "--seed", str(other)], "its own"),
            (["--key", HOME.public_key, "--env", str(minted)], "sign"),
        ):
            async with process("cli", "legion", "ping", url, *options) as asking:
                code, out, err = await ended(asking)
            assert (code, out) == (1, "")
            assert words in err
        running.send_signal(signal.SIGTERM)
        assert (await ended(running))[0] == 0


def test_ping_of_nobody(minted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing listens there; an address that is none is told apart."""
    for url, key, code in (
        ("http://127.0.0.1:9", HOME.public_key, 1),
        ("nowhere", HOME.public_key, 1),
        ("http://127.0.0.1:9", "U1", 2),
    ):
        options = [url, "--key", key, "--env", str(minted)]
        assert main(["legion", "ping", *options]) == code
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("caesar: ")


@pytest.mark.parametrize("arguments", [[], ["legion"], ["legion", "dance"]])
def test_the_usage_is_shown(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Argparse ends with the code 2 as well."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: caesar" in capsys.readouterr().err


def test_a_reader_that_went_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """`caesar ... | head` is no fault."""

    def gone(_: object) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(cli, "_keys", gone)
    assert main(["legion", "keys"]) == 1
