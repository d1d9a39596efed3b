"""What the models behind the SDKs of Anthropic and OpenAI share: one maker wrote both."""

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from functools import partial
import logging
from types import ModuleType
from typing import Any, Protocol, Self, override

from ..brain.provider import CompletionRequest, ErrorKind, ProviderError
from ..wording import one_line
from .attachments import written
from .remote_model import ModelSettings, RemoteModel
from .sdk_errors import FromStatus, from_sdk
from .tool_offer import Tools
from .wire import Wire

_LOGGER = logging.getLogger(__name__)


class Dialect(Protocol):
    """What a model takes; hashable, so that none is tried twice."""

    def without(self, param: str | None) -> Self | None:
        """Return it without a refused parameter; None if nothing would change."""


class SdkModel[S: ModelSettings, C, D: Dialect](RemoteModel[S]):
    """A model whose requests go out through such an SDK's client, in its own dialect."""

    def __init__(
        self,
        settings: S,
        *,
        sdk: ModuleType,
        client: C,
        dialect: D,
        from_status: FromStatus,
        now: Callable[[], float],
    ) -> None:
        """Begin with this dialect: what the model refuses shows at the first call only.

        `now` is the wall clock in seconds since the epoch.
        """
        super().__init__(settings, sdk.APIError)
        self._sdk = sdk
        self._client = client
        self._dialect = dialect
        self._from_status = from_status
        self._now = now

    @abstractmethod
    def _body(self, request: CompletionRequest, tools: Tools, dialect: D) -> Wire:
        """Return what is sent for a round."""

    @abstractmethod
    def _send(self, body: Wire) -> Awaitable[Any]:
        """Return the request, not yet sent."""

    @override
    def _problem(self, err: Exception) -> ProviderError:
        return from_sdk(self._sdk, err, self._now(), self._from_status)

    async def _open(
        self, request: CompletionRequest, tools: Tools, deadline: float
    ) -> Any:
        """Send the round and return the SDK's stream.

        Asked once more without each parameter that the model refused. Another round may
        learn the same at this moment; so each goes on from what it has sent itself.
        """
        dialect = self._dialect
        tried = {dialect}
        while True:
            body = await written(request, partial(self._body, request, tools, dialect))
            try:
                return await self._within(self._send(body), deadline)
            except ProviderError as err:
                refused = err.kind is ErrorKind.REJECTED
                less = dialect.without(err.param) if refused else None
                if less is None or less in tried:
                    raise
                _LOGGER.debug("A parameter was refused: %s", one_line(str(err)))
                self._dialect = dialect = less
                tried.add(less)
