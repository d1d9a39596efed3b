"""Key pairs of workers as files: made once, readable by their owner only."""

import os
from pathlib import Path
import re
import stat
from typing import Final

from .environment import SettingsError
from .keys import Identity, KeyTextError

WORKER_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,47}")
SEED_MODE: Final = 0o600
SEED_BYTES: Final = 256
SETTINGS: Final = """\
# The worker {name}. Its public key: {public_key}
CAESAR_LEGION__WORKER_ID={name}
CAESAR_LEGION__SEED_PATH={seed}
# Home Assistant's public key; CAESAR shows it where a worker is added.
{ha_key}
CAESAR_LEGION__LISTEN_HOST=0.0.0.0
CAESAR_LEGION__LISTEN_PORT=8765
# What to serve, as a JSON list.
CAESAR_LEGION__TOOLS='["calculator"]'
"""


def mint(name: str, folder: Path, ha_key: str | None) -> tuple[Identity, Path, Path]:
    """Make a key pair; return it with the paths of its seed and of its settings.

    Nothing that is there already is overwritten. Raises SettingsError.
    """
    if not WORKER_NAME.fullmatch(name):
        raise SettingsError(
            "A worker's name has up to 48 small letters, digits, - and _, and begins"
            " with a letter or digit."
        )
    identity = Identity.generate()
    seed, settings = folder / f"{name}.seed", folder / f"{name}.env"
    line = f"CAESAR_LEGION__HA_PUBLIC_KEY={ha_key or ''}"
    text = SETTINGS.format(
        name=name,
        public_key=identity.public_key,
        seed=seed,
        ha_key=line if ha_key else f"#{line}",
    )
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(settings, text)
        _write(seed, identity.seed + "\n")
    except FileExistsError as error:
        raise SettingsError(
            f"{error.filename} is there already. Choose another name, or remove it."
        ) from None
    except OSError as error:
        raise SettingsError(f"{folder} cannot be used: {error.strerror}.") from None
    return identity, seed, settings


def read_seed(path: Path) -> tuple[Identity, str | None]:
    """Return the identity in a seed file, and a warning if others may read the file.

    Raises SettingsError.
    """
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            text = file.read(SEED_BYTES).decode().strip()
        identity = Identity.from_seed(text)
    except OSError as error:
        raise SettingsError(
            f"The seed file {path} cannot be read: {error.strerror}. Make one with:"
            " caesar legion new-worker --name NAME"
        ) from None
    except (UnicodeDecodeError, KeyTextError):
        raise SettingsError(
            f"{path} holds no seed: it must be one line that begins with SU."
        ) from None
    loose = mode & (stat.S_IRWXG | stat.S_IRWXO)
    warning = f"{path} can be read by others; run: chmod 600 {path}" if loose else None
    return identity, warning


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, SEED_MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
