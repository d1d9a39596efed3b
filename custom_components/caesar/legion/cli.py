"""The command `caesar`: make a worker's key, serve tools, ask a worker how it is.

Stdout holds what was asked for, stderr everything else. The exit code is 0, 1 for a
no from the other side, 2 for something that the person must set right first.
"""

import argparse
import asyncio
from collections.abc import Mapping, Sequence
import logging
import os
from pathlib import Path
import sys
import time
from typing import Final

import aiohttp

from .environment import Environment, SettingsError, checked_key
from .errors import LegionCode, LegionError
from .keys import Identity
from .messages import WorkerAddress
from .minting import mint, read_seed
from .version import VERSION

REFUSED: Final = 1
BAD_SETTINGS: Final = 2

MINTED: Final = """\
The worker {name} has a key pair now.

  public key  {public_key}
  secret      {seed}
  settings    {settings}

1. In Home Assistant choose Settings > Devices & services > CAESAR > Add worker.
   The form shows Home Assistant's public key: it belongs into the settings, after
   CAESAR_LEGION__HA_PUBLIC_KEY=
2. Start the worker:
   caesar legion serve --env {settings}
3. Give the form the worker's address, http://ITS-HOST:8765, and its public key.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except SettingsError as error:
        _say(str(error))
        return BAD_SETTINGS
    except BrokenPipeError:
        return REFUSED
    return code


def _say(text: str) -> None:
    sys.stderr.write(f"caesar: {text}\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="caesar", description="Tools for CAESAR, run as workers."
    )
    parser.add_argument("--version", action="version", version=f"caesar {VERSION}")
    groups = parser.add_subparsers(required=True, metavar="legion")
    legion = groups.add_parser("legion", help="workers: make, serve, ask")
    actions = legion.add_subparsers(required=True, metavar="ACTION")

    new = actions.add_parser("new-worker", help="make a key pair and settings")
    new.add_argument("--name", required=True, help="what the worker is called")
    new.add_argument("--dir", type=Path, help="where to (default: ~/.config/caesar)")
    new.add_argument("--ha-key", metavar="KEY", help="Home Assistant's public key")
    new.set_defaults(run=_new_worker)

    for name, number, words in (
        ("serve-tool", 1, "serve one tool"),
        ("serve", "*", "serve several tools, or those that the settings name"),
    ):
        serve = actions.add_parser(name, help=words)
        serve.add_argument(
            "tools", nargs=number, metavar="NAME", help="a tool, or module:Class"
        )
        _add_identity(serve)
        serve.add_argument("--name", help="what the worker is called")
        serve.add_argument("--ha-key", metavar="KEY", help="Home Assistant's key")
        serve.add_argument("--host", help="IPv4 address to listen on (0.0.0.0: all)")
        serve.add_argument("--port", type=int, help="port to listen on (8765)")
        serve.add_argument(
            "--no-announce", action="store_true", help="stay unknown to the network"
        )
        serve.set_defaults(run=_serve)

    ping = actions.add_parser("ping", help="ask a worker who it is, and verify it")
    ping.add_argument("url", metavar="URL", help="like http://attic:8765")
    ping.add_argument("--key", required=True, help="the worker's public key")
    _add_identity(ping)
    ping.set_defaults(run=_ping)

    keys = actions.add_parser("keys", help="show or verify a public key")
    keys.add_argument("--check", metavar="KEY", help="is this the key of the seed?")
    _add_identity(keys)
    keys.set_defaults(run=_keys)
    return parser


def _add_identity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=Path, metavar="FILE", help="the secret key")
    parser.add_argument("--env", type=Path, metavar="FILE", help="read settings here")


def _new_worker(options: argparse.Namespace) -> int:
    if options.ha_key:
        checked_key("--ha-key", options.ha_key)
    folder = options.dir or (
        Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "caesar"
    )
    identity, seed, settings = mint(options.name, folder.absolute(), options.ha_key)
    sys.stdout.write(
        MINTED.format(
            name=options.name,
            public_key=identity.public_key,
            seed=seed,
            settings=settings,
        )
    )
    return 0


def _serve(options: argparse.Namespace) -> int:
    # The server is loaded by those who serve.
    from .serving import make_workers, post_of, serve  # noqa: PLC0415 costs 0.2 s

    logging.basicConfig(level=logging.INFO, format="caesar: %(message)s")
    environment = _environment(options)
    if options.port is not None and not 0 <= options.port <= 65_535:
        raise SettingsError("--port must be from 0 to 65535.")
    post = post_of(
        environment,
        worker_id=options.name,
        ha_public_key=options.ha_key,
        host=options.host,
        port=options.port,
        announced=not options.no_announce,
    )
    identity = _identity(options, environment)
    workers = make_workers(options.tools, environment)
    for warning in environment.unknown():
        _say(warning)
    asyncio.run(serve(post, identity, workers))
    return 0


def _ping(options: argparse.Namespace) -> int:
    checked_key("--key", options.key)
    identity = _identity(options, _environment(options))
    address = WorkerAddress(url=options.url, public_key=options.key)
    try:
        sys.stdout.write(asyncio.run(_asked(address, identity)))
    except LegionError as error:
        _say(error.message)
        if error.code is LegionCode.REFUSED:
            _say("It answers Home Assistant's key and, with --seed or --env, its own.")
        return REFUSED
    return 0


async def _asked(address: WorkerAddress, identity: Identity) -> str:
    from .client import HttpWorkerClient  # noqa: PLC0415 costs 0.2 s

    async with aiohttp.ClientSession() as session:
        client = HttpWorkerClient(session, identity)
        began = time.perf_counter()
        health = await client.health(address)
        took = (time.perf_counter() - began) * 1000
    tools = ", ".join(spec.name for spec in health.tools)
    return (
        f"{health.worker_id}, version {health.version}, answers in {took:.0f} ms and"
        f" serves: {tools}\n"
    )


def _keys(options: argparse.Namespace) -> int:
    public_key = _identity(options, _environment(options)).public_key
    if options.check is None:
        sys.stdout.write(public_key + "\n")
        return 0
    checked_key("--check", options.check)
    same = options.check == public_key
    sys.stdout.write("the same\n" if same else f"another: this is {public_key}\n")
    return 0 if same else REFUSED


def _environment(options: argparse.Namespace) -> Environment:
    """Return the settings of the file and of the process, whose own win."""
    values: dict[str, str] = {}
    if options.env is not None:
        values.update(_file_values(options.env))
    values.update({name.upper(): value for name, value in os.environ.items()})
    return Environment(values)


def _file_values(path: Path) -> Mapping[str, str]:
    """Read `NAME=value` lines as systemd does for the simple cases."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{path} is not a text file.") from None
    values: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith(("#", ";")):
            continue
        name, equals, value = text.partition("=")
        if not equals:
            raise SettingsError(f"Line {number} of {path} is not NAME=value.")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        values[name.strip().upper()] = value
    return values


def _identity(options: argparse.Namespace, environment: Environment) -> Identity:
    seed = options.seed
    if seed is None:
        seed = environment.legion.text("SEED_PATH")
    if seed is None:
        raise SettingsError(
            f"{environment.legion.variable('SEED_PATH')} is missing: the file with the"
            " worker's secret key. Name it, or give --seed FILE or --env FILE. There is"
            " none yet? Run: caesar legion new-worker --name NAME"
        )
    identity, warning = read_seed(Path(seed))
    if warning:
        _say(warning)
    return identity
