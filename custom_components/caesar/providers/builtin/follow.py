"""Second steps: a change by so much, once the present value has been read."""

from collections.abc import Mapping
from dataclasses import replace

from ...turn import ToolOutcome
from .calls import service_request
from .plan import Follow, Job, Kind, Plan, Request, say


def follow_requests(
    plan: Plan, outcomes: Mapping[str, ToolOutcome]
) -> tuple[Plan, bool]:
    """Return the plan with the second steps added, and whether there are any."""
    jobs = tuple(_second_step(job, outcomes) for job in plan.jobs)
    if jobs == plan.jobs:
        return plan, False
    more = any(request.id == "" for job in jobs for request in job.requests)
    first = len(plan.requests) + 1
    numbered = []
    for job in jobs:
        requests = []
        for request in job.requests:
            if not request.id:
                request = replace(request, id=f"builtin-{first}")
                first += 1
            requests.append(request)
        numbered.append(replace(job, requests=tuple(requests)))
    return Plan(jobs=tuple(numbered)), more


def _second_step(job: Job, outcomes: Mapping[str, ToolOutcome]) -> Job:
    """Return the job that sets the value, once the reading is there."""
    if job.kind is not Kind.FOLLOW or job.follow is None:
        return job
    read = [outcomes[r.id] for r in job.requests if r.id in outcomes]
    if not read or any(outcome.error for outcome in read):
        return job
    requests = tuple(_set_requests(job.follow, read))
    if not requests:
        return say("brain_no_value", names=", ".join(job.names.values()))
    return replace(job, kind=Kind.ACT, requests=requests)


def _set_requests(follow: Follow, outcomes: list[ToolOutcome]) -> list[Request]:
    by_value: dict[float, list[str]] = {}
    for outcome in outcomes:
        data = outcome.data
        entities = data.get("entities") if isinstance(data, Mapping) else None
        for entity in entities if isinstance(entities, list) else ():
            if not isinstance(entity, Mapping):
                continue
            attributes = entity.get("attributes")
            value = (
                attributes.get(follow.attribute)
                if isinstance(attributes, Mapping)
                else None
            )
            if isinstance(value, int | float):
                target = min(max(value + follow.delta, follow.low), follow.high)
                by_value.setdefault(round(target, 2), []).append(
                    str(entity["entity_id"])
                )
    return [
        service_request(
            follow.domain, follow.service, tuple(ids), {follow.attribute: _whole(value)}
        )
        for value, ids in by_value.items()
    ]


def _whole(value: float) -> float:
    return int(value) if value.is_integer() else value
