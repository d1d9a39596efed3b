"""The form over the file: what it reads, what it writes, and what it leaves alone."""

from functools import partial
from pathlib import Path
from typing import Any, Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.directory import Named, NameKind
from custom_components.caesar.policy.edit import UneditableText
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.form import (
    OFF,
    Choice,
    Covers,
    Form,
    Setting,
    read_form,
)
from custom_components.caesar.policy.form_edit import FormHouse, write_form
from custom_components.caesar.policy.home import NoConditions
from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.rows import ROWS, RowKey

from .house import facts, home_of, service, tool

STARTERS: Final = Path("custom_components/caesar/starters")
EVERYDAY: Final = (STARTERS / "everyday.yaml").read_text()
COVERS: Final = Covers(
    doors={"cover.garage": "garage", "cover.gate": "garden"},
    blinds={"cover.kitchen": "kitchen", "cover.bedroom": "bedroom"},
)
HOME: Final = home_of(
    facts("cover.garage", device_class="garage", area_id="garage"),
    facts("cover.gate", device_class="gate", area_id="garden"),
    facts("cover.kitchen", device_class="blind", area_id="kitchen"),
    facts("cover.bedroom", area_id="bedroom"),
    facts("light.kitchen", area_id="kitchen"),
    facts("light.bedroom", area_id="bedroom"),
    facts("lock.front", area_id="hall"),
)
PEOPLE: Final = {"id-adult": "Adult", "id-boy": "Boy", "id-yes": "yes"}
ALLOW: Final = Setting(choice=Choice.ALLOW)
ASK: Final = Setting(choice=Choice.ASK)


class People:
    """A directory of a few people."""

    def find(self, kind: NameKind, word: str) -> tuple[Named, ...]:
        """Return who has this id or name."""
        if kind is not NameKind.USER:
            return ()
        return tuple(
            Named(id=user_id, name=name)
            for user_id, name in PEOPLE.items()
            if word in (user_id, name)
        )

    def names(self, kind: NameKind) -> list[str]:
        """Return all names."""
        return list(PEOPLE.values())


load: Final = partial(load_policy, directory=People())
HOUSE: Final = FormHouse(load=load, covers=COVERS, user_word=PEOPLE.__getitem__)


def form_of(text: str, covers: Covers = COVERS) -> Form:
    """Read a text as the form."""
    return read_form(load(text), covers)


def settings_of(text: str) -> dict[RowKey, Setting]:
    """Return what the rows say."""
    return {key: state.setting for key, state in form_of(text).rows.items()}


def write(text: str, wanted: dict[RowKey, Setting]) -> str:
    """Write rows, the others as they are."""
    return write_form(text, settings_of(text) | wanted, HOUSE)


def verdict(
    policy: LoadedPolicy, name: str, entity: str, user: str = "id-adult"
) -> Verdict:
    """Decide one call of a user."""
    caller = Caller(origin=Origin.CHAT, user_id=user, agent_id="a", context_id="c")
    decision = policy.evaluate(service(name, entity), caller, HOME, NoConditions())
    return decision.verdict


def test_the_everyday_starter_is_a_form() -> None:
    """Every row is understood as a whole, and nothing is left over."""
    form = form_of(EVERYDAY)
    asked = {RowKey.DOORS, RowKey.LOCKS, RowKey.ALARM, RowKey.SPEECH}
    for key, state in form.rows.items():
        assert state.setting == (ASK if key in asked else ALLOW), key
        assert state.whole, key
        assert state.by_hand == 0, key
    assert form.elsewhere == 0
    assert form.off


def test_a_form_sent_as_it_is_changes_nothing() -> None:
    """For every starter."""
    for path in STARTERS.glob("*.yaml"):
        text = path.read_text()
        assert write(text, {}) == text


def test_other_lines_stay_byte_equal() -> None:
    """Only the row's lines differ; new ones come after its last."""
    text = write(EVERYDAY, {RowKey.LIGHTS: Setting(choice=Choice.ASK, areas=("hall",))})
    old, new = EVERYDAY.splitlines(), text.splitlines()
    changed = [line for line in old if line not in new]
    assert changed == ["  - light.turn_on", "  - light.turn_off", "  - light.toggle"]
    at = new.index("  - service: light.turn_on")
    assert new[at : at + 3] == [
        "  - service: light.turn_on",
        "    target: {area_id: [hall]}",
        "    approval: always",
    ]
    del new[at : at + 9]
    assert new == [each for each in old if each not in changed]


def test_off_removes_and_on_adds_again() -> None:
    """The row comes back whole, with a word above it."""
    off = write(EVERYDAY, {RowKey.LOCKS: OFF})
    assert "lock." not in off
    policy = load(off)
    assert verdict(policy, "lock.unlock", "lock.front") is Verdict.DENY
    on = write(off, {RowKey.LOCKS: ASK})
    assert "  # Locks\n  - service: lock.lock\n    approval: always\n" in on
    assert verdict(load(on), "lock.unlock", "lock.front") is Verdict.ASK
    allowed = write(on, {RowKey.LOCKS: ALLOW})
    assert verdict(load(allowed), "lock.unlock", "lock.front") is Verdict.ALLOW


def test_for_persons_only() -> None:
    """By name; another person is refused."""
    text = write(
        EVERYDAY, {RowKey.LIGHTS: Setting(choice=Choice.ALLOW, users=("id-yes",))}
    )
    assert 'for: {user: ["yes"]}' in text
    policy = load(text)
    assert verdict(policy, "light.turn_on", "light.kitchen", "id-yes") is Verdict.ALLOW
    assert verdict(policy, "light.turn_on", "light.kitchen", "id-boy") is Verdict.DENY
    assert settings_of(text)[RowKey.LIGHTS].users == ("id-yes",)


@pytest.mark.parametrize(
    ("blinds", "doors", "kitchen", "garage"),
    [
        (ALLOW, ASK, "allow", "ask"),
        (ALLOW, OFF, "allow", "deny"),
        (ALLOW, ALLOW, "allow", "allow"),
        (ASK, ASK, "ask", "ask"),
        (ASK, OFF, "ask", "deny"),
        (ASK, ALLOW, "ask", "allow"),
        (OFF, ASK, "deny", "ask"),
        (OFF, ALLOW, "deny", "allow"),
        (OFF, OFF, "deny", "deny"),
        (Setting(choice=Choice.ALLOW, areas=("kitchen",)), ASK, "allow", "ask"),
        (Setting(choice=Choice.ALLOW, users=("id-boy",)), ASK, "deny", "ask"),
        (ALLOW, Setting(choice=Choice.ASK, users=("id-boy",)), "allow", "deny"),
        (ALLOW, Setting(choice=Choice.ALLOW, areas=("garden",)), "allow", "deny"),
    ],
)
@pytest.mark.parametrize("start", ["everyday", "read_only", "empty"])
def test_blinds_and_doors(
    start: str, blinds: Setting, doors: Setting, kitchen: str, garage: str
) -> None:
    """They share their services, and are what the form says, each for itself."""
    before = (STARTERS / f"{start}.yaml").read_text()
    text = write(before, {RowKey.BLINDS: blinds, RowKey.DOORS: doors})
    policy = load(text)
    assert verdict(policy, "cover.open_cover", "cover.kitchen").value == kitchen
    assert verdict(policy, "cover.open_cover", "cover.garage").value == garage
    said = settings_of(text)
    assert (said[RowKey.BLINDS], said[RowKey.DOORS]) == (blinds, doors)


def test_a_house_without_doors_keeps_one_line_for_all_blinds() -> None:
    """Nothing is named one by one without need."""
    house = FormHouse(load=load, covers=Covers(), user_word=str)
    empty = (STARTERS / "empty.yaml").read_text()
    text = write_form(empty, {RowKey.BLINDS: ALLOW, RowKey.DOORS: OFF}, house)
    assert "  - cover.open_cover\n" in text


HAND: Final = """version: 1
allowed_services:
  - service: light.turn_on     # Boy
    for: {user: [Boy]}
    when: {condition: sun, after: sunset}
  - light.turn_off
  - service: lock.unlock
    approval: always
    approvers: [Adult]
  - button.press
bot:
  tool_policy:
    deny: ["media_player__*"]
"""


def test_what_is_written_by_hand_stays() -> None:
    """It is counted, and its service is left to it."""
    form = form_of(HAND)
    lights = form.rows[RowKey.LIGHTS]
    assert (lights.setting, lights.by_hand, lights.whole) == (ALLOW, 1, False)
    locks = form.rows[RowKey.LOCKS]
    assert (locks.setting.choice, locks.by_hand) == (Choice.BY_HAND, 1)
    assert form.rows[RowKey.MEDIA].barred
    assert form.elsewhere == 1
    text = write(HAND, {RowKey.LIGHTS: ASK, RowKey.LOCKS: ALLOW})
    first, second = HAND.split("  - light.turn_off\n")
    assert text.startswith(first)
    for part in (second[: second.index("  - button")], second[second.index("bot:") :]):
        assert part in text
    assert "light.turn_on" not in text.replace("light.turn_on     # Boy", "")
    assert verdict(load(text), "lock.unlock", "lock.front") is Verdict.ASK
    off = write(HAND, {RowKey.LIGHTS: OFF})
    assert "light.turn_on     # Boy" in off
    assert "light.turn_off" not in off


def test_two_persons_with_rights_of_their_own_are_by_hand() -> None:
    """One line of the form can't say it, so it doesn't."""
    text = (
        "version: 1\nallowed_services:\n"
        "  - {service: light.turn_on, for: {user: [Adult]}}\n"
        "  - {service: light.turn_off, for: {user: [Boy]}}\n"
    )
    state = form_of(text).rows[RowKey.LIGHTS]
    assert (state.setting.choice, state.by_hand) == (Choice.BY_HAND, 2)


def test_a_name_of_the_owners_stays() -> None:
    """Also where the entry becomes longer."""
    text = write(EVERYDAY, {RowKey.CLIMATE: ASK})
    at = text.index('    name: "comfortable temperatures"')
    assert "approval: always" in text[at : at + 400]


def test_fahrenheit() -> None:
    """A house that counts so gets bounds that mean the same."""
    house = FormHouse(load=load, covers=COVERS, user_word=str, fahrenheit=True)
    text = write_form("version: 1\n", {RowKey.CLIMATE: ALLOW}, house)
    assert "temperature: {min: 61, max: 75}" in text
    assert form_of(text).rows[RowKey.CLIMATE].setting == ALLOW


BEGINNINGS: Final = {
    "nothing": "",
    "comments": "# mine\n",
    "version": "version: 1\n",
    "deny": 'version: 1\nbot:\n  tool_policy:\n    deny: ["weather__*"]\n',
    "writes": "version: 1\nbot:\n  tool_policy:\n    writes_with_approval: true\n",
    "classes": "version: 1\nimpact:\n  reversible: [calendar.get_events]\n"
    "  read_only: [button.press]\n",
    "services": "version: 1\nallowed_services: [switch.turn_on]\n",
    "tools": "version: 1\nallowed_tools:\n  - calculator\n",
    "asks": "version: 1\nunlisted: ask\nallowed_services: [switch.turn_on]\n",
}


@pytest.mark.parametrize("text", BEGINNINGS.values(), ids=BEGINNINGS)
@pytest.mark.parametrize("key", [RowKey.LIGHTS, RowKey.TOOLS])
def test_the_first_entry_changes_nothing_else(text: str, key: RowKey) -> None:
    """What could be read before can be read after, and what was asked about still is."""
    before = load(text)
    after = load(write(text, {key: ASK if key is RowKey.TOOLS else ALLOW}))
    names = {
        name for other, row in ROWS.items() if other is not key for name in row.names
    }
    for name in {*names, "button.press", "notify.phone", "frob", "get_state"}:
        assert after.may_grant(name) == before.may_grant(name), name
        call: Any = _call(name)
        caller = Caller(origin=Origin.CHAT, agent_id="a", context_id="c")
        one, other = (
            policy.evaluate(call, caller, HOME, NoConditions())
            for policy in (before, after)
        )
        assert (other.verdict, other.taint_allowed) == (one.verdict, one.taint_allowed)


def _call(name: str) -> Any:
    return service(name) if "." in name else tool(name)


def test_patterns_alone_are_left_to_the_text() -> None:
    """A list beside them would rule out all the rest."""
    text = 'version: 1\nbot:\n  tool_policy:\n    allow: ["light__*"]\n'
    with pytest.raises(UneditableText) as caught:
        write(text, {RowKey.LOCKS: ASK})
    assert caught.value.line == 4


def test_where_the_rest_asks_nothing_can_be_off() -> None:
    """Taking entries away would not refuse anything."""
    text = BEGINNINGS["asks"]
    form = form_of(text)
    assert not form.off
    assert form.rows[RowKey.LOCKS].setting == ASK
    with pytest.raises(UneditableText):
        write(text, {RowKey.SWITCHES: OFF})


def test_a_file_that_asks_before_every_change_says_so() -> None:
    """Allow would be a promise that the file doesn't keep."""
    text = EVERYDAY + "\nsentinel:\n  approval_scope: mutating\n"
    assert form_of(text).all_ask
    assert verdict(load(text), "light.turn_on", "light.kitchen") is Verdict.ASK
    assert not form_of(EVERYDAY).all_ask


CHOICES: Final = st.sampled_from([OFF, ASK, ALLOW])
ROW_SETTINGS: Final = st.builds(
    lambda choice, areas, users: (
        choice
        if choice is OFF
        else Setting(choice=choice.choice, areas=areas, users=users)
    ),
    CHOICES,
    st.sampled_from([(), ("bedroom",), ("bedroom", "kitchen")]),
    st.sampled_from([(), ("id-adult",), ("id-adult", "id-boy")]),
)


@settings(max_examples=40, deadline=None)
@given(wanted=st.dictionaries(st.sampled_from(list(RowKey)), ROW_SETTINGS, max_size=5))
def test_what_is_written_is_read_again(wanted: dict[RowKey, Setting]) -> None:
    """Whatever is chosen: it loads, it reads as chosen, other rows stay."""
    for key, setting in wanted.items():
        if not ROWS[key].placed:
            wanted[key] = Setting(choice=setting.choice, users=setting.users)
    # Doors in rooms that have none can't be told from none at all.
    wanted.pop(RowKey.DOORS, None)
    wanted.pop(RowKey.BLINDS, None)
    text = write(EVERYDAY, wanted)
    assert settings_of(text) == settings_of(EVERYDAY) | wanted
    assert load(text).lints == ()
