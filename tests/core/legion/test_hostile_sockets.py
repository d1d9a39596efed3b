"""Whoever tries to wear a worker out: by size, by slowness, by number, by nonsense."""

import asyncio
import time
from typing import Any
from unittest import mock

import pytest

from custom_components.caesar.legion import server as server_module
from custom_components.caesar.legion.connections import Doorkeeper
from custom_components.caesar.legion.errors import LegionError
from custom_components.caesar.legion.refusals import RefusalLog
from custom_components.caesar.legion.wire import MAX_REQUEST_BYTES
from tests.fakes.clock import FakeClock

from .strangers import ECHO_PATH, authentic, dispatch, signed
from .workers import Bench, bench

pytestmark = pytest.mark.usefixtures("socket_enabled")


async def test_a_request_that_is_too_large() -> None:
    """Is not read to its end, announced or not."""
    body = b"x" * (MAX_REQUEST_BYTES + 1)
    async with bench() as house:
        request = await signed(house, body)
        assert (await authentic(house, request, body, 413))["code"] == "too_large"

        async def pieces() -> Any:
            for start in range(0, len(body), 65_536):
                yield body[start : start + 65_536]

        request = await signed(house, body)
        async with house.session.post(
            request.url, data=pieces(), headers=request.headers
        ) as answer:
            assert answer.status == 413


async def test_a_body_that_drips() -> None:
    """Is given up after a while, and only a trusted key gets that far."""
    with (
        mock.patch.object(server_module, "BODY_S", 0.1),
        mock.patch.object(server_module, "LINGER_S", 0.1),
    ):
        async with bench() as house:
            body = dispatch(house)

            async def drip() -> Any:
                for byte in body:
                    yield bytes([byte])
                    await asyncio.sleep(0.02)

            request = await signed(house, body)
            async with house.session.post(
                request.url, data=drip(), headers=request.headers
            ) as answer:
                assert answer.status == 408
            assert house.worker.tasks == []
            start = time.monotonic()
            async with house.session.post(request.url, data=drip()) as answer:
                assert answer.status == 401
            assert time.monotonic() - start < 1
            # Our own side notices only when it drips next.
            await asyncio.sleep(0.3)


@pytest.mark.parametrize(
    "rest", [b"", b"zz\r\n", b"-5\r\n\r\n", b"5\r\nab\r\n\r\n\r\n", b"0\r\nX"]
)
async def test_a_body_that_breaks_off(
    rest: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """Is no fault of the worker's, and no reason for a traceback."""
    async with bench() as house:
        request = await signed(house, dispatch(house))
        reader, writer = await connect(house)
        head = [f"POST {ECHO_PATH} HTTP/1.1", f"Host: {request.url[7:22]}"]
        head += [f"{name}: {value}" for name, value in request.headers.items()]
        head += ["Transfer-Encoding: chunked", "", ""]
        writer.write("\r\n".join(head).encode() + rest)
        await asyncio.sleep(0.05)
        writer.write_eof()
        assert await ended(reader)
        writer.close()
        assert (await house.dispatch()).success
        assert len(house.worker.tasks) == 1
    assert "Traceback" not in caplog.text


async def connect(house: Bench) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection to the worker."""
    host, _, port = house.address.url.removeprefix("http://").partition(":")
    return await asyncio.open_connection(host, int(port))


async def ended(reader: asyncio.StreamReader) -> bool:
    """Return whether the other side closes within two seconds."""
    try:
        async with asyncio.timeout(2):
            while await reader.read(4_096):
                pass
    except ConnectionResetError:
        return True
    except TimeoutError:
        return False
    return True


async def test_a_head_that_drips() -> None:
    """A connection that never says anything whole is closed."""
    impatient = Doorkeeper(silent_s=0.2)
    with mock.patch.object(server_module, "Doorkeeper", return_value=impatient):
        async with bench() as house:
            silent, writers = await connect(house), []
            dripping, writer = await connect(house)
            writers += [silent[1], writer]
            writer.write(b"GET /v1/hello HTTP/1.1\r\nHost: a\r\nX-Slow: ")
            assert await ended(dripping)
            assert await ended(silent[0])
            assert (await house.dispatch()).success
            await asyncio.sleep(0.3)
            # Whoever has spoken once is not held to it.
            assert (await house.dispatch()).success
            for each in writers:
                each.close()


async def test_silent_connections_do_not_hold_up_a_stop() -> None:
    """They are closed with the rest."""
    async with bench() as house:
        reader, writer = await connect(house)
        await house.dispatch()
        start = time.monotonic()
        await house.server.stop()
        assert time.monotonic() - start < 1
        assert await ended(reader)
        writer.close()


async def test_many_silent_connections() -> None:
    """The oldest of them makes room, and the house still gets in."""
    small = Doorkeeper(most=3)
    with mock.patch.object(server_module, "Doorkeeper", return_value=small):
        async with bench() as house:
            opened = [await connect(house) for _ in range(10)]
            assert (await house.dispatch()).success
            for reader, _ in opened[:6]:
                assert await ended(reader)
            for _, writer in opened:
                writer.close()


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/9.9\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"POST /v1/hello HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"GET " + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5_000 + b"\r\n",
        b"GET http://127.0.0.1/v1/hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"\r\n" * 100 + b"\x00" * 100 + b"\r\n\r\n",
    ],
)
async def test_what_is_no_request(
    data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever is sent, the answer is no, the connection ends, the worker goes on."""
    async with bench() as house:
        reader, writer = await connect(house)
        writer.write(data)
        async with asyncio.timeout(2):
            answer = await reader.read(65_536)
        assert answer.partition(b"\r\n")[0].split(b" ")[1:2] in ([b"400"], [b"401"])
        assert await ended(reader)
        writer.close()
        assert (await house.dispatch()).success
    assert "Traceback" not in caplog.text


async def test_a_fault_of_our_own(caplog: pytest.LogCaptureFixture) -> None:
    """Is not hidden with those of strangers."""
    async with bench() as house:
        await house.client.health(house.address)
        with (
            mock.patch.object(house.server, "_admit", side_effect=KeyError("ours")),
            pytest.raises(LegionError) as caught,
        ):
            await house.dispatch()
        assert caught.value.accepted
    assert "KeyError: 'ours'" in caplog.text


async def test_many_strangers(caplog: pytest.LogCaptureFixture) -> None:
    """They are refused without filling the log, and the house is still heard."""
    async with bench() as house:
        url = f"{house.address.url}/v1/hello"
        for _ in range(30):
            answers = await asyncio.gather(*(house.session.get(url) for _ in range(10)))
            assert {answer.status for answer in answers} == {401}
        assert (await house.dispatch()).success
    assert caplog.text.count("Refused a request from 127.0.0.1") == 5


def test_the_log_of_refusals(caplog: pytest.LogCaptureFixture) -> None:
    """Five of a source in five minutes; then how many more there were."""
    clock = FakeClock()
    log = RefusalLog(clock=clock)
    for _ in range(20):
        log.add("192.168.1.66", "unsigned")
    for number in range(400):
        log.add(f"10.0.{number // 256}.{number % 256}", "unsigned")
    assert caplog.text.count("from 192.168.1.66") == 5

    log = RefusalLog(clock=clock)
    for _ in range(7):
        log.add("192.168.1.77", "unsigned")
    clock.advance(301)
    log.add("192.168.1.77", "unsigned")
    assert "192.168.1.77 was refused 2 times more" in caplog.text
    assert caplog.text.count("from 192.168.1.77") == 6
