"""The policy file: written once from a starter, read, and read again on demand."""

import os
from pathlib import Path
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.exceptions import ServiceValidationError
from homeassistant.helpers import issue_registry as ir

from ..const import DATA_FOLDER, DOMAIN, POLICY_FILE, StarterPolicy
from ..policy.decision import Policy
from ..policy.deny_all import DenyAllPolicy
from ..policy.loader import LoadedPolicy, PolicyError, load_policy

ISSUE_POLICY: Final = "policy_invalid"
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

    @property
    def policy(self) -> Policy:
        """Return the policy in force."""
        return self._policy

    async def async_start(self) -> None:
        """Load the file; with a bad one everything is denied, and a repair says why."""
        try:
            self._policy = await self._hass.async_add_executor_job(self._load, True)
        except (PolicyError, UnreadablePolicyFile) as err:
            self._policy = DenyAllPolicy(problem=_first(err))
            self._async_report(err)
        else:
            ir.async_delete_issue(self._hass, DOMAIN, ISSUE_POLICY)

    async def async_reload(self) -> Policy:
        """Load the file again; with a bad one the policy in force stays.

        Raises ServiceValidationError naming line and problem.
        """
        try:
            self._policy = await self._hass.async_add_executor_job(self._load, False)
        except (PolicyError, UnreadablePolicyFile) as err:
            self._async_report(err)
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="policy_invalid",
                translation_placeholders=_placeholders(err),
            ) from err
        ir.async_delete_issue(self._hass, DOMAIN, ISSUE_POLICY)
        return self._policy

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
        draft = self._path.with_suffix(".new")
        with open(
            os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
        ) as file:
            file.write(source.read_bytes())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path)


def _first(err: PolicyError | UnreadablePolicyFile) -> str:
    return _placeholders(err)["problem"]


def _placeholders(err: PolicyError | UnreadablePolicyFile) -> dict[str, str]:
    if isinstance(err, UnreadablePolicyFile):
        return {"line": "1", "problem": err.problem}
    first = err.problems[0]
    return {"line": str(first.line), "problem": str(first)}
