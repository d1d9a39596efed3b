"""A small house with people in it, and ways to refuse them something."""

from functools import partial
from typing import Any, Final

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import ServiceCall, ToolCall, service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision
from custom_components.caesar.policy.directory import Named, NameKind
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.home import NoConditions, StaticHome
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.narrow import Grant, Rule, add_rule, narrow

from .house import facts, home_of

NAMED: Final = (
    (NameKind.USER, "id-adult", "Adult"),
    (NameKind.USER, "id-boy", "Boy"),
    (NameKind.USER, "id-twin", "Twin"),
    (NameKind.USER, "id-twin-2", "Twin"),
    (NameKind.DEVICE, "dev-hall", "Hall satellite"),
    (NameKind.DEVICE, "dev-bath", "Bath satellite"),
    (NameKind.AGENT, "agent", "CAESAR"),
    (NameKind.AGENT, "other", "Butler"),
)


class House:
    """A directory; an id matches alone."""

    def find(self, kind: NameKind, word: str) -> tuple[Named, ...]:
        """Return what has this id, else this name."""
        found = [Named(id=i, name=name) for k, i, name in NAMED if k is kind]
        by_id = tuple(each for each in found if each.id == word)
        return by_id or tuple(each for each in found if each.name == word)

    def names(self, kind: NameKind) -> list[str]:
        """Return all names."""
        return [name for k, _, name in NAMED if k is kind]


load: Final = partial(load_policy, directory=House())
HOME: Final[StaticHome] = home_of(
    facts("light.kitchen", area_id="kitchen"),
    facts("light.hall", area_id="hall"),
    facts("lock.front"),
    facts("siren.roof"),
    facts("cover.garage", device_class="garage"),
    facts("climate.living"),
    facts("media_player.tv"),
)
NOTHING: Final = "version: 1\nallowed_services: []\nallowed_tools: []\n"


def asker(**given: Any) -> Caller:
    """Return who asks; Adult in the chat if nothing is said."""
    who = {"origin": Origin.CHAT, "user_id": "id-adult", "agent_id": "agent"} | given
    return Caller(context_id="c", **who)


ADULT: Final = asker()
SATELLITE: Final = asker(
    origin=Origin.VOICE,
    user_id=None,
    satellite_id="assist_satellite.hall",
    device_id="dev-hall",
    area_id="hall",
)
AUTOMATION: Final = asker(origin=Origin.AUTOMATION, user_id=None)
OTHERS: Final = (
    asker(user_id="id-boy"),
    asker(user_id="id-boy", is_admin=True),
    asker(origin=Origin.AGENT),
    asker(origin=Origin.AI_TASK),
    asker(origin=Origin.VOICE, user_id=None, satellite_id="s", device_id="dev-bath"),
    asker(origin=Origin.AUTOMATION, user_id=None, agent_id="other"),
    # What is only said of a device never makes a satellite.
    asker(device_id="dev-hall", satellite_id="s", user_id="id-boy"),
    asker(device_id="dev-hall", user_id=None, origin=Origin.AUTOMATION),
)


def call_of(name: str, target: Json = None, **data: Json) -> ServiceCall:
    """Return a service call; the target is an entity or a block."""
    domain, _, verb = name.partition(".")
    block = {"entity_id": target} if isinstance(target, str) else target
    assert block is None or isinstance(block, dict)
    return service_call(domain, verb, block, data)


def decide(policy: LoadedPolicy, call: ToolCall, caller: Caller) -> PolicyDecision:
    """Decide a call."""
    return policy.evaluate(call, caller, HOME, NoConditions())


def rule_for(
    call: ToolCall,
    caller: Caller = ADULT,
    grant: Grant = Grant.ALLOW,
    text: str = NOTHING,
    *,
    guarded: bool = False,
) -> Rule:
    """Return the rule for a call that a policy refuses."""
    decision = decide(load(text), call, caller)
    return narrow(call, caller, decision, grant, House(), guarded=guarded)


def with_rule(rule: Rule, text: str = NOTHING) -> LoadedPolicy:
    """Return the policy with a rule in it, which loads without a remark."""
    policy = load(add_rule(text, load(text), rule, "from a refusal").text)
    assert policy.lints == ()
    return policy


LIGHT: Final = call_of("light.turn_on", "light.kitchen", brightness_pct=40)
