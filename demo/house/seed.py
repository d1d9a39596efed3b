"""Prepares the folder in which Home Assistant keeps its files."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
import fcntl
import json
from pathlib import Path
import secrets
import shutil
import socket
import tempfile
from typing import Any, Final

from .errors import HouseError

# Below those of outgoing connections (ip_local_port_range), above well-known ones.
FIRST_PORT: Final = 15_000
PORTS: Final = 16_000

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / ".cache" / "runs"
RUNS_KEPT = 5
LOCK_FILE = "run.lock"
CONFIGURATION = Path(__file__).with_name("config")
# As configuration.yaml says.
TIME_ZONE = "Europe/Berlin"
COMPONENTS = (
    ROOT / "custom_components" / "caesar",
    ROOT / "demo" / "custom_components" / "demo_house",
)
# The steps that only write to the disk or look for services on the internet; the
# step "user" is left for us.
ONBOARDED = ["core_config", "analytics", "integration"]


@contextmanager
def run_folder(kept: Path | None) -> Iterator[Path]:
    """Give a folder to run in, locked against a second run and against clean-up.

    Without `kept` it is a new one below `.cache/runs`, where the newest five stay.
    Raises HouseError if the folder is in use.
    """
    folder = kept.resolve() if kept else _new_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder) as is_ours:
        if not is_ours:
            raise HouseError(f"Another run is using {folder}.")
        if kept is None:
            _tidy()
        yield folder


def prepare(folder: Path, port: int, policy: Path | None) -> None:
    """Write configuration, components and storage for a start on `port`.

    A folder that was used before keeps its users, entries and states. `policy` is
    put where CAESAR keeps its policy.
    """
    for source in CONFIGURATION.glob("*.yaml"):
        shutil.copyfile(source, folder / source.name)
    components = folder / "custom_components"
    components.mkdir(exist_ok=True)
    for source in COMPONENTS:
        link = components / source.name
        link.unlink(missing_ok=True)
        link.symlink_to(source, target_is_directory=True)
    if policy is not None:
        place = folder / "caesar" / "policy.yaml"
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(policy, place)
    storage = folder / ".storage"
    storage.mkdir(exist_ok=True)
    if not (storage / "onboarding").exists():
        _store(storage, "onboarding", 4, 1, {"done": ONBOARDED})
    _store(storage, "http", 2, 2, _http(port))


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on.

    None that the system gives to outgoing connections: one of those could have taken
    it before whoever asks for it listens.
    """
    while not is_free(port := FIRST_PORT + secrets.randbelow(PORTS)):
        pass
    return port


def is_free(port: int) -> bool:
    """Return whether nobody listens on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def _new_folder() -> Path:
    RUNS.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-")
    return Path(tempfile.mkdtemp(prefix=stamp, dir=RUNS))


def _tidy() -> None:
    """Delete old runs, but none that is still going on."""
    runs = sorted(RUNS.iterdir(), reverse=True)
    for run in runs[RUNS_KEPT:]:
        with suppress(OSError), _locked(run) as is_ours:
            if is_ours:
                shutil.rmtree(run, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Hold the folder's lock; the value says whether it could be had."""
    with (folder / LOCK_FILE).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _http(port: int) -> dict[str, Any]:
    """Return Home Assistant's web server settings: this machine only.

    Settings in configuration.yaml would have to be confirmed in the browser.
    """
    stable = {
        "server_port": port,
        "server_host": ["127.0.0.1"],
        "cors_allowed_origins": [],
        "login_attempts_threshold": -1,
        "ip_ban_enabled": True,
        "ssl_profile": "modern",
        "use_x_frame_options": True,
        "created_at": "2026-01-01T00:00:00+00:00",
        "error": None,
        "error_message": None,
    }
    return {"stable": stable, "pending": None, "yaml_migration_done": True}


def _store(
    storage: Path, key: str, version: int, minor: int, data: dict[str, Any]
) -> None:
    content = {"version": version, "minor_version": minor, "key": key, "data": data}
    (storage / key).write_text(json.dumps(content), encoding="utf-8")
