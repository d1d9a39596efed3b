"""What was done and why, told from the trail: to each asker their own, admins all.

Two reads of the gate, so that every brain answers alike. A user hears of their own
calls, a satellite of those that its own voice asked for, an automation of none.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
import sqlite3
from typing import Final

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..audit.page import Filter, TrailRow
from ..brain.finder import words_of
from ..brain.periods import Period, Span, span_of
from ..legion.canonical import Json, canonical_json
from ..legion.spec import Annotations, ToolSpec
from ..policy.call import GenericToolCall, ToolCall
from ..policy.caller import Caller
from ..policy.decision import PolicyDecision
from ..policy.reason import Code
from ..tool import ExecutorError, Tool
from ..turn import Turn
from ..wording import Wording, async_wording
from .home import HomeAssistantHome
from .past_rows import MAX_ROWS, FindApproval, Past, Teller, own_of, read_past, scope_of
from .past_words import NOT_DONE, Ended, Told, lines, span_text, story, summary
from .users import Users

_TEXT: Final[Json] = {"type": "string", "minLength": 1, "maxLength": 100}
TELLS: Final = Annotations(
    read_only=True,
    destructive=False,
    open_world=False,
    private_data=True,
    untrusted_result=False,
)
WHY: Final = ToolSpec(
    name="why",
    title="Why",
    description=(
        "Tell why this person's last call was made or, with refused, refused. Only of "
        "`what` if given: words of an entity's name. Pass `say` on as it is."
    ),
    input_schema={
        "type": "object",
        "properties": {"what": _TEXT, "refused": {"type": "boolean"}},
        "additionalProperties": False,
    },
    annotations=TELLS,
)
WHAT_HAPPENED: Final = ToolSpec(
    name="what_happened",
    title="What happened",
    description=(
        "Tell this person's past calls (an admin: everybody's). Dates or times in ISO "
        "8601, today if left out; `tool` is a part of a service's name."
    ),
    input_schema={
        "type": "object",
        "properties": {
            "since": _TEXT,
            "until": _TEXT,
            "tool": _TEXT,
            "what": _TEXT,
            "refused": {"type": "boolean"},
        },
        "additionalProperties": False,
    },
    annotations=TELLS,
)
# Further back nobody means with "that".
_BACK: Final = timedelta(days=1)
_BACK_BY_NAME: Final = timedelta(days=7)
_STORIES: Final = 2
# Far enough, and time zones can't leave what a date can hold.
_YEARS: Final = range(1970, 3000)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastParts:
    """What the past is told from: the trail's file, the policy's revision, questions."""

    hass: HomeAssistant
    home: HomeAssistantHome
    users: Users
    path: Callable[[], Path]
    revision: Callable[[], str]
    find: FindApproval


class PastExecutor:
    """Carries out `why` and `what_happened`."""

    def __init__(self, parts: PastParts) -> None:
        """Tell from these."""
        self._parts = parts

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Return `say`, a few sentences, and `lines` where somebody can see them."""
        assert isinstance(call, GenericToolCall)
        wording = await async_wording(self._parts.hass, turn.language)
        if scope_of(turn.caller) is None:
            return {"say": wording.text("past_not_you")}
        what = call.input.get("what")
        entities = self._entities(str(what), turn.caller) if what else None
        if entities == ():
            return {"say": wording.text("past_unknown_name")}
        wanted = Filter(
            without=turn.decision_id,
            entities=canonical_json(list(entities)) if entities else None,
        )
        try:
            if call.tool == WHY.name:
                return await self._why(call, turn, wording, wanted)
            return await self._happened(call, turn, wording, wanted)
        except sqlite3.Error as err:
            raise ExecutorError(
                Code.AUDIT_UNAVAILABLE, "The trail can't be read now.", retryable=True
            ) from err

    async def _why(
        self, call: GenericToolCall, turn: Turn, wording: Wording, wanted: Filter
    ) -> Json:
        refused = call.input.get("refused") is True
        named = wanted.entities is not None
        caller = turn.caller
        # "That" is what the asker had done; a thing by its name is anybody's.
        scope = scope_of(caller) if named else own_of(caller)
        now = dt_util.now()
        back = now - (_BACK_BY_NAME if named else _BACK)
        past = await self._past(scope, replace(wanted, since=_utc(back)), refused, 50)
        rows = _last_turn(past.rows, caller)
        if not rows:
            key = "past_nothing_refused" if refused else "past_nothing_to_explain"
            return {"say": wording.text(key)}
        teller = self._teller(turn, wording)
        told = [await teller.told(row, past.answers) for row in rows]
        admin = caller.is_admin
        stories = [story(wording, each, now, admin=admin) for each in told]
        if left := len(stories) - _STORIES:
            more = [wording.text("past_more", count=str(left))] if left > 0 else []
            return answer(" ".join((*stories[:_STORIES], *more)), stories, turn)
        return {"say": " ".join(stories)}

    async def _happened(
        self, call: GenericToolCall, turn: Turn, wording: Wording, wanted: Filter
    ) -> Json:
        now = dt_util.now()
        span = _span(call, now)
        tool, refused = call.input.get("tool"), call.input.get("refused") is True
        wanted = replace(
            wanted,
            since=_utc(span.since),
            until=_utc(span.until),
            tool=str(tool) if tool else None,
        )
        past = await self._past(scope_of(turn.caller), wanted, refused, MAX_ROWS)
        teller = self._teller(turn, wording)
        every = [await teller.told(row, past.answers) for row in past.rows]
        # What still waits was not refused.
        told = [each for each in every if not refused or each.ended in NOT_DONE]
        if tool is not None or wanted.entities is not None:
            say = _who_did(wording, told, span, now, admin=turn.caller.is_admin)
        else:
            more = len(past.rows) == MAX_ROWS
            say = summary(wording, told, span, now, more=more, refused=refused)
        others = any(each.who for each in told)
        return answer(say, lines(wording, told, now, others=others), turn)

    async def _past(
        self, scope: Filter | None, wanted: Filter, refused: bool, most: int
    ) -> Past:
        """Return what is wanted and in scope. Raises sqlite3.Error."""
        if scope is None:
            return Past(rows=[])
        wanted = replace(
            wanted,
            user_id=scope.user_id,
            satellite_id=scope.satellite_id,
            origin=scope.origin,
        )
        return await self._parts.hass.async_add_executor_job(
            lambda: read_past(self._parts.path(), wanted, refused=refused, most=most)
        )

    def _teller(self, turn: Turn, wording: Wording) -> Teller:
        parts = self._parts
        return Teller(
            parts.hass,
            parts.home,
            parts.users,
            turn.caller,
            wording,
            turn.language,
            parts.revision(),
            parts.find,
        )

    def _entities(self, what: str, caller: Caller) -> tuple[str, ...]:
        """Return the shared entities whose names hold these words."""
        words = words_of(what)
        home, user_id = self._parts.home, caller.user_id
        found = {
            facts.entity_id: f"{facts.name} {' '.join(home.aliases(facts.entity_id))}"
            f" {facts.entity_id}".casefold()
            for facts in home.exposed()
            if user_id is None or self._parts.users.may_read(user_id, facts.entity_id)
        }
        whole = tuple(
            each
            for each, names in found.items()
            if what.casefold() in (each, names.removesuffix(f" {each}").strip())
        )
        return whole or tuple(
            each
            for each, names in found.items()
            if words and all(word in names for word in words)
        )


def _last_turn(rows: list[TrailRow], caller: Caller) -> list[TrailRow]:
    """Return the rows of the last turn: of this conversation, if it has any."""
    conversation = caller.conversation_id
    here = [
        row
        for row in rows
        if conversation and row.caller.get("conversation_id") == conversation
    ]
    known = here or rows
    return [row for row in known if row.decision_id == known[0].decision_id]


def _who_did(
    wording: Wording, told: list[Told], span: Span, now: datetime, *, admin: bool
) -> str:
    """Return who did one thing, the last time that it was done."""
    if not told:
        when = span_text(wording, span, now)
        said = [wording.text("past_no_such", when=when)]
    else:
        done = next((each for each in told if each.ended is Ended.DONE), told[0])
        said = [story(wording, done, now, admin=admin)]
    if left := len(told[1:]):
        said.append(wording.text("past_more", count=str(left)))
    if not admin:
        said.append(wording.text("past_only_yours"))
    elif not told:
        said.append(wording.text("past_not_by_me"))
    return " ".join(said)


def answer(say: str, shown: list[str], turn: Turn) -> Json:
    """Return an answer; lines are for those who can see them, if there are several."""
    if turn.caller.satellite_id is not None or len(shown) < 2:
        return {"say": say}
    return {"say": say, "lines": list(shown)}


def _span(call: GenericToolCall, now: datetime) -> Span:
    """Return the time that is asked about. Raises ExecutorError."""
    today = span_of(Period.TODAY, now)
    since = _time(call, "since") or today.since
    until = _time(call, "until") or today.until
    if until <= since:
        raise _bad("until")
    return Span(since=since, until=until)


def _time(call: GenericToolCall, key: str) -> datetime | None:
    """Return a time of the call in local time; a date until is meant with its day."""
    said = call.input.get(key)
    if said is None:
        return None
    try:
        parsed = datetime.fromisoformat(str(said))
    except ValueError as err:
        raise _bad(key) from err
    if parsed.year not in _YEARS:
        raise _bad(key)
    if len(str(said)) <= len("2026-01-31") and key == "until":
        parsed += timedelta(days=1)
    zone = dt_util.get_default_time_zone()
    return parsed.astimezone(zone) if parsed.tzinfo else parsed.replace(tzinfo=zone)


def _bad(key: str) -> ExecutorError:
    return ExecutorError(Code.INVALID_INPUT, f"{key} is no time that can be told of.")


def _utc(when: datetime) -> str:
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")


def past_tools(parts: PastParts) -> tuple[Tool, ...]:
    """Return the two reads of the past as tools of the gate."""
    executor = PastExecutor(parts)
    return tuple(
        Tool(spec=spec, executor=executor, to_call=to_call(spec.name))
        for spec in (WHY, WHAT_HAPPENED)
    )


def to_call(name: str) -> Callable[..., ToolCall]:
    """Return how arguments become a call of this read."""
    return lambda arguments: GenericToolCall(tool=name, input=dict(arguments))
