"""The same rules and calls in cedarpy and pycasbin; prints figures as JSON.

Usage: python engines.py COUNT... (in an environment that has both)
"""

import json
import logging
from pathlib import Path
import sys
import tempfile
from typing import Any, Final

import casbin  # type: ignore[import-not-found]  # of another environment
import cedarpy  # type: ignore[import-not-found]  # of another environment
from workload import Figures, Rule, calls, entities, measure, rules  # type: ignore[import-not-found]  # run beside it

MODEL: Final = """
[request_definition]
r = obj, act
[policy_definition]
p = obj, act
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.act == p.act && (r.obj == p.obj || g(r.obj, p.obj))
"""


def cedar(given: list[Rule]) -> Figures:
    """Measure Cedar, its policies and entities read beforehand."""
    text = "\n".join(
        f'permit(principal, action == Action::"{rule.service}", resource '
        + (
            f'in Area::"{rule.target}");'
            if rule.in_area
            else f'== Entity::"{rule.target}");'
        )
        for rule in given
    )
    policies = cedarpy.PolicySet.from_str(text)
    house: list[dict[str, Any]] = [
        {
            "uid": {"type": "Entity", "id": entity},
            "attrs": {},
            "parents": [{"type": "Area", "id": area}],
        }
        for entity, area in entities()
    ]
    known = cedarpy.Entities.from_json_str(json.dumps(house))

    def decide(call: tuple[str, str]) -> bool:
        request = {
            "principal": 'User::"adult"',
            "action": f'Action::"{call[0]}"',
            "resource": f'Entity::"{call[1]}"',
            "context": {},
        }
        return bool(cedarpy.is_authorized(request, policies, known).allowed)

    return measure(decide, calls())


def pycasbin(given: list[Rule], *, indexed: bool) -> Figures:
    """Measure pycasbin, or its enforcer with an index by action."""
    lines = [f"p, {rule.target}, {rule.service}" for rule in given]
    lines += [f"g, {entity}, {area}" for entity, area in entities()]
    with tempfile.TemporaryDirectory() as folder:
        model, policy = Path(folder, "model.conf"), Path(folder, "policy.csv")
        model.write_text(MODEL)
        policy.write_text("\n".join(lines))
        if indexed:
            enforcer = casbin.FastEnforcer(str(model), str(policy), cache_key_order=[1])
        else:
            enforcer = casbin.Enforcer(str(model), str(policy))
    return measure(lambda call: bool(enforcer.enforce(call[1], call[0])), calls())


def main() -> int:
    """Measure each engine with each number of rules."""
    logging.disable()
    for count in map(int, sys.argv[1:]):
        given = rules(count)
        for name, figures in (
            ("cedarpy", cedar(given)),
            ("pycasbin", pycasbin(given, indexed=False)),
            ("pycasbin, indexed", pycasbin(given, indexed=True)),
        ):
            print(
                json.dumps(
                    {
                        "rules": count,
                        "engine": name,
                        "median": figures.median,
                        "p99": figures.p99,
                        "allowed": figures.allowed,
                        "calls": figures.calls,
                    }
                ),
                flush=True,
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
