"""A policy from somewhere else, pasted in: what an editor shows is what it means."""

import pytest

from custom_components.caesar.policy.loader import load_policy
from custom_components.caesar.policy.problem import PolicyError, ProblemCode

HIDDEN = "version: 1\n# Doors stay shut. {}allowed_services: [lock.unlock]\n"


@pytest.mark.parametrize("end", ["\r", "\u0085", "\u2028", "\u2029"])
def test_a_comment_ends_where_its_line_ends(end: str) -> None:
    """YAML begins a new line at these, most editors don't: the rest is no comment."""
    with pytest.raises(PolicyError) as err:
        load_policy(HIDDEN.format(end))
    [problem] = err.value.problems
    assert (problem.code, problem.line, problem.column) == (ProblemCode.SYNTAX, 2, 20)


@pytest.mark.parametrize("mark", ["\u202a", "\u202e", "\u2066", "\u2069"])
def test_no_text_runs_backwards(mark: str) -> None:
    """A name must not be shown as another one."""
    text = f"version: 1\nallowed_services:\n  - service: lock.lock # {mark}kcolnu\n"
    with pytest.raises(PolicyError) as err:
        load_policy(text)
    assert err.value.problems[0].line == 3


def test_lines_of_windows_are_lines() -> None:
    """Both ends together are one."""
    policy = load_policy(
        "version: 1\r\nallowed_services:\r\n  - lock.lock # \U0001f3e0\r\n"
    )
    assert set(policy.services) == {"lock.lock"}
