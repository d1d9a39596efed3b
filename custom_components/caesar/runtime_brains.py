"""Which brains an agent has, in order: its own model, further ones, the built-in one."""

from collections.abc import Iterable, Mapping
import logging
from typing import Any, Final

from homeassistant.config_entries import ConfigEntry
from homeassistant.core import HomeAssistant
from yarl import URL

from .adapters import model_issues
from .adapters.model_issues import OWN, ModelWatch
from .adapters.model_sdk import SdkUnavailable
from .brain.chain import Link, Rest
from .brain.prices import prices_of
from .brain.provider import Provider, ProviderError
from .const import (
    CONF_MODEL,
    CONF_PATIENCE,
    CONF_PRICES,
    CONF_PROVIDER,
    CONF_URL,
    DEFAULT_PATIENCE,
    SUBENTRY_MODEL,
    Brain,
    ProviderKind,
)
from .runtime_models import async_model
from .wording import one_line

_LOGGER = logging.getLogger(__name__)

# What people call a model of the house; of another server they say "the model".
_NAMES: Final[Mapping[str, str]] = {
    ProviderKind.ANTHROPIC: "Claude",
    ProviderKind.OLLAMA: "Ollama",
}
_HOSTS: Final[Mapping[str, str]] = {
    "api.openai.com": "OpenAI",
    "openrouter.ai": "OpenRouter",
}
# Its first sentence in a language takes seconds on a slow computer.
_BUILTIN_PATIENCE_S: Final = 15.0


class Brains:
    """Builds the models of a house, each once; `built` is what has to be closed."""

    def __init__(
        self, hass: HomeAssistant, entry: ConfigEntry[Any], builtin: Provider
    ) -> None:
        """Build for this entry."""
        self._hass = hass
        self._entry = entry
        self._builtin = Link(
            provider=builtin, key=builtin.name, patience_s=_BUILTIN_PATIENCE_S
        )
        self._further: dict[str, Link] = {}
        self._rests: dict[str, Rest] = {}
        self._title = house_title(entry.data)
        self._watch = ModelWatch(
            hass, OWN, self._own_name(), lambda: entry.async_start_reauth(hass)
        )
        self.built: list[Provider] = []

    async def async_build(self) -> None:
        """Build the further models; those that can't be built get a repair."""
        model_issues.async_start_afresh(self._hass)
        for subentry in self._entry.get_subentries_of_type(SUBENTRY_MODEL):
            key, title = subentry.subentry_id, subentry.title
            model = await self._model(subentry.data, "", key, title)
            if model is None:
                continue
            self._further[key] = Link(
                provider=model,
                key=key,
                title=title,
                patience_s=_patience(subentry.data, subentry.data.get(CONF_PATIENCE)),
                prices=prices_of(subentry.data.get(CONF_PRICES)),
                watcher=ModelWatch(self._hass, key, title),
            )

    async def async_chain(
        self, brain: Brain, model: str, further: Iterable[str], patience: float | None
    ) -> list[Provider]:
        """Return the brains of an agent in the order in which they are asked.

        `model` is its own, of the house's provider; `further` are ids of model
        subentries, unknown ones are left out. Where a model is asked first, the
        built-in brain comes last; it never comes twice.
        """
        own = self._entry.data
        if own[CONF_PROVIDER] == ProviderKind.BUILTIN or brain is Brain.BUILTIN:
            return [self._builtin]
        links: list[Provider] = []
        if (first := await self.async_own(model, patience)) is not None:
            links.append(first)
        ids = dict.fromkeys(further)
        links += [self._further[each] for each in ids if each in self._further]
        return (
            [*links, self._builtin] if brain is Brain.MODEL else [self._builtin, *links]
        )

    async def async_own(self, model: str, patience: float | None = None) -> Link | None:
        """Return a model of the house's provider; None if it has none, or not that."""
        own = self._entry.data
        if own[CONF_PROVIDER] == ProviderKind.BUILTIN:
            return None
        built = await self._model(own, model, OWN, self._own_name())
        if built is None:
            return None
        return Link(
            provider=built,
            key=OWN,
            title=self._title,
            patience_s=_patience(own, patience),
            prices=prices_of(own.get(CONF_PRICES)),
            # Agents with the same model share what became of it.
            rest=self._rests.setdefault(model, Rest()),
            watcher=self._watch,
        )

    def further(self, model_id: str) -> Link | None:
        """Return a further model by its subentry; None if there is none that works."""
        return self._further.get(model_id)

    def _own_name(self) -> str:
        """Return a name for the list of repairs, where there must be one."""
        data = self._entry.data
        return self._title or str(data.get(CONF_MODEL, data[CONF_PROVIDER]))

    async def _model(
        self, data: Mapping[str, Any], model: str, model_id: str, title: str
    ) -> Provider | None:
        """Return a model; None, with a repair, if it can't be built."""
        try:
            built = await async_model(self._hass, data, model)
        except (SdkUnavailable, ProviderError) as err:
            _LOGGER.error("The model can't be used: %s", one_line(str(err)))
            model_issues.async_unavailable(self._hass, model_id, title)
            return None
        self.built.append(built)
        return built


def house_title(data: Mapping[str, Any]) -> str:
    """Return what people call the model of an entry; empty where it has no name."""
    kind = data[CONF_PROVIDER]
    if kind == ProviderKind.OPENAI_COMPATIBLE:
        return _HOSTS.get(URL(data[CONF_URL]).host or "", "")
    return _NAMES.get(kind, "")


def _patience(data: Mapping[str, Any], chosen: float | None) -> float:
    kind = ProviderKind(data[CONF_PROVIDER])
    return float(chosen or DEFAULT_PATIENCE[kind])
