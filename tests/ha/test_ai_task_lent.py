"""Tools that Python code lends to an AI task: the gate's, or nobody's."""

from dataclasses import dataclass
import json
from typing import Any

from homeassistant.components import ai_task
from homeassistant.core import Context, HomeAssistant
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import llm
import probatio
import pytest

from custom_components.caesar.llm_api import API_ID
from custom_components.caesar.policy.reason import Code, Reason
from custom_components.caesar.turn import ApprovalResult, ApprovalState
from tests.fakes.messages_script import Answer, ToolUse
from tests.ha.ai_tasks import KITCHEN, Tasks, tasks

__all__ = ["tasks"]


class _Say(llm.Tool):
    """A tool of another integration."""

    name = "Say"
    description = "Says something."
    integration = "demo"
    parameters = probatio.Schema({probatio.Required("text"): str})

    def __init__(self, name: str = "Say") -> None:
        self.name = name
        self.said: list[tuple[str, Context | None]] = []

    async def async_call(
        self,
        hass: HomeAssistant,
        tool_input: llm.ToolInput,
        llm_context: llm.LLMContext,
    ) -> llm.ToolResult:
        """Keep what is said."""
        if tool_input.tool_args["text"] == "fail":
            raise HomeAssistantError("No voice")
        self.said.append((tool_input.tool_args["text"], llm_context.context))
        return llm.ToolResult(data={"said": True})


@dataclass(slots=True, kw_only=True)
class _Lender(llm.API):
    """An API of Python code's own."""

    tools: list[llm.Tool]

    async def async_get_api_instance(
        self, llm_context: llm.LLMContext
    ) -> llm.APIInstance:
        """Lend the tools."""
        return llm.APIInstance(self, "Use Say.", llm_context, self.tools)


def _house(tasks: Tasks) -> Any:
    return tasks.entry.runtime_data.assistants["conversation-CAESAR"]._house


async def _lend(
    tasks: Tasks, api: llm.API, vendor: str = "claude", **fields: Any
) -> str:
    result = await ai_task.async_generate_data(
        tasks.hass,
        task_name="test",
        entity_id=f"ai_task.{vendor}",
        instructions="Do it.",
        llm_api=api,
        **{"context": Context(user_id=tasks.user_id), **fields},
    )
    return str(result.data)


async def test_lent_tools(tasks: Tasks) -> None:
    """Tools that Python code lends go through the gate: listed or not at all."""
    say, whisper = _Say(), _Say("Whisper")
    api = _Lender(hass=tasks.hass, id="lent", name="Lent", tools=[say, whisper])

    def call(tool: str, **arguments: Any) -> ToolUse:
        return ToolUse(name=tool, input=arguments)

    server = tasks.script(
        "claude",
        Answer(
            blocks=[
                call("lent__say", text="hello"),
                call("lent__whisper", text="secret"),
                call("lent__say", text=5),
                call("light__turn_on", entity_id=KITCHEN),
            ]
        ),
        Answer(blocks=[call("lent__say", text="fail")]),
        "Said.",
    )
    assert await _lend(tasks, api) == "Said."
    assert [tool["name"] for tool in server.rounds[0]["tools"]] == ["lent__say"]
    assert "Use Say." in json.dumps(server.rounds[0]["system"])
    [(text, context)] = say.said
    assert text == "hello"
    assert context is not None
    assert context.user_id == tasks.user_id
    assert context.parent_id is not None
    assert _house(tasks).contexts.holds(context)
    assert whisper.said == []
    assert await tasks.outcomes() == [
        ("lent__say", ""),
        ("lent__say", "tool_error"),
        ("lent__whisper", "not_listed"),
        ("lent__say", "invalid_input"),
        ("light__turn_on", "unknown_tool"),
    ]
    assert tasks.state(KITCHEN).state == "off"

    # A real API, whose listed tool would act: nobody is there to be asked.
    assist = next(a for a in llm.async_get_apis(tasks.hass) if a.id == "assist")
    turn_on = "assist__intent__hassturnon"
    tasks.script(
        "claude", Answer(blocks=[call(turn_on, name="Kitchen light")]), "I was not let."
    )
    assert await _lend(tasks, assist) == "I was not let."
    assert tasks.state(KITCHEN).state == "off"
    assert (turn_on, "no_approver") in await tasks.outcomes()


async def test_after_private_data(tasks: Tasks) -> None:
    """What a lent tool has told doesn't leave by it, though the owner says it reads."""
    look = _Say("Look")
    api = _Lender(hass=tasks.hass, id="lent", name="Lent", tools=[look])
    first, second = (
        Answer(blocks=[ToolUse(name="lent__look", input={"text": text})])
        for text in ("a", "b")
    )
    tasks.script("claude", first, second, "Seen.")
    assert await _lend(tasks, api) == "Seen."
    assert await tasks.outcomes() == [("lent__look", ""), ("lent__look", "no_approver")]


async def test_own_tools(tasks: Tasks, monkeypatch: pytest.MonkeyPatch) -> None:
    """CAESAR's own API means the house's tools, for the task's own caller."""
    asked: list[object] = []

    async def ask(_desk: object, request: object) -> ApprovalResult:
        asked.append(request)
        return ApprovalResult(
            state=ApprovalState.DENIED, reason=Reason(code=Code.APPROVAL_DENIED)
        )

    monkeypatch.setattr(type(_house(tasks).asking.desk), "request", ask)
    own = next(a for a in llm.async_get_apis(tasks.hass) if a.id == API_ID)
    on = ToolUse(name="light__turn_on", input={"entity_id": KITCHEN})
    look = ToolUse(name="get_state", input={"entity_id": [KITCHEN]})
    tasks.script("chat", Answer(blocks=[look, on]), "It is off.")
    assert await _lend(tasks, own, "chat") == "It is off."
    assert tasks.state(KITCHEN).state == "off"
    assert await tasks.outcomes() == [
        ("get_state", ""),
        ("light.turn_on", "no_approver"),
    ]
    assert asked == []
    [called] = await tasks.rows("tool.called")
    assert called["caller"] == ("ai_task", tasks.user_id, "ai_task_data-chat")
    assert called["taint"] == '["untrusted"]'


async def test_who_gets_none(tasks: Tasks) -> None:
    """Nobody's task reads at most; one that CAESAR's own call began has no tools."""
    own = next(a for a in llm.async_get_apis(tasks.hass) if a.id == API_ID)
    say = _Say()
    lent = _Lender(hass=tasks.hass, id="lent", name="Lent", tools=[say])
    call = ToolUse(name="lent__say", input={"text": "hello"})
    on = ToolUse(name="light__turn_on", input={"entity_id": KITCHEN})
    look = ToolUse(name="list_areas")
    tasks.script("claude", Answer(blocks=[look, on]), "A.", Answer(blocks=[call]), "B.")
    nobody = Context()
    assert await _lend(tasks, own, context=nobody) == "A."
    assert await _lend(tasks, lent, context=nobody) == "B."
    assert await tasks.outcomes() == [
        ("list_areas", ""),
        ("light.turn_on", "caller_not_covered"),
        ("lent__say", "caller_not_covered"),
    ]
    mine = Context(user_id=tasks.user_id)
    _house(tasks).contexts.add(mine.id)
    server = tasks.script("claude", Answer(blocks=[call]), '{"a": "C."}')
    shape = probatio.Schema({probatio.Required("a"): str})
    assert await _lend(tasks, lent, context=mine, structure=shape) == "{'a': 'C.'}"
    assert not server.rounds[0].get("tools")
    assert "output_config" in server.rounds[0]
    assert (await tasks.outcomes())[-1] == ("lent__say", "caller_not_covered")
    assert say.said == []
    # With tools the shape is asked for in words: a server that holds its model to one
    # lets it call nothing.
    server = tasks.script("claude", Answer(blocks=[call]), '{"a": "D."}')
    assert await _lend(tasks, lent, structure=shape) == "{'a': 'D.'}"
    assert "output_config" not in server.rounds[0]
    assert "JSON schema" in server.rounds[0]["system"][-1]["text"]
    assert [text for text, _ in say.said] == ["hello"]
