"""The gate of turns that may reach nothing."""

from ..brain.loop import Gate
from ..legion.spec import ToolSpec
from ..policy.reason import Code
from ..turn import ToolOutcome, ToolRequest, Turn


class NoTools:
    """The gate of a turn that CAESAR's own call has started: it opens nothing."""

    def __init__(self, gate: Gate) -> None:
        """Let the real gate record what is refused."""
        self._gate = gate

    def offered(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return that nothing is offered."""
        return ()

    def is_read(self, name: str) -> bool:
        """Return that nothing is known to be harmless."""
        return False

    async def dispatch(self, request: ToolRequest, turn: Turn) -> ToolOutcome:
        """Refuse a request, and have that recorded."""
        return await self._gate.skip(request, turn, Code.CALLER_NOT_COVERED)

    async def skip(self, request: ToolRequest, turn: Turn, code: Code) -> ToolOutcome:
        """Record a request that is not considered."""
        return await self._gate.skip(request, turn, code)
