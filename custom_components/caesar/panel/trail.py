"""What happened: pages of the trail, with who and why in words."""

from collections.abc import Mapping
import sqlite3
from typing import Any, Final

from homeassistant.components.websocket_api import ActiveConnection
from homeassistant.core import HomeAssistant
from homeassistant.helpers import config_validation as cv
import probatio

from ..actions.common import refused
from ..adapters.activity_words import verb_of
from ..audit.page import MAX_PAGE, Filter, TrailRow, trail_page
from ..legion.canonical import Json, canonical_json
from ..policy.replay import caller_of
from ..runtime import CaesarRuntime
from ..wording import Wording, async_wording
from .common import LANGUAGE, LANGUAGE_FIELD, Message, command, why

MAX_ARGUMENTS: Final = 4_000
_TEXT: Final = probatio.All(cv.string, probatio.Length(max=255))
_NUMBER: Final = probatio.All(int, probatio.Range(min=0))


@command(
    "trail",
    {
        **LANGUAGE_FIELD,
        probatio.Optional("before"): _NUMBER,
        probatio.Optional("after"): _NUMBER,
        probatio.Optional("seq"): _NUMBER,
        probatio.Optional("decision_id"): _TEXT,
        probatio.Optional("user_id"): _TEXT,
        probatio.Optional("satellite_id"): _TEXT,
        probatio.Optional("origin"): _TEXT,
        probatio.Optional("tool"): _TEXT,
        probatio.Optional("refused", default=False): cv.boolean,
        probatio.Optional("limit", default=50): probatio.All(
            int, probatio.Range(min=1, max=MAX_PAGE)
        ),
    },
)
async def ws_trail(
    hass: HomeAssistant,
    connection: ActiveConnection,
    msg: Message,
    house: CaesarRuntime,
) -> list[dict[str, Any]]:
    """Return the newest calls that are wanted, newest first.

    The page after them is that `before` the last one's `seq`.
    """
    wanted = Filter(
        **{key: msg[key] for key in Filter.__dataclass_fields__ if key in msg}
    )
    try:
        rows = await hass.async_add_executor_job(
            trail_page, house.audit.path, wanted, msg["limit"]
        )
    except sqlite3.Error as err:
        raise refused("trail_unreadable") from err
    wording = await async_wording(hass, msg[LANGUAGE])
    shown = _Shown(house, wording, msg[LANGUAGE])
    return [await shown.row(row) for row in rows]


class _Shown:
    """Rows as the page shows them; a person's name is asked for once."""

    def __init__(self, house: CaesarRuntime, wording: Wording, language: str) -> None:
        self._house = house
        self._wording = wording
        self._language = language
        self._who: dict[str, str] = {}
        loaded = house.policy_file.loaded
        self._revision = loaded.revision if loaded else None

    async def row(self, row: TrailRow) -> dict[str, Any]:
        decision = row.decision
        known = self._house.home.names(row.pinned)
        touched = self._house.home.names(row.touched)
        line = decision.get("line")
        entities = [known.get(each, each) for each in row.pinned]
        return {
            "seq": row.seq,
            "when": row.timestamp,
            "decision_id": row.decision_id,
            "who": await self._asker(row.caller),
            "user_id": row.caller.get("user_id"),
            "satellite_id": row.caller.get("satellite_id"),
            "origin": row.caller.get("origin"),
            "agent": self._agent(row.caller),
            "tool": row.tool,
            "arguments": _arguments(row.arguments),
            "action": self._action(row.tool, entities),
            "entities": entities,
            "touched": [touched.get(each, each) for each in row.touched],
            "verdict": row.verdict,
            "result": row.result,
            "worker": row.worker,
            "why": why(self._house, self._wording, decision),
            "rule": decision.get("rule"),
            "line": line,
            # Of another text of the policy the line may be another one today.
            "line_now": line is not None
            and decision.get("policy_rev") == self._revision,
            "approved_by": await self._house.approvals.facts.user_name(
                decision.get("decided_by")
            ),
        }

    async def _asker(self, said: Mapping[str, Any]) -> str:
        key = canonical_json(
            {name: said.get(name) for name in ("origin", "user_id", "satellite_id")}
        )
        if key not in self._who:
            caller = caller_of(said)
            self._who[key] = (
                await self._house.approvals.facts.who(caller, self._language)
                if caller
                else ""
            )
        return self._who[key]

    def _action(self, tool: str, entities: list[str]) -> str:
        """Return what was to be done, as Activity words it."""
        targets = self._wording.names(entities)
        verb = verb_of(tool, targets)
        return self._wording.text(f"activity_do_{verb}", tool=tool, targets=targets)

    def _agent(self, caller: Mapping[str, Any]) -> str:
        assistant = self._house.assistants.get(str(caller.get("agent_id", "")))
        return assistant.settings.title if assistant else ""


def _arguments(arguments: Mapping[str, Json]) -> str:
    text = canonical_json(dict(arguments)) if arguments else ""
    return text if len(text) <= MAX_ARGUMENTS else f"{text[:MAX_ARGUMENTS]}…"
