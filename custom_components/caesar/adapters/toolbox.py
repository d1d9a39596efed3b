"""All tools that exist now: reads, `call_service`, services by name, and workers'."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
import logging
from typing import Final

from homeassistant.const import Platform
from homeassistant.core import HomeAssistant

from ..brain.home_index import use_of
from ..brain.lean import lean
from ..legion.canonical import Json
from ..legion.spec import Annotations, ToolSpec
from ..policy.call import TARGET_KEYS, ToolCall, service_call
from ..policy.impact import INTENT_PREFIX
from ..tool import Executor, Tool, Toolbox

_LOGGER = logging.getLogger(__name__)

CALL_SERVICE: Final = "call_service"
SEPARATOR: Final = "__"
SERVICE_TIMEOUT_S: Final = 10.0

# As many as a model may be offered in one request.
MAX_TOOLS: Final = 50
# Of the list of services in `call_service`: of what is offered, it alone could grow.
MAX_SERVICES_CHARS: Final = 1200

# Short, for it is sent five times in each request: a text is at most one id or a list
# of them with commas, whose limits are those of all arguments.
_ID_OR_IDS: Final[Json] = {
    "type": ["string", "array"],
    "items": {"type": "string", "maxLength": 255},
    "maxLength": 4096,
    "maxItems": 500,
}
_TARGET: Final[dict[str, Json]] = dict.fromkeys(TARGET_KEYS, _ID_OR_IDS)
_ANNOTATIONS: Final = Annotations(open_world=False)
_ENTITY_DOMAINS: Final = frozenset(Platform) - {Platform.NOTIFY, Platform.TTS}


class HouseToolbox:
    """Implements the gate's Toolbox.

    Brains are offered the reads and `call_service`, whose description names the
    services that the policy could grant: a few small schemas, whatever the house
    holds. `light__turn_on` is the same call by another name. The tools of workers are
    those of this moment: they come and go with them.
    """

    def __init__(
        self,
        hass: HomeAssistant,
        reads: Iterable[Tool],
        services: Executor,
        grantable: Callable[[str], bool],
        workers: Toolbox | None = None,
        shared_domains: Callable[[], Collection[str]] = tuple,
        intents: Toolbox | None = None,
        useful: Callable[[str], bool] = lambda _name: True,
    ) -> None:
        """Offer these; `grantable` asks the policy about `domain.service` or a tool.

        `shared_domains` are the kinds of entities that are shared with the assistant,
        `intents` the owner's own intents as tools. `useful` says of a tool whether it
        can do anything in this house now: others are not offered.
        """
        self._hass = hass
        self._reads = {tool.spec.name: tool for tool in reads}
        self._services = services
        self._grantable = grantable
        self._workers = workers
        self._intents = intents
        self._useful = useful
        self._shared_domains = shared_domains
        self._left_out: tuple[str, ...] = ()

    def get(self, name: str) -> Tool | None:
        """Return a tool by name; a service needs to exist only when it is called."""
        if tool := self._reads.get(name):
            return tool
        if name == CALL_SERVICE:
            return self._call_service()
        if name.startswith(INTENT_PREFIX):
            return self._intents.get(name) if self._intents else None
        if self._workers is not None and (tool := self._workers.get(name)):
            return tool
        domain, separator, service = name.partition(SEPARATOR)
        if not separator or not domain or not service:
            return None
        return Tool(
            spec=ToolSpec(
                name=name,
                title=f"{domain}.{service}",
                description=f"Call Home Assistant's service {domain}.{service}.",
                input_schema={
                    "type": "object",
                    "properties": _TARGET,
                    "additionalProperties": True,
                },
                annotations=_ANNOTATIONS,
                timeout_s=SERVICE_TIMEOUT_S,
            ),
            executor=self._services,
            to_call=lambda arguments: service_call(domain, service, None, arguments),
        )

    def all(self) -> Iterable[Tool]:
        """Return what may be offered: `call_service` only if it can do anything.

        Of too many, the last of the workers' tools are left out before the owner's
        intents, and what the policy could never grant before both.
        """
        tools = [tool for name, tool in self._reads.items() if self._useful(name)]
        if services := self._useful_services():
            tool = self._call_service()
            spec = replace(tool.spec, description=f"{tool.spec.description} {services}")
            tools.append(replace(tool, spec=spec))
        more = [
            tool
            for box in (self._intents, self._workers)
            if box is not None
            for tool in box.all()
        ]
        tools += self._fitting(more, MAX_TOOLS - len(tools))
        return [replace(tool, spec=lean(tool.spec)) for tool in tools]

    def _fitting(self, tools: Iterable[Tool], most: int) -> list[Tool]:
        ordered = sorted(
            tools,
            key=lambda tool: (
                not self._grantable(tool.spec.name),
                not tool.spec.name.startswith(INTENT_PREFIX),
                tool.spec.name,
            ),
        )
        left_out = tuple(tool.spec.name for tool in ordered[most:])
        if left_out != self._left_out:
            self._left_out = left_out
            if left_out:
                _LOGGER.warning(
                    "A model is offered at most %s tools; left out: %s",
                    MAX_TOOLS,
                    ", ".join(left_out),
                )
        return ordered[:most]

    def _useful_services(self) -> str:
        """Return the services that the policy could grant, in words of bounded length.

        Those of kinds of entities of which none is shared could do nothing.
        """
        shared = self._shared_domains()
        told: list[str] = []
        left, room = 0, MAX_SERVICES_CHARS
        for domain, known in sorted(
            self._hass.services.async_services().items(),
            key=lambda item: (item[0] not in shared, use_of(item[0]), item[0]),
        ):
            if domain in _ENTITY_DOMAINS and domain not in shared:
                continue
            names = [
                service
                for service in sorted(known)
                if self._grantable(f"{domain}.{service}")
            ]
            text = f"{domain}: {', '.join(names)}"
            if not names:
                continue
            if len(text) + 2 > room:
                left += len(names)
                continue
            room -= len(text) + 2
            told.append(text)
        if not told and not left:
            return ""
        more = f"; and {left} more by their names" if left else ""
        return f"The owner's policy may allow {'; '.join(told)}{more}."

    def _call_service(self) -> Tool:
        return Tool(
            spec=ToolSpec(
                name=CALL_SERVICE,
                title="Call a service",
                description=(
                    "Act on the home by one of Home Assistant's services. Name what is "
                    "meant in `target`, by ids; the service's own fields go into `data`."
                ),
                input_schema={
                    "type": "object",
                    "properties": {
                        "domain": {"type": "string", "minLength": 1, "maxLength": 64},
                        "service": {"type": "string", "minLength": 1, "maxLength": 64},
                        "target": {
                            "type": "object",
                            "properties": _TARGET,
                            "additionalProperties": True,
                        },
                        "data": {"type": "object", "additionalProperties": True},
                    },
                    "required": ["domain", "service"],
                    "additionalProperties": False,
                },
                annotations=_ANNOTATIONS,
                timeout_s=SERVICE_TIMEOUT_S,
            ),
            executor=self._services,
            to_call=_to_service_call,
        )


def _to_service_call(arguments: Mapping[str, Json]) -> ToolCall:
    domain, service = arguments["domain"], arguments["service"]
    target, data = arguments.get("target"), arguments.get("data")
    assert isinstance(domain, str)
    assert isinstance(service, str)
    return service_call(
        domain,
        service,
        target if isinstance(target, Mapping) else None,
        data if isinstance(data, Mapping) else None,
    )
