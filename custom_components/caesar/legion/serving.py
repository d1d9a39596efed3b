"""A worker process that a person runs: from its settings to a server that answers."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from ipaddress import IPv4Address
import logging
from pathlib import Path
import signal
import sys
from typing import Final

from .announce import Announcement
from .bundled import BUNDLED
from .environment import Environment, SettingsError, checked_key
from .keys import Identity
from .server import WorkerServer
from .version import VERSION
from .wire import ID
from .worker import Worker

DEFAULT_HOST: Final = "0.0.0.0"
DEFAULT_PORT: Final = 8765

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Where a worker stands: its name, whom it trusts, where it listens.

    `host` is an IPv4 address; port 0 lets the system choose.
    """

    worker_id: str
    ha_public_key: str
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    announced: bool = True


def post_of(
    environment: Environment,
    *,
    worker_id: str | None = None,
    ha_public_key: str | None = None,
    host: str | None = None,
    port: int | None = None,
    announced: bool = True,
) -> Post:
    """Complete what was given by what the environment says. Raises SettingsError."""
    legion = environment.legion
    worker_id = worker_id or legion.require("WORKER_ID")
    if not ID.fullmatch(worker_id):
        raise SettingsError(
            f"{legion.variable('WORKER_ID')} must be up to 64 letters, digits, and"
            " . _ - between them."
        )
    if not (key := ha_public_key or legion.text("HA_PUBLIC_KEY")):
        raise SettingsError(
            f"{legion.variable('HA_PUBLIC_KEY')} is missing: the worker answers nobody"
            " else. CAESAR shows the key in Home Assistant, where a worker is added."
        )
    host = host or legion.text("LISTEN_HOST", DEFAULT_HOST)
    try:
        IPv4Address(host)
    except ValueError:
        raise SettingsError(
            f"{legion.variable('LISTEN_HOST')} must be an IPv4 address of this host;"
            f" {DEFAULT_HOST} means all of them."
        ) from None
    return Post(
        worker_id=worker_id,
        ha_public_key=checked_key(legion.variable("HA_PUBLIC_KEY"), key),
        host=host,
        port=legion.number("LISTEN_PORT", DEFAULT_PORT, 0, 65_535)
        if port is None
        else port,
        announced=announced,
    )


def make_workers(names: Sequence[str], environment: Environment) -> list[Worker]:
    """Make the workers: bundled ones by name, one's own as `module:Class`.

    The class, or a function in its place, is given the Environment if it takes an
    argument. Raises SettingsError.
    """
    names = names or environment.legion.names("TOOLS")
    if not names:
        raise SettingsError(
            "Nothing to serve. Name a tool: " + ", ".join(sorted(BUNDLED)) + " or"
            " module:Class for one of your own."
        )
    workers = []
    for name in dict.fromkeys(names):
        try:
            workers.append(_maker(name)(environment))
        except ImportError as error:
            raise SettingsError(
                f"{name} needs the Python module {error.name or error}, which is not"
                " installed here."
            ) from None
        except OSError as error:
            raise SettingsError(
                f"{name} cannot be made: {error.strerror or error}."
            ) from None
    return workers


def _maker(name: str) -> Callable[[Environment], Worker]:
    if ":" not in name:
        if name not in BUNDLED:
            raise SettingsError(
                f"There is no tool {name}. There are: {', '.join(sorted(BUNDLED))};"
                " name one of your own as module:Class."
            )
        return BUNDLED[name]
    module, _, attribute = name.partition(":")
    # As `python -m` does: one's own file lies where the command is typed.
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    found = getattr(import_module(module), attribute, None)
    if found is None or not callable(found):
        raise SettingsError(f"{module} has no worker {attribute}.")
    maker: Callable[[Environment], Worker] = found
    return maker if signature(found).parameters else lambda _environment: found()


async def serve(post: Post, identity: Identity, workers: Sequence[Worker]) -> None:
    """Serve until SIGTERM or SIGINT. Raises SettingsError if it can't listen.

    The worker's own key is trusted beside Home Assistant's, for `caesar legion ping`:
    whoever holds the seed is the worker.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        server = WorkerServer(
            post.worker_id,
            workers,
            identity,
            [post.ha_public_key, identity.public_key],
            version=VERSION,
        )
    except ValueError as error:
        raise SettingsError(f"A tool cannot be offered: {error}") from None
    server.on_goodbye = lambda reason: _LOGGER.warning(
        "Home Assistant says goodbye: %s", reason
    )
    try:
        port = await server.start(post.host, post.port)
    except OSError as error:
        raise SettingsError(
            f"Cannot listen on {post.host} port {post.port}: {error.strerror}."
        ) from None
    announcement = Announcement(
        worker_id=post.worker_id,
        public_key=identity.public_key,
        version=VERSION,
        host=post.host,
        port=port,
    )
    tools = ", ".join(spec.name for worker in workers for spec in worker.tools)
    _LOGGER.info("%s serves %s on %s port %s", post.worker_id, tools, post.host, port)
    _LOGGER.info("its public key is %s", identity.public_key)
    try:
        if post.announced and await announcement.start():
            _LOGGER.info("announced on the local network")
        await stop.wait()
    finally:
        await announcement.stop()
        await server.stop()
