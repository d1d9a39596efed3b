"""The tools by which commands are planned, listed and cancelled."""

from datetime import timedelta
from typing import Final

from homeassistant.util import dt as dt_util
from homeassistant.util.ulid import ulid_now

from ..audit.event import AuditUnavailable
from ..legion.canonical import Json
from ..legion.spec import ToolSpec
from ..policy.call import GenericToolCall, ToolCall
from ..policy.caller import Caller, Origin
from ..policy.decision import PolicyDecision
from ..policy.reason import Code
from ..tool import ExecutorError, Tool
from ..turn import Turn
from .delayed import PlannedCommands
from .delayed_store import Planned
from .timer_tools import CHANGES, READS, schema, seconds_of

MAX_COMMAND: Final = 300
MAX_DELAY: Final = timedelta(hours=24)

PLAN_COMMAND: Final = ToolSpec(
    name="plan_command",
    title="Do something later",
    description=(
        "Have a command carried out later, at most 24 hours from now. Write it as the"
        " person would say it; it is judged when it is due."
    ),
    input_schema=schema(
        "command",
        command={"type": "string", "minLength": 1, "maxLength": MAX_COMMAND},
        hours={"type": "integer", "minimum": 0, "maximum": 24},
        minutes={"type": "integer", "minimum": 0, "maximum": 1440},
        seconds={"type": "integer", "minimum": 0, "maximum": 86_400},
    ),
    annotations=CHANGES,
)
PLANNED_COMMANDS: Final = ToolSpec(
    name="planned_commands",
    title="What is planned",
    description="List the commands that this person has given for later.",
    input_schema=schema(),
    annotations=READS,
)
CANCEL_PLANNED: Final = ToolSpec(
    name="cancel_planned",
    title="Cancel what is planned",
    description="Cancel the command that this person gave for later, or `all` of them.",
    input_schema=schema(all={"type": "boolean"}),
    annotations=CHANGES,
)
_GIVERS: Final = (Origin.CHAT, Origin.VOICE)


class DelayedExecutor:
    """Carries out the three tools, for the own commands of who asks."""

    def __init__(self, planned: PlannedCommands) -> None:
        """Keep commands here."""
        self._planned = planned

    async def execute(
        self, call: ToolCall, decision: PolicyDecision, turn: Turn, context_id: str
    ) -> Json:
        """Do it; return the commands that it was about."""
        assert isinstance(call, GenericToolCall)
        try:
            match call.tool:
                case PLAN_COMMAND.name:
                    return await self._plan(call, turn)
                case CANCEL_PLANNED.name:
                    return await self._cancel(
                        turn.caller, every=call.input.get("all") is True
                    )
                case _:
                    return {"planned": _told(self._planned.of(turn.caller))}
        except AuditUnavailable as err:
            raise ExecutorError(
                Code.AUDIT_UNAVAILABLE, "It can't be kept now.", retryable=True
            ) from err

    async def _plan(self, call: GenericToolCall, turn: Turn) -> Json:
        if turn.caller.origin not in _GIVERS:
            raise _refusal("planned_nobody", "Only people can plan commands.")
        if turn.planned:
            raise _refusal("planned_again", "A planned command can't plan another.")
        if self._planned.is_full(turn.caller):
            raise _refusal("planned_full", "Too many commands are planned.")
        delay = timedelta(seconds=seconds_of(call.input))
        if not timedelta(0) < delay <= MAX_DELAY:
            raise _refusal("planned_too_far", "Between a second and 24 hours.")
        now = dt_util.utcnow()
        planned = Planned(
            id=ulid_now(),
            command=str(call.input["command"]).strip(),
            given_at=now.timestamp(),
            due_at=(now + delay).timestamp(),
            language=turn.language,
            caller=turn.caller,
            given_in=turn.decision_id,
            tools=turn.tools,
            taint=frozenset(turn.taint),
        )
        await self._planned.add(planned)
        return {"planned": _told((planned,))}

    async def _cancel(self, caller: Caller, *, every: bool) -> Json:
        """Cancel all, or the one that was given last: that is what "that" means."""
        own = self._planned.as_given(caller)
        if not every:
            own = own[-1:]
        done = [each for each in own if await self._planned.cancel(each)]
        return {"canceled": _told(tuple(done))}


def delayed_tools(planned: PlannedCommands) -> tuple[Tool, ...]:
    """Return the tools for commands that are given for later."""
    executor = DelayedExecutor(planned)

    def tool(spec: ToolSpec) -> Tool:
        return Tool(
            spec=spec,
            executor=executor,
            to_call=lambda given: GenericToolCall(tool=spec.name, input=given),
        )

    return tuple(map(tool, (PLAN_COMMAND, PLANNED_COMMANDS, CANCEL_PLANNED)))


def _told(planned: tuple[Planned, ...]) -> list[Json]:
    """Return commands as a model may read them.

    What was planned in a tainted turn may be anybody's words: these stay out.
    """
    return [
        {
            "command": "" if each.taint else each.command,
            "at": dt_util.as_local(dt_util.utc_from_timestamp(each.due_at)).isoformat(
                timespec="seconds"
            ),
        }
        for each in planned
    ]


def _refusal(why: str, message: str) -> ExecutorError:
    code = Code.INVALID_INPUT if why == "planned_too_far" else Code.CAPABILITY_DENIED
    return ExecutorError(code, message, facts={"why": why})
