"""A model that answers at once and knows nothing but what it is sent.

It understands "turn on the NAME" and "is the NAME on?". For a call it looks for the
entity in what stands in its prompt, else for the area of that name, else it searches
the home with a tool; so its round trips are those that a prompt makes necessary.
"""

import asyncio
import json
import os
import re
import sys
from typing import Any, Final, override

from aiohttp import web

from benches.turn_parts.cache import Billed, Body, PromptCache
from tests.fakes.messages_api import FakeMessagesApi
from tests.fakes.messages_script import Answer, Failure, Text, ToolUse

TURN_ON: Final = re.compile(r"turn on the (.+?)\W*$", re.IGNORECASE)
IS_ON: Final = re.compile(r"is the (.+?) on\W*$", re.IGNORECASE)
ROOMS_LIGHTS: Final = re.compile(r"(.+) lights?", re.IGNORECASE)
# What core's integration sends and the documentation doesn't name.
_CORES_OWN: Final = "container"


class Obedient(FakeMessagesApi):
    """The server, which counts what it bills; `cache` is the account's."""

    def __init__(self, cache: PromptCache) -> None:
        """Answer as a model whose cache this is."""
        super().__init__(self)
        self.cache = cache
        self.billed: list[Billed] = []

    @override
    async def record(self, request: web.Request) -> tuple[Body, Failure | None]:
        body, refused = await super().record(request)
        body.pop(_CORES_OWN, None)
        return body, refused

    def next(self, body: Body) -> Answer:
        """Return what the model does next, and what that costs."""
        self.billed.append(self.cache.ask(body))
        return Answer(blocks=[plan(body)], usage=self.billed[-1].usage())


def plan(body: Body) -> Text | ToolUse:
    """Return what the model does next."""
    tools = {tool["name"] for tool in body.get("tools", ())}
    said, results = _now(body["messages"])
    if results and "entities" not in results[-1]:
        return Text(text="Done.")
    if wanted := TURN_ON.search(said):
        if intent := _ending(tools, "HassTurnOn"):
            room = ROOMS_LIGHTS.fullmatch(wanted[1])
            where: Body = {"name": wanted[1]}
            if room is not None:
                where = {"area": room[1], "domain": ["light"]}
            return _done(results) or ToolUse(name=intent, input=where)
        return _act(body, wanted[1], results)
    if wanted := IS_ON.search(said):
        if live := _ending(tools, "GetLiveContext"):
            return _done(results) or ToolUse(name=live, input={"name": wanted[1]})
        return _read(body, wanted[1], results)
    return Text(text="Hello there, what can I do for you?")


def _act(body: Body, name: str, results: list[Body]) -> Text | ToolUse:
    if results and "next_offset" not in results[-1] and "left_out" in results[-1]:
        return Text(text="Done.")
    if target := _target(body, name, results):
        return ToolUse(
            name="call_service",
            input={"domain": "light", "service": "turn_on", "target": target},
        )
    return _search(name, results)


def _read(body: Body, name: str, results: list[Body]) -> Text | ToolUse:
    found = _found(name, results)
    if found is not None:
        return Text(text=f"It is {found['state']}.")
    target = _target(body, name, results)
    if target and "entity_id" in target:
        return ToolUse(name="get_state", input={"entity_id": [target["entity_id"]]})
    return _search(name, results)


def _search(name: str, results: list[Body]) -> Text | ToolUse:
    if results:
        return Text(text="I can't find that.")
    return ToolUse(name="find_entities", input={"name": name, "domain": "light"})


def _target(body: Body, name: str, results: list[Body]) -> Body | None:
    """Return what a call is on: the thing of that name, else the room's lights."""
    if found := _found(name, results):
        return {"entity_id": found["entity_id"]}
    system = "\n".join(block["text"] for block in body.get("system", ()))
    slug = re.sub(r"\W+", "_", name.casefold())
    if re.search(rf"\blight\.{slug}\b", system):
        return {"entity_id": f"light.{slug}"}
    if by_name := re.search(
        rf"\b(light\.\w+) '{re.escape(name)}'", system, re.IGNORECASE
    ):
        return {"entity_id": by_name[1]}
    if room := ROOMS_LIGHTS.fullmatch(name):
        area_id = re.sub(r"\W+", "_", room[1].casefold())
        if re.search(rf"^{area_id}: |(:|;| in) {area_id}[;.]", system, re.MULTILINE):
            return {"area_id": area_id}
    return None


def _found(name: str, results: list[Body]) -> Body | None:
    """Return the thing that a tool has told of."""
    for result in results:
        for entity in result.get("entities", ()):
            if entity["name"].casefold() == name.casefold():
                return dict(entity)
    return None


def _done(results: list[Body]) -> Text | None:
    return Text(text="Done.") if results else None


def _ending(tools: set[str], name: str) -> str | None:
    return next((tool for tool in sorted(tools) if tool.endswith(name)), None)


def _now(messages: list[Body]) -> tuple[str, list[Body]]:
    """Return what the person said last, and what tools have answered since."""
    results: list[Body] = []
    for message in reversed(messages):
        content: Any = message["content"]
        if message["role"] != "user":
            continue
        if isinstance(content, str):
            return content, results
        for block in content:
            if block["type"] == "tool_result":
                results.insert(0, _parsed(block["content"]))
        if texts := [block["text"] for block in content if block["type"] == "text"]:
            return texts[-1], results
    return "", results


def _parsed(content: Any) -> Body:
    if not isinstance(content, str):
        content = "".join(block.get("text", "") for block in content)
    try:
        parsed = json.loads(content)
    except ValueError:
        return {"text": content}
    return parsed if isinstance(parsed, dict) else {"text": content}


async def serve() -> None:
    """Serve until standard input closes."""
    async with Obedient(PromptCache(0)) as api:
        print(api.url, flush=True)
        while await asyncio.to_thread(os.read, 0, 4096):
            pass


if __name__ == "__main__":
    asyncio.run(serve())
    sys.exit(0)
