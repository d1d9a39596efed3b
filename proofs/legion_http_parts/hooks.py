"""What schemathesis checks beyond its own: input that does not fit is never carried out.

It is loaded by schemathesis, in its environment, by SCHEMATHESIS_HOOKS.
"""

from importlib import import_module
from typing import Any, Final

# It is not installed where the rest of this code is checked.
SCHEMATHESIS: Final[Any] = import_module("schemathesis")


def bad_input_is_refused(context: Any, response: Any, case: Any) -> None:
    """A request that the schema does not allow gets no success."""
    # A hello has no body, so nothing of it can be bad.
    if case.method == "GET" or _mode(case) != "negative":
        return
    if response.status_code == 200 and response.json().get("success", True):
        raise AssertionError(f"carried out: {case.body!r}")


def good_input_is_carried_out(context: Any, response: Any, case: Any) -> None:
    """One that it allows is not refused for its form."""
    if _mode(case) != "positive":
        return
    if response.status_code != 200:
        raise AssertionError(f"refused: {case.body!r}: {response.text}")
    if response.json().get("code") == "invalid_input":
        raise AssertionError(f"input refused: {case.body!r}: {response.text}")


def _mode(case: Any) -> str:
    return "" if case.meta is None else str(case.meta.generation.mode.value)


for check in (bad_input_is_refused, good_input_is_carried_out):
    SCHEMATHESIS.check(check)
