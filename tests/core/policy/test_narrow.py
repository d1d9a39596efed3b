"""From a refusal to a rule: nothing but this call, of this asker."""

from functools import partial
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.actions import Contents
from custom_components.caesar.policy.call import (
    GenericToolCall,
    ServiceCall,
    ToolCall,
    service_call,
)
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.directory import Named, NameKind
from custom_components.caesar.policy.edit import UneditableText
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.home import NoConditions, StaticHome
from custom_components.caesar.policy.loader import PolicyError, load_policy
from custom_components.caesar.policy.narrow import (
    Grant,
    NoRule,
    NoRuleError,
    Rule,
    add_rule,
    can_grow,
    grants_of,
    narrow,
    why_no_rule,
)

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


@pytest.mark.parametrize(
    ("caller", "who"),
    [
        (ADULT, {"user": ["Adult"], "origin": ["chat"]}),
        (asker(user_id="id-twin"), {"user": ["id-twin"], "origin": ["chat"]}),
        (asker(origin=Origin.AGENT), {"user": ["Adult"], "origin": ["agent"]}),
        (SATELLITE, {"device": ["Hall satellite"]}),
        (AUTOMATION, {"agent": ["CAESAR"], "origin": ["automation"]}),
    ],
)
def test_for_this_asker_only(caller: Caller, who: dict[str, Json]) -> None:
    """The one who asked gets it, by the same way, and nobody else."""
    rule = rule_for(LIGHT, caller)
    assert rule.entry == {
        "service": "light.turn_on",
        "target": {"entity_id": ["light.kitchen"]},
        "data": {"brightness_pct": 40},
        "for": who,
    }
    policy = with_rule(rule)
    assert decide(policy, LIGHT, caller).verdict is Verdict.ALLOW
    for other in OTHERS:
        if (other.origin, other.user_id, other.agent_id, other.device_id) != (
            caller.origin,
            caller.user_id,
            caller.agent_id,
            caller.device_id,
        ):
            if caller is AUTOMATION and other.agent_id == "agent" and not other.user_id:
                if other.origin is Origin.AUTOMATION:
                    continue
            assert decide(policy, LIGHT, other).verdict is Verdict.DENY, other


@pytest.mark.parametrize(
    "call",
    [
        call_of("light.turn_on", "light.kitchen", brightness_pct=41),
        call_of("light.turn_on", "light.kitchen", brightness_pct="40"),
        call_of("light.turn_on", "light.kitchen", brightness_pct=40, flash="short"),
        call_of("light.turn_on", "light.hall", brightness_pct=40),
        call_of("light.turn_on", {"area_id": ["hall"]}, brightness_pct=40),
        call_of("light.turn_on", {"entity_id": ["light.kitchen", "light.hall"]}),
        call_of("light.turn_off", "light.kitchen"),
        call_of("homeassistant.turn_on", "light.kitchen"),
    ],
)
def test_nothing_else(call: ServiceCall) -> None:
    """Other values, entities and services stay refused."""
    policy = with_rule(rule_for(LIGHT))
    assert decide(policy, call, ADULT).verdict is Verdict.DENY


def test_a_room_becomes_its_entities_of_today() -> None:
    """What is put into the room later is not in the rule."""
    call = call_of("light.turn_on", {"area_id": ["kitchen"]})
    rule = rule_for(call)
    assert rule.entry["target"] == {"entity_id": ["light.kitchen"]}
    assert rule.any_data
    assert decide(with_rule(rule), call, ADULT).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    ("call", "grant", "guarded", "approval", "verdict"),
    [
        (LIGHT, Grant.ALLOW, False, None, "allow"),
        (LIGHT, Grant.ASK, False, "always", "ask"),
        (call_of("siren.turn_on", "siren.roof"), Grant.ALLOW, False, "never", "allow"),
        (call_of("siren.turn_on", "siren.roof"), Grant.ASK, False, "always", "ask"),
        (call_of("lock.unlock", "lock.front"), Grant.ASK, True, "always", "ask"),
        (call_of("cover.open_cover", "cover.garage"), Grant.ASK, True, "always", "ask"),
    ],
)
def test_what_it_asks(
    call: ServiceCall, grant: Grant, guarded: bool, approval: str | None, verdict: str
) -> None:
    """As the admin chose; what opens the house asks every time."""
    rule = rule_for(call, grant=grant, guarded=guarded)
    assert rule.entry.get("approval") == approval
    assert decide(with_rule(rule), call, ADULT).verdict.value == verdict


@pytest.mark.parametrize(
    "call",
    [call_of("lock.unlock", "lock.front"), call_of("cover.open_cover", "cover.garage")],
)
def test_what_opens_the_house_is_never_simply_allowed(call: ServiceCall) -> None:
    """Not offered, and not made when asked for all the same."""
    decision = decide(load(NOTHING), call, ADULT)
    assert grants_of(decision, guarded=True) == (Grant.ASK,)
    with pytest.raises(NoRuleError):
        rule_for(call, grant=Grant.ALLOW, guarded=True)


GROWN: Final = home_of(
    facts("light.kitchen"),
    facts("siren.roof"),
    facts("siren.all", members=("siren.roof",)),
    facts("light.all", members=("light.kitchen",)),
    facts("script.odd", contents=Contents(whole=False)),
    facts("script.nice", contents=Contents(whole=True)),
    facts("automation.any"),
)


@pytest.mark.parametrize(
    ("call", "grows"),
    [
        (call_of("siren.turn_on", "siren.roof"), False),
        (call_of("siren.turn_on", "siren.all"), True),
        (call_of("light.turn_on", "light.all"), False),
        (call_of("script.turn_on", "script.odd"), True),
        (call_of("script.odd"), True),
        (call_of("script.gone"), True),
        (call_of("script.turn_on", "script.nice"), False),
        (call_of("automation.trigger", "automation.any"), True),
        (call_of("notify.phone", message="x"), False),
        (call_of("notify.phone", message="see script.odd"), True),
        (GenericToolCall(tool="frob"), False),
    ],
)
def test_what_could_grow_into_a_lock(call: ToolCall, grows: bool) -> None:
    """What asks by its class whenever it becomes worse needs no care here."""
    policy = load(NOTHING)
    decision = policy.evaluate(call, ADULT, GROWN, NoConditions())
    assert can_grow(call, decision, GROWN) is grows


DENY: Final = (
    'version: 1\nallowed_services: []\nbot:\n  tool_policy:\n    deny: ["light__*"]\n'
)
PATTERNS: Final = (
    'version: 1\nallowed_services: []\nbot:\n  tool_policy:\n    allow: ["switch__*"]\n'
)


@pytest.mark.parametrize(
    ("call", "text", "why"),
    [
        (call_of("shell_command.x"), NOTHING, NoRule.RUNS_CODE),
        (call_of("hassio.addon_stop"), NOTHING, NoRule.RUNS_CODE),
        (call_of("caesar.approve"), NOTHING, NoRule.RUNS_CODE),
        (LIGHT, DENY, NoRule.RULED_OUT),
        (call_of("homeassistant.turn_on", "light.hall"), DENY, NoRule.RULED_OUT),
        (LIGHT, "version: 1\nallowed_services: [light.turn_on]\n", NoRule.ALLOWED_NOW),
        (call_of("light.turn_on", "light.gone"), NOTHING, NoRule.NO_CALL),
        (
            call_of("light.turn_on", {"area_id": ["gone"]}),
            NOTHING,
            NoRule.NOTHING_THERE,
        ),
        (call_of("light.turn_on", "light.hall", rgb=[1, 2]), NOTHING, NoRule.VALUES),
        (call_of("light.turn_on", "light.hall", x={"a": 1}), NOTHING, NoRule.VALUES),
        (call_of("light.turn_on", "light.hall", x=None), NOTHING, NoRule.VALUES),
        (GenericToolCall(tool="frob", input={"a": 1}), NOTHING, NoRule.VALUES),
        (
            GenericToolCall(tool="get_state", input={"entity_id": [1]}),
            "version: 1\nallowed_tools:\n  - tool: get_state\n    input: {domain: [a]}\n",
            NoRule.VALUES,
        ),
    ],
)
def test_no_rule(call: ToolCall, text: str, why: NoRule) -> None:
    """It says why not."""
    with pytest.raises(NoRuleError) as caught:
        rule_for(call, text=text, grant=Grant.ASK)
    assert caught.value.why is why


def test_a_pattern_that_allows_others_still_refuses() -> None:
    """Then the rule would be no help; whoever proposes it has to look."""
    rule = rule_for(LIGHT, text=PATTERNS)
    policy = load(add_rule(PATTERNS, load(PATTERNS), rule, "x").text)
    assert decide(policy, LIGHT, ADULT).verdict is Verdict.DENY


@pytest.mark.parametrize(
    "caller",
    [
        asker(user_id="gone"),
        asker(origin=Origin.VOICE, user_id=None, satellite_id="s"),
        asker(origin=Origin.VOICE, user_id=None, satellite_id="s", device_id="gone"),
        asker(origin=Origin.AUTOMATION, user_id="id-adult"),
        asker(origin=Origin.AUTOMATION, user_id=None, agent_id="gone"),
    ],
)
def test_nobody_known_gets_no_rule(caller: Caller) -> None:
    """A rule that is for nobody in particular would be for everybody."""
    with pytest.raises(NoRuleError) as caught:
        rule_for(LIGHT, caller)
    assert caught.value.why is NoRule.CALLER_GONE


def test_tools() -> None:
    """With the very input; a read of the house with the very ids."""
    text = "version: 1\nallowed_tools:\n  - tool: get_state\n    input: {domain: [a]}\n"
    read = GenericToolCall(tool="get_state", input={"entity_id": ["light.hall"]})
    rule = rule_for(read, text=text)
    assert rule.entry["input"] == {"entity_id": ["light.hall"]}
    policy = with_rule(rule, text)
    assert decide(policy, read, ADULT).verdict is Verdict.ALLOW
    other = GenericToolCall(tool="get_state", input={"entity_id": ["light.kitchen"]})
    assert decide(policy, other, ADULT).verdict is Verdict.DENY

    asked = GenericToolCall(tool="web_search", input={"query": "tea", "limit": 3})
    policy = with_rule(rule_for(asked))
    assert decide(policy, asked, ADULT).verdict is Verdict.ALLOW
    coffee = GenericToolCall(tool="web_search", input={"query": "coffee", "limit": 3})
    assert decide(policy, coffee, ADULT).verdict is Verdict.DENY
    frob = GenericToolCall(tool="frob")
    assert rule_for(frob).any_data


def test_a_file_without_lists_keeps_its_reading() -> None:
    """The first rule of all takes nothing away and gives nothing else."""
    text = "# mine\nversion: 1\n"
    rule = rule_for(LIGHT, text=text)
    edit = add_rule(text, load(text), rule, "from a refusal")
    assert edit.text.startswith(text)
    policy = load(edit.text)
    for name in ("weather.get_forecasts", "calendar.get_events"):
        assert decide(policy, call_of(name), ADULT).verdict is Verdict.ALLOW
    for name in ("web_search", "recall_memory", "get_state"):
        tool = GenericToolCall(tool=name)
        assert decide(policy, tool, ADULT).verdict is Verdict.ALLOW
    other = call_of("light.turn_on", "light.hall")
    assert decide(policy, other, ADULT).verdict is Verdict.DENY


def test_a_file_of_patterns_gets_no_list() -> None:
    """All else that the patterns allow would be gone."""
    text = 'version: 1\nbot:\n  tool_policy:\n    allow: ["switch__*"]\n'
    with pytest.raises(UneditableText):
        add_rule(text, load(text), rule_for(LIGHT), "x")


@settings(max_examples=150, deadline=None)
@given(
    value=st.one_of(
        st.text(min_size=1, max_size=20),
        st.integers(-(10**12), 10**12),
        st.booleans(),
        st.floats(allow_nan=False, allow_infinity=False, width=32),
    ),
    key=st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
)
def test_any_value_means_itself(value: Json, key: str) -> None:
    """However odd a model's value is: the rule allows it, and no other line changes.

    Or there is no rule: what the file can't hold is never made into something wider.
    """
    call = call_of("media_player.play_media", "media_player.tv", **{key: value})
    try:
        rule = rule_for(call, grant=Grant.ASK)
    except NoRuleError:
        return
    edit = add_rule(NOTHING, load(NOTHING), rule, "from a refusal")
    try:
        policy = load(edit.text)
    except PolicyError:
        return
    assert policy.counts["allowed_services"] == 1
    lines = edit.text.splitlines(keepends=True)
    assert lines[0] == "version: 1\n"
    assert lines[-1] == "allowed_tools: []\n"
    after = decide(policy, call, ADULT)
    # Templates are refused whatever a rule says.
    assert after.verdict is Verdict.ASK or why_no_rule(after) is NoRule.NO_CALL
    other = call_of("media_player.play_media", "media_player.tv", **{key: "other!"})
    if value != "other!":
        assert decide(policy, other, ADULT).verdict is Verdict.DENY
