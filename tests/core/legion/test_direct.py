"""The direct way and the library come to the same end, whatever is sent."""

import base64
import hashlib
from typing import Any
from unittest import mock

from hypothesis import event, given, settings, strategies as st
from multidict import CIMultiDict
import pytest

from custom_components.caesar.legion import direct, rfc9421
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.signed import (
    EPOCH_HEADER,
    ClockError,
    Proof,
    Reply,
    Request,
    SignatureError,
)

NOW = 1_796_000_000
HOUSE = Identity(hashlib.sha256(b"house").digest())
WORKER = Identity(hashlib.sha256(b"worker").digest())
OTHER = Identity(hashlib.sha256(b"other").digest())
TRUSTED = frozenset({HOUSE.public_key, WORKER.public_key})
NAMES = ("Content-Type", EPOCH_HEADER, "Content-Digest", "Signature-Input", "Signature")

BODIES = st.binary(max_size=50)
NONCES = st.text("abcXYZ019_-", min_size=16, max_size=64)
URLS = st.sampled_from(
    [
        "http://127.0.0.1:8450/v1/dispatch/tool.echo",
        "http://[fd00::1]:8450/v1/hello",
        "https://worker.example.org/v1/goodbye",
        "http://attic.local/",
    ]
)


def unsigned(method: str, url: str, body: bytes | None) -> Request:
    """Return a request."""
    headers: CIMultiDict[str] = CIMultiDict()
    if body is not None:
        headers["Content-Type"] = "application/json"
        headers[EPOCH_HEADER] = "e" * 24
    return Request(method=method, url=url, headers=headers)


@given(URLS, st.none() | BODIES, NONCES, st.integers(0, 4_000_000_000))
def test_both_sign_the_same_bytes(
    url: str, body: bytes | None, nonce: str, created: int
) -> None:
    """Headers are equal to the last byte, of requests and of replies."""
    method = "GET" if body is None else "POST"
    ours, theirs = unsigned(method, url, body), unsigned(method, url, body)
    assert direct.sign(HOUSE, ours, body, created=created, nonce=nonce)
    rfc9421.sign(HOUSE, theirs, body, created=created, nonce=nonce)
    assert ours.headers == theirs.headers

    answers = [
        Reply(
            status_code=200,
            headers=CIMultiDict({"Content-Type": "application/json"}),
            request=ours,
        )
        for _ in range(2)
    ]
    assert direct.sign(WORKER, answers[0], body or b"", created=created, nonce=None)
    rfc9421.sign(WORKER, answers[1], body or b"", created=created, nonce=None)
    assert answers[0].headers == answers[1].headers


def message(
    *, is_reply: bool, body: bytes, by: Identity, nonce: str
) -> Request | Reply:
    """Return a signed message."""
    url = "http://127.0.0.1:8450/v1/dispatch/tool.echo"
    request = unsigned("POST", url, body)
    rfc9421.sign(by, request, body, created=NOW, nonce=nonce)
    if not is_reply:
        return request
    reply = Reply(
        status_code=200,
        headers=CIMultiDict({"Content-Type": "application/json"}),
        request=request,
    )
    rfc9421.sign(by, reply, body, created=NOW, nonce=None)
    return reply


def verdict(judge: Any, signed: Request | Reply, now: float) -> Proof | str | None:
    """Return what a way makes of a message."""
    try:
        proof: Proof | None = judge(signed, trusted=TRUSTED, now=now, has_body=True)
    except ClockError:
        return "clock"
    except SignatureError:
        return "refused"
    return proof


# What a value of a header becomes: cut, doubled, spaced, in another case, with other
# characters, parameters in another order, numbers written otherwise.
PIECES = st.sampled_from(
    [
        " ",
        "  ",
        "\t",
        ",",
        ";",
        '"',
        ":",
        "=",
        "A",
        "a",
        "0",
        "\x00",
        "\x7f",
        "é",
        ";created=1",
        ";x=1",
        ";req",
        "caesar",
        "sha-512=:AAAA:",
        ", b=1",
    ]
)
REWRITES = st.sampled_from(
    [
        ("created=", "created=0"),
        ("created=", "created=-"),
        ("created=", "created=+"),
        ("created=1796000000", "created=1796000000.0"),
        ("expires=", "expires=0"),
        (";alg=", "; alg="),
        (';alg="ed25519"', ""),
        (';tag="caesar-legion/1"', ""),
        ("==:", "=:"),
        ("==:", ":"),
        ("Q==:", "R==:"),
        ("A==:", "B==:"),
        ("g==:", "h==:"),
        ("w==:", "x==:"),
        ("=:", "=: "),
        ("caesar=", "caesar= "),
        ("caesar=", "Caesar="),
        ("caesar=(", "caesar=( "),
        ('" "', '"  "'),
        ('"@method" "@target-uri"', '"@target-uri" "@method"'),
        ('"content-type"', '"Content-Type"'),
        ('"content-type"', '"content-type";sf'),
        ('"content-digest"', '"content-digest";key="sha-256"'),
        (";req", ""),
        ("json", "JSON"),
        ("application/json", "application/json; charset=utf-8"),
    ]
)


@st.composite
def bent(draw: st.DrawFn) -> tuple[Request | Reply, float]:
    """Return a message that was bent in up to three places, and a time."""
    signed = message(
        is_reply=draw(st.booleans()),
        body=draw(BODIES),
        by=draw(st.sampled_from([HOUSE, WORKER, OTHER])),
        nonce=draw(NONCES),
    )
    for _ in range(draw(st.integers(0, 3))):
        headers = draw(
            st.sampled_from(
                [signed.headers]
                if isinstance(signed, Request)
                else [signed.headers, signed.request.headers]
            )
        )
        name = draw(st.sampled_from(NAMES))
        if name in headers:
            bend(draw, headers, name)
    return signed, draw(st.sampled_from([NOW, NOW + 89, NOW + 91, NOW - 61, NOW + 0.5]))


def bend(draw: st.DrawFn, headers: CIMultiDict[str], name: str) -> None:
    """Change one header."""
    value = headers[name]
    match draw(st.sampled_from(["rewrite", "insert", "cut", "swap", "double", "drop"])):
        case "rewrite":
            old, new = draw(REWRITES)
            headers[name] = value.replace(old, new, 1)
        case "insert":
            place = draw(st.integers(0, len(value)))
            headers[name] = value[:place] + draw(PIECES) + value[place:]
        case "cut":
            place = draw(st.integers(0, len(value)))
            headers[name] = value[:place] + value[place + draw(st.integers(1, 5)) :]
        case "swap":
            place = draw(st.integers(0, max(0, len(value) - 1)))
            headers[name] = value[:place] + draw(PIECES) + value[place + 1 :]
        case "double":
            headers.add(name, draw(st.sampled_from([value, "x"])))
        case _:
            headers.popall(name)


@settings(max_examples=600)
@given(bent())
def test_both_judge_alike(case: tuple[Request | Reply, float]) -> None:
    """Where the direct way has a verdict, it is the library's."""
    signed, now = case
    ours = verdict(direct.verify, signed, now)
    event("left to the library" if ours is None else f"judged: {type(ours).__name__}")
    if ours is not None:
        assert ours == verdict(rfc9421.verify, signed, now)


@given(st.sampled_from([HOUSE, WORKER]), BODIES, NONCES)
def test_the_direct_way_is_taken(by: Identity, body: bytes, nonce: str) -> None:
    """A good message of our own shape needs no library."""
    with mock.patch.object(rfc9421, "HTTPMessageVerifier", side_effect=AssertionError):
        for is_reply in (False, True):
            signed = message(is_reply=is_reply, body=body, by=by, nonce=nonce)
            assert isinstance(verdict(direct.verify, signed, NOW), Proof)
            assert direct.verify_body(signed.headers, body)


@given(BODIES, BODIES, st.sampled_from(["sha-256", "sha-512", "md5"]), st.booleans())
def test_both_judge_bodies_alike(
    body: bytes, digested: bytes, name: str, twice: bool
) -> None:
    """What the direct way takes for right, the library does too."""
    digest = base64.b64encode(
        hashlib.new(name.replace("-", ""), digested, usedforsecurity=False).digest()
    ).decode()
    headers = CIMultiDict({"Content-Digest": f"{name}=:{digest}:"})
    if twice:
        headers.add("Content-Digest", "sha-512=:AAAA:")
    if direct.verify_body(headers, body):
        rfc9421.verify_body(headers, body)
    elif name != "md5" and not twice and body == digested:
        assert name == "sha-512"
        rfc9421.verify_body(headers, body)


@pytest.mark.parametrize(
    ("method", "url", "kind"),
    [
        ("PATCH", "http://127.0.0.1/", "application/json"),
        ("POST", "http://127.0.0.1/a b", "application/json"),
        ("POST", "http://127.0.0.1/%41", "application/json"),
        ("POST", "http://[fd00:::1]/", "application/json"),
        ("POST", "http://127.0.0.1/", "text/plain"),
    ],
)
def test_what_is_left_to_the_library(method: str, url: str, kind: str) -> None:
    """Another shape is not signed in the direct way, and left as it is."""
    request = unsigned(method, url, b"")
    request.headers["Content-Type"] = kind
    before = request.headers.copy()

    assert not direct.sign(HOUSE, request, b"", created=NOW, nonce="n" * 16)
    assert request.headers == before


def test_a_digest_that_is_there_is_left_to_the_library() -> None:
    """It refuses to sign beside one that somebody else put there."""
    request = unsigned("POST", "http://127.0.0.1/", b"")
    request.headers["Content-Digest"] = "sha-256=:AAAA:"
    assert not direct.sign(HOUSE, request, b"", created=NOW, nonce="n" * 16)
