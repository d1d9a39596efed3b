"""The policy file on the disk: read whole, written whole, never outside the folder.

Beside it lie, each for its owner alone (mode 0600): the last text that was good, the
text before the last change made here, and a bad text that was replaced. All of this
blocks: run it in an executor.
"""

from collections.abc import Callable
from dataclasses import dataclass
import hashlib
from pathlib import Path
from typing import Final

from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from homeassistant.util.file import WriteError, write_utf8_file_atomic

from ..const import DATA_FOLDER, DOMAIN, POLICY_FILE, StarterPolicy

LAST_GOOD_FILE: Final = "policy.last_good.yaml"
PREVIOUS_FILE: Final = "policy.previous.yaml"
BAD_FILE: Final = "policy.bad.yaml"
MAX_BYTES: Final = 2 * 1024 * 1024


class UnreadablePolicyFile(Exception):
    """The file can't be read at all; `problem` says why, in English."""

    def __init__(self, problem: str) -> None:
        """Keep the problem."""
        super().__init__(problem)
        self.problem = problem


class PolicyFileChanged(ServiceValidationError):
    """The file on the disk is not the one that was loaded, so it isn't overwritten."""

    def __init__(self) -> None:
        """Say so in the user's language."""
        super().__init__(
            translation_domain=DOMAIN, translation_key="policy_file_changed"
        )


class NothingKept(ServiceValidationError):
    """There is no earlier policy to go back to."""

    def __init__(self) -> None:
        """Say so in the user's language."""
        super().__init__(
            translation_domain=DOMAIN, translation_key="policy_nothing_kept"
        )


class PolicyNotWritten(HomeAssistantError):
    """The disk did not take the file; what was there is still there."""

    def __init__(self, problem: str) -> None:
        """Say so in the user's language; `problem` is the system's own word."""
        super().__init__(
            translation_domain=DOMAIN,
            translation_key="policy_not_written",
            translation_placeholders={"problem": problem},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyText:
    """The text of a policy file; `revision` is the SHA-256 of its bytes."""

    text: str
    revision: str


def policy_text(text: str) -> PolicyText:
    """Return a text with its revision."""
    revision = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    return PolicyText(text=text, revision=revision)


class PolicyStore:
    """The files of the policy under `<config>/caesar`."""

    def __init__(
        self,
        config_dir: str,
        starter: StarterPolicy,
        fill: Callable[[str], str] = str,
    ) -> None:
        """Use this configuration folder; a missing policy is made from `starter`.

        `fill` puts the house's own rooms into the starter's text.
        """
        self._config_dir = Path(config_dir)
        self._folder = self._config_dir / DATA_FOLDER
        self._starter = starter
        self._fill = fill

    def read(self, *, create: bool = False) -> PolicyText:
        """Return the policy's text. Raises UnreadablePolicyFile, PolicyNotWritten."""
        real = self._real(POLICY_FILE)
        if create and not real.exists():
            source = Path(__file__).parent.parent / "starters" / f"{self._starter}.yaml"
            text = source.read_text(encoding="utf-8")
            self._write(POLICY_FILE, self._fill(text))
        return _read(real)

    def revision(self) -> str | None:
        """Return the revision of the file as it is now, None if it can't be read."""
        try:
            return self.read().revision
        except UnreadablePolicyFile:
            return None

    def replace(self, text: str, expected: str | None) -> None:
        """Write the policy, keeping the text before for an undo.

        Raises PolicyFileChanged if the file isn't of the `expected` revision,
        UnreadablePolicyFile and PolicyNotWritten.
        """
        before = self._expected(expected)
        if before.text != text:
            self._write(PREVIOUS_FILE, before.text)
        self._write(POLICY_FILE, text)

    def restore(self, text: str) -> None:
        """Write the policy over a bad one, of which a copy is kept as `BAD_FILE`.

        Raises UnreadablePolicyFile for a link out of the folder, PolicyNotWritten.
        """
        real = self._real(POLICY_FILE)
        try:
            with real.open("rb") as file:
                bad = file.read(MAX_BYTES)
        except OSError:
            bad = b""
        if bad:
            self._write(BAD_FILE, bad)
        self._write(POLICY_FILE, text)

    def keep_good(self, text: str) -> None:
        """Keep a text that has been loaded, unless it is kept already."""
        if self.last_good() != text:
            self._write(LAST_GOOD_FILE, text)

    def last_good(self) -> str | None:
        """Return the last text that was loaded."""
        return self._kept(LAST_GOOD_FILE)

    def previous(self) -> str | None:
        """Return the text before the last change made here."""
        return self._kept(PREVIOUS_FILE)

    def _expected(self, revision: str | None) -> PolicyText:
        try:
            before = self.read()
        except UnreadablePolicyFile as err:
            raise PolicyFileChanged from err
        if before.revision != revision:
            raise PolicyFileChanged
        return before

    def _kept(self, name: str) -> str | None:
        try:
            return _read(self._real(name)).text
        except UnreadablePolicyFile:
            return None

    def _real(self, name: str) -> Path:
        """Return where a file really lies. Raises UnreadablePolicyFile."""
        try:
            real = (self._folder / name).resolve()
            inside = real.is_relative_to(self._config_dir.resolve())
        except (OSError, RuntimeError) as err:
            raise UnreadablePolicyFile(
                "The policy file is a link that leads nowhere."
            ) from err
        if not inside:
            raise UnreadablePolicyFile(
                "The policy file is a link to a place outside of Home Assistant's"
                " configuration folder."
            )
        return real

    def _write(self, name: str, text: str | bytes) -> None:
        """Write a file whole, for its owner alone. Raises PolicyNotWritten."""
        data = text if isinstance(text, bytes) else text.encode()
        real = self._real(name)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            # In bytes: the file's own line ends stay as they are.
            write_utf8_file_atomic(str(real), data, private=True, mode="wb")
        except (OSError, WriteError) as err:
            raise PolicyNotWritten(str(err)) from err


def _read(real: Path) -> PolicyText:
    if real.exists() and not real.is_file():
        raise UnreadablePolicyFile("The policy file is no plain file.")
    try:
        with real.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as err:
        raise UnreadablePolicyFile(
            f"The policy file can't be read: {err.strerror}."
        ) from err
    if len(raw) > MAX_BYTES:
        raise UnreadablePolicyFile("The policy file is larger than 2 MiB.")
    try:
        return policy_text(raw.decode())
    except UnicodeDecodeError as err:
        raise UnreadablePolicyFile("The policy file is not UTF-8 text.") from err
