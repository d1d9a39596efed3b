"""What the hostile model, the owner and his people may come up with."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hypothesis import strategies as st

from .town import AREAS, CALLERS, NOTE, THINGS, Limits, Rule, Rulebook

_IDS: Final = [thing.entity_id for thing in THINGS]
_SERVICES: Final = [
    "light.turn_on",
    "light.turn_on",
    "light.turn_off",
    "lock.unlock",
    "lock.lock",
    "cover.open_cover",
    "switch.turn_on",
    "homeassistant.turn_on",
    "homeassistant.turn_off",
    "shell_command.tidy",
]
_FITTING: Final = {
    "light": ["light.kitchen", "light.hall", "light.all", "light.attic"],
    "lock": ["lock.front", "lock.shed"],
    "cover": ["cover.blind", "cover.garage"],
    "switch": ["switch.kettle"],
    "homeassistant": _IDS,
    "shell_command": _IDS,
}
_NEVER: Final = ["caesar.approve", "homeassistant.restart", "hassio.host_reboot"]


def _spelt(text: str) -> st.SearchStrategy[str]:
    """Return ways to write a word that Home Assistant would read the same."""
    return st.sampled_from([text, text, text, text.upper(), f" {text} ", f"{text},"])


@st.composite
def acts(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Return a `call_service` as a model might write it, well or oddly."""
    tool = draw(st.sampled_from([*_SERVICES, *_SERVICES, *_NEVER]))
    domain, _, service = tool.partition(".")
    ids = draw(
        st.lists(
            st.sampled_from(_FITTING.get(domain, _IDS)) | st.sampled_from(_IDS),
            min_size=1,
            max_size=3,
        )
    )
    shape = draw(st.integers(0, 11))
    target: dict[str, Any] = {}
    data: dict[str, Any] = {}
    match shape:
        case 0:
            target = {"area_id": draw(st.sampled_from(AREAS))}
        case 1:
            target = {"entity_id": ids, "area_id": [draw(st.sampled_from(AREAS))]}
        case 2:
            target = {"entity_id": draw(_spelt(", ".join(ids)))}
        case 3:
            data = {"entity_id": draw(_spelt(ids[0]))}
        case 4:
            target, data = {"entity_id": ids}, {"entity_id": "all"}
        case 5:
            target = {
                "entity_id": draw(
                    st.sampled_from(["all", "none", [], "light.nowhere", [1], ""])
                )
            }
        case _:
            target = {"entity_id": ids}
    if domain == "light" and draw(st.booleans()):
        data["brightness_pct"] = draw(st.sampled_from([10, 50, 90, 50.0, "50", True]))
    arguments: dict[str, Any] = {
        "domain": draw(_spelt(domain)) if shape == 6 else domain,
        "service": tool if shape == 7 and draw(st.booleans()) else service,
    }
    if target:
        arguments["target"] = target
    if data:
        arguments["data"] = data
    return "call_service", arguments


@st.composite
def reads(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Return a read."""
    ids = draw(st.lists(st.sampled_from([*_IDS, NOTE]), max_size=2))
    return "get_state", {"entity_id": ids}


def rubbish() -> st.SearchStrategy[tuple[str, dict[str, Any] | None]]:
    """Return what is no call at all."""
    return st.sampled_from(
        [
            ("call_service", None),
            ("call_service", {"domain": "light"}),
            ("no_such_tool", {}),
            ("get_state", {"entity_id": "light.kitchen"}),
            ("get_state", {"entity_id": [float("nan")]}),
        ]
    )


def rounds() -> st.SearchStrategy[list[list[tuple[str, Mapping[str, Any] | None]]]]:
    """Return what a model writes in one turn; sometimes the same thing again."""
    call = st.one_of(acts(), acts(), acts(), reads(), rubbish())
    once = st.lists(st.lists(call, min_size=1, max_size=3), min_size=1, max_size=3)
    return st.one_of(once, call.map(lambda each: [[each, each], [each]]), once)


_WHO: Final = [
    *[None] * 6,
    ("user", "child"),
    ("user", "owner"),
    ("area", "kitchen"),
    ("admin", "true"),
    ("origin", "voice"),
    ("origin", "chat"),
]


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    """Return an entry of the policy."""
    service = draw(st.sampled_from([*_SERVICES, "caesar.approve"]))
    domain = service.partition(".")[0]
    fitting = _FITTING.get(domain, _IDS)
    shape = draw(st.sampled_from([0, 0, 1, 2, 3]))
    some = st.lists(st.sampled_from(fitting), min_size=1, max_size=2, unique=True)
    approval = draw(st.sampled_from(["auto", "auto", "auto", "always", "never"]))
    return Rule(
        service=service,
        entities=tuple(draw(some)) if shape in (1, 2) else None,
        areas=(draw(st.sampled_from(AREAS[:3])),) if shape == 3 else None,
        dim=draw(st.sampled_from([None, None, (0, 60), (40, 100)]))
        if domain == "light"
        else None,
        who=draw(st.sampled_from(_WHO)),
        when=draw(st.sampled_from([*[None] * 5, "input_boolean.guests"])),
        approval=approval,
        approvers=()
        if approval == "never"
        else draw(st.sampled_from([(), (), ("child",), ("owner", "guest")])),
        most=draw(st.sampled_from([None, None, None, 1])),
        tainted=draw(st.sampled_from([False, False, False, True])),
    )


@st.composite
def rulebooks(draw: st.DrawFn, limits: Limits | None = None) -> Rulebook:
    """Return a policy; most are ones that a person could have written."""
    entry = st.lists(st.sampled_from(_IDS), min_size=1, max_size=3, unique=True)
    listed = draw(st.none() | st.lists(entry.map(tuple), min_size=1, max_size=2))
    return Rulebook(
        rules=tuple(draw(st.lists(rules(), min_size=3, max_size=10))),
        reads=None if listed is None else tuple(listed),
        deny=draw(
            st.sampled_from(
                [*[()] * 8, ("lock__*",), ("*.turn_off",), ("get_*",), ("cov*",)]
            )
        ),
        unlisted_asks=draw(st.sampled_from([False, False, False, True])),
        any_change_asks=draw(st.sampled_from([*[False] * 7, True])),
        limits=limits or Limits(),
    )


def limits() -> st.SearchStrategy[Limits]:
    """Return the numbers of `sentinel:`."""
    return st.builds(
        Limits,
        rate=st.sampled_from([60, 60, 3]),
        failures=st.sampled_from([3, 1]),
        rest_s=st.sampled_from([300, 20]),
        ttl_s=st.sampled_from([900, 40]),
    )


def callers() -> st.SearchStrategy[str]:
    """Return who speaks."""
    return st.sampled_from([*CALLERS, "owner", "child", "kitchen"])


@st.composite
def fitting(draw: st.DrawFn, rules_: Sequence[Rule]) -> tuple[str, dict[str, Any]]:
    """Return a call that one of the rules is about, or two between them, and who."""
    chosen = draw(st.sampled_from(rules_))
    domain, _, service = chosen.service.partition(".")
    same = [each for each in rules_ if each.service == chosen.service]
    ids = list(chosen.entities or ())
    if len(same) > 1 and draw(st.integers(0, 3)) == 0:
        ids = sorted({each for one in same for each in one.entities or ()})
    target: dict[str, Any] = {"entity_id": ids}
    if chosen.areas:
        target = {"area_id": list(chosen.areas)}
    elif not ids:
        some = st.sampled_from(_FITTING.get(domain, _IDS))
        target = {"entity_id": draw(st.lists(some, min_size=1, max_size=2))}
    raw: dict[str, Any] = {"domain": domain, "service": service, "target": target}
    if domain == "light" and draw(st.booleans()):
        raw["data"] = {"brightness_pct": draw(st.sampled_from([30, 50, 80]))}
    key, value = chosen.who or ("", "")
    meant = {"user": value, "area": "kitchen", "origin": "hall"}.get(key, "owner")
    return draw(st.sampled_from([meant, meant, draw(callers())])), raw
