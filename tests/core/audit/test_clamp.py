"""Secrets out, everything within bounds, nothing raised."""

from collections.abc import Iterator, Mapping
from datetime import date
import json
import math
from typing import Any

from hypothesis import given, settings, strategies as st
import pytest

from custom_components.caesar.audit.clamp import (
    MASK,
    MAX_DEPTH,
    MAX_ITEMS,
    MAX_PAYLOAD_BYTES,
    MAX_TEXT,
    clean_payload,
    is_secret,
    redact,
)
from custom_components.caesar.legion.canonical import Json, canonical_json
from custom_components.caesar.policy.impact import Impact
from custom_components.caesar.policy.reason import Code


class _Bad:
    def __str__(self) -> str:
        raise RuntimeError("no text")


class _BadMapping(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no item")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no keys")

    def __len__(self) -> int:
        return 3


_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=40),
    st.binary(max_size=8),
    st.dates(),
    st.sampled_from(
        [_Bad(), Code.ALLOWED, Impact.READ, 10**2_000, "\ud800", "x" * 20_000]
    ),
)
_names = st.one_of(
    st.text(max_size=12), st.sampled_from(["code", "PIN", "tool", "input", "decision"])
)
_values = st.recursive(
    _scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.dictionaries(_names, inner, max_size=6),
        st.sets(st.integers(), max_size=4),
        st.lists(inner, max_size=2).map(lambda items: items * 120),
    ),
    max_leaves=12,
)


def _check(value: Json, depth: int = 0) -> None:
    assert depth <= MAX_DEPTH
    if isinstance(value, str):
        assert len(value) <= MAX_TEXT
    elif isinstance(value, dict):
        assert len(value) <= MAX_ITEMS
        for key, item in value.items():
            assert len(key) <= MAX_TEXT
            _check(item, depth + 1)
    elif isinstance(value, list):
        assert len(value) <= MAX_ITEMS
        for item in value:
            _check(item, depth + 1)
    else:
        assert value is None or isinstance(value, (bool, int, float))


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(_names, _values, max_size=8))
def test_whatever_comes_is_bounded_json(payload: dict[str, Any]) -> None:
    """Whatever comes is bounded json."""
    cleaned, cut = clean_payload(payload)
    _check(cleaned)
    text = canonical_json(cleaned)
    assert len(text.encode()) <= MAX_PAYLOAD_BYTES
    assert json.loads(text) == cleaned
    if not cut:
        assert clean_payload(cleaned) == (cleaned, False)


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(
        ["code", "Code", " pin ", "api_key", "accessToken", "PASSWORD", "passphrase"]
    ),
    wrap=st.integers(0, 6),
    secret=st.one_of(st.integers(1_000, 9_999), st.text("abcxyz", min_size=6)),
)
def test_no_secret_stays(name: str, wrap: int, secret: str | int) -> None:
    """No secret stays."""
    value: Json = {name: secret}
    for level in range(wrap):
        value = [value] if level % 2 else {"data": value}
    text = canonical_json(clean_payload({"tool": "lock.unlock", "input": value})[0])
    assert MASK in text
    assert str(secret) not in text


def test_the_trails_own_words_stay() -> None:
    """The trails own words stay."""
    payload: dict[str, Json] = {
        "decision": {
            "code": "data_not_allowed",
            "values": {"key": "brightness", "value": "5"},
        },
        "outcome": {"ok": False, "error": "timeout", "code": "timeout"},
        "code": "late",
        "key": "prompt",
        "input_tokens": 12,
        "token": "abc",
        "input": {"code": "1234", "key": "abc"},
    }
    assert clean_payload(payload)[0] == payload | {
        "token": MASK,
        "input": {"code": MASK, "key": MASK},
    }


def test_a_reasons_value_of_a_secret_goes() -> None:
    """A reasons value of a secret goes."""
    reason: Json = {
        "code": "data_not_allowed",
        "values": {"key": "data.code", "value": "1234"},
    }
    cleaned, _ = clean_payload({"decision": reason})
    assert cleaned == {
        "decision": {
            "code": "data_not_allowed",
            "values": {"key": "data.code", "value": MASK},
        }
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"code": "1234", "x": 1}', '{"code": "***", "x": 1}'),
        ("{'code': '12\\'34'}", "{'code': '***'}"),
        ('{"code": 1234}', '{"code": ***}'),
        ('{"code": "12', '{"code": "***"'),
        ("pin=1234&x=1", "pin=***&x=1"),
        ("my api_key: abc def", "my api_key: *** def"),
        ("time: 12:30, brightness=5", "time: 12:30, brightness=5"),
        ("nothing here", "nothing here"),
    ],
)
def test_secrets_inside_texts(text: str, expected: str) -> None:
    """Secrets inside texts."""
    assert redact(text) == expected
    assert redact([{"raw": text}]) == [{"raw": expected}]


def test_a_long_text_is_no_long_work() -> None:
    """A pattern that backtracks over it would take minutes."""
    for text in ("a" * 1_000_000 + ":", "a " * 500_000 + "=", '"' * 1_000_000 + ":x"):
        cleaned, cut = clean_payload({"input": {"text": text}})
        assert cut
        assert len(canonical_json(cleaned)) <= MAX_PAYLOAD_BYTES


@pytest.mark.parametrize("text", ["a: ", "a ", "pin: 1 "])
def test_a_text_is_never_cut_in_silence(text: str) -> None:
    """Also one that was cut before secrets were looked for, in a key without room."""
    cleaned, cut = clean_payload({"data": text + "b" * 30_000})
    assert cut
    assert str(cleaned["data"]).endswith("b [cut]")
    assert len(str(cleaned["data"])) <= MAX_TEXT


@pytest.mark.parametrize(
    "name",
    [
        "key",
        "secret",
        "token",
        "password",
        "passwd",
        "passcode",
        "credential",
        "passphrase",
        "code",
        "pin",
        "pincode",
        "pin_code",
        "usercode",
        "user_code",
        "authorization",
    ],
)
def test_each_name_of_a_secret_is_seen_in_a_text(name: str) -> None:
    """Whatever its case: the quick look for hints must not miss any."""
    for said in (name, name.upper(), name.replace("k", "\u212a")):
        assert redact(f"x {said}=abc y") == f"x {said}={MASK} y"


def test_redact_leaves_results_alone() -> None:
    """Redact leaves results alone."""
    result: Json = {
        "entities": [{"entity_id": "lock.door", "attributes": {"code": "1"}}] * 300
    }
    cleaned = redact(result)
    assert isinstance(cleaned, dict)
    assert isinstance(cleaned["entities"], list)
    assert len(cleaned["entities"]) == 300
    assert cleaned["entities"][299] == {
        "entity_id": "lock.door",
        "attributes": {"code": MASK},
    }


def test_redact_ends_in_what_contains_itself() -> None:
    """Redact ends in what contains itself."""
    loop: list[Any] = []
    loop.append(loop)
    assert "[too deep]" in json.dumps(redact(loop))
    cleaned, _ = clean_payload({"input": loop})
    _check(cleaned)


def test_what_must_be_there_is_there() -> None:
    """ADR-0028's keys survive whatever a model writes into the rest."""
    huge = "ü" * 60_000
    cleaned, cut = clean_payload(
        {
            **{f"junk{number}": huge for number in range(300)},
            "tool": huge,
            "connector": huge,
            "action": huge,
            "domain": huge,
            "service": huge,
            "input": {"a": huge},
            "decision": {"values": {str(n): huge for n in range(50)}},
            "outcome": {"error": huge},
        }
    )
    assert cut
    assert {"tool", "connector", "action", "input", "decision", "outcome"} <= set(
        cleaned
    )
    assert len(canonical_json(cleaned).encode()) <= MAX_PAYLOAD_BYTES
    _check(cleaned)


def test_foreign_values_become_text() -> None:
    """Foreign values become text."""
    cleaned, cut = clean_payload(
        {
            "a": date(2026, 11, 30),
            "b": b"abc",
            "c": math.nan,
            "d": 10**5_000,
            "e": _Bad(),
            "f": {1: "one", "1": "other"},
            "g": Code.ALLOWED,
            "h": "\ud800",
        }
    )
    assert cut
    assert cleaned == {
        "a": "2026-11-30",
        "b": "[3 bytes]",
        "c": "nan",
        "d": "[number too large]",
        "e": "[unreadable]",
        "f": {"1": "one", "1~2": "other"},
        "g": "allowed",
        "h": "?",
    }


def test_a_mapping_that_raises_is_named() -> None:
    """A mapping that raises is named."""
    assert clean_payload({"input": _BadMapping()}) == (
        {"unreadable": "RuntimeError"},
        True,
    )
    bad_key: Any = {_Bad(): 1}
    assert clean_payload({"input": bad_key})[0] == {"input": {"[unreadable]": 1}}


def test_names_of_secrets() -> None:
    """Names of secrets."""
    for name in ("API_KEY", "client_secret", "pin", "user_code", "Authorization"):
        assert is_secret(name)
    for name in ("pinned", "encoded", "area", "barcode", "opinion"):
        assert not is_secret(name)
