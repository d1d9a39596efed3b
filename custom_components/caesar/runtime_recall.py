"""Builds what recalls the past: where it comes from, who is fed, who is asked."""

import asyncio
from typing import Any

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant, callback

from .adapters.audit_log import HouseAuditLog
from .adapters.memory import HouseMemory
from .adapters.recall import RecallExecutor
from .adapters.recall_feed import RecallFeed
from .adapters.recall_rows import EventSource, Owners, Source, SpokenSource
from .runtime_workers import WorkerParts


@callback
def async_start_recall(
    hass: HomeAssistant,
    entry: ConfigEntry[Any],
    audit: HouseAuditLog,
    memory: HouseMemory,
    legion: WorkerParts,
) -> None:
    """Begin to feed the recall tools' workers; nothing waits for it."""
    owners = Owners(memory)
    sources: dict[str, Source] = {
        "recall_memory": EventSource(audit, memory, owners),
        "semantic_recall": SpokenSource(memory, owners),
    }
    for tool, source in sources.items():
        feed = RecallFeed(tool, source, legion.registry, legion.tell, asyncio.sleep)
        entry.async_on_unload(feed.async_listen())
        entry.async_create_background_task(
            hass, feed.async_run(), f"caesar feeds {tool}"
        )
        legion.tools.carry_out(
            tool,
            RecallExecutor(
                hass, legion.tools.executor.send, legion.registry, feed, source, owners
            ),
        )
