"""Tells when Assist lets commands past CAESAR that its policy would not allow.

Where an assistant is set to "prefer handling commands locally", Home Assistant carries
out what it understands before CAESAR hears of it; a sentence trigger of an automation
always comes first. CAESAR can't stop either: it compares them with what the policy
would allow a voice that nobody vouches for, and says so in a repair.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from homeassistant.components.automation import (
    DATA_COMPONENT as AUTOMATIONS,
    EVENT_AUTOMATION_RELOADED,
)
from homeassistant.components.homeassistant.exposed_entities import (
    async_listen_entity_updates,
)
from homeassistant.const import CONF_ENABLED, CONF_PLATFORM, CONF_TRIGGER, STATE_ON
from homeassistant.core import CALLBACK_TYPE, HassJob, HomeAssistant, callback
from homeassistant.helpers import entity_registry as er, issue_registry as ir
from homeassistant.helpers.event import async_call_later
from homeassistant.helpers.start import async_at_started

from ..const import DOMAIN
from ..legion.canonical import Json
from ..policy.call import ServiceCall, Target, tool_id
from ..policy.caller import Caller, Origin
from ..policy.decision import PolicyDecision, Verdict
from ..policy.home import EntityFacts, NoConditions
from ..policy.impact import Impact
from .home import ASSISTANT, HomeAssistantHome
from .policy_file import PolicyFile
from .policy_watch import EnrolledTools, PolicyWatch

if TYPE_CHECKING:
    from homeassistant.components.assist_pipeline import Pipeline
    from homeassistant.components.assist_pipeline.pipeline import PipelineData

LOCAL: Final = "assist_bypass_local"
SENTENCES: Final = "assist_bypass_sentences"
PIPELINES: Final = "assist_pipeline"
COOLDOWN_S: Final = 2.0
_SHOWN: Final = 5
# Judging is work on the event loop: a few entities, then others get their turn.
_AT_A_TIME: Final = 25

# What Home Assistant's own sentences can make entities of a domain do.
_SPOKEN: Final[Mapping[str, tuple[str, ...]]] = {
    "button": ("press",),
    "climate": ("set_temperature",),
    "cover": ("open_cover", "close_cover"),
    "fan": ("turn_on", "turn_off"),
    "humidifier": ("turn_on", "turn_off"),
    "input_boolean": ("turn_on", "turn_off"),
    "input_button": ("press",),
    "lawn_mower": ("start_mowing", "dock"),
    "light": ("turn_on", "turn_off"),
    "lock": ("lock", "unlock"),
    "media_player": ("turn_on", "turn_off", "media_pause"),
    "remote": ("turn_on", "turn_off"),
    "scene": ("turn_on",),
    "script": ("turn_on",),
    "siren": ("turn_on", "turn_off"),
    "switch": ("turn_on", "turn_off"),
    "todo": ("add_item",),
    "vacuum": ("start", "return_to_base"),
    "valve": ("open_valve", "close_valve"),
    "water_heater": ("turn_on", "turn_off"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What gets past CAESAR to one entity: the services, and the gravest impact."""

    name: str
    services: tuple[str, ...]
    impact: Impact


class BypassWatch:
    """Looks for ways past CAESAR at start, and whenever one could have come up."""

    def __init__(
        self, hass: HomeAssistant, policy_file: PolicyFile, home: HomeAssistantHome
    ) -> None:
        """Judge by this policy file's policy."""
        self._hass = hass
        self._file = policy_file
        self._home = home
        self._stop: list[CALLBACK_TYPE] = []
        self._following = False
        self._timer: CALLBACK_TYPE | None = None

    @callback
    def async_start(self) -> None:
        """Begin to look, once Home Assistant has started."""
        self._stop = [
            self._file.async_listen(self._async_soon),
            async_listen_entity_updates(self._hass, ASSISTANT, self._async_soon),
            self._hass.bus.async_listen(EVENT_AUTOMATION_RELOADED, self._reloaded),
            # Last: it may answer at once.
            async_at_started(self._hass, self._async_started),
        ]

    @callback
    def async_stop(self) -> None:
        """Stop looking, and take back what was said; what was ignored stays ignored."""
        while self._stop:
            self._stop.pop()()
        if self._timer is not None:
            self._timer()
            self._timer = None
        for issue in self._told():
            if issue.dismissed_version is None:
                ir.async_delete_issue(self._hass, DOMAIN, issue.issue_id)

    async def async_look(self) -> None:
        """Compare what Assist lets past with the policy; make or take back repairs."""
        pipelines = list(self._pipelines())
        shown: set[str] = set()
        past = await self._async_spoken_past() if _any_local(pipelines) else []
        if not self._stop:
            return
        for pipeline in pipelines if past else ():
            if pipeline.prefer_local_intents:
                shown.add(self._tell_local(pipeline, past))
        if pipelines and (triggers := list(self._triggers_past())):
            shown.add(self._tell_sentences(pipelines, triggers))
        for issue in self._told():
            if issue.issue_id not in shown:
                ir.async_delete_issue(self._hass, DOMAIN, issue.issue_id)

    @callback
    def _async_started(self, _hass: HomeAssistant) -> None:
        self._follow_pipelines()
        self._async_soon()

    @callback
    def _reloaded(self, _event: object) -> None:
        self._async_soon()

    @callback
    def _async_soon(self) -> None:
        """Look once, however many things have changed at the same time."""
        if self._timer is None:
            job = HassJob(self._async_due, "caesar bypass", cancel_on_shutdown=True)
            self._timer = async_call_later(self._hass, COOLDOWN_S, job)

    async def _async_due(self, _now: datetime) -> None:
        self._timer = None
        await self.async_look()

    def _follow_pipelines(self) -> None:
        data = pipeline_data(self._hass)
        if data is None or self._following:
            return
        self._following = True

        async def changed(_changes: Iterable[object]) -> None:
            self._async_soon()

        stop: Callable[[], None] = data.pipeline_store.async_add_change_set_listener(
            changed
        )
        self._stop.append(stop)

    def _pipelines(self) -> Iterator[Pipeline]:
        """Yield the assistants that talk to an agent of CAESAR's."""
        data = pipeline_data(self._hass)
        registry = er.async_get(self._hass)
        for pipeline in list(data.pipeline_store.data.values()) if data else ():
            entry = registry.async_get(pipeline.conversation_engine)
            if entry is not None and entry.platform == DOMAIN:
                yield pipeline

    async def _async_spoken_past(self) -> list[Past]:
        """Return what Home Assistant's sentences do and the policy would not allow."""
        found: list[Past] = []
        for number, facts in enumerate(self._home.exposed(), 1):
            if past := self._past(facts):
                found.append(past)
            if number % _AT_A_TIME == 0:
                await asyncio.sleep(0)
        return sorted(found, key=lambda past: (-past.impact, past.name))

    def _past(self, facts: EntityFacts) -> Past | None:
        calls = [
            ServiceCall(
                domain=facts.domain,
                service=service,
                target=Target(entity_id=(facts.entity_id,)),
                data=self._data(facts),
            )
            for service in _SPOKEN.get(facts.domain, ())
        ]
        decisions = [(tool_id(call), self._decide(call)) for call in calls]
        past = [each for each in decisions if each[1].verdict is not Verdict.ALLOW]
        if not past:
            return None
        return Past(
            name=facts.name,
            services=tuple(service for service, _ in past),
            impact=max(decision.impact for _, decision in past),
        )

    def _triggers_past(self) -> Iterator[str]:
        """Yield the automations with a sentence that do what the policy would not."""
        for entity_id, sentence in _sentences(self._hass):
            facts = self._home.entity(entity_id)
            contents = facts.contents if facts else None
            allowed = (
                contents is not None
                and contents.whole
                and all(
                    self._decide(act).verdict is Verdict.ALLOW for act in contents.acts
                )
            )
            if not allowed:
                yield f"{facts.name if facts else entity_id}: “{sentence}”"

    def _data(self, facts: EntityFacts) -> dict[str, Json]:
        """Return what a sentence could add: the highest temperature, any item."""
        if facts.domain == "todo":
            return {"item": "milk"}
        state = self._hass.states.get(facts.entity_id)
        if facts.domain == "climate" and state is not None:
            return {"temperature": state.attributes.get("max_temp")}
        return {}

    def _decide(self, call: ServiceCall) -> PolicyDecision:
        """Judge a call for a voice without a user or a room; no condition is met."""
        voice = Caller(origin=Origin.VOICE, agent_id="", context_id="")
        return self._file.policy.evaluate(call, voice, self._home, NoConditions())

    def _tell_local(self, pipeline: Pipeline, past: list[Past]) -> str:
        issue_id = f"{LOCAL}_{pipeline.id}"
        data: dict[str, str | int | float | None] = {"pipeline_id": pipeline.id}
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            issue_id,
            data=data,
            is_fixable=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key=LOCAL,
            translation_placeholders={
                "assistant": pipeline.name,
                "count": str(sum(len(each.services) for each in past)),
                "examples": _lines(
                    f"{each.name}: {', '.join(each.services)}" for each in past
                ),
            },
        )
        return issue_id

    def _tell_sentences(self, pipelines: list[Pipeline], triggers: list[str]) -> str:
        ir.async_create_issue(
            self._hass,
            DOMAIN,
            SENTENCES,
            is_fixable=False,
            severity=ir.IssueSeverity.WARNING,
            translation_key=SENTENCES,
            translation_placeholders={
                "assistant": ", ".join(pipeline.name for pipeline in pipelines),
                "count": str(len(triggers)),
                "examples": _lines(triggers),
            },
        )
        return SENTENCES

    def _told(self) -> list[ir.IssueEntry]:
        """Return the repairs of this kind, those that were ignored too."""
        return [
            issue
            for (domain, issue_id), issue in ir.async_get(self._hass).issues.items()
            if domain == DOMAIN and issue_id.startswith((LOCAL, SENTENCES))
        ]


@callback
def async_watch_policy(
    hass: HomeAssistant,
    policy_file: PolicyFile,
    home: HomeAssistantHome,
    tools: EnrolledTools | None = None,
) -> CALLBACK_TYPE:
    """Watch over the file, the names in it and the ways past it; returns the stop.

    `tools` are those that exist beside the ones that come with CAESAR.
    """
    watches = (
        PolicyWatch(hass, policy_file, tools),
        BypassWatch(hass, policy_file, home),
    )
    for watch in watches:
        watch.async_start()

    @callback
    def stop() -> None:
        for watch in watches:
            watch.async_stop()

    return stop


def pipeline_data(hass: HomeAssistant) -> PipelineData | None:
    """Return Assist's pipelines, None where Assist isn't set up.

    Not imported: that needs packages which come with the component only.
    """
    if PIPELINES not in hass.config.components:
        return None
    data: PipelineData = hass.data[PIPELINES]
    return data


async def async_prefer_caesar(hass: HomeAssistant, pipeline_id: str) -> bool:
    """Switch "prefer handling commands locally" off; False if it is gone."""
    data = pipeline_data(hass)
    pipeline = data.pipeline_store.data.get(pipeline_id) if data else None
    if data is None or pipeline is None:
        return False
    settings = {**pipeline.to_json(), "prefer_local_intents": False}
    del settings["id"]
    await data.pipeline_store.async_update_item(pipeline_id, settings)
    return True


def _any_local(pipelines: Iterable[Pipeline]) -> bool:
    return any(pipeline.prefer_local_intents for pipeline in pipelines)


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(f"- {text}" for text in list(texts)[:_SHOWN])


def _sentences(hass: HomeAssistant) -> Iterator[tuple[str, str]]:
    """Yield the automations that listen for a sentence now, with the first of each."""
    component = hass.data.get(AUTOMATIONS)
    for automation in list(component.entities) if component else ():
        state = hass.states.get(automation.entity_id)
        config = automation.raw_config
        if state is None or state.state != STATE_ON or config is None:
            continue
        triggers = config.get("triggers", config.get(CONF_TRIGGER))
        for sentence in _commands(triggers):
            yield automation.entity_id, sentence
            break


def _commands(triggers: Json) -> Iterator[str]:
    """Yield the sentences in triggers as they are written."""
    if isinstance(triggers, list):
        for each in triggers:
            yield from _commands(each)
    elif isinstance(triggers, Mapping) and triggers.get(CONF_ENABLED) is not False:
        yield from _commands(triggers.get("triggers"))
        kind = triggers.get(CONF_TRIGGER, triggers.get(CONF_PLATFORM))
        if kind == "conversation":
            command = triggers.get("command")
            yield from map(str, command if isinstance(command, list) else [command])
