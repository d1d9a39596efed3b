"""What counts as signed, whoever judges: our direct way, or the library alone."""

from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from http_message_signatures import HTTPMessageSigner
from multidict import CIMultiDict
import pytest

from custom_components.caesar.legion import direct, rfc9421
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.signatures import (
    sign_reply,
    sign_request,
    verify_body,
    verify_reply,
    verify_request,
)
from custom_components.caesar.legion.signed import (
    EPOCH_HEADER,
    SKEW_S,
    VALID_S,
    ClockError,
    Proof,
    Reply,
    Request,
    SignatureError,
)

from .strangers import changed

NOW = 1_796_000_000.7
HOUSE, WORKER, STRANGER = (Identity.generate() for _ in range(3))
BODY = b'{"a":1}'
URL = "http://127.0.0.1:8450/v1/dispatch/tool.echo"


@pytest.fixture(autouse=True, params=["direct", "library"])
def way(request: pytest.FixtureRequest) -> Iterator[str]:
    """Judge by each way in turn."""
    if request.param == "direct":
        yield request.param
        return
    with (
        mock.patch.object(direct, "sign", return_value=False),
        mock.patch.object(direct, "verify", return_value=None),
        mock.patch.object(direct, "verify_body", return_value=False),
    ):
        yield request.param


def dispatch(now: float = NOW, by: Identity = HOUSE, url: str = URL) -> Request:
    """Return a signed dispatch."""
    request = Request(
        method="POST",
        url=url,
        headers=CIMultiDict(
            {"Content-Type": "application/json", EPOCH_HEADER: "e" * 24}
        ),
    )
    sign_request(by, request, BODY, now=now)
    return request


def hello(now: float = NOW) -> Request:
    """Return a signed hello."""
    request = Request(method="GET", url="http://127.0.0.1:8450/v1/hello")
    sign_request(HOUSE, request, None, now=now)
    return request


def reply(to: Request, now: float = NOW, by: Identity = WORKER) -> Reply:
    """Return a signed reply."""
    answer = Reply(
        status_code=200,
        headers=CIMultiDict({"Content-Type": "application/json"}),
        request=to,
    )
    sign_reply(by, answer, BODY, now=now)
    return answer


def judge(request: Request, now: float = NOW) -> Proof:
    """Verify a request as a worker does."""
    return verify_request(
        request,
        trusted={HOUSE.public_key},
        now=now,
        has_body=request.method != "GET",
    )


def edited(request: Request, header: str, old: str, new: str) -> Request:
    """Return a request with one header edited."""
    value = request.headers[header]
    assert old in value
    return changed(request, **{header.replace("-", "_"): value.replace(old, new, 1)})


def test_a_good_exchange() -> None:
    """Request and reply are what their signers made."""
    request = dispatch()
    proof = judge(request)
    verify_body(request.headers, BODY)

    assert proof.key == HOUSE.public_key
    assert (proof.created, proof.expires) == (int(NOW), int(NOW) + VALID_S)
    assert len(proof.nonce) >= 16
    assert judge(hello()).key == HOUSE.public_key
    answer = reply(request)
    assert verify_reply(answer, BODY, key=WORKER.public_key, now=NOW)
    assert verify_reply(reply(hello()), BODY, key=WORKER.public_key, now=NOW)


def test_each_request_is_another() -> None:
    """Two of the same content have different nonces."""
    assert judge(dispatch()).nonce != judge(dispatch()).nonce


TAMPERED: dict[str, Callable[[Request], Request]] = {
    "no signature": lambda r: changed(r, Signature=None),
    "no input": lambda r: changed(r, Signature_Input=None),
    "another epoch": lambda r: changed(r, Caesar_Epoch="f" * 24),
    "no epoch": lambda r: changed(r, Caesar_Epoch=None),
    "another type": lambda r: changed(r, Content_Type="text/plain"),
    "another digest": lambda r: changed(
        r, Content_Digest="sha-256=:RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=:"
    ),
    "another method": lambda r: Request(method="PUT", url=r.url, headers=r.headers),
    "another path": lambda r: Request(
        method="POST", url=r.url.replace("echo", "other"), headers=r.headers
    ),
    "another host": lambda r: Request(
        method="POST", url=r.url.replace("127.0.0.1", "127.0.0.2"), headers=r.headers
    ),
    "another port": lambda r: Request(
        method="POST", url=r.url.replace("8450", "8451"), headers=r.headers
    ),
    "a query": lambda r: Request(method="POST", url=r.url + "?a=1", headers=r.headers),
    "another nonce": lambda r: edited(r, "Signature-Input", 'nonce="', 'nonce="A'),
    "another tag": lambda r: edited(r, "Signature-Input", "legion/1", "legion/2"),
    "no tag": lambda r: edited(r, "Signature-Input", ';tag="caesar-legion/1"', ""),
    "another algorithm": lambda r: edited(
        r, "Signature-Input", "ed25519", "hmac-sha256"
    ),
    "later": lambda r: edited(r, "Signature-Input", "expires=179600", "expires=179601"),
    "earlier": lambda r: edited(
        r, "Signature-Input", "created=179600", "created=179599"
    ),
    "less covered": lambda r: edited(r, "Signature-Input", ' "caesar-epoch"', ""),
    "digest not covered": lambda r: edited(
        r, "Signature-Input", ' "content-digest"', ""
    ),
    "two labels": lambda r: changed(
        r,
        Signature_Input=r.headers["Signature-Input"]
        + ", b="
        + r.headers["Signature-Input"].removeprefix("caesar="),
        Signature=r.headers["Signature"]
        + ", b="
        + r.headers["Signature"].removeprefix("caesar="),
    ),
    "another label": lambda r: changed(
        r,
        Signature_Input="other" + r.headers["Signature-Input"].removeprefix("caesar"),
        Signature="other" + r.headers["Signature"].removeprefix("caesar"),
    ),
    "empty": lambda r: changed(r, Signature="caesar=::"),
    "short": lambda r: changed(r, Signature="caesar=:AAAA:"),
    "zeros": lambda r: changed(r, Signature=f"caesar=:{'A' * 86}==:"),
    "no field": lambda r: changed(r, Signature="\x00", Signature_Input="((("),
    "a stranger's key": lambda r: edited(
        r, "Signature-Input", HOUSE.public_key, STRANGER.public_key
    ),
    "no key": lambda r: edited(r, "Signature-Input", HOUSE.public_key, ""),
}


@pytest.mark.parametrize("tamper", TAMPERED.values(), ids=TAMPERED.keys())
def test_a_tampered_request(tamper: Callable[[Request], Request]) -> None:
    """Whatever is changed on the way, it counts for nothing."""
    with pytest.raises(SignatureError):
        judge(tamper(dispatch()))


def test_a_second_line_of_a_header() -> None:
    """A header that is there twice is not the one that was signed."""
    for name in ("Caesar-Epoch", "Content-Type", "Signature", "Signature-Input"):
        request = dispatch()
        request.headers.add(name, request.headers[name])
        with pytest.raises(SignatureError):
            judge(request)


def test_a_stranger() -> None:
    """A good signature by a key that is not trusted is no good."""
    with pytest.raises(SignatureError):
        judge(dispatch(by=STRANGER))


def test_a_hello_is_no_dispatch() -> None:
    """A signature that covers no body proves none."""
    request = hello()
    with pytest.raises(SignatureError):
        judge(Request(method="POST", url=request.url, headers=request.headers))


@pytest.mark.parametrize("body", [b"", BODY + b" ", b'{"a":2}'])
def test_another_body(body: bytes) -> None:
    """A body is the one whose digest was signed."""
    with pytest.raises(SignatureError):
        verify_body(dispatch().headers, body)
    with pytest.raises(SignatureError):
        verify_reply(reply(dispatch()), body, key=WORKER.public_key, now=NOW)


def test_a_message_without_a_digest() -> None:
    """No digest proves no body."""
    with pytest.raises(SignatureError):
        verify_body(CIMultiDict(), b"")


@pytest.mark.parametrize(
    ("later", "good"),
    [
        (0, True),
        (VALID_S + SKEW_S - 1, True),
        (VALID_S + SKEW_S + 1, False),
        (-SKEW_S + 1, True),
        (-SKEW_S - 2, False),
        (3_600, False),
        (-3_600, False),
    ],
)
def test_the_time_that_a_signature_is_good(later: float, good: bool) -> None:
    """Thirty seconds, and a minute for clocks that differ."""
    request = dispatch()
    if good:
        assert judge(request, NOW + later)
        return
    with pytest.raises(ClockError) as caught:
        judge(request, NOW + later)
    assert caught.value.skew_s == pytest.approx(-later, abs=1)


def signed_for(seconds: int) -> Request:
    """Return a request whose signer made it valid for so long."""
    request = Request(method="GET", url="http://127.0.0.1:8450/v1/hello")
    with mock.patch.object(rfc9421, "VALID_S", seconds):
        rfc9421.sign(HOUSE, request, None, created=int(NOW), nonce="n" * 16)
    return request


@pytest.mark.parametrize("seconds", [VALID_S + 1, 10**6, -1])
def test_a_signature_for_ever(seconds: int) -> None:
    """Its maker can't make it valid for longer than anybody remembers it."""
    assert judge(signed_for(5))
    with pytest.raises(SignatureError, match="at most"):
        judge(signed_for(seconds))


@pytest.mark.parametrize("nonce", [None, "", "short", "n" * 65, "has a blank in it"])
def test_a_request_without_a_good_nonce(nonce: str | None) -> None:
    """What can't be told from a replay is refused."""
    request = Request(method="GET", url="http://127.0.0.1:8450/v1/hello")
    rfc9421.sign(HOUSE, request, None, created=int(NOW), nonce=nonce)
    with pytest.raises(SignatureError, match="nonce"):
        judge(request)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [("TAG", "caesar-legion/2", "another protocol"), ("LABEL", "other", "labelled")],
)
def test_a_good_signature_for_something_else(name: str, value: str, said: str) -> None:
    """A key that signs elsewhere too proves nothing here by that."""
    request = Request(method="GET", url="http://127.0.0.1:8450/v1/hello")
    with mock.patch.object(rfc9421, name, value):
        rfc9421.sign(HOUSE, request, None, created=int(NOW), nonce="n" * 16)
    with pytest.raises(SignatureError, match=said):
        judge(request)


def test_a_good_signature_that_never_ends() -> None:
    """One whose maker set no end to it is refused."""
    request = Request(method="GET", url="http://127.0.0.1:8450/v1/hello")
    sign = HTTPMessageSigner.sign

    def endless(*args: Any, **how: Any) -> None:
        sign(*args, **{**how, "expires": None})

    with mock.patch.object(HTTPMessageSigner, "sign", endless):
        rfc9421.sign(HOUSE, request, None, created=int(NOW), nonce="n" * 16)
    assert "expires" not in request.headers["Signature-Input"]
    with pytest.raises(SignatureError, match="no times"):
        judge(request)


def test_a_request_without_times() -> None:
    """A signature that says nothing of its time is refused."""
    for name in ("created", "expires"):
        value = int(NOW) + (VALID_S if name == "expires" else 0)
        with pytest.raises(SignatureError):
            judge(edited(dispatch(), "Signature-Input", f";{name}={value}", ""))


def test_a_reply_to_another_request() -> None:
    """A reply answers the request whose signature it covers, and no other."""
    first, second = dispatch(), dispatch()
    answer = reply(first)
    moved = Reply(status_code=200, headers=answer.headers, request=second)

    assert verify_reply(answer, BODY, key=WORKER.public_key, now=NOW)
    with pytest.raises(SignatureError):
        verify_reply(moved, BODY, key=WORKER.public_key, now=NOW)


def test_a_reply_of_another_worker() -> None:
    """The key of another worker is no better than that of a stranger."""
    with pytest.raises(SignatureError):
        verify_reply(
            reply(dispatch(), by=STRANGER), BODY, key=WORKER.public_key, now=NOW
        )


def test_a_reply_with_another_status() -> None:
    """An error can't be made of a success, nor the other way round."""
    answer = reply(dispatch())
    for status in (404, 503, 99, 600):
        other = Reply(
            status_code=status, headers=answer.headers, request=answer.request
        )
        with pytest.raises(SignatureError):
            verify_reply(other, BODY, key=WORKER.public_key, now=NOW)


def test_a_request_offered_as_a_reply() -> None:
    """What the house signed is never taken for an answer to it."""
    request = dispatch()
    mirrored = Reply(status_code=200, headers=request.headers, request=request)
    with pytest.raises(SignatureError):
        verify_reply(mirrored, BODY, key=HOUSE.public_key, now=NOW)


@pytest.mark.parametrize("later", [VALID_S + SKEW_S + 2, -SKEW_S - 2])
def test_a_stale_reply(later: float) -> None:
    """A worker's clock must not be far off either."""
    answer = reply(dispatch(), now=NOW - later)
    with pytest.raises(ClockError):
        verify_reply(answer, BODY, key=WORKER.public_key, now=NOW)


@pytest.mark.parametrize(
    "url",
    [
        "http://[fd00::1]:8450/v1/dispatch/tool.echo",
        "https://worker.example.org/v1/dispatch/tool.echo",
        "http://Attic.local:8450/v1/dispatch/tool.echo",
        "http://127.0.0.1:8450/v1/dispatch/tool.echo?a=%20b",
    ],
)
def test_other_urls(url: str) -> None:
    """Any URL can be signed, whoever does it."""
    assert judge(dispatch(url=url)).key == HOUSE.public_key


@pytest.mark.parametrize("url", ["http://[fd00:::1]:8450/v1/hello", "/v1/hello", ""])
def test_no_urls(url: str) -> None:
    """A request whose URL is none is not what anybody signed."""
    request = hello()
    with pytest.raises(SignatureError):
        judge(Request(method="GET", url=url, headers=request.headers))
