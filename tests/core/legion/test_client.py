"""The house's side: what an answer proves, and what is not sent at all."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.errors import LegionCode, LegionError
from custom_components.caesar.legion.spec_json import MAX_REPLY_BYTES
from tests.fakes.legion_peer import Asked, LegionPeer, raw

from .dialling import ask, hang_up, refused

pytestmark = pytest.mark.usefixtures("socket_enabled")


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, LegionCode.BAD_REQUEST),
        (404, LegionCode.NO_CAPABILITY),
        (408, LegionCode.TIMEOUT),
        (409, LegionCode.BAD_REQUEST),
        (413, LegionCode.TOO_LARGE),
        (415, LegionCode.BAD_REQUEST),
        (429, LegionCode.BUSY),
        (503, LegionCode.STOPPING),
    ],
)
@pytest.mark.parametrize("body", [b'{"protocol":1,"code":"x","error":"why"}', b"?"])
async def test_a_signed_refusal(
    client: HttpWorkerClient,
    peer: LegionPeer,
    status: int,
    code: LegionCode,
    body: bytes,
) -> None:
    """It is proof that nothing was begun."""

    async def answer(asked: Asked) -> bytes:
        return peer.good(asked, body, status=status)

    peer.answer = answer
    error = await refused(client, peer)

    assert (error.code, error.accepted) == (code, False)
    assert error.message == ("why" if body != b"?" else f"status {status}")


async def test_a_401_proves_nothing(client: HttpWorkerClient, peer: LegionPeer) -> None:
    """Anybody on the line can say it after the task was done."""

    async def answer(asked: Asked) -> bytes:
        return raw({}, b"", status=401)

    peer.answer = answer
    error = await refused(client, peer)

    assert (error.code, error.accepted) == (LegionCode.REFUSED, True)
    # It was not sent again: the worker's epoch is the same as before.
    assert len(peer.asked) == 1
    assert peer.hellos == 2


async def test_a_401_by_the_clock(client: HttpWorkerClient, peer: LegionPeer) -> None:
    """Its date is a hint at what is wrong."""

    async def answer(asked: Asked) -> bytes:
        return raw({"Date": "Mon, 30 Nov 2020 21:00:00 GMT"}, b"", status=401)

    peer.answer = peer.on_hello = answer
    with pytest.raises(LegionError) as caught:
        await client.health(peer.address)

    assert (caught.value.code, caught.value.accepted) == (LegionCode.CLOCK, False)
    assert caught.value.skew_s is not None
    assert caught.value.skew_s < -86_400
    error = await refused(client, peer)
    assert (error.code, error.accepted) == (LegionCode.CLOCK, False)


@pytest.mark.parametrize("date", ["", "yesterday", "Mon, 99 Nov 9999 99:00:00 GMT"])
async def test_a_401_without_a_good_date(
    client: HttpWorkerClient, peer: LegionPeer, date: str
) -> None:
    """Says only that the key is not accepted."""

    async def answer(asked: Asked) -> bytes:
        return raw({"Date": date}, b"", status=401)

    peer.on_hello = answer
    with pytest.raises(LegionError) as caught:
        await client.health(peer.address)
    assert caught.value.code is LegionCode.REFUSED


async def test_a_401_and_then_a_hello_that_fails(
    client: HttpWorkerClient, peer: LegionPeer
) -> None:
    """The task may have been done, although the hello was not answered."""
    await client.health(peer.address)

    async def answer(asked: Asked) -> bytes:
        return raw({}, b"", status=401)

    peer.answer = answer
    peer.on_hello = hang_up
    error = await refused(client, peer)
    assert (error.code, error.accepted) == (LegionCode.UNREACHABLE, True)


async def test_a_worker_that_was_started_anew(
    client: HttpWorkerClient, peer: LegionPeer
) -> None:
    """Is sent the same task once more, with its new epoch.

    It can't have begun: the hello says since when it runs.
    """

    async def answer(asked: Asked) -> bytes:
        if asked.request.headers["Caesar-Epoch"] != peer.epoch:
            return raw({}, b"", status=401)
        return peer.good(asked)

    peer.answer = answer
    assert (await ask(client, peer)).success
    peer.epoch = "another-epoch-now"
    assert (await ask(client, peer)).success
    assert [asked.data["task_id"] for asked in peer.asked] == ["task-1"] * 3


@pytest.mark.parametrize(
    "change",
    [
        {"epoch": "x"},
        {"protocol": 2},
        {"tools": [{"name": "get_state"}]},
        {"server_time": "now"},
    ],
)
async def test_a_hello_that_is_no_good(
    client: HttpWorkerClient, peer: LegionPeer, change: dict[str, Any]
) -> None:
    """A dispatch is not even sent."""

    async def hello(asked: Asked) -> bytes:
        return peer.hello(asked, **change)

    peer.on_hello = hello
    error = await refused(client, peer)

    assert (error.code, error.accepted) == (LegionCode.BAD_REPLY, False)
    assert peer.asked == []


async def test_a_hello_larger_than_any(
    client: HttpWorkerClient, peer: LegionPeer
) -> None:
    """It has a limit as well."""

    async def hello(asked: Asked) -> bytes:
        return peer.hello(asked, more="x" * MAX_REPLY_BYTES)

    peer.on_hello = hello
    error = await refused(client, peer)
    assert (error.code, error.accepted) == (LegionCode.TOO_LARGE, False)


async def test_nobody_there(client: HttpWorkerClient) -> None:
    """A refused connection is proof that nothing was begun."""
    async with LegionPeer() as peer:
        gone = peer
    error = await refused(client, gone)
    assert (error.code, error.accepted) == (LegionCode.UNREACHABLE, False)


@pytest.mark.parametrize(
    "change",
    [
        {"url": "http://8.8.8.8:80"},
        {"url": "http://worker.example.org"},
        {"url": "file:///etc/passwd"},
        {"public_key": "U"},
    ],
)
async def test_an_address_that_is_not_dialled(
    client: HttpWorkerClient, peer: LegionPeer, change: dict[str, str]
) -> None:
    """Plain HTTP leaves the home network for nobody."""
    with pytest.raises(LegionError) as caught:
        await client.health(replace(peer.address, **change))
    assert (caught.value.code, caught.value.accepted) == (
        LegionCode.BAD_REQUEST,
        False,
    )
    assert peer.hellos == 0


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"a": float("nan")}, LegionCode.BAD_REQUEST),
        ({"a": "x" * 300_000}, LegionCode.TOO_LARGE),
    ],
)
async def test_what_is_not_sent(
    client: HttpWorkerClient, peer: LegionPeer, given: Any, code: LegionCode
) -> None:
    """What no worker would take does not leave the house."""
    error = await refused(client, peer, input=given)
    assert (error.code, error.accepted) == (code, False)
    assert peer.asked == []


async def test_one_hello_for_many(client: HttpWorkerClient, peer: LegionPeer) -> None:
    """Dispatches that start together ask for the epoch once."""
    await asyncio.gather(*(ask(client, peer) for _ in range(8)))
    assert peer.hellos == 1
    client.forget(peer.address)
    await ask(client, peer)
    assert peer.hellos == 2
