"""Exactly one service must be set up, and well."""

import pytest

from custom_components.caesar.legion.environment import Environment, SettingsError
from custom_components.caesar.legion.tools.web_search import create
from custom_components.caesar.legion.tools.web_search.brave import Brave
from custom_components.caesar.legion.tools.web_search.searxng import Searxng
from custom_components.caesar.legion.tools.web_search.settings import Settings, read
from custom_components.caesar.legion.tools.web_search.tavily import Tavily

GROUP = "CAESAR_TOOLS__WEB_SEARCH__"
URL = {"SEARXNG_URL": "http://127.0.0.1:8080"}
BRAVE = {"BRAVE_API_KEY": "BSAsecret"}
TAVILY = {"TAVILY_API_KEY": "tvly-secret"}


def settings(values: dict[str, str]) -> Settings:
    """Read settings, named without their group."""
    return read(Environment({GROUP + key: value for key, value in values.items()}))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (URL, Searxng),
        (BRAVE, Brave),
        (TAVILY, Tavily),
        ({**URL, **BRAVE, "BACKEND": "brave"}, Brave),
        ({**URL, **TAVILY, "BACKEND": " SearXNG "}, Searxng),
    ],
)
def test_one_service_is_chosen(values: dict[str, str], kind: type) -> None:
    """By what is set, or by name if more is."""
    assert isinstance(settings(values).backend, kind)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "No search service is set up. Set one of CAESAR_TOOLS__WEB_SEARCH__SEA"),
        (
            {**URL, **BRAVE},
            r"More than one search service is set up \(searxng, brave\)",
        ),
        ({**BRAVE, **TAVILY}, "or say which in CAESAR_TOOLS__WEB_SEARCH__BACKEND"),
        (
            {"BACKEND": "google", **BRAVE},
            "BACKEND must be one of searxng, brave, tavily",
        ),
        ({"BACKEND": "tavily", **BRAVE}, "WEB_SEARCH__TAVILY_API_KEY is missing"),
        ({"BACKEND": "searxng"}, "WEB_SEARCH__SEARXNG_URL is missing"),
        ({"SEARXNG_URL": "search.example"}, "SEARXNG_URL must be an address like"),
        (
            {"SEARXNG_URL": "ftp://search.example"},
            "SEARXNG_URL must be an address like",
        ),
        ({"SEARXNG_URL": "http://[::1"}, "SEARXNG_URL must be an address like"),
        ({"BRAVE_API_KEY": "two words"}, "BRAVE_API_KEY is no key"),
        ({"TAVILY_API_KEY": "ключ"}, "TAVILY_API_KEY is no key"),
        (
            {**URL, "RESULT_LIMIT": "0"},
            "RESULT_LIMIT must be a whole number from 1 to 25",
        ),
        ({**URL, "MAX_RESULT_LIMIT": "26"}, "MAX_RESULT_LIMIT must be"),
        ({**URL, "TIMEOUT_SECONDS": "soon"}, "TIMEOUT_SECONDS must be a number"),
    ],
)
def test_what_is_missing_is_named(values: dict[str, str], said: str) -> None:
    """With the name of the variable, never with its value."""
    with pytest.raises(SettingsError, match=said) as refused:
        settings(values)
    assert not any(
        value in str(refused.value)
        for key, value in values.items()
        if key.endswith("_KEY")
    )


def test_limits() -> None:
    """The usual number is never above the largest."""
    given = settings(
        {**URL, "RESULT_LIMIT": "8", "MAX_RESULT_LIMIT": "6", "TIMEOUT_SECONDS": "2.5"}
    )
    assert (given.limit, given.most, given.timeout_s) == (6, 6, 2.5)
    given = settings(URL)
    assert (given.limit, given.most, given.timeout_s) == (5, 25, 10)


def test_the_worker_knows_all_of_its_settings() -> None:
    """None of them is taken for a slip; a slip is."""
    environment = Environment({**{GROUP + k: v for k, v in URL.items()}})
    assert create(environment).tools[0].name == "web_search"
    assert environment.unknown() == []
    environment = Environment(
        {GROUP + "SEARXNG_URL": "http://a.example", GROUP + "SEARXNG_URI": "x"}
    )
    create(environment)
    assert (
        "did you mean CAESAR_TOOLS__WEB_SEARCH__SEARXNG_URL?"
        in environment.unknown()[0]
    )
