"""Peers that a house has enrolled, and the storage in which it remembers them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

from homeassistant.config_entries import (
    SOURCE_USER,
    STORAGE_VERSION,
    STORAGE_VERSION_MINOR,
    ConfigEntry,
    ConfigSubentryDataWithId,
)
from homeassistant.util.ulid import ulid_now

from custom_components.caesar.const import (
    CONF_CONFIRMED,
    CONF_PROVIDER,
    CONF_PUBLIC_KEY,
    CONF_STARTER_POLICY,
    CONF_TOOLS,
    CONF_URL,
    DEFAULT_TITLE,
    DOMAIN,
    SUBENTRY_WORKER,
)
from custom_components.caesar.flows.agent import first_agent
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import WorkerAddress
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.legion.spec_json import spec_as_json
from tests.fakes.legion_peer import Asked, LegionPeer
from tests.ha.workers.hosts import BINS, EVERYTHING


class HousePeer(LegionPeer):
    """Has its own name and tool, and says goodbye well; it lies when told to."""

    def __init__(self, title: str, tool: str, **said: Any) -> None:
        """Offer a tool of that name that says this of itself."""
        super().__init__()
        self.title = title
        self.worker_id = tool.replace("_", "-")
        self.spec = replace(BINS, name=tool, **said)
        self.subentry_id = ulid_now()
        # What a hello says otherwise than what was pinned.
        self.says: dict[str, Any] = {}
        # The last honest answer, to the last byte.
        self.last = b""

    @property
    def enrolled(self) -> ConfigSubentryDataWithId:
        """Return what a person's enrolment of it leaves behind."""
        return enrolled(self.subentry_id, self.title, self.address, self.spec)

    def reply(self, asked: Asked, **changes: Any) -> bytes:
        """Answer under the own name."""
        return super().reply(asked, **{"worker_id": self.worker_id, **changes})

    def hello(self, asked: Asked, **changes: Any) -> bytes:
        """Offer the tool, or what else is to be said."""
        said = {"worker_id": self.worker_id, "tools": [spec_as_json(self.spec)]}
        return super().hello(asked, **{**said, **self.says, **changes})

    async def _answer(self, asked: Asked) -> bytes:
        if asked.path == "/v1/goodbye":
            body = {"protocol": 1, "worker_id": self.worker_id}
            return self.good(asked, json.dumps(body).encode())
        if asked.path.startswith("/v1/dispatch/") and self.answer is None:
            self.asked.append(asked)
            self.last = self.good(asked)
            return self.last
        return await super()._answer(asked)


def enrolled(
    subentry_id: str, title: str, address: WorkerAddress, *specs: ToolSpec
) -> ConfigSubentryDataWithId:
    """Return the subentry of a worker whose harmless claims were all confirmed."""
    return ConfigSubentryDataWithId(
        subentry_id=subentry_id,
        subentry_type=SUBENTRY_WORKER,
        title=title,
        unique_id=address.public_key,
        data=MappingProxyType(
            {
                CONF_URL: address.url,
                CONF_PUBLIC_KEY: address.public_key,
                CONF_TOOLS: {spec.name: spec_as_json(spec) for spec in specs},
                CONF_CONFIRMED: {spec.name: list(EVERYTHING) for spec in specs},
            }
        ),
    )


def remember(
    config: Path, identity: Identity, workers: Iterable[ConfigSubentryDataWithId]
) -> None:
    """Write what Home Assistant keeps of a house that enrolled these workers.

    Through the forms, one after the other, it would take minutes; proofs/hosts.py and
    tests/ha/workers_flow/ go through them.
    """
    entry: ConfigEntry[Any] = ConfigEntry(
        version=1,
        minor_version=1,
        domain=DOMAIN,
        title=DEFAULT_TITLE,
        data={CONF_PROVIDER: "builtin", CONF_STARTER_POLICY: "read_only"},
        options={},
        source=SOURCE_USER,
        unique_id=None,
        discovery_keys=MappingProxyType({}),
        subentries_data=[first_agent(), *workers],
    )
    storage = config / ".storage"
    storage.mkdir(parents=True, exist_ok=True)
    _store(
        storage,
        "core.config_entries",
        STORAGE_VERSION,
        STORAGE_VERSION_MINOR,
        {"entries": [entry.as_dict()]},
    )
    _store(storage, "caesar.legion", 1, 1, {"seed": identity.seed})


def _store(
    storage: Path, key: str, version: int, minor: int, data: Mapping[str, Any]
) -> None:
    content = {"version": version, "minor_version": minor, "key": key, "data": data}
    (storage / key).write_text(json.dumps(content), encoding="utf-8")
    (storage / key).chmod(0o600)
