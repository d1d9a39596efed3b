"""The policy file: written once from a starter, read, and read again on demand."""

from pathlib import Path
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import issue_registry as ir
from homeassistant.util.file import write_utf8_file_atomic

from ..const import DATA_FOLDER, DOMAIN, POLICY_FILE, StarterPolicy
from ..legion.canonical import Json
from ..policy.decision import Policy
from ..policy.deny_all import DenyAllPolicy
from ..policy.engine import LoadedPolicy
from ..policy.loader import load_policy
from ..policy.problem import PolicyError, Problem

ISSUE_POLICY: Final = "policy_invalid"
ISSUE_LINTS: Final = "policy_lints"
MAX_BYTES: Final = 2 * 1024 * 1024


class UnreadablePolicyFile(Exception):
    """The file can't be read at all; `problem` says why, in English."""

    def __init__(self, problem: str) -> None:
        """Keep the problem."""
        super().__init__(problem)
        self.problem = problem


class PolicyFile:
    """Holds the policy in force and watches over its file."""

    def __init__(self, hass: HomeAssistant, starter: StarterPolicy) -> None:
        """Use `<config>/caesar/policy.yaml`, made from `starter` if it is missing."""
        self._hass = hass
        self._starter = starter
        self._config_dir = Path(hass.config.config_dir)
        self._path = self._config_dir / DATA_FOLDER / POLICY_FILE
        self._policy: Policy = DenyAllPolicy(problem="The policy is not loaded yet.")
        self._loaded: LoadedPolicy | None = None

    @property
    def policy(self) -> Policy:
        """Return the policy in force."""
        return self._policy

    async def async_start(self) -> None:
        """Load the file; with a bad one everything is denied, and a repair says why."""
        try:
            loaded = await self._hass.async_add_executor_job(self._load, True)
        except (PolicyError, UnreadablePolicyFile) as err:
            self._policy = DenyAllPolicy(problem=_sentence(err))
            self._async_report(err)
        else:
            self._async_take(loaded)

    async def async_reload(self) -> Policy:
        """Load the file again; with a bad one the policy in force stays.

        Raises ServiceValidationError naming line and problem.
        """
        try:
            loaded = await self._hass.async_add_executor_job(self._load, False)
        except (PolicyError, UnreadablePolicyFile) as err:
            self._async_report(err)
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="policy_invalid",
                translation_placeholders=_placeholders(err),
            ) from err
        self._async_take(loaded)
        return self._policy

    def summary(self) -> dict[str, Json]:
        """Return what the trail keeps of the policy in force: counts and lints."""
        loaded = self._loaded
        return {
            "policy_rev": self._policy.revision,
            "path": f"{DATA_FOLDER}/{POLICY_FILE}",
            "counts": dict(loaded.counts) if loaded else {},
            "lints": [str(lint) for lint in loaded.lints] if loaded else [],
        }

    @callback
    def _async_take(self, loaded: LoadedPolicy) -> None:
        """Put a good file into force; a repair names what in it has no effect."""
        self._policy = self._loaded = loaded
        ir.async_delete_issue(self._hass, DOMAIN, ISSUE_POLICY)
        if not loaded.lints:
            ir.async_delete_issue(self._hass, DOMAIN, ISSUE_LINTS)
            return
        first = loaded.lints[0]
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            ISSUE_LINTS,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key=ISSUE_LINTS,
            translation_placeholders={
                "line": str(first.line),
                "problem": _words(first),
                "count": str(len(loaded.lints)),
            },
        )

    @callback
    def _async_report(self, err: PolicyError | UnreadablePolicyFile) -> None:
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            ISSUE_POLICY,
            is_fixable=False,
            severity=ir.IssueSeverity.ERROR,
            translation_key=ISSUE_POLICY,
            translation_placeholders=_placeholders(err),
        )

    def _load(self, create: bool) -> LoadedPolicy:
        """Read and parse the file; runs in an executor."""
        real = self._path.resolve()
        if not real.is_relative_to(self._config_dir.resolve()):
            raise UnreadablePolicyFile(
                "The policy file is a link to a place outside of Home Assistant's "
                "configuration folder."
            )
        if create and not self._path.exists():
            self._write_starter()
        try:
            with self._path.open("rb") as file:
                raw = file.read(MAX_BYTES + 1)
        except OSError as err:
            raise UnreadablePolicyFile(
                f"The policy file can't be read: {err.strerror}."
            ) from err
        if len(raw) > MAX_BYTES:
            raise UnreadablePolicyFile("The policy file is larger than 2 MiB.")
        try:
            return load_policy(raw.decode())
        except UnicodeDecodeError as err:
            raise UnreadablePolicyFile("The policy file is not UTF-8 text.") from err

    def _write_starter(self) -> None:
        source = Path(__file__).parent.parent / "starters" / f"{self._starter}.yaml"
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        write_utf8_file_atomic(str(self._path), source.read_text(), private=True)


def _sentence(err: PolicyError | UnreadablePolicyFile) -> str:
    if isinstance(err, UnreadablePolicyFile):
        return err.problem
    return f"line {err.problems[0].line}: {_words(err.problems[0])}"


def _placeholders(err: PolicyError | UnreadablePolicyFile) -> dict[str, str]:
    if isinstance(err, UnreadablePolicyFile):
        return {"line": "1", "problem": err.problem}
    first = err.problems[0]
    return {"line": str(first.line), "problem": _words(first)}


def _words(problem: Problem) -> str:
    return " ".join(filter(None, (problem.message, problem.hint)))
