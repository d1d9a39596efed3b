"""The command line of `script/run`."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

DEFAULT_PORT = 8123
STARTER_POLICIES = ("everyday", "family", "guest", "read_only", "empty")
DESCRIPTION = """\
Starts a real Home Assistant on this machine, with a demo house and CAESAR set up
in it. Without --ask it stays until Ctrl-C; with --ask it asks, prints what was
answered and decided, and stops."""


MODEL_HELP = (
    "openai and ollama take URL#MODEL; a key that openai's server wants is read from "
    "CAESAR_DEMO_MODEL_KEY"
)
BRAINS = "builtin, scripted:FILE, anthropic:URL, openai:URL or ollama:URL"


class Asker(StrEnum):
    """Who asks."""

    OWNER = "owner"
    CHILD = "child"
    SATELLITE = "satellite"
    AUTOMATION = "automation"


class BrainKind(StrEnum):
    """Who thinks."""

    BUILTIN = "builtin"
    SCRIPTED = "scripted"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    OLLAMA = "ollama"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brain:
    """Who thinks; `where` is the script's path or the server's address.

    `model` is one of a server's models; the first that it lists if none is named.
    """

    kind: BrainKind
    where: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for on the command line.

    `policy` is a starter policy's name or the path of a policy file, `generated`
    the number of generated entities (None: the demo house), `port` 0 means any;
    `servers` are those that CAESAR's tools search and read.
    """

    asks: tuple[str, ...]
    talk: bool
    as_json: bool
    asker: Asker
    language: str
    policy: str | Path
    brain: Brain
    generated: int | None
    folder: Path | None
    port: int
    servers: bool


def parse(arguments: Sequence[str]) -> Options:
    """Read the command line. Exits with a message if it is wrong."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.json and not given.ask:
        parser.error("--json needs at least one --ask")
    if not given.ask and given.asker is not Asker.OWNER:
        parser.error("--as needs at least one --ask")
    port = given.port
    if port is None:
        port = 0 if given.ask else DEFAULT_PORT
    return Options(
        asks=tuple(given.ask),
        talk=given.talk,
        as_json=given.json,
        asker=given.asker,
        language=given.language,
        policy=given.policy,
        brain=given.brain,
        generated=given.home,
        folder=given.keep,
        port=port,
        servers=given.servers,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="script/run",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_questions(parser)
    _add_house(parser)
    return parser


def _add_questions(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--ask",
        action="append",
        default=[],
        metavar="TEXT",
        help="ask this; each --ask is a conversation of its own, unless --talk is given",
    )
    add(
        "--talk",
        action="store_true",
        help="all --ask are one conversation: a question of CAESAR's can be answered",
    )
    add("--json", action="store_true", help="print one JSON object, nothing else")
    add(
        "--as",
        dest="asker",
        type=Asker,
        choices=list(Asker),
        default=Asker.OWNER,
        help="who asks (default: owner)",
    )
    add(
        "--language",
        choices=("en", "de"),
        default="en",
        help="the language of the questions (default: en)",
    )


def _add_house(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--policy",
        type=_policy,
        default="everyday",
        metavar="NAME|FILE",
        help=f"{', '.join(STARTER_POLICIES)}, or a policy file (default: everyday)",
    )
    add(
        "--brain",
        type=_brain,
        default=Brain(kind=BrainKind.BUILTIN),
        metavar="builtin|scripted:FILE|anthropic:URL|openai:URL|ollama:URL",
        help=f"who thinks (default: builtin); {MODEL_HELP}",
    )
    add(
        "--home",
        type=_home,
        default=None,
        metavar="demo|N",
        help="the demo house, or a house of N generated entities (default: demo)",
    )
    add(
        "--keep",
        type=Path,
        metavar="DIR",
        help="use this folder for Home Assistant's files, and never delete it",
    )
    add(
        "--port",
        type=_port,
        metavar="N",
        help=f"the port (default: {DEFAULT_PORT}; with --ask: any)",
    )
    add(
        "--no-servers",
        dest="servers",
        action="store_false",
        help="without a search and a calendar server for CAESAR's tools",
    )


def _policy(value: str) -> str | Path:
    if value in STARTER_POLICIES:
        return value
    path = Path(value)
    if not path.is_file():
        raise argparse.ArgumentTypeError(
            f"{value} is neither a file nor one of {', '.join(STARTER_POLICIES)}"
        )
    return path.resolve()


def _brain(value: str) -> Brain:
    name, _, where = value.partition(":")
    try:
        kind = BrainKind(name)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{value} is not {BRAINS}") from None
    if (kind is BrainKind.BUILTIN) == bool(where):
        raise argparse.ArgumentTypeError(f"{value} is not {BRAINS}")
    if kind is BrainKind.SCRIPTED:
        path = Path(where)
        if not path.is_file():
            raise argparse.ArgumentTypeError(f"there is no file {where}")
        where = str(path.resolve())
    model = ""
    if kind in (BrainKind.OPENAI, BrainKind.OLLAMA):
        where, _, model = where.partition("#")
    return Brain(kind=kind, where=where, model=model)


def _home(value: str) -> int | None:
    if value == "demo":
        return None
    if not value.isdigit() or int(value) < 1:
        raise argparse.ArgumentTypeError(f"{value} is neither demo nor a number")
    return int(value)


def _port(value: str) -> int:
    if not value.isdigit() or not 0 <= int(value) <= 65535:
        raise argparse.ArgumentTypeError(f"{value} is not a port")
    return int(value)
