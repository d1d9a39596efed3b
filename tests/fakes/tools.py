"""A registry of workers' tools in memory, and an executor that answers for them.

Follows `WorkerRegistry` as the house uses it: `tools`, `spec`, `listen`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from custom_components.caesar.legion.canonical import Json
from custom_components.caesar.legion.spec import Annotations, ToolSpec
from custom_components.caesar.policy.call import GenericToolCall, ToolCall
from custom_components.caesar.policy.decision import PolicyDecision
from custom_components.caesar.tool import Carried, Tool
from custom_components.caesar.turn import Turn

BUS: ToolSpec = ToolSpec(
    name="bus_times",
    title="Bus times",
    description="When the next bus of a line leaves.",
    input_schema={
        "type": "object",
        "properties": {
            "line": {"type": "integer", "minimum": 1, "maximum": 99},
            "stop": {"type": "string", "maxLength": 40, "pattern": "[A-Za-z ]+"},
        },
        "required": ["line"],
        "additionalProperties": False,
    },
    annotations=Annotations(read_only=True, destructive=False, idempotent=True),
    sentences={
        "en": (
            "when (does|will) [the] bus {line} leave [[from] {stop}]",
            "(next|the next) bus {line}",
        ),
        "de": ("wann fährt [der] Bus {line} [ab {stop}]",),
    },
)


@dataclass(slots=True)
class FakeTools:
    """Tools that come and go; `answers` are their results by name, or errors."""

    specs: list[ToolSpec] = field(default_factory=list)
    answers: dict[str, Json | Exception] = field(default_factory=dict)
    calls: list[GenericToolCall] = field(default_factory=list)
    _listeners: list[Callable[[], None]] = field(default_factory=list)

    def tools(self) -> tuple[ToolSpec, ...]:
        """Return the tools of now."""
        return tuple(self.specs)

    def spec(self, name: str) -> ToolSpec | None:
        """Return a tool by name."""
        return next((spec for spec in self.specs if spec.name == name), None)

    def listen(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back when tools come or go."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def change(self, *specs: ToolSpec) -> None:
        """Have other tools from now on."""
        self.specs = list(specs)
        for callback in list(self._listeners):
            callback()

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json | Carried:
        """Answer."""
        assert isinstance(call, GenericToolCall)
        self.calls.append(call)
        answer = self.answers.get(call.tool, {})
        if isinstance(answer, Exception):
            raise answer
        return Carried(data=answer, facts={"worker": "fake", "task_id": "task-1"})

    def tool(self, spec: ToolSpec) -> Tool:
        """Return a tool as the gate has it."""

        def to_call(arguments: Mapping[str, Json]) -> ToolCall:
            reads = spec.annotations.read_only
            return GenericToolCall(tool=spec.name, input=arguments, reads=reads)

        return Tool(spec=spec, executor=self, to_call=to_call, enrolled=True)


@dataclass(frozen=True, slots=True)
class WorkerTools:
    """The tools of a registry, as the gate's toolbox has them."""

    registry: FakeTools

    def get(self, name: str) -> Tool | None:
        """Return a tool."""
        spec = self.registry.spec(name)
        return self.registry.tool(spec) if spec else None

    def all(self) -> Iterable[Tool]:
        """Return all."""
        return [self.registry.tool(spec) for spec in self.registry.tools()]
