"""The starter policies, and what becomes of them under an owner's slips of the pen."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Final

from hypothesis import given, settings, strategies as st
import pytest
import yaml

from custom_components.caesar.const import StarterPolicy
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.policy import impact
from custom_components.caesar.policy.call import ToolCall
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.impact import Impact, service_impact
from custom_components.caesar.policy.loader import PolicyError, load_policy
from custom_components.caesar.policy.modes import Mode
from custom_components.caesar.policy.problem import Report
from custom_components.caesar.policy.yaml_tree import read_tree

from .house import decide, demo_house, service, tool
from .mistakes import misspelt, places, replaced

STARTERS: Final = Path("custom_components/caesar/starters")
FULL: Final = """\
version: 1
allowed_services:
  - light.turn_on
  - service: light.turn_off
    name: evening lights
    target:
      entity_id: [light.kitchen]
      area_id: garden
  - service: lock.unlock
    target:
      entity_id: lock.shed
      label_id: [nothing]
    approval: always
  - service: climate.set_temperature
    data:
      temperature: {min: 16, max: 24}
      hvac_mode: [heat, "off"]
  - service: light.toggle
    data:
      flash: short
    approval: always
  - service: cover.open_cover
    approval: auto
    target:
      floor_id: first
      device_id: dev_blind
  - service: input_text.set_value
    data:
      value:
        pattern: "[a-c]+"
        max_length: 3
        one_of: [a, b]
allowed_tools:
  - calculator
  - tool: get_state
    input:
      domain: [light]
      entity_id: light.kitchen
"""
TEXTS: Final = {
    "read_only": (STARTERS / "read_only.yaml").read_text(),
    "everyday": (STARTERS / "everyday.yaml").read_text(),
    "full": FULL,
}
VERDICTS: Final = [Verdict.DENY, Verdict.ASK, Verdict.ALLOW]


ALL: Final = {path.stem: path.read_text() for path in STARTERS.glob("*.yaml")}


def test_each_starter_has_its_file() -> None:
    """What can be chosen is there."""
    assert ALL.keys() == {policy.value for policy in StarterPolicy}


@pytest.mark.parametrize(
    ("name", "services", "tools"),
    [
        ("empty", 0, 0),
        ("everyday", 111, 12),
        ("family", 128, 16),
        ("guest", 24, 8),
        ("read_only", 7, 5),
    ],
)
def test_starter_loads(name: str, services: int, tools: int) -> None:
    """Each starter loads without a remark."""
    policy = load_policy(ALL[name])
    assert policy.mode is Mode.LIST
    assert policy.counts == {"allowed_services": services, "allowed_tools": tools}
    assert policy.lints == ()


_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _services_of_home_assistant() -> set[str]:
    spec = find_spec("homeassistant")
    assert spec is not None
    assert spec.origin is not None
    components = Path(spec.origin).parent / "components"
    found = set()
    for domain in components.iterdir():
        described = domain / "services.yaml"
        if described.exists():
            for name in yaml.load(described.read_text(), _LOADER) or ():
                found.add(f"{domain.name}.{name}")
    return found


def test_services_exist_in_home_assistant() -> None:
    """Starters and impact classes name services that Home Assistant has."""
    known = _services_of_home_assistant()
    named = {
        f"{domain}.{verb}"
        for domain, verbs in impact._REVERSIBLE_VERBS.items()
        for verb in verbs
    }
    named |= impact._READ_SERVICES | impact.GENERIC_SWITCHES
    for text in ALL.values():
        named |= set(load_policy(text).services)
    assert named - known == set()


def test_read_only_changes_nothing() -> None:
    """Everything that the read-only starter lists is a read."""
    policy = load_policy(TEXTS["read_only"])
    assert {service_impact(name) for name in policy.services} == {Impact.READ}


def test_everyday_grants_nothing_that_runs_anything() -> None:
    """Automations, code and messages are not in it; scenes are judged by content."""
    domains = {
        name.partition(".")[0] for name in load_policy(TEXTS["everyday"]).services
    }
    assert not domains & {
        *("automation", "notify", "shell_command", "button"),
        *("input_button", "valve", "siren", "update", "camera", "remote"),
    }


@pytest.mark.parametrize(
    ("data", "verdict", "code"),
    [
        ({"temperature": 21}, "allow", "allowed"),
        ({"temperature": 16, "hvac_mode": "heat"}, "allow", "allowed"),
        ({"target_temp_low": 18.5, "target_temp_high": 24}, "allow", "allowed"),
        ({"temperature": 30}, "deny", "data_not_allowed"),
        ({"temperature": "21"}, "deny", "data_not_allowed"),
        ({"target_temp_high": 25}, "deny", "data_not_allowed"),
        ({"kelvin": 294}, "deny", "data_not_allowed"),
    ],
)
def test_everyday_keeps_the_climate_in_bounds(
    data: dict[str, Json], verdict: str, code: str
) -> None:
    """From 16 to 24 degrees, however it is said."""
    call = service("climate.set_temperature", "climate.living", data)
    decision = decide(load_policy(TEXTS["everyday"]), call)
    assert (decision.verdict.value, decision.reason.code.value) == (verdict, code)


@cache
def _probes() -> tuple[ToolCall, ...]:
    """Return calls that a widened policy would let through."""
    targets: list[dict[str, Json] | None] = [None]
    targets += [{"area_id": area} for area in ("kitchen", "garden", "hall", "bedroom")]
    targets += [{"floor_id": "first"}, {"label_id": "doors"}, {"device_id": "dev_door"}]
    services = (
        "light.turn_on",
        "light.turn_off",
        "light.toggle",
        "lock.unlock",
        "lock.lock",
        "cover.open_cover",
        "homeassistant.turn_off",
        "alarm_control_panel.alarm_disarm",
        "script.turn_on",
        "shell_command.x",
    )
    targets += [{"entity_id": each} for each in demo_house().facts]
    calls = [service(name, target) for name in services for target in targets]
    warm: list[dict[str, Json]] = [
        {"temperature": 30},
        {"temperature": "21"},
        {"temperature": 30, "hvac_mode": "cool"},
        {"target_temp_high": 30},
        {"hvac_mode": "dry"},
        {"kelvin": 300},
    ]
    texts: list[Json] = ["a", "abc", "zzzz", 5]
    return (
        *calls,
        *(service("climate.set_temperature", "climate.living", data) for data in warm),
        *(service("input_text.set_value", None, {"value": text}) for text in texts),
        service("light.toggle", "light.hall", {"flash": "short"}),
        tool("get_state"),
        tool("get_state", domain="lock"),
        tool("get_state", domain="light", entity_id=["light.hall"]),
        tool("frob"),
    )


def _answers(policy: LoadedPolicy) -> list[int]:
    home = demo_house()
    return [VERDICTS.index(decide(policy, call, home).verdict) for call in _probes()]


@cache
def _answers_of(name: str) -> list[int]:
    return _answers(load_policy(TEXTS[name]))


def _never_widens(name: str, changed: str) -> bool:
    """Return whether a changed text is refused, or grants no more than before."""
    try:
        policy = load_policy(changed)
    except PolicyError as err:
        return all(problem.line > 0 for problem in err.problems)
    before = _answers_of(name)
    return all(new <= old for new, old in zip(_answers(policy), before, strict=True))


PLACES: Final = {
    name: list(places(read_tree(text, Report()))) for name, text in TEXTS.items()
}
RULES_BY_TEXT: Final = st.sampled_from(list(TEXTS)).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from(PLACES[name]))
)


@settings(max_examples=80, deadline=None)
@given(where=RULES_BY_TEXT, seed=st.integers(0, 10_000))
def test_misspelt_word(where: tuple[str, tuple[int, int, str]], seed: int) -> None:
    """A misspelt key or value is an error, or grants less."""
    name, place = where
    changed = replaced(TEXTS[name], place, misspelt(place[2], Random(seed)))
    assert _never_widens(name, changed)


@settings(max_examples=80, deadline=None)
@given(
    where=RULES_BY_TEXT,
    new=st.sampled_from(
        [
            "[]",
            "{}",
            "null",
            "true",
            "1",
            "1.0",
            '""',
            "'1'",
            "off",
            "~",
            "[[]]",
            "*",
            "all",
            "*a",
            "<<",
            "{a:1}",
            "2026-01-01",
        ]
    ),
)
def test_wrong_type(where: tuple[str, tuple[int, int, str]], new: str) -> None:
    """Anything else in the place of a word is an error, or grants less."""
    name, place = where
    assert _never_widens(name, replaced(TEXTS[name], place, new))


def test_line_pushed_into_the_next_block() -> None:
    """A key that slips under its neighbour is an error, or grants less."""
    lines = FULL.splitlines()
    for number, line in enumerate(lines[1:], 1):
        before = lines[number - 1]
        indent = len(before) - len(before.lstrip(" -"))
        moved = [*lines[:number], " " * indent + line.lstrip(), *lines[number + 1 :]]
        assert _never_widens("full", "\n".join(moved)), line


@pytest.mark.parametrize("name", TEXTS)
def test_doubled_line(name: str) -> None:
    """A line that is there twice is an error, or changes nothing."""
    lines = TEXTS[name].splitlines()
    # Of the simple lines of a list, a few stand for all.
    chosen = [n for n, line in enumerate(lines) if ":" in line and "#" not in line]
    chosen += [n for n, line in enumerate(lines) if "- light" in line]
    for number in chosen:
        doubled = [*lines[: number + 1], *lines[number:]]
        assert _never_widens(name, "\n".join(doubled)), lines[number]


def test_misplaced_line() -> None:
    """A line of a rule that is pushed in or pulled out is an error, or grants less."""
    lines = FULL.splitlines()
    for number, line in enumerate(lines):
        body = line.lstrip()
        for indent in range(0, 12, 2):
            moved = [*lines[:number], " " * indent + body, *lines[number + 1 :]]
            assert _never_widens("full", "\n".join(moved)), (line, indent)


def test_line_that_moved_to_the_end() -> None:
    """A line of a rule that ends up elsewhere is an error, or grants less."""
    lines = FULL.splitlines()
    for number, line in enumerate(lines):
        if number < 2 or line.lstrip().startswith(("approval", "data", "target")):
            continue
        moved = [*lines[:number], *lines[number + 1 :], line]
        assert _never_widens("full", "\n".join(moved)), line


def test_the_fuzz_would_notice() -> None:
    """The probes see it when a policy does grant more."""
    wider = FULL.replace("{min: 16, max: 24}", "{min: 16, max: 30}")
    assert not _never_widens("full", wider)
    assert not _never_widens("full", FULL.replace("light.kitchen", "light.hall"))
    assert not _never_widens("full", FULL.replace("    approval: always\n", ""))


@pytest.mark.parametrize("word", ["all", "set_state", "frob"])
def test_a_read_under_another_name(word: str) -> None:
    """Its bounds are those of a read, so the real one isn't left open."""
    changed = FULL.replace("tool: get_state", f"tool: {word}")
    with pytest.raises(PolicyError):
        load_policy(changed)
