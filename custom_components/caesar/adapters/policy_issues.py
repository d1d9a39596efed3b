"""Repair issues of the policy file: made when something is wrong, gone when it is well."""

from collections.abc import Sequence
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..const import DOMAIN
from ..policy.problem import PolicyError, Problem
from .policy_store import UnreadablePolicyFile

INVALID: Final = "policy_invalid"
CHANGED: Final = "policy_changed"
LINTS: Final = "policy_lints"
UNKNOWN: Final = "policy_unknown"

type BadFile = PolicyError | UnreadablePolicyFile


def sentence(err: BadFile) -> str:
    """Return what is wrong with a file in one English line."""
    if isinstance(err, UnreadablePolicyFile):
        return err.problem
    return f"line {err.problems[0].line}: {_words(err.problems[0])}"


def placeholders(err: BadFile) -> dict[str, str]:
    """Return the first fault's line and words, for translated texts."""
    if isinstance(err, UnreadablePolicyFile):
        return {"line": "1", "problem": err.problem}
    first = err.problems[0]
    return {"line": str(first.line), "problem": _words(first)}


@callback
def async_invalid(
    hass: HomeAssistant, err: BadFile, *, good_in_force: bool, good_kept: bool
) -> None:
    """Tell that the file can't be used, and offer the last good one if it is kept."""
    if good_in_force:
        key = "policy_invalid"
    else:
        key = "policy_invalid_start" if good_kept else "policy_invalid_only"
    ir.async_create_issue(
        hass,
        DOMAIN,
        INVALID,
        is_fixable=good_kept,
        severity=ir.IssueSeverity.ERROR,
        translation_key=key if good_kept else "policy_invalid_only",
        translation_placeholders=placeholders(err),
    )


@callback
def async_valid(hass: HomeAssistant, lints: Sequence[Problem]) -> None:
    """Take that back; tell instead what in a good file has no effect."""
    ir.async_delete_issue(hass, DOMAIN, INVALID)
    _listed(hass, LINTS, [(lint.line, _words(lint)) for lint in lints])


@callback
def async_changed(hass: HomeAssistant, changed: bool) -> None:
    """Tell that the file was changed and not loaded, or take that back."""
    if not changed:
        ir.async_delete_issue(hass, DOMAIN, CHANGED)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        CHANGED,
        is_fixable=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key=CHANGED,
    )


@callback
def async_unknown(hass: HomeAssistant, found: Sequence[tuple[int, str]]) -> None:
    """Tell which names in the file mean nothing: their lines and names, in order."""
    _listed(hass, UNKNOWN, found)


@callback
def async_forget(hass: HomeAssistant) -> None:
    """Take everything back when CAESAR is unloaded; what was ignored stays ignored."""
    registry = ir.async_get(hass)
    for issue_id in (INVALID, CHANGED, LINTS, UNKNOWN):
        issue = registry.async_get_issue(DOMAIN, issue_id)
        if issue is not None and issue.dismissed_version is None:
            ir.async_delete_issue(hass, DOMAIN, issue_id)


def _listed(hass: HomeAssistant, key: str, found: Sequence[tuple[int, str]]) -> None:
    if not found:
        ir.async_delete_issue(hass, DOMAIN, key)
        return
    line, problem = found[0]
    ir.async_create_issue(
        hass,
        DOMAIN,
        key,
        is_fixable=False,
        severity=ir.IssueSeverity.WARNING,
        translation_key=key,
        translation_placeholders={
            "line": str(line),
            "problem": problem,
            "count": str(len(found)),
        },
    )


def _words(problem: Problem) -> str:
    return " ".join(filter(None, (problem.message, problem.hint)))
