"""The trail in Home Assistant: its key, its times, its repairs, its end.

The writer's thread does all the work; here is only what needs the loop. Nothing of
this waits for a disk.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
import logging
from pathlib import Path
import secrets
import sqlite3
import time
from typing import Any, Final, NotRequired, TypedDict

from homeassistant.const import EVENT_HOMEASSISTANT_FINAL_WRITE
from homeassistant.core import CALLBACK_TYPE, Event, HomeAssistant, callback
from homeassistant.helpers.event import async_track_time_interval
from homeassistant.helpers.storage import Store as SecretStore

from ..audit.backup import begin_backup, end_backup
from ..audit.chain import Head, Signer, head_from_json
from ..audit.event import AuditEvent, AuditEventType, AuditRow, AuditUnavailable
from ..audit.export import export
from ..audit.reading import reader
from ..audit.retention import DEFAULT_DAYS, count_old, sweep
from ..audit.row import new_row
from ..audit.store import Opening, Store
from ..audit.ticket import Ticket, heard
from ..audit.vault import KEY_BYTES, Vault
from ..audit.verify import Check, verify
from ..audit.writer import Watcher, Writer
from ..const import DATA_FOLDER, DATABASE_FILE
from ..legion.canonical import Json
from . import audit_issues as issues
from .activity_seal import async_set_key

_LOGGER = logging.getLogger(__name__)

STORAGE_KEY: Final = "caesar.audit"
STORAGE_VERSION: Final = 1
# An intent that is not on disk by then is refused.
LIMIT_S: Final = 2.0
_SAVE_HEAD_AFTER_S: Final = 10.0
_CLOSE_LIMIT_S: Final = 15.0
_SWEEP_EVERY: Final = timedelta(hours=1)


class _Secrets(TypedDict):
    key: str
    head: dict[str, Any] | None
    vault: NotRequired[str]


class HouseAuditLog:
    """The trail of this house: an `AuditLog`, and what people may ask of it.

    The file is `<config>/caesar/caesar.db`; the key and the newest signed head are in
    `.storage`, so that neither can be forged with the file alone.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        path: Path | None = None,
        *,
        retention_days: int = DEFAULT_DAYS,
        limit: float = LIMIT_S,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Lay it out; nothing is touched before `async_start`. `limit` in seconds."""
        self._hass = hass
        self.path = path or Path(hass.config.path(DATA_FOLDER, DATABASE_FILE))
        self.retention_days = retention_days
        self._limit = limit
        self._now = now
        self._secrets: SecretStore[_Secrets] = SecretStore(
            hass, STORAGE_VERSION, STORAGE_KEY, private=True, atomic_writes=True
        )
        self._key = b""
        self._vault_key = b""
        self._head: Head | None = None
        self._writer: Writer | None = None
        self._checking = asyncio.Lock()
        self._check: asyncio.Task[None] | None = None
        self._stopping = False
        self._backing_up = False
        self._unsubscribe: list[CALLBACK_TYPE] = []

    @property
    def vault(self) -> Vault:
        """Return what seals rows that must not be readable; after `async_start`."""
        return Vault(self._vault_key)

    async def async_start(self) -> None:
        """Load the keys, open the file in its thread, begin to check the chain.

        Never raises for a file that can't be written: then calls that change
        something are refused, and a repair issue says why.
        """
        await self._async_load_secrets()
        self._writer = Writer(
            Store(self.path, self._key, self._now),
            Watcher(
                opened=self._from_thread(self._opened),
                unavailable=self._from_thread(self._unavailable),
                available=self._from_thread(self._available),
                head=self._from_thread(self._signed),
            ),
            outside=self._head,
        )
        known = self._head
        self._writer.start()
        self._unsubscribe = [
            self._hass.bus.async_listen_once(
                EVENT_HOMEASSISTANT_FINAL_WRITE, self._async_final_write
            ),
            async_track_time_interval(
                self._hass, self._async_sweep, _SWEEP_EVERY, cancel_on_shutdown=True
            ),
        ]
        with suppress(AuditUnavailable):
            await self._async_call(lambda _: None)
            self._check = self._hass.async_create_background_task(
                self._async_check_start(known), "caesar audit check"
            )

    async def async_stop(self) -> None:
        """Write what waits, sign a head, close the file, end the thread."""
        self._stopping = True
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._unsubscribe = []
        if self._check is not None:
            # It looks at `_stopping` between two rows.
            await asyncio.wait({self._check})
            self._check = None
        writer, self._writer = self._writer, None
        if writer is None:
            return
        if not await self._hass.async_add_executor_job(writer.close, _CLOSE_LIMIT_S):
            _LOGGER.error("The trail's file could not be closed in time")
        await self._async_save()

    async def intend(self, event: AuditEvent) -> AuditRow:
        """Write an intent; raises AuditUnavailable, and then it never counts."""
        # Here and below, making a row is a step of its own: less at a time on the loop.
        await asyncio.sleep(0)
        made = new_row(event, self._now())
        ticket = self._open_writer().intend(made, durable=event.durable)
        try:
            return await self._async_wait(ticket)
        except TimeoutError:
            withdrawn = ticket.withdraw()
            if withdrawn or not ticket.future.done():
                raise AuditUnavailable(
                    "not on disk in time", concluded=not withdrawn
                ) from None
            # It came while this was being decided.
            row: AuditRow = ticket.future.result()
            return row
        except asyncio.CancelledError:
            self._give_up(ticket)
            raise

    async def conclude(self, intent_seq: int, event: AuditEvent) -> AuditRow:
        """Write an outcome, later if it can't be now, also if the giver is cancelled."""
        try:
            await asyncio.sleep(0)
        finally:
            row = new_row(event, self._now())
            ticket = self._open_writer().conclude(intent_seq, row)
        return await self._async_kept(ticket)

    async def record(self, event: AuditEvent) -> AuditRow:
        """Write an event, later if it can't be now, also if the giver is cancelled."""
        try:
            await asyncio.sleep(0)
        finally:
            row = new_row(event, self._now())
            ticket = self._open_writer().record(row, durable=event.durable)
        return await self._async_kept(ticket)

    async def async_verify(self) -> dict[str, Json]:
        """Check the whole chain, off the loop; see `audit.verify.Check`."""
        check = await self._async_verify(self._head, whole=True)
        return check.as_json()

    async def async_export(self, decision_id: str) -> list[dict[str, Json]]:
        """Return all rows of one decision, oldest first. Raises sqlite3.Error."""
        return await self._hass.async_add_executor_job(export, self.path, decision_id)

    async def async_count_old(self) -> int:
        """Return how many rows the next sweep would remove."""

        def count() -> int:
            with reader(self.path) as db:
                return count_old(db, self._now(), self.retention_days)

        return await self._hass.async_add_executor_job(count)

    async def async_sweep(self) -> int:
        """Remove what is older than retention allows; return how many rows went.

        Raises AuditUnavailable.
        """
        deleted = 0
        async with self._checking:
            while True:
                done = await self._async_call(lambda s: sweep(s, self.retention_days))
                deleted += done.deleted
                if not done.more:
                    return deleted

    async def async_work[T](
        self, work: Callable[[Store], T], *, durable: bool = False
    ) -> T:
        """Run `work` on the store's connection, in a transaction of its own.

        `work` runs in the writer's thread, after all that was given before it; with
        `durable` it is on the disk itself on return. Raises AuditUnavailable, also for
        what `work` raises (its cause); then nothing of it counts, but for work that a
        slow disk was in the middle of, which may still come through.
        """

        def run(store: Store) -> T:
            with store.transaction(durable=durable):
                try:
                    return work(store)
                except (sqlite3.IntegrityError, sqlite3.ProgrammingError) as err:
                    # A fault of the work is no trouble of the file.
                    raise ValueError(str(err)) from err

        return await self._async_call(run)

    async def async_flush(self) -> bool:
        """Let nothing stay in the log; False if that can't be. Raises AuditUnavailable."""
        return await self._async_call(lambda store: store.database.checkpoint())

    async def async_begin_backup(self) -> None:
        """Make file and key copyable until `async_end_backup`; at most 2 s."""
        self._backing_up = True
        try:
            await self._async_call(begin_backup)
        except AuditUnavailable as err:
            # A house without a trail still deserves its backup.
            _LOGGER.warning("The trail could not be made ready for a backup: %s", err)
        await self._async_save()

    async def async_end_backup(self) -> None:
        """Go on as before the backup."""
        self._backing_up = False
        with suppress(AuditUnavailable):
            await self._async_call(end_backup)
        self._save_head()

    async def _async_load_secrets(self) -> None:
        data = await self._secrets.async_load()
        if data is not None:
            self._key = bytes.fromhex(data["key"])
            self._head = head_from_json(data["head"])
            self._vault_key = bytes.fromhex(data.get("vault", ""))
        if not self._key or not self._vault_key:
            self._key = self._key or secrets.token_bytes(32)
            self._vault_key = self._vault_key or secrets.token_bytes(KEY_BYTES)
            await self._secrets.async_save(self._data())
        async_set_key(self._hass, self._key)

    async def _async_save(self) -> None:
        # A head that the thread has just signed still stands in the loop's line.
        await asyncio.sleep(0)
        await self._secrets.async_save(self._data())

    @callback
    def _data(self) -> _Secrets:
        head = self._head.as_json() if self._head else None
        return {"key": self._key.hex(), "head": head, "vault": self._vault_key.hex()}

    def _open_writer(self) -> Writer:
        if self._writer is None:
            raise AuditUnavailable("the trail is closed")
        return self._writer

    async def _async_call[T](self, work: Callable[[Store], T]) -> T:
        """Run `work` in the writer's thread. Raises AuditUnavailable."""
        ticket = self._open_writer().ask(work)
        future = asyncio.wrap_future(ticket.future)
        try:
            async with asyncio.timeout(self._limit):
                return await asyncio.shield(future)
        except TimeoutError:
            ticket.withdraw()
            future.add_done_callback(heard)
            raise AuditUnavailable("the disk is too slow") from None

    async def _async_wait(self, ticket: Ticket) -> AuditRow:
        """Wait for a ticket; raises TimeoutError and AuditUnavailable."""
        waiter: asyncio.Future[None] = self._hass.loop.create_future()

        def wake() -> None:
            if not waiter.done():
                waiter.set_result(None)

        ticket.future.add_done_callback(lambda _: self._to_loop(wake))
        async with asyncio.timeout(self._limit):
            await waiter
        row: AuditRow = ticket.future.result()
        return row

    async def _async_kept(self, ticket: Ticket) -> AuditRow:
        try:
            return await self._async_wait(ticket)
        except TimeoutError:
            raise AuditUnavailable("not on disk in time") from None

    def _give_up(self, ticket: Ticket) -> None:
        """Conclude an intent that nobody waits for any more."""
        if ticket.withdraw() or not ticket.future.done():
            return
        if ticket.future.exception() is None:
            with suppress(AuditUnavailable):
                self._open_writer().abandon(ticket.future.result().seq)

    async def _async_check_start(self, known: Head | None) -> None:
        """Check what came after the last signed head, and say what is wrong."""
        check = await self._async_verify(known, whole=False)
        if check.problem is None or self._stopping:
            return
        event = AuditEvent(
            type=AuditEventType.AUDIT_CHAIN_BROKEN,
            decision_id="",
            caller=None,
            policy_rev="",
            payload={"kind": check.problem.value, "seq": check.first_bad},
        )
        with suppress(AuditUnavailable):
            await self.record(event)

    async def _async_verify(self, known: Head | None, *, whole: bool) -> Check:
        async with self._checking:
            check = await self._hass.async_add_executor_job(
                lambda: verify(
                    self.path,
                    Signer(self._key),
                    known,
                    whole=whole,
                    stop=lambda: self._stopping,
                )
            )
        if not self._stopping:
            issues.async_checked(self._hass, check)
        return check

    async def _async_sweep(self, _now: datetime) -> None:
        with suppress(AuditUnavailable):
            await self.async_sweep()

    async def _async_final_write(self, _event: Event) -> None:
        # Entries are not unloaded when Home Assistant stops (HA_API 9.5).
        self._unsubscribe = self._unsubscribe[1:]
        await self.async_stop()

    @callback
    def _opened(self, opening: Opening) -> None:
        issues.async_opened(self._hass, opening)

    @callback
    def _unavailable(self, err: BaseException) -> None:
        _LOGGER.error("The trail can't be written: %s", err)
        issues.async_unavailable(self._hass, self.path, err)

    @callback
    def _available(self) -> None:
        _LOGGER.info("The trail can be written again")
        issues.async_available(self._hass)

    @callback
    def _signed(self, head: Head) -> None:
        self._head = head
        self._save_head()

    @callback
    def _save_head(self) -> None:
        # A backup must not hold a head of rows that it doesn't hold.
        if not self._backing_up and not self._stopping:
            self._secrets.async_delay_save(self._data, _SAVE_HEAD_AFTER_S)

    def _from_thread[*Ts](self, target: Callable[[*Ts], None]) -> Callable[[*Ts], None]:
        def tell(*values: *Ts) -> None:
            self._to_loop(target, *values)

        return tell

    def _to_loop[*Ts](self, target: Callable[[*Ts], None], *values: *Ts) -> None:
        # The loop is gone when Home Assistant is; then nobody waits either.
        with suppress(RuntimeError):
            self._hass.loop.call_soon_threadsafe(target, *values)
