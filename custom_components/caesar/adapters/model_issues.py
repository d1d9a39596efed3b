"""Repairs of models: a key that is refused, an empty account, missing software.

One issue for each model and kind; it goes when the model answers again. What was
ignored stays ignored.
"""

from collections.abc import Callable
import logging
from typing import Final

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from ..brain.provider import ErrorKind, ProviderError
from ..const import DOMAIN
from ..wording import one_line, plain

_LOGGER = logging.getLogger(__name__)

KEY: Final = "model_key"
QUOTA: Final = "model_quota"
UNAVAILABLE: Final = "model_unavailable"
_KINDS: Final = (KEY, QUOTA, UNAVAILABLE)
# The id of the house's own model, which has no subentry.
OWN: Final = "own"


class ModelWatch:
    """Implements `Watcher` for one model: makes its repairs, and takes them back."""

    def __init__(
        self,
        hass: HomeAssistant,
        model_id: str,
        title: str,
        start_reauth: Callable[[], None] | None = None,
    ) -> None:
        """Watch this model; one with `start_reauth` has a form of its own for keys."""
        self._hass = hass
        self._model_id = model_id
        self._title = title
        self._start_reauth = start_reauth
        self._open: set[str] = set()
        self._logged: set[ErrorKind] = set()

    def failed(self, error: ProviderError) -> None:
        """Log why, and make the repair of a failure that only a person can mend.

        What lasts is logged once; of a refused request each may have its own reason.
        """
        if error.kind is ErrorKind.REJECTED or error.kind not in self._logged:
            self._logged.add(error.kind)
            said = one_line(f"{self._title} ({error.kind.value}): {error}")
            _LOGGER.warning("A model failed: %s", said)
        if error.kind is ErrorKind.AUTH:
            if self._start_reauth is not None:
                self._start_reauth()
            else:
                self._make(KEY, fixable=True)
        elif error.kind is ErrorKind.QUOTA:
            self._make(QUOTA)

    def answered(self) -> None:
        """Take the repairs back: it is well."""
        if self._logged:
            self._logged.clear()
            _LOGGER.info("The model answers again: %s", one_line(self._title))
        while self._open:
            _delete(self._hass, self._open.pop())

    def _make(self, kind: str, *, fixable: bool = False) -> None:
        issue_id = _make(self._hass, kind, self._model_id, self._title, fixable=fixable)
        self._open.add(issue_id)


@callback
def async_unavailable(hass: HomeAssistant, model_id: str, title: str) -> None:
    """Tell that a model's software is missing, or that its address can't be one."""
    _make(hass, UNAVAILABLE, model_id, title)


@callback
def async_start_afresh(hass: HomeAssistant) -> None:
    """Take all of them back when the house is loaded: what still holds comes back."""
    prefixes = tuple(f"{kind}_" for kind in _KINDS)
    for domain, issue_id in list(ir.async_get(hass).issues):
        if domain == DOMAIN and issue_id.startswith(prefixes):
            _delete(hass, issue_id)


def _make(
    hass: HomeAssistant, kind: str, model_id: str, title: str, *, fixable: bool = False
) -> str:
    """Make a repair of that kind for a model; return its id."""
    issue_id = f"{kind}_{model_id}"
    ir.async_create_issue(
        hass,
        DOMAIN,
        issue_id,
        data={"subentry_id": model_id} if fixable else None,
        is_fixable=fixable,
        severity=ir.IssueSeverity.ERROR,
        translation_key=kind,
        translation_placeholders={"name": plain(title)},
    )
    return issue_id


def _delete(hass: HomeAssistant, issue_id: str) -> None:
    """Take a repair back, unless somebody ignored it: then it stays ignored."""
    issue = ir.async_get(hass).async_get_issue(DOMAIN, issue_id)
    if issue is not None and issue.dismissed_version is None:
        ir.async_delete_issue(hass, DOMAIN, issue_id)
