"""Repair issues of the trail: made when something is wrong, gone when it is well."""

from pathlib import Path
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..audit.chain import Gone
from ..audit.reading import OpenCall
from ..audit.schema import SchemaTooNew
from ..audit.store import Opening
from ..audit.verify import Check
from ..const import DOMAIN

UNAVAILABLE: Final = "audit_unavailable"
CHAIN_BROKEN: Final = "audit_chain_broken"
INTERRUPTED: Final = "audit_interrupted"

_LISTED: Final = 5


@callback
def async_unavailable(hass: HomeAssistant, path: Path, err: BaseException) -> None:
    """Say that nothing can be written, and that calls are refused meanwhile."""
    # A newer CAESAR's file is whole: no disk and no right of a folder is at fault.
    newer = isinstance(err, SchemaTooNew)
    ir.async_create_issue(
        hass,
        DOMAIN,
        UNAVAILABLE,
        is_fixable=False,
        severity=ir.IssueSeverity.ERROR,
        translation_key="audit_newer" if newer else UNAVAILABLE,
        translation_placeholders={
            "path": str(path),
            "reason": str(err) or type(err).__name__,
        },
    )


@callback
def async_available(hass: HomeAssistant) -> None:
    """Take that back."""
    ir.async_delete_issue(hass, DOMAIN, UNAVAILABLE)


@callback
def async_opened(hass: HomeAssistant, opening: Opening) -> None:
    """Tell what was found when the file was opened."""
    changed = [call for call in opening.interrupted if call.changes]
    if changed:
        ir.async_create_issue(
            hass,
            DOMAIN,
            INTERRUPTED,
            is_fixable=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key=INTERRUPTED,
            translation_placeholders={
                "count": str(len(changed)),
                "calls": "\n".join(_line(call) for call in changed[:_LISTED]),
            },
        )
    if opening.gone in (Gone.DAMAGED, Gone.MISSING):
        _broken(hass, f"audit_file_{opening.gone.value}", {"file": opening.aside or ""})
    elif opening.gone is Gone.CUT:
        _broken(hass, "audit_chain_cut", {"row": ""})
    elif opening.aside:
        _broken(hass, "audit_file_rescued", {"file": opening.aside})


@callback
def async_checked(hass: HomeAssistant, check: Check) -> None:
    """Tell what a check of the chain found, or take an older finding back."""
    if check.problem is None:
        # A file that was lost stays lost, whatever the rest of the chain is like.
        issue = ir.async_get(hass).async_get_issue(DOMAIN, CHAIN_BROKEN)
        if issue is not None and (issue.translation_key or "").startswith(
            "audit_chain"
        ):
            ir.async_delete_issue(hass, DOMAIN, CHAIN_BROKEN)
        return
    _broken(
        hass, f"audit_chain_{check.problem.value}", {"row": str(check.first_bad or "")}
    )


def _broken(hass: HomeAssistant, key: str, placeholders: dict[str, str]) -> None:
    ir.async_create_issue(
        hass,
        DOMAIN,
        CHAIN_BROKEN,
        is_fixable=True,
        severity=ir.IssueSeverity.CRITICAL,
        translation_key=key,
        translation_placeholders=placeholders,
    )


def _line(call: OpenCall) -> str:
    entities = ", ".join(call.entities[:_LISTED])
    return f"- {call.created_at[:19]} UTC: {call.tool} {entities}".rstrip()
