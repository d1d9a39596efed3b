"""The policy in force and its file: loaded, watched, saved, undone, restored."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
import logging
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import CALLBACK_TYPE, HomeAssistant, callback
from homeassistant.exceptions import ServiceValidationError

from ..audit.event import AuditEvent, AuditEventType, AuditLog, AuditUnavailable
from ..const import DATA_FOLDER, DOMAIN, POLICY_FILE, StarterPolicy
from ..legion.canonical import Json
from ..policy.decision import Policy
from ..policy.deny_all import DenyAllPolicy
from ..policy.engine import LoadedPolicy
from ..policy.problem import PolicyError
from ..policy.settings import PolicySettings
from . import policy_issues as issues
from .conditions import ConditionsInForce
from .family_rooms import starter_filling
from .policy_loading import Change, How, PolicyLoader, Ready
from .policy_store import (
    NothingKept,
    PolicyFileChanged,
    PolicyNotWritten,
    PolicyStore,
    PolicyText,
    UnreadablePolicyFile,
    policy_text,
)

_LOGGER = logging.getLogger(__name__)
_NO_SETTINGS: Final = PolicySettings()


class PolicyFile:
    """Holds the policy in force with its conditions, and watches over its file."""

    def __init__(
        self,
        hass: HomeAssistant,
        entry: ConfigEntry,
        audit: AuditLog,
        starter: StarterPolicy,
        *,
        pins: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """Use `<config>/caesar/policy.yaml`, made from `starter` if it is missing.

        `pins` returns the names of the PINs that rules may name.
        """
        self._hass = hass
        self._audit = audit
        self._loader = PolicyLoader(hass, entry, pins)
        self._store = PolicyStore(
            hass.config.config_dir, starter, starter_filling(hass, entry, starter)
        )
        self._policy: Policy = DenyAllPolicy(problem="The policy is not loaded yet.")
        self._ready: Ready | None = None
        self._conditions = ConditionsInForce()
        self._seen: str | None = None
        self._bad = False
        self._lock = asyncio.Lock()
        self._listeners: list[Callable[[], None]] = []

    @property
    def policy(self) -> Policy:
        """Return the policy in force."""
        return self._policy

    @property
    def loaded(self) -> LoadedPolicy | None:
        """Return the policy in force; None while everything is denied."""
        return self._ready.policy if self._ready else None

    @property
    def conditions(self) -> ConditionsInForce:
        """Return the checker of the policy in force; always the same object.

        It changes in the same step as `policy`, so take both without awaiting between.
        """
        return self._conditions

    @property
    def settings(self) -> PolicySettings:
        """Return the settings of the policy in force, the defaults if there is none."""
        return self._ready.policy.settings if self._ready else _NO_SETTINGS

    @property
    def revision(self) -> str | None:
        """Return the revision of the file as it was last read, good or bad."""
        return self._seen

    async def async_start(self) -> None:
        """Load the file; with a bad one everything is denied, and a repair says why."""
        async with self._lock:
            change = Change(how=How.START)
            try:
                ready = await self._async_read(create=True)
            except (PolicyError, UnreadablePolicyFile) as err:
                self._policy = DenyAllPolicy(problem=issues.sentence(err))
                await self._async_bad(err, change)
            else:
                await self._async_take(ready, change)

    async def async_stop(self) -> None:
        """Let go of the conditions; nothing is granted from now on."""
        async with self._lock:
            self._policy = DenyAllPolicy(problem="CAESAR is being stopped.")
            self._conditions.async_swap(None)
            self._ready = None
            issues.async_forget(self._hass)

    @callback
    def async_listen(self, listener: Callable[[], None]) -> CALLBACK_TYPE:
        """Call `listener` whenever another policy has come into force."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def async_reload(self, *, by: str | None = None) -> Policy:
        """Load the file again; with a bad one the policy in force stays.

        `by` is the user's id. Raises ServiceValidationError naming line and problem.
        """
        return await self._async_whole(self._async_reload(by))

    async def async_text(self) -> PolicyText:
        """Return the file as it is on the disk now. Raises UnreadablePolicyFile."""
        return await self._hass.async_add_executor_job(self._store.read)

    async def async_previous(self) -> str | None:
        """Return the text before the last save, which an undo goes back to."""
        return await self._hass.async_add_executor_job(self._store.previous)

    async def async_check(self, text: str) -> LoadedPolicy:
        """Return what a text would be as a policy, its conditions compiled on trial.

        Raises PolicyError with all faults.
        """
        ready = await self._loader.async_prepare(policy_text(text))
        ready.conditions.async_unload()
        return ready.policy

    async def async_parse(self, text: str) -> LoadedPolicy:
        """Return a draft's policy. Raises ServiceValidationError naming the line."""
        try:
            return await self.async_check(text)
        except PolicyError as err:
            raise ServiceValidationError(
                translation_domain=DOMAIN,
                translation_key="policy_draft_invalid",
                translation_placeholders=issues.placeholders(err),
            ) from err

    async def async_save(
        self,
        text: str,
        *,
        expected_revision: str | None,
        by: str | None,
        denial: int | None = None,
    ) -> Policy:
        """Write a text and put it into force, in this order.

        `expected_revision` is that of the text it was made from, `by` the user's id,
        `denial` the row of the trail that it was made for. Raises PolicyError for a bad
        text, PolicyFileChanged if the file is another one by now (or was changed and
        not loaded), UnreadablePolicyFile for a link out of the folder, PolicyNotWritten.
        """
        how = How.SAVE if denial is None else How.RULE
        change = Change(how=how, by=by, denial=denial)
        return await self._async_whole(
            self._async_save(text, expected_revision, change)
        )

    async def async_undo(self, *, by: str | None) -> Policy:
        """Go back to the text before the last save; once more takes that back.

        Raises NothingKept, and what `async_save` raises.
        """
        before = await self._hass.async_add_executor_job(self._store.previous)
        if before is None:
            raise NothingKept
        change = Change(how=How.UNDO, by=by)
        return await self._async_whole(self._async_save(before, self._seen, change))

    async def async_restore(self, *, by: str | None = None) -> Policy:
        """Make the last good text the file again; the one there is kept as a copy.

        Raises NothingKept, PolicyError if that text isn't good any more (a person it
        names is gone), UnreadablePolicyFile, PolicyNotWritten.
        """
        return await self._async_whole(self._async_restore(by))

    async def async_is_changed(self) -> bool:
        """Return whether the file was changed and not loaded; a repair says so too."""
        async with self._lock:
            revision = await self._hass.async_add_executor_job(self._store.revision)
            changed = revision != self._seen
            issues.async_changed(self._hass, changed)
            return changed

    async def async_try_names(self) -> None:
        """Tell in good time if the file would not load again: a person has gone."""
        async with self._lock:
            if (ready := self._ready) is None or self._bad:
                return
            try:
                await self._loader.async_still_loads(ready)
            except PolicyError as err:
                await self._async_show_bad(err)
            else:
                issues.async_valid(self._hass, ready.policy.lints)

    def summary(self) -> dict[str, Json]:
        """Return what the trail keeps of the policy in force: counts and lints."""
        loaded = self.loaded
        return {
            "policy_rev": self._policy.revision,
            "path": f"{DATA_FOLDER}/{POLICY_FILE}",
            "counts": dict(loaded.counts) if loaded else {},
            "lints": [str(lint) for lint in loaded.lints] if loaded else [],
        }

    async def _async_whole[T](self, work: Coroutine[Any, Any, T]) -> T:
        """Run work that a closed form or a cancelled turn must not cut in half."""
        task = self._hass.async_create_task(work, "caesar policy", eager_start=False)
        return await asyncio.shield(task)

    async def _async_reload(self, by: str | None) -> Policy:
        async with self._lock:
            change = Change(how=How.RELOAD, by=by)
            try:
                ready = await self._async_read()
            except (PolicyError, UnreadablePolicyFile) as err:
                await self._async_bad(err, change)
                raise ServiceValidationError(
                    translation_domain=DOMAIN,
                    translation_key="policy_invalid",
                    translation_placeholders=issues.placeholders(err),
                ) from err
            return await self._async_take(ready, change)

    async def _async_save(
        self, text: str, expected: str | None, change: Change
    ) -> Policy:
        async with self._lock:
            if expected != self._seen:
                raise PolicyFileChanged
            try:
                return await self._async_write(
                    policy_text(text),
                    lambda: self._store.replace(text, expected),
                    change,
                )
            except PolicyFileChanged:
                issues.async_changed(self._hass, True)
                raise

    async def _async_restore(self, by: str | None) -> Policy:
        async with self._lock:
            text = await self._hass.async_add_executor_job(self._store.last_good)
            if text is None:
                raise NothingKept
            return await self._async_write(
                policy_text(text),
                lambda: self._store.restore(text),
                Change(how=How.RESTORE, by=by),
            )

    async def _async_write(
        self, source: PolicyText, write: Callable[[], None], change: Change
    ) -> Policy:
        ready = await self._loader.async_prepare(source)
        try:
            await self._hass.async_add_executor_job(write)
        except BaseException:
            ready.conditions.async_unload()
            raise
        self._seen = source.revision
        return await self._async_take(ready, change)

    async def _async_read(self, *, create: bool = False) -> Ready:
        """Read and parse the file. Raises PolicyError, UnreadablePolicyFile."""
        self._seen = None
        try:
            source = await self._hass.async_add_executor_job(
                lambda: self._store.read(create=create)
            )
        except PolicyNotWritten as err:
            raise UnreadablePolicyFile(
                "The folder of the policy file can't be written."
            ) from err
        self._seen = source.revision
        return await self._loader.async_prepare(source)

    async def _async_take(self, ready: Ready, change: Change) -> Policy:
        """Put a good policy into force, in one step, and tell the trail."""
        self._policy = ready.policy
        self._ready = ready
        self._conditions.async_swap(ready.conditions)
        self._bad = False
        issues.async_valid(self._hass, ready.policy.lints)
        issues.async_changed(self._hass, False)
        for listener in tuple(self._listeners):
            listener()
        await self._async_record(
            AuditEventType.POLICY_LOADED, {**self.summary(), **change.as_json()}
        )
        try:
            await self._hass.async_add_executor_job(
                self._store.keep_good, ready.source.text
            )
        except (PolicyNotWritten, UnreadablePolicyFile) as err:
            _LOGGER.warning("No copy of the good policy could be kept: %s", err)
        return ready.policy

    async def _async_bad(self, err: issues.BadFile, change: Change) -> None:
        """Tell people and the trail that the file can't be used."""
        self._bad = True
        await self._async_show_bad(err)
        issues.async_changed(self._hass, False)
        await self._async_record(
            AuditEventType.POLICY_LOAD_FAILED,
            {
                "path": f"{DATA_FOLDER}/{POLICY_FILE}",
                "file_rev": self._seen,
                "problem": issues.sentence(err),
                **change.as_json(),
            },
        )

    async def _async_show_bad(self, err: issues.BadFile) -> None:
        kept = await self._hass.async_add_executor_job(self._store.last_good)
        issues.async_invalid(
            self._hass,
            err,
            good_in_force=self._ready is not None,
            good_kept=kept is not None,
        )

    async def _async_record(
        self, kind: AuditEventType, payload: dict[str, Json]
    ) -> None:
        try:
            await self._audit.record(
                AuditEvent(
                    type=kind,
                    decision_id="",
                    caller=None,
                    policy_rev=self._policy.revision,
                    payload=payload,
                )
            )
        except AuditUnavailable:
            _LOGGER.warning("A change of the policy could not be written to the trail")
