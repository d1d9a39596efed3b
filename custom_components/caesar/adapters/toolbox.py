"""All tools that exist now: reads, `call_service`, services by name, and workers'."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from homeassistant.core import HomeAssistant

from ..legion.canonical import Json
from ..legion.spec import Annotations, ToolSpec
from ..policy.call import TARGET_KEYS, ToolCall, service_call
from ..tool import Executor, Tool, Toolbox

CALL_SERVICE: Final = "call_service"
SEPARATOR: Final = "__"
SERVICE_TIMEOUT_S: Final = 10.0

_ID_OR_IDS: Final[Json] = {
    "anyOf": [
        {"type": "string", "maxLength": 4096},
        {
            "type": "array",
            "items": {"type": "string", "maxLength": 255},
            "maxItems": 500,
        },
    ]
}
_TARGET: Final[dict[str, Json]] = dict.fromkeys(TARGET_KEYS, _ID_OR_IDS)
_ANNOTATIONS: Final = Annotations(open_world=False)


class HouseToolbox:
    """Implements the gate's Toolbox.

    Brains are offered the reads and `call_service`, whose description names the
    services that the policy could grant: four small schemas, whatever the house
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
    ) -> None:
        """Offer these; `grantable` asks the policy about `domain.service`."""
        self._hass = hass
        self._reads = {tool.spec.name: tool for tool in reads}
        self._services = services
        self._grantable = grantable
        self._workers = workers

    def get(self, name: str) -> Tool | None:
        """Return a tool by name; a service needs to exist only when it is called."""
        if tool := self._reads.get(name):
            return tool
        if name == CALL_SERVICE:
            return self._call_service()
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
        """Return what may be offered: `call_service` only if it can do anything."""
        services = sorted(
            f"{domain}.{service}"
            for domain, known in self._hass.services.async_services().items()
            for service in known
            if self._grantable(f"{domain}.{service}")
        )
        tools = list(self._reads.values())
        if services:
            tool = self._call_service()
            spec = replace(
                tool.spec,
                description=(
                    f"{tool.spec.description} The owner's policy may allow: "
                    f"{', '.join(services)}."
                ),
            )
            tools.append(replace(tool, spec=spec))
        if self._workers is not None:
            tools += self._workers.all()
        return tools

    def _call_service(self) -> Tool:
        return Tool(
            spec=ToolSpec(
                name=CALL_SERVICE,
                title="Call a service",
                description=(
                    "Act on the home by one of Home Assistant's services. Name what is "
                    "meant in `target` by entity, area, floor, device or label id; the "
                    "service's own fields go into `data`."
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
