"""Requests to a real server, sent as they are, and what must come back."""

import json
import time
from typing import Any

from multidict import CIMultiDict

from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.signatures import sign_request, verify_reply
from custom_components.caesar.legion.signed import EPOCH_HEADER, Reply, Request
from custom_components.caesar.legion.wire import dispatch_to_bytes

from .workers import Bench

ECHO_PATH = "/v1/dispatch/tool.echo"


async def signed(
    house: Bench,
    body: bytes,
    *,
    path: str = ECHO_PATH,
    by: Identity | None = None,
    now: float | None = None,
) -> Request:
    """Return a good dispatch, signed for this start of the worker."""
    epoch = (await house.client.health(house.address)).epoch
    request = Request(
        method="POST",
        url=f"{house.address.url}{path}",
        headers=CIMultiDict({"Content-Type": "application/json", EPOCH_HEADER: epoch}),
    )
    moment = time.time() if now is None else now
    sign_request(by or house.house, request, body, now=moment)
    return request


def changed(request: Request, **changes: str | None) -> Request:
    """Return a request with other headers; None takes one away."""
    headers = CIMultiDict(request.headers)
    for name, value in changes.items():
        headers.popall(name.replace("_", "-"), None)
        if value is not None:
            headers[name.replace("_", "-")] = value
    return Request(method=request.method, url=request.url, headers=headers)


async def send(
    house: Bench, request: Request, body: bytes | None
) -> tuple[int, CIMultiDict[str], bytes]:
    """Send a request as it is."""
    async with house.session.request(
        request.method,
        request.url,
        data=body,
        headers=request.headers,
        allow_redirects=False,
    ) as answer:
        return answer.status, CIMultiDict(answer.headers), await answer.read()


async def refused(house: Bench, request: Request, body: bytes | None) -> None:
    """See a request refused with a bare 401 that tells nothing, and nothing done."""
    done = len(house.worker.tasks)
    status, headers, answer = await send(house, request, body)

    assert (status, answer) == (401, b"")
    assert set(headers) == {"Server", "Content-Length", "Date", "Connection"}
    assert headers["Server"] == "caesar-legion"
    assert len(house.worker.tasks) == done


async def authentic(
    house: Bench, request: Request, body: bytes | None, status: int
) -> dict[str, Any]:
    """See a request answered with that status, signed, and return the body."""
    got, headers, answer = await send(house, request, body)
    assert got == status
    reply = Reply(status_code=got, headers=headers, request=request)
    verify_reply(reply, answer, key=house.identity.public_key, now=time.time())
    data: dict[str, Any] = json.loads(answer)
    return data


def dispatch(house: Bench, **changes: Any) -> bytes:
    """Return the body of a good dispatch."""
    return dispatch_to_bytes(house.request(**changes))
