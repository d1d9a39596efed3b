"""A demo house with CAESAR in it, inside Home Assistant's test instance."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
import sqlite3
from types import MappingProxyType
from typing import Any

from homeassistant.config_entries import ConfigEntryState, ConfigSubentryData
from homeassistant.core import Context, HomeAssistant
from homeassistant.util.ulid import ulid_now
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.caesar.adapters.assistant import Assistant
from custom_components.caesar.adapters.report import TurnReport
from custom_components.caesar.brain.provider import Completed, StopReason, TextDelta
from custom_components.caesar.const import (
    AGENT_DEFAULTS,
    CONF_PROVIDER,
    CONF_STARTER_POLICY,
    DOMAIN,
    SUBENTRY_CONVERSATION,
    ProviderKind,
    StarterPolicy,
)
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.turn import ToolRequest
from tests.fakes.provider import ScriptedProvider


@dataclass(slots=True, kw_only=True)
class CaesarHouse:
    """CAESAR in the demo house, and ways to make its model ask for anything."""

    hass: HomeAssistant
    entry: MockConfigEntry
    user_id: str
    reports: list[TurnReport] = field(default_factory=list)

    @property
    def assistant(self) -> Assistant:
        """Return the first agent."""
        assistant: Assistant = next(iter(self.entry.runtime_data.assistants.values()))
        return assistant

    @property
    def database(self) -> Path:
        """Return the trail's file."""
        return Path(self.hass.config.path("caesar", "caesar.db"))

    async def obey(
        self, name: str, arguments: dict[str, Json], context: Context | None = None
    ) -> TurnReport:
        """Run a turn whose model makes exactly this call and then claims success."""
        provider = ScriptedProvider(
            [
                [
                    ToolRequest(id="call-1", name=name, arguments=arguments),
                    Completed(stop=StopReason.TOOL_USE),
                ],
                [TextDelta(text="Done."), Completed(stop=StopReason.END)],
            ]
        )
        own = self.assistant
        hostile = Assistant(own._house, own.settings, [provider])
        report = await hostile.async_ask(
            "please",
            context or Context(user_id=self.user_id),
            language="en",
            conversation_id=ulid_now(),
        )
        self.reports.append(report)
        return report

    async def ask(
        self, text: str, *, language: str = "en", context: Context | None = None
    ) -> dict[str, Any]:
        """Ask through the real action."""
        response = await self.hass.services.async_call(
            DOMAIN,
            "ask",
            {"text": text, "language": language},
            blocking=True,
            context=context or Context(user_id=self.user_id),
            return_response=True,
        )
        assert response is not None
        return dict(response)

    async def trail(self, decision_id: str) -> list[dict[str, Any]]:
        """Return the trail's dispatch rows of a turn, read by a second connection."""

        def read() -> list[dict[str, Any]]:
            with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as db:
                db.row_factory = sqlite3.Row
                rows = db.execute(
                    "SELECT * FROM audit_trail WHERE decision_id = ?", (decision_id,)
                ).fetchall()
            db.close()
            return [dict(row) for row in rows]

        return await self.hass.async_add_executor_job(read)

    def state(self, entity_id: str) -> str:
        """Return a state."""
        state = self.hass.states.get(entity_id)
        assert state is not None, entity_id
        return state.state


async def async_move_in(
    hass: HomeAssistant,
    user_id: str,
    policy: str | None = None,
    others: Sequence[ConfigSubentryData] = (),
) -> CaesarHouse:
    """Set CAESAR up in a house that is built already; `policy` is the file's text.

    `others` are subentries beside the agent's.
    """
    if policy is not None:
        path = Path(hass.config.path("caesar", "policy.yaml"))

        def write() -> None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(policy)

        await hass.async_add_executor_job(write)
    entry = MockConfigEntry(
        domain=DOMAIN,
        title="CAESAR",
        data={
            CONF_PROVIDER: ProviderKind.BUILTIN.value,
            CONF_STARTER_POLICY: StarterPolicy.EVERYDAY.value,
        },
        subentries_data=[
            ConfigSubentryData(
                data=MappingProxyType(dict(AGENT_DEFAULTS)),
                subentry_type=SUBENTRY_CONVERSATION,
                title="CAESAR",
                unique_id=None,
            ),
            *others,
        ],
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(entry.entry_id)
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED
    return CaesarHouse(hass=hass, entry=entry, user_id=user_id)
