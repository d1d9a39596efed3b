"""A worker that lies, and whoever sits on the line: no answer of theirs is believed."""

import asyncio
from collections.abc import Awaitable, Callable
import gzip
import time
import tracemalloc

import pytest

from custom_components.caesar.legion import client as client_module
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.errors import LegionCode
from custom_components.caesar.legion.keys import Identity
from tests.fakes.legion_peer import JSON, Asked, LegionPeer, raw

from .dialling import HOUSE, ask, hang_up, refused

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_a_good_answer(client: HttpWorkerClient, peer: LegionPeer) -> None:
    """Without a lie it is believed, after one hello for all dispatches."""
    assert (await ask(client, peer)).result == {"value": 4}
    assert (await ask(client, peer)).success
    assert peer.hellos == 1
    assert peer.asked[0].data["input"] == {}
    assert peer.asked[0].request.headers["Caesar-Epoch"] == peer.epoch
    assert peer.asked[0].request.headers["Accept-Encoding"] == "identity"


type Lie = Callable[[LegionPeer, Asked], bytes]


B, S, T = LegionCode.BAD_REPLY, LegionCode.BAD_SIGNATURE, LegionCode.TOO_LARGE


def unsigned(peer: LegionPeer, asked: Asked) -> bytes:
    """Answer without any signature."""
    return raw({"Content-Type": JSON}, peer.reply(asked))


def wrong_key(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign with a key of one's own."""
    return peer.good(asked, identity=Identity.generate())


def house_key(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign as the house itself."""
    return peer.good(asked, identity=HOUSE)


def tampered_body(peer: LegionPeer, asked: Asked) -> bytes:
    """Change the body on the way."""
    return peer.good(asked).replace(b'"value": 4', b'"value": 5')


def tampered_type(peer: LegionPeer, asked: Asked) -> bytes:
    """Change a covered header on the way."""
    return peer.good(asked).replace(b"application/json", b"text/html")


def tampered_digest(peer: LegionPeer, asked: Asked) -> bytes:
    """Replace the body together with its digest."""
    other = peer.good(asked, peer.reply(asked, result={"value": 5}))
    digest = next(
        line for line in other.split(b"\r\n") if line.startswith(b"Content-Digest")
    )
    body = other.partition(b"\r\n\r\n")[2]
    head = peer.good(asked).partition(b"\r\n\r\n")[0]
    lines = [
        digest if ln.startswith(b"Content-Digest") else ln for ln in head.split(b"\r\n")
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def tampered_status(peer: LegionPeer, asked: Asked) -> bytes:
    """Make an error of a success."""
    return peer.good(asked).replace(b"200 Whatever", b"503 Whatever")


def of_another_request(peer: LegionPeer, asked: Asked) -> bytes:
    """Offer the answer to the hello, or to an earlier dispatch."""
    earlier = peer.asked[0]
    body = peer.reply(asked)
    return raw(peer.signed(earlier.request, body), body)


def stale(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign in the past."""
    return peer.good(asked, now=time.time() - 100)


def from_the_future(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign in the future."""
    return peer.good(asked, now=time.time() + 100)


def two_signatures(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign twice."""
    body = peer.reply(asked)
    headers = peer.signed(asked.request, body)
    for name in ("Signature", "Signature-Input"):
        headers[name] += ", other=" + headers[name].removeprefix("caesar=")
    return raw(headers, body)


def no_json(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign something that is no JSON."""
    return peer.good(asked, b"<html>")


def not_a_number(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign NaN."""
    return peer.good(asked, peer.reply(asked, result={"value": float("nan")}))


def huge_number(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign a number that is infinite to everybody else."""
    return peer.good(asked, peer.reply(asked).replace(b": 4}", b": 1e999}"))


def duplicate_keys(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign what two parsers read differently."""
    body = peer.reply(asked).replace(
        b'"success": true', b'"success": false, "success": true'
    )
    return peer.good(asked, body)


def deep(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign what exhausts a stack."""
    return peer.good(asked, b'{"a":' + b"[" * 1_500 + b"]" * 1_500 + b"}")


def another_task(peer: LegionPeer, asked: Asked) -> bytes:
    """Answer a task that nobody asked for."""
    return peer.good(asked, peer.reply(asked, task_id="task-2"))


def another_worker(peer: LegionPeer, asked: Asked) -> bytes:
    """Answer under another name."""
    return peer.good(asked, peer.reply(asked, worker_id="other"))


def no_result(peer: LegionPeer, asked: Asked) -> bytes:
    """Claim success without a result."""
    return peer.good(asked, peer.reply(asked, result=None))


def list_result(peer: LegionPeer, asked: Asked) -> bytes:
    """Return a list."""
    return peer.good(asked, peer.reply(asked, result=[1]))


def oversized(peer: LegionPeer, asked: Asked) -> bytes:
    """Announce more than was agreed."""
    return peer.good(asked, peer.reply(asked, result={"a": "x" * 5_000}))


def oversized_unannounced(peer: LegionPeer, asked: Asked) -> bytes:
    """Send more than was agreed without saying how much."""
    body = peer.reply(asked, result={"a": "x" * 9_000})
    headers = peer.signed(asked.request, body)
    headers["Transfer-Encoding"] = "chunked"
    chunks = f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n"
    return raw(headers, chunks)


def compressed(peer: LegionPeer, asked: Asked) -> bytes:
    """Compress although nobody asked for it."""
    body = peer.reply(asked)
    headers = peer.signed(asked.request, body)
    headers["Content-Encoding"] = "gzip"
    return raw(headers, gzip.compress(body))


def redirect(peer: LegionPeer, asked: Asked) -> bytes:
    """Send the house elsewhere, with a good signature."""
    body = peer.reply(asked)
    headers = peer.signed(asked.request, body, status=307)
    headers["Location"] = f"{peer.address.url}/v1/elsewhere"
    return raw(headers, body, status=307)


def unsigned_redirect(peer: LegionPeer, asked: Asked) -> bytes:
    """Send the house elsewhere, as anybody on the line can."""
    location = {"Location": f"{peer.address.url}/v1/elsewhere"}
    return raw(location, b"", status=302)


def strange_status(peer: LegionPeer, asked: Asked) -> bytes:
    """Sign a status that means nothing."""
    return peer.good(asked, status=201)


def unsigned_busy(peer: LegionPeer, asked: Asked) -> bytes:
    """Claim that nothing was begun, as anybody on the line can."""
    return raw({"Content-Type": JSON}, b"{}", status=503)


LIES: tuple[tuple[Lie, LegionCode], ...] = (
    (unsigned, S),
    (wrong_key, S),
    (house_key, S),
    (tampered_body, S),
    (tampered_type, S),
    (tampered_digest, S),
    (tampered_status, S),
    (stale, LegionCode.CLOCK),
    (from_the_future, LegionCode.CLOCK),
    (two_signatures, S),
    (no_json, B),
    (not_a_number, B),
    (huge_number, B),
    (duplicate_keys, B),
    (deep, B),
    (another_task, B),
    (another_worker, B),
    (no_result, B),
    (list_result, B),
    (oversized, T),
    (oversized_unannounced, T),
    (compressed, B),
    (redirect, B),
    (unsigned_redirect, S),
    (strange_status, B),
    (unsigned_busy, S),
)


@pytest.mark.parametrize(("lie", "code"), LIES, ids=[lie.__name__ for lie, _ in LIES])
async def test_a_lie(
    client: HttpWorkerClient, peer: LegionPeer, lie: Lie, code: LegionCode
) -> None:
    """It is no answer, and never proof that the task was not begun."""

    async def answer(asked: Asked) -> bytes:
        return lie(peer, asked)

    peer.answer = answer
    error = await refused(client, peer)

    assert error.code is code
    assert error.accepted
    assert len(peer.asked) == 1
    peer.answer = None
    assert (await ask(client, peer)).success


async def test_the_reply_of_another_request(
    client: HttpWorkerClient, peer: LegionPeer
) -> None:
    """A good answer to one dispatch is none to the next, even of the same task."""
    assert (await ask(client, peer)).success

    async def answer(asked: Asked) -> bytes:
        return of_another_request(peer, asked)

    peer.answer = answer
    assert (await refused(client, peer)).code is S


@pytest.mark.parametrize(
    ("skewed", "skew"), [(stale, -100), (from_the_future, 100)], ids=["slow", "fast"]
)
async def test_a_clock_that_is_off_is_measured(
    client: HttpWorkerClient, peer: LegionPeer, skewed: Lie, skew: float
) -> None:
    """The error says by how much."""

    async def answer(asked: Asked) -> bytes:
        return skewed(peer, asked)

    peer.answer = answer
    assert (await refused(client, peer)).skew_s == pytest.approx(skew, abs=2)


async def drip(asked: Asked, head: bytes, body: bytes) -> bytes:
    """Send a byte at a time, for longer than anybody waits."""
    asked.writer.write(head)
    for byte in body:
        asked.writer.write(bytes([byte]))
        await asked.writer.drain()
        await asyncio.sleep(0.02)
    return b""


@pytest.mark.parametrize("whole", ["body", "head"])
async def test_a_slow_drip(
    client: HttpWorkerClient,
    peer: LegionPeer,
    monkeypatch: pytest.MonkeyPatch,
    whole: str,
) -> None:
    """A byte now and then holds nobody beyond the deadline."""
    monkeypatch.setattr(client_module, "GRACE_S", 0.1)

    async def answer(asked: Asked) -> bytes:
        head, end, body = peer.good(asked).partition(b"\r\n\r\n")
        if whole == "head":
            return await drip(asked, b"", head)
        return await drip(asked, head + end, body)

    peer.answer = answer
    start = time.monotonic()
    error = await refused(client, peer, deadline_ms=200)

    assert (error.code, error.accepted) == (LegionCode.TIMEOUT, True)
    assert time.monotonic() - start < 1.5


async def without_end(asked: Asked) -> bytes:
    """Send a body that never ends."""
    headers = {"Content-Type": JSON, "Transfer-Encoding": "chunked"}
    asked.writer.write(raw(headers, b""))
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    for _ in range(2_000):
        asked.writer.write(chunk)
        await asked.writer.drain()
    return b""


async def test_a_body_without_end(client: HttpWorkerClient, peer: LegionPeer) -> None:
    """Is cut off where it becomes too long; memory stays small."""
    peer.answer = without_end
    assert (await refused(client, peer)).code is T


async def test_a_gzip_bomb(client: HttpWorkerClient, peer: LegionPeer) -> None:
    """Is not unpacked: 30 kB that would be 30 MB take less than three."""
    bomb = gzip.compress(b"\0" * 30_000_000)

    async def answer(asked: Asked) -> bytes:
        headers = peer.signed(asked.request, bomb)
        headers["Content-Encoding"] = "gzip"
        return raw(headers, bomb)

    await client.health(peer.address)
    peer.answer = answer
    tracemalloc.start()
    try:
        error = await refused(client, peer)
        assert tracemalloc.get_traced_memory()[1] < 3_000_000
    finally:
        tracemalloc.stop()
    assert error.code is B


async def cut_off(asked: Asked) -> bytes:
    """Close in the middle of a body."""
    asked.writer.write(raw({"Content-Type": JSON}, b"{", length=100))
    asked.writer.close()
    return b""


async def no_http(asked: Asked) -> bytes:
    """Speak something else."""
    asked.writer.write(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")
    return b""


async def endless_head(asked: Asked) -> bytes:
    """Send headers for ever."""
    for number in range(2_000):
        asked.writer.write(b"X-%d: %s\r\n" % (number, b"x" * 100))
        await asked.writer.drain()
    return b""


@pytest.mark.parametrize("end", [hang_up, cut_off, no_http, endless_head])
async def test_a_connection_that_breaks(
    client: HttpWorkerClient,
    peer: LegionPeer,
    end: Callable[[Asked], Awaitable[bytes]],
) -> None:
    """Nobody knows then whether the task was begun."""
    peer.answer = end
    error = await refused(client, peer, deadline_ms=500)

    assert error.code in (LegionCode.UNREACHABLE, LegionCode.TIMEOUT)
    assert error.accepted
