"""What a decision of the policy takes, beside cedarpy and pycasbin.

Usage: script/bench policy [--alone]

With 10, 1,000 and 10,000 rules for a house of 300 entities, a third of the rules for an
area; every service is called with every entity of its domain. "first" is the first
decision about a call in a house just loaded, "again" is one in the same house, that is
until the next change of its registries. The last rows keep ten rules that concern the
calls, and add others. The other engines are installed from the package index, into an
environment that is thrown away; --alone leaves them out.
"""

from collections.abc import Sequence
import sys
import time
from typing import Final

from benches.policy_parts.peers import NoPeersError, figures_of_peers
from benches.policy_parts.workload import Figures, Rule, calls, entities, measure, rules
from custom_components.caesar.policy.call import ToolCall, service_call
from custom_components.caesar.policy.caller import Caller, Origin
from custom_components.caesar.policy.decision import Verdict
from custom_components.caesar.policy.engine import LoadedPolicy
from custom_components.caesar.policy.home import EntityFacts, NoConditions, StaticHome
from custom_components.caesar.policy.loader import load_policy

COUNTS: Final = (10, 1_000, 10_000)
CONCERNED: Final = 10
ROW: Final = "{:>7} rules  {:<24} {:>10.1f} {:>10.1f}   {:>4} of {:>4}"
HEAD: Final = f"{'':15} {'':<24} {'median us':>10} {'p99 us':>10}   allowed"


def home() -> StaticHome:
    """Return the house."""
    return StaticHome(
        facts={
            entity: EntityFacts(
                entity_id=entity,
                name=entity,
                domain=entity.partition(".")[0],
                area_id=area,
                exposed=True,
            )
            for entity, area in entities()
        }
    )


def policy_of(given: Sequence[Rule], unrelated: int = 0) -> LoadedPolicy:
    """Return a policy of these rules, and of others for services nobody calls."""
    lines = ["version: 1", "allowed_services:"]
    lines += [
        f"  - {{service: {rule.service}, target: "
        f"{{{'area_id' if rule.in_area else 'entity_id'}: {rule.target}}}}}"
        for rule in given
    ]
    lines += [
        f"  - {{service: vendor_{number}.do, target: {{area_id: area_1}}}}"
        for number in range(unrelated)
    ]
    return load_policy("\n".join(lines))


def made() -> list[ToolCall]:
    """Return the calls."""
    return [
        service_call(domain, verb, {"entity_id": entity}, None)
        for service, entity in calls()
        for domain, verb in [service.split(".")]
    ]


def caesar(policy: LoadedPolicy) -> tuple[Figures, Figures]:
    """Return what a call's first decision takes, and what the later ones take."""
    house, conditions = home(), NoConditions()
    caller = Caller(origin=Origin.CHAT, user_id="u", agent_id="a", context_id="c")

    def decide(call: ToolCall) -> bool:
        decision = policy.evaluate(call, caller, house, conditions)
        return decision.verdict is Verdict.ALLOW

    first = measure(decide, made())
    # Other objects with the same contents, as a model's next turn would bring.
    again = [measure(decide, made()) for _ in range(5)]
    return first, min(again, key=lambda figures: figures.median)


def show(count: int, name: str, figures: Figures) -> None:
    """Print a row."""
    print(
        ROW.format(
            count,
            name,
            figures.median,
            figures.p99,
            figures.allowed,
            figures.calls,
        ),
        flush=True,
    )


def main() -> int:
    """Measure and print."""
    print(HEAD)
    for count in COUNTS:
        started = time.perf_counter()
        policy = policy_of(rules(count))
        loading = time.perf_counter() - started
        first, again = caesar(policy)
        show(count, "CAESAR, again", again)
        show(count, f"first (file: {loading * 1000:.0f} ms)", first)
    for count in COUNTS:
        policy = policy_of(rules(CONCERNED), unrelated=count - CONCERNED)
        show(count, "CAESAR, ten concerned", caesar(policy)[1])
    if "--alone" in sys.argv:
        return 0
    try:
        for peer in figures_of_peers(COUNTS):
            name = peer["engine"]
            del peer["engine"]
            show(peer.pop("rules"), name, Figures(**peer))
    except NoPeersError as err:
        print(
            f"cedarpy and pycasbin could not be installed, so they are left out: {err}"
        )
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
