"""The text by which a person is asked, made of pinned facts and never of a model's.

Names and rooms are Home Assistant's, the verb is ours. Values of a call were written
by whoever made it, so texts among them stand in quotation marks, secrets as `***`.
"""

from collections.abc import Mapping
import re
from typing import Final

from homeassistant.core import HomeAssistant

from ..audit.clamp import redact
from ..legion.canonical import Json, canonical_json
from ..policy.call import ServiceCall, ToolCall, tool_id
from ..policy.caller import Caller, Origin
from ..policy.reason import Code
from ..sentinel.approvals import PendingApproval, Standing
from ..wording import Wording, async_wording, sentence_name
from .activity_words import verb_of
from .home import HomeAssistantHome
from .own_intents import is_own
from .users import Users

MAX_TEXT: Final = 300
_MAX_NAME: Final = 48
_MAX_VALUE: Final = 40
_MAX_VALUES: Final = 90
_MAX_ACTION: Final = 200
_MOST_INSIDE: Final = 3
_KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
# Also marks that turn the direction of a text around.
_CONTROL: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+"
)


class HouseFacts:
    """Words for pending approvals, in any of CAESAR's languages."""

    def __init__(
        self, hass: HomeAssistant, home: HomeAssistantHome, users: Users
    ) -> None:
        """Take the house's names and users."""
        self._hass = hass
        self._home = home
        self._users = users

    async def question(self, pending: PendingApproval, *, pin: bool = False) -> str:
        """Return the question to whoever asked, who may answer it right here."""
        wording = await async_wording(self._hass, pending.language)
        return _join(
            self._careful(wording, pending),
            wording.text("approval_question", action=self._action(wording, pending)),
            wording.text("approval_say_pin" if pin else "approval_say_yes_no"),
        )

    async def asking(self, pending: PendingApproval, people: tuple[str, ...]) -> str:
        """Return that others are being asked, said before their answer is awaited."""
        wording = await async_wording(self._hass, pending.language)
        return _asking(
            wording, "approval_asking", self._action(wording, pending), people
        )

    async def asked(self, pending: PendingApproval, people: tuple[str, ...]) -> str:
        """Return that others were asked and haven't answered yet."""
        wording = await async_wording(self._hass, pending.language)
        return _asking(
            wording, "approval_asked", self._action(wording, pending), people
        )

    async def card(self, pending: PendingApproval, language: str) -> str:
        """Return the question as it is put to somebody else."""
        wording = await async_wording(self._hass, language)
        return _join(
            self._careful(wording, pending),
            wording.text(
                "approval_card",
                action=self._action(wording, pending),
                who=await self._who(wording, pending.caller),
            ),
        )

    async def outcome(self, pending: PendingApproval, language: str) -> str:
        """Return what became of the question."""
        wording = await async_wording(self._hass, language)
        who = await self.user_name(pending.decided_by)
        if not who and pending.standing is not Standing.WAITING:
            who = await self._who(wording, pending.caller)
        return _clip(
            wording.text(
                f"approval_is_{_ended(pending)}",
                action=self._action(wording, pending),
                who=who or wording.text("approval_from_somebody"),
            ),
            MAX_TEXT,
        )

    async def say(self, key: str, pending: PendingApproval, **values: str) -> str:
        """Return another sentence of ours about a question."""
        wording = await async_wording(self._hass, pending.language)
        action = self._action(wording, pending)
        return wording.text(key, action=action, **values)

    async def what_and_who(
        self, pending: PendingApproval, language: str
    ) -> tuple[str, str]:
        """Return what would be done, and who asks for it."""
        wording = await async_wording(self._hass, language)
        who = await self._who(wording, pending.caller)
        return self._action(wording, pending), who

    async def who(self, caller: Caller, language: str) -> str:
        """Return who asks, and from where."""
        return await self._who(await async_wording(self._hass, language), caller)

    async def text(self, key: str, language: str) -> str:
        """Return a sentence of ours that is about no question."""
        return (await async_wording(self._hass, language)).text(key)

    async def user_name(self, user_id: str | None) -> str:
        """Return a user's name; empty if there is none."""
        user = await self._users.async_learn(user_id)
        return _clean(user.name or "") if user else ""

    def names(self, pending: PendingApproval) -> list[str]:
        """Return the names of the entities that a question is about."""
        return [self._name(entity_id) for entity_id in pending.entities]

    def _name(self, entity_id: str) -> str:
        facts = self._home.entity(entity_id)
        return _clip(_clean(facts.name if facts else entity_id), _MAX_NAME)

    def _placed(self, wording: Wording, entity_id: str) -> str:
        """Return a name with its room, unless the name says it already."""
        name = self._name(entity_id)
        facts = self._home.entity(entity_id)
        area = self._home.area_name(facts.area_id) if facts else None
        if not area or area.casefold() in name.casefold():
            return name
        area = _clip(_clean(area), _MAX_NAME)
        return wording.text("approval_in_area", name=name, area=area)

    def _action(self, wording: Wording, pending: PendingApproval) -> str:
        """Return what would be done, as what follows "may I"."""
        tool = tool_id(pending.call)
        few = len(pending.entities) <= 2
        targets = wording.names(
            self._placed(wording, each) if few else self._name(each)
            for each in pending.entities
        )
        verb = verb_of(tool, targets)
        own = is_own(self._hass, tool)
        named = _clip(sentence_name(tool) if own else tool, _MAX_NAME)
        action = wording.text(
            f"activity_do_{verb}",
            tool=wording.text("own_sentence", name=named) if own else named,
            targets=_clip(targets, _MAX_ACTION),
        )
        if pending.inside:
            action = self._with_inside(wording, action, pending.inside)
        if values := _values(wording, pending.call):
            return wording.text("approval_values", action=action, values=values)
        return action

    def _with_inside(
        self, wording: Wording, action: str, inside: tuple[str, ...]
    ) -> str:
        """Say what stands behind a group, a scene or a script, or the first of it."""
        names = wording.names(self._name(each) for each in inside[:_MOST_INSIDE])
        if (more := len(inside) - _MOST_INSIDE) > 0:
            return wording.text(
                "approval_inside_more", action=action, names=names, count=str(more)
            )
        return wording.text("approval_inside", action=action, names=names)

    def _careful(self, wording: Wording, pending: PendingApproval) -> str:
        if pending.why.code is not Code.TAINTED:
            return ""
        return wording.text("approval_tainted")

    async def _who(self, wording: Wording, caller: Caller) -> str:
        """Return who asks, and from where."""
        name = await self.user_name(caller.user_id)
        if caller.origin is Origin.VOICE:
            if area := self._home.area_name(caller.area_id):
                return wording.text("approval_from_voice", area=_clip(area, _MAX_NAME))
            state = self._hass.states.get(caller.satellite_id or "")
            name = _clip(state.name, _MAX_NAME) if state else ""
            return wording.text("approval_from_voice_somewhere", name=name)
        if caller.origin in (Origin.AUTOMATION, Origin.AI_TASK):
            return wording.text(f"approval_from_{caller.origin.value}")
        name = name or wording.text("approval_from_somebody")
        return wording.text(f"approval_from_{caller.origin.value}", name=name)


def _ended(pending: PendingApproval) -> str:
    """Return how a question stands, in people's terms: expired is not always late."""
    if pending.standing is not Standing.EXPIRED:
        return pending.standing.value
    if pending.via is not None:
        # Somebody said yes, and nothing could be done with it.
        return Standing.FAILED.value
    if pending.decided_at is not None and pending.decided_at < pending.expires_at:
        return "withdrawn"
    return Standing.EXPIRED.value


def _asking(wording: Wording, key: str, action: str, people: tuple[str, ...]) -> str:
    if not people:
        return _clip(wording.text("approval_asking_somebody", action=action), MAX_TEXT)
    names = wording.names(people)
    return _clip(wording.text(key, action=action, people=names), MAX_TEXT)


def _values(wording: Wording, call: ToolCall) -> str:
    """Return a call's values, as many as there is room for, and how many more."""
    given = redact(dict(call.data if isinstance(call, ServiceCall) else call.input))
    if not isinstance(given, Mapping):
        return ""
    shown: list[str] = []
    room = _MAX_VALUES
    for key, value in given.items():
        text = f"{_key(key)}: {_value(value)}"
        room -= len(text) + 2
        if room < 0 and shown:
            break
        shown.append(text)
    if rest := len(given) - len(shown):
        shown.append(wording.text("approval_values_more", count=str(rest)))
    return ", ".join(shown)


def _key(key: str) -> str:
    return key.replace("_", " ") if _KEY.fullmatch(key) else _quoted(key)


def _value(value: Json) -> str:
    match value:
        case "***":
            return value
        case bool() | int() | float() | None:
            return _clip(canonical_json(value), _MAX_VALUE)
        case str():
            return _quoted(value)
        case _:
            return _quoted(canonical_json(value))


def _quoted(text: str) -> str:
    """Return somebody's text so that it can't be taken for ours."""
    inner = re.sub('["\u201c-\u201f\u00ab\u00bb\u2039\u203a]', "'", _clean(text))
    return f"\u201c{_clip(inner, _MAX_VALUE)}\u201d"


def _clean(text: str) -> str:
    return " ".join(_CONTROL.sub(" ", text).split())


def _clip(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}\u2026"


def _join(careful: str, question: str, how: str = "") -> str:
    """Return the parts as one text; what is too long is cut in the middle part."""
    room = MAX_TEXT - len(careful) - len(how) - 2
    return " ".join(part for part in (careful, _clip(question, room), how) if part)
