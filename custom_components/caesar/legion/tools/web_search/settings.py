"""Which search service, and its limits, from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from yarl import URL

from ...environment import Environment, Section, SettingsError
from .backend import Backend
from .brave import Brave
from .searxng import Searxng
from .tavily import Tavily

MOST_RESULTS: Final = 25
# What each service cannot do without.
NEEDED: Final[Mapping[str, str]] = {
    "searxng": "SEARXNG_URL",
    "brave": "BRAVE_API_KEY",
    "tavily": "TAVILY_API_KEY",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the tool needs: a service, how many results, how long to wait."""

    backend: Backend
    limit: int
    most: int
    timeout_s: float


def read(environment: Environment) -> Settings:
    """Read the settings. Raises SettingsError if they do not say one service."""
    section = environment.section("web_search")
    given = {name: section.secret(key) for name, key in NEEDED.items()}
    chosen = _chosen(section, [name for name, value in given.items() if value])
    value = given[chosen] or section.require(NEEDED[chosen])
    most = section.number("MAX_RESULT_LIMIT", MOST_RESULTS, 1, MOST_RESULTS)
    return Settings(
        backend=_backend(section, chosen, value),
        limit=min(section.number("RESULT_LIMIT", 5, 1, MOST_RESULTS), most),
        most=most,
        timeout_s=section.number("TIMEOUT_SECONDS", 10.0, 1, 30),
    )


def _chosen(section: Section, usable: list[str]) -> str:
    chosen = (section.text("BACKEND") or "").lower()
    if chosen:
        if chosen not in NEEDED:
            raise SettingsError(
                f"{section.variable('BACKEND')} must be one of {', '.join(NEEDED)}."
            )
        return chosen
    names = [section.variable(key) for key in NEEDED.values()]
    if not usable:
        raise SettingsError(
            f"No search service is set up. Set one of {', '.join(names)}."
        )
    if len(usable) > 1:
        raise SettingsError(
            f"More than one search service is set up ({', '.join(usable)}). Keep one, "
            f"or say which in {section.variable('BACKEND')}."
        )
    return usable[0]


def _backend(section: Section, chosen: str, value: str) -> Backend:
    if chosen == "searxng":
        return Searxng(_address(section, value))
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise SettingsError(
            f"{section.variable(NEEDED[chosen])} is no key: it has spaces or letters "
            "that keys never have. Copy it again."
        )
    return Brave(value) if chosen == "brave" else Tavily(value)


def _address(section: Section, value: str) -> str:
    try:
        url = URL(value)
        good = url.scheme in ("http", "https") and bool(url.host) and bool(url.port)
    except ValueError:
        good = False
    if not good:
        raise SettingsError(
            f"{section.variable(NEEDED['searxng'])} must be an address like "
            "http://192.168.1.5:8080."
        )
    return value
