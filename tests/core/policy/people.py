"""The people of the small house, as a directory of names and as callers."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from custom_components.caesar.policy.call import ToolCall
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision
from custom_components.caesar.policy.directory import Named, NameKind
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.home import ConditionResult, HomeView
from custom_components.caesar.policy.loader import load_policy

from .house import demo_house


@dataclass(frozen=True, slots=True)
class FakeDirectory:
    """A directory of a few names; two devices share one."""

    known: tuple[tuple[NameKind, Named], ...]

    def find(self, kind: NameKind, word: str) -> tuple[Named, ...]:
        """Return by id alone, else by name."""
        named = [each for of, each in self.known if of is kind]
        by_id = tuple(each for each in named if each.id == word)
        wanted = word.strip().casefold()
        return by_id or tuple(n for n in named if n.name.casefold() == wanted)

    def names(self, kind: NameKind) -> Iterable[str]:
        """Return the names."""
        return [each.name for of, each in self.known if of is kind]


DIRECTORY: Final = FakeDirectory(
    tuple(
        (kind, Named(id=id_, name=name))
        for kind, id_, name in (
            (NameKind.USER, "u_adult", "Adult"),
            (NameKind.USER, "u_boy", "Boy"),
            (NameKind.USER, "u_kid", "Kid"),
            (NameKind.AREA, "kitchen", "Kitchen"),
            (NameKind.AREA, "kids", "Children's room"),
            (NameKind.DEVICE, "d_kitchen", "Speaker"),
            (NameKind.DEVICE, "d_kids", "Speaker"),
            (NameKind.AGENT, "conversation.caesar", "CAESAR"),
            (NameKind.AGENT, "conversation.other", "Other"),
            (NameKind.PIN, "front", "front"),
        )
    )
)


def user(user_id: str, *, admin: bool = False, **more: object) -> Caller:
    """Return a user at a keyboard."""
    given = {"origin": Origin.CHAT, "agent_id": "conversation.caesar", **more}
    return Caller(user_id=user_id, is_admin=admin, context_id="c", **given)  # type: ignore[arg-type]  # fields by name


def satellite(device_id: str, area_id: str | None) -> Caller:
    """Return somebody who speaks to a satellite."""
    return Caller(
        origin=Origin.VOICE,
        satellite_id=f"assist_satellite.{device_id}",
        device_id=device_id,
        area_id=area_id,
        agent_id="conversation.caesar",
        context_id="c",
    )


ADULT: Final = user("u_adult", admin=True)
BOY: Final = user("u_boy")
KID: Final = user("u_kid")
# What any user can send along: it says which room is meant, and vouches for nothing.
FORGER: Final = user(
    "u_kid",
    satellite_id="assist_satellite.d_kitchen",
    device_id="d_kitchen",
    area_id="kitchen",
)
KITCHEN: Final = satellite("d_kitchen", "kitchen")
KIDS: Final = satellite("d_kids", "kids")
AUTOMATION: Final = Caller(
    origin=Origin.AUTOMATION, agent_id="conversation.caesar", context_id="c"
)
CALLERS: Final = {
    "adult": ADULT,
    "boy": BOY,
    "kid": KID,
    "forger": FORGER,
    "kitchen": KITCHEN,
    "kids": KIDS,
    "automation": AUTOMATION,
}


@dataclass(slots=True)
class FakeConditions:
    """Conditions that hold as told, by id; counts how often they are asked."""

    met: object = True
    problem: str | None = None
    asked: list[str] = field(default_factory=list)

    def check(self, condition_id: str) -> ConditionResult:
        """Answer as told, or raise it."""
        self.asked.append(condition_id)
        if isinstance(self.met, Exception):
            raise self.met
        return ConditionResult(met=self.met, problem=self.problem)  # type: ignore[arg-type]  # what a checker must not answer


def load(text: str) -> LoadedPolicy:
    """Return the policy of a text without its first line, in this house."""
    return load_policy(f"version: 1\n{text}", DIRECTORY)


def ask(
    policy: LoadedPolicy | str,
    call: ToolCall,
    caller: Caller = ADULT,
    conditions: FakeConditions | None = None,
    home: HomeView | None = None,
) -> PolicyDecision:
    """Return the decision about a caller's call."""
    if isinstance(policy, str):
        policy = load(policy)
    return policy.evaluate(
        call, caller, home or demo_house(), conditions or FakeConditions()
    )


def word(decision: PolicyDecision) -> str:
    """Return allow, ask, or the code of the denial."""
    if decision.verdict.value == "deny":
        return decision.reason.code.value
    return decision.verdict.value
