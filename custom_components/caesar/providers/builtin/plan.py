"""What the built-in brain means to do: calls to ask the gate for, and how to answer.

A plan travels as JSON in the provider's vendor block, so that a parked turn can be
kept on disk and go on after a restart.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, cast

from ...legion.canonical import Json

# Texts that ask which one, where or how long.
_ASKS: Final = frozenset(
    (
        "brain_ambiguous",
        "brain_too_wide",
        "brain_which_one",
        "brain_which_player",
        "brain_which_room",
        "timer_how_long",
    )
)


class Kind(StrEnum):
    """How a job is answered once its calls have come back."""

    ACT = "act"
    STATE = "state"
    ITEMS = "items"
    EVENTS = "events"
    NAMES = "names"
    FOLLOW = "follow"
    TEMPLATE = "template"
    TOLD = "told"
    TOOL = "tool"
    HOUSE = "house"
    FORGOT = "forgot"
    SAY = "say"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A call to ask for; `expect` are the states that would confirm it."""

    tool: str
    arguments: Mapping[str, Json]
    entities: tuple[str, ...] = ()
    expect: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follow:
    """A change by steps: read an attribute, then set it to itself plus `delta`."""

    domain: str
    service: str
    attribute: str
    delta: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One command or question.

    `texts` are the words that fill an answer, `wanted` the states that were asked
    about, `names` how the person called the entities, `say` the key of a text. `question` is
    what that text asks, if a short answer to it is understood.
    """

    kind: Kind
    intent: str = ""
    response: str = "default"
    requests: tuple[Request, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    wanted: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    follow: Follow | None = None
    say: str = ""
    question: Mapping[str, Json] | None = None


def say(key: str, **values: str) -> Job:
    """Return a job that is only a text from the translations."""
    return Job(kind=Kind.SAY, say=key, texts=values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that one sentence asks for."""

    jobs: tuple[Job, ...]

    @property
    def asks(self) -> bool:
        """Return whether its answer asks something back."""
        return any(job.kind is Kind.SAY and job.say in _ASKS for job in self.jobs)

    @property
    def question(self) -> Mapping[str, Json] | None:
        """Return the one question that a short answer would mean; None if unclear."""
        asked = [job.question for job in self.jobs if job.question is not None]
        return asked[0] if len(asked) == 1 else None

    @property
    def requests(self) -> tuple[Request, ...]:
        """Return the calls of all jobs in their order."""
        return tuple(request for job in self.jobs for request in job.requests)

    def numbered(self, first: int) -> Plan:
        """Return the plan with ids `builtin-<n>`, counted from `first`."""
        number = first
        jobs = []
        for job in self.jobs:
            requests = []
            for request in job.requests:
                requests.append(replace(request, id=f"builtin-{number}"))
                number += 1
            jobs.append(replace(job, requests=tuple(requests)))
        return Plan(jobs=tuple(jobs))

    def as_json(self) -> dict[str, Any]:
        """Return the plan as a checkpoint can hold it."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: object) -> Plan:
        """Return the plan that `as_json` made."""
        jobs = cast(Mapping[str, Any], data)["jobs"]
        return cls(jobs=tuple(_job(job) for job in jobs))


def _job(data: Mapping[str, Any]) -> Job:
    return Job(
        **{
            **data,
            "kind": Kind(data["kind"]),
            "requests": tuple(_request(request) for request in data["requests"]),
            "wanted": tuple(data["wanted"]),
            "follow": Follow(**data["follow"]) if data["follow"] else None,
        }
    )


def _request(data: Mapping[str, Any]) -> Request:
    return Request(
        **{
            **data,
            "entities": tuple(data["entities"]),
            "expect": tuple(data["expect"]),
        }
    )
