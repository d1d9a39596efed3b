"""No slip of the pen grants more: every key of the grammar, every name, every place.

Judged by what changes for all callers of the small house, while all conditions hold and
while none does.
"""

from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy.call import ToolCall
from custom_components.caesar.policy.decision import PolicyDecision, Verdict
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.loader import PolicyError, load_policy
from custom_components.caesar.policy.problem import Report
from custom_components.caesar.policy.reading import IdKind
from custom_components.caesar.policy.yaml_tree import read_tree

from .house import demo_house, service, tool
from .mistakes import misspelt, places, replaced
from .people import CALLERS, DIRECTORY, FakeConditions

WHOLE: Final = """\
version: 1
allowed_services:
  - light.turn_on
  - service: light.turn_off
    name: by night
    for:
      user: [Adult, Boy]
      origin: chat
      agent: CAESAR
    when:
      - condition: time
        after: "20:00:00"
      - not:
          - condition: state
            entity_id: input_boolean.guests
            state: "on"
    max_entities: 1
    target:
      area_id: kitchen
  - service: light.turn_off
    for:
      area: [Kitchen, kids]
      device: d_kitchen
      origin: [voice]
    data:
      transition:
        max: 5
  - service: lock.unlock
    for:
      admin: true
    target:
      entity_id: lock.shed
    approval: always
    approvers: [Adult]
    pin: front
  - service: lock.lock
    approval: never
    tainted: allow
    for:
      user: Adult
    when: "{{ is_state('sun.sun', 'below_horizon') }}"
  - service: cover.open_cover
    when:
      condition: or
      conditions:
        - condition: sun
          after: sunrise
        - condition: zone
          entity_id: person.adult
          zone: zone.home
  - service: valve.open_valve
    approval: always
  - service: homeassistant.turn_off
    for: {user: Adult}
allowed_tools:
  - tool: calculator
    for: {user: Kid}
  - tool: web_search
    input:
      domain_allowlist:
        - en.wikipedia.org
        - "*.example.org"
      limit: {max: 5}
    tainted: ask
  - tool: get_state
    input:
      area_id: [kitchen]
    for: {area: Kitchen}
  - tool: get_state
    for: {user: Adult}
  - tool: frob
    approval: always
    approvers: Boy
    when:
      and:
        - condition: numeric_state
          entity_id: sensor.power
          below: 20
bot:
  context_window: 20
  persona:
    name: Owl
    tone: dry
  tool_policy:
    deny: ["switch__*", "*.alarm_disarm"]
    max_iterations: 4
    writes_with_approval: false
sentinel:
  daily_token_limit: 1000
  rate_limit_per_minute: 5
  circuit_breaker_threshold: 2
  circuit_breaker_cooldown_secs: 60
  audit_retention_days: 30
  approval_ttl_secs: 60
  approval_scope: destructive
impact:
  read_only: [rest_command.ask]
  reversible: [valve.open_valve]
  destructive: [light.toggle, other]
unlisted: deny
"""
STARTERS: Final = {
    path.stem: path.read_text()
    for path in sorted(Path("custom_components/caesar/starters").glob("*.yaml"))
}
TEXTS: Final = {"whole": WHOLE, **STARTERS}
VERDICTS: Final = [Verdict.DENY, Verdict.ASK, Verdict.ALLOW]


@cache
def _calls() -> tuple[ToolCall, ...]:
    """Return calls that a widened policy would let through."""
    names = (
        *("light.turn_on", "light.turn_off", "lock.unlock", "lock.lock"),
        *("cover.open_cover", "homeassistant.turn_off", "switch.turn_on"),
    )
    ids = (
        *("light.hall", "light.downstairs", "lock.shed", "cover.garage"),
        *("switch.kettle", "group.everything"),
    )
    targets: list[dict[str, Json] | None] = [{"entity_id": each} for each in ids]
    targets += [None, {"area_id": "kitchen"}, {"label_id": "doors"}]
    calls = [service(name, target) for name in names for target in targets]
    return (
        *calls,
        service("light.turn_off", "light.hall", {"transition": 4}),
        service("light.turn_off", "light.hall", {"transition": 90}),
        service("light.toggle", "light.hall"),
        service("alarm_control_panel.alarm_disarm", "alarm_control_panel.house"),
        service("script.turn_on", "script.let_in"),
        service("shell_command.x"),
        service("rest_command.ask"),
        service("media_player.play_media", "media_player.living"),
        service("notify.phone", None, {"message": "x"}),
        tool("calculator"),
        tool("web_search"),
        tool("web_search", limit=5),
        tool("web_search", limit=5, domain="en.wikipedia.org"),
        tool("web_search", limit=5, domain="evil.example"),
        tool("get_state"),
        tool("get_state", area_id="kitchen"),
        tool("get_state", area_id="kids"),
        tool("find_entities"),
        tool("recall_memory"),
        tool("frob"),
        tool("other"),
    )


def _granted(decision: PolicyDecision) -> tuple[int, ...]:
    """Return how much a decision grants, so that more is more in some place."""
    filtered = decision.result_filter
    terms = decision.approval
    return (
        VERDICTS.index(decision.verdict),
        decision.taint_allowed,
        decision.verdict is not Verdict.DENY and filtered is None,
        decision.verdict is Verdict.ASK and (terms is None or terms.pin is None),
    )


def _answers(policy: LoadedPolicy) -> list[tuple[int, ...]]:
    home = demo_house()
    return [
        _granted(policy.evaluate(call, caller, home, FakeConditions(met=met)))
        for call in _calls()
        for caller in CALLERS.values()
        for met in (True, False)
    ]


@cache
def _answers_of(name: str) -> list[tuple[int, ...]]:
    return _answers(load_policy(TEXTS[name], DIRECTORY))


def _never_widens(name: str, changed: str) -> bool:
    """Return whether a changed text is refused, or grants no more than before."""
    try:
        policy = load_policy(changed, DIRECTORY)
    except PolicyError as err:
        return all(problem.line > 0 for problem in err.problems)
    return not any(map(_is_more, _answers(policy), _answers_of(name), strict=True))


def _is_more(new: tuple[int, ...], old: tuple[int, ...]) -> bool:
    """Return whether a decision grants anything that it did not."""
    if new[0] != old[0]:
        return new[0] > old[0]
    return any(now > before for now, before in zip(new[1:], old[1:], strict=True))


def _forbids(name: str) -> set[tuple[int, str]]:
    """Return the words that forbid or raise: without one of them, more is allowed.

    No grammar can know that they are misspelt, so they are named for the report.
    """
    policy = load_policy(TEXTS[name], DIRECTORY)
    return {
        (each.line, each.id)
        for each in policy.ids_named()
        if each.kind is IdKind.DENY_GLOB or each.path.startswith("impact.destructive")
    }


PLACES: Final = {
    name: [
        place
        for place in places(read_tree(text, Report()))
        if (place[0], place[2]) not in _forbids(name)
    ]
    for name, text in TEXTS.items()
}
ANYWHERE: Final = st.sampled_from(["whole", *TEXTS]).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from(PLACES[name]))
)


@pytest.mark.parametrize("place", PLACES["whole"], ids=str)
def test_each_word_misspelt(place: tuple[int, int, str]) -> None:
    """Each key and name of the whole grammar, in several ways."""
    seen = set()
    for seed in range(5):
        changed = replaced(WHOLE, place, misspelt(place[2], Random(seed)))
        if changed not in seen:
            seen.add(changed)
            assert _never_widens("whole", changed), changed.splitlines()[place[0] - 1]


@settings(max_examples=60, deadline=None)
@given(where=ANYWHERE, seed=st.integers(0, 10_000))
def test_any_word_misspelt(where: tuple[str, tuple[int, int, str]], seed: int) -> None:
    """Any word of any starter."""
    name, place = where
    changed = replaced(TEXTS[name], place, misspelt(place[2], Random(seed)))
    assert _never_widens(name, changed)


OTHERS: Final = (
    *("[]", "{}", "null", "true", "false", "0", "1.5", '""', "off", "[[]]", "[null]"),
    *("*", "all", "<<", "{a: 1}", "{enabled: false}", "2026-01-01", "{and: []}"),
)


@pytest.mark.parametrize("new", OTHERS)
def test_anything_else_in_place_of_a_word(new: str) -> None:
    """Of another type, empty, or with a meaning of its own in YAML."""
    for place in PLACES["whole"]:
        assert _never_widens("whole", replaced(WHOLE, place, new)), place


def _moved(lines: list[str], number: int, indent: int) -> str:
    line = " " * indent + lines[number].lstrip()
    return "\n".join([*lines[:number], line, *lines[number + 1 :]])


def test_a_line_at_another_depth() -> None:
    """Pushed in or pulled out, to every depth there is."""
    lines = WHOLE.splitlines()
    for number in range(1, len(lines)):
        for indent in range(0, 12, 2):
            assert _never_widens("whole", _moved(lines, number, indent)), (
                lines[number],
                indent,
            )


@pytest.mark.parametrize("name", TEXTS)
def test_a_line_twice(name: str) -> None:
    """A key is twice an error; what a doubled entry says is said already."""
    lines = TEXTS[name].splitlines()
    chosen = [n for n, line in enumerate(lines) if ":" in line and "#" not in line]
    for number in chosen:
        doubled = [*lines[: number + 1], *lines[number:]]
        assert _never_widens(name, "\n".join(doubled)), lines[number]


@pytest.mark.parametrize(
    "key",
    [
        *("for", "when", "approval", "approvers", "pin", "max_entities", "tainted"),
        *("target", "data", "input", "name", "service", "tool", "enabled"),
        *("user", "area", "device", "agent", "origin", "admin", "entity_id"),
        *("unlisted", "impact", "bot", "sentinel", "version", "allowed_services"),
        *("allowed_tools", "tool_policy", "allow", "deny", "writes_with_approval"),
        *("approval_scope", "read_only", "persona", "condition", "conditions", "not"),
    ],
)
def test_a_key_where_it_does_not_belong(key: str) -> None:
    """Every key of the grammar, put in front of every line of a block."""
    lines = WHOLE.splitlines()
    for number, line in enumerate(lines[1:], 1):
        body = line.lstrip(" ")
        if body.startswith(("- ", "]")):
            continue
        indent = len(line) - len(body)
        value = ("never", "[]", "true")[number % 3]
        added = " " * indent + f"{key}: {value}"
        changed = "\n".join([*lines[:number], added, *lines[number:]])
        assert _widens_only_as_written("whole", changed, key, value), (line, added)


def _widens_only_as_written(name: str, changed: str, key: str, value: str) -> bool:
    """Return whether the text is refused or grants no more, but for one thing.

    `approval: never` in an entry, and switching asking on, are what their words say.
    """
    said = (key, value) in (("approval", "never"), ("writes_with_approval", "true"))
    return said or _never_widens(name, changed)


def test_what_forbids_is_named_for_the_report() -> None:
    """A pattern or class that fits nothing is told with its line."""
    assert {word for _, word in _forbids("whole")} == {
        *("switch__*", "*.alarm_disarm", "light.toggle", "other")
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("user: [Adult, Boy]", "user: [Adult, Boy, Kid]"),
        ("max_entities: 1", "max_entities: 9"),
        ("      admin: true\n", "      user: [Adult, Kid]\n"),
        ("    pin: front\n", ""),
        ("tainted: ask", "tainted: allow"),
        ("unlisted: deny", "unlisted: ask"),
        ("area_id: [kitchen]", "area_id: [kitchen, kids]"),
        ('["switch__*", ', '["swtch__*", '),
        ("        - en.wikipedia.org\n", "        - evil.example\n"),
    ],
)
def test_the_fuzz_would_notice(old: str, new: str) -> None:
    """What does grant more is seen by these calls and callers."""
    assert old in WHOLE
    changed = WHOLE.replace(old, new)
    if "swtch" in new:
        changed = changed.replace(
            "allowed_tools:", "  - switch.turn_on\nallowed_tools:"
        )
    assert not _never_widens("whole", changed)
