"""`for:`: whom a rule is for, and that nobody talks himself into it."""

from dataclasses import replace
from typing import Final

import pytest

from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.loader import PolicyError
from custom_components.caesar.policy.who import Who

from .house import service, tool
from .people import ADULT, CALLERS, FORGER, KITCHEN, ask, load, user, word

LIGHT: Final = service("light.turn_on", "light.kitchen")
RULE: Final = "allowed_services: [{service: light.turn_on, for: %s}]"


@pytest.mark.parametrize(
    ("who", "covered"),
    [
        ("{user: Adult}", {"adult"}),
        ("{user: [u_adult, boy]}", {"adult", "boy"}),
        ("{admin: true}", {"adult"}),
        ("{user: [Boy], admin: true}", set()),
        ("{area: Kitchen}", {"kitchen"}),
        ("{area: [kids, kitchen]}", {"kitchen", "kids"}),
        ("{device: d_kids}", {"kids"}),
        ("{area: kitchen, device: d_kids}", set()),
        ("{origin: voice}", {"kitchen", "kids"}),
        ("{origin: [voice, automation]}", {"kitchen", "kids", "automation"}),
        ("{origin: chat}", {"adult", "boy", "kid", "forger"}),
        ("{agent: caesar}", set(CALLERS)),
        ("{agent: Other}", set()),
        ("{user: Kid, origin: chat, agent: CAESAR}", {"kid", "forger"}),
    ],
)
def test_covers(who: str, covered: set[str]) -> None:
    """Each key that is given must hold; a place counts for voice only."""
    policy = load(RULE % who)
    got = {name: ask(policy, LIGHT, caller) for name, caller in CALLERS.items()}
    assert {name for name, each in got.items() if word(each) == "allow"} == covered
    for name in set(CALLERS) - covered:
        assert word(got[name]) == "caller_not_covered"
        assert got[name].rule is not None


def test_rule_without_it_is_for_everybody() -> None:
    """Whoever asks."""
    policy = load("allowed_services: [light.turn_on]")
    assert {word(ask(policy, LIGHT, each)) for each in CALLERS.values()} == {"allow"}


@pytest.mark.parametrize("origin", [o for o in Origin if o is not Origin.VOICE])
def test_nobody_borrows_a_place(origin: Origin) -> None:
    """A caller who is no satellite never meets a place, whatever it sends along."""
    forged = replace(FORGER, origin=origin)
    for who in ("{area: kitchen}", "{device: d_kitchen}"):
        assert word(ask(RULE % who, LIGHT, forged)) == "caller_not_covered"
        assert word(ask(RULE % who, LIGHT, KITCHEN)) == "allow"


def test_a_satellite_borrows_nobody() -> None:
    """A satellite never has a user's rights, even if one came along."""
    odd = replace(KITCHEN, user_id="u_adult", is_admin=True)
    for who in ("{user: Adult}", "{admin: true}"):
        assert word(ask(RULE % who, LIGHT, odd)) == "caller_not_covered"
    nameless = replace(KITCHEN, satellite_id=None)
    assert word(ask(RULE % "{area: kitchen}", LIGHT, nameless)) == "caller_not_covered"


@pytest.mark.parametrize("origin", list(Origin))
def test_user_counts_where_home_assistant_vouches_for_one(origin: Origin) -> None:
    """In a chat, a task, or through another agent."""
    caller = replace(ADULT, origin=origin)
    vouched = origin in (Origin.CHAT, Origin.AI_TASK, Origin.AGENT)
    for who in ("{user: Adult}", "{admin: true}"):
        assert (word(ask(RULE % who, LIGHT, caller)) == "allow") is vouched


def test_admin_without_user_is_none() -> None:
    """The flag alone makes nobody an admin."""
    nobody = Caller(origin=Origin.CHAT, is_admin=True, agent_id="a", context_id="c")
    assert not Who(admin=True).covers(nobody)
    assert not Who(users=frozenset({"x"})).covers(nobody)
    assert Who().covers(nobody)


def test_reads_and_tools_have_it_too() -> None:
    """Reading can be somebody's alone, once an entry says so."""
    policy = load(
        "allowed_tools: [{tool: get_state, for: {user: Adult}},"
        " {tool: calculator, for: {area: kids}}]"
    )
    assert word(ask(policy, tool("get_state"))) == "allow"
    assert word(ask(policy, tool("get_state"), KITCHEN)) == "caller_not_covered"
    assert word(ask(policy, tool("find_entities"), KITCHEN)) == "allow"
    assert word(ask(policy, tool("calculator"))) == "caller_not_covered"
    assert word(ask(policy, tool("calculator"), CALLERS["kids"])) == "allow"


def test_renaming_gains_nothing() -> None:
    """Names become ids when the file is loaded."""
    policy = load(RULE % "{user: Adult}")
    (rule,) = policy.services["light.turn_on"]
    assert rule.who == Who(users=frozenset({"u_adult"}))
    assert word(ask(policy, LIGHT, user("Adult"))) == "caller_not_covered"


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("{}", "leave 'for' out"),
        ("", "not nothing"),
        ("Adult", "a block of keys"),
        ("[Adult]", "a block of keys"),
        ("{user: []}", "names nobody"),
        ('{user: ""}', "empty"),
        ("{user: 5}", "a text"),
        ("{user: {name: Adult}}", "a text"),
        ("{user: [Adult, [Boy]]}", "a text"),
        ("{users: Adult}", "Did you mean 'user'?"),
        ("{user: Adlt}", "no user called 'Adlt'. Did you mean 'Adult'?"),
        ("{user: Zebra}", "There are: Adult, Boy, Kid."),
        ("{user: kitchen}", "no user called"),
        ("{area: Kitchn}", "Did you mean 'Kitchen'?"),
        ("{device: Speaker}", "Speaker (d_kitchen), Speaker (d_kids)"),
        ("{agent: CESAR}", "Did you mean 'CAESAR'?"),
        ("{origin: phone}", "none of chat, voice, automation, ai_task, agent"),
        ("{origin: []}", "names nobody"),
        ("{origin: voices}", "Did you mean 'voice'?"),
        ("{admin: false}", "the word true"),
        ('{admin: "true"}', "the word true"),
        ("{user: Adult, area: kitchen}", "No caller has both"),
        ("{user: Adult, device: d_kids}", "No caller has both"),
        ("{admin: true, area: kitchen}", "No caller has both"),
        ("{user: Adult, origin: voice}", "for nobody"),
        ("{admin: true, origin: [automation]}", "for nobody"),
        ("{area: kitchen, origin: chat}", "for nobody"),
    ],
)
def test_bad_for(who: str, words: str) -> None:
    """What names nobody, or could mean several, is an error that says so."""
    with pytest.raises(PolicyError) as caught:
        load(f"allowed_services:\n  - service: light.turn_on\n    for: {who}")
    first = caught.value.problems[0]
    assert words in str(first)
    assert first.line == 4
    assert first.path.startswith("allowed_services[1].for")
