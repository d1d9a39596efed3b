"""A worker's server, a proxy that signs for it, and what it promises as OpenAPI."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
import time
from typing import Any, Final

import aiohttp
from aiohttp import web
from multidict import CIMultiDict

from custom_components.caesar.legion import wire
from custom_components.caesar.legion.bundled import BUNDLED
from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.client import HttpWorkerClient
from custom_components.caesar.legion.environment import Environment
from custom_components.caesar.legion.keys import Identity
from custom_components.caesar.legion.messages import WorkerAddress
from custom_components.caesar.legion.server import WorkerServer
from custom_components.caesar.legion.signatures import sign_request, verify_reply
from custom_components.caesar.legion.signed import (
    EPOCH_HEADER,
    Reply,
    Request,
    SignatureError,
)
from custom_components.caesar.legion.spec import ToolSpec
from custom_components.caesar.legion.worker import Task, Worker

LOOPBACK: Final = "127.0.0.1"
JSON: Final = "application/json"
WORD: Final = {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$"}
ID: Final = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"}


class Everything(Worker):
    """A tool whose schema has a bit of everything; it returns its input."""

    tools = (
        ToolSpec(
            name="everything",
            title="Everything",
            description="Says it again.",
            input_schema={
                "type": "object",
                "properties": {
                    "text": {"type": "string", "minLength": 1, "maxLength": 40},
                    "count": {"type": "integer", "minimum": 0, "maximum": 10},
                    "share": {"type": "number", "minimum": -1, "maximum": 1},
                    "flag": {"type": "boolean"},
                    "day": {"type": "string", "enum": ["today", "tomorrow"]},
                    "many": {
                        "type": "array",
                        "items": {"type": "string", "maxLength": 5},
                        "maxItems": 3,
                    },
                },
                "required": ["text"],
                "additionalProperties": False,
            },
        ),
    )

    async def handle(self, task: Task) -> Mapping[str, Json]:
        """Return the input."""
        return {"input": dict(task.input)}


class Stage:
    """Takes unsigned requests, signs them as the house, and checks what comes back."""

    def __init__(self, session: aiohttp.ClientSession, workers: list[Worker]) -> None:
        """Serve these workers."""
        self._session = session
        self._workers = workers
        self.house, self._identity = Identity.generate(), Identity.generate()
        self.server = WorkerServer(
            "proof", workers, self._identity, [self.house.public_key], version="1"
        )
        self.passed = 0
        self.statuses: dict[int, int] = {}
        self.worker = WorkerAddress(url="", public_key="")
        self.url = ""
        self.epoch = ""

    def openapi(self) -> dict[str, Any]:
        """Return what the worker promises, made from the specifications of its tools."""
        paths: dict[str, Any] = {
            "/v1/hello": {"get": {"responses": _responses(HEALTH)}},
            "/v1/goodbye": {
                "post": {
                    "requestBody": _body(_message(reason={**TEXT, "maxLength": 200})),
                    "responses": _responses({"type": "object"}),
                }
            },
        }
        for worker in self._workers:
            for spec in worker.tools:
                paths[f"/v1/dispatch/tool.{spec.name}"] = {
                    "post": {
                        "requestBody": _body(_dispatch(spec)),
                        "responses": _responses(REPLY),
                    }
                }
        return {
            "openapi": "3.1.0",
            "info": {"title": "A worker", "version": "1"},
            "paths": paths,
        }

    async def prepare(self, port: int) -> None:
        """Learn where the worker is and what its epoch is."""
        self.worker = WorkerAddress(
            url=f"http://{LOOPBACK}:{port}", public_key=self._identity.public_key
        )
        client = HttpWorkerClient(self._session, self.house)
        self.epoch = (await client.health(self.worker)).epoch

    def signed(
        self, method: str, path: str, body: bytes | None, kind: str = JSON
    ) -> Request:
        """Return a request as the house would send it."""
        headers: CIMultiDict[str] = CIMultiDict()
        if body is not None:
            headers["Content-Type"] = kind
            headers[EPOCH_HEADER] = self.epoch
        request = Request(method=method, url=self.worker.url + path, headers=headers)
        sign_request(self.house, request, body, now=time.time())
        return request

    def _anew(self, body: bytes) -> bytes:
        """Return a body with a task id of its own, if it has a good one.

        Most examples have the same, and a task is done but once.
        """
        try:
            message = wire.loads(body)
        except wire.WireError:
            return body
        given = message.get("task_id")
        if not isinstance(given, str) or not wire.ID.fullmatch(given):
            return body
        return wire.dumps({**message, "task_id": f"proof-{self.passed}"})

    async def forward(self, http: web.Request) -> web.StreamResponse:
        """Sign a request, pass it on, check the signature of the reply, pass it back."""
        if http.path == "/openapi.json":
            return web.json_response(self.openapi())
        body = None if http.method == "GET" else self._anew(await http.read())
        kind = http.headers.get("Content-Type", JSON)
        request = self.signed(http.method, http.raw_path, body, kind)
        async with self._session.request(
            request.method, request.url, data=body, headers=request.headers
        ) as answer:
            content = await answer.read()
            reply = Reply(
                status_code=answer.status,
                headers=CIMultiDict(answer.headers),
                request=request,
            )
        self.passed += 1
        self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
        try:
            verify_reply(reply, content, key=self._identity.public_key, now=time.time())
        except SignatureError as err:
            return web.Response(status=500, text=f"{answer.status} unsigned: {err}")
        return web.Response(status=answer.status, body=content, content_type=JSON)


@asynccontextmanager
async def stage() -> AsyncIterator[Stage]:
    """Run it all as long as the block lasts."""
    workers = [Everything(), BUNDLED["calculator"](Environment({}))]
    async with aiohttp.ClientSession() as session:
        made = Stage(session, workers)
        await made.prepare(await made.server.start(LOOPBACK, 0))
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", made.forward)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, LOOPBACK, 0).start()
        made.url = f"http://{LOOPBACK}:{runner.addresses[0][1]}"
        try:
            yield made
        finally:
            await runner.cleanup()
            await made.server.stop()


TEXT: Final = {"type": "string", "maxLength": 128, "pattern": "^[ -~]*$"}
HEALTH: Final = {
    "type": "object",
    "required": ["protocol", "worker_id", "version", "epoch", "tools", "server_time"],
}
REPLY: Final = {
    "type": "object",
    "properties": {
        "protocol": {"const": 1},
        "task_id": ID,
        "worker_id": ID,
        "success": {"type": "boolean"},
        "result": {"type": ["object", "null"]},
        "error": {"type": ["string", "null"], "maxLength": 1_000},
        "code": {"anyOf": [WORD, {"type": "null"}]},
        "retryable": {"type": "boolean"},
        "duration_ms": {"type": "integer", "minimum": 0},
    },
    "required": ["protocol", "task_id", "worker_id", "success", "duration_ms"],
    "additionalProperties": False,
}
REFUSAL: Final = {
    "type": "object",
    "properties": {"protocol": {"const": 1}, "code": WORD, "error": {"type": "string"}},
    "required": ["protocol", "code", "error"],
    "additionalProperties": False,
}


def _dispatch(spec: ToolSpec) -> dict[str, Any]:
    hints = {
        "type": ["object", "null"],
        "properties": {
            "language": {"type": ["string", "null"], "pattern": "^[A-Za-z0-9-]{1,35}$"},
            "timezone": {
                "type": ["string", "null"],
                "pattern": "^[A-Za-z0-9_+/-]{1,64}$",
            },
        },
        # Hints that nobody knows are ignored, but must be JSON as the protocol has it.
        "additionalProperties": {
            "anyOf": [
                {"type": ["string", "boolean", "null"]},
                {"type": "integer", "minimum": -(2**63), "maximum": 2**64 - 1},
                {"type": "array", "items": {"type": ["string", "null"]}},
                {"type": "object", "additionalProperties": {"type": "string"}},
            ]
        },
    }
    message = _message(
        task_id=ID,
        capability={"const": f"tool.{spec.name}"},
        tool={"const": spec.name},
        input=spec.input_schema,
        decision_id=TEXT,
        deadline_ms={"type": "integer", "minimum": 1, "maximum": 60_000},
        attempt={"type": "integer", "minimum": 1, "maximum": 100},
    )
    message["properties"]["hints"] = hints
    return message


def _message(**fields: Any) -> dict[str, Any]:
    fields["protocol"] = {"const": 1}
    return {
        "type": "object",
        "properties": fields,
        "required": sorted(fields),
        "additionalProperties": False,
    }


def _body(schema: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {JSON: {"schema": schema}}}


def _responses(schema: Mapping[str, Any]) -> dict[str, Any]:
    said = {
        str(status): {
            "description": "refused",
            "content": {JSON: {"schema": REFUSAL}},
        }
        for status in (400, 404, 409, 413, 415, 429)
    }
    done = {
        "description": "done",
        "content": {JSON: {"schema": schema}},
    }
    return {"200": done, **said}
