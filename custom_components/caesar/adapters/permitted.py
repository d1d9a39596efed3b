"""What the policy lets a caller do here, judged entity by entity as the gate would."""

import asyncio
from collections.abc import Callable
import math
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.helpers import area_registry as ar

from ..gate import GateParts
from ..legion.canonical import Json
from ..legion.spec import ToolSpec
from ..policy.call import GenericToolCall, ToolCall
from ..policy.decision import PolicyDecision, Verdict
from ..policy.home import EntityFacts
from ..preview import preview
from ..tool import Tool
from ..turn import ToolRequest, Turn
from ..wording import async_wording
from .home import HomeAssistantHome
from .past import TELLS, answer, to_call
from .past_words import plain_name
from .permitted_words import DEEDS, Deed, Judged, shown, spoken
from .users import Users

WHAT_MAY_I: Final = ToolSpec(
    name="what_may_i",
    title="What may I do",
    description=(
        "Tell what the policy lets this person do in an area, by default where they "
        "are. Pass `say` on as it is."
    ),
    input_schema={
        "type": "object",
        "properties": {"area_id": {"type": "string", "minLength": 1, "maxLength": 255}},
        "additionalProperties": False,
    },
    annotations=TELLS,
)
# More are not judged; the answer says so.
MAX_JUDGED: Final = 1000
# The loop gets a turn after so many.
_AT_ONCE: Final = 5
_COMFORTABLE: Final = 20.0


class PermittedExecutor:
    """Carries out `what_may_i`. Nothing is done, and each answer is a row as any read."""

    def __init__(
        self,
        hass: HomeAssistant,
        home: HomeAssistantHome,
        users: Users,
        parts: Callable[[], GateParts],
    ) -> None:
        """Judge with the gate's own parts."""
        self._hass = hass
        self._home = home
        self._users = users
        self._parts = parts

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Return `say`, and `lines` where somebody can see them."""
        assert isinstance(call, GenericToolCall)
        wording = await async_wording(self._hass, turn.language)
        wanted = call.input.get("area_id")
        area_id = self._area_id(str(wanted)) if wanted else turn.caller.area_id
        if wanted and area_id is None:
            return {"say": wording.text("past_unknown_name")}
        entities = [
            facts
            for facts in self._home.exposed()
            if area_id in (None, facts.area_id)
            and self._may_read(turn, facts)
            and any(deed.fits(facts) for deed in DEEDS)
        ]
        judged = await self._judged(entities[:MAX_JUDGED], turn)
        place = plain_name(self._home.area_name(area_id) or "")
        say = spoken(wording, judged, place)
        if len(entities) > MAX_JUDGED:
            say = f"{say} {wording.text('may_too_many', count=str(MAX_JUDGED))}"
        return answer(say, shown(wording, judged), turn)

    def _area_id(self, said: str) -> str | None:
        """Return an area by its id or name."""
        registry = ar.async_get(self._hass)
        area = registry.async_get_area(said) or registry.async_get_area_by_name(said)
        return area.id if area else None

    def _may_read(self, turn: Turn, facts: EntityFacts) -> bool:
        user_id = turn.caller.user_id
        return user_id is None or self._users.may_read(user_id, facts.entity_id)

    async def _judged(
        self, entities: list[EntityFacts], turn: Turn
    ) -> tuple[Judged, ...]:
        """Judge each deed on each entity, as a fresh turn of this caller."""
        # What this turn has read so far is no matter of what the caller may do.
        fresh = Turn(
            decision_id=turn.decision_id,
            caller=turn.caller,
            language=turn.language,
            deadline=math.inf,
            tools=turn.tools,
        )
        found, done = [], 0
        for deed in DEEDS:
            names: dict[Verdict, list[str]] = {}
            for facts in filter(deed.fits, entities):
                verdict = self._verdict(deed, facts, fresh)
                names.setdefault(verdict, []).append(plain_name(facts.name))
                done += 1
                if done % _AT_ONCE == 0:
                    # Each is judged in full, which is work on the loop.
                    await asyncio.sleep(0)
            if names:
                found.append(Judged(deed=deed, names=names))
        return tuple(found)

    def _verdict(self, deed: Deed, facts: EntityFacts, turn: Turn) -> Verdict:
        data = dict(deed.data or {})
        if deed.domain == "climate":
            data["temperature"] = self._temperature(facts)
        request = ToolRequest(
            id=WHAT_MAY_I.name,
            name=f"{deed.domain}__{deed.service}",
            arguments={"entity_id": [facts.entity_id], **data},
        )
        return preview(self._parts(), request, turn).verdict

    def _temperature(self, facts: EntityFacts) -> float:
        """Return what a thermostat is set to: surely something one may ask for."""
        state = self._hass.states.get(facts.entity_id)
        value = state.attributes.get("temperature") if state else None
        return float(value) if isinstance(value, int | float) else _COMFORTABLE


def permitted_tool(
    hass: HomeAssistant,
    home: HomeAssistantHome,
    users: Users,
    parts: Callable[[], GateParts],
) -> Tool:
    """Return the read of what a caller may do as a tool of the gate."""
    return Tool(
        spec=WHAT_MAY_I,
        executor=PermittedExecutor(hass, home, users, parts),
        to_call=to_call(WHAT_MAY_I.name),
    )
