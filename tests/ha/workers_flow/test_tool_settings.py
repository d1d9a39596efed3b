"""Search and calendar: tried on real servers before they are kept, then changed."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
import pytest

from custom_components.caesar.adapters.worker_trial import TrialError
from custom_components.caesar.flows import trial
from custom_components.caesar.flows.calendar import nextcloud_url
from house.calendar_seed import seed
from house.servers import Servers
from tests.fakes.servers import running_servers
from tests.ha.house import CaesarHouse

from .peers import answer, begin, change, shown_values, subentry

NOBODY = "http://127.0.0.1:1/"


async def choose(hass: HomeAssistant, shown: Any, step: str) -> Any:
    """Choose a line of a menu."""
    assert shown["type"] is FlowResultType.MENU
    return await answer(hass, shown, {"next_step_id": step})


class Trial:
    """Stands in for the process that tries settings, where no real service may be asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Take its place."""
        self.asked: list[dict[str, str]] = []
        self.error: TrialError | None = None
        self.answer: dict[str, Any] = {}
        monkeypatch.setattr(trial, "async_try_settings", self._try)

    async def _try(
        self, hass: HomeAssistant, tool: str, environment: dict[str, str]
    ) -> dict[str, Any]:
        self.asked.append(environment)
        if self.error is not None:
            raise self.error
        return self.answer


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> Trial:
    """Settings that are tried by nobody."""
    return Trial(monkeypatch)


async def test_searxng(
    hass: HomeAssistant,
    house: CaesarHouse,
    servers: Servers,
) -> None:
    """Wrong addresses are refused in words, the right one is kept; there is only one."""
    shown = await begin(hass, house, "web_search")
    shown = await choose(hass, shown, "searxng")
    for typed, errors in (
        ("ftp://x", {"url": "url_invalid"}),
        ("http://me:secret@localhost", {"url": "url_invalid"}),
        (NOBODY, {"base": "trial_unreachable"}),
        (servers.calendar, {"base": "trial_bad_key"}),
        (servers.xandikos, {"base": "not_working"}),
    ):
        shown = await answer(hass, shown, {"url": typed})
        assert shown["errors"] == errors
        assert shown_values(shown) == {"url": typed}
    result = await answer(hass, shown, {"url": servers.search})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    kept = subentry(house, "web_search")
    assert kept.title == "SearXNG"
    assert kept.data == {"backend": "searxng", "url": servers.search}
    result = await begin(hass, house, "web_search")
    assert (result["type"], result["reason"]) == (FlowResultType.ABORT, "only_one")


async def test_searxng_without_json(
    hass: HomeAssistant, house: CaesarHouse, tmp_path: Path
) -> None:
    """The commonest fault is named, with what to do about it."""
    with running_servers(tmp_path / "servers", "--no-json") as refusing:
        shown = await begin(hass, house, "web_search")
        shown = await choose(hass, shown, "searxng")
        shown = await answer(hass, shown, {"url": refusing.search})
    assert shown["errors"] == {"url": "trial_json_off"}


@pytest.mark.parametrize(
    ("backend", "variable", "title"),
    [
        ("brave", "CAESAR_TOOLS__WEB_SEARCH__BRAVE_API_KEY", "Brave Search"),
        ("tavily", "CAESAR_TOOLS__WEB_SEARCH__TAVILY_API_KEY", "Tavily"),
    ],
)
async def test_services_with_a_key(
    hass: HomeAssistant,
    house: CaesarHouse,
    tried: Trial,
    backend: str,
    variable: str,
    title: str,
) -> None:
    """A key is tried, kept, and never shown again."""
    shown = await begin(hass, house, "web_search")
    shown = await choose(hass, shown, backend)
    for key in ("", "  ", "with blanks\n", "schlüssel", "x" * 257):
        shown = await answer(hass, shown, {"api_key": key})
        assert shown["errors"] == {"api_key": "api_key_invalid"}
    assert tried.asked == []
    for code, errors in (
        ("bad_key", {"api_key": "trial_bad_key"}),
        ("plan_limit", {"api_key": "trial_plan_limit"}),
        ("rate", {"base": "trial_rate"}),
        ("odd", {"base": "not_working"}),
    ):
        tried.error = TrialError(code, "No\n[link](http://192.0.2.1).")
        shown = await answer(hass, shown, {"api_key": "k-wrong"})
        assert shown["errors"] == errors
        placeholders = shown["description_placeholders"] or {}
        assert placeholders["problem"] == "No [link](http://192.0.2.1)."
        assert "k-wrong" not in str(shown)
    tried.error = None
    await answer(hass, shown, {"api_key": " k-secret "})
    assert tried.asked[-1][variable] == "k-secret"
    kept = subentry(house, "web_search")
    assert kept.title == title
    assert kept.data == {"backend": backend, "api_key": "k-secret"}

    shown = await change(hass, house, kept)
    shown = await choose(hass, shown, backend)
    assert "k-secret" not in str(shown)
    assert shown_values(shown) == {}
    result = await answer(hass, shown, {})
    assert result["reason"] == "reconfigure_successful"
    assert tried.asked[-1][variable] == "k-secret"


async def test_another_service(
    hass: HomeAssistant, house: CaesarHouse, tried: Trial
) -> None:
    """The key of a service that is used no more is not kept, nor given to the next."""
    shown = await choose(hass, await begin(hass, house, "web_search"), "brave")
    await answer(hass, shown, {"api_key": "k-secret"})
    shown = await change(hass, house, subentry(house, "web_search"))
    shown = await choose(hass, shown, "tavily")
    shown = await answer(hass, shown, {"api_key": ""})
    assert shown["errors"] == {"api_key": "api_key_invalid"}
    await answer(hass, shown, {"api_key": "t-secret"})
    assert subentry(house, "web_search").data == {
        "backend": "tavily",
        "api_key": "t-secret",
    }
    assert "k-secret" not in str(tried.asked[-1])


async def test_searxng_with_a_password(
    hass: HomeAssistant, house: CaesarHouse, tried: Trial
) -> None:
    """It is kept, never shown, and sent to no other server."""
    shown = await choose(hass, await begin(hass, house, "web_search"), "searxng")
    typed = {"url": "http://search.local:8080", "username": "me"}
    shown = await answer(hass, shown, typed)
    assert shown["errors"] == {"password": "password_again"}
    await answer(hass, shown, typed | {"password": "p@ss/w"})
    kept = subentry(house, "web_search")
    assert kept.data["url"] == "http://me:p%40ss%2Fw@search.local:8080"
    shown = await change(hass, house, kept)
    shown = await choose(hass, shown, "searxng")
    assert shown_values(shown) == typed
    assert "p@ss" not in str(shown)
    assert "p%40ss" not in str(shown)
    shown = await answer(hass, shown, typed | {"url": "http://evil.local:8080"})
    assert shown["errors"] == {"password": "password_again"}
    await answer(hass, shown, typed)
    assert subentry(house, "web_search").data == kept.data


async def test_calendar(
    hass: HomeAssistant,
    house: CaesarHouse,
    servers: Servers,
) -> None:
    """The account is tried, its calendars are offered, and one of them is kept."""
    user, password = servers.username, servers.password
    await seed(servers.calendar, user, password, datetime.now(UTC), "en")
    good = {"url": servers.calendar, "username": user, "password": password}
    shown = await choose(hass, await begin(hass, house, "calendar_read"), "other")
    for wrong, errors in (
        ({"password": "wrong"}, {"password": "trial_auth"}),
        ({"url": NOBODY}, {"base": "trial_unreachable"}),
        ({"url": "x y"}, {"url": "url_invalid"}),
        ({"url": "http://8.8.8.8/dav"}, {"url": "url_needs_https"}),
        ({"username": " "}, {"username": "username_invalid"}),
        ({"password": "a\nb"}, {"password": "password_invalid"}),
        ({"url": servers.search}, {"url": "trial_not_caldav"}),
    ):
        shown = await answer(hass, shown, good | wrong)
        assert shown["errors"] == errors
        assert "password" not in shown_values(shown)
        assert (good | wrong)["password"] not in str(shown["description_placeholders"])
    shown = await answer(hass, shown, good)
    assert (shown["step_id"], shown["errors"]) == ("calendars", {})
    schema = shown["data_schema"]
    assert schema is not None
    (field,) = schema.schema.values()
    names = [option["value"] for option in field.config["options"]]
    assert len(names) == 2
    result = await answer(hass, shown, {"calendars": names[:1]})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    kept = subentry(house, "calendar_read")
    assert kept.title == "127.0.0.1"
    assert kept.data == {**good, "calendars": names[:1]}
    result = await begin(hass, house, "calendar_read")
    assert result["reason"] == "only_one"

    shown = await change(hass, house, kept)
    assert shown_values(shown) == {"url": servers.calendar, "username": user}
    shown = await answer(hass, shown, {"url": servers.calendar, "username": user})
    assert shown_values(shown) == {"calendars": names[:1]}
    result = await answer(hass, shown, {})
    assert result["reason"] == "reconfigure_successful"
    assert subentry(house, "calendar_read").data == {**good, "calendars": []}


async def test_a_password_stays_with_its_server(
    hass: HomeAssistant, house: CaesarHouse, tried: Trial
) -> None:
    """Whoever changes the address has to type it anew."""
    shown = await choose(hass, await begin(hass, house, "calendar_read"), "nextcloud")
    shown = await answer(
        hass,
        shown,
        {"url": "cloud.local", "username": "me", "password": "p-secret"},
    )
    await answer(hass, shown, {"calendars": []})
    kept = subentry(house, "calendar_read")
    assert kept.data["url"] == "http://cloud.local/remote.php/dav"
    asked = len(tried.asked)
    shown = await change(hass, house, kept)
    shown = await answer(hass, shown, {"url": "http://evil.local", "username": "me"})
    assert shown["errors"] == {"password": "password_again"}
    assert len(tried.asked) == asked
    assert "p-secret" not in str(shown)


@pytest.mark.parametrize(
    ("preset", "url"),
    [
        ("icloud", "https://caldav.icloud.com/"),
        ("fastmail", "https://caldav.fastmail.com/dav/"),
    ],
)
async def test_presets(
    hass: HomeAssistant, house: CaesarHouse, tried: Trial, preset: str, url: str
) -> None:
    """They know the address; names of calendars can be typed where none were found."""
    shown = await choose(hass, await begin(hass, house, "calendar_read"), preset)
    assert (shown["description_placeholders"] or {})["passwords_url"]
    shown = await answer(hass, shown, {"username": "me@example.org", "password": "p"})
    tried.error = TrialError("no_such_calendar", "x")
    shown = await answer(hass, shown, {"calendars": ["Family"]})
    assert shown["errors"] == {"calendars": "trial_no_such_calendar"}
    tried.error = None
    many = [f"c{number}" for number in range(51)]
    shown = await answer(hass, shown, {"calendars": many})
    assert shown["errors"] == {"calendars": "too_many_calendars"}
    await answer(hass, shown, {"calendars": ["Family"]})
    kept = subentry(house, "calendar_read").data
    assert (kept["url"], kept["calendars"]) == (url, ["Family"])
    assert tried.asked[-1]["CAESAR_TOOLS__CALENDAR__CALENDAR_NAMES"] == '["Family"]'


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("cloud.example.org", "http://cloud.example.org/remote.php/dav"),
        ("https://example.org/nc/", "https://example.org/nc/remote.php/dav"),
        ("https://example.org/index.php", "https://example.org/remote.php/dav"),
        (
            "https://example.org/remote.php/dav/calendars/me/x/",
            "https://example.org/remote.php/dav/calendars/me/x/",
        ),
        ("no address", "no address"),
    ],
)
def test_where_a_nextcloud_keeps_its_calendars(typed: str, url: str) -> None:
    """From the address that a person knows."""
    assert nextcloud_url(typed) == url
