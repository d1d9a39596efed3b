"""A provider that says what a test wrote down for it."""

from collections.abc import AsyncGenerator, Sequence

from custom_components.caesar.brain.provider import (
    CompletionRequest,
    ProviderEvent,
    ProviderTraits,
)

type Step = Sequence[ProviderEvent | Exception]


class ScriptedProvider:
    """Plays one step a round and keeps the requests; a step may raise an error."""

    def __init__(
        self,
        steps: Sequence[Step],
        *,
        name: str = "scripted",
        local: bool = False,
        literal: bool = False,
    ) -> None:
        """Play these steps, the last one for ever."""
        self._steps = list(steps)
        self.name = name
        self.traits = ProviderTraits(local=local, literal=literal)
        self.requests: list[CompletionRequest] = []
        self.closed = False

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[ProviderEvent]:
        """Play the next step."""
        self.requests.append(request)
        step = self._steps[min(len(self.requests), len(self._steps)) - 1]
        for event in step:
            if isinstance(event, Exception):
                raise event
            yield event

    async def check(self) -> None:
        """Work."""

    async def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True
