"""The one door to the tools of other LLM APIs, which Python code may lend to a task.

Each is a tool of its own name to the policy (`assist__get_live_context`), and nothing
that it says of itself counts: it changes something, its answer is private and written
by anybody. What no rule lists is neither shown nor done.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
import logging
from typing import Any, Final

from homeassistant.core import Context
from homeassistant.exceptions import HomeAssistantError
from homeassistant.helpers import llm
from homeassistant.util import slugify
import probatio

from ..brain.loop import Gate
from ..legion.canonical import Json, canonical_json
from ..legion.spec import Annotations, ToolSpec
from ..policy.call import GenericToolCall, ToolCall
from ..policy.decision import PolicyDecision
from ..policy.reason import Code
from ..result import plain
from ..tool import ExecutorError, Tool, Toolbox, without_patterns
from ..turn import Turn
from ..wording import one_line
from .callers import OwnContexts
from .users import Users

_LOGGER = logging.getLogger(__name__)

TIMEOUT_S: Final = 30.0
_MAX_NAME: Final = 64
_MAX_SCHEMA: Final = 16_384
_MAX_TEXT: Final = 2000
_LONGEST: Final = 300


class LentTools:
    """Implements `Toolbox` and `Lent` for one instance of an API."""

    def __init__(
        self,
        api: llm.APIInstance,
        users: Users,
        contexts: OwnContexts,
        gate_of: Callable[[Toolbox], Gate],
    ) -> None:
        """Lend the tools of this instance; `gate_of` puts the gate before them."""
        self.prompt = api.api_prompt
        self._gate_of = gate_of
        executor = _LentExecutor(api, users, contexts)
        named = [(policy_name(api.api.id, tool.name), tool) for tool in api.tools]
        often = Counter(name for name, _ in named)
        self._tools: dict[str, Tool] = {}
        for name, tool in named:
            # Two tools of one name would be one rule.
            spec = _spec(name, tool, api) if often[name] == 1 else None
            if spec is None:
                said = one_line(f"The tool {tool.name} can't be lent to a task")
                _LOGGER.warning("%s", said)
                continue
            executor.names[name] = tool.name
            self._tools[name] = Tool(
                spec=spec, executor=executor, to_call=_to_call(name)
            )

    def gate(self) -> Gate:
        """Return the gate that they are behind."""
        return self._gate_of(self)

    def get(self, name: str) -> Tool | None:
        """Return the tool of that name."""
        return self._tools.get(name)

    def all(self) -> Iterable[Tool]:
        """Return all that may be offered."""
        return self._tools.values()


class _LentExecutor:
    """Implements the gate's `Executor` for them; `names` are theirs by ours."""

    def __init__(
        self, api: llm.APIInstance, users: Users, contexts: OwnContexts
    ) -> None:
        self._api = api
        self._users = users
        self._contexts = contexts
        self.names: dict[str, str] = {}

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Call the tool as the turn's caller. Raises ExecutorError."""
        assert isinstance(call, GenericToolCall)
        self._contexts.add(context_id)
        context = Context(
            id=context_id,
            user_id=self._users.acting_id(turn.caller.origin, turn.caller.user_id),
            parent_id=turn.caller.context_id,
        )
        api = replace(
            self._api, llm_context=replace(self._api.llm_context, context=context)
        )
        arguments: dict[str, Any] = dict(call.input)
        try:
            result = await api.async_call_tool(
                llm.ToolInput(tool_name=self.names[call.tool], tool_args=arguments)
            )
        except probatio.Invalid as err:
            raise _failed(Code.INVALID_INPUT, err) from err
        except HomeAssistantError as err:
            raise _failed(Code.TOOL_ERROR, err, maybe_done=True) from err
        if result.error:
            raise ExecutorError(
                Code.TOOL_ERROR,
                one_line(canonical_json(plain(result.data)))[:_LONGEST],
                maybe_done=True,
            )
        return plain(result.data)


def policy_name(api_id: str, tool: str) -> str:
    """Return the name by which a policy lists a tool of an API."""
    return "__".join(slugify(part) for part in (api_id, *tool.split("__")))


def _spec(name: str, tool: llm.Tool, api: llm.APIInstance) -> ToolSpec | None:
    """Return what a tool says of itself; None if it can't be told or listed."""
    if len(name) > _MAX_NAME:
        return None
    serializer = api.custom_serializer or llm.selector_serializer
    try:
        schema = without_patterns(
            probatio.to_openapi(
                tool.parameters,
                custom_serializer=serializer,
                openapi_version="3.1.0",
            )
        )
        size = len(canonical_json(schema))
    except Exception:
        # Validators and a serializer of anybody's making run here; each may raise
        # anything, and one tool must not cost the task all the others.
        _LOGGER.debug("The schema of %s can't be written", name, exc_info=True)
        return None
    if schema.get("type") != "object" or size > _MAX_SCHEMA:
        return None
    return ToolSpec(
        name=name,
        title=str(plain(tool.title or tool.name))[:_MAX_NAME],
        description=str(plain(tool.description or ""))[:_MAX_TEXT],
        input_schema={**schema, "additionalProperties": False},
        annotations=Annotations(),
        timeout_s=TIMEOUT_S,
    )


def _to_call(name: str) -> Callable[[Mapping[str, Json]], ToolCall]:
    return lambda arguments: GenericToolCall(tool=name, input=arguments, reads=False)


def _failed(code: Code, err: Exception, *, maybe_done: bool = False) -> ExecutorError:
    text = one_line(str(err))[:_LONGEST] or type(err).__name__
    return ExecutorError(code, text, maybe_done=maybe_done)
