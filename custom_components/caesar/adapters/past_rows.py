"""Rows of the trail as their asker may hear of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC
from pathlib import Path
import re
from typing import Any, Final

from homeassistant.core import HomeAssistant
from homeassistant.util import dt as dt_util

from ..audit.page import MAX_PAGE, Answered, Filter, TrailRow, answers, trail_page
from ..legion.canonical import canonical_json
from ..policy.caller import Caller, Origin
from ..policy.reason import Code, Reason
from ..policy.replay import caller_of, reason_of
from ..sentinel.approvals import PendingApproval, Standing
from ..wording import Wording, sentence_name
from .activity_words import verb_of
from .facts import HouseFacts
from .home import HomeAssistantHome
from .own_intents import is_own
from .past_words import Ended, Told, plain_name
from .users import Users

type FindApproval = Callable[[str], PendingApproval | None]

# So many rows are read at most for one answer.
MAX_ROWS: Final = 1000
# What tells rules of one service apart, where they have no name.
_NUMBER: Final = re.compile(r"#\d+$")
_TOOL: Final = re.compile(r"[a-z0-9_]{1,48}(\.[a-z0-9_]{1,48})?")
_OPEN: Final = frozenset({Standing.WAITING, Standing.APPROVED, Standing.EXECUTING})


def scope_of(caller: Caller) -> Filter | None:
    """Return which calls an asker may hear of; None if of none.

    A user who sent a satellite's name along is that user: a voice hears of what voices
    asked there, and not of what somebody said in its name.
    """
    if caller.user_id is not None:
        return Filter() if caller.is_admin else Filter(user_id=caller.user_id)
    return _of_voice(caller)


def own_of(caller: Caller) -> Filter | None:
    """Return the asker's own calls; an admin's too are only their own here."""
    if caller.user_id is not None:
        return Filter(user_id=caller.user_id)
    return _of_voice(caller)


def _of_voice(caller: Caller) -> Filter | None:
    if caller.origin is not Origin.VOICE or caller.satellite_id is None:
        return None
    return Filter(satellite_id=caller.satellite_id, origin=Origin.VOICE.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """Rows, the newest first, and how the questions among them were decided."""

    rows: list[TrailRow]
    answers: Mapping[str, Answered] = field(default_factory=dict)


def read_past(
    path: Path, wanted: Filter, *, refused: bool, most: int = MAX_ROWS
) -> Past:
    """Return the newest rows that are wanted, each question once, as it stands last.

    A question that waited is a row, and so is what came of it. Raises sqlite3.Error.
    """
    rows = _read_rows(path, wanted, refused=refused, most=most)
    asked = {str(id_) for row in rows if (id_ := row.decision.get("approval_id"))}
    since = wanted.since or ""
    return Past(rows=rows, answers=answers(path, asked, since) if asked else {})


def _read_rows(
    path: Path, wanted: Filter, *, refused: bool, most: int
) -> list[TrailRow]:
    found: list[TrailRow] = []
    answered: set[str] = set()
    wanted = replace(wanted, told=True)
    for _ in range(MAX_ROWS // MAX_PAGE):
        page = trail_page(path, wanted)
        for row in page:
            question = row.decision.get("approval_id")
            if isinstance(question, str):
                if question in answered:
                    continue
                answered.add(question)
            if not refused or row.verdict != "go":
                found.append(row)
        if len(page) < MAX_PAGE or len(found) >= most:
            break
        wanted = replace(wanted, before=page[-1].seq)
    return found[:most]


class Teller:
    """Turns rows into words for one asker."""

    def __init__(
        self,
        hass: HomeAssistant,
        home: HomeAssistantHome,
        users: Users,
        caller: Caller,
        wording: Wording,
        language: str,
        revision: str,
        find: FindApproval,
    ) -> None:
        """Tell `caller`; `revision` is of the policy in force, `find` finds questions."""
        self._hass = hass
        self._home = home
        self._users = users
        self._facts = HouseFacts(hass, home, users)
        self._caller = caller
        self._wording = wording
        self._language = language
        self._revision = revision
        self._find = find
        self._who: dict[str, str] = {}

    async def told(self, row: TrailRow, answered: Mapping[str, Answered]) -> Told:
        """Return a row in words; `answered` is how questions were decided."""
        decision, reason = row.decision, reason_of(row.decision)
        ended = self._ended(row)
        when = dt_util.parse_datetime(row.timestamp)
        answer = answered.get(str(decision.get("approval_id")))
        if ended is Ended.LAPSED and answer and answer.verdict == Standing.DENIED:
            ended, reason = Ended.REFUSED, Reason(code=Code.APPROVAL_DENIED)
        return Told(
            when=dt_util.as_local((when or dt_util.utcnow()).astimezone(UTC)),
            who=await self._asker(row.caller),
            action=self._action(row),
            ended=ended,
            code=reason.code if reason else None,
            because=self._because(row, ended, reason),
            rule=self._rule(decision),
            answered=await self._answered(answer),
        )

    def name(self, entity_id: str) -> str:
        """Return what this asker may know an entity as."""
        facts = self._home.entity(entity_id)
        caller = self._caller
        hidden = self._wording.text("past_hidden")
        if facts is None:
            return plain_name(entity_id) if caller.is_admin else hidden
        user_id = caller.user_id
        if user_id is not None and not self._users.may_read(user_id, facts.entity_id):
            return hidden
        return plain_name(facts.name) if facts.exposed or caller.is_admin else hidden

    def _ended(self, row: TrailRow) -> Ended:
        if row.verdict != "go":
            if row.decision.get("approval") != "parked":
                return Ended.REFUSED
            pending = self._find(str(row.decision.get("approval_id")))
            waits = pending is not None and pending.standing in _OPEN
            return Ended.WAITING if waits else Ended.LAPSED
        known = {
            "ok": Ended.DONE,
            "running": Ended.RUNNING,
            "interrupted": Ended.INTERRUPTED,
        }
        return known.get(row.result, Ended.FAILED)

    def _because(self, row: TrailRow, ended: Ended, reason: Reason | None) -> str:
        if ended is Ended.FAILED:
            try:
                reason = Reason(code=Code(row.result))
            except ValueError:
                return ""
        elif ended is not Ended.REFUSED or reason is None:
            return ""
        known = (each for each in reason.words() if self._home.entity(each))
        names = {each: self.name(each) for each in (*row.pinned, *known)}
        return self._wording.reason(_short(reason), names)

    def _action(self, row: TrailRow) -> str:
        """Return what was to be done, as what follows "asked me to"."""
        targets = self._wording.names(map(self.name, row.pinned))
        verb = verb_of(row.tool, targets)
        tool = self._tool(row.tool)
        return self._wording.text(f"activity_do_{verb}", tool=tool, targets=targets)

    def _tool(self, tool: str) -> str:
        """Return what a tool is called; a name that a model made up is not repeated."""
        if is_own(self._hass, tool):
            name = plain_name(sentence_name(tool))
            return self._wording.text("own_sentence", name=name)
        domain, dot, service = tool.partition(".")
        known = not dot or self._users.has_service(domain, service)
        if not known or not _TOOL.fullmatch(tool):
            return self._wording.text("past_no_tool")
        return self._wording.text(f"tool_title_{tool}") or tool

    async def _asker(self, said: Mapping[str, Any]) -> str:
        """Return who asked; nothing for the asker themself."""
        caller = caller_of(said)
        if caller is None:
            return self._wording.text("approval_from_somebody")
        own, is_user = self._caller, caller.user_id is not None
        if caller.origin is Origin.CHAT and is_user and caller.user_id == own.user_id:
            return ""
        if own.origin is caller.origin is Origin.VOICE:
            return self._wording.text("past_somebody_here")
        key = canonical_json([caller.origin.value, caller.user_id, caller.satellite_id])
        if key not in self._who:
            self._who[key] = plain_name(await self._facts.who(caller, self._language))
        return self._who[key]

    def _rule(self, decision: Mapping[str, Any]) -> str:
        """Return what the policy says of a call: rule and line only for admins."""
        verb = "asks" if decision.get("policy_verdict") == "ask" else "allowed"
        if not self._caller.is_admin:
            return self._wording.text(f"past_{verb}")
        rule, line = decision.get("rule"), decision.get("line")
        if not rule:
            return self._wording.text(f"past_{verb}_no_rule")
        if not line:
            return self._wording.text("past_allowed_once")
        same = decision.get("policy_rev") == self._revision
        return self._wording.text(
            f"past_{verb}_by" if same else f"past_{verb}_by_then",
            rule=plain_name(_NUMBER.sub("", str(rule))),
            line=str(line),
        )

    async def _answered(self, answer: Answered | None) -> str:
        """Return who said yes or no; others' names only for admins."""
        if answer is None:
            return ""
        words = {Standing.APPROVED: "approved", Standing.DENIED: "denied"}
        said = next((word for key, word in words.items() if key == answer.verdict), "")
        by = answer.decided_by
        if not said:
            return ""
        if by is not None and by == self._caller.user_id:
            return self._wording.text(f"past_you_{said}")
        name = await self._facts.user_name(by) if self._caller.is_admin else ""
        if not name:
            return self._wording.text(f"past_somebody_{said}")
        return self._wording.text(f"past_{said}", who=plain_name(name))


def _short(reason: Reason) -> Reason:
    """Return a reason whose values can't be longer than what is said."""
    return replace(
        reason, values={key: text[:255] for key, text in reason.values.items()}
    )
