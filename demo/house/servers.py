"""Real servers for the tools of the demo house: SearXNG, Radicale, Xandikos.

They search a small web of our own (library.py) and keep calendars of their own; nothing
leaves this machine. As a program, for tests and for a look at them:

    python -m house.servers [--xandikos] [--no-json] FOLDER

prints one line of JSON with their addresses, and ends when its standard input closes.
"""

import argparse
import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
import json
import os
from pathlib import Path
import signal
import sys

import aiohttp

from .errors import HouseError
from .library import library
from .onboarding import OWNER, PASSWORD
from .process import stop, tied_to_us
from .seed import ROOT, free_port, is_free

SET_UP = ROOT / "script" / "servers.sh"
START_SECONDS = 60.0
POLL_SECONDS = 0.03
GRACE_SECONDS = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """Where they are.

    `search` is SearXNG's base address; `calendar` Radicale's, whose `username` and
    `password` they are; `xandikos` is open to all ("": not asked for).
    """

    search: str
    calendar: str
    username: str = OWNER
    password: str = PASSWORD
    xandikos: str = ""


@dataclass(slots=True, kw_only=True)
class _Server:
    """How a server is started, and where it then is."""

    name: str
    command: Sequence[str]
    port: int
    environment: Mapping[str, str]
    ready_path: str = "/"
    process: Process | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    async def start(self, folder: Path) -> None:
        """Start the process, not waiting until it answers."""
        with (folder / f"{self.name}.log").open("w", encoding="utf-8") as log:
            self.process = await asyncio.create_subprocess_exec(
                # They may be busy or deaf; nothing that they keep is lost by this.
                *tied_to_us("KILL"),
                *self.command,
                cwd=folder,
                env={**_environment(), **self.environment},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    async def until_up(self) -> None:
        """Wait until it answers, whatever it says. Raises HouseError if it doesn't."""
        assert self.process is not None
        url = f"{self.address.rstrip('/')}{self.ready_path}"
        try:
            async with asyncio.timeout(START_SECONDS), aiohttp.ClientSession() as http:
                while self.process.returncode is None:
                    try:
                        async with http.get(url, allow_redirects=False):
                            return
                    except aiohttp.ClientConnectionError:
                        await asyncio.sleep(POLL_SECONDS)
        except TimeoutError:
            pass
        raise HouseError(f"The server {self.name} of the demo house did not start.")


@asynccontextmanager
async def starting(
    folder: Path, *, with_xandikos: bool = False, with_json: bool = True
) -> AsyncIterator[Starting]:
    """Start the servers on free ports, with their files in `folder`, not waiting.

    Without `with_json` SearXNG answers in HTML only, as it does when nobody sets it up
    otherwise. They are stopped at the end. Raises HouseError if they can't be set up.
    """
    folder.mkdir(parents=True, exist_ok=True)
    python = await _python()
    async with library() as pages:
        ways = [_searxng(python, folder, pages, with_json), _radicale(python, folder)]
        if with_xandikos:
            ways.append(_xandikos(python, folder))
        try:
            for way in ways:
                await way.start(folder)
            yield Starting(ways)
        finally:
            # SIGINT means nothing to what was started in a shell's background.
            ends = [
                stop(way.process, by=signal.SIGTERM, grace_s=GRACE_SECONDS)
                for way in ways
                if way.process is not None
            ]
            await asyncio.shield(asyncio.gather(*ends))


class Starting:
    """Servers that have been told to start."""

    def __init__(self, ways: Sequence[_Server]) -> None:
        """Take SearXNG, Radicale and perhaps Xandikos."""
        self._ways = ways

    async def until_up(self) -> Servers:
        """Wait for all of them. Raises HouseError if one does not start."""
        for way in self._ways:
            await way.until_up()
        search, calendar, *rest = [way.address for way in self._ways]
        return Servers(
            search=search, calendar=calendar, xandikos=rest[0] if rest else ""
        )


def _environment() -> dict[str, str]:
    kept = ("HOME", "LANG", "PATH", "TMPDIR")
    return {name: os.environ[name] for name in kept if name in os.environ}


async def _python() -> str:
    """Return the Python that has the servers. Raises HouseError."""
    process = await asyncio.create_subprocess_exec(
        SET_UP, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    if process.returncode != 0:
        raise HouseError("The servers of the demo house could not be set up.")
    return output.decode().strip()


def _port(folder: Path, name: str) -> int:
    """Return a free port, in a folder that is kept always the same one.

    For what is set up in the house stays there. Raises HouseError if it is taken.
    """
    path = folder / f"{name}.port"
    if not path.exists():
        path.write_text(str(free_port()), encoding="utf-8")
    port = int(path.read_text(encoding="utf-8"))
    if not is_free(port):
        raise HouseError(f"Port {port}, where {name} of this folder was, is taken.")
    return port


def _searxng(python: str, folder: Path, pages: str, with_json: bool) -> _Server:
    port = _port(folder, "searxng")
    settings = {
        "use_default_settings": {"engines": {"keep_only": []}},
        "general": {"debug": False, "instance_name": "demo", "enable_metrics": False},
        "search": {"formats": ["html", *(["json"] if with_json else [])]},
        "server": {
            "port": port,
            "bind_address": "127.0.0.1",
            "secret_key": "the demo house keeps no secrets here",
            "limiter": False,
            "image_proxy": False,
        },
        "outgoing": {"request_timeout": 2.0, "enable_http2": False},
        "engines": [
            _engine("library", "lb", f"{pages}search?q={{query}}&p={{pageno}}"),
            # Found with !br only, to see what a broken engine looks like.
            {**_engine("broken", "br", f"{pages}fail?q={{query}}"), "disabled": True},
        ],
    }
    # JSON is YAML too.
    path = folder / "searxng.yml"
    path.write_text(json.dumps(settings), encoding="utf-8")
    return _Server(
        name="searxng",
        command=(python, "-m", "searx.webapp"),
        port=port,
        # Its caches lie in the folder for temporary files, which others use too.
        environment={"SEARXNG_SETTINGS_PATH": str(path), "TMPDIR": str(folder)},
        ready_path="/healthz",
    )


def _engine(name: str, shortcut: str, url: str) -> dict[str, object]:
    return {
        "name": name,
        "engine": "json_engine",
        "shortcut": shortcut,
        "categories": "general",
        "enable_http": True,
        "paging": True,
        "search_url": url,
        "results_query": "results",
        "url_query": "url",
        "title_query": "title",
        "content_query": "content",
    }


def _radicale(python: str, folder: Path) -> _Server:
    port = _port(folder, "radicale")
    users = folder / "radicale.users"
    users.write_text(f"{OWNER}:{PASSWORD}\n", encoding="utf-8")
    path = folder / "radicale.conf"
    path.write_text(
        f"[server]\nhosts = 127.0.0.1:{port}\n"
        f"[auth]\ntype = htpasswd\nhtpasswd_filename = {users}\n"
        "htpasswd_encryption = plain\ndelay = 0\n"
        f"[storage]\nfilesystem_folder = {folder / 'radicale'}\n"
        "[logging]\nlevel = warning\n",
        encoding="utf-8",
    )
    return _Server(
        name="radicale",
        command=(python, "-m", "radicale", "--config", str(path)),
        port=port,
        environment={},
        ready_path="/.web/",
    )


def _xandikos(python: str, folder: Path) -> _Server:
    port = _port(folder, "xandikos")
    place = ("--directory", str(folder / "xandikos"), "--state-dir", str(folder))
    where = ("--listen-address", "127.0.0.1", "--port", str(port))
    return _Server(
        name="xandikos",
        command=(
            *(python, "-m", "xandikos", "serve", "--no-detect-systemd"),
            *("--defaults", *place, *where),
            *("--current-user-principal", f"/{OWNER}/"),
        ),
        port=port,
        environment={},
    )


async def _serve(given: argparse.Namespace) -> None:
    async with starting(
        given.folder, with_xandikos=given.xandikos, with_json=not given.no_json
    ) as servers:
        print(json.dumps(asdict(await servers.until_up())), flush=True)
        await asyncio.to_thread(sys.stdin.read)


def main() -> int:
    """Run until the standard input closes."""
    parser = argparse.ArgumentParser(prog="python -m house.servers")
    parser.add_argument("--xandikos", action="store_true", help="Xandikos too")
    parser.add_argument("--no-json", action="store_true", help="SearXNG without JSON")
    parser.add_argument("folder", type=lambda text: Path(text).resolve())
    try:
        asyncio.run(_serve(parser.parse_args()))
    except HouseError as err:
        print(err, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
