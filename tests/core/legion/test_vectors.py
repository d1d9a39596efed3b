"""The test vectors of the protocol are what Home Assistant sends and believes."""

import json
from pathlib import Path
from typing import Any

from multidict import CIMultiDict
import pytest

from custom_components.caesar.legion import rfc9421, wire
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.signatures import (
    verify_body,
    verify_reply,
    verify_request,
)
from custom_components.caesar.legion.signed import Reply, Request, SignatureError

from . import vectors

DATA: dict[str, Any] = json.loads(vectors.FILE.read_text())
EXCHANGES = {each["name"]: each for each in DATA["exchanges"]}
DOCUMENT = Path(__file__).parents[3] / "docs" / "legion-protocol.md"
NOW = DATA["now"] + 2


def asked(exchange: dict[str, Any]) -> Request:
    """Return the request of an exchange."""
    given = exchange["request"]
    return Request(
        method=given["method"],
        url=given["url"],
        headers=CIMultiDict(given["headers"]),
    )


def answered(exchange: dict[str, Any], reply: dict[str, Any]) -> Reply:
    """Return a reply of an exchange."""
    return Reply(
        status_code=reply["status"],
        headers=CIMultiDict(reply["headers"]),
        request=asked(exchange),
    )


def test_they_are_up_to_date() -> None:
    """The file is what the code makes now; `vectors.py` writes it anew."""
    assert vectors.FILE.read_text() == vectors.text()


@pytest.mark.parametrize("who", ["house", "worker"])
def test_the_keys(who: str) -> None:
    """Each public key belongs to its seed."""
    assert Identity.from_seed(DATA[who]["seed"]).public_key == DATA[who]["public_key"]


@pytest.mark.parametrize("name", EXCHANGES)
def test_the_requests(name: str) -> None:
    """A worker accepts each, by our way and by the library."""
    exchange = EXCHANGES[name]
    body = exchange["request"]["body"]
    trusted = {DATA["house"]["public_key"]}
    for verify in (verify_request, rfc9421.verify):
        proof = verify(
            asked(exchange), trusted=trusted, now=NOW, has_body=body is not None
        )
        assert proof.key in trusted
    if body is not None:
        verify_body(asked(exchange).headers, body.encode())
    signature = exchange["request"]["headers"]["Signature"]
    assert signature.startswith("caesar=:")


@pytest.mark.parametrize("name", EXCHANGES)
def test_the_replies(name: str) -> None:
    """The house believes each, and none of them with another status."""
    exchange = EXCHANGES[name]
    key = DATA["worker"]["public_key"]
    for reply in exchange["replies"]:
        body = reply["body"].encode()
        verify_reply(answered(exchange, reply), body, key=key, now=NOW)
        with pytest.raises(SignatureError):
            verify_reply(
                answered(exchange, {**reply, "status": reply["status"] + 1}),
                body,
                key=key,
                now=NOW,
            )


def test_the_bodies() -> None:
    """Each can be read."""
    dispatch = EXCHANGES["dispatch"]
    wire.dispatch_from_bytes(dispatch["request"]["body"].encode())
    for reply in dispatch["replies"]:
        read = (
            wire.reply_from_bytes if reply["status"] == 200 else wire.refusal_from_bytes
        )
        read(reply["body"].encode())
    wire.health_from_bytes(EXCHANGES["hello"]["replies"][0]["body"].encode())
    wire.goodbye_from_bytes(EXCHANGES["goodbye"]["request"]["body"].encode())


def test_the_document_shows_them() -> None:
    """What docs/legion-protocol.md prints are these vectors, not older ones."""
    text = DOCUMENT.read_text()
    dispatch = EXCHANGES["dispatch"]
    for shown in (dispatch["request"], dispatch["replies"][0]):
        assert shown["signature_base"] in text
        assert shown["headers"]["Signature"] in text
        assert shown["headers"]["Content-Digest"] in text
        assert shown["body"] in text
    for who in ("house", "worker"):
        assert DATA[who]["seed"] in text
        assert DATA[who]["public_key"] in text
