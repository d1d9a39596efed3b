"""Makes the test vectors of the protocol, for workers in other languages.

Usage: python -m tests.core.legion.vectors writes vectors.json anew. The test beside it
compares, and judges each vector by the code that Home Assistant runs.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

from http_message_signatures import HTTPMessageVerifier, algorithms
from http_message_signatures.resolvers import MappingKeyResolver
from multidict import CIMultiDict

from custom_components.caesar.legion import direct, wire
from custom_components.caesar.legion.keys import Identity, public_key
from custom_components.caesar.legion.messages import (
    DispatchRequest,
    Hints,
    WorkerHealth,
    WorkerReply,
)
from custom_components.caesar.legion.signed import EPOCH_HEADER, Reply, Request
from custom_components.caesar.legion.spec import Annotations, ToolSpec
from custom_components.caesar.legion.wire import Refusal

FILE: Final = Path(__file__).with_name("vectors.json")
NOW: Final = 1_796_000_000
BASE: Final = "http://192.168.1.20:8450"
EPOCH: Final = "0123456789abcdefABCDEF-_"
HOUSE: Final = Identity(hashlib.sha256(b"caesar-legion/1 house").digest())
WORKER: Final = Identity(hashlib.sha256(b"caesar-legion/1 worker").digest())
SPEC: Final = ToolSpec(
    name="tides",
    title="Tides",
    description="When the water is high.",
    input_schema={
        "type": "object",
        "properties": {"harbour": {"type": "string", "maxLength": 60}},
        "required": ["harbour"],
        "additionalProperties": False,
    },
    annotations=Annotations(read_only=True, destructive=False, idempotent=True),
    sentences={"en": ("when is high tide in {harbour}",)},
)


def request(method: str, path: str, body: bytes | None, nonce: str) -> Request:
    """Return a signed request of the house."""
    headers: CIMultiDict[str] = CIMultiDict()
    if body is not None:
        headers["Content-Type"] = "application/json"
        headers[EPOCH_HEADER] = EPOCH
    made = Request(method=method, url=BASE + path, headers=headers)
    assert direct.sign(HOUSE, made, body, created=NOW, nonce=nonce)
    return made


def reply(to: Request, status: int, body: bytes) -> Reply:
    """Return a signed reply of the worker."""
    made = Reply(
        status_code=status,
        headers=CIMultiDict({"Content-Type": "application/json"}),
        request=to,
    )
    assert direct.sign(WORKER, made, body, created=NOW + 1, nonce=None)
    return made


def base(message: Request | Reply) -> str:
    """Return the signature base, as the library puts it together."""
    verifier = HTTPMessageVerifier(
        signature_algorithm=algorithms.ED25519,
        key_resolver=MappingKeyResolver(
            public_keys={
                key.public_key: public_key(key.public_key) for key in (HOUSE, WORKER)
            },
            private_keys={},
        ),
    )
    verifier.validate_created_and_expires = lambda *_, **__: None  # type: ignore[method-assign]  # the vectors are of another time
    covered = verifier.verify(message, max_age=None)[0].covered_components
    return "\n".join(f"{name}: {value}" for name, value in covered.items())


def exchange(name: str, asked: Request, body: bytes | None, answers: Any) -> Any:
    """Return a request with its replies, as data."""
    return {
        "name": name,
        "request": {
            "method": asked.method,
            "url": asked.url,
            "headers": dict(asked.headers),
            "body": None if body is None else body.decode(),
            "signature_base": base(asked),
        },
        "replies": [
            {
                "name": label,
                "status": made.status_code,
                "headers": dict(made.headers),
                "body": content.decode(),
                "signature_base": base(made),
            }
            for label, made, content in answers
        ],
    }


def hello() -> Any:
    """Return a hello with its answer."""
    asked = request("GET", "/v1/hello", None, "hello-nonce-0001")
    content = wire.health_to_bytes(
        WorkerHealth(
            worker_id="tides-1",
            version="1.0.0",
            epoch=EPOCH,
            tools=(SPEC,),
            server_time=NOW + 0.5,
            started_at=NOW - 3_600.0,
        )
    )
    answers = [("well", reply(asked, 200, content), content)]
    return exchange("hello", asked, None, answers)


def dispatch() -> Any:
    """Return a dispatch with four answers, of which a worker gives one."""
    body = wire.dispatch_to_bytes(
        DispatchRequest(
            task_id="8f14e45fceea167a5a36dedd4bea2543",
            tool="tides",
            input={"harbour": "Büsum"},
            decision_id="c9f0f895fb98ab9159f51fd0297e236d",
            deadline_ms=5_000,
            hints=Hints(language="de", timezone="Europe/Berlin"),
        )
    )
    asked = request("POST", "/v1/dispatch/tool.tides", body, "dispatch-nonce-01")
    whose: dict[str, Any] = {
        "task_id": "8f14e45fceea167a5a36dedd4bea2543",
        "worker_id": "tides-1",
        "duration_ms": 12,
    }
    found = WorkerReply(
        **whose, success=True, result={"time": "14:05", "say": "Um 14:05 Uhr."}
    )
    failed = WorkerReply(
        **whose, success=False, error="I don't know that harbour.", code="not_found"
    )
    contents = [
        ("done", 200, wire.reply_to_bytes(found)),
        ("failed", 200, wire.reply_to_bytes(failed)),
        (
            "not offered",
            404,
            wire.refusal_to_bytes(
                Refusal(code="no_capability", error="this tool is not offered here")
            ),
        ),
        (
            "busy",
            429,
            wire.refusal_to_bytes(
                Refusal(code="busy", error="the worker has too much to do")
            ),
        ),
    ]
    answers = [
        (label, reply(asked, status, content), content)
        for label, status, content in contents
    ]
    return exchange("dispatch", asked, body, answers)


def goodbye() -> Any:
    """Return a goodbye with its answer."""
    body = wire.goodbye_to_bytes("removed")
    asked = request("POST", "/v1/goodbye", body, "goodbye-nonce-001")
    content = wire.dumps({"protocol": 1, "worker_id": "tides-1"})
    return exchange(
        "goodbye", asked, body, [("well", reply(asked, 200, content), content)]
    )


def make() -> dict[str, Any]:
    """Return all vectors."""
    return {
        "comment": "Made by tests/core/legion/vectors.py. The keys are for tests only.",
        "now": NOW,
        "epoch": EPOCH,
        "house": {"seed": HOUSE.seed, "public_key": HOUSE.public_key},
        "worker": {"seed": WORKER.seed, "public_key": WORKER.public_key},
        "exchanges": [hello(), dispatch(), goodbye()],
    }


def text() -> str:
    """Return the file."""
    return json.dumps(make(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text())
